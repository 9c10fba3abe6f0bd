/* Tests for people: a line for each, and the program's output if a test did not pass. */
#include "report/tests/tests.h"

#include "base/shown.h"
#include "report/quote.h"
#include "report/words.h"

#include <string.h>

const char *
sl_test_verdict_name(enum sl_test_verdict verdict)
{
	static const char *const names[] = {"passed", "failed", "undecided", "skipped"};

	return names[verdict];
}

const char *
sl_test_note(const struct sl_test *test)
{
	return test->partly && test->verdict == SL_TEST_PASSED
		       ? "some interleavings can't follow it, and real threads may go that way: order what leads there, too"
		       : NULL;
}

const char *
sl_test_detail(const struct sl_test *test, char *text, size_t room)
{
	const char *note = sl_test_note(test);
	size_t used;
	char number[32];

	*text = '\0';
	if (test->message)
		sl_shown(text, room, test->message);
	else if (test->how && strcmp(test->how, "explored") == 0 && test->complete && test->executions == 1)
		snprintf(text, room, "the only interleaving");
	else if (test->how && strcmp(test->how, "explored") == 0)
		snprintf(text, room, "%s%s interleaving%s%s", test->complete ? "all " : "",
			 sl_count_format(test->executions, number), test->executions == 1 ? "" : "s",
			 test->complete ? "" : ", there are more");
	used = strlen(text);
	if (note)
		snprintf(text + used, room - used, "%s%s", used ? "; " : "", note);
	return text;
}

/* Writes a line of the program's output without what controls the terminal. */
void
sl_output_put(FILE *out, const char *line, size_t size)
{
	for (const char *tab; size && (tab = memchr(line, '\t', size)); size -= (size_t)(tab + 1 - line), line = tab + 1) {
		sl_text_put(out, line, (size_t)(tab - line));
		fputc('\t', out);
	}
	sl_text_put(out, line, size);
}

static void
print_output(FILE *out, const struct sl_style *style, const struct sl_tested *tested)
{
	const char *at = tested->output, *end = at + tested->output_size;
	char number[32];

	if (tested->output_lost)
		fprintf(out, "    %s… (the first %s bytes of its output are left out)%s\n",
			sl_ink(style, SL_INK_DIM), sl_count_format(tested->output_lost, number),
			sl_ink(style, SL_INK_NONE));
	while (at < end) {
		const char *next = memchr(at, '\n', (size_t)(end - at));

		next = next ? next : end;
		if (next > at)
			fputs("    ", out);
		sl_output_put(out, at, (size_t)(next - at));
		fputc('\n', out);
		at = next + 1;
	}
}

void
sl_tested_print(FILE *out, const struct sl_style *style, const struct sl_tested *tested, bool show_output)
{
	static const struct {
		const char *word;
		enum sl_ink ink;
	} words[] = {{"ok", SL_INK_GREEN},
		     {"FAILED", SL_INK_RED},
		     {"UNDECIDED", SL_INK_YELLOW},
		     {"skipped", SL_INK_DIM}};
	bool all = true;
	char detail[1024];

	for (size_t i = 0; i < tested->count; i++) {
		const struct sl_test *t = tested->tests[i];

		sl_test_detail(t, detail, sizeof(detail));
		fprintf(out, "%s%-9s%s ", sl_ink(style, words[t->verdict].ink), words[t->verdict].word,
			sl_ink(style, SL_INK_NONE));
		sl_text_put(out, t->name, strlen(t->name));
		fprintf(out, "%s%s\n", *detail ? ": " : "", detail);
		all = all && sl_test_is_fine(t);
	}
	if (tested->count && (!all || show_output))
		print_output(out, style, tested);
}

void
sl_test_counts_print(FILE *out, const struct sl_style *style, const struct sl_test_counts *counts)
{
	const size_t *of = counts->of;
	enum sl_ink ink = of[SL_TEST_FAILED] ? SL_INK_RED : of[SL_TEST_UNDECIDED] ? SL_INK_YELLOW : SL_INK_GREEN;

	fprintf(out, "%s%zu passed, %zu failed", sl_ink(style, ink), of[SL_TEST_PASSED], of[SL_TEST_FAILED]);
	if (of[SL_TEST_UNDECIDED])
		fprintf(out, ", %zu undecided", of[SL_TEST_UNDECIDED]);
	if (of[SL_TEST_SKIPPED])
		fprintf(out, ", %zu skipped", of[SL_TEST_SKIPPED]);
	fprintf(out, "%s\n", sl_ink(style, SL_INK_NONE));
}
