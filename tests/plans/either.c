/*
 * Two threads, each with an atomic operation and then an event: six interleavings, three for each order of the events.
 */
#include <pthread.h>
#include <sleave.h>
#include <stdatomic.h>

static atomic_int turns;

static void *
one(void *name)
{
	atomic_fetch_add(&turns, 1);
	sleave_event(name);
	return NULL;
}

int
main(void)
{
	pthread_t ids[2];

	pthread_create(&ids[0], NULL, one, "first");
	pthread_create(&ids[1], NULL, one, "second");
	pthread_join(ids[0], NULL);
	pthread_join(ids[1], NULL);
	return 0;
}
