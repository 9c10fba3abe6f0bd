/*
 * Makes tests from what a test program reports. A section may be run several times, by several tests or processes,
 * and may be explored first and then run on real threads: that is one test, which fails if one of the runs fails.
 */
#include "report/tests/tests.h"
#include "report/words.h"

#include <fnmatch.h>
#include <search.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS 11

/*
 * A line of the engine: how, file, line, function, schedule, verdict, complete, executions, message, replay, took.
 */
enum field { HOW, FILE_NAME, LINE, FUNCTION, SCHEDULE, VERDICT, COMPLETE, EXECUTIONS, MESSAGE, REPLAY, TOOK };

static int
compare(const void *a, const void *b)
{
	const struct sl_test *x = a, *y = b;
	int d = strcmp(x->file, y->file);

	d = d ? d : (x->line > y->line) - (x->line < y->line);
	d = d ? d : strcmp(x->function, y->function);
	return d ? d : strcmp(x->schedule, y->schedule);
}

static char *
copy(const char *text)
{
	return sl_must(strdup(text));
}

static __attribute__((format(printf, 1, 2))) char *
format(const char *words, ...)
{
	char *text;
	va_list args;

	va_start(args, words);
	if (vasprintf(&text, words, args) < 0)
		text = sl_must(NULL);
	va_end(args);
	return text;
}

static struct sl_test *
add(struct sl_tested *tested)
{
	if (!(tested->count & (tested->count - 1))) /* full: it doubles */
		tested->tests = sl_must(
			realloc(tested->tests, (tested->count ? 2 * tested->count : 1) * sizeof(*tested->tests)));
	return tested->tests[tested->count++] = sl_must(calloc(1, sizeof(struct sl_test)));
}

static struct sl_test *
get(struct sl_tested *tested, char *const *fields)
{
	struct sl_test key = {.file = fields[FILE_NAME],
			      .line = (unsigned)strtoul(fields[LINE], NULL, 10),
			      .function = fields[FUNCTION],
			      .schedule = fields[SCHEDULE]};
	struct sl_test *const *found = tfind(&key, &tested->tree, compare), *test;

	if (found)
		return *(struct sl_test **)found;
	test = add(tested);
	test->file = copy(key.file);
	test->line = key.line;
	test->function = copy(key.function);
	test->schedule = copy(key.schedule);
	test->complete = true;
	sl_must(tsearch(test, &tested->tree, compare));
	return test;
}

/* Failed is worse than undecided, because a failure is certain. */
static void
judge(struct sl_test *test, enum sl_test_verdict verdict, const char *message, const char *replay)
{
	if (verdict == SL_TEST_PASSED || test->verdict == SL_TEST_FAILED || test->verdict == verdict)
		return;
	test->verdict = verdict;
	free(test->message);
	free(test->replay);
	test->message = copy(message && *message ? message : "it does not say why");
	test->replay = replay && *replay ? copy(replay) : NULL;
}

static void
add_visit(struct sl_tested *tested, struct sl_test *test, char *const *fields)
{
	if (!(tested->visit_count & (tested->visit_count - 1))) /* full: it doubles */
		tested->visits =
			sl_must(realloc(tested->visits, (tested->visit_count ? 2 * tested->visit_count : 1) *
								sizeof(*tested->visits)));
	tested->visits[tested->visit_count++] =
		(struct sl_visit){test, (uint32_t)strtoul(fields[EXECUTIONS], NULL, 10),
				  (uint32_t)strtoul(fields[COMPLETE], NULL, 10), strtol(fields[TOOK], NULL, 10)};
	test->awaited++;
}

static bool
report(struct sl_tested *tested, struct sl_test *test, char *const *fields)
{
	static const char *const hows[] = {"explored", "ran", "checked", "left", "skipped"};
	unsigned long verdict = strtoul(fields[VERDICT], NULL, 10);
	const char *how = NULL;

	if (strcmp(fields[HOW], "began") == 0) {
		test->open++;
		return true;
	}
	if (strcmp(fields[HOW], "broken") == 0) { /* it is told when it happens; the run goes on */
		judge(test, SL_TEST_FAILED, fields[MESSAGE], NULL);
		return true;
	}
	if (strcmp(fields[HOW], "partly") == 0) {
		test->partly = true;
		return true;
	}
	if (strcmp(fields[HOW], "beside") == 0) {
		add_visit(tested, test, fields);
		return true;
	}
	for (size_t i = 0; i < sizeof(hows) / sizeof(*hows); i++)
		if (strcmp(fields[HOW], hows[i]) == 0)
			how = hows[i];
	if (!how || !*fields[VERDICT] || (verdict != 0 && verdict != 1 && verdict != 3))
		return false;
	if (how == hows[4]) {
		test->skips++;
		test->open -= test->open > 0;
		if (!test->message && *fields[MESSAGE])
			test->message = copy(fields[MESSAGE]);
		return true;
	}
	test->runs++;
	test->reported = true;
	test->left = test->left || how == hows[3];
	test->nanoseconds += strtoull(fields[TOOK], NULL, 10);
	if (how == hows[0]) {
		test->executions += strtoull(fields[EXECUTIONS], NULL, 10);
		test->awaited -= test->awaited > 0;
		test->complete = test->complete && *fields[COMPLETE] == '1';
	} else if (test->open) {
		test->open--;
	}
	if (how == hows[0] || !test->how) /* the exploration says more than the run on real threads after it */
		test->how = how;
	judge(test,
	      verdict == 0   ? SL_TEST_PASSED
	      : verdict == 1 ? SL_TEST_FAILED
			     : SL_TEST_UNDECIDED,
	      fields[MESSAGE], fields[REPLAY]);
	return true;
}

/* Terminates each field where the next one begins; false if the number of fields is wrong. */
static bool
split(char *line, char **fields)
{
	size_t count = 0;

	for (char *next; line; line = next) {
		next = strchr(line, '\t');
		if (next)
			*next++ = '\0';
		if (count < FIELDS)
			fields[count] = line;
		count++;
	}
	return count == FIELDS;
}

size_t
sl_tested_take(struct sl_tested *tested, const char *text, size_t size)
{
	const char *end, *start = text;
	char *fields[FIELDS], *line;

	for (; (end = memchr(start, '\n', size - (size_t)(start - text))); start = end + 1) {
		line = sl_must(strndup(start, (size_t)(end - start)));
		if (strlen(line) != (size_t)(end - start) || !split(line, fields) ||
		    !report(tested, get(tested, fields), fields))
			tested->unreadable = true;
		free(line);
	}
	return (size_t)(start - text);
}

/* ---- names ---- */

static int
compare_names(const void *a, const void *b)
{
	return strcmp((*(struct sl_test *const *)a)->name, (*(struct sl_test *const *)b)->name);
}

static void
lengthen(struct sl_test *test)
{
	const char *slash = strrchr(test->file, '/');
	char *name = format("%s (%s:%u)", test->name, slash ? slash + 1 : test->file, test->line);

	free(test->name);
	test->name = name;
}

/* Sections of one function may have schedules of the same name, or without names: then the place is added. */
static void
name_all(struct sl_tested *tested)
{
	struct sl_test **sorted = sl_must(malloc((tested->count + 1) * sizeof(struct sl_test *)));
	bool as_last = false, as_next;

	for (size_t i = 0; i < tested->count; i++) {
		struct sl_test *t = sorted[i] = tested->tests[i];

		t->name = format("%s %s%s%s", tested->program, t->function, *t->schedule ? " " : "", t->schedule);
	}
	qsort(sorted, tested->count, sizeof(*sorted), compare_names);
	for (size_t i = 0; i < tested->count; i++, as_last = as_next) {
		as_next = i + 1 < tested->count && strcmp(sorted[i]->name, sorted[i + 1]->name) == 0;
		if (as_last || as_next)
			lengthen(sorted[i]);
	}
	free(sorted);
}

static const char *
why_not_visited(const struct sl_tested *tested, const struct sl_test *test)
{
	for (size_t i = 0; i < tested->visit_count; i++)
		if (tested->visits[i].test == test && tested->visits[i].process != tested->process)
			return "not explored, but run on real threads: threads from before it are running in a process that the test "
			       "program has forked";
	return "not explored, but run on real threads: threads from before it are running";
}

void
sl_tested_end(struct sl_tested *tested, const char *message, bool undecided)
{
	enum sl_test_verdict verdict = undecided ? SL_TEST_UNDECIDED : SL_TEST_FAILED;
	struct sl_test *test;

	name_all(tested);
	if (!message && tested->unreadable) {
		message = "what its sections reported can't be read (is its libsleave of another version?)";
		verdict = SL_TEST_UNDECIDED;
	}
	for (size_t i = 0; i < tested->count; i++) {
		test = tested->tests[i];
		if (sl_test_is_skipped(test) && test->verdict == SL_TEST_PASSED) {
			test->verdict = SL_TEST_SKIPPED;
			test->how = "skipped";
			continue;
		}
		if (test->awaited)
			judge(test, SL_TEST_UNDECIDED, why_not_visited(tested, test), NULL);
		if (test->verdict == SL_TEST_PASSED) { /* it passed in another run, so that it was skipped in this one does not matter */
			free(test->message);
			test->message = NULL;
		}
		if (test->reported && !test->open && !(test->left && message))
			continue;
		if (message) {
			char *why = format(test->open || !test->left ? "it did not come to its end: %s"
								     : "it was left by a jump or an exception; %s",
					   message);

			judge(test, verdict, why, NULL);
			free(why);
		} else {
			judge(test, SL_TEST_FAILED, "the program left it before its end", NULL);
		}
	}
	if (tested->count && !message)
		return;
	test = add(tested);
	test->name = copy(tested->program);
	test->how = "ran";
	test->nanoseconds = tested->nanoseconds;
	if (message)
		judge(test, verdict, message, NULL);
}

/* ---- selecting ---- */

static bool
is_selected(const struct sl_tested *tested, const struct sl_test *test, const char *glob)
{
	char *function = format("%s %s", tested->program, test->function ? test->function : "");
	size_t length = strlen(tested->program);
	bool answer = fnmatch(glob, tested->program, 0) == 0 || fnmatch(glob, function, 0) == 0 ||
		      fnmatch(glob, test->name, 0) == 0;

	if (test->function) /* … or without the program's name */
		answer = answer || fnmatch(glob, test->function, 0) == 0 ||
			 fnmatch(glob, test->schedule, 0) == 0 || fnmatch(glob, test->name + length + 1, 0) == 0;
	free(function);
	return answer;
}

static void
test_free(struct sl_test *test)
{
	free(test->name);
	free(test->file);
	free(test->function);
	free(test->schedule);
	free(test->message);
	free(test->replay);
	free(test);
}

size_t
sl_tested_filter(struct sl_tested *tested, const char *glob)
{
	size_t kept = 0, all = 0;

	for (size_t i = 0; i < tested->count; i++) {
		struct sl_test *t = tested->tests[i];
		bool selected = is_selected(tested, t, glob);

		all += selected;
		if (selected || (!t->function && t->verdict != SL_TEST_PASSED)) {
			tested->tests[kept++] = t;
			continue;
		}
		if (t->function)
			tdelete(t, &tested->tree, compare);
		test_free(t);
	}
	tested->count = kept;
	return all;
}

/* A part of the glob that may match anything does: running a program in vain costs only time. */
bool
sl_filter_may_match(const char *glob, const char *program)
{
	for (; *program; glob++, program++) {
		if (*glob == '*' || *glob == '[' || *glob == '\\')
			return true;
		if (*glob != '?' && *glob != *program)
			return false;
	}
	return !*glob || strchr(" *?[\\", *glob);
}

static void
keep(void *node)
{
	(void)node; /* the list has it, too */
}

void
sl_tested_release(struct sl_tested *tested)
{
	tdestroy(tested->tree, keep);
	for (size_t i = 0; i < tested->count; i++)
		test_free(tested->tests[i]);
	free(tested->tests);
	free(tested->visits);
	free(tested->output);
	memset(tested, 0, sizeof(*tested));
}

void
sl_tested_count(const struct sl_tested *tested, struct sl_test_counts *counts)
{
	for (size_t i = 0; i < tested->count; i++)
		counts->of[tested->tests[i]->verdict]++;
}
