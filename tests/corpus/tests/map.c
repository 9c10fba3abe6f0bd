/* The map of counted references: objects that are removed while a thread looks at them, or keeps them. */
#include "map.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <check.h>
#include <sleave.h>

static atomic_int destroyed;

static void
destroy(struct object *object)
{
	destroyed++;
}

static bool
equal(const void *a, const void *b)
{
	return !strcmp(a, b);
}

static bool
compare_slowly(const void *a, const void *b)
{
	sleave_event("comparing");
	usleep(50000);
	sleave_event("compared");
	return equal(a, b);
}

struct lookup {
	struct map *map;
	const char *key;
	struct object *found;
	bool was_destroyed; /* when it was found */
};

static void *
finder(void *arg)
{
	struct lookup *l = arg;

	l->found = map_get(l->map, l->key);
	l->was_destroyed = destroyed;
	return NULL;
}

/* Gets it, keeps it for a while, gives it back. */
static void *
holder(void *arg)
{
	struct lookup *l = arg;

	l->found = map_get(l->map, l->key);
	sleave_event("got");
	usleep(50000);
	sleave_event("dropping");
	if (l->found)
		map_unref(l->map, l->found);
	sleave_event("dropped");
	return NULL;
}

/* shows the bug: what is found has been destroyed */
START_TEST(remove_while_it_is_compared)
{
	SLEAVE_SCHEDULE("comparing -> removing, removed -> compared") {
		struct map *map = map_new(compare_slowly);
		struct object object = {.key = "x", .destroy = destroy};
		struct lookup l = {map, "x"};
		pthread_t thread;

		destroyed = 0;
		map_put(map, &object);
		pthread_create(&thread, NULL, finder, &l);
		usleep(20000);
		sleave_event("removing");
		ck_assert(map_remove(map, &object));
		sleave_event("removed");
		pthread_join(thread, NULL);
		ck_assert_ptr_eq(l.found, &object);
		ck_assert(!l.was_destroyed);
		map_unref(map, l.found);
		ck_assert_int_eq(destroyed, 1);
		map_free(map);
	}
}
END_TEST

START_TEST(who_has_it_keeps_it)
{
	SLEAVE_SCHEDULE("got -> removing, removed -> dropping") {
		struct map *map = map_new(equal);
		struct object object = {.key = "x", .destroy = destroy};
		struct lookup l = {map, "x"};
		pthread_t thread;

		destroyed = 0;
		map_put(map, &object);
		pthread_create(&thread, NULL, holder, &l);
		usleep(20000);
		sleave_event("removing");
		ck_assert(map_remove(map, &object));
		ck_assert_int_eq(destroyed, 0);
		sleave_event("removed");
		pthread_join(thread, NULL);
		ck_assert_int_eq(destroyed, 1);
		map_free(map);
	}
}
END_TEST

START_TEST(the_last_one_destroys_it)
{
	SLEAVE_SCHEDULE("got#2 -> removing, removed -> dropping, dropped#1 -> looking, looked -> dropping#2") {
		struct map *map = map_new(equal);
		struct object object = {.key = "x", .destroy = destroy};
		struct lookup a = {map, "x"}, b = {map, "x"};
		pthread_t threads[2];

		destroyed = 0;
		map_put(map, &object);
		pthread_create(&threads[0], NULL, holder, &a);
		usleep(40000);
		pthread_create(&threads[1], NULL, holder, &b);
#ifdef SLEEPS
		usleep(5000);
#endif
		sleave_event("removing");
		ck_assert(map_remove(map, &object));
		sleave_event("removed");
		usleep(25000);
		sleave_event("looking");
		ck_assert_int_eq(destroyed, 0);
		sleave_event("looked");
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
		ck_assert_int_eq(destroyed, 1);
		map_free(map);
	}
}
END_TEST

static void *
putter(void *arg)
{
	static struct object object = {.key = "y", .destroy = destroy};
	struct map *map = arg;

	usleep(30000);
	sleave_event("putting");
	object.references = 0;
	map_put(map, &object);
	sleave_event("put");
	return NULL;
}

START_TEST(first_it_is_not_there_and_then_it_is)
{
	SLEAVE_SCHEDULE("missed -> putting, put -> looking_again") {
		struct map *map = map_new(equal);
		struct object *found;
		pthread_t thread;

		pthread_create(&thread, NULL, putter, map);
		ck_assert_ptr_null(map_get(map, "y"));
		sleave_event("missed");
		usleep(60000);
		sleave_event("looking_again");
		found = map_get(map, "y");
		ck_assert_ptr_nonnull(found);
		map_unref(map, found);
		pthread_join(thread, NULL);
		map_free(map);
	}
}
END_TEST

START_TEST(put_while_others_are_compared)
{
	SLEAVE_SCHEDULE("comparing -> putting, put -> compared") {
		struct map *map = map_new(compare_slowly);
		struct object x = {.key = "x", .destroy = destroy};
		struct lookup l = {map, "y"};
		pthread_t threads[2];

		destroyed = 0;
		map_put(map, &x);
		pthread_create(&threads[0], NULL, finder, &l);
		pthread_create(&threads[1], NULL, putter, map);
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
		ck_assert_ptr_nonnull(l.found);
		ck_assert_uint_eq(map_size(map), 2);
		map_unref(map, l.found);
		map_free(map);
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
		TEST(remove_while_it_is_compared),
		TEST(who_has_it_keeps_it),
		TEST(the_last_one_destroys_it),
		TEST(first_it_is_not_there_and_then_it_is),
		TEST(put_while_others_are_compared),
	};
	Suite *suite = suite_create("map");

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
