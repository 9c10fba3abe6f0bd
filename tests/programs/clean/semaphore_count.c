/*
 * bug/assertion/semaphore_count.c, repaired: the semaphore starts at one and is a lock; plain data inside it is
 * ordered. Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t room;
static int inside;

static void *
work(void *arg)
{
	sem_wait(&room);
	inside++;
	assert(inside == 1);
	inside--;
	sem_post(&room);
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	sem_init(&room, 0, 1);
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	sem_destroy(&room);
	return 0;
}
