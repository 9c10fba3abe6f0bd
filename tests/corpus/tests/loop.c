/* The event loop: what wakes it up, and what is posted when. */
#define _GNU_SOURCE
#include "loop.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include <sleave.h>

#include "plain.h"

static atomic_int ran;

/* Runs the loop: of all tests. */
static void *
runner(void *loop)
{
	pthread_setname_np(pthread_self(), "loop");
	sleave_event("running");
	loop_run(loop);
	return NULL;
}

static void
task(void *arg)
{
	ran++;
	sleave_event("ran");
}

static void
slow_task(void *arg)
{
	sleave_event("in_task");
	usleep(50000);
	sleave_event("leaving_task");
	ran++;
}

static void
a_post_wakes_the_loop(void)
{
	SLEAVE_SCHEDULE("[running] -> posting, ran -> looking") {
		struct loop *loop = loop_new();
		pthread_t thread;

		ran = 0;
		pthread_create(&thread, NULL, runner, loop);
		usleep(30000);
		sleave_event("posting");
		assert(loop_post(loop, task, NULL));
		usleep(30000);
		sleave_event("looking");
		assert(ran == 1);
		loop_stop(loop);
		pthread_join(thread, NULL);
		loop_free(loop);
	}
}

/* shows the bug: the loop sleeps although there is something to do */
static void
post_while_a_task_runs(void)
{
	SLEAVE_SCHEDULE("in_task -> posting, posted -> leaving_task, [leaving_task] -> looking") {
		struct loop *loop = loop_new();
		pthread_t thread;

		ran = 0;
		pthread_create(&thread, NULL, runner, loop);
		assert(loop_post(loop, slow_task, NULL));
		usleep(25000);
		sleave_event("posting");
		assert(loop_post(loop, task, NULL));
		sleave_event("posted");
		usleep(60000);
		sleave_event("looking");
		assert(ran == 2);
		loop_stop(loop);
		pthread_join(thread, NULL);
		loop_free(loop);
	}
}

static void
read_it(void *arg, int fd)
{
	char byte = 0;

	assert(read(fd, &byte, 1) == 1);
	*(char *)arg = byte;
	sleave_event("read");
}

static void
something_to_read_wakes_the_loop(void)
{
	SLEAVE_SCHEDULE("[@loop] -> writing, read -> looking") {
		struct loop *loop = loop_new();
		static char got;
		int fds[2];
		pthread_t thread;

		got = 0;
		assert(!pipe(fds));
		assert(loop_watch(loop, fds[0], read_it, &got));
		pthread_create(&thread, NULL, runner, loop);
		usleep(20000);
		sleave_event("writing");
		assert(write(fds[1], "x", 1) == 1);
		usleep(30000);
		sleave_event("looking");
		assert(got == 'x');
		loop_stop(loop);
		pthread_join(thread, NULL);
		loop_free(loop);
		close(fds[0]);
		close(fds[1]);
	}
}

static void
what_was_posted_is_done_before_it_stops(void)
{
	SLEAVE_SCHEDULE("in_task -> posting, stopped -> leaving_task") {
		struct loop *loop = loop_new();
		pthread_t thread;

		ran = 0;
		pthread_create(&thread, NULL, runner, loop);
		assert(loop_post(loop, slow_task, NULL));
		usleep(25000);
		sleave_event("posting");
		assert(loop_post(loop, task, NULL));
		loop_stop(loop);
		sleave_event("stopped");
		pthread_join(thread, NULL);
		assert(ran == 2);
		loop_free(loop);
	}
}

struct letter {
	struct loop *loop;
	const char *from;
	char *to;
};

static void
deliver(void *arg)
{
	struct letter *letter = arg;

	strcat(letter->to, letter->from);
}

static void *
poster(void *arg)
{
	struct letter *letter = arg;

	pthread_setname_np(pthread_self(), letter->from);
	sleave_event("posting");
	loop_post(letter->loop, deliver, letter);
	sleave_event("posted");
	return NULL;
}

static void
in_the_order_of_posting(void)
{
	SLEAVE_SCHEDULE("posted@a -> posting@b, posted@b -> posting@c") {
		struct loop *loop = loop_new();
		char order[8] = "";
		struct letter letters[] = {{loop, "a", order}, {loop, "b", order}, {loop, "c", order}};
		pthread_t threads[4];

		pthread_create(&threads[3], NULL, runner, loop);
		for (int i = 0; i < 3; i++) {
			pthread_create(&threads[i], NULL, poster, &letters[i]);
			usleep(20000);
		}
		for (int i = 0; i < 3; i++)
			pthread_join(threads[i], NULL);
		loop_stop(loop);
		pthread_join(threads[3], NULL);
		assert(!strcmp(order, "abc"));
		loop_free(loop);
	}
}

int
main(int argc, char **argv)
{
	const struct test tests[] = {
		TEST(a_post_wakes_the_loop),
		TEST(post_while_a_task_runs),
		TEST(something_to_read_wakes_the_loop),
		TEST(what_was_posted_is_done_before_it_stops),
		TEST(in_the_order_of_posting),
	};

	return RUN(tests, argc, argv);
}
