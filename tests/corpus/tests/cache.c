/* The cache: threads that want the same value, or another one, while a value is being loaded. */
#define _GNU_SOURCE
#include "cache.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>
#include <sleave.h>

/* What is cached: all keys have the value of this, and a factor. */
static atomic_int source;

static int
load_slowly(void *arg, int key)
{
	int value = key * source;

	sleave_event("loading");
	usleep(60000);
	sleave_event("loaded");
	return value;
}

static int
load(void *arg, int key)
{
	return key * source;
}

struct reader {
	struct cache *cache;
	int key, value;
	const char *name;
};

static void *
reader(void *arg)
{
	struct reader *r = arg;

	if (r->name)
		pthread_setname_np(pthread_self(), r->name);
	sleave_event("getting");
	r->value = cache_get(r->cache, r->key);
	sleave_event("got");
	return NULL;
}

static void
one_load_for_two(void **state)
{
	SLEAVE_SCHEDULE("loading -> asking, [asking] -> loaded") {
		source = 10;
		struct cache *cache = cache_new(4, load_slowly, NULL);
		struct reader r = {cache, 1};
		pthread_t thread;

		pthread_create(&thread, NULL, reader, &r);
		usleep(20000);
		sleave_event("asking");
		assert_int_equal(cache_get(cache, 1), 10);
		pthread_join(thread, NULL);
		assert_int_equal(r.value, 10);
		assert_int_equal(cache_stats(cache).loads, 1);
		assert_int_equal(cache_stats(cache).hits, 1);
		cache_free(cache);
	}
}

/* shows the bug: a value that was out of date when it came is kept */
static void
invalidate_while_it_is_loaded(void **state)
{
	SLEAVE_SCHEDULE("loading#1 -> changing, changed -> loaded#1") {
		source = 10;
		struct cache *cache = cache_new(4, load_slowly, NULL);
		struct reader r = {cache, 1};
		pthread_t thread;

		pthread_create(&thread, NULL, reader, &r);
		usleep(30000);
		sleave_event("changing");
		source = 20;
		cache_invalidate(cache, 1);
		sleave_event("changed");
		pthread_join(thread, NULL);
		assert_false(cache_has(cache, 1));
		assert_int_equal(cache_get(cache, 1), 20);
		cache_free(cache);
	}
}

static void
who_waits_gets_what_is_loaded(void **state)
{
	SLEAVE_SCHEDULE("loading#1 -> getting#2, [getting#2] -> changing, changed -> loaded#1") {
		source = 10;
		struct cache *cache = cache_new(4, load_slowly, NULL);
		struct reader a = {cache, 1}, b = {cache, 1};
		pthread_t threads[2];

		pthread_create(&threads[0], NULL, reader, &a);
		usleep(10000);
		pthread_create(&threads[1], NULL, reader, &b);
		usleep(20000);
		sleave_event("changing");
		source = 20;
		cache_invalidate(cache, 1);
		sleave_event("changed");
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
		assert_int_equal(a.value, 10);
		assert_int_equal(b.value, 10);
		cache_free(cache);
	}
}

static void
no_room_while_all_are_loaded(void **state)
{
	SLEAVE_SCHEDULE("loading#1 -> asking, [asking] -> loaded#1") {
		source = 1;
		struct cache *cache = cache_new(1, load_slowly, NULL);
		struct reader r = {cache, 1};
		pthread_t thread;

		pthread_create(&thread, NULL, reader, &r);
		usleep(20000);
		sleave_event("asking");
		assert_int_equal(cache_get(cache, 2), 2);
		pthread_join(thread, NULL);
		assert_int_equal(r.value, 1);
		assert_int_equal(cache_stats(cache).evictions, 1);
		assert_false(cache_has(cache, 1));
		cache_free(cache);
	}
}

static void
different_keys_at_the_same_time(void **state)
{
	SLEAVE_SCHEDULE("loading#2 -> loaded#1") {
		source = 3;
		struct cache *cache = cache_new(2, load_slowly, NULL);
		struct reader a = {cache, 1}, b = {cache, 2};
		pthread_t threads[2];

		pthread_create(&threads[0], NULL, reader, &a);
		pthread_create(&threads[1], NULL, reader, &b);
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
		assert_int_equal(a.value, 3);
		assert_int_equal(b.value, 6);
		cache_free(cache);
	}
}

/* One after the other: 1, 2, 1 again, 3. The least recently used one is then 2. */
static void
the_least_recently_used_goes(void **state)
{
	SLEAVE_SCHEDULE("got@one -> getting@two, got@two -> again, had -> getting@three") {
		source = 1;
		struct cache *cache = cache_new(2, load, NULL);
		struct reader r[] = {{cache, 1, 0, "one"}, {cache, 2, 0, "two"}, {cache, 3, 0, "three"}};
		pthread_t threads[3];

		pthread_create(&threads[0], NULL, reader, &r[0]);
		usleep(20000);
		pthread_create(&threads[1], NULL, reader, &r[1]);
		usleep(20000);
		sleave_event("again");
		assert_int_equal(cache_get(cache, 1), 1);
		sleave_event("had");
		pthread_create(&threads[2], NULL, reader, &r[2]);
		for (int i = 0; i < 3; i++)
			pthread_join(threads[i], NULL);
		assert_true(cache_has(cache, 1));
		assert_false(cache_has(cache, 2));
		assert_true(cache_has(cache, 3));
		cache_free(cache);
	}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_load_for_two),
		cmocka_unit_test(invalidate_while_it_is_loaded),
		cmocka_unit_test(who_waits_gets_what_is_loaded),
		cmocka_unit_test(no_room_while_all_are_loaded),
		cmocka_unit_test(different_keys_at_the_same_time),
		cmocka_unit_test(the_least_recently_used_goes),
	};

	cmocka_set_test_filter(argc > 1 ? argv[1] : NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
