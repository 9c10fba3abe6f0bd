#include "event.h"

#include <assert.h>

#define ROUNDS 2

static struct event plan, done, log_event;

static void *
planner(void *arg)
{
	int seen = 0;

	for (int i = 0; i < ROUNDS; i++) {
		event_signal(&plan);
		event_signal(&log_event);
		seen = event_wait(&done, seen);
	}
	return arg;
}

static void *
executive(void *arg)
{
	int seen = 0;

	for (int i = 0; i < ROUNDS; i++) {
		seen = event_wait(&plan, seen);
		event_signal(&log_event);
		event_signal(&done);
	}
	return arg;
}

static void *
monitor(void *arg)
{
	for (int i = 0; i < 2; i++)
		event_count(&log_event);
	event_signal(&log_event);
	return arg;
}

int
main(void)
{
	pthread_t threads[3];

	event_init(&plan);
	event_init(&done);
	event_init(&log_event);
	pthread_create(&threads[0], NULL, planner, NULL);
	pthread_create(&threads[1], NULL, executive, NULL);
	pthread_create(&threads[2], NULL, monitor, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert(event_count(&log_event) == 2 * ROUNDS + 1);
	event_release(&plan);
	event_release(&done);
	event_release(&log_event);
	return 0;
}
