/*
 * A queue that threads share. Its items are pointers that are not NULL; they are the caller's.
 */
#ifndef QUEUE_H
#define QUEUE_H

#include <pthread.h>

struct queue {
	pthread_mutex_t lock;
	struct queue_node *first, *last;
	int count;
};

void queue_init(struct queue *queue);
void queue_release(struct queue *queue, void (*free_item)(void *item)); /* with what is left */
void queue_offer(struct queue *queue, void *item);
void *queue_poll(struct queue *queue); /* NULL: the queue is empty */
int queue_is_empty(struct queue *queue);
int queue_count(struct queue *queue);

#endif
