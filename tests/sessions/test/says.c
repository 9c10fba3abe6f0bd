/* The message of a failed cmocka assertion is part of the finding, when explored, and so is its place: two that fail are two findings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <sleave.h>

static int value;

static void *
set(void *unused)
{
	sleave_event("set");
	value = 7;
	return unused;
}

static void
test_value(void **unused)
{
	(void)unused;
	SLEAVE_SCHEDULES("number", "set -> looked", "text", "looked -> set") {
		pthread_t thread;

		pthread_create(&thread, NULL, set, NULL);
		sleave_event("looked");
		pthread_join(thread, NULL);
		if (sleave_schedule_name()[0] == 'n')
			assert_int_equal(value, 0);
		else
			assert_string_equal(value ? "seven" : "none", "none");
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_value)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
