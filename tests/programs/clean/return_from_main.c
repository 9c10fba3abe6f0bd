/*
 * bug/exit/return_from_main.c, repaired: counted in one operation. Nothing is to be found.
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int missing = 2;

static void *
work(void *arg)
{
	missing--;
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
