/* Futures: threads that wait for a value, and functions that are called with it. */
#define _GNU_SOURCE
#include "future.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>
#include <sleave.h>

struct get {
	struct future *f;
	int value;
	bool ready;
};

#ifdef SLEEPS
static bool late;

#endif
static void *
getter(void *arg)
{
	struct get *g = arg;

#ifdef SLEEPS
	if (late)
		usleep(30000);
#endif
	sleave_event("getting");
	g->ready = future_get(g->f, &g->value);
	sleave_event("got");
	return NULL;
}

static void
get_and_set(void **state)
{
	SLEAVE_SCHEDULES("get_waits", "[getting] -> setting", "get_at_once", "set -> getting") {
		struct future *f = future_new();
		struct get g = {f};
		pthread_t thread;

		pthread_create(&thread, NULL, getter, &g);
#ifdef SLEEPS
		if (!late)
			usleep(30000);
#endif
		sleave_event("setting");
		assert_true(future_set(f, 42));
		sleave_event("set");
		pthread_join(thread, NULL);
		assert_true(g.ready);
		assert_int_equal(g.value, 42);
		future_free(f);
	}
}

#ifdef SLEEPS
static void
get_waits(void **state)
{
	late = false;
	get_and_set(state);
}

static void
get_at_once(void **state)
{
	late = true;
	get_and_set(state);
}
#endif

static void
cancel_wakes_everybody(void **state)
{
	SLEAVE_SCHEDULE("[getting#1] && [getting#2] -> cancelling") {
		struct future *f = future_new();
		struct get a = {f, 0, true}, b = {f, 0, true};
		pthread_t threads[2];

		pthread_create(&threads[0], NULL, getter, &a);
		pthread_create(&threads[1], NULL, getter, &b);
		usleep(40000);
		sleave_event("cancelling");
		assert_true(future_cancel(f));
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
		assert_false(a.ready);
		assert_false(b.ready);
		assert_false(future_set(f, 1));
		future_free(f);
	}
}

static void
note(void *arg, int value)
{
	*(int *)arg = value;
}

static void
note_slowly(void *arg, int value)
{
	sleave_event("in_first");
	usleep(60000);
	sleave_event("leaving_first");
	*(int *)arg = value;
}

static void *
setter(void *f)
{
	sleave_event("setting");
	future_set(f, 7);
	sleave_event("set");
	return NULL;
}

/* shows the bug: the second function is never called */
static void
then_while_others_are_called(void **state)
{
	SLEAVE_SCHEDULE("in_first -> adding, added -> leaving_first") {
		struct future *f = future_new();
		int first = 0, second = 0;
		pthread_t thread;

		assert_true(future_then(f, note_slowly, &first));
		pthread_create(&thread, NULL, setter, f);
		usleep(30000);
		sleave_event("adding");
		assert_true(future_then(f, note, &second));
		sleave_event("added");
		pthread_join(thread, NULL);
		assert_int_equal(first, 7);
		assert_int_equal(second, 7);
		future_free(f);
	}
}

static void
then_when_it_is_set(void **state)
{
	SLEAVE_SCHEDULE("set -> adding") {
		struct future *f = future_new();
		int value = 0;
		pthread_t thread;

		pthread_create(&thread, NULL, setter, f);
		usleep(20000);
		sleave_event("adding");
		assert_true(future_then(f, note, &value));
		assert_int_equal(value, 7);
		pthread_join(thread, NULL);
		future_free(f);
	}
}

struct candidate {
	struct future *f;
	const char *name;
	int value;
	bool first;
};

static void *
run_for_it(void *arg)
{
	struct candidate *c = arg;

	pthread_setname_np(pthread_self(), c->name);
#ifdef SLEEPS
	if (c->value == 2)
		usleep(30000);
#endif
	sleave_event("trying");
	c->first = future_set(c->f, c->value);
	sleave_event("tried");
	return NULL;
}

static void
the_first_one_wins(void **state)
{
	SLEAVE_SCHEDULE("tried@one -> trying@two") {
		struct future *f = future_new();
		struct candidate one = {f, "one", 1}, two = {f, "two", 2};
		pthread_t threads[2];
		int value;

		pthread_create(&threads[0], NULL, run_for_it, &one);
		pthread_create(&threads[1], NULL, run_for_it, &two);
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
		assert_true(one.first);
		assert_false(two.first);
		assert_true(future_get(f, &value));
		assert_int_equal(value, 1);
		future_free(f);
	}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
#ifdef SLEEPS
		cmocka_unit_test(get_waits),
		cmocka_unit_test(get_at_once),
#else
		cmocka_unit_test(get_and_set),
#endif
		cmocka_unit_test(cancel_wakes_everybody),
		cmocka_unit_test(then_while_others_are_called),
		cmocka_unit_test(then_when_it_is_set),
		cmocka_unit_test(the_first_one_wins),
	};

	cmocka_set_test_filter(argc > 1 ? argv[1] : NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
