/* The barrier: threads that come together, more than once. */
#define _GNU_SOURCE
#include "barrier.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include <check.h>
#include <sleave.h>

struct party {
	struct barrier *barrier;
	const char *name;
	int rounds;
	int last; /* how often it was the last */
	enum barrier_result result;
};

static void *
party(void *arg)
{
	struct party *p = arg;

	pthread_setname_np(pthread_self(), p->name);
	for (int i = 0; i < p->rounds; i++) {
#ifdef SLEEPS
		if (p->name[0] == 'l') /* late */
			usleep(20000);
#endif
		sleave_event("arriving");
		p->result = barrier_wait(p->barrier);
		sleave_event("passed");
		p->last += p->result == BARRIER_LAST;
	}
	return NULL;
}

START_TEST(all_wait_for_the_last)
{
	SLEAVE_SCHEDULE("[arriving@a] && [arriving@b] -> counting") {
		struct barrier barrier;
		struct party a = {&barrier, "a", 1}, b = {&barrier, "b", 1};
		pthread_t threads[2];

		barrier_init(&barrier, 3, NULL, NULL);
		pthread_create(&threads[0], NULL, party, &a);
		pthread_create(&threads[1], NULL, party, &b);
		usleep(40000);
		sleave_event("counting");
		ck_assert_uint_eq(barrier_waiting(&barrier), 2);
		ck_assert_int_eq(barrier_wait(&barrier), BARRIER_LAST);
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
		ck_assert_int_eq(a.result, BARRIER_PASSED);
		ck_assert_int_eq(b.result, BARRIER_PASSED);
		barrier_release(&barrier);
	}
}
END_TEST

START_TEST(the_late_one_is_always_the_last)
{
	SLEAVE_SCHEDULE("[arriving@early#1] -> arriving@late#1, [arriving@early#2] -> arriving@late#2, "
			"[arriving@early#3] -> arriving@late#3") {
		struct barrier barrier;
		struct party early = {&barrier, "early", 3}, late = {&barrier, "late", 3};
		pthread_t threads[2];

		barrier_init(&barrier, 2, NULL, NULL);
		pthread_create(&threads[0], NULL, party, &early);
		pthread_create(&threads[1], NULL, party, &late);
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
		ck_assert_int_eq(early.last, 0);
		ck_assert_int_eq(late.last, 3);
		barrier_release(&barrier);
	}
}
END_TEST

START_TEST(break_tells_who_waits)
{
	SLEAVE_SCHEDULE("[arriving] -> breaking") {
		struct barrier barrier;
		struct party a = {&barrier, "a", 1};
		pthread_t thread;

		barrier_init(&barrier, 2, NULL, NULL);
		pthread_create(&thread, NULL, party, &a);
		usleep(30000);
		sleave_event("breaking");
		barrier_break(&barrier);
		pthread_join(thread, NULL);
		ck_assert_int_eq(a.result, BARRIER_BROKEN);
		ck_assert_int_eq(barrier_wait(&barrier), BARRIER_BROKEN);
		barrier_release(&barrier);
	}
}
END_TEST

START_TEST(mended_it_works_again)
{
	SLEAVE_SCHEDULE("[arriving@a] -> breaking, [arriving@b] -> arriving_too") {
		struct barrier barrier;
		struct party a = {&barrier, "a", 1}, b = {&barrier, "b", 1};
		pthread_t threads[2];

		barrier_init(&barrier, 2, NULL, NULL);
		pthread_create(&threads[0], NULL, party, &a);
		usleep(20000);
		sleave_event("breaking");
		barrier_break(&barrier);
		pthread_join(threads[0], NULL);
		barrier_mend(&barrier);
		pthread_create(&threads[1], NULL, party, &b);
		usleep(20000);
		sleave_event("arriving_too");
		ck_assert_int_eq(barrier_wait(&barrier), BARRIER_LAST);
		pthread_join(threads[1], NULL);
		ck_assert_int_eq(a.result, BARRIER_BROKEN);
		ck_assert_int_eq(b.result, BARRIER_PASSED);
		barrier_release(&barrier);
	}
}
END_TEST

static atomic_bool acted;

static void
act(void *arg)
{
	usleep(40000);
	sleave_event("acted");
	acted = true;
}

static void *
check_that_it_has_acted(void *barrier)
{
	sleave_event("arriving");
	barrier_wait(barrier);
	sleave_event("passed");
	return acted ? barrier : NULL;
}

/* shows the bug: the other threads continue before the action is done */
START_TEST(nobody_goes_on_before_the_action_is_done)
{
	SLEAVE_INFEASIBLE("nobody_goes_on_before_the_action_is_done", "[arriving] -> coming, passed -> acted") {
		struct barrier barrier;
		pthread_t thread;
		void *had_acted;

		acted = false;
		barrier_init(&barrier, 2, act, NULL);
		pthread_create(&thread, NULL, check_that_it_has_acted, &barrier);
		usleep(20000);
		sleave_event("coming");
		barrier_wait(&barrier);
		pthread_join(thread, &had_acted);
		ck_assert(had_acted != NULL);
		barrier_release(&barrier);
	}
}
END_TEST

#define TEST(function) {#function, function}

int
main(int argc, char **argv)
{
	const struct {
		const char *name;
		const TTest *test;
	} tests[] = {
		TEST(all_wait_for_the_last),
		TEST(the_late_one_is_always_the_last),
		TEST(break_tells_who_waits),
		TEST(mended_it_works_again),
		TEST(nobody_goes_on_before_the_action_is_done),
	};
	Suite *suite = suite_create("barrier");

	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
		TCase *one = tcase_create(tests[i].name);

		tcase_add_test(one, tests[i].test);
		suite_add_tcase(suite, one);
	}

	SRunner *runner = srunner_create(suite);
	srunner_run(runner, NULL, argc > 1 ? argv[1] : NULL, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
