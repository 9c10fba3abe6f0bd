/*
 * A thread is cancelled while it waits for a condition variable: it has its mutex again, and gives it back.
 * counts: CANCEL 1 COND_WAIT 1 COND_RELOCK 1 MUTEX_LOCK 2 MUTEX_UNLOCK 2 END 1 JOIN 1
 */
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t ready;

static void
unlock(void *unused)
{
	(void)unused;
	pthread_mutex_unlock(&mutex);
}

static void *
run(void *unused)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(unlock, NULL);
	sem_post(&ready);
	for (;;)
		pthread_cond_wait(&never, &mutex);
	pthread_cleanup_pop(1);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	sem_init(&ready, 0, 0);
	pthread_create(&thread, NULL, run, NULL);
	sem_wait(&ready);
	pthread_mutex_lock(&mutex); /* it waits */
	pthread_mutex_unlock(&mutex);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	return 0;
}
