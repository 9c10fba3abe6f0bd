/*
 * Barriers and semaphores. Arriving at a barrier is a point of choice, leaving is not; waiting for a semaphore
 * and posting are.
 */
#include "outcome.h"
#include <stdatomic.h>

static pthread_barrier_t b ALONE;
static sem_t s ALONE, z ALONE;
static sem_t early ALONE; /* made before exploring, with 2 */
static int a[4] ALONE, sums[4] ALONE, serial[4] ALONE, x ALONE, r1 ALONE, r3 ALONE;
static atomic_int inside ALONE, met ALONE;
static char order[16] ALONE;
static int at ALONE;

/* ---- barriers ---- */

/* Exactly one of three is the serial thread, any of them; all see what all did before. 3! = 6 arrivals. */
THREAD(meets)
{
	a[self] = self;
	serial[self] = pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD;
	sums[self] = a[1] + a[2] + a[3];
}
static void barrier_of_three(void)
{
	pthread_barrier_init(&b, NULL, 3);
	RUN(meets, meets, meets);
	OUTCOME("%d%d%d %d %d %d", serial[1], serial[2], serial[3], sums[1], sums[2], sums[3]);
}

/* The same barrier three times: 2 arrivals each, 8. The phases do not mix. */
THREAD(meets_twice)
{
	a[self] = 1;
	serial[self] = pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD;
	sums[self] = a[1] + a[2];
	serial[self] += pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD;
	a[self] = 10;
	serial[self] += pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD;
	sums[self] += a[1] + a[2];
}
static void barrier_again(void)
{
	pthread_barrier_init(&b, NULL, 2);
	RUN(meets_twice, meets_twice);
	OUTCOME("%d %d %d", serial[1] + serial[2], sums[1], sums[2]);
}

/* After it they go on in any order: r w | r w after the barrier: 2 arrivals times 6. */
static volatile int v ALONE;
THREAD(meets_and_adds) { pthread_barrier_wait(&b); v++; }
static void barrier_then_race(void)
{
	pthread_barrier_init(&b, NULL, 2);
	RUN(meets_and_adds, meets_and_adds);
	OUTCOME("%d", v);
}

/* One too few: it waits for ever. */
static void barrier_incomplete(void)
{
	pthread_barrier_init(&b, NULL, 3);
	RUN(meets, meets);
	OUTCOME("not reached");
}

/* For one thread: it does not wait. */
static void barrier_of_one(void)
{
	pthread_barrier_init(&b, NULL, 1);
	RUN(meets);
	pthread_barrier_destroy(&b);
	OUTCOME("%d", serial[1]);
}

/* ---- semaphores ---- */

THREAD(waits) { sem_wait(&s); order[at++] = (char)('0' + self); r1 = x; sem_post(&s); }
static void semaphore_as_mutex(void)
{
	sem_init(&s, 0, 1);
	RUN(waits, waits, waits);
	OUTCOME("%s", order);
}

/* What was written before the post is there after the wait. */
THREAD(gives) { x = 5; sem_post(&s); }
THREAD(takes) { sem_wait(&s); r1 = x; }
static void hand_off(void)
{
	sem_init(&s, 0, 0);
	RUN(takes, gives);
	OUTCOME("%d", r1);
}

/* One unit was there from the start: the wait may not have waited for this post. A race, and both values. */
THREAD(gives_v) { v = 1; sem_post(&s); }
THREAD(takes_v) { sem_wait(&s); v = 2; }
static void semaphore_had_one_already(void)
{
	sem_init(&s, 0, 1);
	RUN(gives_v, takes_v);
	OUTCOME("%d", v);
}

/* Two posts, three waiters: any two of them continue, the third never does. */
THREAD(gives_two) { sem_post(&s); sem_post(&s); }
THREAD(takes_and_tells) { sem_wait(&s); r1 |= 1 << self; atomic_fetch_add(&inside, 1); }
static void one_too_few(void)
{
	sem_init(&s, 0, 0);
	RUN(gives_two, takes_and_tells, takes_and_tells, takes_and_tells);
	OUTCOME("not reached");
}

/* A semaphore of two lets two in, never three. */
THREAD(visits)
{
	sem_wait(&early);
	int n = atomic_fetch_add(&inside, 1) + 1;

	if (n > 2)
		atomic_store(&inside, 100);
	else if (n == 2)
		atomic_store(&met, 1);
	atomic_fetch_sub(&inside, 1);
	sem_post(&early);
}
static void two_at_once(void)
{
	RUN(visits, visits, visits);
	sem_getvalue(&early, &r3);
	OUTCOME("met %d, inside %d, value %d", atomic_load(&met), atomic_load(&inside), r3);
}

/* Without blocking: w p | t: taken before, between or after. */
THREAD(wait_post) { sem_wait(&s); sem_post(&s); }
THREAD(tries)
{
	errno = 0;
	r1 = sem_trywait(&s) == 0 ? 0 : errno;
	if (!r1)
		sem_post(&s);
}
static void trywait(void)
{
	sem_init(&s, 0, 1);
	RUN(wait_post, tries);
	OUTCOME("%s", r1 == 0 ? "got" : r1 == EAGAIN ? "none" : "?");
}

THREAD(waits_limited)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += 3600;
	r1 = sem_timedwait(&s, &t) == 0 ? 0 : errno;
}
static void timedwait(void)
{
	sem_init(&s, 0, 0);
	RUN(waits_limited, gives);
	OUTCOME("%s", r1 == 0 ? "got" : r1 == ETIMEDOUT ? "late" : "?");
}
static void timedwait_alone(void)
{
	sem_init(&s, 0, 0);
	RUN(waits_limited);
	OUTCOME("%s", r1 == 0 ? "got" : r1 == ETIMEDOUT ? "late" : "?");
}

/* The value is seen at every stage: p p | v: 3. */
THREAD(posts_two) { sem_post(&s); sem_post(&s); }
THREAD(looks) { sem_getvalue(&s, &r1); }
static void getvalue(void)
{
	sem_init(&s, 0, 7);
	RUN(posts_two, looks);
	OUTCOME("%d", r1);
}

/* Ping and pong. */
THREAD(ping)
{
	for (int i = 0; i < 2; i++) {
		sem_wait(&s);
		order[at++] = 'i';
		sem_post(&z);
	}
}
THREAD(pong)
{
	for (int i = 0; i < 2; i++) {
		sem_wait(&z);
		order[at++] = 'o';
		sem_post(&s);
	}
}
static void ping_pong(void)
{
	sem_init(&s, 0, 1);
	sem_init(&z, 0, 0);
	RUN(ping, pong);
	OUTCOME("%s", order);
}

int main(void)
{
	sem_init(&early, 0, 2);
	EXPECT_N(barrier_of_three, 6, "100 6 6 6", "010 6 6 6", "001 6 6 6");
	EXPECT_N(barrier_again, 8, "3 22 22");
	RACY_N(barrier_then_race, 12, "1", "2");
	EXPECT_FINDING(barrier_incomplete, "deadlock", NULL);
	EXPECT_N(barrier_of_one, 1, "1");
	EXPECT_N(semaphore_as_mutex, 6, "123", "132", "213", "231", "312", "321");
	EXPECT(hand_off, "5");
	EXPECT_WITH(semaphore_had_one_already, 0, "data race", OPTIONS(.keep_going = 1), "1", "2");
	RACY(semaphore_had_one_already, "1", "2");
	EXPECT_FINDING(one_too_few, "deadlock", NULL);
	EXPECT(two_at_once, "met 0, inside 0, value 2", "met 1, inside 0, value 2");
	EXPECT_N(trywait, 3, "got", "none");
	EXPECT_N(timedwait, 2, "got", "late");
	EXPECT(timedwait_alone, "late");
	EXPECT_N(getvalue, 3, "7", "8", "9");
	EXPECT(ping_pong, "ioio");
	return done();
}
