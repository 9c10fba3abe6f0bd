/* The program of Fig. 3 and Fig. 8 of the paper; T1 is the first thread that is created. n is in memory, so that ud2 is seen. */
#include <pthread.h>

int x, y, n, z, kept;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *
t1(void *arg)
{
	n = x + y; // x, y
	if (n > 1) { // n
		pthread_mutex_lock(&lock);
		z = 1;
		pthread_mutex_unlock(&lock);
	}
	kept = y;
	return arg;
}

static void *
t2(void *arg)
{
	x = 1;
	y = 1;
	kept = x;
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, t1, 0);
	pthread_create(&b, 0, t2, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
