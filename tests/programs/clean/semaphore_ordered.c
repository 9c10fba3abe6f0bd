/*
 * Ping-pong with two semaphores: plain data goes back and forth. One interleaving that matters; nothing is to be
 * found.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t ping, pong;
static int ball;

static void *
other(void *arg)
{
	for (int i = 0; i < 3; i++) {
		sem_wait(&ping);
		ball++;
		sem_post(&pong);
	}
	return arg;
}

int
main(void)
{
	pthread_t thread;
	int value;

	sem_init(&ping, 0, 0);
	sem_init(&pong, 0, 0);
	pthread_create(&thread, NULL, other, NULL);
	for (int i = 0; i < 3; i++) {
		ball++;
		sem_post(&ping);
		sem_wait(&pong);
		assert(ball == 2 * i + 2);
	}
	pthread_join(thread, NULL);
	assert(sem_getvalue(&ping, &value) == 0 && value == 0);
	return 0;
}
