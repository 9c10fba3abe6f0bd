/*
 * A reordering seen by a checker: n setters store to a, then to b; whoever sees the first store without the second has
 * caught one of them in between. Only the first setter counts: once somebody has stored to b, the window is closed.
 * So the checker must go when one or more setters have done half their work and none has done all of it.
 *
 * usage: reorder [setters] [repaired]   (repaired: both stores under a lock, and the checker takes it too)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { MOST = 1000 };

static atomic_int a, b;
static bool repaired;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void
enter(void)
{
	if (repaired)
		pthread_mutex_lock(&lock);
}

static void
leave(void)
{
	if (repaired)
		pthread_mutex_unlock(&lock);
}

static void *
setter(void *unused)
{
	enter();
	atomic_store(&a, 1);
	atomic_store(&b, -1);
	leave();
	return unused;
}

static void *
checker(void *unused)
{
	enter();
	bool nothing = atomic_load(&a) == 0 && atomic_load(&b) == 0;

	if (!nothing)
		assert(atomic_load(&a) == 1 && atomic_load(&b) == -1);
	leave();
	return unused;
}

int
main(int argc, char **argv)
{
	static pthread_t threads[MOST + 1];
	int n = argc > 1 ? atoi(argv[1]) : 5;

	repaired = argc > 2;
	if (n < 1 || n > MOST)
		return 2;
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, setter, NULL);
	pthread_create(&threads[n], NULL, checker, NULL);
	for (int i = 0; i <= n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
