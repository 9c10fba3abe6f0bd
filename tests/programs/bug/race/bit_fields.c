/*
 * Bit-fields that share a word are one memory location: two threads that write one each race.
 */
/* expect: data race on flags */
#include <pthread.h>

struct {
	unsigned left : 3, right : 3;
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
	return 0;
}
