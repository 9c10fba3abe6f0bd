/*
 * Condition variables: a signal wakes any one of the waiters, a broadcast all; a waiter wakes
 * by itself only if spurious wake-ups are asked for; a signal without a waiter is lost.
 */
#include "outcome.h"

static pthread_mutex_t m ALONE = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c ALONE = PTHREAD_COND_INITIALIZER;
static pthread_cond_t d ALONE = PTHREAD_COND_INITIALIZER;
static int ready ALONE, waiting ALONE, woken ALONE, r1 ALONE, r2 ALONE;
static char order[16] ALONE;

static void letter(int l) { order[woken++] = (char)l; }

static struct timespec in(clockid_t clock, int seconds)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_sec += seconds;
	return t;
}

/* ---- the right way: never lost, whatever comes first ---- */

THREAD(wait_ready)
{
	pthread_mutex_lock(&m);
	while (!ready)
		pthread_cond_wait(&c, &m);
	letter('0' + self);
	pthread_mutex_unlock(&m);
}
THREAD(make_ready)
{
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
}
THREAD(make_ready_for_all)
{
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_mutex_unlock(&m);
	pthread_cond_broadcast(&c); /* after the unlock: allowed */
}
/* L wait … | L signal U: the waiter first or the signaller first: 2 */
static void wait_and_signal(void) { RUN(wait_ready, make_ready); OUTCOME("%s", order); }
/* The signaller S locks (S) and broadcasts (B); a waiter's second lock is its relock (r). S first: {B,1,2} in any
 * order, 6. 1 first: S B {r1,2} 2, S 2 B r1 1, 2 S B {r1,r2} 2; the same for 2 first. 6 + 5 + 5 = 16. */
static void broadcast_wakes_all(void) { RUN(wait_ready, wait_ready, make_ready_for_all); OUTCOME("%s", order); }

/* One signal for two waiters: the other one waits for ever, unless it came later. S first: 2. 1 first: S {r1,2} 2, 2 S 2; the same for 2. 10 in all. */
static void one_signal_for_two(void) { RUN(wait_ready, wait_ready, make_ready); OUTCOME("%s", order); }

/* ---- a signal wakes any of several ---- */

static void *counted_wait(void *a)
{
	pthread_mutex_lock(&m);
	waiting++;
	pthread_cond_signal(&d);
	pthread_cond_wait(&c, &m);
	letter('0' + (int)(uintptr_t)a);
	pthread_mutex_unlock(&m);
	return NULL;
}
/* All three are asleep in the order of their numbers; then three signals,
 * each after the effect of the last one: any order is possible, 3! = 6. */
static void any_of_three(void)
{
	pthread_t t[3];

	pthread_mutex_lock(&m);
	for (uintptr_t i = 0; i < 3; i++) {
		pthread_create(&t[i], NULL, counted_wait, (void *)(i + 1));
		while (waiting < (int)i + 1)
			pthread_cond_wait(&d, &m);
	}
	for (int i = 0; i < 3; i++) {
		pthread_cond_signal(&c);
		while (woken < i + 1) {
			pthread_mutex_unlock(&m);
			sched_yield();
			pthread_mutex_lock(&m);
		}
	}
	pthread_mutex_unlock(&m);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	OUTCOME("%s", order);
}

/* Two asleep, one signal, then a broadcast for the rest. Both orders, no
 * waiter twice: 2 (which one to signal) times 2 (which one locks first). */
static void signal_then_broadcast(void)
{
	pthread_t t[2];

	pthread_mutex_lock(&m);
	for (uintptr_t i = 0; i < 2; i++) {
		pthread_create(&t[i], NULL, counted_wait, (void *)(i + 1));
		while (waiting < (int)i + 1)
			pthread_cond_wait(&d, &m);
	}
	pthread_cond_signal(&c);
	pthread_cond_broadcast(&c);
	pthread_cond_broadcast(&c); /* there is no waiter left: lost */
	letter('m');
	pthread_mutex_unlock(&m);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	OUTCOME("%s", order);
}

/* ---- lost wake-ups ---- */

/* Waits without checking: if the signal came before, for ever. */
THREAD(wait_blindly)
{
	pthread_mutex_lock(&m);
	pthread_cond_wait(&c, &m);
	letter('w');
	pthread_mutex_unlock(&m);
}
static void lost_wake_up(void) { RUN(wait_blindly, make_ready); OUTCOME("%s", order); }

/* Never signalled: no execution ends well. */
static void never_signalled(void) { RUN(wait_blindly); OUTCOME("%s", order); }

/* ---- spurious wake-ups ---- */

/* The same wait without a check: a spurious wake-up may end it without a signal, and it may
 * still hang. S first 1; asleep and signalled 1; awake by itself before S or after 2: 4. */
THREAD(wait_once)
{
	pthread_mutex_lock(&m);
	if (!ready)
		pthread_cond_wait(&c, &m);
	r1 = ready;
	pthread_mutex_unlock(&m);
}
static void if_instead_of_while(void) { RUN(wait_once, make_ready); OUTCOME("%d", r1); }

/* ---- with a limit ---- */

THREAD(wait_limited)
{
	pthread_mutex_lock(&m);
	struct timespec limit = in(CLOCK_REALTIME, 1);

	r1 = 0;
	while (!ready && r1 == 0)
		r1 = pthread_cond_timedwait(&c, &m, &limit);
	r2 = ready;
	pthread_mutex_unlock(&m);
}
/* In time; too late; or too late, but ready when the mutex was taken again. S first 1;
 * asleep, S locks, then the signal or the time-out 2; the time-out, then the lock or S 2: 5. */
static void timed_wait(void)
{
	RUN(wait_limited, make_ready);
	OUTCOME("%s ready=%d", r1 == 0 ? "in time" : r1 == ETIMEDOUT ? "late" : "?", r2);
}

THREAD(wait_limited_monotonic)
{
	pthread_condattr_t a;
	struct timespec limit, now;

	pthread_condattr_init(&a);
	pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
	pthread_cond_init(&d, &a);
	pthread_mutex_lock(&m);
	limit = in(CLOCK_MONOTONIC, 3600);
	r1 = pthread_cond_timedwait(&d, &m, &limit);
	clock_gettime(CLOCK_MONOTONIC, &now);
	r2 = now.tv_sec > limit.tv_sec || (now.tv_sec == limit.tv_sec && now.tv_nsec >= limit.tv_nsec);
	pthread_mutex_unlock(&m);
}
static void timed_wait_of_an_hour(void)
{
	RUN(wait_limited_monotonic);
	OUTCOME("%d %d", r1 == ETIMEDOUT, r2);
}

/* The wait releases the mutex, all levels of it, and takes it again. */
static pthread_mutex_t recursive ALONE = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
THREAD(wait_recursive)
{
	pthread_mutex_lock(&recursive);
	while (!ready)
		pthread_cond_wait(&c, &recursive);
	r1 = pthread_mutex_unlock(&recursive);
	r2 = pthread_mutex_unlock(&recursive);
}
THREAD(signal_recursive)
{
	pthread_mutex_lock(&recursive);
	ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&recursive);
}
static void wait_with_recursive(void)
{
	RUN(wait_recursive, signal_recursive);
	OUTCOME("%d %d", r1, r2 == EPERM);
}

/* A bounded buffer of one place, two items: they come out in order. */
static int slot ALONE, full ALONE, got[2] ALONE;
THREAD(produce)
{
	for (int i = 1; i <= 2; i++) {
		pthread_mutex_lock(&m);
		while (full)
			pthread_cond_wait(&d, &m);
		slot = i;
		full = 1;
		pthread_cond_signal(&c);
		pthread_mutex_unlock(&m);
	}
}
THREAD(take)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&m);
		while (!full)
			pthread_cond_wait(&c, &m);
		got[i] = slot;
		full = 0;
		pthread_cond_signal(&d);
		pthread_mutex_unlock(&m);
	}
}
static void bounded_buffer(void) { RUN(produce, take); OUTCOME("%d%d", got[0], got[1]); }

/* One condition for both directions, two consumers: a signal may wake the wrong one, and all hang. */
THREAD(produce_one_condition)
{
	for (int i = 1; i <= 2; i++) {
		pthread_mutex_lock(&m);
		while (full)
			pthread_cond_wait(&c, &m);
		full = 1;
		pthread_cond_signal(&c);
		pthread_mutex_unlock(&m);
	}
}
THREAD(take_one_condition)
{
	pthread_mutex_lock(&m);
	while (!full)
		pthread_cond_wait(&c, &m);
	full = 0;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
}
static void wrong_one_wakes(void)
{
	RUN(produce_one_condition, take_one_condition, take_one_condition);
	OUTCOME("done");
}

int main(void)
{
	EXPECT_N(wait_and_signal, 2, "1");
	EXPECT_N(broadcast_wakes_all, 16, "12", "21");
	EXPECT_WITH(one_signal_for_two, 10, "wake-up", OPTIONS(.keep_going = 1), "12", "21");
	EXPECT(any_of_three, "123", "132", "213", "231", "312", "321");
	EXPECT_N(signal_then_broadcast, 4, "m12", "m21");
	EXPECT_FINDING(lost_wake_up, "lost wake-up", "w");
	EXPECT_FINDING(never_signalled, "wake-up", NULL);
	EXPECT_N(if_instead_of_while, 2, "1");
	EXPECT_SPURIOUS(if_instead_of_while, 4, "0", "1");
	EXPECT_WITH(lost_wake_up, 0, "lost wake-up", OPTIONS(.spurious = 1, .keep_going = 1), "w");
	EXPECT_N(timed_wait, 5, "in time ready=1", "late ready=0", "late ready=1");
	EXPECT(timed_wait_of_an_hour, "1 1");
	EXPECT(wait_with_recursive, "0 1");
	EXPECT(bounded_buffer, "12");
	EXPECT_FINDING(wrong_one_wakes, "wake-up", "done");
	return done();
}
