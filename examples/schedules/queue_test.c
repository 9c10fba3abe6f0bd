/*
 * Tests of the queue that need a certain order of events, and state it in schedules. Started on its own, the program runs each
 * schedule; with `sleave test` each schedule is a test of its own; built with `sleave cc`, all interleavings that a schedule
 * allows are explored.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sleave.h>

#include "queue.h"

static void *
add_two(void *arg)
{
	struct queue *queue = arg;

	sleave_event("startingAdd1");
	queue_add(queue, 1);
	sleave_event("finishedAdd1");
	sleave_event("startingAdd2");
	queue_add(queue, 2);
	sleave_event("finishedAdd2");
	return NULL;
}

static void
test_take(void **state)
{
	(void)state;
	SLEAVE_SCHEDULES("blocking take", "finishedAdd1 -> startingTake1, [startingTake2] -> startingAdd2",
			 "non-blocking take", "finishedAdd1 -> startingTake1, finishedAdd2 -> startingTake2") {
		struct queue queue = QUEUE_EMPTY;
		pthread_t adder;

		pthread_create(&adder, NULL, add_two, &queue);
		sleave_event("startingTake1");
		assert_int_equal(queue_take(&queue), 1);
		sleave_event("startingTake2");
		assert_int_equal(queue_take(&queue), 2);
		pthread_join(adder, NULL);
	}
}

/* An earlier version of the queue returned a number that was never added. This order of events must not come back. */
static void
test_take_needs_add(void **state)
{
	(void)state;
	SLEAVE_INFEASIBLE("take from an empty queue", "finishedTake -> startingAdd1") {
		struct queue queue = QUEUE_EMPTY;
		pthread_t adder;

		pthread_create(&adder, NULL, add_two, &queue);
		queue_take(&queue);
		sleave_event("finishedTake");
		pthread_join(adder, NULL);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_take),
		cmocka_unit_test(test_take_needs_add),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
