/*
 * Does a process that the program has started wait for something that only others can bring about?
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/engine.h"
#include "engine/kernel.h"
#include "engine/raw.h"
#include "engine/poison.h"

static char *
append_number(char *to, long number)
{
	char digits[24];
	int count = 0;

	do
		digits[count++] = (char)('0' + number % 10);
	while (number /= 10);
	while (count)
		*to++ = digits[--count];
	*to = 0;
	return to;
}

static char *
append(char *to, const char *text)
{
	while ((*to = *text++))
		to++;
	return to;
}

/* A descriptor of the child that may keep it waiting: reading a file from a disk takes a moment, but ends. */
static bool
may_block(pid_t process, long descriptor)
{
	char path[64], target[16] = "";

	append_number(append(append_number(append(path, "/proc/"), process), "/fd/"), descriptor);
	if (sl_raw(SYS_readlink, path, target, sizeof(target) - 1) <= 0)
		return false;
	return target[0] != '/' || (target[1] == 'd' && target[2] == 'e' && target[3] == 'v' && target[4] == '/');
}

/* What it waits for has come already, and it has not been able to notice yet. */
static bool
is_ready(pid_t process, long descriptor, short events)
{
	struct pollfd p = {.events = events};
	long handle = sl_raw(SYS_pidfd_open, process, 0), own;
	bool ready;

	if (handle < 0)
		return false;
	own = sl_raw(SYS_pidfd_getfd, handle, descriptor, 0);
	sl_raw(SYS_close, handle);
	if (own < 0)
		return false;
	p.fd = (int)own;
	ready = sl_raw(SYS_poll, &p, 1, 0) > 0;
	sl_raw(SYS_close, own);
	return ready;
}

/* It waits for processes of its own: do all of these? */
static bool
children_wait(pid_t process)
{
	char path[64], text[512] = "";
	long fd, n;
	pid_t child = 0;

	append(append_number(append(append_number(append(path, "/proc/"), process), "/task/"), process),
	       "/children");
	fd = sl_raw(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false; /* nobody can say */
	n = sl_raw(SYS_read, fd, text, sizeof(text) - 1);
	sl_raw(SYS_close, fd);
	for (long i = 0; i < n; i++) { /* "17 18 " */
		if (text[i] != ' ') {
			child = child * 10 + text[i] - '0';
			continue;
		}
		if (!sl_process_waits(child))
			return false;
		child = 0;
	}
	return n > 0 && n < (long)sizeof(text) - 1;
}

/* The kernel tells which system call it is in, and its arguments. */
bool
sl_process_waits(pid_t process)
{
	char path[64], text[64] = "";
	long fd, n, number = 0, first = 0, i = 0;

	append(append_number(append(path, "/proc/"), process), "/syscall");
	fd = sl_raw(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = sl_raw(SYS_read, fd, text, sizeof(text) - 1);
	sl_raw(SYS_close, fd);
	if (n <= 0 || text[0] < '0' || text[0] > '9') /* "running" */
		return false;
	for (; i < n && text[i] >= '0' && text[i] <= '9'; i++)
		number = number * 10 + text[i] - '0';
	for (i += 3; i < n && text[i] != ' '; i++) /* " 0x…" */
		first = first * 16 + (text[i] >= 'a' ? text[i] - 'a' + 10 : text[i] - '0');
	switch (number) {
	case SYS_read:
	case SYS_readv:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_accept:
	case SYS_accept4:
		return may_block(process, first) && !is_ready(process, first, POLLIN);
	case SYS_write:
	case SYS_writev:
	case SYS_sendto:
	case SYS_sendmsg:
		return may_block(process, first) && !is_ready(process, first, POLLOUT);
	case SYS_wait4:
	case SYS_waitid:
		return children_wait(process);
	case SYS_pause:
	case SYS_rt_sigsuspend:
	case SYS_futex:
		return true;
	default:
		return false; /* poll and its like may have a time limit: until it has ended or given up */
	}
}
