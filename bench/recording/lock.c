/* Lock-bound: two threads move units between accounts, each with a mutex of its own, for short moments. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define ACCOUNTS 16

static struct {
	pthread_mutex_t mutex;
	long money;
} accounts[ACCOUNTS];
static long transfers;

static void *
run(void *argument)
{
	unsigned random = (unsigned)(long)argument * 7919 + 1;

	for (long i = 0; i < transfers; i++) {
		unsigned from, to;

		random = random * 1103515245 + 12345;
		from = random >> 16 & (ACCOUNTS - 1);
		to = random >> 22 & (ACCOUNTS - 1);
		if (from == to)
			continue;
		pthread_mutex_lock(&accounts[from < to ? from : to].mutex);
		pthread_mutex_lock(&accounts[from < to ? to : from].mutex);
		accounts[from].money--;
		accounts[to].money++;
		pthread_mutex_unlock(&accounts[from].mutex);
		pthread_mutex_unlock(&accounts[to].mutex);
	}
	return NULL;
}

int
main(int argc, char **argv)
{
	pthread_t threads[2];
	long sum = 0;

	transfers = argc > 1 ? atol(argv[1]) : 1000000;
	for (int i = 0; i < ACCOUNTS; i++)
		pthread_mutex_init(&accounts[i].mutex, NULL);
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < ACCOUNTS; i++)
		sum += accounts[i].money;
	printf("%ld\n", sum);
	return sum != 0;
}
