/*
 * bug/misuse/unlock_not_held.c, repaired: only the
 * owner of the lock unlocks it. Nothing is to be found.
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *
work(void *unused)
{
	if (pthread_mutex_trylock(&lock) == 0) {
		count++;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	work(NULL);
	pthread_join(thread, NULL);
	return 0;
}
