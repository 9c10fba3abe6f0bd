/* Tests without a section, which fail in each of the possible ways on real threads, too. */
#include <criterion/criterion.h>
#include <criterion/logging.h>
#include <criterion/theories.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

static void
bad(void)
{
	cr_assert_fail("a bad fixture");
}

static void *
thread(void *unused)
{
	cr_assert_fail("in a thread");
	return unused;
}

Test(a_passes, exits)
{
	exit(0);
}

Test(asserts, first)
{
	cr_assert_eq(1, 2, "one is not two");
}

Test(asserts, in_thread)
{
	pthread_t other;

	pthread_create(&other, NULL, thread, NULL);
	pthread_join(other, NULL);
}

Test(asserts, then_exits)
{
	cr_expect(0);
	exit(0);
}

Test(crashes, by_signal)
{
	raise(SIGSEGV);
}

Test(crashes, not_by_signal, .signal = SIGSEGV)
{
}

Test(crashes, with_status)
{
	exit(3);
}

Test(crashes, without_status, .exit_code = 3)
{
}

Test(fixtures, begins, .init = bad)
{
}

Test(fixtures, ends, .fini = bad)
{
}

Test(logs, warning)
{
	cr_log_warn("a warning");
}

TheoryDataPoints(theory, does_not_hold) = {DataPoints(int, 1, 2, 3)};

Theory((int number), theory, does_not_hold)
{
	cr_assert_neq(number, 2, "it is %d", number);
}
