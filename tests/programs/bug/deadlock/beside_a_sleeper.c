/*
 * Two threads wait for each other's lock for ever. The first one does not join them: it sleeps and ends the program, as if nothing
 * had happened.
 */
/* expect: deadlock */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *
forwards(void *arg)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return arg;
}

static void *
backwards(void *arg)
{
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return arg;
}

int
main(void)
{
	pthread_t one, other;

	pthread_create(&one, NULL, forwards, NULL);
	pthread_create(&other, NULL, backwards, NULL);
	sleep(1);
	return 0;
}
