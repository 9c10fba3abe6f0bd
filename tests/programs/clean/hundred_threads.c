/*
 * A hundred threads at once, and a lock for all. Far more interleavings than can be run; nothing is to be found.
 */
/* options: --schedules 100 --time 5s */
#include <assert.h>
#include <pthread.h>

#define THREADS 100

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *
add(void *arg)
{
	pthread_mutex_lock(&lock);
	total += *(int *)arg;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int
main(void)
{
	static int numbers[THREADS];
	static pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++) {
		numbers[i] = i;
		assert(pthread_create(&threads[i], NULL, add, &numbers[i]) == 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert(total == THREADS * (THREADS - 1) / 2);
	return 0;
}
