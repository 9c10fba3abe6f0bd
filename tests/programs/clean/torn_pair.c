/*
 * bug/assertion/torn_pair.c, repaired with a sequence lock: a reader that saw
 * a change under way reads again. The retries end. Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int left, right;

static void *
move(void *arg)
{
	sequence++;
	left = 1;
	right = 1;
	sequence++;
	return arg;
}

int
main(void)
{
	pthread_t thread;
	unsigned before;
	int a, b;

	pthread_create(&thread, NULL, move, NULL);
	do {
		before = sequence;
		a = left;
		b = right;
	} while ((before & 1) || before != sequence);
	assert(a == b);
	pthread_join(thread, NULL);
	return 0;
}
