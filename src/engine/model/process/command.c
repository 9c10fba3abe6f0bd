/*
 * Other programs: shells for commands (system, popen), and replacing the program by another one (exec).
 */
#include <errno.h>
#include <fcntl.h>
#include <paths.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/entry/record.h"
#include "engine/listen/lane.h"
#include "engine/model/io/channel.h"
#include "engine/model/signal/signals.h"
#include "engine/under/poison.h"

#define COMMANDS_MAX 64
#define ARGUMENTS_MAX 4096

/* ---- commands ---- */

/* The shell is an ordinary child; SIGCHLD is blocked until it has ended, as in libc. (If it is ignored, blocking
 * it must not make it pending.) */
SL_DEFINE(int, system, (const char *command), (command))
{
	uint64_t before = E.current->signal.mask;
	int status = -1;
	pid_t child;

	if (!command)
		return 1;
	if (sl_signal_matters(SIGCHLD))
		sl_signal_mask(before | BIT(SIGCHLD));
	if (!sl_child_spawn(command, -1, -1, &child, pc))
		status = 127 << 8;
	else
		while (sl_child_wait(child, &status, pc) < 0 && errno == EINTR)
			;
	sl_signal_mask(before);
	sl_signals_now();
	return status;
}

static struct {
	FILE *stream;
	pid_t child;
} commands[COMMANDS_MAX];
static uint32_t command_count, command_sequence;

SL_DEFINE(FILE *, popen, (const char *command, const char *mode), (command, mode))
{
	bool reads = mode[0] == 'r';
	int fds[2];
	FILE *stream;
	pid_t child;

	if ((mode[0] != 'r' && mode[0] != 'w') || (mode[1] && (mode[1] != 'e' || mode[2]))) {
		errno = EINVAL;
		return NULL;
	}
	if (command_sequence != E.sequence)
		command_count = 0;
	command_sequence = E.sequence;
	if (command_count == COMMANDS_MAX)
		sl_trouble(SL_TROUBLE_LIMIT, pc, "streams of popen()");
	if (sl_pipe(fds, O_CLOEXEC, pc) < 0)
		return NULL;
	/* the parent must close the child's end: otherwise the child would wait for it */
	if (!sl_child_spawn(command, fds[reads], reads, &child, pc)) {
		int error = errno;

		sl_close(fds[0], pc);
		sl_close(fds[1], pc);
		errno = error;
		return NULL;
	}
	sl_close(fds[reads], pc);
	stream = sl_stream_make(fds[!reads], reads ? "r" : "w", pc);
	commands[command_count].stream = stream;
	commands[command_count++].child = child;
	return stream;
}

SL_DEFINE(int, pclose, (FILE * stream), (stream))
{
	for (uint32_t i = 0; command_sequence == E.sequence && i < command_count; i++) {
		pid_t child = commands[i].child, ended;
		int status = -1;

		if (commands[i].stream != stream)
			continue;
		commands[i] = commands[--command_count];
		sl_at_fclose(stream, pc);
		do
			ended = sl_child_wait(child, &status, pc);
		while (ended < 0 && errno == EINTR);
		return ended < 0 ? -1 : status;
	}
	return SL_CALL(pclose)(stream);
}

/* ---- replacing the program ---- */

struct image {
	int folder; /* AT_FDCWD, or the folder to which the path is relative */
	const char *path;
	char *const *arguments, *const *environment;
	int flags;
	bool search; /* in PATH */
};

/* Replaces a child process. Returns if execve() fails. */
static int
replace(const struct image *to)
{
	long result;

	if (to->search) {
		SL_CALL(execvpe)(to->path, to->arguments, to->environment);
		return errno;
	}
	result = to->folder == AT_FDCWD && !to->flags
			 ? sl_raw(SYS_execve, to->path, to->arguments, to->environment)
			 : sl_raw(SYS_execveat, to->folder, to->path, to->arguments, to->environment, to->flags);
	return (int)-result;
}

/*
 * All other threads end, and so does the explored part of the execution: the other program is not under control.
 * It runs in a child, with the descriptors that it would have. When it ends, the execution ends.
 */
static int
become(const struct image *to, uint64_t pc)
{
	int error = 0, status = 0, tell[2] = {-1, -1};
	pid_t process;

	if (!E.control) {
		if (E.recording)
			sl_lane_exec(0, pc);
		sl_tell(SL_TOLD_EXEC);
		error = replace(to);
		if (E.recording)
			sl_lane_exec(error, pc);
		errno = error;
		return -1;
	}
	sl_told_started(pc);
	sl_announce(SL_EXEC, 0, pc);
	if (E.alive_count > 1)
		sl_point();
	else
		sl_no_point();
	sl_note(0);
	if (sl_raw(SYS_pipe2, tell, O_CLOEXEC) < 0)
		sl_trouble(SL_TROUBLE_LIMIT, pc, "descriptors");
	process = sl_real._Fork();
	if (process == 0) {
		sl_child_become();
		error = replace(to);
		sl_raw(SYS_write, tell[1], &error, sizeof(error));
		sl_raw(SYS_exit_group, 127);
	}
	sl_raw(SYS_close, tell[1]);
	if (process < 0) {
		sl_raw(SYS_close, tell[0]);
		errno = EAGAIN;
		return -1;
	}
	sl_raw(SYS_read, tell[0], &error, sizeof(error)); /* nothing is read if execve() has succeeded */
	sl_raw(SYS_close, tell[0]);
	if (error) {
		sl_raw(SYS_wait4, process, &status, 0, NULL);
		errno = error;
		return -1;
	}
	sl_reel_process(true);
	sl_channels_leave(); /* the other program may wait for a pipe that only this process keeps open */
	while (sl_raw(SYS_wait4, process, &status, 0, NULL) == -EINTR)
		;
	E.outcome.exit_pc = pc;
	E.outcome.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	if (WIFSIGNALED(status))
		sl_found(SL_FINDING_CRASH, WTERMSIG(status), 0, pc, "in the program that replaced it by exec");
	if (E.outcome.exit_status)
		sl_found(SL_FINDING_EXIT, E.outcome.exit_status, 0, pc, NULL);
	sl_execution_end();
}

SL_EXPORT int
execve(const char *path, char *const arguments[], char *const environment[])
{
	SL_RT_CALL();
	return become(&(struct image){AT_FDCWD, path, arguments, environment, 0, false}, SL_PC);
}

SL_EXPORT int
execv(const char *path, char *const arguments[])
{
	SL_RT_CALL();
	return become(&(struct image){AT_FDCWD, path, arguments, environ, 0, false}, SL_PC);
}

SL_EXPORT int
execvp(const char *file, char *const arguments[])
{
	SL_RT_CALL();
	return become(&(struct image){AT_FDCWD, file, arguments, environ, 0, true}, SL_PC);
}

SL_EXPORT int
execvpe(const char *file, char *const arguments[], char *const environment[])
{
	SL_RT_CALL();
	return become(&(struct image){AT_FDCWD, file, arguments, environment, 0, true}, SL_PC);
}

SL_EXPORT int
fexecve(int fd, char *const arguments[], char *const environment[])
{
	SL_RT_CALL();
	return become(&(struct image){fd, "", arguments, environment, AT_EMPTY_PATH, false}, SL_PC);
}

SL_EXPORT int
execveat(int folder, const char *path, char *const arguments[], char *const environment[], int flags)
{
	SL_RT_CALL();
	return become(&(struct image){folder, path, arguments, environment, flags, false}, SL_PC);
}

/* Reads the list of arguments, and the argument after it. */
#define LIST(first)                                                                                               \
	char *arguments[ARGUMENTS_MAX];                                                                           \
	va_list list;                                                                                             \
	int count = 0;                                                                                            \
                                                                                                                  \
	va_start(list, first);                                                                                    \
	for (arguments[0] = (char *)(first); arguments[count]; arguments[count] = va_arg(list, char *))           \
		if (++count == ARGUMENTS_MAX) {                                                                   \
			va_end(list);                                                                             \
			errno = E2BIG;                                                                            \
			return -1;                                                                                \
		}

SL_EXPORT int
execl(const char *path, const char *first, ...)
{
	LIST(first);
	va_end(list);
	SL_RT_CALL();
	return become(&(struct image){AT_FDCWD, path, arguments, environ, 0, false}, SL_PC);
}

SL_EXPORT int
execlp(const char *file, const char *first, ...)
{
	LIST(first);
	va_end(list);
	SL_RT_CALL();
	return become(&(struct image){AT_FDCWD, file, arguments, environ, 0, true}, SL_PC);
}

SL_EXPORT int
execle(const char *path, const char *first, ...)
{
	LIST(first);
	char *const *environment = va_arg(list, char *const *);

	va_end(list);
	SL_RT_CALL();
	return become(&(struct image){AT_FDCWD, path, arguments, environment, 0, false}, SL_PC);
}
