/*
 * A program without sections names a thread while another waits: the wait goes on as before, and ends.
 */
#include <pthread.h>
#include <sleave.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static int waiting, go;

static void *
work(void *unused)
{
	pthread_mutex_lock(&lock);
	waiting = 1;
	pthread_cond_broadcast(&change);
	while (!go)
		pthread_cond_wait(&change, &lock);
	pthread_mutex_unlock(&lock);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	pthread_mutex_lock(&lock);
	while (!waiting)
		pthread_cond_wait(&change, &lock);
	pthread_mutex_unlock(&lock);
	sleave_thread_name("first");
	pthread_mutex_lock(&lock);
	go = 1;
	pthread_cond_broadcast(&change);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	return 0;
}
