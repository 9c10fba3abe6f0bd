/*
 * A semaphore that is all zero, because it was not initialised. It happens to be one of value 0 in glibc.
 */
/* expect: ^misuse: (main|T1 .*) uses ready, which was never initialised at .*semaphore_zeroed.c: */
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;

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
