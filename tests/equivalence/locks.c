/* N threads take one lock once each: N! orders. */
#include "common.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *
work(void *number)
{
	pthread_mutex_lock(&mutex);
	sum += (int)(intptr_t)number;
	pthread_mutex_unlock(&mutex);
	return NULL;
}

int
main(void)
{
	pthread_t threads[N];

	start(threads, N, work);
	join(threads, N);
	return 0;
}
