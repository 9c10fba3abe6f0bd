/*
 * A cache that is created by the thread that needs it first. If two need it at the same
 * time both create one, and one of the two is lost: a leak in some schedules, of which
 * there is a warning but no finding. What is lost in every schedule is not reported.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct cache {
	int entries[8];
	struct cache *next;
};

static _Atomic(struct cache *) cache;
void *always;

static void *
use(void *unused)
{
	if (!atomic_load(&cache)) {
		struct cache *made = calloc(1, sizeof(*made));

		made->next = calloc(1, sizeof(*made));
		atomic_store(&cache, made);
	}
	return unused;
}

int
main(void)
{
	pthread_t a, b;

	always = malloc(100);
	always = NULL;
	pthread_create(&a, NULL, use, NULL);
	pthread_create(&b, NULL, use, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
