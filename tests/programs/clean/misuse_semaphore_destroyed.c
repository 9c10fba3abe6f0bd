/*
 * bug/misuse/semaphore_destroyed.c, repaired: the semaphore is destroyed after the join. Nothing is to be found.
 */
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;

static void *
work(void *unused)
{
	sem_post(&ready);
	sem_post(&ready);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	sem_init(&ready, 0, 0);
	pthread_create(&thread, NULL, work, NULL);
	sem_wait(&ready);
	pthread_join(thread, NULL);
	sem_destroy(&ready);
	return 0;
}
