/*
 * A section whose executions do not end, under `sleave test`. Each operation takes long, so that the time limit is reached before the
 * limit of operations on any machine.
 */
#include <pthread.h>
#include <sleave.h>
#include <string.h>

static char table[1 << 16];

static void
fill(long rounds)
{
	for (long r = 0; r != rounds; r++)
		memset(table, (int)r, sizeof(table));
}

static void *
work(void *arg)
{
	sleave_event("works");
	return arg;
}

int
main(void)
{
	SLEAVE_SCHEDULES("order", "works -> goes")
	{
		pthread_t thread;

		pthread_create(&thread, NULL, work, NULL);
		sleave_event("goes");
		if (sleave_active())
			fill(-1);
		pthread_join(thread, NULL);
	}
	return 0;
}
