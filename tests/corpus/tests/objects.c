/* The object pool: threads that wait for an object, and objects that take their time to be made. */
#include "objects.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>
#include <sleave.h>

/* The objects: they count. */
struct factory {
	atomic_int made, alive;
	int fail; /* so many times, it can't be made */
	char objects[8];
};

static void *
make(void *arg)
{
	struct factory *f = arg;

	f->alive++;
	return &f->objects[f->made++];
}

static void *
make_slowly(void *arg)
{
	struct factory *f = arg;

	sleave_event("making");
	usleep(50000);
	sleave_event("made");
	if (f->fail-- > 0)
		return NULL;
	return make(f);
}

static void
destroy(void *arg, void *object)
{
	struct factory *f = arg;

	f->alive--;
}

struct user {
	struct objects *pool;
	void *object;
};

static void *
acquirer(void *arg)
{
	struct user *u = arg;

	sleave_event("acquiring");
	u->object = objects_acquire(u->pool);
	sleave_event("acquired");
	return NULL;
}

static void
acquire_waits_for_a_release(void **state)
{
	SLEAVE_SCHEDULE("[acquiring] -> releasing") {
		struct factory f = {0};
		struct objects *pool = objects_new(1, make, destroy, &f);
		struct user u = {pool};
		void *mine = objects_acquire(pool);
		pthread_t thread;

		pthread_create(&thread, NULL, acquirer, &u);
		usleep(30000);
		sleave_event("releasing");
		objects_release(pool, mine, false);
		pthread_join(thread, NULL);
		assert_ptr_equal(u.object, mine);
		assert_int_equal(f.made, 1);
		objects_release(pool, u.object, false);
		objects_free(pool);
		assert_int_equal(f.alive, 0);
	}
}

/* shows the bug: a second one is made while the first is being made */
static void
never_more_than_the_most(void **state)
{
	SLEAVE_SCHEDULE("making -> trying, tried -> made") {
		struct factory f = {0};
		struct objects *pool = objects_new(1, make_slowly, destroy, &f);
		struct user u = {pool};
		pthread_t thread;

		pthread_create(&thread, NULL, acquirer, &u);
		usleep(20000);
		sleave_event("trying");
		assert_int_equal(objects_alive(pool), 1);
		assert_null(objects_try_acquire(pool));
		sleave_event("tried");
		pthread_join(thread, NULL);
		assert_non_null(u.object);
		assert_int_equal(f.made, 1);
		objects_release(pool, u.object, false);
		objects_free(pool);
	}
}

static void
a_broken_one_is_replaced(void **state)
{
	SLEAVE_SCHEDULE("[acquiring] -> releasing") {
		struct factory f = {0};
		struct objects *pool = objects_new(1, make, destroy, &f);
		struct user u = {pool};
		void *mine = objects_acquire(pool);
		pthread_t thread;

		pthread_create(&thread, NULL, acquirer, &u);
		usleep(30000);
		sleave_event("releasing");
		objects_release(pool, mine, true);
		pthread_join(thread, NULL);
		assert_ptr_not_equal(u.object, mine);
		assert_int_equal(f.made, 2);
		assert_int_equal(f.alive, 1);
		objects_release(pool, u.object, false);
		objects_free(pool);
	}
}

static void
close_wakes_who_waits(void **state)
{
	SLEAVE_SCHEDULE("[acquiring#1] && [acquiring#2] -> closing") {
		struct factory f = {0};
		struct objects *pool = objects_new(1, make, destroy, &f);
		struct user a = {pool, pool}, b = {pool, pool};
		void *mine = objects_acquire(pool);
		pthread_t threads[2];

		pthread_create(&threads[0], NULL, acquirer, &a);
		pthread_create(&threads[1], NULL, acquirer, &b);
		usleep(40000);
		sleave_event("closing");
		objects_close(pool);
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
		assert_null(a.object);
		assert_null(b.object);
		objects_release(pool, mine, false);
		objects_free(pool);
	}
}

/* A waiter is told that there is room again. Either thread may be the waiter. */
static void
what_cannot_be_made_leaves_room(void **state)
{
	SLEAVE_SCHEDULE("making -> acquiring#2, [acquiring#2] -> made") {
		struct factory f = {.fail = 1};
		struct objects *pool = objects_new(1, make_slowly, destroy, &f);
		struct user a = {pool, pool}, b = {pool};
		pthread_t threads[2];

		pthread_create(&threads[0], NULL, acquirer, &a);
		usleep(20000);
		pthread_create(&threads[1], NULL, acquirer, &b);
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
		assert_true(!a.object != !b.object);
		objects_release(pool, a.object ? a.object : b.object, false);
		objects_free(pool);
	}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(acquire_waits_for_a_release),
		cmocka_unit_test(never_more_than_the_most),
		cmocka_unit_test(a_broken_one_is_replaced),
		cmocka_unit_test(close_wakes_who_waits),
		cmocka_unit_test(what_cannot_be_made_leaves_room),
	};

	cmocka_set_test_filter(argc > 1 ? argv[1] : NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
