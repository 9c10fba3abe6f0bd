/*
 * Twenty operations on a mutex, and accesses to what only one thread has ever touched, before and after the other one comes.
 * counts: MUTEX_LOCK 11 MUTEX_UNLOCK 11 ATOMIC_STORE 5
 */
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
volatile int own, shared;
atomic_int a;

static void *
run(void *unused)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < 5; i++)
		shared = i; /* the first one touched it before: noise, each time */
	return unused;
}

int
main(void)
{
	pthread_t thread;

	for (int i = 0; i < 10; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
	for (int i = 0; i < 100; i++)
		own = i;
	for (int i = 0; i < 3; i++)
		shared = i; /* no other thread has touched it: no noise */
	for (int i = 0; i < 5; i++)
		a = i;
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	return 0;
}
