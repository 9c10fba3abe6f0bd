/*
 * A failed sem_trywait() orders nothing.
 */
/* expect: data race on data */
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;
int data;

static void *
work(void *arg)
{
	data = 1;
	sem_post(&ready);
	return arg;
}

int
main(void)
{
	pthread_t thread;
	int seen = 0;

	sem_init(&ready, 0, 0);
	pthread_create(&thread, NULL, work, NULL);
	if (sem_trywait(&ready) != 0)
		seen = data;
	pthread_join(thread, NULL);
	return seen == 7;
}
