/*
 * A semaphore for one room that starts at two: two threads are inside together.
 */
/* expect: inside == 1 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t room;
static atomic_int inside;

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

	sem_init(&room, 0, 2);
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
