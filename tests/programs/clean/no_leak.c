/*
 * clean/leak_in_one_order.c, repaired: a thread that comes too late frees what it has made.
 * The memory allocated at the end still depends on the schedule (a note for each late
 * thread), but all of it can be reached. Nothing is to be found, and there is no warning.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct cache {
	int entries[8];
};

struct note {
	struct note *next;
};

static _Atomic(struct cache *) cache;
static _Thread_local struct note *mine;
static _Atomic(struct note *) notes;

static void *
use(void *unused)
{
	struct cache *none = NULL, *made;

	if (!atomic_load(&cache)) {
		made = calloc(1, sizeof(*made));
		if (!atomic_compare_exchange_strong(&cache, &none, made)) {
			free(made);
			mine = malloc(sizeof(*mine));
			mine->next = atomic_load(&notes);
			atomic_store(&notes, mine);
		}
	}
	return unused;
}

int
main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, use, NULL);
	pthread_create(&b, NULL, use, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
