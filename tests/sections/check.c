/* Check: each test in a process of its own, and then all in this one. */
/* libraries: check */
/* exits: 2 */
#include <check.h>
#include <pthread.h>
#include <sleave.h>
#include <stdlib.h>

static int value;

static void *
add(void *unused)
{
	sleave_event("adding");
	value++;
	sleave_event("added");
	return unused;
}

static void
once(const char *text, int expected)
{
	SLEAVE_SCHEDULE(text) {
		pthread_t thread;

		value = 0;
		pthread_create(&thread, NULL, add, NULL);
		sleave_event("looking");
		ck_assert_int_eq(value, expected);
		sleave_event("looked");
		pthread_join(thread, NULL);
	}
}

START_TEST(before)
{
	once("looked -> adding", 0);
}
END_TEST

START_TEST(after)
{
	once("added -> looking", 1);
}
END_TEST

START_TEST(failing)
{
	once("added -> looking", 2);
}
END_TEST

int
main(void)
{
	int failed = 0;

	for (int fork = 0; fork < 2; fork++) {
		Suite *suite = suite_create("sections");
		TCase *tests = tcase_create("order");
		SRunner *runner = srunner_create(suite);

		tcase_add_test(tests, before);
		tcase_add_test(tests, failing);
		tcase_add_test(tests, after);
		suite_add_tcase(suite, tests);
		srunner_set_fork_status(runner, fork ? CK_FORK : CK_NOFORK);
		srunner_run_all(runner, CK_NORMAL);
		if (srunner_ntests_run(runner) != 3)
			return 9;
		failed += srunner_ntests_failed(runner);
		srunner_free(runner);
	}
	return failed;
}
