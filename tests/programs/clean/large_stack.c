/*
 * A thread with a stack of 256 MiB that uses much of it, and one with the smallest. Nothing is to be found.
 */
#include <assert.h>
#include <limits.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum;

static long
go_down(int n)
{
	volatile char room[1 << 16];

	room[100] = (char)n;
	return n ? go_down(n - 1) + room[100] : 0;
}

static void *
worker(void *arg)
{
	long depth = arg ? 3000 : 0, result = go_down((int)depth);

	pthread_mutex_lock(&lock);
	sum += depth;
	pthread_mutex_unlock(&lock);
	return (void *)(result != 0 || !depth ? arg : NULL);
}

int
main(void)
{
	pthread_attr_t attr;
	pthread_t large, small;
	size_t size = 0;

	pthread_attr_init(&attr);
	assert(pthread_attr_setstacksize(&attr, 256ul << 20) == 0);
	assert(pthread_attr_getstacksize(&attr, &size) == 0 && size == 256ul << 20);
	pthread_create(&large, &attr, worker, "");
	pthread_attr_setstacksize(&attr, 1 << 18);
	pthread_create(&small, &attr, worker, NULL);
	pthread_join(large, NULL);
	pthread_join(small, NULL);
	return sum != 3000;
}
