/*
 * The result of trylock is ignored: in the order in which it fails, the mutex
 * is unlocked all the same, perhaps when the other thread has released it.
 */
/* expect: ^misuse: (main|T1 work) unlocks lock, which (T1 work holds|main holds|no thread holds) at .*unlock_not_held.c: */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *
work(void *unused)
{
	if (pthread_mutex_trylock(&lock) == 0)
		count++;
	pthread_mutex_unlock(&lock);
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
