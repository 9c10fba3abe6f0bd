/* A lock of a block on the heap is misused, or never given back. */
#include <pthread.h>
#include <stdlib.h>

struct queue {
	int count;
	pthread_mutex_t lock;
	pthread_cond_t filled;
};

static void *
unlocks(void *of)
{
	struct queue *q = of;

	pthread_mutex_unlock(&q->lock);
	return NULL;
}

static void *
keeps(void *of)
{
	struct queue *q = of;

	pthread_mutex_lock(&q->lock);
	return NULL;
}

int
main(int argc, char **argv)
{
	struct queue *q = calloc(1, sizeof(*q));
	pthread_t thread;

	(void)argv;
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->filled, NULL);
	if (argc == 3)
		pthread_cond_wait(&q->filled, &q->lock);
	if (argc == 1)
		pthread_mutex_lock(&q->lock);
	pthread_create(&thread, NULL, argc == 1 ? unlocks : keeps, q);
	pthread_join(thread, NULL);
	pthread_mutex_lock(&q->lock);
	return 0;
}
