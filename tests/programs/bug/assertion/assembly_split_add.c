/*
 * A counter that one thread adds to by `lock; xadd` and the other by a load and a store, each of them atomic: an update is lost.
 */
/* expect: counter == 2 */
#include <assert.h>
#include <pthread.h>

static unsigned long counter;

static void *
whole(void *arg)
{
	unsigned long one = 1;

	__asm__ volatile("lock; xaddq %0, %1" : "+r"(one), "+m"(counter) : : "memory", "cc");
	return arg;
}

static void
split(void)
{
	unsigned long value;

	__asm__ volatile("movq %1, %0" : "=r"(value) : "m"(counter) : "memory");
	value++;
	__asm__ volatile("movq %1, %0" : "=m"(counter) : "r"(value) : "memory");
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, whole, NULL);
	split();
	pthread_join(thread, NULL);
	assert(counter == 2);
	return 0;
}
