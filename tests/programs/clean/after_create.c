/*
 * bug/race/after_create.c, repaired: before pthread_create() and after pthread_join() everything is ordered, also
 * by way of a thread in between. Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>

static int setting, result;

static void *
inner(void *arg)
{
	result = setting + 1;
	return arg;
}

static void *
outer(void *arg)
{
	pthread_t thread;

	setting *= 2;
	pthread_create(&thread, NULL, inner, NULL);
	pthread_join(thread, NULL);
	result *= 2;
	return arg;
}

int
main(void)
{
	pthread_t thread;
	void *answer;

	setting = 1;
	pthread_create(&thread, NULL, outer, &result);
	pthread_join(thread, &answer);
	assert(answer == &result && result == 6);
	return 0;
}
