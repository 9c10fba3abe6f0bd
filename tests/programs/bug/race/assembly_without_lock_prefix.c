/*
 * `incl` of memory without a lock prefix: two of them at once may lose one, whatever the statement clobbers.
 */
/* expect: data race on counter */
#include <pthread.h>

int counter;

static void *
increment(void *arg)
{
	__asm__ volatile("incl %0" : "+m"(counter) : : "memory", "cc");
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, increment, NULL);
	increment(NULL);
	pthread_join(thread, NULL);
	return 0;
}
