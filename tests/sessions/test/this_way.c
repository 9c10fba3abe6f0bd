/*
 * A schedule that is followed if main is the first to lock, which on real threads it always is; and two that
 * are always followed. -DHELPER: a thread exists before, so that the section is explored by the whole program.
 */
#include <pthread.h>
#include <sched.h>
#include <sleave.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, end = PTHREAD_MUTEX_INITIALIZER;
static atomic_int has_it; /* main */

static void *
second(void *unused)
{
	sleave_event("comes");
	while (!sleave_active() && !has_it)
		sched_yield();
	pthread_mutex_lock(&lock);
	sleave_event("b");
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *
helper(void *unused)
{
	pthread_mutex_lock(&end);
	pthread_mutex_unlock(&end);
	return unused;
}

int
main(void)
{
	pthread_t thread, helps;

	pthread_mutex_lock(&end);
#ifdef HELPER
	pthread_create(&helps, NULL, helper, NULL);
#else
	(void)helper, (void)helps;
#endif
	SLEAVE_SCHEDULES("before", "before -> comes", "partly", "a -> b", "after", "a -> comes") {
		has_it = 0;
		pthread_create(&thread, NULL, second, NULL);
		sleave_event("before");
		pthread_mutex_lock(&lock);
		has_it = 1;
		sleave_event("a");
		pthread_mutex_unlock(&lock);
		pthread_join(thread, NULL);
	}
	pthread_mutex_unlock(&end);
#ifdef HELPER
	pthread_join(helps, NULL);
#endif
	return 0;
}
