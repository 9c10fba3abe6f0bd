/* The first thread to come decides what both do: in a calm execution that is the other thread, and nothing is wrong then. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct state {
	int first, count;
} state;

static int
is_first(int me)
{
	int first;

	pthread_mutex_lock(&lock);
	if (!state.first)
		state.first = me;
	first = state.first;
	pthread_mutex_unlock(&lock);
	return first;
}

static void
add(int careful)
{
	int count;

	pthread_mutex_lock(&lock);
	count = state.count;
	if (!careful) {
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&lock);
	}
	state.count = count + 1;
	pthread_mutex_unlock(&lock);
}

static void *
run(void *unused)
{
	add(is_first(2) == 2);
	return unused;
}

int
main(int argc, char **argv)
{
	pthread_t thread;
	int good;

	(void)argv;
	pthread_create(&thread, NULL, run, NULL);
	add(is_first(1) == 2);
	pthread_join(thread, NULL);
	good = state.count == 2;
	assert(good || argc > 1);
	return 0;
}
