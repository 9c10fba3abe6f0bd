/*
 * Two threads create the same named semaphore, each with one unit, and take turns: the thread that comes first creates it.
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

static int inside;

static void *
worker(void *arg)
{
	sem_t *s = sem_open("/sleave-test", O_CREAT, 0600, 1);

	sem_wait(s);
	assert(inside++ == 0);
	inside--;
	sem_post(s);
	sem_close(s);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, NULL);
	worker(NULL);
	pthread_join(thread, NULL);
	assert(sem_unlink("/sleave-test") == 0);
	assert(sem_unlink("/sleave-test") == -1);
	return 0;
}
