/*
 * A worker gives up with errx() if it comes before its input: the program ends
 * with status 4, and the report gives the place, although libc prints and exits.
 */
/* expect: status 4 .*errx\.c:16 */
#include <err.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int prepared;

static void *
work(void *arg)
{
	if (!prepared)
		errx(4, "not prepared");
	return arg;
}

int
main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	prepared = 1;
	pthread_join(t, NULL);
	return 0;
}
