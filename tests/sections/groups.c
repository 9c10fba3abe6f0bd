/* Groups of threads by a pattern: all of them are blocked, any of them has reached its event. */
#include <assert.h>
#include <pthread.h>
#include <sleave.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_barrier_t barrier;
static atomic_int passed;

static void *
worker(void *number)
{
	char name[16];

	snprintf(name, sizeof(name), "worker%ld", (long)number);
	sleave_thread_name(name);
	sleave_event("arrived");
	pthread_barrier_wait(&barrier);
	passed++;
	return NULL;
}

int
main(void)
{
	SLEAVE_SCHEDULES("all wait", "[@worker*] -> goes, arrived#4@worker* -> goes",
			 "the last", "arrived@worker3 -> goes") {
		pthread_t threads[4];

		passed = 0;
		pthread_barrier_init(&barrier, NULL, 5);
		for (long i = 0; i < 4; i++)
			pthread_create(&threads[i], NULL, worker, (void *)i);
		sleave_event("goes");
		assert(!passed);
		pthread_barrier_wait(&barrier);
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
		assert(passed == 4);
	}
	return 0;
}
