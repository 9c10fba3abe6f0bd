/*
 * A megabyte of thread-local storage in each thread, and each begins with zeroes. Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>

static __thread char large[1 << 20];
static __thread int number = 7;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *
worker(void *arg)
{
	assert(large[0] == 0 && large[sizeof(large) - 1] == 0 && number == 7);
	large[0] = large[sizeof(large) - 1] = large[12345] = 1;
	number++;
	pthread_mutex_lock(&lock);
	sum += large[12345] + number;
	pthread_mutex_unlock(&lock);
	assert(large[0] == 1 && number == 8);
	return arg;
}

int
main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	worker(NULL);
	return sum != 27;
}
