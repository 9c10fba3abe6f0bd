/* Two threads wait in loops for a flag, one reads it once: before it is set, or after: two classes.
 * Fruitless reads of the loops must not stand for the single read; in any order of the threads. */
#include "common.h"

static atomic_int flag;
static const int roles[] = {ORDER};

static void *
work(void *number)
{
	switch (roles[(intptr_t)number]) {
	case 0:
		atomic_store(&flag, 1);
		break;
	case 1:
		return (void *)(intptr_t)atomic_load(&flag);
	default:
		while (!atomic_load(&flag))
			;
	}
	return NULL;
}

int
main(void)
{
	pthread_t threads[4];

	start(threads, 4, work);
	join(threads, 4);
	return 0;
}
