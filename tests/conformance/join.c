/* Joins that do not wait, or not for ever. */
#include "conformance.h"

static sem_t hold, held;
static int one = 1;

static void *
stay(void *v)
{
	sem_post(&held);
	sem_wait(&hold);
	sem_post(&held);
	return v;
}

static pthread_t
start_staying(void)
{
	pthread_t t;

	sem_init(&hold, 0, 0);
	sem_init(&held, 0, 0);
	returns(pthread_create(&t, NULL, stay, &one));
	sem_wait(&held);
	return t;
}

static void
end(pthread_t t)
{
	void *result = NULL;

	sem_post(&hold);
	returns(pthread_join(t, &result));
	value(result == &one);
}

CASE(tryjoin_running)
{
	pthread_t t = start_staying();
	void *result = &t;

	returns(pthread_tryjoin_np(t, &result));
	value(result == &t);
	returns(pthread_tryjoin_np(t, NULL));
	end(t);
}

CASE(tryjoin_until_ended)
{
	pthread_t t = start_staying();
	void *result = NULL;
	int answer;

	sem_post(&hold);
	while ((answer = pthread_tryjoin_np(t, &result)) == EBUSY)
		sched_yield();
	returns(answer);
	value(result == &one);
}

CASE(tryjoin_self)
{
	returns(pthread_tryjoin_np(pthread_self(), NULL));
}

static int
tryjoin_self_(void *unused)
{
	(void)unused;
	return pthread_tryjoin_np(pthread_self(), NULL);
}

CASE(tryjoin_self_in_thread)
{
	returns(other(tryjoin_self_, NULL));
}

CASE(tryjoin_detached)
{
	pthread_t t = start_staying();

	returns(pthread_detach(t));
	returns(pthread_tryjoin_np(t, NULL));
	returns(pthread_timedjoin_np(t, NULL, &limits[0].time));
	returns(pthread_clockjoin_np(t, NULL, CLOCK_MONOTONIC, &limits[0].time));
	sem_post(&hold);
	sem_wait(&held);
}

/* Only limits in the past: with nanoseconds out of range glibc 2.36 tries for ever. */
#define PASSED 3

CASE(timedjoin_limits)
{
	for (unsigned i = 0; i < PASSED; i++) {
		begin("timedjoin.%s", limits[i].name);
		pthread_t t = start_staying();
		void *result = &t;

		returns(pthread_timedjoin_np(t, &result, &limits[i].time));
		value(result == &t);
		end(t);
	}
}

CASE(clockjoin_limits)
{
	for (unsigned c = 0; c < CLOCKS; c++) {
		for (unsigned i = 0; i < PASSED; i++) {
			begin("clockjoin.%s.%s", clocks[c].name, limits[i].name);
			pthread_t t = start_staying();

			returns(pthread_clockjoin_np(t, NULL, clocks[c].clock, &limits[i].time));
			end(t);
		}
	}
}

static int
ends(void *unused)
{
	(void)unused;
	return 0;
}

static struct other_call ending = {ends, NULL};

/* The thread ends in time, or the join is tried again. */
CASE(timedjoin_in_time)
{
	struct timespec later = far_away(CLOCK_REALTIME);
	pthread_t t;
	void *result = &t;
	int answer;

	returns(pthread_create(&t, NULL, other_main, &ending));
	while ((answer = pthread_timedjoin_np(t, &result, &later)) == ETIMEDOUT)
		later.tv_sec += 100000;
	returns(answer);
	value(result == NULL);
}

CASE(clockjoin_in_time)
{
	static const struct clock_row two[] = {{"realtime", CLOCK_REALTIME}, {"monotonic", CLOCK_MONOTONIC}};

	for (unsigned c = 0; c < 2; c++) {
		struct timespec later = far_away(two[c].clock);
		pthread_t t;
		void *result = &t;
		int answer;

		begin("clockjoin_in_time.%s", two[c].name);
		returns(pthread_create(&t, NULL, other_main, &ending));
		while ((answer = pthread_clockjoin_np(t, &result, two[c].clock, &later)) == ETIMEDOUT)
			later.tv_sec += 100000;
		returns(answer);
		value(result == NULL);
	}
}

CASE(timedjoin_self)
{
	returns(pthread_timedjoin_np(pthread_self(), NULL, &limits[0].time));
	returns(pthread_clockjoin_np(pthread_self(), NULL, CLOCK_MONOTONIC, &limits[0].time));
}

/* A join that timed out leaves the thread as it was: it can be joined, detached, tried again. */
CASE(timedjoin_then_detach)
{
	pthread_t t = start_staying();

	returns(pthread_timedjoin_np(t, NULL, &limits[0].time));
	returns(pthread_detach(t));
	returns(pthread_tryjoin_np(t, NULL));
	sem_post(&hold);
	sem_wait(&held);
}

CASE(all_ways_in_turn)
{
	pthread_t t = start_staying();

	returns(pthread_tryjoin_np(t, NULL));
	returns(pthread_timedjoin_np(t, NULL, &limits[0].time));
	returns(pthread_clockjoin_np(t, NULL, CLOCK_MONOTONIC, &limits[0].time));
	returns(pthread_tryjoin_np(t, NULL));
	end(t);
}

/* A thread that joins in this way sees what the other thread did. */
static int shared;

static int
write_shared(void *unused)
{
	(void)unused;
	shared = 7;
	return 0;
}

static struct other_call writing = {write_shared, NULL};

CASE(tryjoin_orders)
{
	pthread_t t;

	shared = 0;
	returns(pthread_create(&t, NULL, other_main, &writing));
	while (pthread_tryjoin_np(t, NULL) == EBUSY)
		sched_yield();
	value(shared);
}

CASE(timedjoin_orders)
{
	struct timespec later = far_away(CLOCK_REALTIME);
	pthread_t t;

	shared = 0;
	returns(pthread_create(&t, NULL, other_main, &writing));
	while (pthread_timedjoin_np(t, NULL, &later) == ETIMEDOUT)
		later.tv_sec += 100000;
	value(shared);
}

static pthread_t joiner;

static void *
join_the_joiner(void *unused)
{
	sem_post(&held);
	pthread_join(joiner, NULL);
	return unused;
}

static void *
join_the_joiner_late(void *unused)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	sem_wait(&held);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	pthread_join(joiner, NULL);
	return unused;
}

/* Cancelled before it joins the thread that joins it: the join is a cancellation point, and no deadlock. */
CASE(join_one_that_is_cancelled_when_it_joins)
{
	void *result = NULL;
	pthread_t t;

	sem_init(&held, 0, 0);
	joiner = pthread_self();
	pthread_create(&t, NULL, join_the_joiner_late, NULL);
	returns(pthread_cancel(t));
	sem_post(&held);
	returns(pthread_join(t, &result));
	value(result == PTHREAD_CANCELED);
}

static void *
join_oneself_cancelled(void *unused)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	pthread_cancel(pthread_self());
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	pthread_join(pthread_self(), NULL);
	return unused;
}

CASE(join_oneself_when_cancelled)
{
	void *result = NULL;
	pthread_t t;

	pthread_create(&t, NULL, join_oneself_cancelled, NULL);
	returns(pthread_join(t, &result));
	value(result == PTHREAD_CANCELED);
}

/* Cancelled while it waits for the thread that joins it: no deadlock. */
CASE(join_one_that_was_cancelled_while_joining)
{
	void *result = NULL;
	pthread_t t;

	sem_init(&held, 0, 0);
	joiner = pthread_self();
	pthread_create(&t, NULL, join_the_joiner, NULL);
	sem_wait(&held);
	returns(pthread_cancel(t));
	returns(pthread_join(t, &result));
	value(result == PTHREAD_CANCELED);
}
