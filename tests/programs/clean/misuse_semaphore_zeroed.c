/*
 * The same semaphore as in the bug of this name, initialised by a constructor: before anything is under control.
 */
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;

__attribute__((constructor)) static void
before_main(void)
{
	sem_init(&ready, 0, 0);
}

static void *
work(void *arg)
{
	sem_post(&ready);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	sem_wait(&ready);
	pthread_join(thread, NULL);
	return 0;
}
