/*
 * Schedules on real threads: streams of stdio. libc reads for them by itself, where nothing can be interposed. But
 * whether a function has to read is known beforehand, from the contents of the stream's buffer. Then the thread is
 * in a call on the descriptor, as if in read(). Wide streams, and streams without a descriptor, are left alone.
 */
#define SL_DEFINES_STDIO_FUNCTIONS
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/realtime/rt.h"
#include "engine/under/poison.h"

#define IN_BACKUP 0x100 /* glibc's, in _flags: characters pushed back by ungetc() come first */
#define NO_DELIMITER (-1)

/* Does the buffer lack what the function takes: that many bytes, or fewer up to the delimiter? */
static bool
lacks(const FILE *stream, size_t bytes, int delimiter)
{
	if (stream->_flags & (IN_BACKUP | _IO_EOF_SEEN) || stream->_mode > 0 || stream->_fileno < 0)
		return false;
	if ((size_t)(stream->_IO_read_end - stream->_IO_read_ptr) >= bytes)
		return false;
	for (const char *c = stream->_IO_read_ptr; delimiter != NO_DELIMITER && c < stream->_IO_read_end; c++)
		if ((unsigned char)*c == (unsigned char)delimiter)
			return false;
	return true;
}

/*
 * NULL: the call need not be watched. A thread that waits until another thread has finished with the stream is not
 * seen to wait.
 */
static struct sl_runner *
enter(FILE *stream, size_t bytes, int delimiter, bool locks)
{
	bool reads;

	if (!bytes || !stream || sl_rt_inside() || (locks && sl_true.ftrylockfile(stream)))
		return NULL;
	reads = lacks(stream, bytes, delimiter);
	if (locks)
		sl_true.funlockfile(stream);
	return reads ? sl_rt_io_enter(stream->_fileno, POLLIN) : NULL;
}

#define READS(type, name, parameters, arguments, bytes, delimiter, locks)                                         \
	static type free_##name parameters                                                                        \
	{                                                                                                         \
		struct sl_runner *self __attribute__((cleanup(sl_rt_io_leave))) =                                 \
			enter(stream, bytes, delimiter, locks);                                                   \
                                                                                                                  \
		(void)self;                                                                                       \
		return sl_true.name arguments;                                                                    \
	}

/* clang-format off */
#undef getc
#undef fread_unlocked
#undef fgetc_unlocked
#undef getc_unlocked
READS(int, fgetc, (FILE *stream), (stream), 1, NO_DELIMITER, true)
READS(int, getc, (FILE *stream), (stream), 1, NO_DELIMITER, true)
READS(int, fgetc_unlocked, (FILE *stream), (stream), 1, NO_DELIMITER, false)
READS(int, getc_unlocked, (FILE *stream), (stream), 1, NO_DELIMITER, false)
READS(int, __uflow, (FILE *stream), (stream), 1, NO_DELIMITER, false)
READS(int, getw, (FILE *stream), (stream), sizeof(int), NO_DELIMITER, true)
READS(char *, fgets, (char *text, int size, FILE *stream), (text, size, stream), size > 1 ? (size_t)size - 1 : 0, '\n', true)
READS(char *, fgets_unlocked, (char *text, int size, FILE *stream), (text, size, stream), size > 1 ? (size_t)size - 1 : 0,
      '\n', false)
READS(size_t, fread, (void *to, size_t size, size_t count, FILE *stream), (to, size, count, stream), size * count,
      NO_DELIMITER, true)
READS(size_t, fread_unlocked, (void *to, size_t size, size_t count, FILE *stream), (to, size, count, stream), size * count,
      NO_DELIMITER, false)
READS(ssize_t, getline, (char **text, size_t *size, FILE *stream), (text, size, stream), SIZE_MAX, '\n', true)
READS(ssize_t, getdelim, (char **text, size_t *size, int end, FILE *stream), (text, size, end, stream), SIZE_MAX, end, true)
READS(ssize_t, __getdelim, (char **text, size_t *size, int end, FILE *stream), (text, size, end, stream), SIZE_MAX, end, true)
/* it is only known that these take something */
READS(int, vfscanf, (FILE *stream, const char *format, va_list list), (stream, format, list), 1, NO_DELIMITER, true)
READS(int, __isoc99_vfscanf, (FILE *stream, const char *format, va_list list), (stream, format, list), 1, NO_DELIMITER, true)
/* clang-format on */

/* The data written may have ended the wait of other threads. */
#define WRITES(type, name, parameters, arguments)                                                                 \
	static type free_##name parameters                                                                        \
	{                                                                                                         \
		type result = sl_true.name arguments;                                                             \
                                                                                                                  \
		sl_rt_io_done();                                                                                  \
		return result;                                                                                    \
	}

#undef putc
WRITES(int, fflush, (FILE * stream), (stream))
WRITES(int, fclose, (FILE * stream), (stream))
WRITES(int, fputc, (int c, FILE *stream), (c, stream))
WRITES(int, putc, (int c, FILE *stream), (c, stream))
WRITES(int, fputs, (const char *text, FILE *stream), (text, stream))
WRITES(size_t, fwrite, (const void *from, size_t size, size_t count, FILE *stream), (from, size, count, stream))
WRITES(int, vfprintf, (FILE * stream, const char *format, va_list list), (stream, format, list))

void
sl_rt_stdio_install(struct sl_real *table)
{
#define INSTALL(name) table->name = free_##name;
	INSTALL(fgetc)
	INSTALL(getc)
	INSTALL(fgetc_unlocked)
	INSTALL(getc_unlocked)
	INSTALL(__uflow)
	INSTALL(getw)
	INSTALL(fgets)
	INSTALL(fgets_unlocked)
	INSTALL(fread)
	INSTALL(fread_unlocked)
	INSTALL(getline)
	INSTALL(getdelim)
	INSTALL(__getdelim)
	INSTALL(vfscanf)
	INSTALL(__isoc99_vfscanf)
	INSTALL(fflush)
	INSTALL(fclose)
	INSTALL(fputc)
	INSTALL(putc)
	INSTALL(fputs)
	INSTALL(fwrite)
	INSTALL(vfprintf)
}
