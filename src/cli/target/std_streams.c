#include "cli/target/std_streams.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CAPTURE_MAX (1 << 20) /* bytes of output that are kept if it is not shown */

int
sl_capture_open(struct sl_capture *capture, const char *name)
{
	capture->done = 0;
	capture->fd = memfd_create(name, MFD_CLOEXEC);
	return capture->fd < 0 || fcntl(capture->fd, F_SETFL, O_APPEND) < 0 ? -1 : 0;
}

/* Shows new output, and frees its memory. to -1: only drops output beyond CAPTURE_MAX. */
void
sl_capture_drain(struct sl_capture *capture, int to)
{
	char buffer[65536];
	struct stat info;
	off_t start = capture->done & ~4095l;
	ssize_t n;

	if (fstat(capture->fd, &info) < 0 || info.st_size == capture->done)
		return;
	if (to < 0) {
		if (info.st_size - capture->done < CAPTURE_MAX)
			return;
		capture->done = info.st_size - CAPTURE_MAX / 2;
	}
	while (to >= 0 && (n = pread(capture->fd, buffer, sizeof(buffer), capture->done)) > 0) {
		capture->done += n;
		for (ssize_t written = 0, m; written < n; written += m) {
			m = write(to, buffer + written, (size_t)(n - written));
			if (m < 0 && errno != EINTR)
				break;
			if (m < 0)
				m = 0;
		}
	}
	/* the engine reads the last part again, for the finding (engine/listen/said.c) */
	off_t kept = to < 0 ? 0 : CAPTURE_MAX, end = (capture->done & ~4095l) - kept;

	start = start > kept ? start - kept : 0;
	if (end > start)
		fallocate(capture->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, start, end - start);
}

/* Finds the last line that starts with `head`, and stores the rest of it; the last of all lines if head is "". */
bool
sl_capture_find(const struct sl_capture *capture, const char *head, char *text, size_t room)
{
	char buffer[16384];
	struct stat info;
	size_t length = strlen(head);
	bool found = false;
	ssize_t n;

	if (fstat(capture->fd, &info) < 0)
		return false;
	n = pread(capture->fd, buffer, sizeof(buffer) - 1,
		  info.st_size > (off_t)sizeof(buffer) - 1 ? info.st_size - (off_t)sizeof(buffer) + 1 : 0);
	buffer[n > 0 ? n : 0] = '\0';
	for (char *line = buffer, *next; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (strncmp(line, head, length) != 0 || !line[length])
			continue;
		snprintf(text, room, "%s", line + length);
		found = true;
	}
	return found;
}

/* Copies a pipe up to its end, with a time limit: it may never be closed. */
static void
copy_input(int to, bool quiet)
{
	char buffer[65536];
	struct pollfd poller = {.fd = STDIN_FILENO, .events = POLLIN};
	ssize_t n;

	for (;;) {
		int ready = poll(&poller, 1, 2000);

		if (ready < 0 && errno == EINTR)
			continue;
		if (ready == 0 && !quiet)
			fputs("note: standard input does not end; the program will see its end here "
			      "(use sleave run … </dev/null if the program reads nothing)\n",
			      stderr);
		if (ready <= 0)
			return;
		n = read(STDIN_FILENO, buffer, sizeof(buffer));
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0 || write(to, buffer, (size_t)n) != n)
			return;
	}
}

int
sl_input_copy(bool quiet)
{
	struct stat info;
	int fd;

	if (fstat(STDIN_FILENO, &info) < 0 || S_ISCHR(info.st_mode) || S_ISDIR(info.st_mode))
		return -1; /* a terminal, /dev/null or closed: the program gets /dev/null */
	fd = memfd_create("standard input", MFD_CLOEXEC);
	if (fd >= 0)
		copy_input(fd, quiet);
	return fd;
}
