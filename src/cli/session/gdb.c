/*
 * Starts gdb with commands for it, and waits for its end.
 */
#include "cli/session/gdb.h"

#include "cli/args.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* For a gdb with Python. */
static const char python[] =
#include <gdb_py.inc> /* gdb.py, in the build folder */
	;

/* For a gdb without Python: all frames are shown, and the program's frame is selected by its address. */
static const char no_python[] =
	"define sleave_show\n"
	"info threads\n"
	"set $sleave_left = 64\n"
	"set $sleave_place = *(unsigned long *)&sleave_stop_place\n"
	"if *(int *)&sleave_stop_tid != *(int *)&sleave_stop_by\n"
	"printf \"the thread to look at is LWP %d\\n\", *(int *)&sleave_stop_tid\n"
	"else\n"
	"while $sleave_place && $pc != $sleave_place && $pc + 1 != $sleave_place && $sleave_left-- > 0\n"
	"up-silently\n"
	"end\n"
	"frame\n"
	"end\n"
	"end\n"
	"skip -gfi */src/engine/*/*\nskip -gfi */src/engine/*/*/*\nskip -gfi */src/search/*\n"
	"echo this gdb has no Python: frames of Sleave's own are shown as well\\n\n";

static bool
gdb_has_python(void)
{
	return !system(
		"gdb -nx -batch -ex 'python import sys; sys.stdout.write(\"sleave\")' 2>/dev/null | grep -q sleave");
}

/* Writes an argument of gdb's echo: a backslash would begin an escape, and a line must end with one. */
static void
put_echo(FILE *out, const char *text)
{
	for (; *text; text++)
		if (*text == '\\')
			fputs("\\\\", out);
		else if ((unsigned char)*text >= ' ')
			fputc(*text, out);
}

/* Writes a Python string. */
static void
put_string(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++)
		if (*text == '\\' || *text == '"')
			fprintf(out, "\\%c", *text);
		else if ((unsigned char)*text >= ' ')
			fputc(*text, out);
	fputc('"', out);
}

static int
put_python(FILE *out, const char *before, const char *failure)
{
	int script = memfd_create("sleave gdb python", 0);

	if (script < 0 || write(script, python, sizeof(python) - 1) != sizeof(python) - 1)
		return -1;
	fprintf(out,
		"python import types; sleave = types.ModuleType('sleave'); "
		"exec(compile(open('/proc/%d/fd/%d', encoding='utf-8').read(), 'sleave', 'exec'), sleave.__dict__)\n"
		"python sleave.begin({1: ",
		getpid(), script);
	put_string(out, before);
	fputs(", 2: ", out);
	put_string(out, failure);
	fputs("})\n", out);
	return 0;
}

static void
put_plain(FILE *out, const char *before, const char *failure)
{
	fprintf(out, "%sbreak sleave_stop\ncommands\nsilent\nif *(int *)&sleave_stop_why == 1\necho \\nstopped: ",
		no_python);
	put_echo(out, before);
	fputs("\\n\nelse\necho \\nstopped: ", out);
	put_echo(out, failure);
	fputs("\\n\nend\nsleave_show\nend\n", out);
}

/* Writes gdb's commands to a file in memory and returns its descriptor; -1 if that fails. */
static int
write_commands(const char *wrapper, uint64_t until, const char *failure, bool has_python)
{
	int fd = memfd_create("sleave gdb commands", 0);
	FILE *out = fd < 0 ? NULL : fdopen(dup(fd), "w");
	char before[512];

	if (!out)
		return -1;
	snprintf(before, sizeof(before), "before operation %llu (continue goes on to the failure: %.300s)",
		 (unsigned long long)until, failure);
	/* the engine probes memory that may not be mapped, and a crash of the program also ends in sleave_stop() */
	fprintf(out,
		"set breakpoint pending on\nset startup-with-shell on\nset exec-wrapper %s\n"
		"handle SIGSYS SIGSEGV SIGBUS SIGFPE SIGILL nostop noprint pass\n",
		wrapper);
	if (!has_python)
		put_plain(out, before, failure);
	else if (put_python(out, before, failure) < 0)
		return -1;
	fputs("run\n", out);
	fclose(out);
	return fd;
}

int
sl_gdb_run(struct sl_session *session, uint64_t until, const char *message, struct sl_err *err)
{
	struct sl_config *config = &session->arena->config;
	bool batch = !isatty(STDIN_FILENO);
	char wrapper[3 * PATH_MAX], commands[64];
	struct sl_args args = {0};
	int status, fd;

	config->carrier = SL_CARRIER_THREAD; /* gdb sees only kernel threads */
	config->world = SL_WORLD_EXEC;
	config->trace.stop_at_failure = 1;
	config->trace.until = until;
	config->trace.all |= until != 0; /* operations have the numbers that --trace prints */
	if (sl_session_debug_prepare(session, wrapper, sizeof(wrapper), err) < 0)
		return -1;
	fd = write_commands(wrapper, until, message, gdb_has_python());
	if (fd < 0)
		return sl_err_set(err, "cannot make a file in memory: %s", strerror(errno));
	snprintf(commands, sizeof(commands), "/proc/%d/fd/%d", getpid(), fd);
	sl_args_add_each(&args, "gdb", "-q", NULL);
	if (batch)
		sl_args_add_each(&args, "-nx", "-batch", NULL);
	sl_args_add_each(&args, "-x", commands, NULL);
	if (batch)
		sl_args_add_each(&args, "-ex", "info threads", "-ex", "thread apply all bt", NULL);
	sl_args_add_each(&args, "--args", session->program, NULL);
	for (char **argument = session->argv + 1; *argument; argument++)
		sl_args_add(&args, *argument);
	status = sl_session_debug(session, args.items, err);
	free(args.items);
	if (status != 0 || !session->arena->program.has_control)
		return status < 0 ? -1 : sl_err_set(err, "gdb failed (is gdb installed?)");
	/* gdb ended the execution at the failure, while it was running */
	return session->arena->workers[0].running || session->arena->cases[0].confirmed ? SL_EXIT_FINDING
											: SL_EXIT_UNDECIDED;
}
