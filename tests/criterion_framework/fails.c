/* Lost updates, in some interleavings only, reported in each of the ways that Criterion has; and a schedule that can't happen. */
#include <criterion/criterion.h>
#include <criterion/logging.h>
#include <criterion/new/assert.h>
#include <criterion/theories.h>
#include <pthread.h>
#include <sleave.h>
#include <stdatomic.h>

static atomic_int sum;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *
add(void *unused)
{
	int seen = atomic_load(&sum);

	sleave_event("read");
	atomic_store(&sum, seen + 1);
	return unused;
}

static int
total(void)
{
	return atomic_load(&sum);
}

static void *
judge(void *unused)
{
	cr_assert(total() == 0, "in a thread");
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

Test(lost, asserts)
{
	SLEAVE_SCHEDULES("fine", "end@T1 -> start@T2", "any", "start@T1 -> read@T2") {
		run(add, add);
		cr_assert_eq(total(), 2, "lost: %d", total()); /* LINE asserts */
	}
}

Test(lost, expects)
{
	SLEAVE_SCHEDULES("any", "start@T1 -> read@T2") {
		run(add, add);
		cr_expect_eq(total(), 2); /* LINE expects */
	}
}

Test(lost, in_thread)
{
	SLEAVE_SCHEDULES("any", "start@T1 -> read@T1")
		run(add, judge);
}

Test(lost, logs)
{
	SLEAVE_SCHEDULES("any", "start@T1 -> read@T2") {
		run(add, add);
		if (total() != 2)
			cr_log_error("lost, says the log");
	}
}

Test(lost, says_values)
{
	SLEAVE_SCHEDULES("any", "start@T1 -> read@T2") {
		run(add, add);
		cr_assert(eq(int, total(), 2)); /* LINE says_values */
	}
}

Test(never, happens)
{
	SLEAVE_SCHEDULES("both in", "in@T1 -> in@T2, in@T2 -> out@T1")
		run(guarded, guarded);
}

TheoryDataPoints(theory, fails) = {DataPoints(int, 1, 2)};

Theory((int wanted), theory, fails)
{
	SLEAVE_SCHEDULES("any", "start@T1 -> read@T2") {
		run(add, add);
		cr_assert_geq(total(), wanted, "wanted %d", wanted);
	}
}
