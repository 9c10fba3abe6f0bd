/*
 * Entries that save the program's registers. Whether a loop makes progress depends on the whole state of its
 * thread, and a counter may be in a register that the C code of the engine saves and reuses. A stub of a few
 * instructions saves the callee-saved registers and the stack pointer, and jumps to the C function, which finds
 * the program's return address in the usual place. Outside of control (the first byte of sl_engine) nothing is
 * saved: real threads would compete for the memory. The second byte says whether they are recorded.
 */
#ifndef SL_ENGINE_INTERPOSE_ENTRY_H
#define SL_ENGINE_INTERPOSE_ENTRY_H

#include "base/op.h"

#include <stdint.h>

struct sl_entry {
	uint64_t rbx, rbp, r12, r13, r14, r15, rsp;
};

extern struct sl_entry sl_entry __attribute__((visibility("hidden")));

/* Defines the exported symbol `name`, which jumps to the hidden function sl_in_<name>. */
#define SL_STUB_AFTER(name, first, idle)                                                                          \
	__asm__(".pushsection .text\n.balign 32\n.globl " #name "\n.type " #name ", @function\n" #name            \
		":\n" first "cmpb $0, sl_engine(%rip)\njne 1f\n" idle "\n1:\n"                                    \
		"movq %rbx, sl_entry(%rip)\n"                                                                     \
		"movq %rbp, sl_entry+8(%rip)\n"                                                                   \
		"movq %r12, sl_entry+16(%rip)\n"                                                                  \
		"movq %r13, sl_entry+24(%rip)\n"                                                                  \
		"movq %r14, sl_entry+32(%rip)\n"                                                                  \
		"movq %r15, sl_entry+40(%rip)\n"                                                                  \
		"movq %rsp, sl_entry+48(%rip)\n"                                                                  \
		"jmp sl_in_" #name "\n.size " #name ", .-" #name "\n.popsection\n")
#define SL_STUB(name, idle) SL_STUB_AFTER(name, "", idle)
#define SL_ENTRY(name) SL_STUB(name, "jmp sl_in_" #name)
/*
 * A recorded access (record.h) that is the next item of the thread's current loop ends here: only the loop's state
 * advances, as in record_append.c. The code is repeated here because most accesses of a slow recording end here,
 * and each jump counts. `word` is kind and size as in sl_reel_word().
 */
#define SL_IN_LOOP(name, word)                                                                                    \
	".pushsection .data.rel.ro,\"aw\"\n.balign 32\n" #name "_sequence:\n"                                     \
	".long 0, 0\n.quad 10f, 20f - 10f, 30f\n.popsection\n"                                                    \
	"movq sl_lane_self@gottpoff(%rip), %r9\n"                                                                 \
	"cmpq $0, %fs:24(%r9)\n"                                                                                  \
	"je 40f\n"                                                                                                \
	"movq (%rsp), %rdx\nshlq $16, %rdx\norq $" word ", %rdx\n"                                                \
	"5: leaq " #name "_sequence(%rip), %rax\n"                                                                \
	"movq sl_lane_rseq(%rip), %r10\n"                                                                         \
	"movq %rax, %fs:8(%r10)\n"                                                                                \
	"10: movq %fs:24(%r9), %r10\n"                                                                            \
	"testq %r10, %r10\n"                                                                                      \
	"je 40f\n"                                                                                                \
	"movq 8(%r10), %rax\n"                                                                                    \
	"movzwl %ax, %r11d\n"                                                                                     \
	"movq %rax, %r8\n"                                                                                        \
	"shrq $16, %r8\n"                                                                                         \
	"imulq 16(%r10,%r11), %r8\n"                                                                              \
	"addq 8(%r10,%r11), %r8\n"                                                                                \
	"cmpq (%r10,%r11), %rdx\n"                                                                                \
	"jne 40f\n"                                                                                               \
	"cmpq %r8, %rdi\n"                                                                                        \
	"jne 40f\n"                                                                                               \
	"cmpb $0, 26(%r10,%r11)\n"                                                                                \
	"je 12f\n"                                                                                                \
	"andq $~0xffff, %rax\n"                                                                                   \
	"addq $(1 << 16) - 16, %rax\n"                                                                            \
	"js 40f\n"                                                                                                \
	"12: addq $32, %rax\n"                                                                                    \
	"movq %rax, 8(%r10)\n"                                                                                    \
	"20: ret\n"                                                                                               \
	".byte 0x0f, 0xb9, 0x3d\n.long 0x53053053\n30: jmp 5b\n"                                                  \
	"40:\n"

/* The same for a read or a write of `size` bytes, which does nothing outside of control unless it is recorded. */
#define SL_ENTRY_READ(name, size, flags)                                                                          \
	SL_STUB_AFTER(name, SL_IN_LOOP(name, "2 + " #size " * 256"),                                              \
		      "cmpb $0, sl_rt_coded(%rip)\njne sl_in_" #name "\n"                                         \
		      "cmpb $0, sl_engine+1(%rip)\njne 2f\nret\n"                                                 \
		      "2: movl $2 + " #size " * 256, %edx\nmovl $1 + " #flags ", %esi\nmovq (%rsp), %rcx\n"       \
		      "jmp sl_lane_plain\n")
#define SL_ENTRY_WRITE(name, size, flags)                                                                         \
	__asm__(".pushsection .text\n.balign 32\n.globl " #name "\n.type " #name ", @function\n" #name            \
		":\n" SL_IN_LOOP(name, "3 + " #size " * 256") "cmpb $0, sl_engine(%rip)\njne sl_in_" #name "\n"   \
							      "cmpb $0, sl_rt_coded(%rip)\njne sl_in_" #name "\n" \
							      "cmpb $0, sl_engine+1(%rip)\njne 2f\nret\n"         \
							      "2: movl $3 + " #size                               \
							      " * 256, %edx\nmovl $2 + " #flags                   \
							      ", %esi\nmovq (%rsp), %rcx\n"                       \
							      "jmp sl_lane_plain\n.size " #name ", .-" #name      \
							      "\n.popsection\n")
_Static_assert(SL_READ == 2 && SL_WRITE == 3 && SL_OP_READS == 1 && SL_OP_WRITES == 2,
	       "the entries above know them");

/* Saves the registers in `where`, and jumps to a function of the engine. */
#define SL_NOTING(name, where, to)                                                                                \
	__asm__(".pushsection .text\n.hidden " #name "\n.globl " #name "\n.type " #name ", @function\n" #name     \
		":\n"                                                                                             \
		"movq %rbx, " #where "(%rip)\nmovq %rbp, " #where "+8(%rip)\nmovq %r12, " #where "+16(%rip)\n"    \
		"movq %r13, " #where "+24(%rip)\nmovq %r14, " #where "+32(%rip)\nmovq %r15, " #where              \
		"+40(%rip)\n"                                                                                     \
		"movq %rsp, " #where "+48(%rip)\njmp " #to "\n.size " #name ", .-" #name "\n.popsection\n")

#endif
