/*
 * sleave_choose(): every number is tried, so the one of five inputs that breaks the sum is found.
 */
/* expect: sum != 7 */
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

	pthread_create(&thread, NULL, work, NULL);
	sum += (int)sleave_choose(5);
	pthread_join(thread, NULL);
	assert(sum != 7);
	return 0;
}
