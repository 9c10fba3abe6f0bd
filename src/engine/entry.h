/*
 * Entries that must know the program's registers: whether a loop makes progress can only be told from the
 * whole state of its thread, and a counter may live in a register that the C code of the engine saves and
 * reuses. A stub of a few instructions notes the callee-saved registers and the stack pointer and jumps to
 * the C function, which finds the program's return address where it expects it. Out of control (the first byte
 * of sl_engine) nothing is noted: real threads would fight for the memory. The second byte says whether they are recorded.
 */
#ifndef SL_ENGINE_ENTRY_H
#define SL_ENGINE_ENTRY_H

#include "base/op.h"

#include <stdint.h>

struct sl_entry {
	uint64_t rbx, rbp, r12, r13, r14, r15, rsp;
};

extern struct sl_entry sl_entry __attribute__((visibility("hidden")));

/* Defines the exported symbol `name`, which goes to the hidden function sl_in_<name>. */
#define SL_STUB(name, idle)                                                                                       \
	__asm__(".pushsection .text\n.globl " #name "\n.type " #name ", @function\n" #name ":\n"                  \
		"cmpb $0, sl_engine(%rip)\njne 1f\n" idle "\n1:\n"                                                \
		"movq %rbx, sl_entry(%rip)\n"                                                                     \
		"movq %rbp, sl_entry+8(%rip)\n"                                                                   \
		"movq %r12, sl_entry+16(%rip)\n"                                                                  \
		"movq %r13, sl_entry+24(%rip)\n"                                                                  \
		"movq %r14, sl_entry+32(%rip)\n"                                                                  \
		"movq %r15, sl_entry+40(%rip)\n"                                                                  \
		"movq %rsp, sl_entry+48(%rip)\n"                                                                  \
		"jmp sl_in_" #name "\n.size " #name ", .-" #name "\n.popsection\n")
#define SL_ENTRY(name) SL_STUB(name, "jmp sl_in_" #name)
/*
 * The same for a read of so many bytes, which is nothing out of control unless it is recorded (record.h), or a schedule on real
 * threads names code (free_code.h).
 */
#define SL_ENTRY_READ(name, size, flags)                                                                          \
	SL_STUB(name, "cmpb $0, sl_free_coded(%rip)\njne sl_in_" #name "\n"                                       \
		      "cmpb $0, sl_engine+1(%rip)\njne 2f\nret\n"                                                 \
		      "2: movl $2 + " #size " * 256, %esi\nmovl $1 + " #flags ", %edx\nmovq (%rsp), %rcx\n"       \
		      "jmp sl_lane_plain\n")
_Static_assert(SL_READ == 2 && SL_OP_READS == 1, "the stub above knows them");

/* Notes them in `where` and goes on to a function of the engine's own. */
#define SL_NOTING(name, where, to)                                                                                \
	__asm__(".pushsection .text\n.hidden " #name "\n.globl " #name "\n.type " #name ", @function\n" #name     \
		":\n"                                                                                             \
		"movq %rbx, " #where "(%rip)\nmovq %rbp, " #where "+8(%rip)\nmovq %r12, " #where "+16(%rip)\n"    \
		"movq %r13, " #where "+24(%rip)\nmovq %r14, " #where "+32(%rip)\nmovq %r15, " #where              \
		"+40(%rip)\n"                                                                                     \
		"movq %rsp, " #where "+48(%rip)\njmp " #to "\n.size " #name ", .-" #name "\n.popsection\n")

#endif
