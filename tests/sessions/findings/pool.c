#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static int items, finished;
static void *worker(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		while (!items)
			pthread_cond_wait(&work, &lock);
		items--;
		finished++;
		pthread_cond_signal(&done);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}
static void *client(void *arg)
{
	int wait;

	pthread_mutex_lock(&lock);
	items++;
	pthread_cond_signal(&work);
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	wait = !finished;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	if (wait)
		pthread_cond_wait(&done, &lock);
	pthread_mutex_unlock(&lock);
	return arg;
}
int main(void)
{
	pthread_t t;

	for (int i = 0; i < 3; i++)
		pthread_create(&t, NULL, worker, NULL);
	pthread_create(&t, NULL, client, NULL);
	pthread_join(t, NULL);
	return 0;
}
