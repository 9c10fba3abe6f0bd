/*
 * Accesses of libc's functions to the program's memory, which no callback sees: one row for each function.
 * Possible writes are announced before the call (sl_access_intend()), actual writes after it (sl_access_done()).
 * Calls from code that is not instrumented are passed on: its atomics are not seen either, and may order the
 * accesses.
 *
 * Functions that the engine defines for other reasons (files, signals, threads, …) do the same in their files.
 */
#undef _FILE_OFFSET_BITS /* it would rename statfs and so on; both are defined here */
#define SL_DEFINES_STDIO_FUNCTIONS
#define SL_DEFINES_MEMORY_FUNCTIONS
#include "engine/model/memory/touched.h"
#include <arpa/inet.h>
#include <grp.h>
#include <inttypes.h>
#include <math.h>
#include <netdb.h>
#include <pwd.h>
#include <regex.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/model/memory/formats.h"
#include "engine/model/process/settings.h"
#include "engine/under/poison.h"

void
sl_touch_string(const char *s, uint64_t pc)
{
	if (s && sl_libraries_is_instrumented(pc))
		sl_access_range(s, sl_strlen(s) + 1, SL_OP_READS, pc);
}

void
sl_touch_read(const void *at, size_t size, uint64_t pc)
{
	if (at && sl_libraries_is_instrumented(pc))
		sl_access_range(at, size, SL_OP_READS, pc);
}

void
sl_touch_polls(const struct pollfd *fds, size_t count, uint64_t pc)
{
	if (!count || !sl_libraries_is_instrumented(pc))
		return;
	for (size_t i = 0; i < count; i++)
		sl_access_range(&fds[i], offsetof(struct pollfd, revents), SL_OP_READS, pc);
	sl_access_intend(&fds[0].revents, (count - 1) * sizeof(*fds) + sizeof(fds[0].revents), pc);
}

void
sl_touch_polled(const struct pollfd *fds, size_t count, uint64_t pc)
{
	for (size_t i = 0; i < count && sl_libraries_is_instrumented(pc); i++)
		sl_access_done(&fds[i].revents, sizeof(fds[i].revents), pc);
}

void
sl_touch_set(const void *set, int count, uint64_t pc)
{
	sl_touch_read(set, SL_SET_BYTES(count), pc);
	sl_touch_intend(set, SL_SET_BYTES(count), pc);
}

void
sl_touch_intend(const void *at, size_t size, uint64_t pc)
{
	if (at && sl_libraries_is_instrumented(pc))
		sl_access_intend(at, size, pc);
}

void
sl_touch_written(const void *at, size_t size, uint64_t pc)
{
	if (at && sl_libraries_is_instrumented(pc))
		sl_access_done(at, size, pc);
}

static void
reads(const void *at, size_t size, uint64_t pc)
{
	if (at)
		sl_access_range(at, size, SL_OP_READS, pc);
}

static void
intends(const void *at, size_t size, uint64_t pc)
{
	if (at)
		sl_access_intend(at, size, pc);
}

static void
writes(const void *at, size_t size, uint64_t pc)
{
	if (at)
		sl_access_done(at, size, pc);
}

static size_t
wide_length(const wchar_t *s, size_t limit)
{
	size_t n = 0;

	while (n < limit && s[n])
		n++;
	return n;
}

/* Returns the size in bytes, with the terminator. */
static size_t
wide_extent(const wchar_t *s, size_t limit)
{
	size_t n = wide_length(s, limit);

	return (n < limit ? n + 1 : n) * sizeof(wchar_t);
}

static size_t
text_extent(const char *s)
{
	return s ? sl_strlen(s) + 1 : 0;
}

/* Returns how many bytes of both are read. */
static size_t
compared(const wchar_t *a, const wchar_t *b, size_t limit)
{
	size_t n = 0;

	while (n < limit && a[n] && a[n] == b[n])
		n++;
	return (n < limit ? n + 1 : n) * sizeof(wchar_t);
}

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* These functions may be called before the engine was started. */
#define REAL(name) (likely(real_##name != NULL) ? real_##name : (sl_boot(), real_##name))

/* READ, MAY (be written), WRITTEN: memory and its size. TEXT, WIDE: a string. */
#define READ(at, size) reads(at, size, pc)
#define MAY(at, size) intends(at, size, pc)
#define WRITTEN(at, size) writes(at, size, pc)
#define TEXT(s) reads(s, text_extent(s), pc)
#define WIDE(s) reads(s, wide_extent(s, SIZE_MAX), pc)
#define NOTHING (void)0
/* the process's time zone: READS or WRITES */
#define ZONE(how) sl_meet(&process_settings.time_zone, SL_OP_##how, pc)
#define THEN ;

#define TOUCHES(type, name, parameters, arguments, before, after)                                                 \
	static type(*real_##name) parameters;                                                                     \
	SL_EXPORT type name parameters;                                                                           \
	type name parameters                                                                                      \
	{                                                                                                         \
		uint64_t pc = SL_PC;                                                                              \
		type result;                                                                                      \
                                                                                                                  \
		SL_RT_CALL();                                                                                   \
		if (!E.control || !sl_libraries_is_instrumented(pc))                                              \
			return REAL(name) arguments;                                                              \
		before;                                                                                           \
		result = REAL(name) arguments;                                                                    \
		after;                                                                                            \
		return result;                                                                                    \
	}
#define PASSES(type, name, parameters) static type(*real_##name) parameters;

/* A structure that is written if the call succeeds and returns 0. */
#define FILLS(type, name, parameters, arguments, at, size)                                                        \
	TOUCHES(type, name, parameters, arguments, MAY(at, size), WRITTEN(at, result == 0 ? size : 0))

/* A number at the beginning of a text. Its end shows how much of the text was read. */
#define NUMBER(type, name)                                                                                        \
	TOUCHES(type, name, (const char *text, char **end), (text, end), TEXT(text) THEN MAY(end, sizeof(*end)),  \
		WRITTEN(end, sizeof(*end)))
#define NUMBER_WITH_BASE(type, name)                                                                              \
	TOUCHES(type, name, (const char *text, char **end, int base), (text, end, base),                          \
		TEXT(text) THEN MAY(end, sizeof(*end)), WRITTEN(end, sizeof(*end)))
#define WIDE_NUMBER_WITH_BASE(type, name)                                                                         \
	TOUCHES(type, name, (const wchar_t *text, wchar_t **end, int base), (text, end, base),                    \
		WIDE(text) THEN MAY(end, sizeof(*end)), WRITTEN(end, sizeof(*end)))

#include "engine/model/memory/touched.inc"
#undef TOUCHES
#undef PASSES
#define TOUCHES(type, name, ...) *(void **)&real_##name = sl_resolve(#name);
#define PASSES TOUCHES

void
sl_touched_boot(void){
#include "engine/model/memory/touched.inc"
}

/* ---- sorting: libc moves elements that the program compares ---- */

SL_EXPORT void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
	if (E.control && sl_libraries_is_instrumented(SL_PC)) {
		intends(base, count * size, SL_PC);
		writes(base, count * size, SL_PC);
	}
	REAL(qsort)(base, count, size, compare);
}

SL_EXPORT void
qsort_r(void *base, size_t count, size_t size, int (*compare)(const void *, const void *, void *), void *with)
{
	if (E.control && sl_libraries_is_instrumented(SL_PC)) {
		intends(base, count * size, SL_PC);
		writes(base, count * size, SL_PC);
	}
	REAL(qsort_r)(base, count, size, compare, with);
}

/* ---- formatted output to memory ---- */

/* Computes the length of the text beforehand, because another thread may read the same memory. */
static size_t
foreseen(size_t size, const char *format, va_list list)
{
	va_list again;
	int length;

	if (size != SIZE_MAX || E.alive_count < 2)
		return size == SIZE_MAX ? 0 : size;
	va_copy(again, list);
	length = REAL(vsnprintf)(NULL, 0, format, again);
	va_end(again);
	return length < 0 ? 0 : (size_t)length + 1;
}

/* size: SIZE_MAX: no limit. */
static int
print_into(char *to, size_t size, const char *format, va_list list, uint64_t pc)
{
	bool seen = E.control && sl_libraries_is_instrumented(pc);
	va_list again;
	int length;

	if (seen) {
		sl_format_print(format, false, list, pc);
		intends(to, foreseen(size, format, list), pc);
	}
	va_copy(again, list);
	length = size == SIZE_MAX ? REAL(vsprintf)(to, format, again) : REAL(vsnprintf)(to, size, format, again);
	va_end(again);
	if (seen && length >= 0) {
		writes(to, least(size, (size_t)length + 1), pc);
		sl_format_printed(format, false, list, pc);
	}
	return length;
}

static int
print_wide_into(wchar_t *to, size_t size, const wchar_t *format, va_list list, uint64_t pc)
{
	bool seen = E.control && sl_libraries_is_instrumented(pc);
	va_list again;
	int length;

	if (seen) {
		sl_format_print(format, true, list, pc);
		intends(to, size * sizeof(*to), pc);
	}
	va_copy(again, list);
	length = REAL(vswprintf)(to, size, format, again);
	va_end(again);
	if (seen) {
		writes(to, (length < 0 ? size : (size_t)length + 1) * sizeof(*to), pc);
		sl_format_printed(format, true, list, pc);
	}
	return length;
}

static int
print_new(char **to, const char *format, va_list list, uint64_t pc)
{
	bool seen = E.control && sl_libraries_is_instrumented(pc);
	va_list again;
	int length;

	if (seen) {
		sl_format_print(format, false, list, pc);
		intends(to, sizeof(*to), pc);
	}
	va_copy(again, list);
	length = REAL(vasprintf)(to, format, again);
	va_end(again);
	if (seen) {
		writes(to, sizeof(*to), pc);
		if (length >= 0)
			sl_format_printed(format, false, list, pc);
	}
	return length;
}

/* ---- formatted input from memory ---- */

static int
scan(const char *text, const char *format, va_list list, int (*scans)(const char *, const char *, va_list),
     uint64_t pc)
{
	bool seen = E.control && sl_libraries_is_instrumented(pc);
	va_list again;
	int count;

	if (seen)
		reads(text, text_extent(text), pc);
	if (seen)
		sl_format_scan(format, false, list, text_extent(text), pc);
	va_copy(again, list);
	count = scans(text, format, again);
	va_end(again);
	if (seen)
		sl_format_scanned(format, false, list, count, pc);
	return count;
}

static int
scan_wide(const wchar_t *text, const wchar_t *format, va_list list,
	  int (*scans)(const wchar_t *, const wchar_t *, va_list), uint64_t pc)
{
	bool seen = E.control && sl_libraries_is_instrumented(pc);
	va_list again;
	int count;

	if (seen)
		reads(text, wide_extent(text, SIZE_MAX), pc);
	if (seen)
		sl_format_scan(format, true, list, wide_length(text, SIZE_MAX), pc);
	va_copy(again, list);
	count = scans(text, format, again);
	va_end(again);
	if (seen)
		sl_format_scanned(format, true, list, count, pc);
	return count;
}

/* Defines a name that the headers may use for another function. */
#define CALLED(name) __asm__(name)
#define LISTED(function, label, parameters, call)                                                                 \
	SL_EXPORT int function parameters CALLED(label);                                                          \
	int function parameters                                                                                   \
	{                                                                                                         \
		return call;                                                                                      \
	}
#define FORMATTED(function, label, parameters, call)                                                              \
	SL_EXPORT int function parameters CALLED(label);                                                          \
	int function parameters                                                                                   \
	{                                                                                                         \
		va_list list;                                                                                     \
		int result;                                                                                       \
                                                                                                                  \
		va_start(list, format);                                                                           \
		result = call;                                                                                    \
		va_end(list);                                                                                     \
		return result;                                                                                    \
	}
#define UNUSED __attribute__((unused))

/* clang-format off */
FORMATTED(sl_sprintf, "sprintf", (char *to, const char *format, ...), print_into(to, SIZE_MAX, format, list, SL_PC))
FORMATTED(sl_snprintf, "snprintf", (char *to, size_t size, const char *format, ...), print_into(to, size, format, list, SL_PC))
LISTED(sl_vsprintf, "vsprintf", (char *to, const char *format, va_list list), print_into(to, SIZE_MAX, format, list, SL_PC))
LISTED(sl_vsnprintf, "vsnprintf", (char *to, size_t size, const char *format, va_list list), print_into(to, size, format, list, SL_PC))
FORMATTED(sl_sprintf_chk, "__sprintf_chk", (char *to, int flag UNUSED, size_t room, const char *format, ...), print_into(to, room, format, list, SL_PC))
FORMATTED(sl_snprintf_chk, "__snprintf_chk", (char *to, size_t size, int flag UNUSED, size_t room UNUSED, const char *format, ...), print_into(to, size, format, list, SL_PC))
LISTED(sl_vsprintf_chk, "__vsprintf_chk", (char *to, int flag UNUSED, size_t room, const char *format, va_list list), print_into(to, room, format, list, SL_PC))
LISTED(sl_vsnprintf_chk, "__vsnprintf_chk", (char *to, size_t size, int flag UNUSED, size_t room UNUSED, const char *format, va_list list), print_into(to, size, format, list, SL_PC))
FORMATTED(sl_asprintf, "asprintf", (char **to, const char *format, ...), print_new(to, format, list, SL_PC))
LISTED(sl_vasprintf, "vasprintf", (char **to, const char *format, va_list list), print_new(to, format, list, SL_PC))
FORMATTED(sl_asprintf_chk, "__asprintf_chk", (char **to, int flag UNUSED, const char *format, ...), print_new(to, format, list, SL_PC))
LISTED(sl_vasprintf_chk, "__vasprintf_chk", (char **to, int flag UNUSED, const char *format, va_list list), print_new(to, format, list, SL_PC))
FORMATTED(sl_swprintf, "swprintf", (wchar_t *to, size_t size, const wchar_t *format, ...), print_wide_into(to, size, format, list, SL_PC))
LISTED(sl_vswprintf, "vswprintf", (wchar_t *to, size_t size, const wchar_t *format, va_list list), print_wide_into(to, size, format, list, SL_PC))
/* The headers rename these for all standards but C89, in which %a has another meaning. */
FORMATTED(sl_sscanf, "sscanf", (const char *text, const char *format, ...), scan(text, format, list, REAL(vsscanf), SL_PC))
LISTED(sl_vsscanf, "vsscanf", (const char *text, const char *format, va_list list), scan(text, format, list, REAL(vsscanf), SL_PC))
FORMATTED(sl_sscanf_99, "__isoc99_sscanf", (const char *text, const char *format, ...), scan(text, format, list, REAL(__isoc99_vsscanf), SL_PC))
LISTED(sl_vsscanf_99, "__isoc99_vsscanf", (const char *text, const char *format, va_list list), scan(text, format, list, REAL(__isoc99_vsscanf), SL_PC))
FORMATTED(sl_swscanf_99, "__isoc99_swscanf", (const wchar_t *text, const wchar_t *format, ...), scan_wide(text, format, list, REAL(__isoc99_vswscanf), SL_PC))
LISTED(sl_vswscanf_99, "__isoc99_vswscanf", (const wchar_t *text, const wchar_t *format, va_list list), scan_wide(text, format, list, REAL(__isoc99_vswscanf), SL_PC))
/* clang-format on */
