/*
 * Spin locks in assembly, taken in two orders: each thread spins for the lock that the other one holds.
 */
/* expect: deadlock|livelock */
#include <pthread.h>

static int a, b;

static void
take(int *lock)
{
	int taken = 1;

	for (;;) {
		__asm__ volatile("xchgl %0, %1" : "+r"(taken), "+m"(*lock) : : "memory");
		if (!taken)
			return;
		__asm__ volatile("pause" : : : "memory");
	}
}

static void
give(int *lock)
{
	__asm__ volatile("movl $0, %0" : "=m"(*lock) : : "memory");
}

static void *
other(void *arg)
{
	take(&b);
	take(&a);
	give(&a);
	give(&b);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, other, NULL);
	take(&a);
	take(&b);
	give(&b);
	give(&a);
	pthread_join(thread, NULL);
	return 0;
}
