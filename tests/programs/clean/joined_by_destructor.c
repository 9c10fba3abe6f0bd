/*
 * A thread that a destructor ends and joins is not left running: there is no warning (tests/sessions/run/warnings.session).
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_t thread;
static int stop;

static void *
worker(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!stop)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

__attribute__((destructor)) static void
end(void)
{
	pthread_mutex_lock(&lock);
	stop = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
}

int
main(void)
{
	pthread_create(&thread, NULL, worker, NULL);
	return 0;
}
