#ifndef EVENT_H
#define EVENT_H

#include <pthread.h>

/* An event that tasks wait for, and a count of how often it has occurred. */
struct event {
	pthread_mutex_t lock;
	pthread_cond_t occurred;
	int count;
};

void event_init(struct event *event);
void event_release(struct event *event);
void event_signal(struct event *event);
int event_count(struct event *event);
/* Returns when the event has occurred more often than `seen` times; how often that is. */
int event_wait(struct event *event, int seen);

#endif
