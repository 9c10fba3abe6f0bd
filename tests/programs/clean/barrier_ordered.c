/*
 * A barrier orders all that threads did before it before all that they do after
 * it; one thread of each round is the serial one. Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_barrier_t barrier;
static int parts[2], sums[2];
static atomic_int serial;

static void
work(int me)
{
	for (int round = 1; round <= 2; round++) {
		parts[me] += round;
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
			serial++;
		sums[me] += parts[0] + parts[1];
		pthread_barrier_wait(&barrier);
	}
}

static void *
other(void *arg)
{
	work(1);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, other, NULL);
	work(0);
	pthread_join(thread, NULL);
	pthread_barrier_destroy(&barrier);
	assert(sums[0] == 8 && sums[1] == 8 && serial == 2);
	return 0;
}
