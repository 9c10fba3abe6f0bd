/*
 * main returns what it has counted, 0 if all is well.
 */
/* expect: status 1 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int missing = 2;

static void *
work(void *arg)
{
	int now = missing;

	missing = now - 1;
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return missing;
}
