// gcc -O2: other
/* Branches that are executed several times, each with what it depends on then. */
#include <pthread.h>

int turns, flag[3], source, other;
volatile int sum;

static void *
writer(void *arg)
{
	turns = 2;
	flag[0] = source; // source
	flag[1] = 7;
	return arg;
}

static int __attribute__((noinline))
is_set(const int *p)
{
	if (*p) // *p
		return 1;
	return 0;
}

static void *
reader(void *arg)
{
	for (int i = 0; i < turns; i++) // turns
		if (is_set(&flag[i]))
			sum = other;
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, writer, 0);
	pthread_join(a, 0);
	pthread_create(&b, 0, reader, 0);
	pthread_join(b, 0);
	return 0;
}
