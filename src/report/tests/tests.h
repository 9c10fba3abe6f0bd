/*
 * What `sleave test` has found out: tests, by program, and how they are told: as text, TAP, JUnit XML, JSON.
 * The command fills in how a program ended; tally.c makes tests of what the program's sections reported. The writers only
 * print. A test is one schedule of one section of a program, or the program as a whole.
 */
#ifndef SL_REPORT_TESTS_TESTS_H
#define SL_REPORT_TESTS_TESTS_H

#include "base/err.h"
#include "report/report.h"

#include <time.h>

enum sl_test_verdict { SL_TEST_PASSED, SL_TEST_FAILED, SL_TEST_UNDECIDED, SL_TEST_SKIPPED, SL_TEST_VERDICTS };

struct sl_test {
	char *name;                       /* "program function schedule"; what --filter is held against */
	char *file, *function, *schedule; /* NULL: the program as a whole */
	unsigned line;
	enum sl_test_verdict verdict;
	const char *how; /* "explored", "ran", "checked" */
	bool complete;   /* explored: all interleavings */
	uint64_t executions;
	char *message, *replay; /* NULL: none */
	uint64_t nanoseconds;
	unsigned runs,
		skips; /* how often it was run, or explored, and how often its framework, or the block, did not want that */
	unsigned awaited; /* runs that are still to be explored, by the whole program */
	unsigned open;    /* runs of the section that have begun and not reported */
	bool reported;
	bool left;   /* by a jump or an exception: passed, if the program says so */
	bool partly; /* explored: some interleavings can't follow it */
};

/* A run of a section that could not be explored where it stands: threads from before were running (engine/section/prelude.h). */
struct sl_visit {
	struct sl_test *test;
	uint32_t section,
		schedule; /* the how-manieth that the program came to; of how many schedules after the first */
	long process;
};

/* A program that was run. */
struct sl_tested {
	const char *program; /* short, and different from all others */
	const char *path;
	const char *mode; /* "explore", "free", "check" */
	struct sl_test **tests;
	size_t count;
	long process; /* that it was first */
	struct sl_visit *visits;
	size_t visit_count;
	void *tree; /* of tests, by section and schedule */
	char *output;
	size_t output_size;
	uint64_t output_lost; /* bytes that came before it */
	uint64_t nanoseconds;
	bool unreadable; /* something that it reported could not be understood */
};

/*
 * Takes the lines at text that are whole (of sl_section_tell() in the engine) and returns how many bytes they were. The
 * mode is that of the program.
 */
size_t sl_tested_take(struct sl_tested *tested, const char *text, size_t size);

/*
 * The program is over. `message` says in which way it ended badly, NULL: well. Then the sections that did not come to
 * their end fail as the program does, and if there is no test at all, or if it ended badly, the program is one. `undecided`:
 * a bad end is not the program's fault.
 */
void sl_tested_end(struct sl_tested *tested, const char *message, bool undecided);

/* Has all the world, or its own framework, agreed that nothing is wrong? */
static inline bool
sl_test_is_fine(const struct sl_test *test)
{
	return test->verdict == SL_TEST_PASSED || test->verdict == SL_TEST_SKIPPED;
}

/* Not run, or left by what its framework has for that. */
static inline bool
sl_test_is_skipped(const struct sl_test *test)
{
	return test->skips && !test->runs && !test->open;
}

/*
 * Only what a glob selects: "program function schedule" matches, or any of its parts that stand together. A bad end stays. Returns how many are selected.
 */
size_t sl_tested_filter(struct sl_tested *tested, const char *glob);

/* Could anything of a program of this name be selected? */
bool sl_filter_may_match(const char *glob, const char *program);

void sl_tested_release(struct sl_tested *tested);

struct sl_test_counts {
	size_t of[SL_TEST_VERDICTS];
};

void sl_tested_count(const struct sl_tested *tested, struct sl_test_counts *counts);

/* ---- for people (tests.c) ---- */

/* A line for each, and the output of the program if one did not pass, or show_output. */
void sl_tested_print(FILE *out, const struct sl_style *style, const struct sl_tested *tested, bool show_output);
/* "3 passed, 1 failed" */
void sl_test_counts_print(FILE *out, const struct sl_style *style, const struct sl_test_counts *counts);

/* What is to be said of a test beside its name: "all 14 interleavings", or its message. May be empty. Returns text. */
const char *sl_test_detail(const struct sl_test *test, char *text, size_t room);
const char *sl_test_verdict_name(enum sl_test_verdict verdict);
/* A line of a program's output, without its end: as it is, but for what controls the terminal. */
void sl_output_put(FILE *out, const char *line, size_t size);
/* Of one that passed: what may go wrong with it on real threads; NULL: nothing that is known. */
const char *sl_test_note(const struct sl_test *test);

/* ---- for programs ---- */

/* TAP 13 (tap.c). `number` is of the last test so far. */
void sl_tap_begin(FILE *out);
void sl_tap_print(FILE *out, const struct sl_tested *tested, size_t *number, bool show_output);
/* The plan. why: not everything was run; NULL: it was. */
void sl_tap_end(FILE *out, size_t number, const char *why);

/* JUnit XML (junit.c), as both schemas in use want it. */
void sl_junit_print(FILE *out, const struct sl_tested *const *tested, size_t count, time_t started);

/* One object on one line, as of sl_json_print(). */
void sl_tests_json_print(FILE *out, const struct sl_tested *const *tested, size_t count, bool interrupted);

#endif
