/*
 * The same word once by an atomic builtin and once plainly.
 */
/* expect: data race on counter */
#include <pthread.h>

int counter;

static void *
add(void *arg)
{
	__atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, add, NULL);
	counter = 5;
	pthread_join(thread, NULL);
	return counter == 9;
}
