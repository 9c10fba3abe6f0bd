#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "cli/version/build_process.h"

#include "base/room.h"
#include "cli/signal_set.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GRACE_NS 2000000000ull
#define SECOND 1000000000ull
#define LOG_MOST (8u << 20) /* of a longer log, only the beginning and the end are read */
#define LINES_FIRST 10
#define LINES_LAST 3
#define LINE_BYTES 300

uint64_t
sl_build_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

/* ---- signals ---- */

void
sl_build_signals_take(sigset_t *before)
{
	sigset_t set = sl_signals_taken();

	sigprocmask(SIG_BLOCK, &set, before);
}

void
sl_build_signals_restore(const sigset_t *before)
{
	sigprocmask(SIG_SETMASK, before, NULL);
}

bool
sl_build_pause(uint64_t nanoseconds)
{
	struct timespec time = {.tv_sec = (time_t)(nanoseconds / SECOND), .tv_nsec = (long)(nanoseconds % SECOND)};
	sigset_t set = sl_signals_taken();
	int number = sigtimedwait(&set, NULL, &time);

	return number > 0 && number != SIGCHLD;
}

/* ---- processes ---- */

static void __attribute__((noreturn))
become(const struct sl_build_job *job, int log, pid_t parent, const sigset_t *before)
{
	char *const argv[] = {(char *)"sh", (char *)"-c", (char *)job->command, NULL};
	int input = open("/dev/null", O_RDONLY);

	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) /* the parent has ended already */
		_exit(127);
	for (int i = 1; i < NSIG; i++)
		if (i != SIGKILL && i != SIGSTOP)
			signal(i, SIG_DFL);
	sigprocmask(SIG_SETMASK, before, NULL);
	if (dup2(input, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0 || chdir(job->folder) < 0) {
		dprintf(log, "sleave: cannot enter %s: %s\n", job->folder, strerror(errno));
		_exit(127);
	}
	execve("/bin/sh", argv, job->environment);
	dprintf(2, "sleave: cannot execute /bin/sh: %s\n", strerror(errno));
	_exit(127);
}

int
sl_build_job_start(struct sl_build_job *job, const sigset_t *before, struct sl_err *err)
{
	int log = open(job->log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
	pid_t parent = getpid();

	if (log < 0)
		return sl_err_set(err,
				  errno == ENOSPC ? "the disk is full: %s could not be made: %s"
						  : "cannot write %s: %s",
				  job->log, strerror(errno));
	fflush(NULL);
	job->started = sl_build_now();
	job->pid = fork();
	if (job->pid == 0)
		become(job, log, parent, before);
	close(log);
	if (job->pid < 0) {
		job->pid = 0;
		return sl_err_set(err, "cannot start a process for `%s`: %s", job->command, strerror(errno));
	}
	return 0;
}

bool
sl_build_job_check(struct sl_build_job *job)
{
	if (job->pid && waitpid(job->pid, &job->status, WNOHANG) == job->pid) {
		job->pid = 0;
		job->ended = sl_build_now();
	}
	return !job->pid;
}

void
sl_build_job_kill(struct sl_build_job *job)
{
	uint64_t until = sl_build_now() + GRACE_NS;
	pid_t group = job->pid;
	struct timespec pause = {.tv_nsec = 10000000};

	if (!group)
		return;
	kill(-group, SIGTERM);
	kill(group, SIGTERM); /* the process may not have its own session yet */
	while (!sl_build_job_check(job) && sl_build_now() < until)
		nanosleep(&pause, NULL);
	kill(-group, SIGKILL);
	if (job->pid) {
		kill(group, SIGKILL);
		waitpid(group, &job->status, 0);
		job->pid = 0;
		job->ended = sl_build_now();
	}
}

/* ---- the log ---- */

static char *
read_log(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat info;
	size_t done = 0, size;
	ssize_t count;
	char *text;

	if (fd < 0 || fstat(fd, &info) < 0) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	size = info.st_size < (off_t)LOG_MOST ? (size_t)info.st_size : LOG_MOST;
	text = sl_room_zeroed(size + 1, 1);
	if ((off_t)size < info.st_size) {
		count = pread(fd, text, size / 2, 0);
		done = count > 0 ? (size_t)count : 0;
		count = pread(fd, text + done, size - done, info.st_size - (off_t)(size - done));
		done += count > 0 ? (size_t)count : 0;
	} else {
		while (done < size && (count = pread(fd, text + done, size - done, (off_t)done)) > 0)
			done += (size_t)count;
	}
	close(fd);
	for (size_t i = 0; i < done; i++)
		if (!text[i])
			text[i] = ' ';
	text[done] = '\0';
	return text;
}

bool
sl_build_log_has(const char *log, const char *words)
{
	char *text = read_log(log);
	bool has = text && strstr(text, words);

	free(text);
	return has;
}

static bool
is_error(const char *line, size_t length)
{
	static const char *const words[] =
		{"error:",          "error :",   "undefined reference", "multiple definition",
		 "No rule to make", "not found", "No such file",        "No space left",
		 "cannot find",     "sleave: ",  "sleave cc: ",         "sleave c++: "};
	char copy[1024];

	snprintf(copy, sizeof(copy), "%.*s", (int)length, line);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcasestr(copy, words[i]))
			return true;
	return false;
}

static void
print_line(FILE *to, const char *line, size_t length)
{
	/* control characters are replaced, because a terminal would obey them */
	for (size_t i = 0; i < length && i < LINE_BYTES; i++)
		fputc((unsigned char)line[i] < ' ' && line[i] != '\t' ? '?' : line[i], to);
	fputs(length > LINE_BYTES ? "…\n" : "\n", to);
}

char *
sl_build_said(const char *log)
{
	char *text = read_log(log), *said = NULL;
	const char **lines = NULL;
	size_t *lengths = NULL, count = 0, capacity = 0, other = 0, first, size = 0, shown;
	FILE *to;

	if (!text)
		return NULL;
	for (const char *at = text; *at;) {
		size_t length = strcspn(at, "\n");

		lines = sl_room_for(lines, count, &capacity, sizeof(*lines));
		lengths = sl_room_for(lengths, count, &other, sizeof(*lengths));
		lines[count] = at;
		lengths[count++] = length && at[length - 1] == '\r' ? length - 1 : length;
		at += length + (at[length] != '\0');
	}
	for (first = 0; first < count && !is_error(lines[first], lengths[first]); first++)
		;
	if (first == count)
		first = count > LINES_FIRST + LINES_LAST ? count - LINES_FIRST - LINES_LAST : 0;
	to = count ? open_memstream(&said, &size) : NULL;
	for (shown = first; to && shown < count && shown < first + LINES_FIRST; shown++)
		print_line(to, lines[shown], lengths[shown]);
	if (to && shown + LINES_LAST < count) {
		fprintf(to, "… (%zu lines)\n", count - LINES_LAST - shown);
		shown = count - LINES_LAST;
	}
	for (; to && shown < count; shown++)
		print_line(to, lines[shown], lengths[shown]);
	if (to)
		fclose(to);
	free(lines);
	free(lengths);
	free(text);
	return said;
}
