/*
 * bug/use-after-free/mutex_only.c, repaired: the memory is freed after the join. Nothing is to be found.
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t *lock;

static void *
work(void *unused)
{
	pthread_mutex_lock(lock);
	pthread_mutex_unlock(lock);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	lock = malloc(sizeof(*lock));
	pthread_mutex_init(lock, NULL);
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	free(lock);
	return 0;
}
