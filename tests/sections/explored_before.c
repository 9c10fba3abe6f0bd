/* aborts */
/* says: can't happen: no thread can go on */
/* says: T1 is held at `b` */
/*
 * Parked threads that sleave_explore() leaves behind are no reason to wait for them.
 */
#include <pthread.h>
#include <sleave.h>

static void *
thread(void *unused)
{
	sleave_event("b");
	return unused;
}

static void
body(void *unused)
{
	pthread_t t;

	(void)unused;
	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
}

int
main(void)
{
	sleave_explore(body, NULL, &(struct sleave_options){.quiet = 1}); /* undecided: it is not instrumented */
	SLEAVE_SCHEDULE("a -> b") {
		body(NULL);
		sleave_event("a");
	}
	return 0;
}
