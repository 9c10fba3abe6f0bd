/*
 * What sections report to `sleave test`, on anything: the same tests in whatever pieces it comes, nothing that passes where
 * something could not be read, and all that is written of them is text: TAP with as many tests as there are, XML without
 * a character that it must not have, JSON on one line. The input is the reports, and the output of the program as well.
 */
#include "report/tests/tests.h"

#include "base/utf8.h"
#include "fuzz.h"

#include <string.h>

static void
take(struct sl_tested *tested, const char *text, size_t size, size_t piece)
{
	size_t taken = 0;

	*tested = (struct sl_tested){.program = "a test", .path = "./a test", .mode = "free"};
	for (size_t have = piece; have < size; have += piece)
		taken += sl_tested_take(tested, text + taken, have - taken);
	taken += sl_tested_take(tested, text + taken, size - taken);
	HOLDS(taken <= size && !memchr(text + taken, '\n', size - taken));
	tested->unreadable |= taken != size;
	tested->output = strndup(text, size);
	tested->output_size = tested->output ? strlen(tested->output) : 0;
	sl_tested_end(tested, NULL, false);
}

static void
same(const struct sl_tested *a, const struct sl_tested *b)
{
	HOLDS(a->count == b->count && a->unreadable == b->unreadable);
	for (size_t i = 0; i < a->count; i++) {
		HOLDS(strcmp(a->tests[i]->name, b->tests[i]->name) == 0);
		HOLDS(a->tests[i]->verdict == b->tests[i]->verdict);
		HOLDS(!a->tests[i]->message == (a->tests[i]->verdict == SL_TEST_PASSED));
	}
}

/* Characters, and none that controls anything but the lines. */
static void
is_text(const char *text, size_t size)
{
	for (size_t i = 0, n; i < size; i += n) {
		n = sl_utf8_length(text + i, size - i);
		HOLDS(n);
		HOLDS(n > 1 || (unsigned char)text[i] >= 0x20 || text[i] == '\n' || text[i] == '\t');
	}
}

static size_t
count(const char *text, const char *head)
{
	size_t n = 0;

	for (; text; text = strchr(text, '\n'), text = text ? text + 1 : NULL)
		n += strncmp(text, head, strlen(head)) == 0;
	return n;
}

enum form { TEXT, TAP, JUNIT, JSON };

static void
print(const struct sl_tested *tested, enum form form)
{
	const struct sl_style style = {0};
	char *text = NULL;
	size_t size = 0, number = 0;
	FILE *out = open_memstream(&text, &size);

	HOLDS(out);
	if (form == TEXT)
		sl_tested_print(out, &style, tested, true);
	if (form == TAP)
		sl_tap_print(out, tested, &number, true);
	if (form == JUNIT)
		sl_junit_print(out, &tested, 1, 0);
	if (form == JSON)
		sl_tests_json_print(out, &tested, 1, false);
	fclose(out);
	if (form != TEXT)
		is_text(text, size);
	if (form == TAP)
		HOLDS(number == tested->count && count(text, "ok ") + count(text, "not ok ") == number);
	if (form == JUNIT)
		HOLDS(count(text, "    <testcase ") == tested->count && count(text, "</testsuites>") == 1);
	if (form == JSON)
		HOLDS(strchr(text, '\n') == text + size - 1);
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct sl_tested whole, pieces;
	struct sl_test_counts counts = {0};

	take(&whole, text, size, size + 1);
	take(&pieces, text, size, 7);
	same(&whole, &pieces);
	sl_tested_count(&whole, &counts);
	HOLDS(counts.of[SL_TEST_PASSED] + counts.of[SL_TEST_FAILED] + counts.of[SL_TEST_UNDECIDED] == whole.count);
	HOLDS(whole.count && (!whole.unreadable || counts.of[SL_TEST_PASSED] < whole.count));
	for (enum form form = TEXT; form <= JSON; form++)
		print(&whole, form);
	sl_tested_filter(&pieces, size ? "a test [a-m]*" : "*");
	HOLDS(pieces.count <= whole.count);
	sl_tested_release(&whole);
	sl_tested_release(&pieces);
	return 0;
}
