/* Unnamed semaphores. */
#include "conformance.h"

ANY(sem_post, sem_t)
ANY(sem_wait, sem_t)
ANY(sem_trywait, sem_t)

static void
value_of(sem_t *s)
{
	int v = -1;

	errno_of(sem_getvalue(s, &v));
	value(v);
}

CASE(initial_values)
{
	static const unsigned values[] = {0, 1, 2, 1000, SEM_VALUE_MAX, SEM_VALUE_MAX + 1u, UINT_MAX};

	for (int shared = 0; shared < 2; shared++) {
		for (unsigned i = 0; i < sizeof(values) / sizeof(*values); i++) {
			sem_t s;

			begin("init.%s.%u", shared ? "shared" : "private", values[i]);
			memset(&s, 0, sizeof(s));
			errno_of(sem_init(&s, shared, values[i]));
			if (values[i] > SEM_VALUE_MAX)
				continue;
			value_of(&s);
			errno_of(sem_destroy(&s));
		}
	}
}

CASE(trywait)
{
	sem_t s;

	errno_of(sem_init(&s, 0, 2));
	for (int i = 0; i < 4; i++) {
		errno_of(sem_trywait(&s));
		value_of(&s);
	}
}

CASE(wait_and_post)
{
	sem_t s;

	errno_of(sem_init(&s, 0, 1));
	errno_of(sem_wait(&s));
	value_of(&s);
	errno_of(sem_trywait(&s));
	errno_of(sem_post(&s));
	errno_of(sem_post(&s));
	value_of(&s);
	errno_of(sem_wait(&s));
	errno_of(sem_wait(&s));
	value_of(&s);
	errno_of(sem_destroy(&s));
}

CASE(overflow)
{
	sem_t s;

	errno_of(sem_init(&s, 0, SEM_VALUE_MAX - 1));
	errno_of(sem_post(&s));
	errno_of(sem_post(&s));
	value_of(&s);
	errno_of(sem_wait(&s));
	errno_of(sem_post(&s));
	errno_of(sem_post(&s));
	value_of(&s);
}

CASE(overflow_shared)
{
	sem_t s;

	errno_of(sem_init(&s, 1, SEM_VALUE_MAX));
	errno_of(sem_post(&s));
	value_of(&s);
	errno_of(sem_trywait(&s));
	value_of(&s);
}

CASE(reuse_after_destroy)
{
	sem_t s;

	for (unsigned i = 0; i < 3; i++) {
		errno_of(sem_init(&s, 0, i));
		value_of(&s);
		errno_of(sem_post(&s));
		errno_of(sem_trywait(&s));
		errno_of(sem_destroy(&s));
	}
}

/* Initialising again without destroying counts from the new value. */
CASE(reuse_after_init)
{
	sem_t s;

	errno_of(sem_init(&s, 0, 5));
	errno_of(sem_wait(&s));
	errno_of(sem_destroy(&s));
	errno_of(sem_init(&s, 0, 1));
	errno_of(sem_trywait(&s));
	errno_of(sem_trywait(&s));
}

/* ---- time limits: they are validated first, even if the semaphore is free ---- */

CASE(timedwait_limits)
{
	for (unsigned free = 0; free < 2; free++) {
		for (unsigned i = 0; i < LIMITS; i++) {
			sem_t s;

			begin("timedwait.%s.%s", free ? "free" : "taken", limits[i].name);
			sem_init(&s, 0, free);
			errno_of(sem_timedwait(&s, &limits[i].time));
			value_of(&s);
			errno_of(sem_destroy(&s));
		}
	}
}

CASE(clockwait_limits)
{
	for (unsigned free = 0; free < 2; free++) {
		for (unsigned c = 0; c < CLOCKS; c++) {
			for (unsigned i = 0; i < LIMITS; i++) {
				sem_t s;

				begin("clockwait.%s.%s.%s", free ? "free" : "taken", clocks[c].name, limits[i].name);
				sem_init(&s, 0, free);
				errno_of(sem_clockwait(&s, clocks[c].clock, &limits[i].time));
				value_of(&s);
			}
		}
	}
}

CASE(timedwait_far)
{
	struct timespec later = far_away(CLOCK_REALTIME), later_monotonic = far_away(CLOCK_MONOTONIC);
	sem_t s;

	errno_of(sem_init(&s, 0, 2));
	errno_of(sem_timedwait(&s, &later));
	errno_of(sem_clockwait(&s, CLOCK_MONOTONIC, &later_monotonic));
	value_of(&s);
}

/* ---- threads ---- */

CASE(post_by_other)
{
	sem_t s;

	errno_of(sem_init(&s, 0, 0));
	value(other(sem_post_, &s));
	errno_of(sem_wait(&s));
	value(other(sem_post_, &s));
	value(other(sem_post_, &s));
	value_of(&s);
	value(other(sem_wait_, &s));
	value(other(sem_trywait_, &s));
	value(other(sem_trywait_, &s));
}

static sem_t there, back;

static void *
echo(void *argument)
{
	for (int i = 0; i < 3; i++) {
		if (sem_wait(&there) || sem_post(&back))
			return &there;
	}
	return argument;
}

CASE(ping_pong)
{
	pthread_t t;
	void *result;

	errno_of(sem_init(&there, 0, 0));
	errno_of(sem_init(&back, 0, 0));
	pthread_create(&t, NULL, echo, NULL);
	for (int i = 0; i < 3; i++) {
		errno_of(sem_post(&there));
		errno_of(sem_wait(&back));
	}
	returns(pthread_join(t, &result));
	value(result != NULL);
	value_of(&there);
	value_of(&back);
}

static void *
take(void *argument)
{
	return sem_wait(argument) ? argument : NULL;
}

CASE(three_waiters)
{
	pthread_t t[3];
	void *result;
	sem_t s;

	errno_of(sem_init(&s, 0, 0));
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, take, &s);
	for (int i = 0; i < 3; i++)
		errno_of(sem_post(&s));
	for (int i = 0; i < 3; i++) {
		pthread_join(t[i], &result);
		value(result != NULL);
	}
	value_of(&s);
	errno_of(sem_destroy(&s));
}
