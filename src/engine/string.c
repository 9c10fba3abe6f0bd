/*
 * memcpy and its family, called by the program: range accesses, then libc's own code. And the engine's own
 * copies of the few it needs, which touch nothing of this.
 */
#define SL_DEFINES_MEMORY_FUNCTIONS
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/engine.h"
#include "engine/free_code.h"
#include "engine/interpose.h"
#include "engine/poison.h"

typedef uint64_t word __attribute__((aligned(1), may_alias));
typedef uint32_t half_word __attribute__((aligned(1), may_alias));
typedef uint64_t words __attribute__((vector_size(16), aligned(1), may_alias));

/* "rep movsb" is fast on every processor of the last ten years, but takes a while to begin. What is short is moved from
 * both ends, overlapping in the middle. */
void *
sl_memcpy(void *to, const void *from, size_t n)
{
	char *t = to;
	const char *f = from;

	if (n > 256) {
		__asm__ volatile("rep movsb" : "+D"(t), "+S"(f), "+c"(n) : : "memory");
	} else if (n >= 16) {
		words last = *(words *)(f + n - 16);

		for (size_t i = 0; i + 16 < n; i += 16)
			*(words *)(t + i) = *(words *)(f + i);
		*(words *)(t + n - 16) = last;
	} else if (n >= 8) {
		word first = *(word *)f, last = *(word *)(f + n - 8);

		*(word *)t = first;
		*(word *)(t + n - 8) = last;
	} else if (n >= 4) {
		half_word first = *(half_word *)f, last = *(half_word *)(f + n - 4);

		*(half_word *)t = first;
		*(half_word *)(t + n - 4) = last;
	} else {
		for (size_t i = 0; i < n; i++)
			t[i] = f[i];
	}
	return to;
}

void *
sl_memset(void *to, int byte, size_t n)
{
	char *t = to;
	word value = (unsigned char)byte * 0x0101010101010101u;

	if (n > 256) {
		__asm__ volatile("rep stosb" : "+D"(t), "+c"(n) : "a"(byte) : "memory");
	} else if (n >= 16) {
		words both = {value, value};

		for (size_t i = 0; i + 16 < n; i += 16)
			*(words *)(t + i) = both;
		*(words *)(t + n - 16) = both;
	} else if (n >= 8) {
		*(word *)t = value;
		*(word *)(t + n - 8) = value;
	} else {
		for (size_t i = 0; i < n; i++)
			t[i] = (char)byte;
	}
	return to;
}

void *
sl_memmove(void *to, const void *from, size_t n)
{
	char *t = to;
	const char *f = from;

	if ((uintptr_t)to - (uintptr_t)from >= n)
		return sl_memcpy(to, from, n);
	while (n-- > 0)
		t[n] = f[n];
	return to;
}

size_t
sl_strlen(const char *s)
{
	const char *p = s;

	while (*p)
		p++;
	return (size_t)(p - s);
}

/* by who is in control, or by a schedule on real threads that names code */
/* Does anybody want to know of accesses? */
static inline bool
listens(void)
{
	return E.control || E.recording || sl_free_coded;
}

#define SEEN unlikely(E.control || sl_free_coded)
#define READS(address, size) sl_access_range(address, size, SL_OP_READS, SL_PC)
#define WRITES(address, size) sl_access_range(address, size, SL_OP_WRITES, SL_PC)
/* Before the real functions are known (the dynamic linker is still at work) the simple ones do. */
#define REAL(name, ...) (sl_real.name ? sl_real.name(__VA_ARGS__) : sl_##name(__VA_ARGS__))

SL_EXPORT void *
memcpy(void *to, const void *from, size_t n)
{
	if (listens()) {
		READS(from, n);
		WRITES(to, n);
	}
	return REAL(memcpy, to, from, n);
}

SL_EXPORT void *
memmove(void *to, const void *from, size_t n)
{
	if (listens()) {
		READS(from, n);
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

	while (n < limit && s[n])
		n++;
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
		READS(from, n + 1);
		WRITES(to, n + 1);
		n = REAL(strlen, from);
	}
	return copy_string(to, from, n);
}

SL_EXPORT char *
stpcpy(char *to, const char *from)
{
	size_t n = REAL(strlen, from);

	if (listens()) {
		READS(from, n + 1);
		WRITES(to, n + 1);
	}
	return copy_string(to, from, n) + n;
}

SL_EXPORT char *
strncpy(char *to, const char *from, size_t limit)
{
	size_t n = length(from, limit);

	if (listens()) {
		READS(from, n < limit ? n + 1 : n);
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
		READS(from, n + 1);
		READS(to, at + 1);
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
		READS(from, n < limit ? n + 1 : n);
		READS(to, at + 1);
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

SL_EXPORT int
strcmp(const char *a, const char *b)
{
	size_t seen;
	int result = compare(a, b, SIZE_MAX, &seen);

	if (listens()) {
		READS(a, seen);
		READS(b, seen);
		result = compare(a, b, SIZE_MAX, &seen);
	}
	return result;
}

SL_EXPORT int
strncmp(const char *a, const char *b, size_t limit)
{
	size_t seen;
	int result = compare(a, b, limit, &seen);

	if (listens()) {
		READS(a, seen);
		READS(b, seen);
		result = compare(a, b, limit, &seen);
	}
	return result;
}

SL_EXPORT char *
strdup(const char *s)
{
	size_t n = REAL(strlen, s);
	char *copy;

	if (listens())
		READS(s, n + 1);
	copy = malloc(n + 1);
	return copy ? copy_string(copy, s, n) : NULL;
}

SL_EXPORT char *
strndup(const char *s, size_t limit)
{
	size_t n = length(s, limit);
	char *copy;

	if (listens())
		READS(s, n < limit ? n + 1 : n);
	copy = malloc(n + 1);
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
		: "+r"(place)); /* the header says "write only", and gcc takes a look at the address for a read */
	if (listens())
		WRITES(place, n);
	REAL(memset, place, 0, n);
}

SL_EXPORT void
bcopy(const void *from, void *to, size_t n)
{
	if (listens()) {
		READS(from, n);
		WRITES(to, n);
	}
	REAL(memmove, to, from, n);
}

SL_EXPORT int
bcmp(const void *a, const void *b, size_t n)
{
	if (listens()) {
		READS(a, n);
		READS(b, n);
	}
	return SL_CALL(memcmp)(a, b, n);
}

SL_EXPORT char *
stpncpy(char *to, const char *from, size_t limit)
{
	size_t n = length(from, limit);

	if (listens()) {
		READS(from, n < limit ? n + 1 : n);
		WRITES(to, limit);
	}
	REAL(memmove, to, from, n);
	REAL(memset, to + n, 0, limit - n);
	return to + n;
}

SL_EXPORT void *
memccpy(void *to, const void *from, int byte, size_t limit)
{
	const unsigned char *f = from;
	size_t n = 0;

	while (n < limit && f[n] != (unsigned char)byte)
		n++;
	if (listens()) {
		READS(from, n < limit ? n + 1 : n);
		WRITES(to, n < limit ? n + 1 : n);
	}
	REAL(memmove, to, from, n < limit ? n + 1 : n);
	return n < limit ? (char *)to + n + 1 : NULL;
}

/* Those that only look: real ones, once to know how far they look and once, after the announcement, for the answer. */

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

	check(n + 1, room);
	if (listens()) {
		READS(from, n + 1);
		WRITES(to, n + 1);
	}
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
