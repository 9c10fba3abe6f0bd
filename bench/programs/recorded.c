/*
 * Programs to record, of three kinds: threads that compute (on arrays of their own, with a lock now and then),
 * that take turns with a lock, and that search, insert into and remove from trees of their own, by random keys.
 * usage: recorded compute|lock|memory N
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2, CELLS = 4096, KEYS = 1 << 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum, count;

static void
add(long *cells, long i)
{
	cells[i & (CELLS - 1)] += i;
}

static void *
compute(void *unused)
{
	static long shared[THREADS][CELLS], next;
	long *cells;

	pthread_mutex_lock(&lock);
	cells = shared[next++ % THREADS];
	pthread_mutex_unlock(&lock);
	for (long i = 0; i < count; i++) {
		add(cells, i);
		if (i % 64)
			continue;
		pthread_mutex_lock(&lock);
		sum += cells[i & (CELLS - 1)];
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static void *
contend(void *unused)
{
	for (long i = 0; i < count; i++) {
		pthread_mutex_lock(&lock);
		sum++;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

struct node {
	unsigned key;
	struct node *left, *right;
};

static struct node **
find(struct node **at, unsigned key)
{
	while (*at && (*at)->key != key)
		at = key < (*at)->key ? &(*at)->left : &(*at)->right;
	return at;
}

static void *
search(void *seed)
{
	unsigned long random = (unsigned long)seed * 2 + 1;
	struct node *root = NULL;

	for (long i = 0; i < count; i++) {
		struct node **at;

		random = random * 6364136223846793005u + 1442695040888963407u;
		at = find(&root, (unsigned)(random >> 40) % KEYS);
		if (!*at) {
			*at = calloc(1, sizeof(**at));
			(*at)->key = (unsigned)(random >> 40) % KEYS;
		} else if (!(*at)->left && !(*at)->right) {
			free(*at);
			*at = NULL;
		}
	}
	return NULL;
}

int
main(int argc, char **argv)
{
	void *(*work)(void *) = argc < 3 ? NULL : !strcmp(argv[1], "compute") ? compute
						  : !strcmp(argv[1], "lock") ? contend
									     : search;
	pthread_t threads[THREADS];

	if (!work)
		return 2;
	count = atol(argv[2]);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (long i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
