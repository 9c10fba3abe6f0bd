/* The timer wheel: timers that are cancelled in time, too late, and while they are being called. */
#include "wheel.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include <sleave.h>

#include "plain.h"

static atomic_int calls;

static void
call(void *arg)
{
	calls++;
}

static void
call_slowly(void *arg)
{
	sleave_event("in_call");
	usleep(60000);
	sleave_event("leaving_call");
	calls++;
}

/* Advances the time, for every test. */
static void *
ticker(void *wheel)
{
	for (int i = 0; i < 3; i++) {
		usleep(30000);
		sleave_event("ticking");
		wheel_advance(wheel);
		sleave_event("ticked");
	}
	return NULL;
}

static void *
tick_once(void *wheel)
{
	sleave_event("ticking");
	wheel_advance(wheel);
	sleave_event("ticked");
	return NULL;
}

/* shows the bug: the caller may free what the function works with */
static void
cancel_waits_for_the_call(void)
{
	SLEAVE_SCHEDULE("in_call -> cancelling, [cancelling] -> leaving_call") {
		struct wheel *wheel = wheel_new(8);
		struct timer *timer = wheel_add(wheel, 1, call_slowly, NULL);
		pthread_t thread;

		calls = 0;
		pthread_create(&thread, NULL, tick_once, wheel);
		usleep(25000);
		sleave_event("cancelling");
		assert(!wheel_cancel(wheel, timer));
		assert(calls == 1);
		pthread_join(thread, NULL);
		wheel_free(wheel);
	}
}

#ifdef SLEEPS
static unsigned delay;

#endif
static void
cancel(void)
{
	SLEAVE_SCHEDULES("cancelled_in_time", "ticked#1 -> cancelling, cancelled -> ticking#2",
			 "cancelled_too_late", "ticked#2 -> cancelling, cancelled -> ticking#3") {
#ifdef SLEEPS
		bool in_time = delay < 60000;
#else
		bool in_time = !strcmp(sleave_schedule_name(), "cancelled_in_time");
#endif
		struct wheel *wheel = wheel_new(8);
		struct timer *timer = wheel_add(wheel, 2, call, NULL);
		pthread_t thread;

		calls = 0;
		pthread_create(&thread, NULL, ticker, wheel);
		usleep(delay);
		sleave_event("cancelling");
		assert(wheel_cancel(wheel, timer) == in_time);
		sleave_event("cancelled");
		pthread_join(thread, NULL);
		assert(calls == !in_time);
		wheel_free(wheel);
	}
}

#ifdef SLEEPS
static void
cancelled_in_time(void)
{
	delay = 45000;
	cancel();
}

static void
cancelled_too_late(void)
{
	delay = 75000;
	cancel();
}
#endif

static void
timers_wait_for_their_tick(void)
{
	SLEAVE_SCHEDULE("ticked#1 -> looking#1, looked#1 -> ticking#2, ticked#2 -> looking#2, looked#2 -> ticking#3, "
			"ticked#3 -> looking#3") {
		struct wheel *wheel = wheel_new(2); /* both in the same slot */
		struct timer *first = wheel_add(wheel, 1, call, NULL), *third = wheel_add(wheel, 3, call, NULL);
		const int expected[] = {1, 1, 2};
		pthread_t thread;

		calls = 0;
		pthread_create(&thread, NULL, ticker, wheel);
		usleep(15000);
		for (int i = 0; i < 3; i++) {
			usleep(30000);
			sleave_event("looking");
			assert(calls == expected[i]);
			sleave_event("looked");
		}
		pthread_join(thread, NULL);
		assert(!wheel_cancel(wheel, first));
		assert(!wheel_cancel(wheel, third));
		wheel_free(wheel);
	}
}

/* A timer that is added while others are called is due at the next tick, not at this one. */
static void
add_during_a_call(void)
{
	SLEAVE_SCHEDULE("in_call -> adding, added -> leaving_call") {
		struct wheel *wheel = wheel_new(8);
		struct timer *first = wheel_add(wheel, 1, call_slowly, NULL);
		pthread_t thread;

		calls = 0;
		pthread_create(&thread, NULL, tick_once, wheel);
		usleep(25000);
		sleave_event("adding");
		struct timer *second = wheel_add(wheel, 1, call, NULL);
		sleave_event("added");
		pthread_join(thread, NULL);
		assert(calls == 1);
		assert(wheel_advance(wheel) == 1);
		assert(calls == 2);
		wheel_cancel(wheel, first);
		wheel_cancel(wheel, second);
		wheel_free(wheel);
	}
}

struct suicide {
	struct wheel *wheel;
	struct timer *timer;
};

static void
cancel_myself(void *arg)
{
	struct suicide *s = arg;

	calls += !wheel_cancel(s->wheel, s->timer);
}

static void
a_call_may_cancel_itself(void)
{
	SLEAVE_SCHEDULE("ticked -> looking") {
		struct wheel *wheel = wheel_new(8);
		struct suicide s = {wheel};
		pthread_t thread;

		calls = 0;
		s.timer = wheel_add(wheel, 1, cancel_myself, &s);
		pthread_create(&thread, NULL, tick_once, wheel);
		usleep(20000);
		sleave_event("looking");
		assert(calls == 1);
		assert(wheel_pending(wheel) == 0);
		pthread_join(thread, NULL);
		wheel_free(wheel);
	}
}

int
main(int argc, char **argv)
{
	const struct test tests[] = {
		TEST(cancel_waits_for_the_call),
#ifdef SLEEPS
		TEST(cancelled_in_time),
		TEST(cancelled_too_late),
#else
		TEST(cancel),
#endif
		TEST(timers_wait_for_their_tick),
		TEST(add_during_a_call),
		TEST(a_call_may_cancel_itself),
	};

	return RUN(tests, argc, argv);
}
