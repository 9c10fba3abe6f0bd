/*
 * A new thread initialises a mutex that its creator locks. A mutex that is
 * all zero can be locked, but nothing orders the initialisation before that.
 */
/* expect: ^data race on lock: T1 work initialises it at .*mutex_init.c:[0-9]+, main locks it at .*mutex_init.c: */
#include <pthread.h>

static pthread_mutex_t lock;

static void *
work(void *unused)
{
	pthread_mutex_init(&lock, NULL);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	return 0;
}
