/*
 * C11's thread-specific data: the worker stores a value under a key
 * that was never created. libc refuses it, and the result is ignored.
 */
/* expect: ^misuse: T1 .* uses key 77, which was never created at .*key_never_created.c:16$ */
#include <threads.h>

static tss_t key = 77;

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

	if (thrd_create(&thread, work, NULL) != thrd_success)
		return 1;
	thrd_join(thread, NULL);
	return 0;
}
