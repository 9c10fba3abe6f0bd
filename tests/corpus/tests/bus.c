/* Publish and subscribe: subscribers that come and go while a message is delivered. */
#include "bus.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>
#include <sleave.h>

static atomic_int calls;

static void
call(void *arg, int message)
{
	calls++;
}

static void
call_slowly(void *arg, int message)
{
	sleave_event("in_call");
	usleep(60000);
	sleave_event("leaving_call");
	calls++;
}

/* Used by all tests. */
static void *
publisher(void *bus)
{
	bus_publish(bus, "news", 1);
	sleave_event("published");
	return NULL;
}

/* shows the bug: it is called although it has unsubscribed */
static void
unsubscribe_while_another_one_is_called(void **state)
{
	SLEAVE_SCHEDULE("in_call -> unsubscribing, unsubscribed -> leaving_call") {
		struct bus *bus = bus_new();
		pthread_t thread;

		calls = 0;
		bus_subscribe(bus, "news", call_slowly, NULL);
		int second = bus_subscribe(bus, "news", call, NULL);
		pthread_create(&thread, NULL, publisher, bus);
		usleep(25000);
		sleave_event("unsubscribing");
		bus_unsubscribe(bus, second);
		sleave_event("unsubscribed");
		pthread_join(thread, NULL);
		assert_int_equal(calls, 1);
		bus_free(bus);
	}
}

static void
unsubscribe_waits_for_the_call(void **state)
{
	SLEAVE_SCHEDULE("in_call -> unsubscribing, [unsubscribing] -> leaving_call") {
		struct bus *bus = bus_new();
		pthread_t thread;

		calls = 0;
		int first = bus_subscribe(bus, "news", call_slowly, NULL);
		pthread_create(&thread, NULL, publisher, bus);
		usleep(25000);
		sleave_event("unsubscribing");
		bus_unsubscribe(bus, first);
		assert_int_equal(calls, 1);
		pthread_join(thread, NULL);
		bus_free(bus);
	}
}

static void
who_comes_later_hears_the_next_one(void **state)
{
	SLEAVE_SCHEDULE("in_call#1 -> subscribing, subscribed -> leaving_call#1") {
		struct bus *bus = bus_new();
		pthread_t thread;

		calls = 0;
		int first = bus_subscribe(bus, "news", call_slowly, NULL);
		pthread_create(&thread, NULL, publisher, bus);
		usleep(25000);
		sleave_event("subscribing");
		bus_subscribe(bus, "news", call, NULL);
		sleave_event("subscribed");
		pthread_join(thread, NULL);
		assert_int_equal(calls, 1);
		bus_unsubscribe(bus, first);
		assert_int_equal(bus_publish(bus, "news", 2), 1);
		assert_int_equal(calls, 2);
		bus_free(bus);
	}
}

static void
two_messages_at_the_same_time(void **state)
{
	SLEAVE_SCHEDULE("in_call#2 -> leaving_call#1") {
		struct bus *bus = bus_new();
		pthread_t threads[2];

		calls = 0;
		bus_subscribe(bus, "news", call_slowly, NULL);
		pthread_create(&threads[0], NULL, publisher, bus);
		pthread_create(&threads[1], NULL, publisher, bus);
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
		assert_int_equal(calls, 2);
		bus_free(bus);
	}
}

static void
nobody_hears_it(void **state)
{
	SLEAVE_SCHEDULE("published -> subscribing") {
		struct bus *bus = bus_new();
		pthread_t thread;

		calls = 0;
		pthread_create(&thread, NULL, publisher, bus);
		usleep(20000);
		sleave_event("subscribing");
		bus_subscribe(bus, "news", call, NULL);
		assert_int_equal(bus_subscribers(bus, "news"), 1);
		pthread_join(thread, NULL);
		assert_int_equal(calls, 0);
		bus_free(bus);
	}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unsubscribe_while_another_one_is_called),
		cmocka_unit_test(unsubscribe_waits_for_the_call),
		cmocka_unit_test(who_comes_later_hears_the_next_one),
		cmocka_unit_test(two_messages_at_the_same_time),
		cmocka_unit_test(nobody_hears_it),
	};

	cmocka_set_test_filter(argc > 1 ? argv[1] : NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
