/* The bounded queue: which thread has to wait, and which one wakes it. */
#include "queue.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>
#include <sleave.h>

#ifdef SLEEPS
#define PATIENCE 20 /* milliseconds */
#else
#define PATIENCE 1
#endif

/* The state of a helper thread. */
struct use {
	struct queue *q;
	int value;
	bool done;
};

static void *
taker(void *arg)
{
	struct use *u = arg;

	sleave_event("taking");
	u->done = queue_take(u->q, &u->value);
	sleave_event("took");
	return NULL;
}

static void *
putter(void *arg)
{
	struct use *u = arg;

	sleave_event("putting");
	u->done = queue_put(u->q, u->value);
	sleave_event("put");
	return NULL;
}

#ifdef SLEEPS
static bool late;

#endif
static void *
adder(void *q)
{
	queue_put(q, 1);
	sleave_event("added1");
#ifdef SLEEPS
	if (late)
		usleep(100000);
#endif
	sleave_event("adding2");
	queue_put(q, 2);
	sleave_event("added2");
	return NULL;
}

/* The example of the IMUnit papers. */
static void
take_with_add(void **state)
{
	SLEAVE_SCHEDULES("blocking_take", "added1 -> taking1, [taking2] -> adding2",
			 "nonblocking_take", "added1 -> taking1, added2 -> taking2") {
		struct queue *q = queue_new(2);
		pthread_t thread;
		int taken;

		pthread_create(&thread, NULL, adder, q);
		usleep(50000);
		sleave_event("taking1");
		assert_true(queue_take(q, &taken));
		assert_int_equal(taken, 1);
		sleave_event("taking2");
		assert_true(queue_take(q, &taken));
		assert_int_equal(taken, 2);
		assert_int_equal(queue_size(q), 0);
		pthread_join(thread, NULL);
		queue_free(q);
	}
}

#ifdef SLEEPS
static void
blocking_take(void **state)
{
	late = true;
	take_with_add(state);
}

static void
nonblocking_take(void **state)
{
	late = false;
	take_with_add(state);
}
#endif

static void
put_waits_for_room(void **state)
{
	SLEAVE_SCHEDULE("[putting] -> making_room") {
		struct queue *q = queue_new(1);
		struct use u = {q, 2};
		pthread_t thread;
		int taken;

		queue_put(q, 1);
		pthread_create(&thread, NULL, putter, &u);
		usleep(30000);
		sleave_event("making_room");
		assert_true(queue_take(q, &taken));
		assert_int_equal(taken, 1);
		pthread_join(thread, NULL);
		assert_true(u.done);
		assert_true(queue_take(q, &taken));
		assert_int_equal(taken, 2);
		queue_free(q);
	}
}

static void
close_wakes_all_takers(void **state)
{
	SLEAVE_SCHEDULE("[taking#1] && [taking#2] -> closing") {
		struct queue *q = queue_new(4);
		struct use a = {q, 0, true}, b = {q, 0, true};
		pthread_t threads[2];

		pthread_create(&threads[0], NULL, taker, &a);
		pthread_create(&threads[1], NULL, taker, &b);
		usleep(40000);
		sleave_event("closing");
		queue_close(q);
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
		assert_false(a.done);
		assert_false(b.done);
		queue_free(q);
	}
}

/* shows the bug: the put that waits for room writes over what is there */
static void
close_stops_a_put_that_waits(void **state)
{
	SLEAVE_SCHEDULE("[putting] -> closing") {
		struct queue *q = queue_new(1);
		struct use u = {q, 2};
		pthread_t thread;
		int taken = 0;

		queue_put(q, 1);
		pthread_create(&thread, NULL, putter, &u);
		usleep(30000);
		sleave_event("closing");
		queue_close(q);
		pthread_join(thread, NULL);
		assert_false(u.done);
		assert_true(queue_take(q, &taken));
		assert_int_equal(taken, 1);
		assert_false(queue_take(q, &taken));
		queue_free(q);
	}
}

static void *
producer(void *arg)
{
	struct use *u = arg;

	u->done = true;
	for (int i = 0; i < 3; i++) {
		sleave_event("producing");
		u->done = queue_try_put(u->q, i) && u->done;
		sleave_event("produced");
		usleep(40000);
	}
	return NULL;
}

/* There is only room for one, and neither waits: they have to take turns. */
static void
take_turns(void **state)
{
	SLEAVE_SCHEDULE("produced#* -> consuming#*, consumed#1 -> producing#2, consumed#2 -> producing#3") {
		struct queue *q = queue_new(1);
		struct use u = {q};
		pthread_t thread;
		int taken;

		pthread_create(&thread, NULL, producer, &u);
		usleep(20000);
		for (int i = 0; i < 3; i++) {
			sleave_event("consuming");
			assert_true(queue_try_take(q, &taken));
			sleave_event("consumed");
			assert_int_equal(taken, i);
			usleep(40000);
		}
		pthread_join(thread, NULL);
		assert_true(u.done);
		queue_free(q);
	}
}

struct pipe {
	struct queue *in, *out;
};

static void *
mover(void *arg)
{
	struct pipe *p = arg;
	int value;

	for (int i = 0; i < 2; i++) {
		sleave_event_on("from", p->in);
		queue_take(p->in, &value);
		sleave_event_on("to", p->out);
		queue_put(p->out, value);
	}
	return NULL;
}

/* The first value is waited for, and there is no room for the second. */
static void
from_one_queue_to_another(void **state)
{
	SLEAVE_SCHEDULE("[from{source}] -> feeding, [to{drain}#2] -> emptying") {
		struct pipe p = {queue_new(2), queue_new(1)};
		pthread_t thread;
		int taken;

		sleave_name(p.in, "source");
		sleave_name(p.out, "drain");
		pthread_create(&thread, NULL, mover, &p);
		usleep(20000);
		sleave_event("feeding");
		queue_put(p.in, 1);
		queue_put(p.in, 2);
		usleep(30000);
		sleave_event("emptying");
		assert_int_equal(queue_size(p.out), 1);
		assert_true(queue_take(p.out, &taken));
		assert_int_equal(taken, 1);
		assert_true(queue_take(p.out, &taken));
		assert_int_equal(taken, 2);
		pthread_join(thread, NULL);
		queue_free(p.in);
		queue_free(p.out);
	}
}

static void *
late_putter(void *arg)
{
	struct use *u = arg;

	usleep(80000);
	sleave_event("putting");
	u->done = queue_put(u->q, u->value);
	return NULL;
}

static void
patience_ends(void **state)
{
	SLEAVE_SCHEDULE("gave_up -> putting") {
		struct queue *q = queue_new(1);
		struct use u = {q, 7};
		pthread_t thread;
		int taken = 0;

		pthread_create(&thread, NULL, late_putter, &u);
		assert_false(queue_take_within(q, &taken, PATIENCE));
		sleave_event("gave_up");
		pthread_join(thread, NULL);
		assert_true(u.done);
		assert_true(queue_try_take(q, &taken));
		assert_int_equal(taken, 7);
		queue_free(q);
	}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
#ifdef SLEEPS
		cmocka_unit_test(blocking_take),
		cmocka_unit_test(nonblocking_take),
#else
		cmocka_unit_test(take_with_add),
#endif
		cmocka_unit_test(put_waits_for_room),
		cmocka_unit_test(close_wakes_all_takers),
		cmocka_unit_test(close_stops_a_put_that_waits),
		cmocka_unit_test(take_turns),
		cmocka_unit_test(from_one_queue_to_another),
		cmocka_unit_test(patience_ends),
	};

	cmocka_set_test_filter(argc > 1 ? argv[1] : NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
