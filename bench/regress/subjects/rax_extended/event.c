/*
 * Events of the planner of a spacecraft: after the published subject "RAX extended". A task waits for an event only if it
 * has not occurred since the task has looked; to look and to wait is one step.
 */
#include "event.h"

void
event_init(struct event *e)
{
	pthread_mutex_init(&e->lock, NULL);
	pthread_cond_init(&e->occurred, NULL);
	e->count = 0;
}

void
event_release(struct event *e)
{
	pthread_cond_destroy(&e->occurred);
	pthread_mutex_destroy(&e->lock);
}

void
event_signal(struct event *e)
{
	pthread_mutex_lock(&e->lock);
	e->count++;
	pthread_cond_broadcast(&e->occurred);
	pthread_mutex_unlock(&e->lock);
}

int
event_count(struct event *e)
{
	int count;

	pthread_mutex_lock(&e->lock);
	count = e->count;
	pthread_mutex_unlock(&e->lock);
	return count;
}

int
event_wait(struct event *e, int seen)
{
	int count;

	pthread_mutex_lock(&e->lock);
	while (e->count == seen)
		pthread_cond_wait(&e->occurred, &e->lock);
	count = e->count;
	pthread_mutex_unlock(&e->lock);
	return count;
}
