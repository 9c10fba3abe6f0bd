/* What Criterion has besides plain tests. */
#include <criterion/criterion.h>
#include <criterion/logging.h>
#include <criterion/parameterized.h>
#include <criterion/theories.h>
#include <pthread.h>
#include <signal.h>
#include <sleave.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int sum;
static int begun, ended;

static void *
a(void *unused)
{
	atomic_fetch_add(&sum, 1);
	sleave_event("a");
	return unused;
}

static void *
b(void *unused)
{
	sleave_event("b");
	atomic_fetch_add(&sum, 1);
	return unused;
}

static void
run(void)
{
	pthread_t threads[2];

	atomic_store(&sum, 0);
	pthread_create(&threads[0], NULL, a, NULL);
	pthread_create(&threads[1], NULL, b, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
}

static void
suite_begins(void)
{
	begun++;
}

static void
test_begins(void)
{
	cr_assert_eq(begun, 1);
	begun++;
}

static void
test_ends(void)
{
	cr_assert_eq(begun, 2);
	ended++;
}

static void
suite_ends(void)
{
	cr_assert_eq(ended, 1);
}

TestSuite(fixtures, .init = suite_begins, .fini = suite_ends);

Test(fixtures, all, .init = test_begins, .fini = test_ends)
{
	cr_assert_eq(begun, 2);
	SLEAVE_SCHEDULES("ab", "a -> b") {
		run();
		cr_assert_eq(atomic_load(&sum), 2);
	}
}

TestSuite(off, .disabled = true);

Test(off, suite)
{
	cr_assert_fail();
}

Test(plain, disabled, .disabled = true)
{
	cr_assert_fail();
}

Test(plain, logs)
{
	cr_log_info("the log says %d", 5);
}

Test(plain, skips)
{
	SLEAVE_SCHEDULES("ab", "a -> b") {
		run();
		cr_skip_test("not %s", "here");
	}
}

ParameterizedTestParameters(plain, takes)
{
	int *numbers = cr_malloc(3 * sizeof(*numbers));

	for (int i = 0; i < 3; i++)
		numbers[i] = i + 1;
	return cr_make_param_array(int, numbers, 3);
}

ParameterizedTest(int *number, plain, takes)
{
	cr_assert(*number > 0 && *number < 4);
	SLEAVE_SCHEDULES("ab", "a -> b") {
		run();
		cr_assert_eq(atomic_load(&sum) + *number, 2 + *number);
	}
}

/* More arguments than there are registers, of all kinds. Of the four combinations the two with a 0 are left out. */
TheoryDataPoints(theory, holds) = {
	DataPoints(int, 0, 2),
	DataPoints(signed char, -1, -2),
	DataPoints(const char *, "three"),
	DataPoints(bool, true),
	DataPoints(unsigned short, 40000),
	DataPoints(long, -6000000000),
	DataPoints(int, -7),
	DataPoints(short, -8),
	DataPoints(float, 1.5f),
	DataPoints(double, 2.5),
	DataPoints(long double, 3.5L),
};

Theory((int zero, signed char two, const char *three, bool four, unsigned short five, long six, int seven, short eight, float one_half,
	double two_half, long double three_half),
       theory, holds)
{
	cr_assume(zero != 0);
	cr_assert_eq(zero, 2);
	cr_assert(two == -1 || two == -2);
	cr_assert_str_eq(three, "three");
	cr_assert(four && five == 40000 && six == -6000000000 && seven == -7 && eight == -8);
	cr_assert(one_half == 1.5f && two_half == 2.5 && three_half == 3.5L);
	SLEAVE_SCHEDULES("ab", "a -> b") {
		run();
		cr_assert_eq(atomic_load(&sum), 2);
	}
}

TheoryDataPoints(theory, not_here) = {DataPoints(int, 1, 2)};

Theory((int number), theory, not_here)
{
	SLEAVE_SCHEDULES("ab", "a -> b") {
		run();
		cr_assume(number == 1);
	}
}

Test(ends, by_signal, .signal = SIGSEGV)
{
	SLEAVE_SCHEDULES("ab", "a -> b")
		run();
	raise(SIGSEGV);
}

Test(ends, with_status, .exit_code = 3)
{
	SLEAVE_SCHEDULES("ab", "a -> b")
		run();
	exit(3);
}
