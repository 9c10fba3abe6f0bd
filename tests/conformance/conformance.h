/*
 * Conformance: a group of cases, each a small function that calls and writes down what came back. The same
 * program runs on real threads, without Sleave, and under control; tests/conformance.sh compares the lines.
 *
 *	CASE(name) { … returns(pthread_mutex_lock(&m)); … }	one line: "group.name: 0 EBUSY"
 *	begin("%s.more", what);					another line, for cases made from a table
 *
 * Without an argument the program prints its lines. With the name of a file it compares them with the lines there,
 * prints those that differ and ends with status 1: so every execution of a search is checked, not only one.
 *
 * What is written down must be the same in every interleaving, on any machine, and defined: by POSIX, or by what glibc
 * documents. Only the first thread writes; others return what they saw and are joined.
 */
#ifndef SL_TESTS_CONFORMANCE_H
#define SL_TESTS_CONFORMANCE_H

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define UNUSED __attribute__((unused))
#define LINES_MAX 1024
#define LINE_MAX_LENGTH 256

struct conformance_case {
	const char *name;
	int line;
	void (*run)(void);
};

/* The linker collects the cases; their order in the file is their order in the output. */
#define CASE(n)                                                                                                   \
	static void n(void);                                                                                      \
	static const struct conformance_case case_##n = {#n, __LINE__, n};                                        \
	static const struct conformance_case *const entry_##n __attribute__((section("cases"), used)) = &case_##n; \
	static void n(void)

static char lines[LINES_MAX][LINE_MAX_LENGTH];
static int line_count;
static const char *group_name, *case_name;

/* The following output belongs to a case of this name. */
UNUSED __attribute__((format(printf, 1, 2))) static void
begin(const char *format, ...)
{
	char *line = lines[line_count++];
	va_list list;
	char name[128];

	if (line_count == LINES_MAX)
		abort();
	va_start(list, format);
	vsnprintf(name, sizeof(name), format, list);
	va_end(list);
	snprintf(line, LINE_MAX_LENGTH, "%s.%s:", group_name, name);
	case_name = NULL;
}

UNUSED static void
word(const char *text)
{
	char *line;
	size_t n;

	if (case_name)
		begin("%s", case_name);
	line = lines[line_count - 1];
	n = strlen(line);
	if (n + strlen(text) + 2 > LINE_MAX_LENGTH)
		abort();
	line[n] = ' ';
	strcpy(line + n + 1, text);
}

UNUSED static void
value(long number)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", number);
	word(text);
}

/* The result of a function that returns an error number. */
UNUSED static void
returns(int error)
{
	static const struct {
		int number;
		const char *name;
	} names[] = {
		{EPERM, "EPERM"},   {ENOENT, "ENOENT"},       {ESRCH, "ESRCH"},	      {EINTR, "EINTR"},
		{ECHILD, "ECHILD"}, {EAGAIN, "EAGAIN"},	      {ENOMEM, "ENOMEM"},     {EACCES, "EACCES"},
		{EFAULT, "EFAULT"}, {EBUSY, "EBUSY"},	      {EEXIST, "EEXIST"},     {EINVAL, "EINVAL"},
		{ERANGE, "ERANGE"}, {EDEADLK, "EDEADLK"},     {ENOSYS, "ENOSYS"},     {EOVERFLOW, "EOVERFLOW"},
		{ENOTSUP, "ENOTSUP"}, {ETIMEDOUT, "ETIMEDOUT"}, {EOWNERDEAD, "EOWNERDEAD"},
		{ENOTRECOVERABLE, "ENOTRECOVERABLE"}, {ENAMETOOLONG, "ENAMETOOLONG"}, {EBADF, "EBADF"},
	};

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (names[i].number == error) {
			word(names[i].name);
			return;
		}
	}
	value(error);
}

/* The result of a function that returns -1 and sets errno. */
#define errno_of(call)                                                                                            \
	do {                                                                                                      \
		errno = 0;                                                                                        \
		if ((call) == -1)                                                                                 \
			returns(errno);                                                                           \
		else                                                                                              \
			word("ok");                                                                               \
	} while (0)

/* ---- time limits ---- */

UNUSED static struct timespec
at(time_t seconds, long nanoseconds)
{
	struct timespec t;

	t.tv_sec = seconds;
	t.tv_nsec = nanoseconds;
	return t;
}

/* Far enough that it never expires during a test. */
UNUSED static struct timespec
far_away(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_sec += 100000;
	return t;
}

struct limit {
	const char *name;
	struct timespec time;
};

/* Times in the past, and invalid ones. */
UNUSED static const struct limit limits[] = {
	{"expired", {1, 0}},
	{"zero", {0, 0}},
	{"negative", {-1, 0}},
	{"nsec_too_big", {1, 1000000000}},
	{"nsec_negative", {1, -1}},
};
#define LIMITS (sizeof(limits) / sizeof(*limits))

struct clock_row {
	const char *name;
	clockid_t clock;
};

UNUSED static const struct clock_row clocks[] = {
	{"realtime", CLOCK_REALTIME},		{"monotonic", CLOCK_MONOTONIC},
	{"process_cpu", CLOCK_PROCESS_CPUTIME_ID}, {"thread_cpu", CLOCK_THREAD_CPUTIME_ID},
	{"monotonic_raw", CLOCK_MONOTONIC_RAW}, {"realtime_coarse", CLOCK_REALTIME_COARSE},
	{"boottime", CLOCK_BOOTTIME},		{"tai", CLOCK_TAI},
	{"none", 12345},
};
#define CLOCKS (sizeof(clocks) / sizeof(*clocks))

/* ---- another thread does it ---- */

struct other_call {
	int (*function)(void *);
	void *argument;
};

UNUSED static void *
other_main(void *argument)
{
	struct other_call *call = (struct other_call *)argument;

	return (void *)(intptr_t)call->function(call->argument);
}

/* The result of a function in a new thread, which then ends. */
UNUSED static int
other(int (*function)(void *), void *argument)
{
	struct other_call call;
	pthread_t thread;
	void *result;

	call.function = function;
	call.argument = argument;
	if (pthread_create(&thread, NULL, other_main, &call) || pthread_join(thread, &result))
		abort();
	return (int)(intptr_t)result;
}

/* `name_` is `name` as a function of a void pointer, for other(). */
#define ANY(name, type)                                                                                           \
	UNUSED static int name##_(void *object)                                                                   \
	{                                                                                                         \
		return name((type *)object);                                                                      \
	}

/* ---- the program ---- */

extern const struct conformance_case *const __start_cases[];
extern const struct conformance_case *const __stop_cases[];

static int
by_line(const void *a, const void *b)
{
	return (*(const struct conformance_case *const *)a)->line - (*(const struct conformance_case *const *)b)->line;
}

static int
compare_lines(const char *path)
{
	char expected[LINE_MAX_LENGTH];
	FILE *file = fopen(path, "r");
	int differ = 0, i = 0;

	if (!file) {
		perror(path);
		return 2;
	}
	for (; fgets(expected, sizeof(expected), file); i++) {
		expected[strcspn(expected, "\n")] = 0;
		if (i < line_count && !strcmp(expected, lines[i]))
			continue;
		fprintf(stderr, "expected %s\n     got %s\n", expected, i < line_count ? lines[i] : "nothing");
		differ = 1;
	}
	fclose(file);
	if (i != line_count) {
		fprintf(stderr, "expected %d cases, got %d\n", i, line_count);
		differ = 1;
	}
	return differ;
}

int
main(int argc, char **argv)
{
	static const struct conformance_case *sorted[LINES_MAX];
	size_t count = (size_t)(__stop_cases - __start_cases);
	const char *slash = strrchr(argv[0], '/');

	group_name = slash ? slash + 1 : argv[0];
	memcpy(sorted, __start_cases, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), by_line);
	for (size_t i = 0; i < count; i++) {
		case_name = sorted[i]->name;
		sorted[i]->run();
	}
	if (argc > 1)
		return compare_lines(argv[1]);
	for (int i = 0; i < line_count; i++)
		puts(lines[i]);
	return 0;
}

#endif
