/* Two semaphores used as locks, in two orders: a semaphore has no holder, but other executions show which thread posts it. */
/* expect: ^deadlock: T1 forward waits at [a-z]+/semaphores_of_each_other.c:12 for b, which T2 backward posts at [a-z]+/semaphores_of_each_other.c:23; T2 backward waits at [a-z]+/semaphores_of_each_other.c:21 for a, which T1 forward posts at [a-z]+/semaphores_of_each_other.c:14$ */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
static sem_t a, b;
static void *
forward(void *arg)
{
	sem_wait(&a);
	/* the other semaphore */
	sem_wait(&b);
	sem_post(&b);
	sem_post(&a);
	return arg;
}
static void *
backward(void *arg)
{
	sem_wait(&b);
	sem_wait(&a);
	sem_post(&a);
	sem_post(&b);
	return arg;
}
int
main(void)
{
	pthread_t t[2];

	sem_init(&a, 0, 1);
	sem_init(&b, 0, 1);
	pthread_create(&t[0], NULL, forward, NULL);
	pthread_create(&t[1], NULL, backward, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
