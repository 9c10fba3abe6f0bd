/* A signal that may come before the wait: lost. */
#include "common.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *
signaller(void *unused)
{
	pthread_mutex_lock(&mutex);
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&mutex);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	start(&thread, 1, signaller);
	pthread_mutex_lock(&mutex);
	pthread_cond_wait(&condition, &mutex);
	pthread_mutex_unlock(&mutex);
	join(&thread, 1);
	return 0;
}
