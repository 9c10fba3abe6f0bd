/*
 * bug/misuse/two_mutexes.c, repaired: both use the same mutex. Nothing is to be found.
 */
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int arrived;

static void
meet(pthread_mutex_t *lock)
{
	pthread_mutex_lock(lock);
	if (__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST) == 1) {
		while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < 3)
			pthread_cond_wait(&changed, lock);
	} else {
		__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST);
		pthread_cond_signal(&changed);
	}
	pthread_mutex_unlock(lock);
}

static void *
work(void *unused)
{
	meet(&a);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	meet(&a);
	pthread_join(thread, NULL);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	return 0;
}
