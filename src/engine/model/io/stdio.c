/*
 * Streams of <stdio.h>: streams of the engine, and the holders of streams. The calls are in streams.c.
 *
 * libc reads and writes for a stream by system calls of its own, which the engine does not see. This is correct as
 * long as they do not block: a call of stdio is one step, and two threads are never inside at once. There are two
 * exceptions.
 *
 * A stream on a channel (for example a pipe between threads): fdopen() makes a stream that reads and writes by
 * functions of the engine. These may switch to another thread, so such a stream has a modelled lock.
 *
 * flockfile() and similar functions: a thread may hold a stream while others run, whose calls wait for it.
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
#include "engine/core/engine.h"
#include "engine/upcall/spin.h"
#include "engine/entry/interpose.h"
#include "engine/model/io/channel.h"
#include "engine/model/io/streams.h"
#include "engine/model/memory/formats.h"
#include "engine/model/memory/touched.h"
#include "engine/under/poison.h"

#define STREAMS_MAX 256
#define BUFFER 4096 /* of a stream on a pipe: the size that libc would use */

/* Flags of libc's streams, which <stdio.h> does not name. */
#define UNBUFFERED 0x2
#define NO_READS 0x4
#define NO_WRITES 0x8
#define SEEN 0x30 /* the flags of end of file and error */
#define LINE_BUFFERED 0x200

/* A stream whose input and output is by the engine, in this execution. */
struct stream {
	FILE *own;
	FILE *original; /* the stream of libc that it replaces: the descriptor was replaced */
	struct end *end;
};

/* The argument of the engine's functions for reading and writing. */
struct end {
	int descriptor;
	const char *left; /* data that had been read for the original */
	size_t left_size;
};

static struct stream streams[STREAMS_MAX];
static uint32_t stream_count, stream_sequence;

static struct stream *
find(FILE *own)
{
	for (uint32_t i = 0; stream_sequence == E.sequence && i < stream_count; i++)
		if (streams[i].own == own)
			return &streams[i];
	return NULL;
}

bool
sl_stream_is_ours(FILE *stream)
{
	return find(stream) != NULL;
}

static struct stream *
find_stand_in(FILE *original)
{
	for (uint32_t i = 0; stream_sequence == E.sequence && i < stream_count; i++)
		if (streams[i].original == original)
			return &streams[i];
	return NULL;
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
	t->looks.lock_changes = E.changes;
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

/* ---- streams that replace libc's ---- */

static bool
is_channel(int fd)
{
	const struct sl_description *d = fd >= 0 ? sl_description_peek(fd) : NULL;

	return d && (d->random || (!d->file && !d->channel->outside && d->channel->kind != SL_CHANNEL_FILE));
}

/* Moves buffered data from one stream to the other. */
static void
carry(FILE *from, FILE *to)
{
	if (from->_IO_write_ptr <= from->_IO_write_base)
		return;
	SL_CALL(fwrite)(from->_IO_write_base, 1, (size_t)(from->_IO_write_ptr - from->_IO_write_base), to);
	__fpurge(from);
}

static struct stream *make(int fd, const char *mode, int buffered, uint64_t pc);

/*
 * A stream of libc whose descriptor has become a pipe or socket (usually by dup2() to a standard one) would read
 * and write unseen. Another stream replaces it as long as that is so.
 */
static struct stream *
stand_in(FILE *stream, uint64_t pc)
{
	struct stream *s = find_stand_in(stream);
	int fd = SL_CALL(fileno)(stream);

	if (likely(!is_channel(fd))) {
		if (s) {
			carry(s->own, s->original);
			s->original = NULL;
		}
		return NULL;
	}
	if (s)
		return s;
	s = make(fd,
		 stream->_flags & NO_WRITES  ? "r"
		 : stream->_flags & NO_READS ? "w"
					     : "r+",
		 stream->_flags & UNBUFFERED      ? _IONBF
		 : stream->_flags & LINE_BUFFERED ? _IOLBF
						  : _IOFBF,
		 pc);
	if (!s)
		sl_trouble(SL_TROUBLE_SYSTEM, pc, "can't make a stream");
	s->original = stream;
	if (stream->_IO_read_ptr < stream->_IO_read_end) {
		size_t size = (size_t)(stream->_IO_read_end - stream->_IO_read_ptr);

		s->end->left = sl_memcpy(sl_scratch_alloc(size), stream->_IO_read_ptr, size);
		s->end->left_size = size;
		stream->_IO_read_ptr = stream->_IO_read_end;
	}
	return s;
}

/*
 * A stream on a file or on memory: what a thread reads, or the position of its text, depends on the order of the
 * threads. The standard output and error are excluded: the program can't read their content.
 */
static void
take_turn(const FILE *stream, uint64_t pc)
{
	/* the stream's own address may be a lock */
	if (E.thread_count > 1 && stream != stdout && stream != stderr)
		sl_take_turn(&stream->_IO_read_ptr, pc);
}

/* A stream on which a thread may be switched away inside of a call must be locked. */
struct sl_object *
sl_stream_enter(FILE **stream, uint64_t pc)
{
	struct stream *s = find(*stream);
	struct sl_object *o;

	if (!s && *stream)
		s = stand_in(*stream, pc);
	if (!s) {
		o = sl_object_find((uint64_t)*stream);
		if (!o || o->kind != SL_OBJECT_MUTEX || !o->owner || o->owner == E.current) {
			if (*stream)
				take_turn(*stream, pc);
			return NULL;
		}
	} else {
		*stream = s->own;
	}
	o = sl_object_get(*stream, SL_OBJECT_MUTEX);
	lock(*stream, o, pc);
	s = find(*stream);
	if (s && s->original) { /* macros of <stdio.h> may have written to its buffer, and read its flags */
		carry(s->original, s->own);
		s->own->_flags = (s->own->_flags & ~SEEN) | (s->original->_flags & SEEN);
	}
	return o;
}

void
sl_stream_leave(FILE *stream, struct sl_object *o, uint64_t pc)
{
	struct stream *s = o ? find(stream) : NULL;

	if (s && s->original)
		s->original->_flags = (s->original->_flags & ~SEEN) | (s->own->_flags & SEEN);
	if (o)
		unlock(stream, o, pc);
}

/* Flushes the streams of the engine: libc's own fflush(NULL) could not be interrupted by a switch. */
void
sl_streams_flush(uint64_t pc)
{
	for (uint32_t i = 0; stream_sequence == E.sequence && i < stream_count; i++) {
		FILE *stream = streams[i].original ? streams[i].original : streams[i].own;
		struct sl_object *held;

		if ((stream->_flags | streams[i].own->_flags) & NO_WRITES)
			continue;
		held = sl_stream_enter(&stream, pc);
		SL_CALL(fflush)(stream);
		sl_stream_leave(stream, held, pc);
	}
}

/* The original is about to be closed or reopened. */
static void
stop_standing_in(FILE *original, uint64_t pc)
{
	struct stream *s = find_stand_in(original);

	if (!s)
		return;
	FILE *stream = original;
	struct sl_object *held = sl_stream_enter(&stream, pc);

	SL_CALL(fflush)(stream);
	sl_stream_leave(stream, held, pc);
	s = find_stand_in(original);
	if (s)
		*s = streams[--stream_count];
}

/* ---- flockfile ---- */

static FILE *
actual(FILE *stream, uint64_t pc)
{
	struct stream *s = find(stream) ? NULL : stand_in(stream, pc);

	return s ? s->own : stream;
}

SL_EXPORT void
flockfile(FILE *stream)
{
	SL_RT_CALL();
	if (!E.control) {
		SL_CALL(flockfile)(stream);
		return;
	}
	stream = actual(stream, SL_PC);
	lock(stream, sl_object_get(stream, SL_OBJECT_MUTEX), SL_PC);
}

SL_EXPORT void
funlockfile(FILE *stream)
{
	SL_RT_CALL();
	if (!E.control) {
		SL_CALL(funlockfile)(stream);
		return;
	}
	stream = actual(stream, SL_PC);
	unlock(stream, sl_object_get(stream, SL_OBJECT_MUTEX), SL_PC);
}

SL_DEFINE_LOOKING(int, ftrylockfile, (FILE * stream), (stream))
{
	struct sl_thread *t = E.current;
	struct sl_object *o;

	stream = actual(stream, pc);
	o = sl_object_get(stream, SL_OBJECT_MUTEX);
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
		t->looks.lock_changes = E.changes;
		sl_acquire(o);
		sl_object_changed(o);
	}
	o->depth++;
	return 0;
}

/* ---- streams on channels ---- */

/* A child process uses these functions, too, outside of control. */
static ssize_t
cookie_read(void *cookie, char *buffer, size_t size)
{
	struct end *end = cookie;

	if (end->left_size) {
		if (size > end->left_size)
			size = end->left_size;
		sl_memcpy(buffer, end->left, size);
		end->left += size;
		end->left_size -= size;
		return (ssize_t)size;
	}
	return E.control ? sl_read(end->descriptor, buffer, size, E.current->op.pc)
			 : SL_CALL(read)(end->descriptor, buffer, size);
}

static ssize_t
cookie_write(void *cookie, const char *buffer, size_t size)
{
	struct end *end = cookie;
	ssize_t n = E.control ? sl_write(end->descriptor, buffer, size, E.current->op.pc)
			      : SL_CALL(write)(end->descriptor, buffer, size);

	return n < 0 ? 0 : n;
}

static int
cookie_close(void *cookie)
{
	int fd = ((struct end *)cookie)->descriptor;

	return E.control ? sl_close(fd, E.current->op.pc) : SL_CALL(close)(fd);
}

static ssize_t
random_read(void *cookie, char *buffer, size_t size)
{
	(void)cookie;
	sl_random_fill(buffer, size);
	return (ssize_t)size;
}

static struct stream *
make(int fd, const char *mode, int buffered, uint64_t pc)
{
	struct end *end = sl_scratch_alloc(sizeof(*end));
	FILE *own = fopencookie(end, mode, (cookie_io_functions_t){cookie_read, cookie_write, NULL, cookie_close});

	if (!own)
		return NULL;
	end->descriptor = fd;
	if (stream_sequence != E.sequence)
		stream_count = 0;
	stream_sequence = E.sequence;
	if (stream_count == STREAMS_MAX)
		sl_trouble(SL_TROUBLE_LIMIT, pc, "streams on pipes and sockets");
	streams[stream_count] = (struct stream){.own = own, .end = end};
	__fsetlocking(own, FSETLOCKING_BYCALLER); /* a real lock would block all threads */
	SL_CALL(setvbuf)(own, buffered == _IONBF ? NULL : sl_scratch_alloc(BUFFER), buffered, BUFFER);
	return &streams[stream_count++];
}

FILE *
sl_stream_make(int fd, const char *mode, uint64_t pc)
{
	struct stream *s = make(fd, mode, _IOFBF, pc);

	return s ? s->own : NULL;
}

SL_DEFINE(FILE *, fdopen, (int fd, const char *mode), (fd, mode))
{
	sl_description_find(fd, pc);
	return is_channel(fd) ? sl_stream_make(fd, mode, pc) : SL_CALL(fdopen)(fd, mode);
}

static FILE *
open_stream(const char *path, const char *mode, FILE *(*real)(const char *, const char *), uint64_t pc)
{
	if (E.control)
		sl_touch_string(path, pc);
	if (E.control && sl_is_random_device(path))
		return fopencookie(NULL, mode, (cookie_io_functions_t){random_read, NULL, NULL, NULL});
	if (E.control) {
		int fd;

		sl_proc_refuse(path, pc);
		sl_path_announce(pc);
		fd = sl_proc_open(path, mode[0] == 'r' ? O_RDONLY : O_WRONLY, pc);
		if (unlikely(fd >= 0))
			return SL_CALL(fdopen)(fd, mode);
	}
	return real(path, mode);
}

SL_EXPORT FILE *
fopen(const char *path, const char *mode)
{
	SL_RT_CALL();
	return open_stream(path, mode, SL_CALL(fopen), SL_PC);
}

SL_EXPORT FILE *
fopen64(const char *path, const char *mode)
{
	SL_RT_CALL();
	return open_stream(path, mode, SL_CALL(fopen64), SL_PC);
}

SL_DEFINE(int, fileno, (FILE * stream), (stream))
{
	const struct stream *s = find(stream);

	(void)pc;
	return s ? s->end->descriptor : SL_CALL(fileno)(stream);
}

SL_EXPORT int
fileno_unlocked(FILE *stream)
{
	return fileno(stream);
}

SL_DEFINE(int, fclose, (FILE * stream), (stream))
{
	struct sl_thread *t = E.current;
	struct sl_object *o;
	struct stream *s;
	int fd, result;

	stop_standing_in(stream, pc);
	s = find(stream);
	fd = s ? -1 : SL_CALL(fileno)(stream);
	if (fd >= 0) { /* libc will close it */
		sl_description_find(fd, pc);
		sl_inherited_keep(fd);
		o = sl_object_find((uint64_t)stream);
		if (o && o->kind == SL_OBJECT_MUTEX && o->owner && o->owner != E.current)
			lock(stream, o, pc);
	} else if (s) {
		o = sl_stream_enter(&stream, pc);
		SL_CALL(fflush)(stream);
	} else {
		o = NULL;
	}
	if (o && o->kind == SL_OBJECT_MUTEX && t && o->owner == t) { /* the lock ends with the stream */
		t->locks_held--;
		sl_object_forget(o);
		sl_object_changed(o);
	}
	result = SL_CALL(fclose)(stream);
	if (fd >= 0)
		sl_forget(fd);
	s = find(stream); /* other threads may have opened and closed streams meanwhile */
	if (s)
		*s = streams[--stream_count];
	return result;
}

static FILE *
open_again(const char *path, const char *mode, FILE *stream, FILE *(*real)(const char *, const char *, FILE *),
	   uint64_t pc)
{
	if (E.control) {
		int fd;

		take_turn(stream, pc); /* from now on the stream is on another file */
		stop_standing_in(stream, pc);
		fd = SL_CALL(fileno)(stream);
		if (find(stream))
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
	SL_RT_CALL();
	return open_again(path, mode, stream, SL_CALL(freopen), SL_PC);
}

SL_EXPORT FILE *
freopen64(const char *path, const char *mode, FILE *stream)
{
	SL_RT_CALL();
	return open_again(path, mode, stream, SL_CALL(freopen64), SL_PC);
}

/* libc would write to the channel unseen, so the text is first written to a buffer of the same size as libc's. */
static int
print_to(int fd, const char *format, va_list list, uint64_t pc)
{
	char few[BUFFER], *text = few;
	va_list again;
	int size;
	ssize_t done = 0;

	va_copy(again, list);
	size = vsnprintf(few, sizeof(few), format, list);
	if (size >= (int)sizeof(few)) {
		text = sl_scratch_alloc((size_t)size + 1);
		vsnprintf(text, (size_t)size + 1, format, again);
	}
	va_end(again);
	while (size > 0 && done < size) {
		ssize_t n = sl_write(fd, text + done, (size_t)(size - done), pc);

		if (n < 0)
			return -1;
		done += n;
	}
	return size;
}

SL_DEFINE(int, vdprintf, (int fd, const char *format, va_list list), (fd, format, list))
{
	sl_description_find(fd, pc);
	if (sl_libraries_is_instrumented(pc))
		sl_format_print(format, false, list, pc);
	return is_channel(fd) ? print_to(fd, format, list, pc) : SL_CALL(vdprintf)(fd, format, list);
}

SL_EXPORT int __vdprintf_chk(int fd, int flag, const char *format, va_list list);
SL_EXPORT int __dprintf_chk(int fd, int flag, const char *format, ...);

int
__vdprintf_chk(int fd, int flag, const char *format, va_list list)
{
	(void)flag;
	return E.control ? sl_at_vdprintf(fd, format, list, SL_PC) : SL_CALL(vdprintf)(fd, format, list);
}

#define DPRINTF                                                                                                   \
	va_list list;                                                                                             \
	int result;                                                                                               \
                                                                                                                  \
	va_start(list, format);                                                                                   \
	result = E.control ? sl_at_vdprintf(fd, format, list, SL_PC) : SL_CALL(vdprintf)(fd, format, list);       \
	va_end(list);                                                                                             \
	return result

int
__dprintf_chk(int fd, int flag, const char *format, ...)
{
	(void)flag;
	DPRINTF;
}

SL_EXPORT int
dprintf(int fd, const char *format, ...)
{
	DPRINTF;
}
