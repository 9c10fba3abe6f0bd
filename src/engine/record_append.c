/*
 * Recording on real threads: how words get into a lane.
 *
 * Each function below is a restartable sequence (rseq(2)): the kernel is told, by a word in the thread's own memory, where
 * it begins, where it is done and where to go instead of on if a signal is delivered before that: to its beginning. So a
 * handler that writes to the same lane finds it as if nothing had begun; one that never comes back (a long jump) leaves
 * nothing half done. The last instruction is the store of the head.
 */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/record.h"
#include "engine/poison.h"

_Static_assert(offsetof(struct sl_lane_self, lane) == 0 && offsetof(struct sl_lane_self, end) == 8 &&
		       offsetof(struct sl_lane_self, turn) == 16 && offsetof(struct sl_lane, head) == 0,
	       "the assembly below knows them");

/* r9: where sl_lane_self is. Leaves the lane in r10, the head in rax, the turn of the ring in r11. */
#define BEGIN(name)                                                                                               \
	".pushsection .data.rel.ro,\"aw\"\n.balign 32\n" #name "_sequence:\n"                                     \
	".long 0, 0\n.quad 10f, 20f - 10f, 30f\n.popsection\n"                                                    \
	"movq sl_lane_self@gottpoff(%rip), %r9\n"                                                                 \
	"5: leaq " #name "_sequence(%rip), %rax\n"                                                                \
	"movq sl_lane_rseq(%rip), %r10\n"                                                                         \
	"movq %rax, %fs:8(%r10)\n"                                                                                \
	"10: movq %fs:(%r9), %r10\n"                                                                              \
	"testq %r10, %r10\n"                                                                                      \
	"je 40f\n"                                                                                                \
	"movq (%r10), %rax\n"                                                                                     \
	"cmpq %fs:8(%r9), %rax\n"                                                                                 \
	"jae 40f\n"                                                                                               \
	"movq %fs:16(%r9), %r11\n"
#define COMMIT(words) "addq $" #words ", %rax\nmovq %rax, (%r10)\n20:\n"
/* What stands before the place to go to is what libc has registered. */
#define ABORT ".byte 0x0f, 0xb9, 0x3d\n.long 0x53053053\n30: jmp 5b\n"
#define FUNCTION(name)                                                                                            \
	".pushsection .text\n.hidden " #name "\n.globl " #name "\n.type " #name ", @function\n.balign 32\n" #name \
	":\n"
#define TRY(words, stores)                                                                                        \
	__asm__(FUNCTION(sl_lane_try##words) BEGIN(sl_lane_try##words)                                            \
			stores COMMIT(words) "movl $1, %eax\nret\n40: xorl %eax, %eax\nret\n" ABORT               \
					     ".size sl_lane_try" #words ", .-sl_lane_try" #words                  \
					     "\n.popsection\n")

TRY(1, "movq %rdi, (%r11,%rax,8)\n");
TRY(2, "movq %rdi, (%r11,%rax,8)\nmovq %rsi, 8(%r11,%rax,8)\n");
TRY(3, "movq %rdi, (%r11,%rax,8)\nmovq %rsi, 8(%r11,%rax,8)\nmovq %rdx, 16(%r11,%rax,8)\n");
TRY(4, "movq %rdi, (%r11,%rax,8)\nmovq %rsi, 8(%r11,%rax,8)\nmovq %rdx, 16(%r11,%rax,8)\n"
       "movq %rcx, 24(%r11,%rax,8)\n");

void sl_lane_plain_slow(uint64_t first, uint64_t second);
void sl_lane_plain_noisy(uint64_t address, uint64_t word, uint64_t flags, uint64_t pc);

/* The way of all accesses: as the others, with the words made from rdi, rsi, rdx, rcx. */
__asm__(FUNCTION(
	sl_lane_plain) "cmpb $0, sl_lane_noisy(%rip)\n"
		       "jne sl_lane_plain_noisy\n"
		       ".hidden sl_lane_plain_made\n.globl sl_lane_plain_made\nsl_lane_plain_made:\n"
		       "shlq $16, %rcx\norq %rcx, %rsi\n"
		       "shlq $16, %rdi\norq %rdx, %rdi\n" BEGIN(sl_lane_plain) "movq %rsi, (%r11,%rax,8)\nmovq %rdi, 8(%r11,%rax,8)\n" COMMIT(
			       2) "ret\n40: xchgq %rdi, %rsi\njmp sl_lane_plain_slow\n" ABORT
				  ".size sl_lane_plain, .-sl_lane_plain\n.popsection\n");

void
sl_lane_plain_slow(uint64_t first, uint64_t second)
{
	do
		if (!sl_lane_more())
			return;
	while (!sl_lane_try2(first, second));
}

void sl_lane_plain_made(uint64_t address, uint64_t word, uint64_t flags, uint64_t pc);

void
sl_lane_plain_noisy(uint64_t address, uint64_t word, uint64_t flags, uint64_t pc)
{
	sl_lane_noise_access(address);
	sl_lane_plain_made(address, word, flags, pc);
}
