/*
 * bug/assertion/once_by_hand.c, repaired with pthread_once, which also orders what was initialised before its
 * use: plain data. Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>

static pthread_once_t control = PTHREAD_ONCE_INIT;
static int times;

static void
initialise(void)
{
	times++;
}

static void *
use(void *arg)
{
	pthread_once(&control, initialise);
	assert(times == 1);
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, use, NULL);
	pthread_create(&b, NULL, use, NULL);
	use(NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
