/*
 * Linked into a program that we did not write, with -Xlinker --wrap=main: looks at its output at the end of every execution.
 * What the file $CHECK_OUTPUT holds must be what $CHECK_EXPECTED holds, byte by byte; else abort(), which Sleave reports.
 * The output is removed before every execution, so that none can pass on (or trip over) what another left, and
 * $CHECK_COUNT grows by a byte for each that was looked at. Without these variables nothing is done.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *output, *expected, *count;

static void
die(const char *what, const char *name)
{
	fprintf(stderr, "check: %s: %s\n", name, what);
	abort();
}

/* The whole file; NULL if there is none. */
static char *
contents(const char *name, size_t *size)
{
	struct stat status;
	int fd = open(name, O_RDONLY);
	char *text;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &status) || !(text = malloc((size_t)status.st_size + 1)) ||
	    read(fd, text, (size_t)status.st_size) != status.st_size)
		die("can't be read", name);
	close(fd);
	*size = (size_t)status.st_size;
	return text;
}

static void
check(void)
{
	size_t got_size, want_size;
	char *got, *want;
	int fd;

	fflush(NULL);
	got = contents(output, &got_size);
	want = contents(expected, &want_size);
	if (!got)
		die("no such output", output);
	if (!want)
		die("nothing is expected", expected);
	if (got_size != want_size || memcmp(got, want, got_size))
		die("the output is wrong", output);
	free(got);
	free(want);
	fd = open(count, O_WRONLY | O_APPEND | O_CREAT, 0666);
	if (fd < 0 || write(fd, ".", 1) != 1)
		die("can't be written", count);
	close(fd);
}

/* In the place of main(): first thing, so that everything the program itself leaves to the end comes before check(). */
int __real_main(int, char **, char **);
int __wrap_main(int, char **, char **);

int
__wrap_main(int argc, char **argv, char **environment)
{
	output = getenv("CHECK_OUTPUT");
	expected = getenv("CHECK_EXPECTED");
	count = getenv("CHECK_COUNT");
	if (output && expected && count) {
		/* There is one whatever the execution before left, so that removing it always does the same. */
		close(open(output, O_WRONLY | O_CREAT, 0666));
		unlink(output);
		atexit(check);
	}
	return __real_main(argc, argv, environment);
}
