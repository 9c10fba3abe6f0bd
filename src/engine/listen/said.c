/*
 * The program's last words: what the execution of a finding has written to its standard output and error.
 *
 * Executions of the search write into one file (standard error) and to /dev/null (standard output), so that
 * printing costs little. The traced execution gets a file if there is none, and its last output is stored with the
 * finding. libc writes by system calls that the engine does not see, so the output is read back from the files;
 * output that is still buffered is read from libc's buffers.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/under/poison.h"

#define READER_LOW 970 /* a high number: the numbers of the program's descriptors must not change */
#define STREAMS 2

static const int descriptors[STREAMS] = {STDOUT_FILENO, STDERR_FILENO};
static struct {
	int reader; /* a descriptor for reading the file; -1: none */
	uint64_t from;
	bool replaced; /* the file replaces /dev/null */
} streams[STREAMS] = {{.reader = -1}, {.reader = -1}};

static bool
is_null_device(const struct stat *info)
{
	return S_ISCHR(info->st_mode) && info->st_rdev == makedev(1, 3);
}

/* Moves the descriptor to a high number. */
static int
put_high(long fd)
{
	long high = fd < 0 ? -1 : sl_raw(SYS_fcntl, fd, F_DUPFD_CLOEXEC, READER_LOW);

	if (fd >= 0)
		sl_raw(SYS_close, fd);
	return high < 0 ? -1 : (int)high;
}

static void
replace(int i)
{
	long fd = sl_raw(SYS_memfd_create, "standard stream", 1 /* MFD_CLOEXEC */);

	if (fd < 0)
		return;
	sl_raw(SYS_fcntl, fd, F_SETFL, O_APPEND);
	streams[i].replaced = sl_raw(SYS_dup3, fd, descriptors[i], 0) >= 0;
	streams[i].reader = put_high(fd);
}

void
sl_said_begin(bool kept)
{
	static bool used; /* an earlier execution of this process kept its output */

	if (likely(!kept && !used))
		return;
	used = kept;
	for (int i = 0; i < STREAMS; i++) {
		struct stat info = {0};

		if (streams[i].replaced) { /* by an earlier execution of this process */
			long fd = sl_raw(SYS_openat, AT_FDCWD, "/dev/null", O_WRONLY);

			if (fd >= 0 && fd != descriptors[i]) {
				sl_raw(SYS_dup3, fd, descriptors[i], 0);
				sl_raw(SYS_close, fd);
			}
			streams[i].replaced = false;
		}
		streams[i].reader = -1;
		streams[i].from = 0;
		if (!kept || sl_raw(SYS_fstat, descriptors[i], &info) < 0)
			continue;
		if (is_null_device(&info)) {
			replace(i);
		} else if (S_ISREG(info.st_mode)) {
			char path[] = "/proc/self/fd/0";

			path[sizeof(path) - 2] = (char)('0' + descriptors[i]);
			streams[i].reader = put_high(sl_raw(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC));
			streams[i].from = (uint64_t)info.st_size;
		}
	}
}

/* Appends text; the beginning is dropped if there is no room. */
static void
add(struct sl_said *said, int i, const char *text, size_t size)
{
	const size_t room = sizeof(said->text[i]);

	if (size > room) {
		text += size - room;
		size = room;
		said->cut[i] = 1;
		said->size[i] = 0;
	}
	if (said->size[i] + size > room) {
		size_t excess = said->size[i] + size - room;

		for (size_t k = excess; k < said->size[i]; k++)
			said->text[i][k - excess] = said->text[i][k];
		said->size[i] -= (uint32_t)excess;
		said->cut[i] = 1;
	}
	sl_memcpy(said->text[i] + said->size[i], text, size);
	said->size[i] += (uint32_t)size;
}

static void
add_file(struct sl_said *said, int i)
{
	char buffer[sizeof(said->text[i])];
	struct stat info = {0};
	uint64_t size, from = streams[i].from;
	long n;

	if (streams[i].reader < 0 || sl_raw(SYS_fstat, streams[i].reader, &info) < 0)
		return;
	size = (uint64_t)info.st_size;
	if (size > from && size - from > sizeof(buffer)) {
		from = size - sizeof(buffer);
		said->cut[i] = 1;
	}
	if (size <= from)
		return;
	n = sl_raw(SYS_pread64, streams[i].reader, buffer, size - from, from);
	if (n > 0)
		add(said, i, buffer, (size_t)n);
}

/* Adds text that libc has buffered. The program may have overwritten the structures, so each access is checked. */
static void
add_buffer(struct sl_said *said, int i, const FILE *stream, int descriptor)
{
	uint64_t at = (uint64_t)stream->_IO_write_base, end = (uint64_t)stream->_IO_write_ptr;

	if (!at || end <= at || end - at > 1u << 20 || stream->_fileno != descriptor)
		return;
	if (end - at > sizeof(said->text[i])) {
		at = end - sizeof(said->text[i]);
		said->cut[i] = 1;
	}
	for (; at < end; at++) {
		char c = (char)sl_probe(at);

		add(said, i, &c, 1);
	}
}

void
sl_said_end(struct sl_said *said)
{
	struct stat info[STREAMS] = {{0}};
	bool known[STREAMS];

	for (int i = 0; i < STREAMS; i++) {
		said->size[i] = said->cut[i] = 0;
		known[i] = streams[i].reader >= 0 && sl_raw(SYS_fstat, streams[i].reader, &info[i]) == 0;
	}
	said->together =
		known[0] && known[1] && info[0].st_ino == info[1].st_ino && info[0].st_dev == info[1].st_dev;
	for (int i = 0; i < STREAMS; i++) {
		int to = said->together ? 0 : i;

		if (!known[i])
			continue;
		if (i == to)
			add_file(said, to);
		add_buffer(said, to, i ? stderr : stdout, descriptors[i]);
	}
	for (int i = 0; i < STREAMS; i++) {
		if (streams[i].reader >= 0)
			sl_raw(SYS_close, streams[i].reader);
		streams[i].reader = -1;
	}
}
