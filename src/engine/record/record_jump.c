/*
 * Recording on real threads: long jumps. A long jump leaves functions without callbacks. So the depth of calls at
 * setjmp() is stored, and the missing returns are written before the jump.
 *
 * It is stored in a table by the buffer's address, and not in the buffer: libc's buffers for cancellation are
 * smaller than a jmp_buf. Another buffer may overwrite a slot; then the depth is unknown, and no returns are
 * written.
 */
#include <setjmp.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/rng.h"
#include "engine/entry/interpose.h"
#include "engine/entry/record.h"
#include "engine/under/poison.h"

#define BUFFERS 4096
#define DEPTH_BITS 24

/* The buffer and the thread in the high bits, and the depth in the low bits. */
static uint64_t buffers[BUFFERS];

static uint64_t
name_of(const void *buffer)
{
	return sl_mix((uint64_t)buffer ^ (uint64_t)sl_lane_self.number << 48);
}

static uint64_t *
slot_of(uint64_t name)
{
	return &buffers[name & (BUFFERS - 1)]; /* the bits that the slot does not imply */
}

void sl_lane_setjmp(const void *buffer) __attribute__((visibility("hidden")));
void
sl_lane_setjmp(const void *buffer)
{
	uint64_t name = name_of(buffer), depth = sl_lane_self.depth;

	if (depth < 1u << DEPTH_BITS)
		__atomic_store_n(slot_of(name), (name & ~0ull << DEPTH_BITS) | depth, __ATOMIC_RELAXED);
}

void
sl_lane_jump(const void *buffer)
{
	uint64_t name = name_of(buffer), kept = __atomic_load_n(slot_of(name), __ATOMIC_RELAXED);

	if (!((kept ^ name) >> DEPTH_BITS))
		sl_lane_leave_calls(kept & ((1u << DEPTH_BITS) - 1));
}

/* setjmp() in C is _setjmp(); the other one saves the signal mask. */
void *sl_slot_setjmp __attribute__((visibility("hidden"))),
	*sl_slot_setjmp_mask __attribute__((visibility("hidden")));
void
sl_setjmp_boot(void)
{
	sl_slot_setjmp = sl_resolve("_setjmp");
	sl_slot_setjmp_mask = sl_resolve("setjmp");
}

#define CALL(function) "pushq %rdi\ncall " #function "\npopq %rdi\n"
#define STUB(name, slot)                                                                                          \
	__asm__(".pushsection .text\n.globl " #name "\n.type " #name ", @function\n" #name ":\n"                  \
		"cmpb $0, sl_engine+1(%rip)\nje 1f\n" CALL(                                                       \
			sl_lane_setjmp) "1: cmpq $0, " #slot                                                      \
					"(%rip)\njne 2f\n" CALL(sl_setjmp_boot) "2: jmp *" #slot                  \
										"(%rip)\n.size " #name            \
										", .-" #name "\n.popsection\n")

STUB(_setjmp, sl_slot_setjmp);
STUB(setjmp, sl_slot_setjmp_mask);
