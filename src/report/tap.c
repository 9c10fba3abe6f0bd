/*
 * The Test Anything Protocol, version 13: a line for each test, a block of YAML and the program's output, as comments, after
 * one that did not pass.
 */
#include "report/tests.h"

#include "base/utf8.h"
#include "report/words.h"

#include <string.h>

void
sl_tap_begin(FILE *out)
{
	fputs("TAP version 13\n", out);
}

/* One character, whatever it is; returns how many bytes it was. What is none, or controls a terminal, is not passed on. */
static size_t
put_character(FILE *out, const char *text, size_t left)
{
	size_t n = sl_utf8_length(text, left);

	if (!n || ((unsigned char)*text < 0x20 && *text != '\t' && *text != '\n') || *text == 0x7f) {
		fputs("\xef\xbf\xbd", out);
		return 1;
	}
	fwrite(text, 1, n, out);
	return n;
}

/* Nothing in it is a directive. */
static void
put_description(FILE *out, const char *text)
{
	size_t size = strlen(text);

	for (size_t i = 0; i < size; i += put_character(out, text + i, size - i))
		if (text[i] == '#' || text[i] == '\\')
			fputc('\\', out);
}

/* A string of JSON is one of YAML. */
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

/* A line that begins with # is nothing but a comment, whatever follows. */
static void
put_output(FILE *out, const struct sl_tested *tested)
{
	bool fresh = true;

	for (size_t i = 0; i < tested->output_size;) {
		if (fresh)
			fputs("# ", out);
		fresh = tested->output[i] == '\n';
		i += put_character(out, tested->output + i, tested->output_size - i);
	}
	if (!fresh)
		fputc('\n', out);
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
