/*
 * Two threads wait for one condition variable at the same time, each with a mutex of its own.
 */
/* expect: ^misuse: (main|T1 work) waits for changed with another mutex than (main|T1 work) does at .*two_mutexes.c: */
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
		pthread_cond_wait(&changed, lock);
	}
	pthread_mutex_unlock(lock);
}

static void *
work(void *unused)
{
	meet(&b);
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
