/* Barriers. */
#include "conformance.h"

struct crowd {
	pthread_barrier_t barrier;
	int rounds;
};

static void *
pass(void *argument)
{
	struct crowd *c = argument;
	intptr_t serial = 0;

	for (int i = 0; i < c->rounds; i++) {
		int result = pthread_barrier_wait(&c->barrier);

		if (result == PTHREAD_BARRIER_SERIAL_THREAD)
			serial++;
		else if (result)
			serial += 1000;
	}
	return (void *)serial;
}

static void
gather(const pthread_barrierattr_t *a, unsigned count, int rounds)
{
	struct crowd c = {.rounds = rounds};
	pthread_t t[8];
	void *result;
	intptr_t serial;

	returns(pthread_barrier_init(&c.barrier, a, count));
	for (unsigned i = 1; i < count; i++)
		pthread_create(&t[i], NULL, pass, &c);
	serial = (intptr_t)pass(&c);
	for (unsigned i = 1; i < count; i++) {
		pthread_join(t[i], &result);
		serial += (intptr_t)result;
	}
	value(serial); /* one per round, whichever thread it is */
	returns(pthread_barrier_destroy(&c.barrier));
}

CASE(crowds)
{
	for (unsigned count = 1; count <= 4; count++) {
		for (int rounds = 1; rounds <= 3; rounds++) {
			begin("threads_%u.rounds_%d", count, rounds);
			gather(NULL, count, rounds);
		}
	}
}

CASE(count_of_zero)
{
	pthread_barrier_t b;

	returns(pthread_barrier_init(&b, NULL, 0));
}

CASE(count_too_big)
{
	pthread_barrier_t b;

	returns(pthread_barrier_init(&b, NULL, UINT_MAX));
	returns(pthread_barrier_init(&b, NULL, INT_MAX));
	returns(pthread_barrier_init(&b, NULL, INT_MAX - 1));
	returns(pthread_barrier_destroy(&b));
}

CASE(one_is_always_serial)
{
	pthread_barrier_t b;

	returns(pthread_barrier_init(&b, NULL, 1));
	for (int i = 0; i < 3; i++)
		value(pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD);
	returns(pthread_barrier_destroy(&b));
}

CASE(process_shared)
{
	pthread_barrierattr_t a;

	returns(pthread_barrierattr_init(&a));
	returns(pthread_barrierattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
	gather(&a, 3, 2);
	returns(pthread_barrierattr_destroy(&a));
}

CASE(reuse_after_destroy)
{
	pthread_barrier_t b;

	for (unsigned i = 1; i < 4; i++) {
		returns(pthread_barrier_init(&b, NULL, 1));
		value(pthread_barrier_wait(&b));
		returns(pthread_barrier_destroy(&b));
		gather(NULL, i, 1);
	}
}

CASE(never_waited_for)
{
	pthread_barrier_t b;

	returns(pthread_barrier_init(&b, NULL, 5));
	returns(pthread_barrier_destroy(&b));
}

/* What was written before the barrier is seen after it. */
static struct {
	pthread_barrier_t barrier;
	int slots[3], sums[3];
} d;

static void *
share(void *argument)
{
	intptr_t me = (intptr_t)argument;

	d.slots[me] = (int)me + 1;
	pthread_barrier_wait(&d.barrier);
	d.sums[me] = d.slots[0] + d.slots[1] + d.slots[2];
	return NULL;
}

CASE(data_across)
{
	pthread_t t[3];

	pthread_barrier_init(&d.barrier, NULL, 3);
	for (intptr_t i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, share, (void *)i);
	for (int i = 0; i < 3; i++) {
		pthread_join(t[i], NULL);
		value(d.sums[i]);
	}
}
