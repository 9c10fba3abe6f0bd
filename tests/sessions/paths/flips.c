/* One thread switches a lamp on and off, another one counts what it sees of that, until both are told to stop: a long search. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int stop, lamp;
static int seen;

static void *
blink(void *unused)
{
	while (!stop)
		lamp = !lamp;
	return unused;
}

static void *
watch(void *unused)
{
	int last = 0;

	while (!stop) {
		int now = lamp;

		if (now != last)
			seen++;
		last = now;
	}
	return unused;
}

int
main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, blink, NULL);
	pthread_create(&threads[1], NULL, watch, NULL);
	stop = 1;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
