/*
 * A thread with 64 MB of stack uses 32 MB of it; beside it one with the smallest stack there is. Nothing is to be
 * found.
 */
/* options: --schedules 20 */
#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int steps;

static void *
big(void *arg)
{
	volatile char field[32 << 20];

	for (size_t i = 0; i < sizeof(field); i += 1 << 20)
		field[i] = (char)(i >> 20);
	steps++;
	for (size_t i = 0; i < sizeof(field); i += 1 << 20)
		assert(field[i] == (char)(i >> 20));
	return arg;
}

static void *
small(void *arg)
{
	steps++;
	return arg;
}

int
main(void)
{
	pthread_attr_t attr;
	pthread_t a, b;
	size_t size;

	pthread_attr_init(&attr);
	assert(pthread_attr_setstacksize(&attr, 64 << 20) == 0);
	assert(pthread_attr_getstacksize(&attr, &size) == 0 && size == 64 << 20);
	assert(pthread_create(&a, &attr, big, NULL) == 0);
	assert(pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN) == 0);
	assert(pthread_create(&b, &attr, small, NULL) == 0);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(steps == 2);
	return 0;
}
