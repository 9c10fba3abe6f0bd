/*
 * A mutex is destroyed by one thread while another may hold it.
 */
/* expect: ^misuse: main destroys lock, which T1 work holds at .*destroy_locked.c: */
#include <pthread.h>

static int started;
static pthread_mutex_t lock;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;

static void *
work(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_lock(&other);
	started = 1;
	pthread_mutex_unlock(&other);
	pthread_mutex_unlock(&lock);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	pthread_mutex_init(&lock, NULL);
	pthread_create(&thread, NULL, work, NULL);
	pthread_mutex_lock(&other);
	if (started)
		pthread_mutex_destroy(&lock);
	pthread_mutex_unlock(&other);
	pthread_join(thread, NULL);
	return 0;
}
