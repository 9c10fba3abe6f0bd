/*
 * bug/race/volatile_flag.c, repaired: atomic. The busy waiting ends,
 * and makes the earlier writes visible. Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static int data;

static void *
set(void *arg)
{
	data = 1;
	flag = 1;
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, set, NULL);
	while (!flag)
		;
	assert(data == 1);
	pthread_join(thread, NULL);
	return 0;
}
