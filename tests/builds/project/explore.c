/* A test of the shared library, from inside: the flags for sleave.h come from pkg-config. */
#include "tally.h"

#include <assert.h>
#include <pthread.h>
#include <sleave.h>
#include <stddef.h>

static void *
add_two(void *arg)
{
	tally_add(2);
	return arg;
}

static void
body(void *arg)
{
	pthread_t thread;
	int before = tally_sum();

	(void)arg;
	pthread_create(&thread, NULL, add_two, NULL);
	tally_add(3);
	pthread_join(thread, NULL);
	assert(tally_sum() == before + 5);
}

int
main(void)
{
	return sleave_explore(body, NULL, NULL);
}
