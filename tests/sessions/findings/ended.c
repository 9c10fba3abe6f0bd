#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, state = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static int finished;
static void *leave(void *arg)
{
	pthread_mutex_lock(&lock);
	return arg;
}
static void *use(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&state);
	finished = 1;
	pthread_cond_signal(&done);
	pthread_mutex_unlock(&state);
	return arg;
}
int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, leave, NULL);
	pthread_create(&t[1], NULL, use, NULL);
	pthread_mutex_lock(&state);
	while (!finished)
		pthread_cond_wait(&done, &state);
	pthread_mutex_unlock(&state);
	return 0;
}
