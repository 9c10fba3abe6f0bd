/*
 * What `sleave test` has found out: tests, by program, and their output as text, TAP, JUnit XML and JSON. The
 * command fills in how a program ended; tally.c makes tests of what the program's sections reported. The writers
 * only print. A test is one schedule of one section of a program, or the program as a whole.
 */
#ifndef SL_REPORT_TESTS_TESTS_H
#define SL_REPORT_TESTS_TESTS_H

#include "base/err.h"
#include "report/report.h"

#include <time.h>

enum sl_test_verdict { SL_TEST_PASSED, SL_TEST_FAILED, SL_TEST_UNDECIDED, SL_TEST_SKIPPED, SL_TEST_VERDICTS };

struct sl_test {
	char *name; /* "program function schedule"; --filter is compared with it */
	char *file, *function, *schedule; /* NULL: the program as a whole */
	unsigned line;
	enum sl_test_verdict verdict;
	const char *how; /* "explored", "ran", "checked" */
	bool complete;   /* explored: all interleavings */
	uint64_t executions;
	char *message, *replay; /* NULL: none */
	uint64_t nanoseconds;
	unsigned runs,
		skips; /* how often it was run, explored, and skipped by its framework or its block */
	unsigned awaited; /* its runs that the exploration of the whole program has yet to do */
	unsigned open; /* runs of the section that have begun and not reported yet */
	bool reported;
	bool left; /* a jump or an exception left it: it passed if the program says so */
	bool partly; /* explored: some interleavings can't follow the schedule */
};

/*
 * A run of a section that could not be explored in place, because threads from before were running
 * (engine/section/prelude.h).
 */
struct sl_visit {
	struct sl_test *test;
	uint32_t section,
		schedule; /* by the order in which the program reaches sections; the number of schedules before the run's own */
	long process;
};

/* A program that was run. */
struct sl_tested {
	const char *program; /* short and unique */
	const char *path;
	const char *mode; /* "explore", "free", "check" */
	struct sl_test **tests;
	size_t count;
	long process; /* its first process */
	struct sl_visit *visits;
	size_t visit_count;
	void *tree; /* tests by section and schedule */
	char *output;
	size_t output_size;
	uint64_t output_lost; /* bytes lost before the kept output */
	uint64_t nanoseconds;
	bool unreadable; /* a part of its report could not be understood */
};

/*
 * Takes the whole lines of the text (of sl_section_tell() in the engine), and returns the number of their bytes.
 * The mode is that of the program.
 */
size_t sl_tested_take(struct sl_tested *tested, const char *text, size_t size);

/*
 * The program has ended. message: how it failed; NULL: it succeeded. Then sections that have not ended fail like
 * the program; and the program is a test if there is no other, or if it failed. undecided: the failure is not the
 * program's fault.
 */
void sl_tested_end(struct sl_tested *tested, const char *message, bool undecided);

/* Returns whether it passed, by its own result or by its framework's. */
static inline bool
sl_test_is_fine(const struct sl_test *test)
{
	return test->verdict == SL_TEST_PASSED || test->verdict == SL_TEST_SKIPPED;
}

/* Returns whether it was not run, or was skipped by its framework. */
static inline bool
sl_test_is_skipped(const struct sl_test *test)
{
	return test->skips && !test->runs && !test->open;
}

/*
 * Keeps only tests that the glob selects: "program function schedule" matches, or any consecutive parts of it. A
 * failed end stays. Returns the number of selected tests.
 */
size_t sl_tested_filter(struct sl_tested *tested, const char *glob);

/* Returns whether the glob could select a test of a program of this name. */
bool sl_filter_may_match(const char *glob, const char *program);

void sl_tested_release(struct sl_tested *tested);

struct sl_test_counts {
	size_t of[SL_TEST_VERDICTS];
};

void sl_tested_count(const struct sl_tested *tested, struct sl_test_counts *counts);

/* ---- for people (tests.c) ---- */

/* Prints a line for each test, and the program's output if a test did not pass, or with show_output. */
void sl_tested_print(FILE *out, const struct sl_style *style, const struct sl_tested *tested, bool show_output);
/* "3 passed, 1 failed" */
void sl_test_counts_print(FILE *out, const struct sl_style *style, const struct sl_test_counts *counts);

/* What is said beside a test's name: "all 14 interleavings", or its message; may be empty. Returns text. */
const char *sl_test_detail(const struct sl_test *test, char *text, size_t room);
const char *sl_test_verdict_name(enum sl_test_verdict verdict);
/* Writes a line of a program's output, which does not end in a newline, without what controls the terminal. */
void sl_output_put(FILE *out, const char *line, size_t size);
/* For a test that passed: what may go wrong on real threads; NULL: nothing is known. */
const char *sl_test_note(const struct sl_test *test);

/* ---- for programs ---- */

/* TAP 13 (tap.c). `number`: of the last test so far. */
void sl_tap_begin(FILE *out);
void sl_tap_print(FILE *out, const struct sl_tested *tested, size_t *number, bool show_output);
/* The plan. why: the reason if not everything was run; else NULL. */
void sl_tap_end(FILE *out, size_t number, const char *why);

/* JUnit XML (junit.c), valid by both schemas in use. */
void sl_junit_print(FILE *out, const struct sl_tested *const *tested, size_t count, time_t started);

/* One object on one line, as of sl_json_print(). */
void sl_tests_json_print(FILE *out, const struct sl_tested *const *tested, size_t count, bool interrupted);

#endif
