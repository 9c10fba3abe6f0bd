/*
 * Two threads take two locks in different orders, under an alarm that would end
 * the program: the deadlock is found, and the alarm is not a finding of its own.
 */
/* options: --keep-going */
/* expect: deadlock: main and T2 .* wait for each other */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *
other_order(void *arg)
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
	pthread_t thread;

	alarm(10);
	pthread_create(&thread, NULL, other_order, NULL);
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	pthread_join(thread, NULL);
	return 0;
}
