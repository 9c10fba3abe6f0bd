/*
 * Loops that wait. Every one ends, however it waits: a thread that repeats itself yields until
 * another one has changed something. And a loop that only counts still shows all its outcomes.
 */
#include "outcome.h"
#include <stdatomic.h>

static atomic_int f ALONE, g ALONE;
static volatile int v ALONE;
static int data ALONE, r1 ALONE, r2 ALONE;
static pthread_mutex_t m ALONE = PTHREAD_MUTEX_INITIALIZER;
static sem_t s ALONE;

THREAD(sets) { data = 1; atomic_store(&f, 1); }
THREAD(sets_volatile) { data = 1; v = 1; }
THREAD(sets_locked) { pthread_mutex_lock(&m); data = 1; pthread_mutex_unlock(&m); }
THREAD(sets_late) { sleep(1); atomic_fetch_add(&g, 1); data = 1; usleep(10); atomic_store(&f, 1); }

THREAD(by_yield) { while (!atomic_load(&f)) sched_yield(); r1 = data; }
THREAD(by_load) { while (!atomic_load(&f)) continue; r1 = data; }
THREAD(by_load_acquire) { while (!atomic_load_explicit(&f, memory_order_acquire)) __builtin_ia32_pause(); r1 = data; }
THREAD(by_volatile) { while (!v) continue; r1 = data; }
THREAD(by_volatile_yield) { while (!v) sched_yield(); r1 = data; }
THREAD(by_usleep) { while (!atomic_load(&f)) usleep(100); r1 = data; }
THREAD(by_nanosleep)
{
	struct timespec t = {0, 1000};

	while (!atomic_load(&f))
		nanosleep(&t, NULL);
	r1 = data;
}
THREAD(by_lock_and_usleep)
{
	for (;;) {
		pthread_mutex_lock(&m);
		int seen = data;
		pthread_mutex_unlock(&m);
		if (seen)
			break;
		usleep(1000);
	}
	r1 = 1;
}
THREAD(by_lock_and_yield)
{
	int seen;

	do {
		pthread_mutex_lock(&m);
		seen = data;
		pthread_mutex_unlock(&m);
		sched_yield();
	} while (!seen);
	r1 = seen;
}
THREAD(by_lock_only)
{
	int seen;

	do {
		pthread_mutex_lock(&m);
		seen = data;
		pthread_mutex_unlock(&m);
	} while (!seen);
	r1 = seen;
}
/* keeps what it saw in memory, though it is always the same */
THREAD(by_lock_with_note)
{
	do {
		pthread_mutex_lock(&m);
		r1 = data;
		pthread_mutex_unlock(&m);
		usleep(1000);
	} while (!r1);
}
THREAD(by_load_with_note) { while (!(r1 = atomic_load(&f))) continue; }
THREAD(by_trylock)
{
	while (pthread_mutex_trylock(&m))
		;
	r1 = 1;
	pthread_mutex_unlock(&m);
}
THREAD(by_trylock_yield)
{
	while (pthread_mutex_trylock(&m))
		sched_yield();
	r1 = 1;
	pthread_mutex_unlock(&m);
}
THREAD(by_trywait) { while (sem_trywait(&s)) continue; r1 = data; }
THREAD(by_getvalue)
{
	int value;

	do
		sem_getvalue(&s, &value);
	while (!value);
	r1 = 1;
}
THREAD(posts) { data = 1; sem_post(&s); }
THREAD(by_exchange) { while (!atomic_exchange(&f, 0)) continue; r1 = data; }
THREAD(by_fetch_or) { while (!atomic_fetch_or(&f, 0)) continue; r1 = data; }
THREAD(by_cas)
{
	int one = 1;

	while (!atomic_compare_exchange_strong(&f, &one, 2))
		one = 1;
	r1 = data;
}
/* counts its attempts: never the same state twice */
THREAD(by_counting)
{
	unsigned long n = 0;

	while (!atomic_load(&f))
		n++;
	r1 = data;
	r2 = n < 1000000000;
}
THREAD(by_counting_volatile)
{
	volatile unsigned long n = 0;

	while (!v)
		n++;
	r1 = data;
}
static __attribute__((noinline)) int is_set(atomic_int *p) { return atomic_load(p); }
THREAD(by_call) { while (!is_set(&f)) continue; r1 = data; }
THREAD(by_two_flags) { while (!atomic_load(&g) || !atomic_load(&f)) continue; r1 = data; }
THREAD(sets_both) { atomic_store(&g, 1); data = 1; atomic_store(&f, 1); }

#define WAITS(name, setter, waiter) \
	static void name(void) { RUN(waiter, setter); OUTCOME("%d", r1); }
WAITS(yield, sets, by_yield)
WAITS(load, sets, by_load)
WAITS(load_acquire, sets, by_load_acquire)
WAITS(volatile_flag, sets_volatile, by_volatile)
WAITS(volatile_yield, sets_volatile, by_volatile_yield)
WAITS(usleep_polling, sets, by_usleep)
WAITS(nanosleep_polling, sets, by_nanosleep)
WAITS(late_setter, sets_late, by_yield)
WAITS(late_setter_load, sets_late, by_load)
WAITS(late_setter_usleep, sets_late, by_usleep)
WAITS(lock_and_usleep, sets_locked, by_lock_and_usleep)
WAITS(lock_and_yield, sets_locked, by_lock_and_yield)
WAITS(lock_only, sets_locked, by_lock_only)
WAITS(lock_with_note, sets_locked, by_lock_with_note)
WAITS(load_with_note, sets, by_load_with_note)
WAITS(exchange, sets, by_exchange)
WAITS(fetch_or, sets, by_fetch_or)
WAITS(compare_and_swap, sets, by_cas)
WAITS(counting, sets, by_counting)
WAITS(counting_volatile, sets_volatile, by_counting_volatile)
WAITS(function_call, sets, by_call)
WAITS(two_flags, sets_both, by_two_flags)

static void trylock(void) { RUN(sets_locked, by_trylock); OUTCOME("%d", r1); }
static void trylock_yield(void) { RUN(sets_locked, by_trylock_yield); OUTCOME("%d", r1); }
static void trywait(void) { sem_init(&s, 0, 0); RUN(by_trywait, posts); OUTCOME("%d", r1); }
static void getvalue(void) { sem_init(&s, 0, 0); RUN(by_getvalue, posts); OUTCOME("%d", r1); }

/* ---- locks made by hand ---- */

static int x ALONE;
THREAD(under_spin)
{
	while (atomic_exchange(&f, 1))
		;
	x++;
	atomic_store(&f, 0);
}
static void test_and_set_lock(void) { RUN(under_spin, under_spin); OUTCOME("%d", x); }

THREAD(under_ticket)
{
	int mine = atomic_fetch_add(&f, 1);

	while (atomic_load(&g) != mine)
		sched_yield();
	x = x * 10 + self;
	atomic_fetch_add(&g, 1);
}
static void ticket_lock(void) { RUN(under_ticket, under_ticket); OUTCOME("%d", x); }

/* Peterson's: under sequential consistency it excludes. */
static atomic_int flag[2] ALONE;
atomic_int turn ALONE; /* not static: clang 14 -O2 would make it a local variable of the one function that uses it */
THREAD(peterson)
{
	int me = self - 1;

	atomic_store(&flag[me], 1);
	atomic_store(&turn, 1 - me);
	while (atomic_load(&flag[1 - me]) && atomic_load(&turn) == 1 - me)
		;
	x = x * 10 + self;
	atomic_store(&flag[me], 0);
}
static void petersons_lock(void) { RUN(peterson, peterson); OUTCOME("%d", x); }

/* They wait for each other in turns. */
THREAD(even)
{
	for (int i = 0; i < 4; i += 2) {
		while (atomic_load(&f) != i)
			;
		x = x * 10 + i;
		atomic_store(&f, i + 1);
	}
}
THREAD(odd)
{
	for (int i = 1; i < 4; i += 2) {
		while (atomic_load(&f) != i)
			sched_yield();
		x = x * 10 + i;
		atomic_store(&f, i + 1);
	}
}
static void in_turns(void) { RUN(even, odd); OUTCOME("%d", x); }

/* The first thread waits for two that come in any order. */
THREAD(arrives) { atomic_fetch_add(&f, self); }
static void count_up(void)
{
	pthread_t t;

	pthread_create(&t, NULL, arrives, (void *)1);
	pthread_detach(t);
	pthread_create(&t, NULL, arrives, (void *)2);
	pthread_detach(t);
	while (atomic_load(&f) != 3)
		usleep(1);
	OUTCOME("%d", atomic_load(&f));
}

/* ---- loops that only count: nothing is left out ---- */

/* Ten looks, yielding in between: 1 may come at any of them, or at none. */
THREAD(ten_looks)
{
	r1 = -1;
	for (int i = 0; i < 10; i++) {
		if (atomic_load(&f)) {
			r1 = i;
			break;
		}
		sched_yield();
	}
}
static void ten_looks_then(void) { RUN(ten_looks, sets); OUTCOME("%d", r1); }

/* The counter is in a register of the loop; the function that looks has
 * saved it, far up the stack. And deeper than the copied part of the stack. */
static __attribute__((noinline)) int far_look(void)
{
	volatile char room[800];

	room[0] = room[799] = 1;
	return atomic_load(&f) & room[0];
}
static __attribute__((noinline)) int very_far_look(void)
{
	volatile char room[8000];

	room[0] = room[7999] = 1;
	return atomic_load(&f) & room[0];
}
#define FOUR_LOOKS(name, look) \
	THREAD(name) \
	{ \
		r1 = -1; \
		for (int i = 0; i < 4 && r1 < 0; i++) \
			if (look()) \
				r1 = i; \
	}
FOUR_LOOKS(four_far_looks, far_look)
FOUR_LOOKS(four_very_far_looks, very_far_look)
static void four_far_looks_then(void) { RUN(four_far_looks, sets); OUTCOME("%d", r1); }
static void four_very_far_looks_then(void) { RUN(four_very_far_looks, sets); OUTCOME("%d", r1); }

/* Ten yields, then one look: before or after. Each yield is a choice, the last one
 * together with the look: the store comes before one of the ten, or after them all: 11. */
THREAD(ten_yields)
{
	for (int i = 0; i < 10; i++)
		sched_yield();
	r1 = atomic_load(&f);
}
static void ten_yields_then(void) { RUN(ten_yields, sets); OUTCOME("%d", r1); }

/* The same with sleeps, and without anything. */
THREAD(ten_sleeps)
{
	for (int i = 0; i < 10; i++)
		usleep(1);
	r1 = atomic_load(&f);
}
static void ten_sleeps_then(void) { RUN(ten_sleeps, sets); OUTCOME("%d", r1); }

THREAD(five_loads)
{
	r1 = 0;
	for (int i = 0; i < 5; i++)
		r1 += atomic_load(&f);
}
static void five_loads_then(void) { RUN(five_loads, sets); OUTCOME("%d", r1); }

/* A retry loop that gives up: every possible outcome is seen. */
THREAD(three_tries)
{
	r1 = 0;
	for (int i = 0; i < 3; i++) {
		if (pthread_mutex_trylock(&m) == 0) {
			r1 = i + 1;
			pthread_mutex_unlock(&m);
			break;
		}
		sched_yield();
	}
}
static void three_tries_then(void) { RUN(sets_locked, three_tries); OUTCOME("%d", r1); }

/* ---- loops whose condition never comes are findings, not hangs ---- */

THREAD(for_ever_yield) { while (!atomic_load(&f)) sched_yield(); }
THREAD(for_ever_load) { while (!atomic_load(&f)) continue; }
THREAD(for_ever_volatile) { while (!v) continue; }
static void waits_for_nobody(void) { RUN(for_ever_yield); OUTCOME("not reached"); }
static void loads_for_nobody(void) { RUN(for_ever_load); OUTCOME("not reached"); }
static void volatile_for_nobody(void) { RUN(for_ever_volatile); OUTCOME("not reached"); }

/* Each waits for the other to go first: if both have said "after you", for ever. */
static void *polite(void *p)
{
	int me = (int)(uintptr_t)p - 1;

	atomic_store(&flag[me], 1);
	while (atomic_load(&flag[1 - me]))
		sched_yield();
	atomic_store(&flag[me], 0);
	return NULL;
}
static void after_you(void) { RUN(polite, polite); OUTCOME("done"); }

int main(void)
{
	EXPECT(yield, "1");
	EXPECT(load, "1");
	EXPECT(load_acquire, "1");
	RACY(volatile_flag, "1");
	RACY(volatile_yield, "1");
	EXPECT(usleep_polling, "1");
	EXPECT(nanosleep_polling, "1");
	EXPECT(late_setter, "1");
	EXPECT(late_setter_load, "1");
	EXPECT(late_setter_usleep, "1");
	EXPECT(lock_and_usleep, "1");
	EXPECT(lock_and_yield, "1");
	EXPECT(lock_only, "1");
	EXPECT(load_with_note, "1");
	EXPECT(lock_with_note, "1");
	EXPECT(trylock, "1");
	EXPECT(trylock_yield, "1");
	EXPECT(trywait, "1");
	EXPECT(getvalue, "1");
	EXPECT(exchange, "1");
	EXPECT(fetch_or, "1");
	EXPECT(compare_and_swap, "1");
	EXPECT_SOME(counting, 50, "1");
	EXPECT_SOME(counting_volatile, 50, "1");
	EXPECT(function_call, "1");
	EXPECT(two_flags, "1");
	EXPECT(test_and_set_lock, "2");
	EXPECT(ticket_lock, "12", "21");
	EXPECT(petersons_lock, "12", "21");
	EXPECT(in_turns, "123");
	EXPECT(count_up, "3");
	EXPECT(ten_looks_then, "-1", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9");
	EXPECT(four_far_looks_then, "-1", "0", "1", "2", "3");
	EXPECT(four_very_far_looks_then, "-1", "0", "1", "2", "3");
	EXPECT(ten_yields_then, "0", "1");
	EXPECT(ten_sleeps_then, "0", "1");
	EXPECT_N(five_loads_then, 6, "0", "1", "2", "3", "4", "5");
	EXPECT(three_tries_then, "0", "1", "2", "3");
	EXPECT_FINDING(waits_for_nobody, "deadlock", NULL);
	EXPECT_FINDING(loads_for_nobody, "deadlock", NULL);
	EXPECT_FINDING(volatile_for_nobody, "deadlock", NULL);
	EXPECT_FINDING(after_you, "deadlock", "done");
	return done();
}
