/*
 * Bodies that fail: each is a finding with the right words, and afterwards the
 * process continues as if nothing had happened. The repaired twin of each is clean.
 */
#include "outcome.h"
#include <assert.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_int x ALONE;
static volatile int plain ALONE, zero;
static int *volatile nowhere;
static int repaired; /* set by main */

THREAD(sets) { atomic_store(&x, 1); }
THREAD(exits_3) { if (!repaired || atomic_load(&x) > 1) exit(3); }
THREAD(exits_quick) { if (!repaired) _exit(4); }
THREAD(exits_0) { atomic_store(&x, 5); exit(0); }
THREAD(asserts) { assert(repaired || atomic_load(&x) == 0); }
THREAD(aborts) { if (!repaired && atomic_load(&x)) abort(); }
THREAD(null_write) { if (!repaired && atomic_load(&x)) *nowhere = 1; }
THREAD(divides) { plain = 10 / (zero + repaired); }
THREAD(raises) { if (!repaired) raise(SIGILL); }
static __attribute__((noinline)) int deep(volatile int *p) { volatile char room[1000]; room[0] = (char)*p; return *p ? room[0] + deep(p) : 0; }
THREAD(overflows) { volatile int go = !repaired; plain = deep(&go); }
THREAD(races_1) { if (repaired) atomic_fetch_add(&x, 1); else plain = 1; }

static void exit_status(void) { RUN(exits_3, sets); OUTCOME("end"); }
static void quick_exit_status(void) { RUN(exits_quick, sets); OUTCOME("end"); }
static void assertion(void) { RUN(asserts, sets); OUTCOME("end"); }
static void abortion(void) { RUN(aborts, sets); OUTCOME("end"); }
static void null_pointer(void) { RUN(null_write, sets); OUTCOME("end"); }
static void division(void) { RUN(divides, sets); OUTCOME("end"); }
static void raised(void) { RUN(raises, sets); OUTCOME("end"); }
static void stack_overflow(void) { RUN(overflows, sets); OUTCOME("end"); }
static void race(void) { RUN(races_1, races_1); OUTCOME("end"); }

/* exit(0) ends everything, also what other threads still had to do; it is no finding. */
static void exit_0(void)
{
	pthread_t t;

	pthread_create(&t, NULL, exits_0, NULL);
	OUTCOME("%d", atomic_load(&x));
	pthread_join(t, NULL);
	OUTCOME("not reached");
}

/* In the body itself, before any thread. */
static void in_the_body(void)
{
	RUN(sets);
	assert(repaired);
	OUTCOME("end");
}

/* As in a test framework whose assertion fails. */
static jmp_buf framework;
static void jumps_out(void)
{
	RUN(sets);
	if (!repaired)
		longjmp(framework, 1);
	OUTCOME("end");
}

#define FAILS(body, part, ...)                                                                               \
	do {                                                                                                 \
		repaired = 0;                                                                                \
		EXPECT_WITH(body, 0, part, OPTIONS(.races = SLEAVE_RACES_FIND), NULL);                       \
		EXPECT_WITH(body, 0, part, OPTIONS(.keep_going = 1), __VA_ARGS__);                           \
		repaired = 1;                                                                                \
		EXPECT(body, "end");                                                                         \
	} while (0)

static void still_here(const char *name)
{
	int *p = malloc(1000);
	FILE *f = tmpfile();

	check(p != NULL, name, "malloc fails afterwards");
	check(f && fprintf(f, "text") == 4 && fflush(f) == 0, name, "stdio fails afterwards");
	if (f)
		fclose(f);
	free(p);
}

int main(void)
{
	struct sigaction before, after;

	sigaction(SIGSEGV, NULL, &before);
	FAILS(exit_status, "status 3", NULL);
	still_here("exit_status");
	FAILS(quick_exit_status, "status 4", NULL);
	FAILS(assertion, "atomic_load(&x) == 0", "end");
	still_here("assertion");
	FAILS(abortion, "abort", "end");
	if (setjmp(framework) == 0)
		FAILS(jumps_out, "long jump out of the body", NULL);
	else
		check(0, "jumps_out", "it got out");
	FAILS(null_pointer, "null pointer", "end");
	still_here("null_pointer");
	FAILS(division, "SIGFPE", NULL);
	FAILS(raised, "SIGILL", NULL);
	FAILS(stack_overflow, "stack overflow", NULL);
	FAILS(in_the_body, "repaired", NULL);
	repaired = 0;
	EXPECT_WITH(race, 0, "data race", OPTIONS(.keep_going = 1), "end");
	RACY_N(race, 2, "end");
	repaired = 1;
	EXPECT_N(race, 2, "end");
	EXPECT(exit_0, "0", "5");
	sigaction(SIGSEGV, NULL, &after);
	check(before.sa_handler == after.sa_handler, "main", "the handler of SIGSEGV is not as it was");
	still_here("main");
	return done();
}
