/* Each thread waits for an event that comes later in the other: a cycle that only the run shows. */
/* aborts */
/* says: the schedule can't happen: no thread can go on */
/* says: cycle.c:15) by `b2 -> a1` */
/* says: `b2` has not occurred */
/* says: cycle.c:24) by `a2 -> b1` */
/* says: main waits at sections/cycle.c:37 for the end of T1 (one) */
#include <pthread.h>
#include <sleave.h>

static void *
one(void *unused)
{
	sleave_thread_name("one");
	sleave_event("a1");
	sleave_event("a2");
	return unused;
}

static void *
two(void *unused)
{
	sleave_thread_name("two");
	sleave_event("b1");
	sleave_event("b2");
	return unused;
}

int
main(void)
{
	SLEAVE_SCHEDULE("b2 -> a1, a2 -> b1") {
		pthread_t a, b;

		pthread_create(&a, NULL, one, NULL);
		pthread_create(&b, NULL, two, NULL);
		pthread_join(a, NULL);
		pthread_join(b, NULL);
	}
	return 0;
}
