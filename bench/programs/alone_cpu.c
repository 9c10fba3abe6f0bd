/* Two threads that compute, each on memory of its own: a sieve. For the overhead of a program on its own. */
#include <pthread.h>
#include <stdlib.h>

enum { SIZE = 1 << 16 };

static int passes;
static char sieves[2][SIZE];
static int primes[2];

static void *
work(void *number)
{
	int me = *(int *)number;
	char *sieve = sieves[me];

	for (int pass = 0; pass < passes; pass++) {
		primes[me] = 0;
		for (int i = 2; i < SIZE; i++)
			sieve[i] = 1;
		for (int i = 2; i < SIZE; i++) {
			if (!sieve[i])
				continue;
			primes[me]++;
			for (int j = 2 * i; j < SIZE; j += i)
				if (sieve[j])
					sieve[j] = 0;
		}
	}
	return NULL;
}

int
main(int argc, char **argv)
{
	pthread_t threads[2];
	int numbers[2] = {0, 1};

	passes = argc > 1 ? atoi(argv[1]) : 100;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, &numbers[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return primes[0] != 6542 || primes[1] != 6542;
}
