/*
 * bug/race/bit_fields.c, repaired: a zero-width bit-field starts a new location. Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>

static struct {
	unsigned left : 3;
	unsigned : 0;
	unsigned right : 3;
} flags;

static void *
set(void *arg)
{
	flags.left = 1;
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, set, NULL);
	flags.right = 1;
	pthread_join(thread, NULL);
	assert(flags.left == 1 && flags.right == 1);
	return 0;
}
