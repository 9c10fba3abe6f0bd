/* What cmocka says of an assertion that failed is part of what is found, explored, and so is where: two that fail are two. */
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
