/*
 * bug/use-after-free/locked.c, repaired: the thread that frees the entry removes it from the
 * list under the same lock, and a later thread sees that it is gone. Nothing is to be found.
 */
#include <pthread.h>
#include <stdlib.h>

struct entry {
	int key, value, hits, pad;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *entry;
int seen;

static void *
use(void *unused)
{
	pthread_mutex_lock(&lock);
	if (entry)
		seen = entry->value;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *
drop(void *unused)
{
	pthread_mutex_lock(&lock);
	free(entry);
	entry = NULL;
	pthread_mutex_unlock(&lock);
	return unused;
}

int
main(void)
{
	pthread_t a, b;

	entry = calloc(1, sizeof(*entry));
	pthread_create(&a, NULL, use, NULL);
	pthread_create(&b, NULL, drop, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
