/*
 * Detached threads, by attribute, by pthread_detach() and by themselves; main waits for them with a semaphore.
 * Nothing is to be found.
 */
/* options: --schedules 3000 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t done;
static int results[3];

static void *
work(void *arg)
{
	*(int *)arg = 1;
	sem_post(&done);
	return NULL;
}

static void *
detach_and_work(void *arg)
{
	pthread_detach(pthread_self());
	return work(arg);
}

int
main(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	sem_init(&done, 0, 0);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_create(&thread, &attr, work, &results[0]);
	pthread_create(&thread, NULL, work, &results[1]);
	pthread_detach(thread);
	pthread_create(&thread, NULL, detach_and_work, &results[2]);
	for (int i = 0; i < 3; i++)
		sem_wait(&done);
	assert(results[0] + results[1] + results[2] == 3);
	return 0;
}
