#include "report/words.h"

#include <inttypes.h>
#include <string.h>

#define HOLDS_MAX 16

static const char *
record_line(const struct sl_words *words, const struct sl_record *r, char *text, size_t room)
{
	return sl_words_line(words, r->op.pc, r->stack, text, room);
}

/* The stack of its creation; 0: the trace does not have it. */
static uint32_t
create_stack(const struct sl_words *words, uint32_t thread)
{
	for (uint64_t i = 0; i < words->trace->count; i++) {
		const struct sl_record *r = &words->trace->records[i];

		if (r->op.kind == SL_CREATE && r->value == thread)
			return r->stack;
	}
	return 0;
}

static void
print_locks(FILE *out, const struct sl_words *words, const struct sl_culprit *c, uint64_t record)
{
	struct sl_hold holds[HOLDS_MAX];
	size_t n = record == UINT64_MAX ? 0 : sl_words_holds(words, c->thread, record, holds, HOLDS_MAX);
	char name[256], line[160];

	/* a trace without its beginning does not tell which locks were taken there */
	if (!n && (words->trace->dropped || !words->trace->count))
		return;
	if (!n)
		fputs(", holding no lock", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%s (%s)", i ? ", " : ", holding ",
			sl_words_accessed(words, &words->trace->records[holds[i].taken].op, 0, holds[i].taken,
					  false, name, sizeof(name)),
			record_line(words, &words->trace->records[holds[i].taken], line, sizeof(line)));
}

/* The size of the whole access: the engine knows single bytes. */
static uint32_t
size_of(const struct sl_words *words, const struct sl_culprit *c, uint64_t record)
{
	const struct sl_op *op = record < words->trace->count ? &words->trace->records[record].op : NULL;

	return op && op->index == c->index && op->kind == c->kind && op->size > c->size && op->size <= 16
		       ? op->size
		       : c->size;
}

static void
print_side(FILE *out, const struct sl_style *style, const struct sl_story *story, const struct sl_words *words,
	   const struct sl_culprit *c)
{
	const struct sl_thread_record *thread = sl_words_find_thread(words, c->thread);
	uint64_t record = sl_words_find_record(words, c->thread, c->index);
	uint32_t size = size_of(words, c, record);
	struct sl_op op = sl_culprit_op(story->finding, c);
	char label[64], object[512], line[160], parent[64];
	const char *verb;

	sl_words_accessed(words, &op, size, record, true, object, sizeof(object));
	sl_words_descriptor(object);
	verb = sl_culprit_is_access(c, object) && (c->flags & SL_OP_READS) && (c->flags & SL_OP_WRITES)
		       ? "updates"
		       : sl_words_conflict(c, object);

	fprintf(out, "\n  %s%s%s %s%s %s", sl_ink(style, SL_INK_BOLD),
		sl_words_thread(words, c->thread, label, sizeof(label)), sl_ink(style, SL_INK_NONE),
		c->flags & SL_OP_ATOMIC ? "atomically " : "", verb, object);
	if (size && strncmp(object, "file descriptor ", 16) != 0)
		fprintf(out, " (%u byte%s)", size, size == 1 ? "" : "s");
	print_locks(out, words, c, record);
	fputc('\n', out);
	sl_stack_print(out, style, words, c->pc, c->stack);
	if (c->thread && thread && thread->create_pc)
		fprintf(out, "      created by %s at %s\n",
			sl_thread_short(thread->parent, parent, sizeof(parent)),
			sl_words_line(words, thread->create_pc, create_stack(words, c->thread), line,
				      sizeof(line)));
}

/* In the order in which they happened: culprits[0] is the later one. */
void
sl_race_print(FILE *out, const struct sl_style *style, const struct sl_story *story, const struct sl_words *words)
{
	uint32_t n = story->finding->culprit_count < 2 ? story->finding->culprit_count : 2;

	fputs("\nThe two accesses, which nothing puts in order:\n", out);
	while (n-- > 0)
		print_side(out, style, story, words, &story->finding->culprits[n]);
	for (n = 0; n < 2 && n < story->finding->culprit_count; n++)
		if (story->finding->culprits[n].flags & SL_OP_VOLATILE) {
			fputs("\n  The variable is volatile, which puts nothing in order. If the program means an atomic one by that:\n"
			      "  --volatile=atomic\n",
			      out);
			break;
		}
}
