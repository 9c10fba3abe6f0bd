/* The logger: lines and threads that wait while the sink is busy. */
#include "logger.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sleave.h>

/* Collects the lines; each takes its time. */
static void
sink(void *arg, const char *line)
{
	char *text = arg;

	sleave_event("in_sink");
	usleep(50000);
	sleave_event("leaving_sink");
	strcat(text, line);
}

/* shows the bug: the line is still on its way */
static void
flush_waits_for_the_sink(void **state)
{
	SLEAVE_SCHEDULE("in_sink -> flushing, [flushing] -> leaving_sink") {
		char text[16] = "";
		struct logger *logger = logger_new(4, sink, text);

		logger_write(logger, "a");
		usleep(20000);
		sleave_event("flushing");
		logger_flush(logger);
		assert_string_equal(text, "a");
		logger_close(logger);
	}
}

static void
without_room_lines_are_dropped(void **state)
{
	SLEAVE_SCHEDULE("in_sink -> filling, dropped -> leaving_sink") {
		char text[16] = "";
		struct logger *logger = logger_new(1, sink, text);

		logger_write(logger, "a");
		usleep(20000);
		sleave_event("filling");
		assert_true(logger_try_write(logger, "b"));
		assert_false(logger_try_write(logger, "c"));
		assert_int_equal(logger_dropped(logger), 1);
		sleave_event("dropped");
		logger_close(logger);
		assert_string_equal(text, "ab");
	}
}

static void *
writer(void *logger)
{
	sleave_event("writing");
	logger_write(logger, "c");
	sleave_event("written");
	return NULL;
}

static void
or_the_writer_waits(void **state)
{
	SLEAVE_SCHEDULE("in_sink -> filling, filled -> writing, [writing] -> leaving_sink") {
		char text[16] = "";
		struct logger *logger = logger_new(1, sink, text);
		pthread_t thread;

		logger_write(logger, "a");
		usleep(15000);
		sleave_event("filling");
		logger_write(logger, "b");
		sleave_event("filled");
		pthread_create(&thread, NULL, writer, logger);
		pthread_join(thread, NULL);
		logger_close(logger);
		assert_string_equal(text, "abc");
	}
}

static void
close_writes_what_is_left(void **state)
{
	SLEAVE_SCHEDULE("in_sink -> filling, [closing] -> leaving_sink") {
		char text[16] = "";
		struct logger *logger = logger_new(4, sink, text);

		logger_write(logger, "a");
		usleep(20000);
		sleave_event("filling");
		logger_write(logger, "b");
		logger_write(logger, "c");
		sleave_event("closing");
		logger_close(logger);
		assert_string_equal(text, "abc");
	}
}

/* A flush waits for lines that were written before, not for those that are written meanwhile. */
static void *
flusher(void *arg)
{
	struct logger *logger = arg;

	sleave_event("flushing");
	logger_flush(logger);
	sleave_event("flushed");
	return NULL;
}

static void
flush_does_not_wait_for_what_comes_later(void **state)
{
	SLEAVE_SCHEDULE("in_sink#1 -> flushing, [flushing] -> filling, filled -> leaving_sink#1, flushed -> leaving_sink#2") {
		char text[16] = "";
		struct logger *logger = logger_new(4, sink, text);
		pthread_t thread;

		logger_write(logger, "a");
		usleep(10000);
		pthread_create(&thread, NULL, flusher, logger);
		usleep(15000);
		sleave_event("filling");
		logger_write(logger, "b");
		sleave_event("filled");
		pthread_join(thread, NULL);
		logger_close(logger);
		assert_string_equal(text, "ab");
	}
}

static void
count(void *arg, const char *line)
{
	usleep(5000); /* orders nothing: disks are slow */
	++*(atomic_int *)arg;
}

/* Two loggers and their threads, which are independent. */
static void
two_loggers(void **state)
{
	atomic_int a = 0, b = 0;
	struct logger *one = logger_new(4, count, &a), *two = logger_new(4, count, &b);

	for (int i = 0; i < 3; i++) {
		logger_write(one, "x");
		logger_write(two, "y");
	}
	logger_close(one);
	logger_close(two);
	assert_int_equal(a, 3);
	assert_int_equal(b, 3);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flush_waits_for_the_sink),
		cmocka_unit_test(without_room_lines_are_dropped),
		cmocka_unit_test(or_the_writer_waits),
		cmocka_unit_test(close_writes_what_is_left),
		cmocka_unit_test(flush_does_not_wait_for_what_comes_later),
		cmocka_unit_test(two_loggers),
	};

	cmocka_set_test_filter(argc > 1 ? argv[1] : NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
