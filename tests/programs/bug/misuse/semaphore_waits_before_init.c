/*
 * The first thread waits for a semaphore that is all zero, and so has the value 0, until another initialises it. On real
 * threads it may sleep for ever: sem_init() wakes no thread.
 */
/* expect: ^misuse: T1 work initialises ready, for which main waits already at .*semaphore_waits_before_init.c: */
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;

static void *
work(void *unused)
{
	sem_init(&ready, 0, 1);
	return unused;
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
