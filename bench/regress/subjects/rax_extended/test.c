#include "event.h"

#include <assert.h>

#define TASKS 4
#define REPORTS 5

static struct event plan, done, log_event;

static void
report(void)
{
	for (int i = 0; i < REPORTS; i++)
		event_signal(&log_event);
}

/* The planner and the executive meet at the start; from then on all tasks only report. */
static void *
planner(void *arg)
{
	event_signal(&plan);
	event_wait(&done, 0);
	report();
	return arg;
}

static void *
executive(void *arg)
{
	event_wait(&plan, 0);
	event_signal(&done);
	report();
	return arg;
}

static void *
sensor(void *arg)
{
	report();
	return arg;
}

int
main(void)
{
	static void *(*const tasks[TASKS])(void *) = {planner, executive, sensor, sensor};
	pthread_t threads[TASKS];

	event_init(&plan);
	event_init(&done);
	event_init(&log_event);
	for (int i = 0; i < TASKS; i++)
		pthread_create(&threads[i], NULL, tasks[i], NULL);
	for (int i = 0; i < TASKS; i++)
		pthread_join(threads[i], NULL);
	assert(event_count(&plan) == 1 && event_count(&done) == 1);
	assert(event_count(&log_event) == TASKS * REPORTS);
	event_release(&plan);
	event_release(&done);
	event_release(&log_event);
	return 0;
}
