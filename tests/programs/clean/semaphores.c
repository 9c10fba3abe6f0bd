/*
 * bug/deadlock/semaphores.c, repaired: a thread that does not get the second
 * semaphore releases the first one. The attempts end. Nothing is to be found.
 */
/* options: --schedules 1000 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

static sem_t a, b;

static void *
other(void *arg)
{
	sem_wait(&b);
	while (sem_trywait(&a) != 0) {
		sem_post(&b);
		sched_yield();
		sem_wait(&b);
	}
	sem_post(&a);
	sem_post(&b);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	sem_init(&a, 0, 1);
	sem_init(&b, 0, 1);
	pthread_create(&thread, NULL, other, NULL);
	sem_wait(&a);
	sem_wait(&b);
	sem_post(&b);
	sem_post(&a);
	pthread_join(thread, NULL);
	return 0;
}
