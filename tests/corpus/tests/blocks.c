/* The memory pool: threads that wait for a block, and threads that keep one. */
#define _GNU_SOURCE
#include "blocks.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include <sleave.h>

#include "plain.h"

static atomic_int got;

/* A thread that needs a block, and returns it. */
static void *
user(void *pool)
{
	struct magazine *m = magazine_open(pool, 2);

	pthread_setname_np(pthread_self(), "user");
	sleave_event("getting");
	void *block = block_get(m);
	got++;
	sleave_event("got");
	block_put(m, block);
	magazine_close(m);
	return NULL;
}

/* shows the bug: the block is kept, although another thread waits for one */
static void
a_block_that_is_waited_for_is_not_kept(void)
{
	SLEAVE_SCHEDULE("[getting] -> putting, got -> looking") {
		struct blocks *pool = blocks_new(64, 1);
		struct magazine *m = magazine_open(pool, 2);
		void *block = block_get(m);
		pthread_t thread;

		got = 0;
		pthread_create(&thread, NULL, user, pool);
		usleep(30000);
		sleave_event("putting");
		block_put(m, block);
		usleep(30000);
		sleave_event("looking");
		assert(got == 1);
		pthread_join(thread, NULL);
		magazine_close(m);
		blocks_free(pool);
	}
}

#ifdef SLEEPS
static bool flush_early;

#endif
static void *
tryer(void *pool)
{
	struct magazine *m = magazine_open(pool, 0);

#ifdef SLEEPS
	if (flush_early)
		usleep(25000);
#endif
	sleave_event("trying");
	void *block = block_try_get(m);
	sleave_event("tried");
	if (block)
		block_put(m, block);
	magazine_close(m);
	return block;
}

static void
flush(void)
{
	SLEAVE_SCHEDULES("kept_until_it_is_flushed", "put -> trying, tried -> flushing",
			 "there_when_it_is_flushed", "flushed -> trying") {
#ifndef SLEEPS
		bool flush_early = !strcmp(sleave_schedule_name(), "there_when_it_is_flushed");
#endif
		struct blocks *pool = blocks_new(64, 1);
		struct magazine *m = magazine_open(pool, 2);
		void *block = block_get(m), *other;
		pthread_t thread;

		block_put(m, block);
		sleave_event("put");
		pthread_create(&thread, NULL, tryer, pool);
#ifdef SLEEPS
		if (!flush_early)
			usleep(25000);
#endif
		sleave_event("flushing");
		magazine_flush(m);
		sleave_event("flushed");
		pthread_join(thread, &other);
		assert(other == (flush_early ? block : NULL));
		magazine_close(m);
		blocks_free(pool);
	}
}

#ifdef SLEEPS
static void
kept_until_it_is_flushed(void)
{
	flush_early = false;
	flush();
}

static void
there_when_it_is_flushed(void)
{
	flush_early = true;
	flush();
}
#endif

static void
close_gives_everything_back(void)
{
	SLEAVE_SCHEDULE("[getting] -> closing") {
		struct blocks *pool = blocks_new(64, 1);
		struct magazine *m = magazine_open(pool, 2);
		pthread_t thread;

		got = 0;
		block_put(m, block_get(m));
		pthread_create(&thread, NULL, user, pool);
		usleep(30000);
		sleave_event("closing");
		assert(got == 0);
		magazine_close(m);
		pthread_join(thread, NULL);
		assert(got == 1);
		assert(blocks_free_count(pool) == 1);
		blocks_free(pool);
	}
}

static void
one_block_for_each_who_waits(void)
{
	SLEAVE_SCHEDULE("[getting#1] && [getting#2] -> putting, got#2 -> looking") {
		struct blocks *pool = blocks_new(64, 2);
		struct magazine *m = magazine_open(pool, 0);
		void *a = block_get(m), *b = block_get(m);
		pthread_t threads[2];

		got = 0;
		pthread_create(&threads[0], NULL, user, pool);
		pthread_create(&threads[1], NULL, user, pool);
		usleep(30000);
		sleave_event("putting");
		block_put(m, a);
		block_put(m, b);
		usleep(20000);
		sleave_event("looking");
		assert(got == 2);
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
		magazine_close(m);
		blocks_free(pool);
	}
}

static void
who_ends_has_given_everything_back(void)
{
	SLEAVE_SCHEDULE("end@user -> counting") {
		struct blocks *pool = blocks_new(64, 1);
		pthread_t thread;

		got = 0;
		pthread_create(&thread, NULL, user, pool);
		usleep(25000);
		sleave_event("counting");
		assert(got == 1);
		assert(blocks_free_count(pool) == 1);
		pthread_join(thread, NULL);
		blocks_free(pool);
	}
}

int
main(int argc, char **argv)
{
	const struct test tests[] = {
		TEST(a_block_that_is_waited_for_is_not_kept),
#ifdef SLEEPS
		TEST(kept_until_it_is_flushed),
		TEST(there_when_it_is_flushed),
#else
		TEST(flush),
#endif
		TEST(close_gives_everything_back),
		TEST(one_block_for_each_who_waits),
		TEST(who_ends_has_given_everything_back),
	};

	return RUN(tests, argc, argv);
}
