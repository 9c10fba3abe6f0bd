/*
 * A counter with one writer, which increments it without a lock prefix, and a reader that loads it: nothing is lost, no race.
 */
#include <assert.h>
#include <pthread.h>

int counter;

static void *
writer(void *arg)
{
	for (int i = 0; i < 2; i++)
		__asm__ volatile("incl %0" : "+m"(counter) : : "memory", "cc");
	return arg;
}

int
main(void)
{
	pthread_t thread;
	int seen;

	pthread_create(&thread, NULL, writer, NULL);
	__asm__ volatile("movl %1, %0" : "=r"(seen) : "m"(counter) : "memory");
	assert(seen >= 0 && seen <= 2);
	pthread_join(thread, NULL);
	__asm__ volatile("movl %1, %0" : "=r"(seen) : "m"(counter) : "memory");
	assert(seen == 2);
	return 0;
}
