/*
 * Check, in processes of its own: a test that fails while it is explored leaves nothing in the file in which Check
 * keeps the messages of its tests. It ends by exit(1), before its schedule is fulfilled: a finding all the same.
 */
#include <check.h>
#include <pthread.h>
#include <sleave.h>

static int value;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *
add(void *unused)
{
	sleave_event("adding");
	pthread_mutex_lock(&lock);
	value++;
	pthread_mutex_unlock(&lock);
	sleave_event("added");
	return unused;
}

static void
look(int most)
{
	SLEAVE_SCHEDULES("open", "adding -> looked", "first", "added -> looking") {
		pthread_t thread;
		int seen;

		value = 0;
		pthread_create(&thread, NULL, add, NULL);
		sleave_event("looking");
		pthread_mutex_lock(&lock);
		seen = value;
		pthread_mutex_unlock(&lock);
		ck_assert_msg(seen <= most, "a message that is longer than all others in the file: %d is more than %d", seen,
			      most);
		sleave_event("looked");
		pthread_join(thread, NULL);
	}
}

START_TEST(passes)
{
	look(1);
}
END_TEST

START_TEST(fails)
{
	look(0);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("sections");
	TCase *tests = tcase_create("order");
	SRunner *runner = srunner_create(suite);

	tcase_add_test(tests, passes);
	tcase_add_test(tests, fails);
	tcase_add_test(tests, passes);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_NORMAL);
	srunner_free(runner);
	return 0;
}
