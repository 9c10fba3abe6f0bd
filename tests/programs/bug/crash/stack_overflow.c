/*
 * A thread recurses until its stack is used up, if the stop flag comes too late.
 */
/* expect: crash.*stack overflow */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int stop;

static int
dig(int depth)
{
	volatile char soil[4096];

	soil[0] = (char)depth;
	soil[4095] = 1;
	if (depth == -1)
		return 0;
	return dig(depth + soil[4095]) + soil[0];
}

static void *
work(void *arg)
{
	if (!atomic_load(&stop))
		dig(1);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	atomic_store(&stop, 1);
	pthread_join(thread, NULL);
	return 0;
}
