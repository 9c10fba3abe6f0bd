/* A trace as text: one line an item. */
#include "report/quote.h"
#include "report/trace/tape_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct text {
	uint32_t part; /* the part of the last line; 0: there is none */
};

static void *
begin(const struct sl_tape_view *view)
{
	const struct sl_tape_head *head = &view->tape->head;

	fputs("# ", view->out);
	sl_tape_command_put(view->out, head);
	if (!strcmp(head->mode, "controlled") || *head->strategy)
		fprintf(view->out, "  (%s, --strategy=%s --seed=%" PRIu64 ")",
			strcmp(head->mode, "controlled") ? "on real threads" : "under control", head->strategy,
			head->seed);
	fputc('\n', view->out);
	return calloc(1, sizeof(struct text));
}

void
sl_tape_command_put(FILE *out, const struct sl_tape_head *head)
{
	sl_word_put(out, head->program);
	if (head->argv[0] && head->argv[1])
		fputc(' ', out);
	if (head->argv[0])
		sl_words_put(out, head->argv + 1);
}

const char *
sl_tape_end_format(const struct sl_tape *tape, char *text, size_t room)
{
	snprintf(text, room, "%s%s%s", tape->ended ? tape->ended : "not known", tape->missing ? "; " : "",
		 tape->missing ? tape->missing : "");
	return text;
}

const char *
sl_part_label(const struct sl_tape *tape, char *text, size_t room)
{
	uint64_t number = tape->execution & (SL_PART_FINDING - 1);
	size_t used;

	if (tape->execution & SL_PART_CALM)
		snprintf(text, room, "execution without noise, for the estimate");
	else
		snprintf(text, room, "%s %" PRIu64, tape->execution & SL_PART_FINDING ? "finding" : "execution",
			 number);
	used = strlen(text);
	if (tape->head.lanes > 1 && used < room)
		snprintf(text + used, room - used, " of worker %" PRIu32, tape->lane + 1);
	return text;
}

static void
put_locks(const struct sl_tape_view *view, const struct sl_item *item)
{
	const struct sl_hold *locks;
	size_t count = sl_scene_locks(view->scene, item->thread, &locks);
	char name[512];

	if (!count)
		return;
	fputs("  holding ", view->out);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? ", " : "", view->out);
		sl_line_put(view->out, sl_tape_lock(view, locks[i].object, name, sizeof(name)), 0);
	}
}

static void
item(void *state, const struct sl_tape_view *view, const struct sl_item *item)
{
	struct text *t = state;
	char thread[64], what[1800], where[512];
	struct sl_place place;

	if (view->tape->part != t->part && view->tape->execution)
		fprintf(view->out, "# %s\n", sl_part_label(view->tape, where, sizeof(where)));
	t->part = view->tape->part;
	*where = '\0';
	if (sl_tape_place(view->tape, item->pc, &place))
		sl_place_format(&place, where, sizeof(where));
	if (item->kind == SL_ITEM_BRANCH && place.line) /* two branches may be on one line */
		snprintf(where + strlen(where), sizeof(where) - strlen(where), " +0x%" PRIx64, place.offset);
	fprintf(view->out, "%8" PRIu64 " ", view->tape->number);
	sl_line_put(view->out, sl_tape_thread(view, item->thread, thread, sizeof(thread)), 6);
	fputc(' ', view->out);
	sl_line_put(view->out, sl_item_tell(view, item, what, sizeof(what)), 0);
	if (*where) {
		fputs("  ", view->out);
		sl_line_put(view->out, where, 0);
	}
	if (view->locks)
		put_locks(view, item);
	fputc('\n', view->out);
}

static void
end(void *state, const struct sl_tape_view *view)
{
	char how[1280];

	if (view->tape->ended) {
		fputs("# the end: ", view->out);
		sl_line_put(view->out, sl_tape_end_format(view->tape, how, sizeof(how)), 0);
		fputc('\n', view->out);
	}
	free(state);
}

const struct sl_tape_format sl_tape_text = {begin, item, NULL, end};
