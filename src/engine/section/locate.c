/*
 * Asks the `sleave` command for addresses and names: see locate.h. The program does not notice the command: it
 * gets no signal at its end, and the descriptors are closed before the program can see them.
 */
#include "engine/section/locate.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/under/poison.h"

#define HIGH 800 /* above a program's usual descriptors */

extern char **environ;

static bool
is_command(const char *path)
{
	return sl_raw(SYS_access, path, X_OK) == 0;
}

/* "…/libsleave.so.0" -> "…/sleave" */
static bool
beside(const char *library, char *path, size_t room)
{
	static const char name[] = "libsleave.so";
	size_t slash = 0, n = 0;

	for (size_t i = 0; library[i]; i++)
		if (library[i] == '/')
			slash = i + 1;
	while (name[n] && library[slash + n] == name[n])
		n++;
	if (!slash || name[n] || slash + 8 > room)
		return false;
	sl_text_copy(path, slash + 1, library);
	sl_text_copy(path + slash, 8, "sleave");
	return is_command(path);
}

static bool
on_path(char *path, size_t room)
{
	const char *at = NULL;

	for (char **e = environ; e && *e && !at; e++)
		if ((*e)[0] == 'P' && (*e)[1] == 'A' && (*e)[2] == 'T' && (*e)[3] == 'H' && (*e)[4] == '=')
			at = *e + 5;
	while (at && *at) {
		size_t n = 0;

		while (at[n] && at[n] != ':')
			n++;
		if (n && n + 8 < room) {
			sl_text_copy(path, n + 1, at);
			sl_text_copy(path + n, 8, "/sleave");
			if (is_command(path))
				return true;
		}
		at += n + (at[n] == ':');
	}
	return false;
}

/* The list of libraries is read as a debugger reads it: the linker's lock may be held. */
static bool
find_command(char *path, size_t room)
{
	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next)
		if (map->l_name && beside(map->l_name, path, room))
			return true;
	sl_text_copy(path, room, SL_BINDIR "/sleave");
	return is_command(path) || on_path(path, room);
}

static bool
make_pipe(int ends[2])
{
	int low[2] = {-1, -1};

	if (sl_raw(SYS_pipe2, low, O_CLOEXEC) < 0)
		return false;
	for (int i = 0; i < 2; i++) {
		ends[i] = (int)sl_raw(SYS_fcntl, low[i], F_DUPFD_CLOEXEC, HIGH);
		sl_raw(SYS_close, low[i]);
	}
	return ends[0] >= 0 && ends[1] >= 0;
}

/* Reads up to the end, and keeps as much as there is room for. */
static size_t
read_all(int fd, char *to, size_t room)
{
	size_t used = 0;
	char rest[256];

	for (;;) {
		long n = used < room ? sl_raw(SYS_read, fd, to + used, room - used)
				     : sl_raw(SYS_read, fd, rest, sizeof(rest));

		if (n == -EINTR)
			continue;
		if (n <= 0)
			return used;
		used += used < room ? (size_t)n : 0;
	}
}

static _Noreturn void
become(const char *command, const char *const arguments[], const int out[2], const int err[2])
{
	sl_raw(SYS_dup2, out[1], 1);
	sl_raw(SYS_dup2, err[1], 2);
	sl_raw(SYS_execve, command, arguments, environ);
	for (;;)
		sl_raw(SYS_exit_group, 127);
}

/*
 * Runs `sleave bind` for this process. Returns its exit status, and stores the answer, its size, and the first
 * line of the error.
 */
static int
ask(const char *option, const char *text, char *to, size_t to_room, size_t *answered, char *error, size_t room)
{
	char command[PATH_MAX], pid[24];
	const char *const arguments[] =
		{"sleave", "bind", "--pid", pid, option ? option : text, option ? text : NULL, NULL};
	int out[2] = {-1, -1}, err[2] = {-1, -1}, status = -1;
	size_t used = 0, size;
	long child;

	*answered = 0;
	sl_text_copy(error, room, "the command `sleave`, which finds what a schedule names, can't be started");
	if (!find_command(command, sizeof(command)))
		return -1;
	sl_text_add_number(pid, sizeof(pid), &used, (uint64_t)sl_raw(SYS_getpid));
	child = make_pipe(out) && make_pipe(err) ? sl_raw(SYS_clone, 0, 0, 0, 0, 0) : -1;
	if (child == 0)
		become(command, arguments, out, err);
	sl_raw(SYS_close, out[1]);
	sl_raw(SYS_close, err[1]);
	if (child > 0) {
		*answered = read_all(out[0], to, to_room);
		size = read_all(err[0], error, room - 1);
		while (sl_raw(SYS_wait4, child, &status, __WALL, NULL) == -EINTR)
			;
		if (size) {
			error[size] = '\0';
			for (size_t i = 0; i < size; i++)
				if (error[i] == '\n')
					error[i] = '\0';
		}
	}
	sl_raw(SYS_close, out[0]);
	sl_raw(SYS_close, err[0]);
	return status;
}

bool
sl_bind(const char *text, struct sl_binding *bindings, uint32_t *count, char *error, size_t room)
{
	size_t size;
	int status = ask(NULL, text, (char *)bindings, SL_BINDINGS_MAX * sizeof(*bindings), &size, error, room);

	*count = (uint32_t)(size / sizeof(*bindings));
	return status == 0;
}

bool
sl_name(const char *addresses, char *answer, size_t room)
{
	char error[128];
	size_t size;
	int status = ask("--name", addresses, answer, room - 1, &size, error, sizeof(error));

	answer[size] = '\0';
	return status == 0;
}
