/* Data that a lock always protects needs no points of its own: the states are those of the lock.
 * One place is first written before other threads exist, and read when they have been joined. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int data;

static void *
run(void *unused)
{
	(void)unused;
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&mutex);
		data = 1;
		pthread_mutex_unlock(&mutex);
	}
	return 0;
}

int
main(void)
{
	pthread_t threads[2];

	data = 1;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], 0, run, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], 0);
	assert(data == 1);
	return 0;
}
