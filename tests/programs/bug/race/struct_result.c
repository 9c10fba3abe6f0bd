/*
 * The struct that a function returns is written to shared memory by the call itself, in no statement of its own.
 */
/* expect: data race on setting\.high: T1 set writes .*, main reads */
#include <pthread.h>

struct setting {
	long low, high, step;
} setting = {1, 9, 2};

__attribute__((noinline)) static struct setting
make(long high)
{
	return (struct setting){0, high, 1};
}

static void *
set(void *arg)
{
	setting = make(12);
	return arg;
}

int
main(void)
{
	pthread_t thread;
	long high;

	pthread_create(&thread, NULL, set, NULL);
	high = setting.high;
	pthread_join(thread, NULL);
	return high > 12;
}
