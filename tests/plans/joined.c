/*
 * Orderings that are enforced order accesses for the race detector, however they are combined: each of these schedules lets `b_done`
 * happen before `a`. With RACES the schedules leave that open, or say the opposite of one event alone: then there is a race.
 */
#include <assert.h>
#include <pthread.h>
#include <sleave.h>

static int x;

static void *
second(void *arg)
{
	sleave_event("a");
	x = x * 10 + 1;
	return arg;
}

static void *
first(void *arg)
{
	sleave_event("b");
	x = x * 10 + 2;
	sleave_event("b_done");
	return arg;
}

int
main(void)
{
#ifdef RACES
	SLEAVE_SCHEDULES("either", "(b_done -> a) || (b -> a)", "first only", "(b -> a) && !(a -> b)") {
#else
	SLEAVE_SCHEDULES("comma", "b_done -> a, b -> a", "and", "(b_done -> a) && (b -> a)", "not not", "!!(b_done -> a)",
			 "parentheses", "((b_done -> a))", "not or", "!(!(b_done -> a) || !(b -> a))", "not implies",
			 "!((b_done -> a) => !(b -> a))", "the opposite", "!(a -> b_done)", "or what can't be",
			 "(b_done -> a) || ((b -> a) && !(b -> a))", "implied", "((b -> a) || !(b -> a)) => (b_done -> a)") {
#endif
		pthread_t p, q;

		x = 0;
		pthread_create(&p, NULL, second, NULL);
		pthread_create(&q, NULL, first, NULL);
		pthread_join(p, NULL);
		pthread_join(q, NULL);
		assert(x == 21);
	}
	return 0;
}
