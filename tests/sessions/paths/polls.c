/* A thread that looks again and again until another one has come so far. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready;

static void *
wait_for_it(void *unused)
{
	while (!ready)
		;
	return unused;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, wait_for_it, NULL);
	ready = 1;
	pthread_join(thread, NULL);
	return 0;
}
