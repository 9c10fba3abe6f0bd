/*
 * A wait for a condition variable without holding the mutex that the wait releases.
 */
/* expect: ^misuse: T1 work waits for a condition with lock, which (no thread|main) holds at .*wait_without_lock.c: */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int done;

static void *
work(void *unused)
{
	while (!__atomic_load_n(&done, __ATOMIC_SEQ_CST))
		pthread_cond_wait(&changed, &lock);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	pthread_mutex_lock(&lock);
	__atomic_store_n(&done, 1, __ATOMIC_SEQ_CST);
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	return 0;
}
