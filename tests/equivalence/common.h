/*
 * The classic programs of the literature on partial order reduction, in a few lines each: N is given on the command
 * line of the compiler, and tests/equivalence.sh knows how many classes of equivalent executions there are.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Threads 0 … count-1 run the function with their number. */
static inline void
start(pthread_t *threads, long count, void *(*function)(void *))
{
	for (long i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, function, (void *)(intptr_t)i))
			abort();
}

static inline void
join(pthread_t *threads, long count)
{
	for (long i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}
