/*
 * bug/misuse/semaphore_waited.c, repaired: the waiting thread is woken and joined before. Nothing is to be found.
 */
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;

static void *
work(void *unused)
{
	sem_wait(&ready);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	sem_init(&ready, 0, 0);
	pthread_create(&thread, NULL, work, NULL);
	sem_post(&ready);
	pthread_join(thread, NULL);
	sem_destroy(&ready);
	return 0;
}
