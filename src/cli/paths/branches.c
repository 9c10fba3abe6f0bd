#include "cli/paths/branches.h"

#include "base/room.h"
#include "report/quote.h"
#include "report/words.h"

#include <inttypes.h>
#include <string.h>

#define OUTCOMES 8 /* that are told of one branch */
#define USES 16
#define LOOKED_AT 4 /* so many instances of a branch in one execution … */
#define EXECUTIONS 64 /* … of the first executions are looked at for what affects it */

struct sl_path_branch {
	const struct sl_site_slice *slice;
	uint64_t executed;
	uint64_t outcomes[OUTCOMES]; /* blocks that followed */
	uint64_t went[OUTCOMES];     /* how often */
	uint32_t outcome_count;
	struct {
		uint64_t read, write; /* places in the code */
	} uses[USES]; /* the read is of one thread, the write of another */
	uint32_t use_count;
	bool more_uses, more_outcomes;
	uint32_t looked, executions; /* instances in this execution; executions that were looked at */
	bool here;
};

static struct sl_path_branch *
branch_of(struct sl_path_branches *b, const struct sl_site_slice *slice)
{
	uint64_t *at = sl_index_at(&b->by_slice, (uintptr_t)slice);

	if (!*at) {
		b->all = sl_room_for(b->all, b->count, &b->capacity, sizeof(*b->all));
		b->all[b->count++] = (struct sl_path_branch){.slice = slice};
		*at = b->count;
	}
	return &b->all[*at - 1];
}

static void
note_outcome(struct sl_path_branch *b, uint64_t outcome)
{
	uint32_t i = 0;

	while (i < b->outcome_count && b->outcomes[i] != outcome)
		i++;
	if (i == OUTCOMES) {
		b->more_outcomes = true;
		return;
	}
	if (i == b->outcome_count)
		b->outcomes[b->outcome_count++] = outcome;
	b->went[i]++;
}

static void
note_use(struct sl_path_branch *b, uint64_t read, uint64_t write)
{
	uint32_t i = 0;

	while (i < b->use_count && (b->uses[i].read != read || b->uses[i].write != write))
		i++;
	if (i < b->use_count)
		return;
	if (i == USES) {
		b->more_uses = true;
		return;
	}
	b->uses[i].read = read;
	b->uses[i].write = write;
	b->use_count++;
}

void
sl_path_branches_note(struct sl_path_branches *b, struct sl_flow *flow, const struct sl_path_operation *operations, size_t count)
{
	const struct sl_flow_branch *executed;
	size_t branches = sl_flow_branches(flow, &executed);

	for (size_t i = 0; i < branches; i++) {
		const struct sl_flow_use *uses;
		struct sl_path_branch *one;
		size_t use_count;

		if (!executed[i].slice)
			continue;
		one = branch_of(b, executed[i].slice);
		one->executed++;
		if (executed[i].outcome) {
			note_outcome(one, executed[i].outcome);
			b->outcomes = true;
		}
		if (one->looked++ >= LOOKED_AT || one->executions >= EXECUTIONS)
			continue;
		one->here = true;
		use_count = sl_flow_uses(flow, &executed[i], true, &uses);
		for (size_t k = 0; k < use_count; k++) {
			uint64_t read = uses[k].read, write = uses[k].write;

			if (read && write && read <= count && write <= count &&
			    operations[read - 1].thread != operations[write - 1].thread)
				note_use(one, operations[read - 1].pc, operations[write - 1].pc);
		}
	}
	for (size_t i = 0; i < b->count; i++) {
		b->all[i].executions += b->all[i].here;
		b->all[i].looked = 0;
		b->all[i].here = false;
	}
}

/* ---- in words ---- */

/* "ready at queue.c:12" */
static void
put_access(FILE *out, struct sl_names *names, uint64_t pc, bool writes)
{
	const struct sl_site *site = sl_names_site(names, pc, writes);
	struct sl_place place;
	const char *text = site && *site->text ? site->text : "memory";

	sl_names_use(names, pc, &place);
	sl_text_put(out, text, strlen(text));
	fprintf(out, " at ");
	sl_text_put(out, place.file, strlen(place.file));
	fprintf(out, ":%" PRIu32, place.line);
}

static size_t
affected(const struct sl_path_branches *b)
{
	size_t count = 0;

	for (size_t i = 0; i < b->count; i++)
		count += b->all[i].use_count > 0;
	return count;
}

void
sl_path_branches_print(const struct sl_path_branches *b, struct sl_names *names, FILE *out, const struct sl_style *style)
{
	fprintf(out, "branches: %zu executed, of which %zu %s on what another thread writes%s\n", b->count,
		affected(b), affected(b) == 1 ? "depends" : "depend",
		b->outcomes || !b->count ? "" : " (sleave cc --branches tells which way they go)");
	for (size_t i = 0; i < b->count; i++) {
		const struct sl_path_branch *one = &b->all[i];
		const struct sl_site_slice *s = one->slice;

		if (!one->use_count)
			continue;
		fprintf(out, "  %s", sl_ink(style, SL_INK_BOLD));
		sl_text_put(out, s->file, strlen(s->file));
		fprintf(out, ":%" PRIu32 "%s (", s->line, sl_ink(style, SL_INK_NONE));
		sl_text_put(out, s->function->name, strlen(s->function->name));
		fprintf(out, "%s), executed %" PRIu64 " time%s", s->flags & TABLE_SLICE_LOOP ? ", of a loop" : "",
			one->executed, one->executed == 1 ? "" : "s");
		for (uint32_t k = 0; k < one->outcome_count; k++) {
			struct sl_place place;

			sl_names_use(names, one->outcomes[k], &place);
			fprintf(out, "%s line %" PRIu32 " %" PRIu64 " times", k ? "," : ", goes on at", place.line,
				one->went[k]);
		}
		fputc('\n', out);
		for (uint32_t k = 0; k < one->use_count; k++) {
			fputs("    reads ", out);
			put_access(out, names, one->uses[k].read, false);
			fputs(", which another thread writes: ", out);
			put_access(out, names, one->uses[k].write, true);
			fputc('\n', out);
		}
		if (one->more_uses)
			fputs("    and more\n", out);
	}
}

static void
json_place(FILE *out, const char *key, struct sl_names *names, uint64_t pc)
{
	struct sl_place place;

	sl_names_use(names, pc, &place);
	fprintf(out, "\"%s\": {\"file\": ", key);
	sl_json_put_string(out, place.file, strlen(place.file));
	fprintf(out, ", \"line\": %" PRIu32 "}", place.line);
}

void
sl_path_branches_json(const struct sl_path_branches *b, struct sl_names *names, FILE *out)
{
	fprintf(out, "{\"executed\": %zu, \"affected\": %zu, \"branches\": [", b->count, affected(b));
	for (size_t i = 0; i < b->count; i++) {
		const struct sl_path_branch *one = &b->all[i];

		fputs(i ? ", {\"file\": " : "{\"file\": ", out);
		sl_json_put_string(out, one->slice->file, strlen(one->slice->file));
		fprintf(out, ", \"line\": %" PRIu32 ", \"column\": %" PRIu32 ", \"function\": ", one->slice->line,
			one->slice->column);
		sl_json_put_string(out, one->slice->function->name, strlen(one->slice->function->name));
		fprintf(out, ", \"loop\": %s, \"executed\": %" PRIu64 ", \"outcomes\": [",
			one->slice->flags & TABLE_SLICE_LOOP ? "true" : "false", one->executed);
		for (uint32_t k = 0; k < one->outcome_count; k++) {
			fputs(k ? ", {" : "{", out);
			json_place(out, "at", names, one->outcomes[k]);
			fprintf(out, ", \"times\": %" PRIu64 "}", one->went[k]);
		}
		fputs("], \"affected_by\": [", out);
		for (uint32_t k = 0; k < one->use_count; k++) {
			fputs(k ? ", {" : "{", out);
			json_place(out, "read", names, one->uses[k].read);
			fputs(", ", out);
			json_place(out, "write", names, one->uses[k].write);
			fputc('}', out);
		}
		fputs("]}", out);
	}
	fputs("]}", out);
}

void
sl_path_branches_release(struct sl_path_branches *b)
{
	free(b->all);
	sl_index_release(&b->by_slice);
	*b = (struct sl_path_branches){0};
}
