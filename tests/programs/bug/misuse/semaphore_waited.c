/*
 * A semaphore is destroyed while a thread waits for it.
 */
/* expect: ^misuse: main destroys ready, for which T1 work waits at .*semaphore_waited.c: */
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
	sem_destroy(&ready);
	pthread_join(thread, NULL);
	return 0;
}
