/* T1 takes what main puts into the queue, with a condition variable, and reports it with a semaphore. */
#include <pthread.h>
#include <semaphore.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static sem_t s;
static int full;
static void *take(void *p)
{
	pthread_mutex_lock(&m);
	while (!full)
		pthread_cond_wait(&ready, &m);
	full = 0;
	pthread_mutex_unlock(&m);
	sem_post(&s);
	return p;
}
int main(void)
{
	pthread_t a;
	sem_init(&s, 0, 0);
	pthread_create(&a, NULL, take, NULL);
	pthread_mutex_lock(&m);
	full = 1;
	pthread_cond_signal(&ready);
	pthread_mutex_unlock(&m);
	sem_wait(&s);
	pthread_join(a, NULL);
	return 0;
}
