/*
 * Used right after it was freed, by the thread that freed it, within one epoch of its clock:
 * what the shadow records of the access before must not hide it. Any schedule shows it.
 */
/* expect: ^use after free: T1 .* writes 8 bytes of \*block, at the start of a block of 24 bytes, freed by T1 */
#include <pthread.h>
#include <stdlib.h>

static long *volatile block;

static void *
work(void *unused)
{
	block = malloc(24);
	*block = 1;
	*block = 2;
	free(block);
	*block = 3;
	return unused;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	return 0;
}
