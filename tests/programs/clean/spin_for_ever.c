/*
 * bug/deadlock/spin_for_ever.c, repaired: at least 1 is enough. The busy waiting ends in every execution. Nothing
 * is to be found.
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int step;

static void *
work(void *arg)
{
	step = 1;
	step = 2;
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	while (step < 1)
		;
	pthread_join(thread, NULL);
	return 0;
}
