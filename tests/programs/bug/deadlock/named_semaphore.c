/*
 * Two named semaphores as locks, taken in opposite orders.
 */
/* expect: wait for each other|deadlock */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t *a, *b;

static void *
worker(void *arg)
{
	sem_wait(a);
	sem_wait(b);
	sem_post(b);
	sem_post(a);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	a = sem_open("/sleave-test-a", O_CREAT, 0600, 1);
	b = sem_open("/sleave-test-b", O_CREAT, 0600, 1);
	pthread_create(&thread, NULL, worker, NULL);
	sem_wait(b);
	sem_wait(a);
	sem_post(a);
	sem_post(b);
	pthread_join(thread, NULL);
	sem_close(a);
	sem_close(b);
	sem_unlink("/sleave-test-a");
	sem_unlink("/sleave-test-b");
	return 0;
}
