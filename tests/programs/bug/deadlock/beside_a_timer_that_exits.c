/*
 * Two threads wait for each other's lock for ever. A timer's handler ends the program with status 0, which hides it.
 */
/* expect: deadlock */
#include <pthread.h>
#include <signal.h>
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

static void
give_up(int number)
{
	(void)number;
	_exit(0);
}

int
main(void)
{
	pthread_t one, other;

	signal(SIGALRM, give_up);
	alarm(10);
	pthread_create(&one, NULL, forwards, NULL);
	pthread_create(&other, NULL, backwards, NULL);
	pthread_join(one, NULL);
	pthread_join(other, NULL);
	return 0;
}
