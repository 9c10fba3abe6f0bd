/*
 * Sleave: test every interleaving of multithreaded code, from inside any test.
 *
 *	static void body(void *arg) { … threads, locks, assertions … }
 *	assert(sleave_explore(body, arg, NULL) == SLEAVE_CLEAN);
 *
 * Build with `sleave cc` (it finds this header and the library by itself), or with
 * `pkg-config --cflags --libs sleave` and -fsanitize=thread for the code under test.
 *
 * A test that needs a certain order of events states the order, instead of calling sleep():
 *
 *	sleave_event("finishedAdd1");                            in the test, or in the code under test
 *	SLEAVE_SCHEDULES("blocking take",     "finishedAdd1 -> startingTake1, [startingTake2] -> startingAdd2",
 *	                 "non-blocking take", "finishedAdd1 -> startingTake1, finishedAdd2 -> startingTake2") {
 *		… run once for each of the schedules, each time in that order …
 *	}
 *
 * For schedules the program is only linked with the library, and needs no instrumentation.
 *
 * All of this also works in a program that Sleave does not control: then the program runs as usual.
 */
#ifndef SLEAVE_H
#define SLEAVE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The answers of sleave_explore(), and the exit statuses of `sleave run`. */
enum sleave_verdict {
	SLEAVE_CLEAN = 0,     /* nothing was found; result.complete says whether every interleaving was run */
	SLEAVE_FINDING = 1,   /* result.message says what was found; the story is on standard error */
	SLEAVE_UNDECIDED = 3, /* Sleave could not do its job; result.message says why */
};

struct sleave_result {
	enum sleave_verdict verdict;
	int complete; /* every interleaving has been run */
	int bound;    /* every interleaving with at most this many preemptions has been run; -1: none */
	/* how often the search ran the body; if complete, the number of (different) interleavings */
	uint64_t executions;
	unsigned findings;     /* the number of distinct findings */
	unsigned preemptions;  /* in the first finding's schedule */
	char message[256];     /* the first finding, or the reason for SLEAVE_UNDECIDED */
	char replay_file[256]; /* for `sleave replay`; empty if none was written */
};

/* Data races are reported as findings, as warnings, or not at all. */
enum sleave_races { SLEAVE_RACES_FIND, SLEAVE_RACES_WARN, SLEAVE_RACES_OFF };

/* Which executions are run twice and compared, operation by operation: a sample, all, or none. */
enum sleave_compare { SLEAVE_COMPARE_SAMPLE, SLEAVE_COMPARE_ALL, SLEAVE_COMPARE_OFF };

/* A member that is zero has its default. */
struct sleave_options {
	const char *
		strategy; /* "dfs", "icb", "dpor", "stateful-dfs", "stateful-bfs", "random", …; default: a portfolio */
	uint64_t seed;
	uint64_t schedules; /* stop after this number of executions */
	double seconds; /* stop after this time, and give up the running execution; default 10, then it may end */
	uint64_t operations; /* cut an execution after this number of operations; default 20,000,000 */
	enum sleave_races races;
	enum sleave_races misuse; /* of mutexes and other synchronisation objects */
	enum sleave_compare compare;
	int spurious;   /* explore spurious wake-ups, and spurious failures of weak compare-and-swaps */
	int keep_going; /* collect all distinct findings instead of stopping at the first */
	int quiet;      /* print nothing and write no replay file */
	struct sleave_result *result; /* filled if not NULL */
	unsigned bound; /* dpor, icb: 1 + the number of preemptions that an execution may have; 0: no bound */
};

/*
 * Runs body(arg) again and again, each time with another interleaving of the threads it creates, and
 * leaves the process as it was. A finding is a failed assertion, an abort, a crash, exit() with a
 * status that is not 0, a deadlock, a data race, a wrong access to the heap or the misuse of a
 * synchronisation object; it is reported with the command that replays it.
 * Under `sleave run` the body is run once in each execution, because the run explores. Under `sleave record` it is
 * run once, and recorded.
 */
enum sleave_verdict sleave_explore(void (*body)(void *), void *arg, const struct sleave_options *options);

/* Returns a number from 0 to n-1; the search tries each of them. Returns 0 if the program is not explored. */
unsigned sleave_choose(unsigned n);

/* Returns 1 while Sleave decides which thread runs. */
int sleave_active(void);

/*
 * ---- for `sleave predict`: what belongs together ----
 *
 * An atomic set is memory that is only right as a whole: from here on these bytes are one, until the block of the heap that they are in
 * is freed. Without that the members of one object of a struct type are one. A unit of work is what a thread does between begin
 * and end, which nest; without that each call of a function that is not static is one. Anywhere else these calls do nothing.
 */
void sleave_atomic_set(const void *memory, size_t size);
void sleave_unit_begin(void);
void sleave_unit_end(void);

/*
 * ---- schedules: the order of events in a test; docs/schedules.md describes the language ----
 *
 * Inside a section a thread that reaches an event too early waits there. If the order has become impossible, the
 * process explains that on standard error and aborts; it also does when a schedule has an error, or was not
 * fulfilled at the end. Outside of sections events cost next to nothing.
 */
void sleave_event(const char *name);

/* An event on an object: in a schedule it is `name{that}`, with the name that sleave_name() gave the object. */
void sleave_event_on(const char *name, const void *object);
void sleave_name(const void *object, const char *name);

/* Names the calling thread, like pthread_setname_np(), with any length. By default threads are `main`, `T1`, `T2`, … in
 * the order of their creation. */
void sleave_thread_name(const char *name);

/* The same, with the place of the call, for explanations. */
void sleave_event_at(const char *name, const void *object, const char *file, int line);
#define sleave_event(name) sleave_event_at(name, 0, __FILE__, __LINE__)
#define sleave_event_on(name, object) sleave_event_at(name, object, __FILE__, __LINE__)

/* Returns the name of the schedule that this run of the section follows, "" if it has no name; NULL outside of sections. */
const char *sleave_schedule_name(void);

/*
 * Runs the block once for each schedule, given as a name and a text. The text "@FILE" stands for all schedules in the
 * file. `break`, `return`, exceptions and long jumps may leave the block; the remaining schedules are then left out.
 * Sections do not nest. Each schedule of a section has a name of its own.
 */
#define SLEAVE_SCHEDULES(...) SLEAVE_SECTION_(0, __VA_ARGS__)
/* A section with one schedule that has no name. */
#define SLEAVE_SCHEDULE(text) SLEAVE_SECTION_(0, "", text)
/* A schedule that must be infeasible, tried in a child process: the regression test of a fixed bug. */
#define SLEAVE_INFEASIBLE(name, text) SLEAVE_SECTION_(SLEAVE_SECTION_INFEASIBLE, name, text)

/* The implementation of these macros. */
#define SLEAVE_SECTION_INFEASIBLE 1

struct sleave_section {
	const char *file, *function;
	int line;
	int flags;
	int index;           /* of the schedule that is run, from 1 */
	const char *name;    /* of that schedule */
	void *state, *stack; /* private to the library */
};

/* names and texts, then NULL; returns 0 after the last */
int sleave_section_next(struct sleave_section *section, ...);
void sleave_section_end(struct sleave_section *section);

#define SLEAVE_SECTION_(flags, ...)                                                                               \
	for (struct sleave_section sleave_section_ __attribute__((                                                \
		     __cleanup__(sleave_section_end))) = {__FILE__, __func__, __LINE__, flags, 0, 0, 0, 0};       \
	     sleave_section_next(&sleave_section_, __VA_ARGS__, (const char *)0);)

#ifdef __cplusplus
}
#endif

#endif
