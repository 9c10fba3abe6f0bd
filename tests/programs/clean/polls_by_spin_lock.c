/*
 * A loop that polls with a spin lock waits: all executions end.
 */
#include <pthread.h>

static pthread_spinlock_t lock;
static int done;

static void *
finish(void *arg)
{
	pthread_spin_lock(&lock);
	done = 1;
	pthread_spin_unlock(&lock);
	return arg;
}

int
main(void)
{
	pthread_t thread;
	int seen;

	pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
	pthread_create(&thread, NULL, finish, NULL);
	do {
		pthread_spin_lock(&lock);
		seen = done;
		pthread_spin_unlock(&lock);
	} while (!seen);
	pthread_join(thread, NULL);
	return 0;
}
