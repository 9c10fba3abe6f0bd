/* Two threads that take locks, rarely the same one at once: 256 counters. For the overhead of a program on its own. */
#include <pthread.h>
#include <stdlib.h>

enum { CELLS = 256 };

static struct {
	pthread_mutex_t lock;
	long count;
} __attribute__((aligned(64))) cells[CELLS];
static long rounds;

static void *
work(void *number)
{
	unsigned next = (unsigned)*(int *)number * 977 + 1;

	for (long i = 0; i < rounds; i++) {
		unsigned cell = (next = next * 1103515245 + 12345) >> 16 & (CELLS - 1);

		pthread_mutex_lock(&cells[cell].lock);
		cells[cell].count++;
		pthread_mutex_unlock(&cells[cell].lock);
	}
	return NULL;
}

int
main(int argc, char **argv)
{
	pthread_t threads[2];
	int numbers[2] = {0, 1};
	long sum = 0;

	rounds = argc > 1 ? atol(argv[1]) : 100000;
	for (int i = 0; i < CELLS; i++)
		pthread_mutex_init(&cells[i].lock, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, &numbers[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < CELLS; i++)
		sum += cells[i].count;
	return sum != 2 * rounds;
}
