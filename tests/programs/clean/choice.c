/*
 * bug/assertion/choice.c, repaired: all five numbers are right. Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>
#include <sleave.h>
#include <stdatomic.h>

static atomic_int sum;

static void *
work(void *arg)
{
	sum += 3;
	return arg;
}

int
main(void)
{
	pthread_t thread;

	assert(sleave_active());
	pthread_create(&thread, NULL, work, NULL);
	sum += (int)sleave_choose(5);
	pthread_join(thread, NULL);
	assert(sum >= 3 && sum <= 7);
	return 0;
}
