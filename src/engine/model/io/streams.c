/*
 * The calls of <stdio.h> and <wchar.h> that read and write a stream. Each waits for the stream's holder, and uses
 * the stream that replaces it, if there is one (stdio.c).
 */
#undef _FILE_OFFSET_BITS
#define SL_DEFINES_STDIO_FUNCTIONS
#include "engine/model/io/streams.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/model/io/channel.h"
#include "engine/model/memory/formats.h"
#include "engine/under/poison.h"

#undef getc
#undef putc
#undef getchar
#undef putchar
#undef fread_unlocked
#undef fwrite_unlocked

#define STREAM_BY(enter, type, name, parameters, arguments, stream)                                               \
	SL_EXPORT type name parameters;                                                                           \
	SL_DEFINE(type, name, parameters, arguments)                                                              \
	{                                                                                                         \
		struct sl_object *held = enter(&stream, pc);                                                      \
		type result = SL_CALL(name) arguments;                                                            \
                                                                                                                  \
		sl_stream_leave(stream, held, pc);                                                                \
		return result;                                                                                    \
	}

#define STREAM(...) STREAM_BY(sl_stream_enter, __VA_ARGS__)

/* A call that reads or writes memory of the program. Reads are announced before it, writes after it. */
#define STREAM_TOUCHING(...) STREAM_TOUCHING_BY(sl_stream_enter, __VA_ARGS__)
#define STREAM_TOUCHING_BY(enter, type, name, parameters, arguments, before, after)                               \
	SL_EXPORT type name parameters;                                                                           \
	SL_DEFINE(type, name, parameters, arguments)                                                              \
	{                                                                                                         \
		struct sl_object *held;                                                                           \
		type result;                                                                                      \
                                                                                                                  \
		before;                                                                                           \
		held = enter(&stream, pc);                                                                        \
		result = SL_CALL(name) arguments;                                                                 \
		sl_stream_leave(stream, held, pc);                                                                \
		after;                                                                                            \
		return result;                                                                                    \
	}

#define READS(address, size) sl_access_range(address, size, SL_OP_READS, pc)
/* before the call, and after it */
#define MAY(address, size) sl_access_intend(address, size, pc)
#define WRITTEN(address, size) sl_access_done(address, size, pc)
#define NOTHING (void)0

static size_t
wide_extent(const wchar_t *text)
{
	size_t n = 0;

	while (text[n])
		n++;
	return (n + 1) * sizeof(*text);
}

static void
line_reads(char *const *line, const size_t *size, uint64_t pc)
{
	MAY(line, sizeof(*line));
	MAY(size, sizeof(*size));
	if (*line)
		MAY(*line, *size);
}

/* Announces a line in memory that libc may have allocated or reallocated. */
static void
line_read(char *const *line, const size_t *size, ssize_t length, uint64_t pc)
{
	WRITTEN(line, sizeof(*line));
	WRITTEN(size, sizeof(*size));
	if (length >= 0)
		WRITTEN(*line, (size_t)length + 1);
}

enum how { PRINTS, PRINTS_WIDE, SCANS, SCANS_WIDE };

/* Announces the memory to which the arguments of a format point, before the call and after its result. */
static void
before_format(enum how how, const void *format, va_list list, uint64_t pc)
{
	if (!E.control || !sl_libraries_is_instrumented(pc))
		return;
	if (how <= PRINTS_WIDE)
		sl_format_print(format, how == PRINTS_WIDE, list, pc);
	else
		sl_format_scan(format, how == SCANS_WIDE, list, BUFSIZ, pc);
}

static void
after_format(enum how how, const void *format, va_list list, int result, uint64_t pc)
{
	if (!E.control || result < 0 || !sl_libraries_is_instrumented(pc))
		return;
	if (how <= PRINTS_WIDE)
		sl_format_printed(format, how == PRINTS_WIDE, list, pc);
	else
		sl_format_scanned(format, how == SCANS_WIDE, list, result, pc);
}

/* The copy is needed because libc consumes the list. */
#define BY_LIST(real)                                                                                             \
	do {                                                                                                      \
		va_list used;                                                                                     \
                                                                                                                  \
		va_copy(used, list);                                                                              \
		result = SL_CALL(real)(stream, format, used);                                                     \
		va_end(used);                                                                                     \
	} while (0)

#define WIDE(...) STREAM_BY(enter_wide, __VA_ARGS__)

/* A stream of the engine can't have wide characters: libc does not support them for such a stream. */
static struct sl_object *
enter_wide(FILE **stream, uint64_t pc)
{
	struct sl_object *held = sl_stream_enter(stream, pc);

	if (sl_stream_is_ours(*stream))
		sl_trouble(SL_TROUBLE_UNSUPPORTED, pc, "wide characters to or from a pipe or socket");
	return held;
}

/* clang-format off */
STREAM(int, fgetc, (FILE *stream), (stream), stream)
STREAM(int, getc, (FILE *stream), (stream), stream)
STREAM(int, fgetc_unlocked, (FILE *stream), (stream), stream)
STREAM(int, getc_unlocked, (FILE *stream), (stream), stream)
STREAM(int, getw, (FILE *stream), (stream), stream)
STREAM_TOUCHING(char *, fgets, (char *text, int size, FILE *stream), (text, size, stream), MAY(text, (size_t)(size < 0 ? 0 : size)), WRITTEN(result, result ? sl_strlen(result) + 1 : 0))
STREAM_TOUCHING(char *, fgets_unlocked, (char *text, int size, FILE *stream), (text, size, stream), MAY(text, (size_t)(size < 0 ? 0 : size)), WRITTEN(result, result ? sl_strlen(result) + 1 : 0))
STREAM_TOUCHING(size_t, fread, (void *to, size_t size, size_t count, FILE *stream), (to, size, count, stream), MAY(to, size * count), WRITTEN(to, result * size))
STREAM_TOUCHING(size_t, fread_unlocked, (void *to, size_t size, size_t count, FILE *stream), (to, size, count, stream), MAY(to, size * count), WRITTEN(to, result * size))
STREAM_TOUCHING(ssize_t, getline, (char **line, size_t *size, FILE *stream), (line, size, stream), line_reads(line, size, pc), line_read(line, size, result, pc))
STREAM_TOUCHING(ssize_t, getdelim, (char **line, size_t *size, int end, FILE *stream), (line, size, end, stream), line_reads(line, size, pc), line_read(line, size, result, pc))
STREAM_TOUCHING(ssize_t, __getdelim, (char **line, size_t *size, int end, FILE *stream), (line, size, end, stream), line_reads(line, size, pc), line_read(line, size, result, pc))
STREAM(int, ungetc, (int c, FILE *stream), (c, stream), stream)
STREAM(int, fputc, (int c, FILE *stream), (c, stream), stream)
STREAM(int, putc, (int c, FILE *stream), (c, stream), stream)
STREAM(int, fputc_unlocked, (int c, FILE *stream), (c, stream), stream)
STREAM(int, putc_unlocked, (int c, FILE *stream), (c, stream), stream)
STREAM(int, putw, (int w, FILE *stream), (w, stream), stream)
STREAM_TOUCHING(int, fputs, (const char *text, FILE *stream), (text, stream), READS(text, sl_strlen(text) + 1), NOTHING)
STREAM_TOUCHING(int, fputs_unlocked, (const char *text, FILE *stream), (text, stream), READS(text, sl_strlen(text) + 1), NOTHING)
STREAM_TOUCHING(size_t, fwrite, (const void *from, size_t size, size_t count, FILE *stream), (from, size, count, stream), READS(from, size * count), NOTHING)
STREAM_TOUCHING(size_t, fwrite_unlocked, (const void *from, size_t size, size_t count, FILE *stream), (from, size, count, stream), READS(from, size * count), NOTHING)
STREAM(int, fseek, (FILE *stream, long offset, int whence), (stream, offset, whence), stream)
STREAM(int, fseeko, (FILE *stream, off_t offset, int whence), (stream, offset, whence), stream)
STREAM(int, fseeko64, (FILE *stream, off64_t offset, int whence), (stream, offset, whence), stream)
STREAM(long, ftell, (FILE *stream), (stream), stream)
STREAM(off_t, ftello, (FILE *stream), (stream), stream)
STREAM(off64_t, ftello64, (FILE *stream), (stream), stream)
STREAM_TOUCHING(int, fgetpos, (FILE *stream, fpos_t *position), (stream, position), MAY(position, sizeof(*position)), WRITTEN(position, result ? 0 : sizeof(*position)))
STREAM_TOUCHING(int, fgetpos64, (FILE *stream, fpos64_t *position), (stream, position), MAY(position, sizeof(*position)), WRITTEN(position, result ? 0 : sizeof(*position)))
STREAM_TOUCHING(int, fsetpos64, (FILE *stream, const fpos64_t *position), (stream, position), READS(position, sizeof(*position)), NOTHING)
STREAM_TOUCHING(int, fsetpos, (FILE *stream, const fpos_t *position), (stream, position), READS(position, sizeof(*position)), NOTHING)
STREAM(int, setvbuf, (FILE *stream, char *buffer, int mode, size_t size), (stream, buffer, mode, size), stream)
WIDE(wint_t, fgetwc, (FILE *stream), (stream), stream)
WIDE(wint_t, getwc, (FILE *stream), (stream), stream)
STREAM_TOUCHING_BY(enter_wide, wchar_t *, fgetws, (wchar_t *text, int size, FILE *stream), (text, size, stream), MAY(text, (size_t)(size < 0 ? 0 : size) * sizeof(*text)), WRITTEN(result, result ? wide_extent(result) : 0))
WIDE(wint_t, ungetwc, (wint_t c, FILE *stream), (c, stream), stream)
WIDE(wint_t, fputwc, (wchar_t c, FILE *stream), (c, stream), stream)
WIDE(wint_t, putwc, (wchar_t c, FILE *stream), (c, stream), stream)
STREAM_TOUCHING_BY(enter_wide, int, fputws, (const wchar_t *text, FILE *stream), (text, stream), READS(text, wide_extent(text)), NOTHING)
/* clang-format on */

/* Macros of <stdio.h> call these when the stream's buffer is full or empty. */
SL_EXPORT int __overflow(FILE *stream, int c);
SL_EXPORT int __uflow(FILE *stream);

SL_DEFINE(int, __overflow, (FILE * stream, int c), (stream, c))
{
	const FILE *known = stream;
	struct sl_object *held = sl_stream_enter(&stream, pc);
	int result = stream == known ? SL_CALL(__overflow)(stream, c)
		     : c == EOF      ? SL_CALL(fflush)(stream)
				     : SL_CALL(fputc)(c, stream);

	sl_stream_leave(stream, held, pc);
	return result;
}

SL_DEFINE(int, __uflow, (FILE * stream), (stream))
{
	const FILE *known = stream;
	struct sl_object *held = sl_stream_enter(&stream, pc);
	int result = stream == known ? SL_CALL(__uflow)(stream) : SL_CALL(fgetc)(stream);

	sl_stream_leave(stream, held, pc);
	return result;
}

SL_DEFINE(int, fflush, (FILE * stream), (stream))
{
	struct sl_object *held;
	int result;

	if (!stream)
		sl_streams_flush(pc);
	held = stream ? sl_stream_enter(&stream, pc) : NULL;
	result = SL_CALL(fflush)(stream);
	sl_stream_leave(stream, held, pc);
	return result;
}

SL_EXPORT int
fflush_unlocked(FILE *stream)
{
	return E.control ? sl_at_fflush(stream, SL_PC) : SL_CALL(fflush)(stream);
}

SL_EXPORT void
rewind(FILE *stream)
{
	struct sl_object *held = E.control ? sl_stream_enter(&stream, SL_PC) : NULL;

	SL_CALL(rewind)(stream);
	sl_stream_leave(stream, held, SL_PC);
}

SL_EXPORT void
setbuf(FILE *stream, char *buffer)
{
	struct sl_object *held = E.control ? sl_stream_enter(&stream, SL_PC) : NULL;

	SL_CALL(setvbuf)(stream, buffer, buffer ? _IOFBF : _IONBF, BUFSIZ);
	sl_stream_leave(stream, held, SL_PC);
}

SL_EXPORT void
setlinebuf(FILE *stream)
{
	struct sl_object *held = E.control ? sl_stream_enter(&stream, SL_PC) : NULL;

	SL_CALL(setvbuf)(stream, NULL, _IOLBF, 0);
	sl_stream_leave(stream, held, SL_PC);
}

/* ---- standard streams ---- */

#define STANDARD_BY(enter, type, name, real, parameters, arguments, which)                                        \
	SL_EXPORT type name parameters;                                                                           \
	type name parameters                                                                                      \
	{                                                                                                         \
		FILE *stream = which;                                                                             \
		struct sl_object *held = E.control ? enter(&stream, SL_PC) : NULL;                                \
		type result = SL_CALL(real) arguments;                                                            \
                                                                                                                  \
		sl_stream_leave(stream, held, SL_PC);                                                             \
		return result;                                                                                    \
	}

#define STANDARD(...) STANDARD_BY(sl_stream_enter, __VA_ARGS__)
#define STANDARD_WIDE(...) STANDARD_BY(enter_wide, __VA_ARGS__)

STANDARD(int, getchar, fgetc, (void), (stream), stdin)
STANDARD(int, getchar_unlocked, fgetc, (void), (stream), stdin)
STANDARD(int, putchar, fputc, (int c), (c, stream), stdout)
STANDARD(int, putchar_unlocked, fputc, (int c), (c, stream), stdout)
STANDARD_WIDE(wint_t, getwchar, fgetwc, (void), (stream), stdin)
STANDARD_WIDE(wint_t, putwchar, fputwc, (wchar_t c), (c, stream), stdout)

SL_EXPORT int
puts(const char *text)
{
	FILE *stream = stdout;
	struct sl_object *held;
	int result;

	if (E.control)
		sl_access_range(text, sl_strlen(text) + 1, SL_OP_READS, SL_PC);
	held = E.control ? sl_stream_enter(&stream, SL_PC) : NULL;
	if (stream == stdout) {
		result = SL_CALL(puts)(text);
	} else {
		result = SL_CALL(fputs)(text, stream);
		result = result < 0 || SL_CALL(fputc)('\n', stream) < 0 ? EOF : (int)sl_strlen(text) + 1;
	}
	sl_stream_leave(stream, held, SL_PC);
	return result;
}

/* ---- formats ---- */

/* Defines a name that the headers may use for another function. */
#define CALLED(name) __asm__(name)

#define LISTED_BY(enter, function, label, real, before, which, how)                                               \
	SL_EXPORT int function before CALLED(label);                                                              \
	int function before                                                                                       \
	{                                                                                                         \
		FILE *stream = which;                                                                             \
		struct sl_object *held;                                                                           \
		int result;                                                                                       \
                                                                                                                  \
		SL_RT_CALL();                                                                                     \
		before_format(how, format, list, SL_PC);                                                          \
		held = E.control ? enter(&stream, SL_PC) : NULL;                                                  \
		BY_LIST(real);                                                                                    \
		sl_stream_leave(stream, held, SL_PC);                                                             \
		after_format(how, format, list, result, SL_PC);                                                   \
		return result;                                                                                    \
	}

#define FORMATTED_BY(enter, function, label, real, before, which, how)                                            \
	SL_EXPORT int function before CALLED(label);                                                              \
	int function before                                                                                       \
	{                                                                                                         \
		FILE *stream = which;                                                                             \
		struct sl_object *held;                                                                           \
		va_list list;                                                                                     \
		int result;                                                                                       \
                                                                                                                  \
		va_start(list, format);                                                                           \
		before_format(how, format, list, SL_PC);                                                          \
		held = E.control ? enter(&stream, SL_PC) : NULL;                                                  \
		BY_LIST(real);                                                                                    \
		sl_stream_leave(stream, held, SL_PC);                                                             \
		after_format(how, format, list, result, SL_PC);                                                   \
		va_end(list);                                                                                     \
		return result;                                                                                    \
	}

#define FORMATTED(...) FORMATTED_BY(sl_stream_enter, __VA_ARGS__)
#define FORMATTED_WIDE(...) FORMATTED_BY(enter_wide, __VA_ARGS__)
#define LISTED(...) LISTED_BY(sl_stream_enter, __VA_ARGS__)
#define LISTED_WIDE(...) LISTED_BY(enter_wide, __VA_ARGS__)

/* clang-format off */
FORMATTED(sl_fprintf, "fprintf", vfprintf, (FILE *to, const char *format, ...), to, PRINTS)
FORMATTED(sl_printf, "printf", vfprintf, (const char *format, ...), stdout, PRINTS)
FORMATTED(sl_fprintf_chk, "__fprintf_chk", vfprintf, (FILE *to, int flag __attribute__((unused)), const char *format, ...), to, PRINTS)
FORMATTED(sl_printf_chk, "__printf_chk", vfprintf, (int flag __attribute__((unused)), const char *format, ...), stdout, PRINTS)
LISTED(sl_vfprintf_chk, "__vfprintf_chk", vfprintf, (FILE *to, int flag __attribute__((unused)), const char *format, va_list list), to, PRINTS)
LISTED(sl_vprintf_chk, "__vprintf_chk", vfprintf, (int flag __attribute__((unused)), const char *format, va_list list), stdout, PRINTS)
LISTED(sl_vfprintf, "vfprintf", vfprintf, (FILE *to, const char *format, va_list list), to, PRINTS)
LISTED(sl_vprintf, "vprintf", vfprintf, (const char *format, va_list list), stdout, PRINTS)
LISTED_WIDE(sl_vfwprintf, "vfwprintf", vfwprintf, (FILE *to, const wchar_t *format, va_list list), to, PRINTS_WIDE)
LISTED_WIDE(sl_vwprintf, "vwprintf", vfwprintf, (const wchar_t *format, va_list list), stdout, PRINTS_WIDE)
FORMATTED_WIDE(sl_fwprintf, "fwprintf", vfwprintf, (FILE *to, const wchar_t *format, ...), to, PRINTS_WIDE)
FORMATTED_WIDE(sl_wprintf, "wprintf", vfwprintf, (const wchar_t *format, ...), stdout, PRINTS_WIDE)
/* The headers rename these for all standards but C89, in which %a has another meaning. */
FORMATTED(sl_fscanf, "fscanf", vfscanf, (FILE *from, const char *format, ...), from, SCANS)
FORMATTED(sl_scanf, "scanf", vfscanf, (const char *format, ...), stdin, SCANS)
LISTED(sl_vfscanf, "vfscanf", vfscanf, (FILE *from, const char *format, va_list list), from, SCANS)
LISTED(sl_vscanf, "vscanf", vfscanf, (const char *format, va_list list), stdin, SCANS)
FORMATTED(sl_fscanf_99, "__isoc99_fscanf", __isoc99_vfscanf, (FILE *from, const char *format, ...), from, SCANS)
FORMATTED(sl_scanf_99, "__isoc99_scanf", __isoc99_vfscanf, (const char *format, ...), stdin, SCANS)
LISTED(sl_vfscanf_99, "__isoc99_vfscanf", __isoc99_vfscanf, (FILE *from, const char *format, va_list list), from, SCANS)
LISTED(sl_vscanf_99, "__isoc99_vscanf", __isoc99_vfscanf, (const char *format, va_list list), stdin, SCANS)
FORMATTED_WIDE(sl_fwscanf_99, "__isoc99_fwscanf", __isoc99_vfwscanf, (FILE *from, const wchar_t *format, ...), from, SCANS_WIDE)
FORMATTED_WIDE(sl_wscanf_99, "__isoc99_wscanf", __isoc99_vfwscanf, (const wchar_t *format, ...), stdin, SCANS_WIDE)
/* clang-format on */
