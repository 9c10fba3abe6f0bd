/* N writers of one variable: every order counts, N!. */
#include "common.h"

atomic_int x; /* not static: an unread variable would be optimised away */

static void *
writer(void *number)
{
	atomic_store(&x, (int)(intptr_t)number);
	return NULL;
}

int
main(void)
{
	pthread_t threads[N];

	start(threads, N, writer);
	join(threads, N);
	return 0;
}
