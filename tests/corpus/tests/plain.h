/* Tests without a framework: functions that return if all is well. */
#ifndef PLAIN_H
#define PLAIN_H

#include <stdio.h>
#include <string.h>

struct test {
	const char *name;
	void (*run)(void);
};

/* clang-format off */
#define TEST(function) {#function, function}
/* clang-format on */
#define RUN(tests, argc, argv) run_tests(tests, sizeof(tests) / sizeof *(tests), (argc) > 1 ? (argv)[1] : NULL)

/* All of them, or the one with this name. */
static inline int
run_tests(const struct test *tests, size_t count, const char *only)
{
	int run = 0;

	for (size_t i = 0; i < count; i++)
		if (!only || !strcmp(tests[i].name, only)) {
			tests[i].run();
			printf("ok %s\n", tests[i].name);
			run++;
		}
	return !run;
}

#endif
