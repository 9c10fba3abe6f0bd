/* N threads wait in a loop for what another one sets (HOW: 0 by polling, 1 with a yield, 2 with a short sleep): one class. */
#include "common.h"
#include <sched.h>
#include <unistd.h>

static atomic_int flag;
static int data;

static void *
waiter(void *unused)
{
	while (!atomic_load(&flag)) {
		if (HOW == 1)
			sched_yield();
		if (HOW == 2)
			usleep(10);
	}
	return data == 42 ? unused : NULL;
}

static void *
setter(void *unused)
{
	data = 42;
	atomic_store(&flag, 1);
	return unused;
}

int
main(void)
{
	pthread_t threads[N], other;

	if (FIRST)
		start(&other, 1, setter);
	start(threads, N, waiter);
	if (!FIRST)
		start(&other, 1, setter);
	join(&other, 1);
	join(threads, N);
	return 0;
}
