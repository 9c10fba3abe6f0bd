/*
 * The event log (SLEAVE_LOG=FILE): what the threads of a program did, as far as schedules are concerned. One line
 * each: type (as in Fig. 3.3 of the IMUnit dissertation), thread, its name, a word about the event, place. A
 * missing word is `-`; %20 and the like are characters that a word cannot contain.
 *
 * The log is kept in memory, and appended to the file at the end of each section and of the process. The file is
 * emptied when the program starts; its child processes append to it.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/realtime/rt.h"
#include "engine/realtime/rt_say.h"
#include "engine/under/poison.h"

#define BUFFER (1u << 20)
#define LINE_LONGEST 8192 /* the type, and three bytes for each of the name, event, object, thread and place */

static char path[PATH_MAX], *buffer;
static size_t used;

static void
give_up(long error)
{
	sl_rt_lock();
	sl_say_nothing();
	sl_say_many("sleave: the log that SLEAVE_LOG asks for, ", path,
		    ", can't be written: ", sl_say_error(error), "\n", NULL);
	sl_say_all();
	sl_rt_unlock();
	SL_CALL(abort)();
}

void
sl_rt_log_open(const char *to)
{
	long fd;

	sl_text_copy(path, sizeof(path), to);
	buffer = sl_rt_memory(BUFFER);
	fd = sl_raw(SYS_open, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		give_up(fd);
	sl_raw(SYS_close, fd);
	F.logging = true;
}

void
sl_rt_log_write(void)
{
	long fd;
	size_t done = 0;

	if (!F.logging || !used)
		return;
	fd = sl_raw(SYS_open, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	while (fd >= 0 && done < used) {
		long n = sl_raw(SYS_write, fd, buffer + done, used - done);

		if (n <= 0)
			break;
		done += (size_t)n;
	}
	if (fd < 0 || done < used) {
		static const char sorry[] = "sleave: the log that SLEAVE_LOG asks for can't be written\n";

		sl_raw(SYS_write, 2, sorry, sizeof(sorry) - 1);
	}
	if (fd >= 0)
		sl_raw(SYS_close, fd);
	used = 0;
}

/* In a child process: the parent writes what is in the buffer. */
void
sl_rt_log_forget(void)
{
	used = 0;
}

/* Blanks would end the word; braces are for objects. */
static bool
is_special(unsigned char c)
{
	return c <= ' ' || c == 0x7f || c == '%' || c == '{' || c == '}';
}

static void
put(const char *text, size_t length)
{
	static const char digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < length && text[i]; i++) {
		unsigned char c = (unsigned char)text[i];

		if (!is_special(c)) {
			buffer[used++] = text[i];
			continue;
		}
		buffer[used++] = '%';
		buffer[used++] = digits[c >> 4];
		buffer[used++] = digits[c & 15];
	}
}

static void
word(const char *text, size_t length)
{
	buffer[used++] = ' ';
	if (!text || !length || !text[0]) {
		buffer[used++] = '-';
	} else if (text[0] == '-' && !text[1]) { /* "-" alone would mean a missing word */
		sl_memcpy(buffer + used, "%2D", 3);
		used += 3;
	} else {
		put(text, length);
	}
}

static void
thread_word(const struct sl_runner *r)
{
	char name[16];

	sl_rt_usual(r->number, name);
	word(name, sizeof(name));
}

static void
begin(const char *type)
{
	if (BUFFER - used < LINE_LONGEST)
		sl_rt_log_write();
	while (*type)
		buffer[used++] = *type++;
}

static void
place_word(const char *file, int line)
{
	char place[256];
	size_t length = 0;

	if (!file) {
		word(NULL, 0);
		return;
	}
	sl_text_add(place, sizeof(place) - 16, &length, file);
	sl_text_add(place, sizeof(place), &length, ":");
	sl_text_add_number(place, sizeof(place), &length, (unsigned)line);
	word(place, sizeof(place));
}

/* With an object: name{object}. */
static void
write_line(const char *type, const struct sl_runner *r, const char *info, const char *object, const char *file,
	   int line)
{
	begin(type);
	thread_word(r);
	word(r->named ? r->name : NULL, sizeof(r->name));
	word(info, 512);
	if (object) {
		buffer[used++] = '{';
		put(object, 512);
		buffer[used++] = '}';
	}
	place_word(file, line);
	buffer[used++] = '\n';
}

void
sl_rt_log(const char *type, struct sl_runner *r, const char *info, const char *file, int line)
{
	if (F.logging)
		write_line(type, r, info, NULL, file, line);
}

/* Logs the event when it happens, not when a thread is held at it. */
void
sl_rt_log_event(struct sl_runner *r, const char *name, const char *object)
{
	if (F.logging)
		write_line("EVENT", r, name, object, r->event.file, r->event.line);
}

void
sl_rt_log_start(struct sl_runner *started)
{
	struct sl_runner *r = started->created.by;

	if (!F.logging || !r)
		return;
	begin("TH_START");
	thread_word(r);
	word(r->named ? r->name : NULL, sizeof(r->name));
	thread_word(started);
	word(NULL, 0);
	buffer[used++] = '\n';
}
