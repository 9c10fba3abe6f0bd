/* A queue of numbers: queue_take() waits until there is one. */
#ifndef QUEUE_H
#define QUEUE_H

#include <pthread.h>

#define QUEUE_ROOM 8

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t added;
	int numbers[QUEUE_ROOM];
	unsigned first, count;
};

#define QUEUE_EMPTY {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {0}, 0, 0}

int queue_add(struct queue *queue, int number); /* 0 if there is no room */
int queue_take(struct queue *queue);

#endif
