/*
 * A list entry is freed by one thread and used by another. A lock orders the two, so there is no race; but in one
 * of the two orders the entry is gone when it is used.
 */
/* expect: ^use after free: T[12] .* reads 4 bytes of entry->value \(struct entry\), at \+4 in a block of 16 bytes, freed by T[12] */
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
	seen = entry->value;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *
drop(void *unused)
{
	pthread_mutex_lock(&lock);
	free(entry);
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
