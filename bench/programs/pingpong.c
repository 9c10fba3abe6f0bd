/* Two threads in turns, ROUNDS times: every wait is a switch, whatever the strategy. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t ping, pong;
static long rounds;

static void *
answer(void *unused)
{
	for (long i = 0; i < rounds; i++) {
		sem_wait(&ping);
		sem_post(&pong);
	}
	return unused;
}

int
main(int argc, char **argv)
{
	pthread_t thread;

	rounds = argc > 1 ? atol(argv[1]) : 1000;
	sem_init(&ping, 0, 0);
	sem_init(&pong, 0, 0);
	pthread_create(&thread, NULL, answer, NULL);
	for (long i = 0; i < rounds; i++) {
		sem_post(&ping);
		sem_wait(&pong);
	}
	pthread_join(thread, NULL);
	return 0;
}
