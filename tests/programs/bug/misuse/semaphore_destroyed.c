/*
 * A semaphore is destroyed as soon as it was waited for, while the one who posts may not have come that far: with a
 * second post it uses what is gone.
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
