/* Two readers of x, each before or after its writer, and one that reads y twice, of which both, one or none
 * come before the write: 4 * 3. What is reversed in one group has to be reversed in each class of the other. */
#include "common.h"

static atomic_int x, y;
static const int roles[] = {ORDER};

static void *
work(void *number)
{
	switch (roles[(intptr_t)number]) {
	case 0:
	case 4:
		return (void *)(intptr_t)atomic_load(&x);
	case 1:
		atomic_load(&y);
		atomic_store(&y, 1);
		break;
	case 2:
		atomic_store(&x, 2);
		break;
	default:
		atomic_load(&y);
		return (void *)(intptr_t)atomic_load(&y);
	}
	return NULL;
}

int
main(void)
{
	pthread_t threads[5];

	start(threads, 5, work);
	join(threads, 5);
	return 0;
}
