/* Queues on the heap, by a pointer: T1 puts into both, T2 into the first. */
#include <pthread.h>
#include <stdlib.h>
static struct queue {
	pthread_mutex_t lock;
	int count;
	struct queue *next;
} *queue;
static __attribute__((noinline)) void put(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->count++;
	pthread_mutex_unlock(&q->lock);
}
static void *one(void *p)
{
	put(queue);
	put(queue->next);
	return p;
}
static void *two(void *p)
{
	put(queue);
	return p;
}
static struct queue *make(struct queue *next)
{
	struct queue *q = calloc(1, sizeof(*q));

	pthread_mutex_init(&q->lock, NULL);
	q->next = next;
	return q;
}
int main(void)
{
	pthread_t a, b;
	queue = make(make(NULL));
	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return queue->count + queue->next->count != 3;
}
