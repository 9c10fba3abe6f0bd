/*
 * Two atomics that belong together are written and read one after the other: a reader sees half of a change.
 */
/* expect: a == b */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int left, right;

static void *
move(void *arg)
{
	left = 1;
	right = 1;
	return arg;
}

int
main(void)
{
	pthread_t thread;
	int a, b;

	pthread_create(&thread, NULL, move, NULL);
	a = left;
	b = right;
	assert(a == b);
	pthread_join(thread, NULL);
	return 0;
}
