/*
 * The stop and add race of the Bluetooth driver that Qadeer and Wu describe (PLDI 2004): a
 * request checks whether the driver is being stopped, then counts itself in; a stop between
 * the two lets the last request out, and this one continues in a driver that is gone.
 *
 * usage: bluetooth [repaired]   (repaired: counts itself in first, then checks)
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_int pending = 1; /* the driver itself, and every request in it */
static atomic_bool stopping, stopped;
static sem_t nobody_left;
static bool repaired;

static void
count_out(void)
{
	if (atomic_fetch_sub(&pending, 1) == 1)
		sem_post(&nobody_left);
}

static bool
count_in(void)
{
	if (repaired) {
		atomic_fetch_add(&pending, 1);
		if (!atomic_load(&stopping))
			return true;
		count_out();
		return false;
	}
	if (atomic_load(&stopping))
		return false;
	atomic_fetch_add(&pending, 1);
	return true;
}

static void *
request(void *unused)
{
	if (!count_in())
		return unused;
	assert(!atomic_load(&stopped));
	count_out();
	return unused;
}

static void *
stop(void *unused)
{
	atomic_store(&stopping, true);
	count_out();
	sem_wait(&nobody_left);
	atomic_store(&stopped, true);
	return unused;
}

int
main(int argc, char **argv)
{
	pthread_t stopper, requester;

	(void)argv;
	repaired = argc > 1;
	sem_init(&nobody_left, 0, 0);
	pthread_create(&stopper, NULL, stop, NULL);
	pthread_create(&requester, NULL, request, NULL);
	pthread_join(requester, NULL);
	pthread_join(stopper, NULL);
	return 0;
}
