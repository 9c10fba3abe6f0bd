/* THREADS threads, and the first one, which waits; each passes ROUNDS times through a lock and an atomic: 3 operations. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_long count;
static long balance, rounds;

static void *
work(void *unused)
{
	for (long i = 0; i < rounds; i++) {
		pthread_mutex_lock(&lock);
		balance++;
		pthread_mutex_unlock(&lock);
		count++;
	}
	return unused;
}

int
main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 2;
	pthread_t *thread = calloc((size_t)threads, sizeof(*thread));

	rounds = argc > 2 ? atol(argv[2]) : 100;
	for (int i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, work, NULL) != 0)
			return 2;
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	free(thread);
	return count != threads * rounds || balance != threads * rounds;
}
