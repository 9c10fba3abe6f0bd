/*
 * Streams of <stdio.h>.
 *
 * libc reads and writes for a stream by system calls of its own, which nobody sees. As long as they do not block
 * that is fine: a call of stdio is one step, and two threads are never inside at once. Two things need care.
 *
 * A stream on a channel (a pipe between threads, say): fdopen() then makes a stream whose reading and writing are our
 * functions. They may switch to another thread in the middle, so such a stream has a lock of ours.
 *
 * flockfile() and its like: a thread may hold a stream while others run. Their calls wait for it.
 */
#undef _FILE_OFFSET_BITS
#define SL_DEFINES_STDIO_FUNCTIONS
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/channel.h"
#include "engine/engine.h"
#include "engine/interpose.h"
#include "engine/spin.h"
#include "engine/poison.h"

#define STREAMS_MAX 256

/* Streams whose input and output is ours, in this execution. */
static struct {
	FILE *stream;
	int descriptor;
} streams[STREAMS_MAX];
static uint32_t stream_count, stream_sequence;

static int
stream_find(FILE *stream)
{
	for (uint32_t i = 0; stream_sequence == E.sequence && i < stream_count; i++)
		if (streams[i].stream == stream)
			return (int)i;
	return -1;
}

/* ---- locks ---- */

static void
lock(FILE *stream, struct sl_object *o, uint64_t pc)
{
	struct sl_thread *t = E.current;

	if (o->owner == t) {
		o->depth++;
		return;
	}
	sl_announce(SL_MUTEX_LOCK, (uint64_t)stream, pc);
	sl_await(o);
	sl_note(0);
	o->owner = t;
	o->depth = 1;
	t->locks_held++;
	t->lock_changes = E.changes;
	sl_acquire(o);
	sl_object_changed(o);
}

static void
unlock(FILE *stream, struct sl_object *o, uint64_t pc)
{
	struct sl_thread *t = E.current;

	if (o->owner != t || --o->depth)
		return;
	sl_announce(SL_MUTEX_UNLOCK, (uint64_t)stream, pc);
	sl_point_of_release(o);
	sl_note(0);
	o->owner = NULL;
	t->locks_held--;
	sl_release(o);
	sl_changed(true);
	sl_object_changed(o);
}

/* Nobody may be inside who can be switched away: then it has to be locked. */
static struct sl_object *
enter(FILE *stream, uint64_t pc)
{
	struct sl_object *o = NULL;

	if (stream_find(stream) < 0) {
		o = sl_object_find((uint64_t)stream);
		if (!o || o->kind != SL_OBJECT_MUTEX || !o->owner || o->owner == E.current)
			return NULL;
	}
	o = sl_object_get(stream, SL_OBJECT_MUTEX);
	lock(stream, o, pc);
	return o;
}

static void
leave(FILE *stream, struct sl_object *o, uint64_t pc)
{
	if (o)
		unlock(stream, o, pc);
}

SL_EXPORT void
flockfile(FILE *stream)
{
	if (!E.control)
		SL_CALL(flockfile)(stream);
	else
		lock(stream, sl_object_get(stream, SL_OBJECT_MUTEX), SL_PC);
}

SL_EXPORT void
funlockfile(FILE *stream)
{
	if (!E.control)
		SL_CALL(funlockfile)(stream);
	else
		unlock(stream, sl_object_get(stream, SL_OBJECT_MUTEX), SL_PC);
}

SL_DEFINE_LOOKING(int, ftrylockfile, (FILE * stream), (stream))
{
	struct sl_object *o = sl_object_get(stream, SL_OBJECT_MUTEX);
	struct sl_thread *t = E.current;

	sl_watch(o->address);
	sl_announce(SL_MUTEX_TRYLOCK, (uint64_t)stream, pc);
	if (o->owner && o->owner != t)
		sl_spin_visit(pc);
	sl_point_unless_alone(o);
	sl_note(o->owner && o->owner != t ? EBUSY : 0);
	if (o->owner && o->owner != t)
		return EBUSY;
	if (!o->owner) {
		o->owner = t;
		t->locks_held++;
		t->lock_changes = E.changes;
		sl_acquire(o);
		sl_object_changed(o);
	}
	o->depth++;
	return 0;
}

/* ---- streams on channels ---- */

/* In a child these are used too, out of control. */
static ssize_t
cookie_read(void *cookie, char *buffer, size_t size)
{
	if (!E.control)
		return SL_CALL(read)((int)(intptr_t)cookie, buffer, size);
	return sl_read((int)(intptr_t)cookie, buffer, size, E.current->op.pc);
}

static ssize_t
cookie_write(void *cookie, const char *buffer, size_t size)
{
	ssize_t n = E.control ? sl_write((int)(intptr_t)cookie, buffer, size, E.current->op.pc)
			      : SL_CALL(write)((int)(intptr_t)cookie, buffer, size);

	return n < 0 ? 0 : n;
}

static int
cookie_close(void *cookie)
{
	if (!E.control)
		return SL_CALL(close)((int)(intptr_t)cookie);
	return sl_close((int)(intptr_t)cookie, E.current->op.pc);
}

static ssize_t
random_read(void *cookie, char *buffer, size_t size)
{
	(void)cookie;
	sl_random_fill(buffer, size);
	return (ssize_t)size;
}

FILE *
sl_stream_make(int fd, const char *mode, uint64_t pc)
{
	FILE *stream = fopencookie((void *)(intptr_t)fd, mode,
				   (cookie_io_functions_t){cookie_read, cookie_write, NULL, cookie_close});

	if (!stream)
		return NULL;
	if (stream_sequence != E.sequence)
		stream_count = 0;
	stream_sequence = E.sequence;
	if (stream_count == STREAMS_MAX)
		sl_trouble(SL_TROUBLE_LIMIT, pc, "streams on pipes and sockets");
	streams[stream_count].stream = stream;
	streams[stream_count++].descriptor = fd;
	__fsetlocking(stream, FSETLOCKING_BYCALLER); /* a real lock would stop everybody */
	return stream;
}

SL_DEFINE(FILE *, fdopen, (int fd, const char *mode), (fd, mode))
{
	struct sl_description *d = sl_description_find(fd, pc);

	if (!d || d->file || d->channel->outside || d->channel->kind == SL_CHANNEL_FILE)
		return SL_CALL(fdopen)(fd, mode);
	return sl_stream_make(fd, mode, pc);
}

static FILE *
open_stream(const char *path, const char *mode, FILE *(*real)(const char *, const char *), uint64_t pc)
{
	if (E.control && sl_is_random_device(path))
		return fopencookie(NULL, mode, (cookie_io_functions_t){random_read, NULL, NULL, NULL});
	(void)pc;
	return real(path, mode);
}

SL_EXPORT FILE *
fopen(const char *path, const char *mode)
{
	return open_stream(path, mode, SL_CALL(fopen), SL_PC);
}

SL_EXPORT FILE *
fopen64(const char *path, const char *mode)
{
	return open_stream(path, mode, SL_CALL(fopen64), SL_PC);
}

SL_DEFINE(int, fileno, (FILE * stream), (stream))
{
	int i = stream_find(stream);

	(void)pc;
	return i < 0 ? SL_CALL(fileno)(stream) : streams[i].descriptor;
}

SL_EXPORT int
fileno_unlocked(FILE *stream)
{
	return fileno(stream);
}

SL_DEFINE(int, fclose, (FILE * stream), (stream))
{
	struct sl_object *o = enter(stream, pc);
	int i = stream_find(stream), fd = i < 0 ? SL_CALL(fileno)(stream) : -1, result;

	if (fd >= 0) { /* libc will close it by itself */
		sl_description_find(fd, pc);
		sl_inherited_keep(fd);
	}
	if (o) { /* the lock goes with the stream */
		SL_CALL(fflush)(stream);
		E.current->locks_held--;
		sl_object_forget(o);
		sl_object_changed(o);
	}
	result = SL_CALL(fclose)(stream);
	if (fd >= 0)
		sl_forget(fd);
	i = stream_find(stream); /* others may have come and gone meanwhile */
	if (i >= 0)
		streams[i] = streams[--stream_count];
	return result;
}

static FILE *
open_again(const char *path, const char *mode, FILE *stream, FILE *(*real)(const char *, const char *, FILE *),
	   uint64_t pc)
{
	if (E.control) {
		int fd = SL_CALL(fileno)(stream);

		if (stream_find(stream) >= 0)
			sl_trouble(SL_TROUBLE_UNSUPPORTED, pc, "freopen of a stream on a pipe or socket");
		if (fd >= 0) {
			sl_description_find(fd, pc);
			sl_inherited_keep(fd);
			sl_forget(fd);
		}
	}
	return real(path, mode, stream);
}

SL_EXPORT FILE *
freopen(const char *path, const char *mode, FILE *stream)
{
	return open_again(path, mode, stream, SL_CALL(freopen), SL_PC);
}

SL_EXPORT FILE *
freopen64(const char *path, const char *mode, FILE *stream)
{
	return open_again(path, mode, stream, SL_CALL(freopen64), SL_PC);
}

/* libc would write to the channel behind our back. */
SL_DEFINE(int, vdprintf, (int fd, const char *format, va_list list), (fd, format, list))
{
	struct sl_description *d = sl_description_find(fd, pc);

	if (d && !d->file && !d->channel->outside)
		sl_trouble(SL_TROUBLE_UNSUPPORTED, pc, "dprintf to a pipe or socket");
	return SL_CALL(vdprintf)(fd, format, list);
}

SL_EXPORT int
dprintf(int fd, const char *format, ...)
{
	va_list list;
	int result;

	va_start(list, format);
	result = E.control ? sl_at_vdprintf(fd, format, list, SL_PC) : SL_CALL(vdprintf)(fd, format, list);
	va_end(list);
	return result;
}

/* ---- everything else: waits for who holds the stream ---- */

#define STREAM(type, name, parameters, arguments, stream)                                                         \
	SL_DEFINE(type, name, parameters, arguments)                                                              \
	{                                                                                                         \
		struct sl_object *held = enter(stream, pc);                                                       \
		type result = SL_CALL(name) arguments;                                                            \
                                                                                                                  \
		leave(stream, held, pc);                                                                          \
		return result;                                                                                    \
	}

/* clang-format off */
STREAM(int, fgetc, (FILE *stream), (stream), stream)
STREAM(int, getc, (FILE *stream), (stream), stream)
STREAM(char *, fgets, (char *text, int size, FILE *stream), (text, size, stream), stream)
STREAM(size_t, fread, (void *to, size_t size, size_t count, FILE *stream), (to, size, count, stream), stream)
STREAM(ssize_t, getline, (char **line, size_t *size, FILE *stream), (line, size, stream), stream)
STREAM(ssize_t, getdelim, (char **line, size_t *size, int end, FILE *stream), (line, size, end, stream), stream)
STREAM(ssize_t, __getdelim, (char **line, size_t *size, int end, FILE *stream), (line, size, end, stream), stream)
STREAM(int, ungetc, (int c, FILE *stream), (c, stream), stream)
STREAM(int, fputc, (int c, FILE *stream), (c, stream), stream)
STREAM(int, putc, (int c, FILE *stream), (c, stream), stream)
STREAM(int, fputs, (const char *text, FILE *stream), (text, stream), stream)
STREAM(size_t, fwrite, (const void *from, size_t size, size_t count, FILE *stream), (from, size, count, stream), stream)
STREAM(int, vfprintf, (FILE *stream, const char *format, va_list list), (stream, format, list), stream)
STREAM(int, fflush, (FILE *stream), (stream), stream)
STREAM(int, puts, (const char *text), (text), stdout)
STREAM(int, putchar, (int c), (c), stdout)
STREAM(int, vprintf, (const char *format, va_list list), (format, list), stdout)
/* clang-format on */

#define FORMATTED(name, real, before, argument, stream)                                                           \
	SL_EXPORT int name before;                                                                                \
	int name before                                                                                           \
	{                                                                                                         \
		struct sl_object *held = E.control ? enter(stream, SL_PC) : NULL;                                 \
		va_list list;                                                                                     \
		int result;                                                                                       \
                                                                                                                  \
		va_start(list, format);                                                                           \
		result = SL_CALL(real)(stream, format, list);                                                     \
		va_end(list);                                                                                     \
		leave(stream, held, SL_PC);                                                                       \
		return result;                                                                                    \
	}
FORMATTED(fprintf, vfprintf, (FILE * stream, const char *format, ...), (stream), stream)
FORMATTED(printf, vfprintf, (const char *format, ...), (), stdout)
/* The headers rename these to __isoc99_fscanf and so on. */
FORMATTED(fscanf, __isoc99_vfscanf, (FILE * stream, const char *format, ...), (stream), stream)
FORMATTED(scanf, __isoc99_vfscanf, (const char *format, ...), (), stdin)

SL_EXPORT int
vfscanf(FILE *stream, const char *format, va_list list)
{
	struct sl_object *held = E.control ? enter(stream, SL_PC) : NULL;
	int result = SL_CALL(__isoc99_vfscanf)(stream, format, list);

	leave(stream, held, SL_PC);
	return result;
}
