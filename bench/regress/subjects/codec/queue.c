#include "queue.h"

#include <stdlib.h>

struct queue_node {
	struct queue_node *next;
	void *item;
};

void
queue_init(struct queue *queue)
{
	pthread_mutex_init(&queue->lock, NULL);
	queue->first = queue->last = NULL;
	queue->count = 0;
}

void
queue_release(struct queue *queue, void (*free_item)(void *item))
{
	void *item;

	while ((item = queue_poll(queue)))
		free_item(item);
	pthread_mutex_destroy(&queue->lock);
}

void
queue_offer(struct queue *queue, void *item)
{
	struct queue_node *node = malloc(sizeof(*node));

	if (!node)
		abort();
	*node = (struct queue_node){.item = item};
	pthread_mutex_lock(&queue->lock);
	if (queue->last)
		queue->last->next = node;
	else
		queue->first = node;
	queue->last = node;
	queue->count++;
	pthread_mutex_unlock(&queue->lock);
}

void *
queue_poll(struct queue *queue)
{
	struct queue_node *node;
	void *item = NULL;

	pthread_mutex_lock(&queue->lock);
	node = queue->first;
	if (node) {
		queue->first = node->next;
		if (!queue->first)
			queue->last = NULL;
		queue->count--;
		item = node->item;
	}
	pthread_mutex_unlock(&queue->lock);
	free(node);
	return item;
}

int
queue_count(struct queue *queue)
{
	int count;

	pthread_mutex_lock(&queue->lock);
	count = queue->count;
	pthread_mutex_unlock(&queue->lock);
	return count;
}

int
queue_is_empty(struct queue *queue)
{
	return !queue_count(queue);
}
