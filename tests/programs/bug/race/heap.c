/*
 * Two threads share a block of malloc(): one writes a field, the other reads it.
 */
/* expect: data race on n->value \(struct node\) */
#include <pthread.h>
#include <stdlib.h>

struct node {
	int key, value;
};

static void *
fill(void *arg)
{
	struct node *n = arg;

	n->value = 3;
	return NULL;
}

int
main(void)
{
	struct node *n = calloc(1, sizeof(*n));
	pthread_t thread;
	int seen;

	pthread_create(&thread, NULL, fill, n);
	seen = n->value;
	pthread_join(thread, NULL);
	free(n);
	return seen == 9;
}
