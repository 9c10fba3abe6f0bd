#include "report/words.h"

#include <inttypes.h>
#include <string.h>

#define HOLDS_MAX 16
#define FRAMES_MAX 12

/* Frames below main or a start function are nobody's code: the engine, the C library. */
static bool
is_foreign(const struct sl_place *place)
{
	static const char *const functions[] = {"sl_thread_main", "sl_explore", "sleave_explore", "host_main"};
	static const char *const modules[] = {"libsleave", "libc.so", "libc-", "ld-linux"};

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (!strcmp(place->function, functions[i]))
			return true;
	for (size_t i = 0; i < sizeof(modules) / sizeof(*modules); i++)
		if (!strncmp(place->module, modules[i], strlen(modules[i])))
			return true;
	return !place->module[0];
}

static void
print_frame(FILE *out, const struct sl_style *style, const struct sl_place *place, bool innermost)
{
	char text[320], source[160];

	sl_place_format(place, text, sizeof(text));
	fprintf(out, "      %s%s\n", innermost ? "" : "called from ", text);
	if (innermost && sl_source_line(place->path, place->line, source, sizeof(source)))
		fprintf(out, "      %s%5" PRIu32 " | %s%s%s\n", sl_ink(style, SL_INK_DIM), place->line,
			sl_ink(style, SL_INK_BOLD), source, sl_ink(style, SL_INK_NONE));
}

size_t
sl_stack_places(const struct sl_words *words, uint64_t pc, uint32_t stack, struct sl_place *places, size_t max)
{
	const struct sl_trace *trace = words->trace;
	struct sl_place here[8];
	size_t count = 0;

	while (words->names && pc) {
		size_t n = sl_names_places(words->names, pc, here, 8);

		for (size_t i = 0; i < n; i++) {
			if (count == max || (count && is_foreign(&here[i])))
				return count;
			places[count++] = here[i];
		}
		if (!stack || stack >= trace->frame_count)
			break;
		pc = trace->frames[stack].pc;
		stack = trace->frames[stack].parent;
	}
	return count;
}

void
sl_stack_print(FILE *out, const struct sl_style *style, const struct sl_words *words, uint64_t pc, uint32_t stack)
{
	struct sl_place places[FRAMES_MAX + 1];
	size_t count = sl_stack_places(words, pc, stack, places, FRAMES_MAX + 1);

	for (size_t i = 0; i < count && i < FRAMES_MAX; i++)
		print_frame(out, style, &places[i], i == 0);
	if (count > FRAMES_MAX)
		fputs("      …\n", out);
}

static void
print_locks(FILE *out, const struct sl_words *words, const struct sl_culprit *c, uint64_t record)
{
	struct sl_hold holds[HOLDS_MAX];
	size_t n = record == UINT64_MAX ? 0 : sl_words_holds(words, c->thread, record, holds, HOLDS_MAX);
	char name[256], line[160];

	/* Without its beginning a trace does not tell what was locked there. */
	if (!n && (words->trace->dropped || !words->trace->count))
		return;
	if (!n)
		fputs(", holding no lock", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%s (%s)", i ? ", " : ", holding ",
			sl_words_object(words, holds[i].object, 0, holds[i].record, false, name, sizeof(name)),
			sl_words_line(words, words->trace->records[holds[i].record].op.pc, line, sizeof(line)));
}

static void
print_side(FILE *out, const struct sl_style *style, const struct sl_story *story, const struct sl_words *words,
	   const struct sl_culprit *c)
{
	const struct sl_thread_record *thread = sl_words_find_thread(words, c->thread);
	uint64_t record = sl_words_find_record(words, c->thread, c->index);
	char label[64], object[256], line[160], parent[64];
	const char *verb = c->kind == SL_FREE                                                          ? "frees"
			   : (c->flags & (SL_OP_READS | SL_OP_WRITES)) == (SL_OP_READS | SL_OP_WRITES) ? "updates"
			   : c->flags & SL_OP_WRITES                                                   ? "writes"
												       : "reads";

	sl_words_object(words, story->finding->object, c->size, record, true, object, sizeof(object));
	fprintf(out, "\n  %s%s%s %s%s %s", sl_ink(style, SL_INK_BOLD),
		sl_words_thread(words, c->thread, label, sizeof(label)), sl_ink(style, SL_INK_NONE),
		c->flags & SL_OP_ATOMIC ? "atomically " : "", verb, object);
	if (c->size)
		fprintf(out, " (%u byte%s)", c->size, c->size == 1 ? "" : "s");
	print_locks(out, words, c, record);
	fputc('\n', out);
	sl_stack_print(out, style, words, c->pc, c->stack);
	if (c->thread && thread && thread->create_pc)
		fprintf(out, "      created by %s at %s\n",
			sl_thread_short(thread->parent, parent, sizeof(parent)),
			sl_words_line(words, thread->create_pc, line, sizeof(line)));
}

/* In the order in which they happened: culprits[0] is the later one. */
void
sl_race_print(FILE *out, const struct sl_style *style, const struct sl_story *story, const struct sl_words *words)
{
	uint32_t n = story->finding->culprit_count < 2 ? story->finding->culprit_count : 2;

	fputs("\nThe two accesses, which nothing puts in order:\n", out);
	while (n-- > 0)
		print_side(out, style, story, words, &story->finding->culprits[n]);
}
