/*
 * names PART SCHEDULE: what a schedule says about names, about the end of its block, and about blocked threads. `named
 * late`: by the thread's creator, when it is under way. `left`: the block ends before the thread has reached its event.
 * `blocking`: each of two threads has the lock for a while. `infeasible`: what comes after a section that can't happen.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <sleave.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *
does(void *event)
{
	sleave_event(event);
	return NULL;
}

static void *
blocks(void *name)
{
	sleave_thread_name(name);
	pthread_mutex_lock(&lock);
	sched_yield();
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void
named_late(const char *schedule)
{
	pthread_t thread;

	SLEAVE_SCHEDULES("late", schedule) {
		pthread_create(&thread, NULL, does, "done");
		pthread_setname_np(thread, "worker");
		sleave_event("go");
		pthread_join(thread, NULL);
	}
}

static void
left(const char *schedule)
{
	pthread_t thread;

	SLEAVE_SCHEDULES("left", schedule) {
		pthread_create(&thread, NULL, does, "done");
		sleave_event("go");
	}
	pthread_join(thread, NULL);
}

static void
blocking(const char *schedule)
{
	pthread_t a, b;

	SLEAVE_SCHEDULES("blocking", schedule) {
		pthread_create(&a, NULL, blocks, "A");
		pthread_create(&b, NULL, blocks, "B");
		pthread_join(a, NULL);
		pthread_join(b, NULL);
	}
}

static void *
locks(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	sleave_event("second");
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void
infeasible(const char *schedule)
{
	pthread_t thread;

	SLEAVE_INFEASIBLE("never", schedule) {
		pthread_mutex_lock(&lock);
		pthread_create(&thread, NULL, locks, NULL);
		sleave_event("first");
		pthread_mutex_unlock(&lock);
		pthread_join(thread, NULL);
	}
	assert(!"what comes after the section");
}

int
main(int count, char **arguments)
{
	assert(count == 3);
	if (!strcmp(arguments[1], "late")) {
		named_late(arguments[2]);
	} else if (!strcmp(arguments[1], "twice")) { /* T1 is the first of each section */
		named_late(arguments[2]);
		named_late(arguments[2]);
	} else if (!strcmp(arguments[1], "left")) {
		left(arguments[2]);
	} else if (!strcmp(arguments[1], "blocking")) {
		blocking(arguments[2]);
	} else {
		infeasible(arguments[2]);
	}
	return 0;
}
