/*
 * Main waits for a signal that was forgotten, while a worker waits for work, ten seconds at a time, for ever: such executions have
 * no end, and others do.
 */
/* options: --operations 20000 --schedules 60 */
/* expect: ^does not end: T1 worker at .* loops for ever */
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static int job, finished, stop;

static void *
worker(void *arg)
{
	struct timespec limit;

	pthread_mutex_lock(&lock);
	while (!stop) {
		while (!job && !stop) {
			clock_gettime(CLOCK_REALTIME, &limit);
			limit.tv_sec += 10;
			pthread_cond_timedwait(&work, &lock, &limit);
		}
		finished += job; /* and should signal `done` */
		job = 0;
	}
	pthread_mutex_unlock(&lock);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, NULL);
	pthread_mutex_lock(&lock);
	job = 1;
	pthread_cond_signal(&work);
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	while (!finished)
		pthread_cond_wait(&done, &lock);
	stop = 1;
	pthread_cond_signal(&work);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	return 0;
}
