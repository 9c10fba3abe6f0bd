/* cmocka: an assertion that fails leaves the section by a long jump, and the next test is not affected. */
/* libraries: cmocka */
/* exits: 1 */
/* says: failing */
/* says: 1 FAILED TEST(S) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <sleave.h>
#include <stdio.h>

static pthread_t thread;
static int value;

static void *
add(void *unused)
{
	sleave_event("adding");
	value++;
	sleave_event("added");
	return unused;
}

static int
begin(void **state)
{
	*state = NULL;
	value = 0;
	return pthread_create(&thread, NULL, add, NULL);
}

static int
end(void **state)
{
	(void)state;
	return pthread_join(thread, NULL);
}

static void
failing(void **state)
{
	(void)state;
	SLEAVE_SCHEDULES("one", "looked -> adding", "two", "looked -> adding") {
		begin(state);
		assert_int_equal(value, 1);
	}
}

static void
passing(void **state)
{
	int runs = 0;

	assert_null(sleave_schedule_name());
	SLEAVE_SCHEDULES("before", "looked -> adding", "after", "added -> looking") {
		runs++;
		begin(state);
		sleave_event("looking");
		assert_int_equal(value, runs - 1);
		sleave_event("looked");
		end(state);
	}
	assert_int_equal(runs, 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(failing, NULL, end),
		cmocka_unit_test(passing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
