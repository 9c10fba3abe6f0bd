/*
 * memcpy and its family, called by the program: range accesses, then libc's own code.
 */
#define SL_DEFINES_MEMORY_FUNCTIONS
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/block.h"
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/entry/rt_code.h"
#include "engine/model/memory/copy.h"
#include "engine/under/poison.h"

/* Returns whether accesses are announced. */
static inline bool
listens(void)
{
	return E.control || E.recording || sl_rt_coded;
}

/* under control, or by a schedule on real threads that names code */
#define SEEN unlikely(E.control || sl_rt_coded)
#define READS(address, size) sl_access_range(address, size, SL_OP_READS, SL_PC)
#define WRITES(address, size) sl_access_range(address, size, SL_OP_WRITES, SL_PC)
/* Before the real functions are known (the dynamic linker is still at work) simple replacements are used. */
#define REAL(name, ...) (sl_real.name ? sl_real.name(__VA_ARGS__) : sl_##name(__VA_ARGS__))

SL_EXPORT void *
memcpy(void *to, const void *from, size_t n)
{
	if (listens()) {
		READS(from, n);
		from = SL_COPY_KEEP(from, n, to, n);
		WRITES(to, n);
	}
	return REAL(memcpy, to, from, n);
}

SL_EXPORT void *
memmove(void *to, const void *from, size_t n)
{
	if (listens()) {
		READS(from, n);
		from = SL_COPY_KEEP(from, n, to, n);
		WRITES(to, n);
	}
	return REAL(memmove, to, from, n);
}

SL_EXPORT void *
memset(void *to, int byte, size_t n)
{
	if (listens())
		WRITES(to, n);
	return REAL(memset, to, byte, n);
}

SL_EXPORT void *
mempcpy(void *to, const void *from, size_t n)
{
	if (listens()) {
		READS(from, n);
		from = SL_COPY_KEEP(from, n, to, n);
		WRITES(to, n);
	}
	return (char *)REAL(memcpy, to, from, n) + n;
}

SL_EXPORT int
memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *x = a, *y = b;

	if (listens()) {
		READS(a, n);
		x = a = SL_COPY_KEEP(a, n, b, n);
		READS(b, n);
	}
	if (sl_real.memcmp)
		return sl_real.memcmp(a, b, n);
	for (; n; n--, x++, y++)
		if (*x != *y)
			return *x - *y;
	return 0;
}

SL_EXPORT size_t
strlen(const char *s)
{
	size_t n = REAL(strlen, s);

	if (listens()) {
		READS(s, n + 1);
		n = REAL(strlen, s);
	}
	return n;
}

static size_t
length(const char *s, size_t limit)
{
	size_t n = 0;

	if (limit == SIZE_MAX)
		return REAL(strlen, s);
	while (n < limit && s[n])
		n++;
	return n;
}

/* Returns the number of bytes that are read. */
static size_t
extent(size_t n, size_t limit)
{
	return n < limit ? n + 1 : n;
}

/*
 * Announces the read of a string with its length at that time; another thread may change the length at the point.
 */
static size_t
read_string(const char *s, size_t limit, uint64_t pc)
{
	size_t n = length(s, limit);

	for (size_t known = 0; known < extent(n, limit); n = length(s, limit)) {
		size_t from = known;

		known = extent(n, limit);
		sl_access_range(s + from, known - from, SL_OP_READS, pc);
	}
	return n;
}

static char *
copy_string(char *to, const char *from, size_t n)
{
	char *result = REAL(memmove, to, from, n);

	result[n] = 0;
	return result;
}

SL_EXPORT char *
strcpy(char *to, const char *from)
{
	size_t n = REAL(strlen, from);

	if (listens()) {
		n = read_string(from, SIZE_MAX, SL_PC);
		from = SL_COPY_KEEP(from, n + 1, to, n + 1);
		WRITES(to, n + 1);
	}
	return copy_string(to, from, n);
}

SL_EXPORT char *
stpcpy(char *to, const char *from)
{
	size_t n = REAL(strlen, from);

	if (listens()) {
		n = read_string(from, SIZE_MAX, SL_PC);
		from = SL_COPY_KEEP(from, n + 1, to, n + 1);
		WRITES(to, n + 1);
	}
	return copy_string(to, from, n) + n;
}

SL_EXPORT char *
strncpy(char *to, const char *from, size_t limit)
{
	size_t n = length(from, limit);

	if (listens()) {
		n = read_string(from, limit, SL_PC);
		from = SL_COPY_KEEP(from, n, to, limit);
		WRITES(to, limit);
	}
	REAL(memmove, to, from, n);
	REAL(memset, to + n, 0, limit - n);
	return to;
}

SL_EXPORT char *
strcat(char *to, const char *from)
{
	size_t at = REAL(strlen, to), n = REAL(strlen, from);

	if (listens()) {
		n = read_string(from, SIZE_MAX, SL_PC);
		from = SL_COPY_KEEP(from, n + 1, to, at + n + 2);
		at = read_string(to, SIZE_MAX, SL_PC);
		WRITES(to + at, n + 1);
	}
	copy_string(to + at, from, n);
	return to;
}

SL_EXPORT char *
strncat(char *to, const char *from, size_t limit)
{
	size_t at = REAL(strlen, to), n = length(from, limit);

	if (listens()) {
		n = read_string(from, limit, SL_PC);
		from = SL_COPY_KEEP(from, n, to, at + n + 2);
		at = read_string(to, SIZE_MAX, SL_PC);
		WRITES(to + at, n + 1);
	}
	copy_string(to + at, from, n);
	return to;
}

static int
compare(const char *a, const char *b, size_t limit, size_t *seen)
{
	size_t i = 0;

	while (i < limit && a[i] && a[i] == b[i])
		i++;
	*seen = i < limit ? i + 1 : limit;
	return i < limit ? (unsigned char)a[i] - (unsigned char)b[i] : 0;
}

/*
 * The contents of the first string are stored while the second is read; if the second is longer by then, more of
 * it is read.
 */
static int
compare_read(const char *a, const char *b, size_t limit, uint64_t pc)
{
	for (size_t at = 0;;) {
		size_t seen, same;
		const char *kept;
		int result;

		compare(a + at, b + at, limit - at, &seen);
		sl_access_range(a + at, seen, SL_OP_READS, pc);
		kept = SL_COPY_KEEP(a + at, seen, b + at, seen);
		sl_access_range(b + at, seen, SL_OP_READS, pc);
		result = compare(kept, b + at, seen, &same);
		at += seen;
		if (result || at == limit || !kept[same - 1])
			return result;
	}
}

SL_EXPORT int
strcmp(const char *a, const char *b)
{
	size_t seen;

	return listens() ? compare_read(a, b, SIZE_MAX, SL_PC) : compare(a, b, SIZE_MAX, &seen);
}

SL_EXPORT int
strncmp(const char *a, const char *b, size_t limit)
{
	size_t seen;

	return listens() ? compare_read(a, b, limit, SL_PC) : compare(a, b, limit, &seen);
}

SL_EXPORT char *
strdup(const char *s)
{
	size_t n = REAL(strlen, s);
	char *copy;

	if (listens())
		n = read_string(s, SIZE_MAX, SL_PC);
	copy = sl_allocate(n + 1, SL_PC);
	return copy ? copy_string(copy, s, n) : NULL;
}

SL_EXPORT char *
strndup(const char *s, size_t limit)
{
	size_t n = length(s, limit);
	char *copy;

	if (listens())
		n = read_string(s, limit, SL_PC);
	copy = sl_allocate(n + 1, SL_PC);
	return copy ? copy_string(copy, s, n) : NULL;
}

SL_EXPORT void
bzero(void *to, size_t n)
{
	if (listens())
		WRITES(to, n);
	REAL(memset, to, 0, n);
}

SL_EXPORT void
explicit_bzero(void *to, size_t n)
{
	void *place = to;

	__asm__(""
		: "+r"(place)); /* the header declares the argument write-only, and gcc takes comparing the address for a read */
	if (listens())
		WRITES(place, n);
	REAL(memset, place, 0, n);
}

SL_EXPORT void
bcopy(const void *from, void *to, size_t n)
{
	if (listens()) {
		READS(from, n);
		from = SL_COPY_KEEP(from, n, to, n);
		WRITES(to, n);
	}
	REAL(memmove, to, from, n);
}

SL_EXPORT int
bcmp(const void *a, const void *b, size_t n)
{
	if (listens()) {
		READS(a, n);
		a = SL_COPY_KEEP(a, n, b, n);
		READS(b, n);
	}
	return SL_CALL(memcmp)(a, b, n);
}

SL_EXPORT char *
stpncpy(char *to, const char *from, size_t limit)
{
	size_t n = length(from, limit);

	if (listens()) {
		n = read_string(from, limit, SL_PC);
		from = SL_COPY_KEEP(from, n, to, limit);
		WRITES(to, limit);
	}
	REAL(memmove, to, from, n);
	REAL(memset, to + n, 0, limit - n);
	return to + n;
}

static size_t
until(const unsigned char *s, int byte, size_t limit)
{
	size_t n = 0;

	while (n < limit && s[n] != (unsigned char)byte)
		n++;
	return n;
}

SL_EXPORT void *
memccpy(void *to, const void *from, int byte, size_t limit)
{
	size_t n = until(from, byte, limit);

	if (listens()) {
		for (size_t known = 0; known < extent(n, limit); n = until(from, byte, limit)) {
			size_t at = known;

			known = extent(n, limit);
			READS((const char *)from + at, known - at);
		}
		from = SL_COPY_KEEP(from, extent(n, limit), to, extent(n, limit));
		WRITES(to, extent(n, limit));
	}
	REAL(memmove, to, from, extent(n, limit));
	return n < limit ? (char *)to + n + 1 : NULL;
}

/*
 * Functions that only read: the real one is called twice, first to find out how far it reads and then, after the
 * announcement, for the result.
 */

SL_EXPORT void *
memchr(const void *s, int byte, size_t n)
{
	void *found = SL_CALL(memchr)(s, byte, n);

	if (listens()) {
		READS(s, found ? (size_t)((char *)found - (const char *)s) + 1 : n);
		found = SL_CALL(memchr)(s, byte, n);
	}
	return found;
}

SL_EXPORT size_t
strnlen(const char *s, size_t limit)
{
	size_t n = length(s, limit);

	if (listens()) {
		READS(s, n < limit ? n + 1 : n);
		n = length(s, limit);
	}
	return n;
}

#define LOOKS_AT_ONE(type, name, parameters, arguments)                                                           \
	SL_EXPORT type name parameters                                                                            \
	{                                                                                                         \
		if (listens())                                                                                    \
			READS(s, REAL(strlen, s) + 1);                                                            \
		return SL_CALL(name) arguments;                                                                   \
	}
#define LOOKS_AT_TWO(type, name, parameters, arguments)                                                           \
	SL_EXPORT type name parameters                                                                            \
	{                                                                                                         \
		if (listens()) {                                                                                  \
			READS(s, REAL(strlen, s) + 1);                                                            \
			READS(t, REAL(strlen, t) + 1);                                                            \
		}                                                                                                 \
		return SL_CALL(name) arguments;                                                                   \
	}
/* clang-format off */
LOOKS_AT_ONE(char *, strchr, (const char *s, int byte), (s, byte))
LOOKS_AT_ONE(char *, strrchr, (const char *s, int byte), (s, byte))
LOOKS_AT_TWO(char *, strstr, (const char *s, const char *t), (s, t))
LOOKS_AT_TWO(size_t, strspn, (const char *s, const char *t), (s, t))
LOOKS_AT_TWO(size_t, strcspn, (const char *s, const char *t), (s, t))
LOOKS_AT_TWO(char *, strpbrk, (const char *s, const char *t), (s, t))
LOOKS_AT_TWO(int, strcasecmp, (const char *s, const char *t), (s, t))
LOOKS_AT_TWO(int, strncasecmp, (const char *s, const char *t, size_t n), (s, t, n))
/* clang-format on */

SL_EXPORT char *
index(const char *s, int byte)
{
	if (listens())
		READS(s, REAL(strlen, s) + 1);
	return SL_CALL(strchr)(s, byte);
}

SL_EXPORT char *
rindex(const char *s, int byte)
{
	if (listens())
		READS(s, REAL(strlen, s) + 1);
	return SL_CALL(strrchr)(s, byte);
}

/* The checked variants that -D_FORTIFY_SOURCE uses: the check, then the same. */

static void
check(size_t wanted, size_t room)
{
	if (wanted > room) {
		if (SEEN)
			sl_found(SL_FINDING_ABORT, 6, 0, SL_PC, "buffer overflow detected by _FORTIFY_SOURCE");
		sl_real.abort();
	}
}

SL_EXPORT void *__memcpy_chk(void *to, const void *from, size_t n, size_t room);
SL_EXPORT void *__memmove_chk(void *to, const void *from, size_t n, size_t room);
SL_EXPORT void *__memset_chk(void *to, int byte, size_t n, size_t room);
SL_EXPORT char *__strcpy_chk(char *to, const char *from, size_t room);
SL_EXPORT char *__strncpy_chk(char *to, const char *from, size_t n, size_t room);
SL_EXPORT char *__strcat_chk(char *to, const char *from, size_t room);

void *
__memcpy_chk(void *to, const void *from, size_t n, size_t room)
{
	check(n, room);
	if (listens()) {
		READS(from, n);
		from = SL_COPY_KEEP(from, n, to, n);
		WRITES(to, n);
	}
	return REAL(memcpy, to, from, n);
}

void *
__memmove_chk(void *to, const void *from, size_t n, size_t room)
{
	check(n, room);
	if (listens()) {
		READS(from, n);
		from = SL_COPY_KEEP(from, n, to, n);
		WRITES(to, n);
	}
	return REAL(memmove, to, from, n);
}

void *
__memset_chk(void *to, int byte, size_t n, size_t room)
{
	check(n, room);
	if (listens())
		WRITES(to, n);
	return REAL(memset, to, byte, n);
}

char *
__strcpy_chk(char *to, const char *from, size_t room)
{
	size_t n = REAL(strlen, from);

	if (listens()) {
		n = read_string(from, SIZE_MAX, SL_PC);
		check(n + 1, room);
		from = SL_COPY_KEEP(from, n + 1, to, n + 1);
		WRITES(to, n + 1);
	}
	check(n + 1, room);
	return copy_string(to, from, n);
}

char *
__strncpy_chk(char *to, const char *from, size_t n, size_t room)
{
	check(n, room);
	return strncpy(to, from, n);
}

char *
__strcat_chk(char *to, const char *from, size_t room)
{
	check(REAL(strlen, to) + REAL(strlen, from) + 1, room);
	return strcat(to, from);
}
