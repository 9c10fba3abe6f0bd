/*
 * bug/out-of-bounds/ring.c, repaired: a producer that finds the ring full writes nothing. Nothing is to be found.
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *ring, used;

static void *
produce(void *unused)
{
	pthread_mutex_lock(&lock);
	if (used < 2)
		ring[used++] = 1;
	pthread_mutex_unlock(&lock);
	return unused;
}

int
main(void)
{
	pthread_t threads[3];

	ring = malloc(2 * sizeof(*ring));
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, produce, NULL);
	pthread_mutex_lock(&lock);
	if (used)
		used--;
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	free(ring);
	return 0;
}
