/*
 * A wait for a condition releases one level of a recursive mutex. It was locked once, so the signaller gets it.
 */
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready;

static void
await(void)
{
	pthread_mutex_lock(&mutex);
	while (!ready)
		pthread_cond_wait(&condition, &mutex);
	pthread_mutex_unlock(&mutex);
}

static void *
signaller(void *unused)
{
	pthread_mutex_lock(&mutex);
	ready = 1;
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&mutex);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, signaller, NULL);
	await();
	pthread_join(thread, NULL);
	return 0;
}
