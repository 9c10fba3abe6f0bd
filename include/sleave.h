/*
 * Sleave: test every interleaving of multithreaded code, from inside any test.
 *
 *	static void body(void *arg) { … threads, locks, assertions … }
 *	assert(sleave_explore(body, arg, NULL) == SLEAVE_CLEAN);
 *
 * Build with `sleave cc` (it finds this header and the library by itself), or with
 * `pkg-config --cflags --libs sleave` and -fsanitize=thread for the code under test.
 *
 * A test that needs a certain order of events writes the order down instead of sleeping and hoping:
 *
 *	sleave_event("finishedAdd1");                            in the test, or in the code under test
 *	SLEAVE_SCHEDULES("blocking take",     "finishedAdd1 -> startingTake1, [startingTake2] -> startingAdd2",
 *	                 "non-blocking take", "finishedAdd1 -> startingTake1, finishedAdd2 -> startingTake2") {
 *		… run once for each of the schedules, each time in that order …
 *	}
 *
 * For that the program is only linked with the library, and needs no instrumentation.
 *
 * Everything here also works in a program that Sleave does not control: then it runs as usual.
 */
#ifndef SLEAVE_H
#define SLEAVE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The answers of sleave_explore(), and the exit statuses of `sleave run`. */
enum sleave_verdict {
	SLEAVE_CLEAN = 0,     /* nothing found; result.complete says whether that was everything */
	SLEAVE_FINDING = 1,   /* result.message says what; the story is on standard error */
	SLEAVE_UNDECIDED = 3, /* Sleave could not do its job; result.message says why */
};

struct sleave_result {
	enum sleave_verdict verdict;
	int complete;          /* every interleaving has been run */
	int bound;             /* every interleaving with at most this many preemptions has been run; -1: none */
	uint64_t executions;   /* how often the search ran the body; if complete, how many interleavings (that differ) */
	unsigned findings;     /* distinct ones */
	unsigned preemptions;  /* of the first finding's schedule */
	char message[256];     /* the first finding, or the reason for SLEAVE_UNDECIDED */
	char replay_file[256]; /* for `sleave replay`; empty if none was written */
};

/* A data race is a finding, a warning, or nothing. */
enum sleave_races { SLEAVE_RACES_FIND, SLEAVE_RACES_WARN, SLEAVE_RACES_OFF };

/* Which executions are run twice and compared, operation by operation. */
enum sleave_compare { SLEAVE_COMPARE_SAMPLE, SLEAVE_COMPARE_ALL, SLEAVE_COMPARE_OFF };

/* Zero means: the default. */
struct sleave_options {
	const char *
		strategy; /* "dfs", "icb", "dpor", "stateful-dfs", "stateful-bfs", "random", …; default: a portfolio */
	uint64_t seed;
	uint64_t schedules;  /* stop after so many executions */
	double seconds;      /* stop after this time, and give up the execution under way; default 10, but that one may end */
	uint64_t operations; /* longest execution; default 20,000,000 operations */
	enum sleave_races races;
	enum sleave_races misuse; /* of mutexes and their like */
	enum sleave_compare compare;
	int spurious;                 /* let condition variables wake spuriously, weak compare-and-swaps fail */
	int keep_going;               /* collect all distinct findings instead of stopping at the first */
	int quiet;                    /* print nothing and write no replay file */
	struct sleave_result *result; /* filled if not NULL */
	unsigned bound; /* dpor, icb: 1 + the preemptions that an execution may have; 0: as many as it likes */
};

/*
 * Runs body(arg) again and again, each time with another interleaving of the threads it creates, and
 * leaves the process as it was. A finding is an assertion that fails, an abort, a crash, exit() with a
 * status that is not 0, a deadlock, a data race, a wrong access to the heap or the misuse of a mutex and its
 * like; it is reported with the command that replays it.
 * Called inside `sleave run`, it runs the body once: the run is what explores. So it does inside `sleave record`, which
 * records that one execution.
 */
enum sleave_verdict sleave_explore(void (*body)(void *), void *arg, const struct sleave_options *options);

/* A number from 0 to n-1, every one of which is tried; 0 when nothing explores. */
unsigned sleave_choose(unsigned n);

/* 1 while Sleave decides which thread runs. */
int sleave_active(void);

/*
 * ---- schedules: the order of events in a test, as docs/schedules.md has it ----
 *
 * Inside a section a thread that comes to an event too early waits there. An order that can't be had any more is
 * explained on standard error, and the process aborts; so it does when a schedule is wrong, or was not fulfilled at
 * the end. Outside of sections events cost next to nothing.
 */
void sleave_event(const char *name);

/* The same, of an object: `name{that}` of a schedule names the objects by what sleave_name() called them. */
void sleave_event_on(const char *name, const void *object);
void sleave_name(const void *object, const char *name);

/* As pthread_setname_np() for the calling thread, of any length. Else threads are `main`, `T1`, `T2`, … as created. */
void sleave_thread_name(const char *name);

/* … with the place of the call, for explanations. */
void sleave_event_at(const char *name, const void *object, const char *file, int line);
#define sleave_event(name) sleave_event_at(name, 0, __FILE__, __LINE__)
#define sleave_event_on(name, object) sleave_event_at(name, object, __FILE__, __LINE__)

/* The name of the schedule that this run of the section is for, "" if it has none; NULL outside of sections. */
const char *sleave_schedule_name(void);

/*
 * Runs the block once for each schedule: pairs of a name and a text. A text "@FILE" stands for all in the file.
 * `break`, `return`, exceptions and long jumps out of it are fine, and leave out the schedules after it; sections do not
 * nest. Each schedule of a section has a name of its own.
 */
#define SLEAVE_SCHEDULES(...) SLEAVE_SECTION_(0, __VA_ARGS__)
/* One schedule, without a name. */
#define SLEAVE_SCHEDULE(text) SLEAVE_SECTION_(0, "", text)
/* One that must not be possible, in a child process: the test of a bug that was mended. */
#define SLEAVE_INFEASIBLE(name, text) SLEAVE_SECTION_(SLEAVE_SECTION_INFEASIBLE, name, text)

/* What these macros are made of. */
#define SLEAVE_SECTION_INFEASIBLE 1

struct sleave_section {
	const char *file, *function;
	int line;
	int flags;
	int index;           /* of the schedule that is run, from 1 */
	const char *name;    /* … and its name */
	void *state, *stack; /* the library's */
};

int sleave_section_next(struct sleave_section *section, ...); /* names and texts, NULL: is there another? */
void sleave_section_end(struct sleave_section *section);

#define SLEAVE_SECTION_(flags, ...)                                                                               \
	for (struct sleave_section sleave_section_ __attribute__((                                                \
		     __cleanup__(sleave_section_end))) = {__FILE__, __func__, __LINE__, flags, 0, 0, 0, 0};       \
	     sleave_section_next(&sleave_section_, __VA_ARGS__, (const char *)0);)

#ifdef __cplusplus
}
#endif

#endif
