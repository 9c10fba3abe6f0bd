/*
 * Two threads lock in two orders, one of them after a sleep, the other after much else: random schedules miss the
 * deadlock, but the lock orders are noticed, and steering lets the sleeper wake while the other thread is held back.
 */
/* options: --strategy=random --schedules=3 */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *
later(void *arg)
{
	sleep(5);
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return arg;
}

int
main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, later, NULL);
	for (int i = 0; i < 20; i++)
		sched_yield();
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	pthread_join(t, NULL);
	return 0;
}
