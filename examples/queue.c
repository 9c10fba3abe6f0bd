/*
 * A bounded queue with a lost wake-up: producers and consumers wait on one condition variable, and signal()
 * wakes only one thread, maybe of the wrong kind, which goes back to sleep. (Repair: broadcast, or a condition
 * variable for each kind.)
 */
#include <assert.h>
#include <pthread.h>

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int item, full; /* room for one */
} queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};

static int taken[2];

static void *
produce(void *arg)
{
	pthread_mutex_lock(&queue.lock);
	while (queue.full)
		pthread_cond_wait(&queue.changed, &queue.lock);
	queue.item = *(int *)arg;
	queue.full = 1;
	pthread_cond_signal(&queue.changed);
	pthread_mutex_unlock(&queue.lock);
	return NULL;
}

static void *
consume(void *arg)
{
	pthread_mutex_lock(&queue.lock);
	while (!queue.full)
		pthread_cond_wait(&queue.changed, &queue.lock);
	*(int *)arg = queue.item;
	queue.full = 0;
	pthread_cond_signal(&queue.changed);
	pthread_mutex_unlock(&queue.lock);
	return NULL;
}

int
main(void)
{
	static int items[2] = {1, 2};
	pthread_t threads[4];

	for (int i = 0; i < 2; i++) {
		pthread_create(&threads[i], NULL, consume, &taken[i]);
		pthread_create(&threads[i + 2], NULL, produce, &items[i]);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert(taken[0] + taken[1] == 3);
	return 0;
}
