#include <pthread.h>
static volatile long table[1 << 16];
static void
fill(long rounds)
{
	for (long r = 0; r < rounds; r++)
		for (int i = 0; i < 1 << 16; i++)
			table[i] += r;
}
static void *
work(void *arg)
{
	fill(1000000);
	return arg;
}
int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	return pthread_join(thread, NULL);
}
