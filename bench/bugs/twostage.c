/*
 * An update in two stages, each under a lock of its own: writers set the first value, release its lock,
 * and derive the second value from it; a reader that comes between the two stages finds them inconsistent.
 * Every access is under a lock, so there is no data race; what is missing is a lock around both stages.
 *
 * usage: twostage [threads] [repaired]   (one of the threads is the reader; repaired: one lock for both)
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { MOST = 1000 };

static pthread_mutex_t both = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER, second_lock = PTHREAD_MUTEX_INITIALIZER;
static int first, second;
static bool repaired;

static void *
writer(void *unused)
{
	if (repaired)
		pthread_mutex_lock(&both);
	pthread_mutex_lock(&first_lock);
	int mine = first = 1;

	pthread_mutex_unlock(&first_lock);
	pthread_mutex_lock(&second_lock);
	second = mine + 1;
	pthread_mutex_unlock(&second_lock);
	if (repaired)
		pthread_mutex_unlock(&both);
	return unused;
}

static int
take(pthread_mutex_t *lock, const int *value)
{
	pthread_mutex_lock(lock);
	int taken = *value;

	pthread_mutex_unlock(lock);
	return taken;
}

static void *
reader(void *unused)
{
	if (repaired)
		pthread_mutex_lock(&both);
	int one = take(&first_lock, &first);

	if (one) {
		int two = take(&second_lock, &second);

		assert(two == one + 1);
	}
	if (repaired)
		pthread_mutex_unlock(&both);
	return unused;
}

int
main(int argc, char **argv)
{
	static pthread_t threads[MOST];
	int n = argc > 1 ? atoi(argv[1]) : 100;

	repaired = argc > 2;
	if (n < 2 || n > MOST)
		return 2;
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, i < n - 1 ? writer : reader, NULL);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
