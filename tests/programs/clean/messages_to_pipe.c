/*
 * Messages of perror, psignal, <err.h> and <error.h> to a standard error that is a pipe, full to the last byte, whose
 * reader is another thread: they wait for it, and arrive whole and in order.
 */
/* options: --schedules=300 */
#define _GNU_SOURCE
#include <assert.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int ends[2], full;
static char text[512];

static void *
read_all(void *arg)
{
	static char filling[4096];
	size_t have = 0;
	ssize_t n;

	for (int left = full; left > 0; left -= (int)n)
		assert((n = read(ends[0], filling, (size_t)left < sizeof(filling) ? (size_t)left : sizeof(filling))) > 0);
	while ((n = read(ends[0], text + have, sizeof(text) - 1 - have)) > 0)
		have += (size_t)n;
	return arg;
}

int
main(void)
{
	static const char filling[4096];
	pthread_t reader;

	program_invocation_name = program_invocation_short_name = "me";
	assert(!pipe(ends));
	full = fcntl(ends[1], F_SETPIPE_SZ, 4096);
	assert(full == 4096 && write(ends[1], filling, sizeof(filling)) == full);
	assert(dup2(ends[1], 2) == 2 && !close(ends[1]));
	pthread_create(&reader, NULL, read_all, NULL);
	errno = ENOENT;
	perror("one");
	assert(errno == ENOENT);
	psignal(SIGINT, "two");
	warn("%s", "three");
	warnx("fo%s", "ur");
	error(0, EPERM, "five");
	error_at_line(0, 0, "file", 6, "six");
	assert(error_message_count == 2);
	close(2);
	pthread_join(reader, NULL);
	return strcmp(text, "one: No such file or directory\n"
			    "two: Interrupt\n"
			    "me: three: No such file or directory\n"
			    "me: four\n"
			    "me: five: Operation not permitted\n"
			    "me:file:6: six\n") != 0;
}
