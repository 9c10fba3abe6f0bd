/*
 * bug/misuse/wait_without_lock.c, repaired: the mutex is locked first. Nothing is to be found.
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int done;

static void *
work(void *unused)
{
	pthread_mutex_lock(&lock);
	while (!__atomic_load_n(&done, __ATOMIC_SEQ_CST))
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
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
