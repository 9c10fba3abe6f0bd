/*
 * strtok and its family, and glibc's extensions of <string.h>: range accesses, as in string.c.
 */
#define SL_DEFINES_MEMORY_FUNCTIONS
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/upcall/state.h"
#include "engine/entry/interpose.h"
#include "engine/under/poison.h"

#define READS(address, size) sl_access_range(address, size, SL_OP_READS, pc)
#define WRITES(address, size) sl_access_range(address, size, SL_OP_WRITES, pc)

static bool
among(char byte, const char *set)
{
	for (; *set; set++)
		if (*set == byte)
			return true;
	return false;
}

/* Cuts off the part of s up to one of the delimiters. *next is the rest; NULL if s was the last part. */
static void
cut(char *s, const char *delimiters, char **next, uint64_t pc)
{
	size_t n = 0;

	while (s[n] && !among(s[n], delimiters))
		n++;
	READS(s, n + 1);
	READS(delimiters, sl_strlen(delimiters) + 1);
	for (n = 0; s[n] && !among(s[n], delimiters); n++)
		;
	*next = NULL;
	if (s[n]) {
		WRITES(s + n, 1);
		s[n] = 0;
		*next = s + n + 1;
	}
}

/* A NULL crashes, as in libc. Returns the token or NULL, and in *rest the remaining text. */
static char *
token(char *s, const char *delimiters, char **rest, uint64_t pc)
{
	char *start = s;

	READS(delimiters, sl_strlen(delimiters) + 1);
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): see above */
	while (*s && among(*s, delimiters))
		s++;
	READS(start, (size_t)(s - start) + 1);
	*rest = s;
	if (!*s)
		return NULL;
	cut(s, delimiters, rest, pc);
	if (!*rest)
		*rest = s + sl_strlen(s);
	return s;
}

SL_EXPORT char *
strtok_r(char *s, const char *delimiters, char **save)
{
	uint64_t pc = SL_PC;
	char *rest, *found;

	if (!s) {
		READS(save, sizeof(*save));
		s = *save;
	}
	found = token(s, delimiters, &rest, pc);
	WRITES(save, sizeof(*save));
	*save = rest;
	return found;
}

SL_EXPORT char *__strtok_r(char *s, const char *delimiters, char **save) __attribute__((alias("strtok_r")));

SL_EXPORT char *
strsep(char **string, const char *delimiters)
{
	uint64_t pc = SL_PC;
	char *s, *next;

	READS(string, sizeof(*string));
	s = *string;
	if (!s)
		return NULL;
	cut(s, delimiters, &next, pc);
	WRITES(string, sizeof(*string));
	*string = next;
	return s;
}

/*
 * strtok() stores its position once for all threads: two threads that use it race, even with different strings.
 * The position is modelled here, because the address of libc's is unknown. Memory of libsleave is not restored
 * between executions, so each begins with the position from before the first.
 */
static char *state_of_strtok;

void
sl_token_identify(struct sl_identity *identity)
{
	sl_identity_add(identity, (uint64_t)&state_of_strtok, &state_of_strtok, sizeof(state_of_strtok));
}

void
sl_token_keep(void)
{
	sl_checkpoint_bytes(&state_of_strtok, sizeof(state_of_strtok));
}

SL_EXPORT char *
strtok(char *s, const char *delimiters)
{
	static char *before;
	static uint32_t sequence;
	uint64_t pc = SL_PC;
	char *rest, *found = NULL;

	if (E.control && sequence != E.sequence) {
		sequence = E.sequence;
		state_of_strtok = before;
	}
	if (!s) {
		READS(&state_of_strtok, sizeof(state_of_strtok));
		s = state_of_strtok;
	}
	found = token(s, delimiters, &rest, pc);
	WRITES(&state_of_strtok, sizeof(state_of_strtok));
	state_of_strtok = rest;
	if (!E.control)
		before = rest;
	return found;
}

SL_EXPORT char *
strchrnul(const char *s, int byte)
{
	uint64_t pc = SL_PC;
	const char *end = s;

	while (*end && *end != (char)byte)
		end++;
	READS(s, (size_t)(end - s) + 1);
	for (end = s; *end && *end != (char)byte; end++)
		;
	return (char *)end;
}

SL_EXPORT void *
rawmemchr(const void *s, int byte)
{
	uint64_t pc = SL_PC;
	const unsigned char *end = s;

	while (*end != (unsigned char)byte)
		end++;
	READS(s, (size_t)(end - (const unsigned char *)s) + 1);
	for (end = s; *end != (unsigned char)byte; end++)
		;
	return (void *)end;
}

SL_EXPORT void *
memrchr(const void *s, int byte, size_t n)
{
	uint64_t pc = SL_PC;
	const unsigned char *from = s;

	READS(s, n);
	while (n-- > 0)
		if (from[n] == (unsigned char)byte)
			return (void *)(from + n);
	return NULL;
}

SL_EXPORT void *
memmem(const void *s, size_t n, const void *part, size_t m)
{
	uint64_t pc = SL_PC;

	READS(s, n);
	READS(part, m);
	return SL_CALL(memmem)(s, n, part, m);
}

SL_EXPORT void
swab(const void *restrict from, void *restrict to, ssize_t n)
{
	uint64_t pc = SL_PC;

	if (n > 1) {
		READS(from, (size_t)n & ~(size_t)1);
		WRITES(to, (size_t)n & ~(size_t)1);
	}
	SL_CALL(swab)(from, to, n);
}

SL_EXPORT size_t
strxfrm(char *restrict to, const char *restrict from, size_t limit)
{
	uint64_t pc = SL_PC;
	size_t n;

	READS(from, sl_strlen(from) + 1);
	n = E.control ? SL_CALL(strxfrm)(NULL, from, 0) : 0;
	if (n < limit)
		WRITES(to, n + 1);
	else
		WRITES(to, limit);
	return SL_CALL(strxfrm)(to, from, limit);
}

#define LOOKS_AT_TWO(type, name)                                                                                  \
	SL_EXPORT type name(const char *s, const char *t)                                                         \
	{                                                                                                         \
		uint64_t pc = SL_PC;                                                                              \
                                                                                                                  \
		READS(s, sl_strlen(s) + 1);                                                                       \
		READS(t, sl_strlen(t) + 1);                                                                       \
		return SL_CALL(name)(s, t);                                                                       \
	}
/* clang-format off */
LOOKS_AT_TWO(char *, strcasestr)
LOOKS_AT_TWO(int, strcoll)
LOOKS_AT_TWO(int, strverscmp)
/* clang-format on */

/* The other checked variants of _FORTIFY_SOURCE. */

static void
check(size_t wanted, size_t room, uint64_t pc)
{
	if (wanted > room) {
		if (E.control)
			sl_found(SL_FINDING_ABORT, 6, 0, pc, "buffer overflow detected by _FORTIFY_SOURCE");
		sl_real.abort();
	}
}

SL_EXPORT void *__mempcpy_chk(void *to, const void *from, size_t n, size_t room);
SL_EXPORT char *__stpcpy_chk(char *to, const char *from, size_t room);
SL_EXPORT char *__stpncpy_chk(char *to, const char *from, size_t n, size_t room);
SL_EXPORT char *__strncat_chk(char *to, const char *from, size_t n, size_t room);
SL_EXPORT void __explicit_bzero_chk(void *to, size_t n, size_t room);

void *
__mempcpy_chk(void *to, const void *from, size_t n, size_t room)
{
	uint64_t pc = SL_PC;

	check(n, room, pc);
	READS(from, n);
	WRITES(to, n);
	return (char *)SL_CALL(memcpy)(to, from, n) + n;
}

char *
__stpcpy_chk(char *to, const char *from, size_t room)
{
	uint64_t pc = SL_PC;
	size_t n = sl_strlen(from);

	check(n + 1, room, pc);
	READS(from, n + 1);
	WRITES(to, n + 1);
	return (char *)SL_CALL(memmove)(to, from, n + 1) + n;
}

char *
__stpncpy_chk(char *to, const char *from, size_t limit, size_t room)
{
	uint64_t pc = SL_PC;
	size_t n = 0;

	check(limit, room, pc);
	while (n < limit && from[n])
		n++;
	READS(from, n < limit ? n + 1 : n);
	WRITES(to, limit);
	SL_CALL(memmove)(to, from, n);
	SL_CALL(memset)(to + n, 0, limit - n);
	return to + n;
}

char *
__strncat_chk(char *to, const char *from, size_t limit, size_t room)
{
	uint64_t pc = SL_PC;
	size_t at = sl_strlen(to), n = 0;

	while (n < limit && from[n])
		n++;
	check(at + n + 1, room, pc);
	READS(from, n < limit ? n + 1 : n);
	READS(to, at + 1);
	WRITES(to + at, n + 1);
	SL_CALL(memmove)(to + at, from, n);
	to[at + n] = 0;
	return to;
}

void
__explicit_bzero_chk(void *to, size_t n, size_t room)
{
	uint64_t pc = SL_PC;

	check(n, room, pc);
	WRITES(to, n);
	SL_CALL(memset)(to, 0, n);
}
