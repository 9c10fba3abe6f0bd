#include "event.h"

#include <assert.h>
#include <stdint.h>

#define TASKS 5
#define REPORTS 8

static struct event plan, done, log_event;

static void
report(void)
{
	for (int i = 0; i < REPORTS; i++)
		event_signal(&log_event);
}

/* The planner and the executive meet at the start; from then on all tasks only report. */
static void
planner(void)
{
	event_signal(&plan);
	event_wait(&done, 0);
}

static void
executive(void)
{
	event_wait(&plan, 0);
	event_signal(&done);
}

/* Each task starts the next one: the planner, the executive, sensors. */
static void *
task(void *number)
{
	intptr_t mine = (intptr_t)number;
	pthread_t next;

	if (mine + 1 < TASKS)
		pthread_create(&next, NULL, task, (void *)(mine + 1));
	if (mine == 0)
		planner();
	else if (mine == 1)
		executive();
	report();
	if (mine + 1 < TASKS)
		pthread_join(next, NULL);
	return NULL;
}

int
main(void)
{
	pthread_t first;

	event_init(&plan);
	event_init(&done);
	event_init(&log_event);
	pthread_create(&first, NULL, task, (void *)0);
	pthread_join(first, NULL);
	assert(event_count(&plan) == 1 && event_count(&done) == 1);
	assert(event_count(&log_event) == TASKS * REPORTS);
	event_release(&plan);
	event_release(&done);
	event_release(&log_event);
	return 0;
}
