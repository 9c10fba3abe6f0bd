/*
 * Schedules on real threads: which announcements of accesses belong to one statement.
 *
 * For an assignment of a struct, gcc announces the write, then the read, and copies after both; a large struct is
 * copied by a call of memcpy(). So the second announcement does not show that the first access is done. Two
 * statements look different: the first one has stored something before the second is announced. In one statement
 * the code between the two calls only fills registers.
 */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/entry/rt_code.h"
#include "engine/under/poison.h"

#define BYTES_MAX 160 /* enough for an element of an array of a member of what a pointer points to */

/* Length of the ModRM byte and what belongs to it. */
static size_t
operands(const uint8_t *at)
{
	unsigned mode = *at >> 6, base = *at & 7;
	size_t n = mode == 1 ? 2 : mode == 2 ? 5 : 1;

	if (mode == 3)
		return 1;
	if (base == 4) {
		n++;
		base = at[1] & 7;
	}
	return n + (!mode && base == 5 ? 4 : 0);
}

/* Length of an instruction that changes a register and nothing else; 0: another instruction, or an unknown one. */
static size_t
fills_register(const uint8_t *at)
{
	const uint8_t *begin = at;
	bool wide = false, direct;

	while (*at == 0x66 || *at == 0xf3)
		at++;
	if ((*at & 0xf0) == 0x40)
		wide = *at++ & 8;
	direct = at[1] >> 6 == 3;
	if ((*at & 0xf8) == 0xb8) /* mov of a constant */
		return (size_t)(at - begin) + 1 + (wide ? 8 : 4);
	switch (*at) {
	case 0x90: /* nop, cltq */
	case 0x98:
		return (size_t)(at - begin) + 1;
	case 0x8d: /* lea, mov, movslq; add, sub, and, or, xor with a memory operand */
	case 0x8b:
	case 0x63:
	case 0x03:
	case 0x2b:
	case 0x23:
	case 0x0b:
	case 0x33:
		return (size_t)(at - begin) + 1 + operands(at + 1);
	case 0x89: /* the same from register to register */
	case 0x01:
	case 0x29:
	case 0x21:
	case 0x09:
	case 0x31:
	case 0xd1: /* shift by one */
		return direct ? (size_t)(at - begin) + 2 : 0;
	case 0x83: /* with a small constant; a shift */
	case 0xc1:
		return direct ? (size_t)(at - begin) + 3 : 0;
	case 0x81: /* with a large constant; mov */
	case 0xc7:
		return direct ? (size_t)(at - begin) + 6 : 0;
	case 0x6b: /* imul */
		return (size_t)(at - begin) + 2 + operands(at + 1);
	case 0x69:
		return (size_t)(at - begin) + 5 + operands(at + 1);
	case 0x0f: /* movzx, movsx, imul, nop, endbr64 */
		if ((at[1] & 0xf6) == 0xb6 || at[1] == 0xaf || at[1] == 0x1f || at[1] == 0x1e)
			return (size_t)(at - begin) + 2 + operands(at + 2);
	}
	return 0;
}

/* from: the return address of the first call; to: of the second. */
bool
sl_rt_is_one_statement(uint64_t from, uint64_t to)
{
	const uint8_t *at = (const uint8_t *)from, *end = (const uint8_t *)to;
	size_t n;

	if (to <= from || to - from > BYTES_MAX)
		return false;
	while (at < end && (n = fills_register(at)))
		at += n;
	if (at < end && (*at & 0xf0) == 0x40)
		at++; /* prefix of a call through a register */
	if (at < end && *at == 0x67)
		at++; /* padding of a call that the linker has shortened */
	return (*at == 0xe8 && at + 5 == end) ||
	       (*at == 0xff && (at[1] & 0x38) == 0x10 && at + 1 + operands(at + 1) == end);
}
