/*
 * The command that builds a version: make's targets, the value of MAKEFLAGS, and what is shown of a log.
 */
#include "cli/version/build_command.h"
#include "cli/version/build_process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void
flags_are(const char *given, const char *expected)
{
	char *flags = sl_make_flags(given, "/opt/sleave cc", "/opt/$s\\c++");

	assert_string_equal(flags, expected);
	free(flags);
}

static void
test_make_flags(void **state)
{
#define COMPILERS "CC=/opt/sleave\\ cc CXX=/opt/$$s\\\\c++"
	(void)state;
	flags_are(NULL, "-- " COMPILERS);
	flags_are("", "-- " COMPILERS);
	flags_are("ks", "ks -- " COMPILERS);
	flags_are("-j4", "-j4 -- " COMPILERS);
	flags_are(" -j4 --jobserver-auth=3,4", "-- " COMPILERS);
	flags_are("k -j --jobserver-fds=3,4 -- V=1 W=a\\ b", "k -- V=1 W=a\\ b " COMPILERS);
	flags_are("-- V=1", "-- V=1 " COMPILERS);
#undef COMPILERS
}

static void
inside_is(const char *subfolder, const char *program, const char *expected)
{
	struct sl_versions versions = {.home = (char *)"/home/me/checkout", .subfolder = (char *)subfolder};
	char *inside = sl_program_inside(&versions, program);

	if (expected)
		assert_string_equal(inside, expected);
	else
		assert_null(inside);
	free(inside);
}

static void
test_programs_inside_of_the_checkout(void **state)
{
	(void)state;
	inside_is("", "test", "test");
	inside_is("", "./test", "test");
	inside_is("tests", "./a//../test", "tests/test");
	inside_is("tests/unit", "../../test", "test");
	inside_is("tests", "../../test", NULL);
	inside_is("", "..", NULL);
	inside_is("tests", "/home/me/checkout/src/test", "src/test");
	inside_is("", "/home/me/checkout2/test", NULL);
	inside_is("", "/bin/true", NULL);
}

static void
test_targets(void **state)
{
	struct sl_versions versions = {.home = (char *)"/c", .subfolder = (char *)"tests/unit"};
	struct sl_build_command command = {.folder = (char *)"tests"};
	char *target = sl_build_target(&command, &versions, "./queue");

	(void)state;
	assert_string_equal(target, "unit/queue");
	free(target);
	assert_null(sl_build_target(&command, &versions, "../../elsewhere"));
	command.folder = (char *)"";
	target = sl_build_target(&command, &versions, "./queue");
	assert_string_equal(target, "tests/unit/queue");
	free(target);
}

static void
said_is(const char *log, size_t size, const char *expected)
{
	char path[] = "/tmp/sleave-log-XXXXXX", *said;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, log, size), (ssize_t)size);
	close(fd);
	said = sl_build_said(path);
	unlink(path);
	if (expected)
		assert_string_equal(said, expected);
	else
		assert_null(said);
	free(said);
}

static void
test_what_is_shown_of_a_log(void **state)
{
	char log[8192] = "";
	size_t used = 0;

	(void)state;
	said_is("", 0, NULL);
	said_is("one\ntwo", 7, "one\ntwo\n");
	/* from the first error on */
	said_is("cc a.c\na.c:1: error: x\n  here\nmake: *** 1\n", 42, "a.c:1: error: x\n  here\nmake: *** 1\n");
	/* nothing that a terminal would obey */
	said_is("error: \033[31m\0x\n", 15, "error: ?[31m x\n");
	/* not all of it */
	for (int i = 0; i < 100; i++)
		used += (size_t)sprintf(log + used, i == 20 ? "error: %d\n" : "line %d\n", i);
	said_is(log, used,
		"error: 20\nline 21\nline 22\nline 23\nline 24\nline 25\nline 26\nline 27\nline 28\nline 29\n… (67 lines)\n"
		"line 97\nline 98\nline 99\n");
	assert_null(sl_build_said("/nowhere/log"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_make_flags),
		cmocka_unit_test(test_programs_inside_of_the_checkout),
		cmocka_unit_test(test_targets),
		cmocka_unit_test(test_what_is_shown_of_a_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
