/*
 * main() that returns nothing: the status of the process is what was
 * left in a register, and means nothing. There is one interleaving.
 */
/* flags: -Wno-main -Wno-main-return-type -Wno-unknown-warning-option */
#include <pthread.h>

static void *
worker(void *arg)
{
	return arg;
}

void
main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, worker, NULL);
	pthread_join(t, NULL);
}
