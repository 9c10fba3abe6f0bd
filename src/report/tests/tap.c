/*
 * The Test Anything Protocol, version 13: a line for each test; after one that did not pass, a block of YAML, and
 * the program's output as comments.
 */
#include "report/tests/tests.h"

#include "base/shown.h"
#include "report/quote.h"
#include "report/words.h"

#include <string.h>

void
sl_tap_begin(FILE *out)
{
	fputs("TAP version 13\n", out);
}

/* Nothing in the text is taken for a directive. */
static void
put_description(FILE *out, const char *text)
{
	size_t size = strlen(text);

	char shown[SL_SHOWN_MAX];

	for (size_t i = 0, n; i < size;) {
		if (text[i] == '#' || text[i] == '\\')
			fputc('\\', out);
		i += sl_shown_next(text + i, size - i, shown, &n);
		fwrite(shown, 1, n, out);
	}
}

/* A string of JSON is also one of YAML. */
static void
put_key(FILE *out, const char *key, const char *text)
{
	if (!text || !*text)
		return;
	fprintf(out, "  %s: ", key);
	sl_json_put_string(out, text, strlen(text));
	fputc('\n', out);
}

static void
put_block(FILE *out, const struct sl_test *test)
{
	fputs("  ---\n", out);
	put_key(out, "verdict", sl_test_verdict_name(test->verdict));
	put_key(out, "message", test->message);
	if (test->file) {
		put_key(out, "file", test->file);
		fprintf(out, "  line: %u\n", test->line);
	}
	put_key(out, "replay", test->replay);
	fputs("  ...\n", out);
}

/* A line that begins with # is a comment and nothing else. */
static void
put_output(FILE *out, const struct sl_tested *tested)
{
	const char *at = tested->output, *end = at + tested->output_size, *next;

	for (; at < end; at = next + 1) {
		next = memchr(at, '\n', (size_t)(end - at));
		next = next ? next : end;
		fputs("# ", out);
		sl_output_put(out, at, (size_t)(next - at));
		fputc('\n', out);
	}
}

void
sl_tap_print(FILE *out, const struct sl_tested *tested, size_t *number, bool show_output)
{
	bool all = true;

	for (size_t i = 0; i < tested->count; i++) {
		const struct sl_test *t = tested->tests[i];

		fprintf(out, "%s %zu - ", sl_test_is_fine(t) ? "ok" : "not ok", ++*number);
		put_description(out, t->name);
		if (t->verdict == SL_TEST_SKIPPED) {
			fputs(t->message ? " # SKIP " : " # SKIP", out);
			put_description(out, t->message ? t->message : "");
		}
		fputc('\n', out);
		if (sl_test_note(t))
			fprintf(out, "# %s\n", sl_test_note(t));
		if (!sl_test_is_fine(t))
			put_block(out, t);
		all = all && sl_test_is_fine(t);
	}
	if (tested->count && (!all || show_output))
		put_output(out, tested);
}

void
sl_tap_end(FILE *out, size_t number, const char *why)
{
	if (why) {
		fputs("Bail out! ", out);
		put_description(out, why);
		fputc('\n', out);
	} else {
		fprintf(out, "1..%zu\n", number);
	}
}
