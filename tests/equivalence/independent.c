/* N threads that share only the lock that each takes once: one execution. */
#include "common.h"

static struct {
	atomic_int value;
	pthread_mutex_t mutex;
	char far[64];
} own[N];

static void *
work(void *number)
{
	long i = (intptr_t)number;

	for (int k = 0; k < 3; k++) {
		pthread_mutex_lock(&own[i].mutex);
		atomic_fetch_add(&own[i].value, 1);
		pthread_mutex_unlock(&own[i].mutex);
	}
	return NULL;
}

int
main(void)
{
	pthread_t threads[N];

	/* used by two threads each, so that they are points of choice: only that they commute makes it one */
	for (unsigned i = 0; i < N; i++) {
		pthread_mutex_init(&own[i].mutex, NULL);
		atomic_store(&own[i].value, 0);
	}
	start(threads, N, work);
	join(threads, N);
	return 0;
}
