/*
 * A handler is called before it is registered.
 */
/* expect: crash */
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

	pthread_create(&thread, NULL, work, NULL);
	atomic_load (&hook)();
	pthread_join(thread, NULL);
	return 0;
}
