#include "queue.h"

int
queue_add(struct queue *queue, int number)
{
	int is_room;

	pthread_mutex_lock(&queue->lock);
	is_room = queue->count < QUEUE_ROOM;
	if (is_room)
		queue->numbers[(queue->first + queue->count++) % QUEUE_ROOM] = number;
	pthread_cond_signal(&queue->added);
	pthread_mutex_unlock(&queue->lock);
	return is_room;
}

int
queue_take(struct queue *queue)
{
	int number;

	pthread_mutex_lock(&queue->lock);
	while (!queue->count)
		pthread_cond_wait(&queue->added, &queue->lock);
	number = queue->numbers[queue->first];
	queue->first = (queue->first + 1) % QUEUE_ROOM;
	queue->count--;
	pthread_mutex_unlock(&queue->lock);
	return number;
}
