/*
 * A new thread initialises a condition variable that its creator signals. The mutex is taken for the flag alone.
 */
/* expect: ^data race on done: T1 work initialises it at .*condition_init.c:[0-9]+, main signals it at .*condition_init.c: */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done;
static int count;

static void *
work(void *unused)
{
	pthread_cond_init(&done, NULL);
	pthread_mutex_lock(&lock);
	count++;
	pthread_mutex_unlock(&lock);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	pthread_mutex_lock(&lock);
	count++;
	pthread_cond_signal(&done);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	return 0;
}
