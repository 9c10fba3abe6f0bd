/* The latch: threads that wait for it to open. */
#include "latch.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include <sleave.h>

#include "plain.h"

#ifdef SLEEPS
#define PATIENCE 20 /* milliseconds */
#else
#define PATIENCE 1
#endif

static atomic_int through;

static void *
waiter(void *latch)
{
	sleave_event("waiting");
	latch_wait(latch);
	through++;
	sleave_event("through");
	return NULL;
}

static void *
counter(void *latch)
{
	for (int i = 0; i < 3; i++) {
		usleep(20000);
		sleave_event("counting");
		latch_count_down(latch);
		sleave_event("counted");
	}
	return NULL;
}

static void
opens_at_zero(void)
{
	SLEAVE_SCHEDULE("[waiting] -> counting#1, counted#2 -> looking, looked -> counting#3") {
		struct latch latch;
		pthread_t threads[2];

		through = 0;
		latch_init(&latch, 3);
		pthread_create(&threads[0], NULL, waiter, &latch);
		pthread_create(&threads[1], NULL, counter, &latch);
		usleep(50000);
		sleave_event("looking");
		assert(latch_count(&latch) == 1);
		assert(through == 0);
		sleave_event("looked");
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
		assert(through == 1);
		latch_release(&latch);
	}
}

/* shows the bug: the second waiter waits for ever */
static void
everybody_goes_on(void)
{
	SLEAVE_SCHEDULE("[waiting#1] && [waiting#2] -> counting, through#2 -> looking") {
		struct latch latch;
		pthread_t threads[2];

		through = 0;
		latch_init(&latch, 1);
		pthread_create(&threads[0], NULL, waiter, &latch);
		pthread_create(&threads[1], NULL, waiter, &latch);
		usleep(30000);
		sleave_event("counting");
		latch_count_down(&latch);
		usleep(30000);
		sleave_event("looking");
		assert(through == 2);
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
		latch_release(&latch);
	}
}

static void *
late_counter(void *latch)
{
	usleep(70000);
	sleave_event("counting");
	latch_count_down(latch);
	return NULL;
}

static void
patience_ends(void)
{
	SLEAVE_SCHEDULE("gave_up -> counting") {
		struct latch latch;
		pthread_t thread;

		latch_init(&latch, 1);
		pthread_create(&thread, NULL, late_counter, &latch);
		assert(!latch_wait_within(&latch, PATIENCE));
		sleave_event("gave_up");
		pthread_join(thread, NULL);
		assert(latch_wait_within(&latch, PATIENCE));
		latch_release(&latch);
	}
}

#ifdef SLEEPS
static bool in_time;

#endif
static void *
adder(void *latch)
{
#ifdef SLEEPS
	if (!in_time)
		usleep(50000);
#endif
	sleave_event("adding");
	bool added = latch_add(latch, 1);
	sleave_event("added");
	return added ? latch : NULL;
}

static void
add(void)
{
	SLEAVE_SCHEDULES("add_in_time", "added -> counting", "add_too_late", "counted -> adding") {
#ifndef SLEEPS
		bool in_time = !strcmp(sleave_schedule_name(), "add_in_time");
#endif
		struct latch latch;
		pthread_t thread;
		void *added;

		latch_init(&latch, 1);
		pthread_create(&thread, NULL, adder, &latch);
		usleep(25000);
		sleave_event("counting");
		latch_count_down(&latch);
		sleave_event("counted");
		pthread_join(thread, &added);
		assert(!!added == in_time);
		assert(latch_count(&latch) == in_time);
		latch_release(&latch);
	}
}

#ifdef SLEEPS
static void
add_in_time(void)
{
	in_time = true;
	add();
}

static void
add_too_late(void)
{
	in_time = false;
	add();
}
#endif

static void *
arrive(void *latch)
{
	sleave_event("arriving");
	latch_arrive(latch);
	through++;
	return NULL;
}

static void
who_arrives_waits_for_the_others(void)
{
	SLEAVE_SCHEDULE("[arriving#1] && [arriving#2] -> looking") {
		struct latch latch;
		pthread_t threads[2];

		through = 0;
		latch_init(&latch, 3);
		pthread_create(&threads[0], NULL, arrive, &latch);
		pthread_create(&threads[1], NULL, arrive, &latch);
		usleep(30000);
		sleave_event("looking");
		assert(latch_count(&latch) == 1);
		assert(through == 0);
		latch_arrive(&latch);
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
		assert(through == 2);
		latch_release(&latch);
	}
}

int
main(int argc, char **argv)
{
	const struct test tests[] = {
		TEST(opens_at_zero),
		TEST(everybody_goes_on),
		TEST(patience_ends),
#ifdef SLEEPS
		TEST(add_in_time),
		TEST(add_too_late),
#else
		TEST(add),
#endif
		TEST(who_arrives_waits_for_the_others),
	};

	return RUN(tests, argc, argv);
}
