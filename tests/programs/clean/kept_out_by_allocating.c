/* A thread allocates and frees until it is stopped by another that has slept. */
/* options: --strategy portfolio --schedules 60 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

static atomic_int stop;
long rounds;

static void *allocates(void *p)
{
	while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
		char *block = malloc(10);

		block[0] = 1;
		free(block);
		rounds++;
	}
	return p;
}
static void *stops(void *p)
{
	struct timespec pause = {0, 1000};

	nanosleep(&pause, NULL);
	atomic_store(&stop, 1);
	return p;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, allocates, NULL);
	pthread_create(&u, NULL, stops, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
