/*
 * Everything that waits: condition variables with and without a time limit, a barrier, semaphores, once, join and
 * detach. More interleavings than can be run; no finding.
 */
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t items, ended;
static int open_now, late;

static void
first(void)
{
}

static void *
work(void *arg)
{
	struct timespec limit;

	pthread_once(&once, first);
	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec++;
	pthread_mutex_lock(&lock);
	late += !open_now && pthread_cond_timedwait(&changed, &lock, &limit);
	while (!open_now)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	pthread_barrier_wait(&barrier);
	if (sem_trywait(&items) != 0 && sem_timedwait(&items, &limit) != 0)
		sem_post(&items);
	sem_post(&ended);
	return arg;
}

int
main(void)
{
	pthread_t threads[3];

	pthread_barrier_init(&barrier, NULL, 3);
	sem_init(&items, 0, 1);
	sem_init(&ended, 0, 0);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	pthread_detach(threads[0]);
	pthread_mutex_lock(&lock);
	open_now = 1;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 3; i++)
		sem_wait(&ended);
	return 0;
}
