/*
 * A ring whose index is wrapped after its use: the third producer writes
 * behind the end of the ring, in the schedules without a consumer before it.
 */
/* expect: ^out of bounds: .* writes 4 bytes of ring\[used\], right after a block of 8 bytes, allocated at .*ring.c */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *ring, used;

static void *
produce(void *unused)
{
	pthread_mutex_lock(&lock);
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
