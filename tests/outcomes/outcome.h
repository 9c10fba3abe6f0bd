/*
 * Outcome sets: a body notes what it saw with OUTCOME(), and EXPECT() compares the set of all that the
 * interleavings show with a list made by hand. Missing ones and invented ones are both failures.
 *
 *	static void body(void) { … threads … OUTCOME("r1=%d", r1); }
 *	int main(void) { EXPECT_N(body, 6, "r1=0", "r1=1"); return done(); }
 *
 * Every exploration is made twice: the second must show exactly the same, and leave the process as it was.
 * A body that races on purpose is expected with RACY; all others are also checked to be free of races.
 * In the environment, STRATEGY names another one than dfs, which must show the same, or with INCOMPLETE say that it
 * can't; VERBOSE prints what was seen and STORY the stories of findings.
 *
 * It is C, and C++20. The notes lie in shared memory, which restoring leaves alone. They are written by code that the compiler
 * does not instrument and that calls nothing: an execution must not depend on what an earlier one left there.
 */
#ifndef OUTCOME_H
#define OUTCOME_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <sleave.h>

#define OUTCOMES_MAX 256
#define OUTCOME_LENGTH 96
#define BARRIER() __asm__ volatile("" ::: "memory") /* the compiler keeps accesses on both sides */

/* Alone in its eight bytes: marks of shared memory are that coarse, so its neighbours would count as shared too. */
#define ALONE __attribute__((aligned(64)))

struct outcomes {
	unsigned count, overflow;
	uint64_t runs;               /* runs of the body, those before the search (warm-up) included */
	uint64_t last[OUTCOMES_MAX]; /* the last run that showed it */
	char text[OUTCOMES_MAX][OUTCOME_LENGTH];
};

static struct outcomes *noted;
static unsigned passed, failed;

__attribute__((no_sanitize("thread"), section(".text.unseen"), noinline, unused)) static void
outcome_note(const volatile char *text)
{
	volatile struct outcomes *o = noted;
	unsigned i, n;

	for (i = 0; i < o->count; i++) {
		for (n = 0; text[n] && o->text[i][n] == text[n]; n++)
			;
		if (o->text[i][n] == text[n]) {
			o->last[i] = o->runs;
			return;
		}
	}
	if (i == OUTCOMES_MAX) {
		o->overflow = 1;
		return;
	}
	for (n = 0; text[n]; n++)
		o->text[i][n] = text[n];
	o->text[i][n] = '\0';
	o->last[i] = o->runs;
	o->count = i + 1;
}

__attribute__((no_sanitize("thread"), section(".text.unseen"), noinline)) static void
outcome_run(void)
{
	volatile struct outcomes *o = noted;

	o->runs = o->runs + 1;
}

__attribute__((format(printf, 1, 2), unused)) static void
OUTCOME(const char *format, ...)
{
	char text[OUTCOME_LENGTH];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	outcome_note(text);
}

__attribute__((format(printf, 3, 4), unused)) static int
check(int good, const char *name, const char *format, ...)
{
	va_list list;

	if (good) {
		passed++;
		return 1;
	}
	failed++;
	printf("FAILED %s: ", name);
	va_start(list, format);
	vprintf(format, list);
	va_end(list);
	printf("\n");
	fflush(stdout);
	return 0;
}

__attribute__((unused)) static int
done(void)
{
	printf("%u passed, %u failed\n", passed, failed);
	return failed != 0 || passed == 0;
}

/* ---- what a body must not be able to change for good ---- */

static int witness_global = 41;
static __thread int witness_local = 42;
static char *witness_heap;

struct outcome_call {
	void (*body)(void);
	int *on_stack;
};

static void
outcome_body(void *argument)
{
	struct outcome_call *call = (struct outcome_call *)argument;

	outcome_run();
	witness_global++;
	witness_local++;
	witness_heap[0]++;
	(*call->on_stack)++;
	errno = 7;
	call->body();
}

/* ---- expectations ---- */

struct expectation {
	const char *name;
	void (*body)(void);
	uint64_t executions;  /* 0: not counted by hand */
	const char *finding;  /* part of the message, or NULL: clean */
	struct sleave_options options;
	const char *const *outcomes;
	unsigned count;
};

__attribute__((unused)) static int
has(const struct outcomes *o, const char *text)
{
	for (unsigned i = 0; i < o->count; i++)
		if (!strcmp(o->text[i], text))
			return 1;
	return 0;
}

/* One exploration; what it noted is in *noted. */
static struct sleave_result
outcome_explore(const struct expectation *e)
{
	struct sleave_result result;
	struct sleave_options options = e->options;
	int on_stack = 43;
	struct outcome_call call = {e->body, &on_stack};
	enum sleave_verdict verdict;

	if (!noted)
		noted = (struct outcomes *)mmap(NULL, sizeof(*noted), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!witness_heap)
		witness_heap = (char *)calloc(1, 100);
	memset(noted, 0, sizeof(*noted));
	if (!options.strategy)
		options.strategy = getenv("STRATEGY") ? getenv("STRATEGY") : "dfs";
	/* none takes more than a few, but the machine may be busy; what need not come to an end is not waited for */
	options.seconds = getenv("INCOMPLETE") ? 2 : 100;
	options.quiet = !getenv("STORY");
	options.result = &result;
	options.compare = SLEAVE_COMPARE_OFF; /* the number of executions tells which belong to the search */
	fflush(stdout);

	errno = 5;
	verdict = sleave_explore(outcome_body, &call, &options);
	/* An outcome that only executions before the search showed was not found by the search. */
	if (verdict == SLEAVE_CLEAN && !getenv("STRATEGY")) /* dpor abandons some: they ran, but are not counted */
		for (unsigned i = 0; i < noted->count; i++)
			if (noted->last[i] + result.executions <= noted->runs)
				memmove(noted->text[i] + 15, noted->text[i], OUTCOME_LENGTH - 15),
					memcpy(noted->text[i], "(not searched) ", 15);
	check(verdict == result.verdict, e->name, "returned %d, result says %d", verdict, result.verdict);
	check(witness_global == 41, e->name, "a global is %d afterwards, was 41", witness_global);
	check(witness_local == 42, e->name, "a thread-local is %d afterwards, was 42", witness_local);
	check(witness_heap[0] == 0, e->name, "a heap block is %d afterwards, was 0", witness_heap[0]);
	check(on_stack == 43, e->name, "a local of the caller is %d afterwards, was 43", on_stack);
	check(!sleave_active(), e->name, "still under control afterwards");
	return result;
}

__attribute__((unused)) static int
expect(const struct expectation *e)
{
	static struct outcomes first;
	unsigned failed_before = failed;
	struct sleave_result r = outcome_explore(e), again;

	first = *noted;
	if (e->finding) {
		check(r.verdict == SLEAVE_FINDING, e->name, "verdict %d, expected a finding; %s", r.verdict, r.message);
		check(r.findings > 0, e->name, "no finding counted");
		check(strstr(r.message, e->finding) != NULL, e->name, "message \"%s\" lacks \"%s\"", r.message, e->finding);
	} else {
		check(r.verdict == SLEAVE_CLEAN, e->name, "verdict %d, expected clean; %s", r.verdict, r.message);
		check(r.findings == 0, e->name, "%u findings", r.findings);
	}
	if (e->options.schedules)
		check(r.complete || r.executions == e->options.schedules, e->name, "%llu executions", (unsigned long long)r.executions);
	else if (!r.complete && getenv("INCOMPLETE")) /* it reports that, which is enough */
		return 1;
	else if (!e->finding || e->options.keep_going)
		if (!check(r.complete, e->name, "not complete after %llu executions", (unsigned long long)r.executions))
			return 0;
	check(!first.overflow, e->name, "more than %d outcomes", OUTCOMES_MAX);
	/* how much a search has shown that stops at its first finding is not known */
	for (unsigned i = 0; i < e->count; i++)
		check(has(&first, e->outcomes[i]), e->name, "missing: %s", e->outcomes[i]);
	for (unsigned i = 0; i < first.count && (!e->finding || e->options.keep_going); i++) {
		unsigned j = 0;

		while (j < e->count && strcmp(e->outcomes[j], first.text[i]))
			j++;
		check(j < e->count, e->name, "invented: %s", first.text[i]);
	}
	if (e->executions && !getenv("STRATEGY")) /* as many as dfs has */
		check(r.executions == e->executions, e->name, "%llu executions, expected %llu",
		      (unsigned long long)r.executions, (unsigned long long)e->executions);
	again = outcome_explore(e);
	check(again.verdict == r.verdict && again.complete == r.complete && again.executions == r.executions &&
		      again.findings == r.findings && again.preemptions == r.preemptions &&
		      !strcmp(again.message, r.message),
	      e->name, "the second exploration differs: verdict %d/%d, complete %d/%d, executions %llu/%llu, %s/%s",
	      r.verdict, again.verdict, r.complete, again.complete, (unsigned long long)r.executions,
	      (unsigned long long)again.executions, r.message, again.message);
	check(first.count == noted->count && !memcmp(first.text, noted->text, sizeof(first.text)), e->name,
	      "the second exploration shows other outcomes, or in another order (%u, %u)", first.count, noted->count);
	if (getenv("VERBOSE")) {
		printf("%-28s %8llu executions:", e->name, (unsigned long long)r.executions);
		for (unsigned i = 0; i < first.count; i++)
			printf(" [%s]", first.text[i]);
		printf(" %s\n", r.message);
	}
	return failed == failed_before;
}

/*
 * On real threads, in processes of their own: each outcome there must be
 * among the outcomes. (A body that hangs there, or dies, shows nothing.)
 */
__attribute__((unused)) static void
outcome_native(const struct expectation *e)
{
	if (getenv("STRATEGY"))
		return; /* that was done with dfs */
	if (!noted)
		noted = (struct outcomes *)mmap(NULL, sizeof(*noted), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memset(noted, 0, sizeof(*noted));
	fflush(stdout);
	for (int i = 0; i < 4; i++) {
		pid_t child = fork();
		int status;

		if (!child) {
			e->body();
			_exit(0);
		}
		for (int ms = 0; waitpid(child, &status, WNOHANG) == 0; ms++) {
			if (ms == 10000)
				kill(child, SIGKILL);
			usleep(1000);
		}
	}
	for (unsigned i = 0; i < noted->count; i++) {
		unsigned j = 0;

		while (j < e->count && strcmp(e->outcomes[j], noted->text[i]))
			j++;
		check(j < e->count, e->name, "on real threads: %s", noted->text[i]);
	}
	check(1, e->name, "on real threads");
}

#define EXPECT_WITH(body_, number, finding_, options_, ...)                                                  \
	do {                                                                                                 \
		static const char *const list_[] = {__VA_ARGS__};                                            \
		struct expectation e_ = {.name = #body_,                                                     \
					 .body = body_,                                                      \
					 .executions = number,                                               \
					 .finding = finding_,                                                \
					 .options = options_,                                                \
					 .outcomes = list_,                                                  \
					 /* NULL: none */                                                    \
					 .count = (unsigned)(list_[0] ? sizeof(list_) / sizeof(list_[0]) : 0)}; \
		expect(&e_);                                                                                 \
	} while (0)

/* … and on real threads: races are not checked */
#define EXPECT_NATIVE(body_, ...)                                                                            \
	do {                                                                                                 \
		static const char *const native_[] = {__VA_ARGS__};                                          \
		struct expectation n_ = {.name = #body_, .body = body_, .outcomes = native_,                 \
					 .count = sizeof(native_) / sizeof(native_[0])};                     \
		outcome_native(&n_);                                                                         \
		RACY(body_, __VA_ARGS__);                                                                    \
	} while (0)

#define OPTIONS(...) ((struct sleave_options){__VA_ARGS__})
/* without races: a race would be a finding */
#define EXPECT(body, ...) EXPECT_WITH(body, 0, NULL, OPTIONS(.races = SLEAVE_RACES_FIND), __VA_ARGS__)
#define EXPECT_N(body, n, ...) EXPECT_WITH(body, n, NULL, OPTIONS(.races = SLEAVE_RACES_FIND), __VA_ARGS__)
#define EXPECT_SPURIOUS(body, n, ...) EXPECT_WITH(body, n, NULL, OPTIONS(.spurious = 1), __VA_ARGS__)
/* too many interleavings to run all, but each of them ends */
#define EXPECT_SOME(body, n, ...) EXPECT_WITH(body, 0, NULL, OPTIONS(.schedules = n, .races = SLEAVE_RACES_OFF), __VA_ARGS__)
/* with intended races */
#define RACY(body, ...) EXPECT_WITH(body, 0, NULL, OPTIONS(.races = SLEAVE_RACES_OFF), __VA_ARGS__)
#define RACY_N(body, n, ...) EXPECT_WITH(body, n, NULL, OPTIONS(.races = SLEAVE_RACES_OFF), __VA_ARGS__)
/* a finding whose message has this part; the outcomes are those of the executions that end well */
#define EXPECT_FINDING(body, part, ...)                                                                      \
	EXPECT_WITH(body, 0, part, OPTIONS(.races = SLEAVE_RACES_OFF, .keep_going = 1), __VA_ARGS__)

/* ---- threads ---- */

/* Each with its number from 1 as argument; joined. */
__attribute__((unused)) static void
run_threads(unsigned count, void *(*const functions[])(void *))
{
	pthread_t threads[8];

	for (unsigned i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, functions[i], (void *)(uintptr_t)(i + 1)))
			abort();
	for (unsigned i = 0; i < count; i++)
		if (pthread_join(threads[i], NULL))
			abort();
}

#define RUN(...)                                                                                             \
	do {                                                                                                 \
		void *(*const functions_[])(void *) = {__VA_ARGS__};                                         \
		run_threads(sizeof(functions_) / sizeof(functions_[0]), functions_);                         \
	} while (0)

/* A thread's function with a number. */
#define THREAD(name)                                                                                         \
	static void name##_do(int self);                                                                     \
	static void *name(void *argument)                                                                    \
	{                                                                                                    \
		name##_do((int)(uintptr_t)argument);                                                         \
		return NULL;                                                                                 \
	}                                                                                                    \
	static void name##_do(__attribute__((unused)) int self)

#endif
