/*
 * A semaphore is destroyed as soon as the wait for it has ended, while the poster
 * may not have finished: with a second post it uses a destroyed semaphore.
 */
/* expect: ^misuse: T1 work uses ready, which was destroyed by main at .*semaphore_destroyed.c: */
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
	sem_destroy(&ready);
	pthread_join(thread, NULL);
	return 0;
}
