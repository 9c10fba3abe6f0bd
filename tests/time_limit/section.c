/* A section whose executions do not end, under `sleave test`. */
#include <pthread.h>
#include <sleave.h>

static volatile long table[64];

static void
fill(long rounds)
{
	for (long r = 0; r != rounds; r++)
		for (int i = 0; i < 64; i++)
			table[i] += r;
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
