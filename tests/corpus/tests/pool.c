/* The thread pool: jobs that run, that wait, and what happens to them when the pool is closed. */
#include "pool.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include <sleave.h>

#include "plain.h"

/* A job that takes its time, and one that does not; most tests use them. */
static void
long_job(void *arg)
{
	sleave_event("began");
	usleep(60000);
	sleave_event("ending");
	++*(atomic_int *)arg;
}

static void
short_job(void *arg)
{
	++*(atomic_int *)arg;
}

static void
wait_for_a_job_that_runs(void)
{
	SLEAVE_SCHEDULE("began -> waiting, [waiting] -> ending") {
		struct pool *pool = pool_new(2);
		atomic_int done = 0;

		assert(pool_submit(pool, long_job, &done));
		usleep(20000);
		sleave_event("waiting");
		pool_wait(pool);
		assert(done == 1);
		pool_shutdown(pool);
	}
}

/* shows the bug: the second job is lost */
static void
shutdown_does_what_is_left(void)
{
	SLEAVE_SCHEDULE("began -> submitting, [shutting_down] -> ending") {
		struct pool *pool = pool_new(1);
		atomic_int done = 0;

		assert(pool_submit(pool, long_job, &done));
		usleep(20000);
		sleave_event("submitting");
		assert(pool_submit(pool, short_job, &done));
		sleave_event("shutting_down");
		pool_shutdown(pool);
		assert(done == 2);
	}
}

static void
abandon_drops_what_is_left(void)
{
	SLEAVE_SCHEDULE("began -> submitting, [abandoning] -> ending") {
		struct pool *pool = pool_new(1);
		atomic_int done = 0;

		assert(pool_submit(pool, long_job, &done));
		usleep(20000);
		sleave_event("submitting");
		assert(pool_submit(pool, short_job, &done));
		assert(pool_submit(pool, short_job, &done));
		sleave_event("abandoning");
		assert(pool_abandon(pool) == 2);
		assert(done == 1);
	}
}

static void *
shut_down(void *pool)
{
	sleave_event("shutting_down");
	pool_shutdown(pool);
	return NULL;
}

static void
nothing_new_while_it_shuts_down(void)
{
	SLEAVE_SCHEDULE("began -> shutting_down, [shutting_down] -> submitting, submitted -> ending") {
		struct pool *pool = pool_new(1);
		atomic_int done = 0;
		pthread_t thread;

		assert(pool_submit(pool, long_job, &done));
		usleep(10000);
		pthread_create(&thread, NULL, shut_down, pool);
		usleep(20000);
		sleave_event("submitting");
		assert(!pool_submit(pool, short_job, &done));
		sleave_event("submitted");
		pthread_join(thread, NULL);
		assert(done == 1);
	}
}

static void
jobs_wait_while_all_are_busy(void)
{
	SLEAVE_SCHEDULE("began#2 -> submitting, counted -> ending#1") {
		struct pool *pool = pool_new(2);
		atomic_int done = 0;

		assert(pool_submit(pool, long_job, &done));
		assert(pool_submit(pool, long_job, &done));
		usleep(25000);
		sleave_event("submitting");
		for (int i = 0; i < 3; i++)
			assert(pool_submit(pool, short_job, &done));
		assert(pool_pending(pool) == 3);
		sleave_event("counted");
		pool_wait(pool);
		assert(done == 5);
		pool_shutdown(pool);
	}
}

static void
work(void *arg)
{
	usleep(20000); /* orders nothing: it stands for work */
	++*(atomic_int *)arg;
}

/* Two workers that are independent of each other. */
static void
all_jobs_are_done(void)
{
	struct pool *pool = pool_new(2);
	atomic_int a = 0, b = 0;

	for (int i = 0; i < 2; i++) {
		assert(pool_submit(pool, work, &a));
		assert(pool_submit(pool, work, &b));
	}
	pool_shutdown(pool);
	assert(a == 2);
	assert(b == 2);
}

int
main(int argc, char **argv)
{
	const struct test tests[] = {
		TEST(wait_for_a_job_that_runs),
		TEST(shutdown_does_what_is_left),
		TEST(abandon_drops_what_is_left),
		TEST(nothing_new_while_it_shuts_down),
		TEST(jobs_wait_while_all_are_busy),
		TEST(all_jobs_are_done),
	};

	return RUN(tests, argc, argv);
}
