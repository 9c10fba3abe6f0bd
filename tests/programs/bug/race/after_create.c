/*
 * What is written after pthread_create() is not ordered before the thread.
 */
/* expect: data race on setting */
#include <pthread.h>

int setting;

static void *
use(void *arg)
{
	return setting ? arg : NULL;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, use, NULL);
	setting = 1;
	pthread_join(thread, NULL);
	return 0;
}
