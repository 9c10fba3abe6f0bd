/* A helper thread that waits since before the section is no reason to wait: the schedule can't happen, and the message says so. */
/* aborts */
/* says: schedule "nobody asks" can't happen: no thread can go on */
/* says: main is held at `looks` */
/* says: `worked` has not occurred */
/* says: T1 (helper) waits at sections/helpers_infeasible.c:22 for a condition variable (work) */
#include <pthread.h>
#include <sleave.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, idle = PTHREAD_COND_INITIALIZER;
static int waiting, wanted;

static void *
helper(void *unused)
{
	sleave_thread_name("helper");
	pthread_mutex_lock(&lock);
	waiting = 1;
	pthread_cond_signal(&idle);
	while (!wanted)
		pthread_cond_wait(&work, &lock);
	pthread_mutex_unlock(&lock);
	sleave_event("worked");
	return unused;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, helper, NULL);
	pthread_mutex_lock(&lock);
	while (!waiting)
		pthread_cond_wait(&idle, &lock);
	pthread_mutex_unlock(&lock);
	SLEAVE_SCHEDULES("nobody asks", "worked -> looks")
		sleave_event("looks");
	return 0;
}
