/* A schedule that is followed if T1 is the first to lock, which on real threads it never is. */
#include <pthread.h>
#include <sched.h>
#include <sleave.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int has_it; /* main */

static void *
second(void *unused)
{
	while (!sleave_active() && !has_it)
		sched_yield();
	pthread_mutex_lock(&lock);
	sleave_event("b");
	pthread_mutex_unlock(&lock);
	return unused;
}

int
main(void)
{
	SLEAVE_SCHEDULES("x", "b -> a") {
		pthread_t thread;

		pthread_create(&thread, NULL, second, NULL);
		pthread_mutex_lock(&lock);
		has_it = 1;
		sleave_event("a");
		pthread_mutex_unlock(&lock);
		pthread_join(thread, NULL);
	}
	return 0;
}
