#ifndef APPENDER_H
#define APPENDER_H

#include <pthread.h>

#define QUEUE_ROOM 4
#define TARGETS_MOST 3
#define WRITTEN_MOST 32

/* Where events end up. Each function of the interface is atomic. */
struct target {
	pthread_mutex_t lock;
	int written[WRITTEN_MOST];
	int count, threshold, is_open;
};

void target_init(struct target *target, int threshold);
void target_write(struct target *target, int event); /* not if it is below the threshold */
void target_close(struct target *target);
int target_count(struct target *target);
int target_sum(struct target *target);

/* Takes events if it has room for them, and gives them to its targets in a thread of its own. */
struct appender {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	int events[QUEUE_ROOM];
	int first, count;
	int is_closed, discarded, accepted;
	struct target *targets[TARGETS_MOST];
	int target_count;
	pthread_t dispatcher;
};

void appender_start(struct appender *appender);
void appender_attach(struct appender *appender, struct target *target);
int appender_append(struct appender *appender,
		    int event);                 /* 1: it will be written; 0: there is no room, or it is closed */
void appender_close(struct appender *appender); /* when all that was taken is written */
int appender_accepted(struct appender *appender);
int appender_discarded(struct appender *appender);

#endif
