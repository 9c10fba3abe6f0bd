/*
 * C11's thread-specific data: the worker stores something under a key that main has created.
 */
#include <threads.h>

static tss_t key;

static int
work(void *arg)
{
	static int mine;

	(void)arg;
	tss_set(key, &mine);
	return 0;
}

int
main(void)
{
	thrd_t thread;

	if (tss_create(&key, NULL) != thrd_success)
		return 1;
	if (thrd_create(&thread, work, NULL) != thrd_success)
		return 1;
	thrd_join(thread, NULL);
	return 0;
}
