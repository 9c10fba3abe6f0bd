/*
 * bug/crash/null_function.c, repaired: there may be no handler. Nothing is to be found.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static void
handler(void)
{
}

static void (*_Atomic hook)(void);

static void *
work(void *arg)
{
	atomic_store(&hook, handler);
	return arg;
}

int
main(void)
{
	pthread_t thread;
	void (*mine)(void);

	pthread_create(&thread, NULL, work, NULL);
	mine = atomic_load(&hook);
	if (mine)
		mine();
	pthread_join(thread, NULL);
	return 0;
}
