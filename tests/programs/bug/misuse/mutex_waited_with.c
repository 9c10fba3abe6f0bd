/*
 * A mutex is destroyed while another thread waits for a condition with it, and will want it again: glibc answers EBUSY.
 */
/* expect: ^misuse: main destroys lock, which T1 waits takes again after its wait at .*mutex_waited_with.c: */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waiting, done;

static void *
waits(void *unused)
{
	pthread_mutex_lock(&lock);
	waiting = 1;
	while (!done)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return unused;
}

int
main(void)
{
	pthread_t thread;
	int seen = 0;

	pthread_create(&thread, NULL, waits, NULL);
	while (!seen) {
		pthread_mutex_lock(&lock);
		seen = waiting;
		pthread_mutex_unlock(&lock);
	}
	pthread_mutex_destroy(&lock);
	pthread_mutex_lock(&lock);
	done = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	return 0;
}
