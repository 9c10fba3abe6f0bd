/*
 * A random program for compare.py: threads that take two mutexes at eight places, and do more or less depending
 * on what other threads have done before. Every waiter is signalled in the end, so no thread waits for ever.
 *
 *	random SEED
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { THREADS = 3, STEPS = 3 };

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turns; /* under the first */
static bool told, late, over;
static unsigned seed, plan[THREADS][STEPS];

static unsigned
draw(unsigned n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % n;
}

/* Each case is a place of its own. */
static void
step(unsigned what)
{
	switch (what) {
	case 0:
		pthread_mutex_lock(&first);
		turns++;
		pthread_mutex_unlock(&first);
		break;
	case 1:
		pthread_mutex_lock(&second);
		pthread_mutex_unlock(&second);
		break;
	case 2: /* nested, if another thread was here before */
		pthread_mutex_lock(&first);
		if (turns > 1) {
			pthread_mutex_lock(&second);
			pthread_mutex_unlock(&second);
		}
		turns++;
		pthread_mutex_unlock(&first);
		break;
	case 3: /* only one of those that come signals */
		pthread_mutex_lock(&first);
		if (!told)
			pthread_cond_signal(&changed);
		told = true;
		pthread_mutex_unlock(&first);
		break;
	case 4: /* waits, or is too late for that */
		pthread_mutex_lock(&first);
		while (!told && !over)
			pthread_cond_wait(&changed, &first);
		pthread_mutex_unlock(&first);
		break;
	case 5: /* comes back if it was the first */
		pthread_mutex_lock(&first);
		bool was = late;
		late = true;
		pthread_mutex_unlock(&first);
		if (was)
			break;
		pthread_mutex_lock(&first);
		pthread_mutex_unlock(&first);
		break;
	}
}

static void *
work(void *number)
{
	for (int i = 0; i < STEPS; i++)
		if (plan[(long)number][i] < 6)
			step(plan[(long)number][i]);
	return NULL;
}

int
main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	draw(2);
	for (int t = 0; t < THREADS; t++)
		for (int i = 0; i < STEPS; i++)
			plan[t][i] = draw(8);
	for (long t = 0; t < THREADS; t++)
		pthread_create(&threads[t], NULL, work, (void *)t);
	pthread_mutex_lock(&first);
	over = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&first);
	for (int t = 0; t < THREADS; t++)
		pthread_join(threads[t], NULL);
	return 0;
}
