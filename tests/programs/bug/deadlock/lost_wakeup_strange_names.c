/*
 * A signal that comes before its waiter looks: the headline names the thread that waits, whose name would end the line.
 */
/* expect: T1 a.{2,4}nb.* waits for */
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;

static void *
wait_for_it(void *arg)
{
	pthread_setname_np(pthread_self(), "a\nb");
	pthread_mutex_lock(&lock);
	pthread_cond_wait(&ready, &lock); /* and nothing says whether it has been */
	pthread_mutex_unlock(&lock);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, wait_for_it, NULL);
	pthread_mutex_lock(&lock);
	pthread_cond_signal(&ready);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	return 0;
}
