/*
 * pthread_exit() in the middle of a critical section, without a cleanup handler: the lock stays locked.
 */
/* expect: deadlock */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int items;

static void
take(void)
{
	if (items == 0)
		pthread_exit(NULL);
	items--;
}

static void *
work(void *arg)
{
	pthread_mutex_lock(&lock);
	take();
	pthread_mutex_unlock(&lock);
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	items = 1;
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_mutex_lock(&lock);
	return 0;
}
