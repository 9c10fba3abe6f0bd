/*
 * Three tests that pass, each counted by hand. Events are points, so with A and B for the additions, e for `a_once` and s for
 * `b_begins`: a is A e A, b is s B B.
 * "a first": A and e come first, then the second A stands before, between or after s, B, B: 4.
 * "b first": all 20 interleavings of three and three, but for those 4: 16.
 * "both in": either thread has the mutex first, and the other does not get it: 2.
 * `sleave run` has one more, which passes the section by that is not to happen: 4 + 16 + 2 + 1 + 4.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <sleave.h>
#include <stdatomic.h>

static atomic_int sum;
static int used; /* nothing of one test is left for the next */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *
a(void *unused)
{
	atomic_fetch_add(&sum, 1);
	sleave_event("a_once");
	atomic_fetch_add(&sum, 1);
	return unused;
}

static void *
b(void *unused)
{
	sleave_event("b_begins");
	atomic_fetch_add(&sum, 1);
	atomic_fetch_add(&sum, 1);
	return unused;
}

static void *
guarded(void *unused)
{
	pthread_mutex_lock(&mutex);
	sleave_event("in");
	sleave_event("out");
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void
run(void *(*first)(void *), void *(*second)(void *))
{
	pthread_t threads[2];

	atomic_store(&sum, 0);
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
}

Test(orders, both)
{
	cr_assert_eq(used++, 0);
	SLEAVE_SCHEDULES("a first", "a_once -> b_begins", "b first", "b_begins -> a_once") {
		run(a, b);
		cr_assert_eq(atomic_load(&sum), 4);
	}
}

Test(orders, never)
{
	cr_assert_eq(used++, 0);
	SLEAVE_INFEASIBLE("both in", "in@T1 -> in@T2, in@T2 -> out@T1")
		run(guarded, guarded);
}

Test(orders, one)
{
	cr_assert_eq(used++, 0);
	SLEAVE_SCHEDULES("a first", "a_once -> b_begins") {
		run(a, b);
		cr_expect_eq(atomic_load(&sum), 4);
	}
}
