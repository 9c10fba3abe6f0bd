/*
 * bug/race/trywait.c, repaired: read only if the semaphore was taken. Nothing is to be found.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;
static int data;

static void *
work(void *arg)
{
	data = 1;
	sem_post(&ready);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	sem_init(&ready, 0, 0);
	pthread_create(&thread, NULL, work, NULL);
	if (sem_trywait(&ready) == 0)
		assert(data == 1);
	else
		assert(errno == EAGAIN);
	pthread_join(thread, NULL);
	return 0;
}
