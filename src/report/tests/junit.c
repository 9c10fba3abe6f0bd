/*
 * JUnit XML. There is no standard, but two schemas are in use: a strict one of Ant, and one of Jenkins that allows
 * more. The output is valid by both: no attributes of <testsuites>, all required ones of <testsuite>, and the
 * program's output once for all its tests. Many readers show only <failure>, so the first failure of a program has
 * the output, too.
 */
#include "report/tests/tests.h"

#include "base/shown.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FAILURE_OUTPUT_MAX 65536

/*
 * XML 1.0 cannot have most control characters, U+FFFE and U+FFFF, or bytes that are no character; the control
 * characters that it can have would harm a terminal.
 */
static bool
is_xml(const char *text, size_t length)
{
	const unsigned char *s = (const unsigned char *)text;

	if (!sl_shown_is_plain(text, length))
		return length == 1 && (*s == '\n' || *s == '\t' || *s == '\r');
	return !(length == 3 && s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe);
}

static void
put_text(FILE *out, const char *text, size_t size, bool attribute)
{
	char shown[SL_SHOWN_MAX];

	for (size_t i = 0, n, bytes; i < size; i += n ? n : 1) {
		unsigned char c = (unsigned char)text[i];

		n = sl_utf8_length(text + i, size - i);
		if (!is_xml(text + i, n)) {
			sl_shown_next(text + i, size - i, shown, &bytes);
			if (shown[0] == '\\')
				fwrite(shown, 1, bytes, out);
			else
				fputs("\xef\xbf\xbd", out); /* U+FFFE, U+FFFF */
		} else if (c == '<')
			fputs("&lt;", out);
		else if (c == '>')
			fputs("&gt;", out); /* for "]]>" */
		else if (c == '&')
			fputs("&amp;", out);
		else if (c == '\r' || (attribute && (c == '"' || c == '\n' || c == '\t')))
			fprintf(out, "&#%u;", c); /* else it would come back as something else */
		else
			fwrite(text + i, 1, n, out);
	}
}

static void
put_attribute(FILE *out, const char *name, const char *text)
{
	fprintf(out, " %s=\"", name);
	put_text(out, text, strlen(text), true);
	fputc('"', out);
}

/* Formatted here: a comma of the user's locale would not be a number. */
static void
put_time(FILE *out, uint64_t ns)
{
	fprintf(out, " time=\"%" PRIu64 ".%06u\"", ns / 1000000000u, (unsigned)(ns / 1000 % 1000000));
}

static void
put_line(FILE *out, const char *head, const char *text)
{
	fputs(head, out);
	put_text(out, text, strlen(text), false);
	fputc('\n', out);
}

static void
put_trouble(FILE *out, const struct sl_test *test, const struct sl_tested *tested, bool first)
{
	const char *element = test->verdict == SL_TEST_FAILED ? "failure" : "error";
	size_t size = tested->output_size < FAILURE_OUTPUT_MAX ? tested->output_size : FAILURE_OUTPUT_MAX;

	fprintf(out, "      <%s", element);
	put_attribute(out, "message", test->message);
	put_attribute(out, "type", sl_test_verdict_name(test->verdict));
	fputc('>', out);
	put_line(out, "", test->message);
	if (test->file) {
		fputs("in ", out);
		put_text(out, test->function, strlen(test->function), false);
		fputs(" at ", out);
		put_text(out, test->file, strlen(test->file), false);
		fprintf(out, ":%u\n", test->line);
	}
	if (test->replay)
		put_line(out, *test->replay == '-' ? "see it again with: sleave replay ./" : "see it again with: sleave replay ",
			 test->replay);
	if (first && size) {
		fputc('\n', out);
		put_text(out, tested->output + tested->output_size - size, size, false);
	}
	fprintf(out, "</%s>\n", element);
}

static void
put_test(FILE *out, const struct sl_test *test, const struct sl_tested *tested, bool *first)
{
	size_t length = strlen(tested->program);
	/* the class has the name of the program already */
	const char *name = test->name[length] == ' ' ? test->name + length + 1 : test->name;

	fputs("    <testcase", out);
	put_attribute(out, "name", name);
	put_attribute(out, "classname", tested->program);
	put_time(out, test->nanoseconds);
	if (test->verdict == SL_TEST_PASSED) {
		fputs("/>\n", out);
		return;
	}
	fputs(">\n", out);
	if (test->verdict == SL_TEST_SKIPPED) {
		fputs("      <skipped", out);
		if (test->message)
			put_attribute(out, "message", test->message);
		fputs("/>\n", out);
	} else {
		put_trouble(out, test, tested, *first);
		*first = false;
	}
	fputs("    </testcase>\n", out);
}

static void
put_suite(FILE *out, const struct sl_tested *tested, size_t id, time_t started)
{
	struct sl_test_counts counts = {0};
	char host[HOST_NAME_MAX + 1] = "", when[32] = "";
	struct tm tm;
	bool first = true;

	sl_tested_count(tested, &counts);
	if (gethostname(host, sizeof(host) - 1) < 0 || !*host)
		strcpy(host, "localhost");
	if (localtime_r(&started, &tm))
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &tm);
	fputs("  <testsuite", out);
	put_attribute(out, "name", tested->program);
	put_attribute(out, "package", "");
	put_attribute(out, "timestamp", when);
	put_attribute(out, "hostname", host);
	fprintf(out, " id=\"%zu\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", id, tested->count,
		counts.of[SL_TEST_FAILED], counts.of[SL_TEST_UNDECIDED]);
	put_time(out, tested->nanoseconds);
	fputs(">\n    <properties>\n      <property name=\"path\"", out);
	put_attribute(out, "value", tested->path);
	fputs("/>\n      <property name=\"mode\"", out);
	put_attribute(out, "value", tested->mode);
	fputs("/>\n    </properties>\n", out);
	for (size_t i = 0; i < tested->count; i++)
		put_test(out, tested->tests[i], tested, &first);
	fputs("    <system-out>", out);
	for (size_t i = 0; i < tested->count; i++)
		if (sl_test_note(tested->tests[i])) {
			put_text(out, tested->tests[i]->name, strlen(tested->tests[i]->name), false);
			put_line(out, ": ", sl_test_note(tested->tests[i]));
		}
	put_text(out, tested->output, tested->output_size, false);
	fputs("</system-out>\n    <system-err></system-err>\n  </testsuite>\n", out);
}

void
sl_junit_print(FILE *out, const struct sl_tested *const *tested, size_t count, time_t started)
{
	size_t id = 0;

	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
	for (size_t i = 0; i < count; i++)
		if (tested[i]->count)
			put_suite(out, tested[i], id++, started);
	fputs("</testsuites>\n", out);
}
