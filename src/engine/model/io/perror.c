/*
 * Functions of libc that write a message to the standard error: perror and psignal, <err.h>, <error.h>. If that is
 * a pipe or socket of the program, they might wait for another thread unseen, so the message is written under
 * control. <syslog.h> and wordexp communicate with other processes, which is listed as escaped.
 */
#define SL_DEFINES_STDIO_FUNCTIONS
#include <err.h>
#include <errno.h>
#include <error.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>
#include <wordexp.h>
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/model/io/channel.h"
#include "engine/model/io/streams.h"
#include "engine/under/poison.h"

/* A message, with the stream that stands for the standard error. */
struct message {
	FILE *to;
	struct sl_object *held;
	uint64_t pc;
	int error; /* errno */
};

/* Returns false if the standard error is not a channel of the program, so that the real function may write it. */
static bool
begin(struct message *m, uint64_t pc)
{
	int error = errno;

	*m = (struct message){.to = stderr, .pc = pc, .error = error};
	if (!E.control)
		return false;
	m->held = sl_stream_enter(&m->to, pc);
	if (m->to != stderr)
		return true;
	sl_stream_leave(m->to, m->held, pc);
	m->held = NULL;
	errno = error;
	return false;
}

static void
put(const struct message *m, const char *text)
{
	SL_CALL(fputs)(text, m->to);
}

static void
put_error(const struct message *m, int error)
{
	char text[128];

	put(m, strerror_r(error, text, sizeof(text)));
}

static void
put_number(const struct message *m, unsigned number)
{
	char digits[12], *at = digits + sizeof(digits);

	*--at = '\0';
	do
		*--at = (char)('0' + number % 10);
	while (number /= 10);
	put(m, at);
}

static void
end(const struct message *m)
{
	put(m, "\n");
	SL_CALL(fflush)(m->to);
	sl_stream_leave(m->to, m->held, m->pc);
	errno = m->error;
}

static void
put_start(const struct message *m, const char *start)
{
	if (start && *start) {
		put(m, start);
		put(m, ": ");
	}
}

SL_EXPORT void
perror(const char *start)
{
	struct message m;

	if (!begin(&m, SL_PC)) {
		SL_CALL(perror)(start);
		return;
	}
	put_start(&m, start);
	put_error(&m, m.error);
	end(&m);
}

SL_EXPORT void
psignal(int signal, const char *start)
{
	const char *name = sigdescr_np(signal);
	struct message m;

	if (!begin(&m, SL_PC)) {
		SL_CALL(psignal)(signal, start);
		return;
	}
	put_start(&m, start);
	put(&m, name ? name : "Unknown signal ");
	if (!name)
		put_number(&m, (unsigned)signal);
	end(&m);
}

SL_EXPORT void
psiginfo(const siginfo_t *info, const char *start)
{
	struct message m;

	if (begin(&m, SL_PC))
		sl_unsupported("psiginfo to a pipe or socket", SL_PC);
	SL_CALL(psiginfo)(info, start);
}

/* ---- <err.h> ---- */

static void
warn_of(const struct message *m, bool explain, const char *format, va_list list)
{
	put_start(m, program_invocation_short_name);
	if (format)
		SL_CALL(vfprintf)(m->to, format, list);
	if (explain) {
		if (format)
			put(m, ": ");
		put_error(m, m->error);
	}
	end(m);
}

static void
say(const char *format, va_list list, bool explain, uint64_t pc)
{
	struct message m;

	if (begin(&m, pc))
		warn_of(&m, explain, format, list);
	else if (explain)
		SL_CALL(vwarn)(format, list);
	else
		SL_CALL(vwarnx)(format, list);
}

/* Ends the program here, because libc would do so without the place of the call. */
static void
quit(int status, uint64_t pc)
{
	if (E.control)
		sl_exit(status, pc);
	SL_CALL(exit)(status);
}

#define WITH_LIST(action)                                                                                         \
	va_list list;                                                                                             \
                                                                                                                  \
	va_start(list, format);                                                                                   \
	action;                                                                                                   \
	va_end(list)

#define WARN(name, by_list, explain)                                                                              \
	SL_EXPORT void by_list(const char *format, va_list list)                                                  \
	{                                                                                                         \
		say(format, list, explain, SL_PC);                                                                \
	}                                                                                                         \
	SL_EXPORT void name(const char *format, ...)                                                              \
	{                                                                                                         \
		WITH_LIST(say(format, list, explain, SL_PC));                                                     \
	}
WARN(warn, vwarn, true)
WARN(warnx, vwarnx, false)

#define FAIL(name, by_list, explain)                                                                              \
	SL_EXPORT void by_list(int status, const char *format, va_list list)                                      \
	{                                                                                                         \
		say(format, list, explain, SL_PC);                                                                \
		quit(status, SL_PC);                                                                              \
		__builtin_unreachable();                                                                          \
	}                                                                                                         \
	SL_EXPORT void name(int status, const char *format, ...)                                                  \
	{                                                                                                         \
		WITH_LIST(say(format, list, explain, SL_PC));                                                     \
		quit(status, SL_PC);                                                                              \
		__builtin_unreachable();                                                                          \
	}
FAIL(err, verr, true)
FAIL(errx, verrx, false)

/* ---- <error.h> ---- */

/* Like glibc, which has no function that takes a va_list. */
static void
tell(int status, int error, const char *file, unsigned line, const char *format, va_list list, uint64_t pc)
{
	struct message m;

	if (E.control)
		sl_at_fflush(stdout, pc);
	else
		SL_CALL(fflush)(stdout);
	begin(&m, pc);
	if (error_print_progname)
		error_print_progname();
	else
		put(&m, program_invocation_name);
	if (file) {
		put(&m, ":");
		put(&m, file);
		put(&m, ":");
		put_number(&m, line);
	}
	put(&m, ": ");
	SL_CALL(vfprintf)(m.to, format, list);
	error_message_count++;
	if (error) {
		put(&m, ": ");
		put_error(&m, error);
	}
	end(&m);
	if (status)
		quit(status, pc);
}

SL_EXPORT void
error(int status, int number, const char *format, ...)
{
	WITH_LIST(tell(status, number, NULL, 0, format, list, SL_PC));
}

SL_EXPORT void
error_at_line(int status, int number, const char *file, unsigned line, const char *format, ...)
{
	static const char *last_file;
	static unsigned last_line;

	if (error_one_per_line && E.control)
		sl_unsupported("error_at_line with error_one_per_line", SL_PC);
	if (error_one_per_line && last_line == line && sl_text_same(last_file, file))
		return;
	if (!E.control) {
		last_file = file;
		last_line = line;
	}
	WITH_LIST(tell(status, number, file, line, format, list, SL_PC));
}

/* ---- other processes ---- */

static void
escape(const char *name, uint64_t pc)
{
	struct message m;

	if (!E.control)
		return;
	if (begin(&m, pc)) /* with LOG_PERROR it writes to the standard error, too */
		sl_unsupported("syslog while the standard error is a pipe or socket", pc);
	sl_escaped(name, pc);
}

SL_EXPORT void
vsyslog(int priority, const char *format, va_list list)
{
	escape("syslog", SL_PC);
	SL_CALL(vsyslog)(priority, format, list);
}

SL_EXPORT void
syslog(int priority, const char *format, ...)
{
	escape("syslog", SL_PC);
	WITH_LIST(SL_CALL(vsyslog)(priority, format, list));
}

/* wordexp() starts a shell for a command in the text, and waits for it. */
SL_DEFINE(int, wordexp, (const char *text, wordexp_t *words, int flags), (text, words, flags))
{
	for (const char *c = text; *c; c++)
		if (*c == '`' || (*c == '$' && c[1] == '('))
			sl_escaped("wordexp", pc);
	return SL_CALL(wordexp)(text, words, flags);
}
