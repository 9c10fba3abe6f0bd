/* cmocka's skip() inside of sections: skipped, in each way to run it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <sleave.h>

static void *
happen(void *unused)
{
	sleave_event("happens");
	return unused;
}

static void
once(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, happen, NULL);
	sleave_event("looks");
	pthread_join(thread, NULL);
}

static void
test_skipped(void **unused)
{
	(void)unused;
	SLEAVE_SCHEDULES("before", "happens -> looks", "after", "looks -> happens") {
		skip();
	}
}

static void
test_never(void **unused)
{
	(void)unused;
	SLEAVE_INFEASIBLE("both", "happens -> looks") {
		skip();
	}
}

static void
test_run(void **unused)
{
	(void)unused;
	SLEAVE_SCHEDULES("before", "happens -> looks", "after", "looks -> happens") {
		once();
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_skipped),
		cmocka_unit_test(test_never),
		cmocka_unit_test(test_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
