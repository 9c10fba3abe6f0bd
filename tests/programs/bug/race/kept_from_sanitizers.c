/* A function that is excluded from ThreadSanitizer is under control all the same. */
/* expect: data race on counter */
#include <pthread.h>

int counter;

__attribute__((no_sanitize("thread"))) static void
add(void)
{
	counter++;
}

static void *
worker(void *arg)
{
	add();
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, NULL);
	add();
	pthread_join(thread, NULL);
	return 0;
}
