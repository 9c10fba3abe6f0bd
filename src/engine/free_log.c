/*
 * The event log (SLEAVE_LOG=FILE): what the threads of a program did, as far as schedules are concerned, one line for
 * each: what (as in Fig. 3.3 of the IMUnit dissertation), the thread, its name, a word about it, the place. A word
 * that is not there is `-`. Kept in memory, and appended to the file at the end of each section and of the process. The
 * file is emptied when the program starts; its children, who have the same program, add to it.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/engine.h"
#include "engine/free.h"
#include "engine/free_say.h"
#include "engine/interpose.h"
#include "engine/poison.h"

#define BUFFER (1u << 20)

static char path[PATH_MAX], *buffer;
static size_t used;

static void
give_up(long error)
{
	sl_free_lock();
	sl_say_nothing();
	sl_say_many("sleave: the log that SLEAVE_LOG asks for, ", path,
		    ", can't be written: ", sl_say_error(error), "\n", NULL);
	sl_say_all();
	sl_free_unlock();
	SL_CALL(abort)();
}

void
sl_free_log_open(const char *to)
{
	long fd;

	sl_text_copy(path, sizeof(path), to);
	buffer = sl_free_memory(BUFFER);
	fd = sl_raw(SYS_open, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		give_up(fd);
	sl_raw(SYS_close, fd);
	F.logging = true;
}

void
sl_free_log_write(void)
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

/* In a child: what is there is the parent's to write. */
void
sl_free_log_forget(void)
{
	used = 0;
}

/* Blanks would end the word. */
static void
word(const char *text, size_t length)
{
	buffer[used++] = ' ';
	if (!text || !length)
		buffer[used++] = '-';
	for (size_t i = 0; text && i < length && text[i]; i++)
		buffer[used++] = text[i] == ' ' || text[i] == '\n' || text[i] == '\t' ? '_' : text[i];
}

static void
thread_word(const struct sl_runner *r)
{
	char name[16];

	sl_free_usual(r->number, name);
	word(name, sizeof(name));
}

static void
begin(const char *type)
{
	if (BUFFER - used < 2048)
		sl_free_log_write();
	while (*type)
		buffer[used++] = *type++;
}

void
sl_free_log(const char *type, struct sl_runner *r, const char *info, const char *file, int line)
{
	char place[256];
	size_t n;

	if (!F.logging)
		return;
	begin(type);
	thread_word(r);
	word(r->named ? r->name : NULL, sizeof(r->name));
	word(info, 512);
	if (file) {
		char digits[12];
		int at = 11;

		sl_text_copy(place, sizeof(place) - 16, file);
		n = sl_strlen(place);
		place[n++] = ':';
		digits[at] = 0;
		do
			digits[--at] = (char)('0' + line % 10);
		while (line /= 10);
		sl_text_copy(place + n, 12, digits + at);
	}
	word(file ? place : NULL, sizeof(place));
	buffer[used++] = '\n';
}

void
sl_free_log_start(struct sl_runner *started)
{
	struct sl_runner *r = started->creator;

	if (!F.logging || !r)
		return;
	begin("TH_START");
	thread_word(r);
	word(r->named ? r->name : NULL, sizeof(r->name));
	thread_word(started);
	word(NULL, 0);
	buffer[used++] = '\n';
}
