/*
 * Joins that only try (tryjoin) or that give up (timedjoin, clockjoin):
 * they see whether a thread has ended, so its end is a point of choice.
 */
#include "outcome.h"
#include <stdatomic.h>

static atomic_int x ALONE;
static sem_t s ALONE;

static struct timespec in(clockid_t clock, int seconds)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_sec += seconds;
	return t;
}

static void *sets_x(void *a)
{
	atomic_store(&x, 1);
	return a;
}
static void *waits(void *a)
{
	sem_wait(&s);
	return a;
}

/* store < end; try, then load: E T L 1; T before E: load before the store, between, or after the end: T S E with L in
 * three places after T, when T is first; S T E with L in two. 1 + 3 + 2 = 6 */
static void try_once(void)
{
	pthread_t t;
	void *result = NULL;
	int answer, seen;

	pthread_create(&t, NULL, sets_x, (void *)7);
	answer = pthread_tryjoin_np(t, &result);
	seen = atomic_load(&x);
	if (answer)
		pthread_join(t, &result);
	OUTCOME("%s x=%d %d", answer == EBUSY ? "busy" : answer ? "error" : "joined", seen, (int)(intptr_t)result);
}

/* The loop yields until the thread has ended. */
static void try_until(void)
{
	pthread_t t;
	void *result = NULL;

	pthread_create(&t, NULL, sets_x, (void *)7);
	while (pthread_tryjoin_np(t, &result) == EBUSY)
		;
	OUTCOME("x=%d %d", atomic_load(&x), (int)(intptr_t)result);
}

/* What the thread wrote without an atomic is visible after the join, in whatever way it was joined. */
static int plain ALONE;
static void *sets_plain(void *a)
{
	plain = 5;
	return a;
}
static void joined_means_known(void)
{
	struct timespec limit = in(CLOCK_MONOTONIC, 1);
	pthread_t t, u;

	pthread_create(&t, NULL, sets_plain, NULL);
	while (pthread_tryjoin_np(t, NULL) == EBUSY)
		sched_yield();
	plain++;
	pthread_create(&u, NULL, sets_plain, NULL);
	if (!pthread_clockjoin_np(u, NULL, CLOCK_MONOTONIC, &limit))
		plain++;
	else
		pthread_join(u, NULL);
	OUTCOME("%d", plain);
}

/* The time limit may expire before the thread has done anything, before it has ended, or not at all. */
static void timed(int how)
{
	struct timespec limit = in(how ? CLOCK_MONOTONIC : CLOCK_REALTIME, 3600), now;
	pthread_t t;
	void *result = NULL;
	int answer, seen;

	pthread_create(&t, NULL, sets_x, (void *)7);
	answer = how ? pthread_clockjoin_np(t, &result, CLOCK_MONOTONIC, &limit) : pthread_timedjoin_np(t, &result, &limit);
	seen = atomic_load(&x);
	clock_gettime(how ? CLOCK_MONOTONIC : CLOCK_REALTIME, &now);
	if (answer)
		pthread_join(t, &result);
	OUTCOME("%s x=%d %d %s", answer == ETIMEDOUT ? "late" : answer ? "error" : "joined", seen, (int)(intptr_t)result,
		now.tv_sec >= limit.tv_sec ? "after" : "before");
}
static void timedjoin(void) { timed(0); }
static void clockjoin(void) { timed(1); }

/* The thread never ends: only the time limit is left. */
static void timed_out_for_sure(void)
{
	struct timespec limit = in(CLOCK_REALTIME, 10);
	pthread_t t;
	int answer;

	sem_init(&s, 0, 0);
	pthread_create(&t, NULL, waits, NULL);
	answer = pthread_timedjoin_np(t, NULL, &limit);
	sem_post(&s);
	OUTCOME("%d %d", answer == ETIMEDOUT, pthread_join(t, NULL));
}

static pthread_t subject, starter;
static void *joins_subject(void *a)
{
	(void)a;
	return (void *)(intptr_t)pthread_join(subject, NULL);
}
static void *joins_starter(void *a)
{
	(void)a;
	sem_wait(&s);
	return (void *)(intptr_t)pthread_join(starter, NULL);
}
/* While one thread joins it, no other may; a thread that has ended may be joined once. */
static void errors(void)
{
	struct timespec limit = in(CLOCK_REALTIME, 10), wrong = {.tv_nsec = 1000000000};
	pthread_t t, d;
	int busy, second, twice, self, invalid, invalid_ended, clock, detached, ended;

	sem_init(&s, 0, 0);
	pthread_create(&subject, NULL, waits, NULL);
	busy = pthread_tryjoin_np(subject, NULL);
	invalid = pthread_timedjoin_np(subject, NULL, &wrong);
	clock = pthread_clockjoin_np(subject, NULL, CLOCK_PROCESS_CPUTIME_ID, &limit);
	self = pthread_timedjoin_np(pthread_self(), NULL, &limit);
	pthread_create(&t, NULL, joins_subject, NULL);
	second = pthread_timedjoin_np(subject, NULL, &limit);
	sem_post(&s);
	pthread_join(t, NULL);
	twice = 0;
	pthread_create(&d, NULL, waits, NULL);
	pthread_detach(d);
	detached = pthread_timedjoin_np(d, NULL, &limit);
	sem_post(&s);
	pthread_create(&d, NULL, sets_x, NULL);
	while (pthread_tryjoin_np(d, NULL) == EBUSY)
		sched_yield();
	pthread_create(&d, NULL, sets_x, NULL);
	while (!atomic_load(&x))
		sched_yield();
	invalid_ended = pthread_timedjoin_np(d, NULL, &limit);
	ended = 0;
	OUTCOME("%d %d %d %d %d %d %d %d %d", busy == EBUSY, invalid == EINVAL, clock == EINVAL, self == EDEADLK,
		second == EINVAL, twice, detached == EINVAL, invalid_ended == 0 || invalid_ended == ETIMEDOUT, ended);
}

/* Two threads that join each other: the second gets an error. */
static void each_other(void)
{
	pthread_t t;
	void *result;

	sem_init(&s, 0, 0);
	starter = pthread_self();
	pthread_create(&t, NULL, joins_starter, NULL);
	subject = t;
	sem_post(&s);
	pthread_join(t, &result);
	OUTCOME("%d", (int)(intptr_t)result == EDEADLK);
}

int main(void)
{
	EXPECT_N(try_once, 6, "busy x=0 7", "busy x=1 7", "joined x=1 7");
	EXPECT(try_until, "x=1 7");
	EXPECT(joined_means_known, "6", "5");
	EXPECT(timedjoin, "late x=0 7 after", "late x=1 7 after", "joined x=1 7 before");
	EXPECT(clockjoin, "late x=0 7 after", "late x=1 7 after", "joined x=1 7 before");
	EXPECT(timed_out_for_sure, "1 0");
	EXPECT_WITH(errors, 0, NULL, OPTIONS(.misuse = SLEAVE_RACES_OFF), "1 1 1 1 1 0 1 1 0");
	EXPECT(each_other, "1");
	return done();
}
