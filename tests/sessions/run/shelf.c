#include <pthread.h>

struct {
	int hits;
	volatile int state;
} board;

static void *
hit(void *arg)
{
	board.hits++;
	return arg;
}

static void *
step(void *arg)
{
	board.state++;
	return arg;
}

int
main(int argc, char **argv)
{
	pthread_t thread;

	(void)argv;
	pthread_create(&thread, NULL, argc > 1 ? step : hit, NULL);
	(argc > 1 ? step : hit)(NULL);
	pthread_join(thread, NULL);
	return 0;
}
