/*
 * Recording on real threads: writing words to a lane.
 *
 * Each function below is a restartable sequence (rseq(2)): a word in the thread's own memory tells the kernel its
 * beginning, its end, and where to continue if a signal is delivered in between: at the beginning. So a handler
 * that writes to the same lane finds it unchanged, and one that does not return (a long jump) leaves nothing
 * incomplete. The last instruction stores the head.
 */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/entry/record.h"
#include "engine/under/poison.h"

_Static_assert(offsetof(struct sl_lane_self, lane) == 0 && offsetof(struct sl_lane_self, end) == 8 &&
		       offsetof(struct sl_lane_self, turn) == 16 && offsetof(struct sl_lane_self, loop) == 24 &&
		       offsetof(struct sl_lane, head) == 0 && offsetof(struct sl_reel_slot, object) == 8 &&
		       offsetof(struct sl_reel_slot, step) == 16 && offsetof(struct sl_reel_slot, last) == 26 &&
		       sizeof(struct sl_reel_slot) == 32 && sizeof(struct sl_reel_loop) == 16,
	       "the assembly below knows them");

/* r9: the offset of sl_lane_self. */
#define BEGIN(name)                                                                                               \
	".pushsection .data.rel.ro,\"aw\"\n.balign 32\n" #name "_sequence:\n"                                     \
	".long 0, 0\n.quad 10f, 20f - 10f, 30f\n.popsection\n"                                                    \
	"movq sl_lane_self@gottpoff(%rip), %r9\n"                                                                 \
	"5: leaq " #name "_sequence(%rip), %rax\n"                                                                \
	"movq sl_lane_rseq(%rip), %r10\n"                                                                         \
	"movq %rax, %fs:8(%r10)\n"                                                                                \
	"10:\n"
/* Leaves the lane in r10, the head in rax, the turn of the ring in r11. */
#define FIND_ROOM                                                                                                 \
	"movq %fs:(%r9), %r10\n"                                                                                  \
	"testq %r10, %r10\n"                                                                                      \
	"je 40f\n"                                                                                                \
	"movq (%r10), %rax\n"                                                                                     \
	"cmpq %fs:8(%r9), %rax\n"                                                                                 \
	"jae 40f\n"                                                                                               \
	"movq %fs:16(%r9), %r11\n"
/* The place to continue is preceded by the signature that libc has registered. */
#define ABORT ".byte 0x0f, 0xb9, 0x3d\n.long 0x53053053\n30: jmp 5b\n"
#define FUNCTION_AT(name) ".hidden " #name "\n.globl " #name "\n.type " #name ", @function\n" #name ":\n"
#define FUNCTION(name) ".balign 32\n" FUNCTION_AT(name)
#define END(name) ".size " #name ", .-" #name "\n"

/* The current loop ends with it. */
#define TRY(words, stores)                                                                                        \
	__asm__(".pushsection .text\n" FUNCTION(sl_lane_try##words) BEGIN(sl_lane_try##words) FIND_ROOM stores    \
		"movq $0, %fs:24(%r9)\n"                                                                          \
		"addq $" #words ", %rax\n"                                                                        \
		"movq %rax, (%r10)\n"                                                                             \
		"20: movl $1, %eax\nret\n"                                                                        \
		"40: xorl %eax, %eax\nret\n" ABORT END(sl_lane_try##words) ".popsection\n")

TRY(1, "movq %rdi, (%r11,%rax,8)\n");
TRY(2, "movq %rdi, (%r11,%rax,8)\nmovq %rsi, 8(%r11,%rax,8)\n");
TRY(3, "movq %rdi, (%r11,%rax,8)\nmovq %rsi, 8(%r11,%rax,8)\nmovq %rdx, 16(%r11,%rax,8)\n");
TRY(4, "movq %rdi, (%r11,%rax,8)\nmovq %rsi, 8(%r11,%rax,8)\nmovq %rdx, 16(%r11,%rax,8)\n"
       "movq %rcx, 24(%r11,%rax,8)\n");

void sl_lane_put1_slow(uint64_t word);
void sl_lane_put2_slow(uint64_t object, uint64_t flags, uint64_t word);
void sl_lane_put2_noisy(uint64_t object, uint64_t flags, uint64_t word);

/*
 * The path of most items: if this is the next item of the current loop, the loop's state advances; else the words
 * are written. Both end in the same store, of rax to the address in r10. Advancing the state is only an addition,
 * which determines the delay of the next item.
 */
#define PUT(name, words, word, compare, stores)                                                                   \
	BEGIN(name)                                                                                               \
	"movq %fs:24(%r9), %r10\n"                                                                                \
	"testq %r10, %r10\n"                                                                                      \
	"jne 11f\n" stores "addq $" #words ", %rax\n"                                                             \
	"jmp 12f\n"                                                                                               \
	"11: movq 8(%r10), %rax\n"                                                                                \
	"movzwl %ax, %r11d\n"                                                                                     \
	"addq %r10, %r11\n"                                                                                       \
	"addq $8, %r10\n"                                                                                         \
	"cmpq (%r11), " word "\n"                                                                                 \
	"jne 40f\n" compare "cmpb $0, 26(%r11)\n"                                                                 \
	"jne 13f\n"                                                                                               \
	"addq $32, %rax\n"                                                                                        \
	"jmp 12f\n"                                                                                               \
	"13: andq $~0xffff, %rax\n"                                                                               \
	"addq $(1 << 16) + 16, %rax\n"                                                                            \
	"js 40f\n" /* the count is at its maximum */                                                              \
	"12: movq %rax, (%r10)\n"                                                                                 \
	"20: ret\n"                                                                                               \
	"40: jmp " #name "_slow\n" ABORT

__asm__(".pushsection .text\n" FUNCTION(sl_lane_put1)
		PUT(sl_lane_put1, 1, "%rdi", "", FIND_ROOM "movq %rdi, (%r11,%rax,8)\n")
			END(sl_lane_put1) ".popsection\n");

/* An access builds its word, and continues like other items. */
__asm__(".pushsection .text\n" FUNCTION(sl_lane_plain) "shlq $16, %rcx\norq %rcx, %rdx\n" END(sl_lane_plain)
		FUNCTION_AT(sl_lane_put2) PUT(sl_lane_put2, 2, "%rdx",
					      "movq %rax, %r8\n"
					      "shrq $16, %r8\n"
					      "imulq 16(%r11), %r8\n"
					      "addq 8(%r11), %r8\n"
					      "cmpq %r8, %rdi\n"
					      "jne 40f\n",
					      "cmpb $0, sl_lane_noisy(%rip)\n"
					      "jne sl_lane_put2_noisy\n" FIND_ROOM "movq %rdi, %r8\n"
					      "shlq $16, %r8\norq %rsi, %r8\n"
					      "movq %rdx, (%r11,%rax,8)\nmovq %r8, 8(%r11,%rax,8)\n")
			END(sl_lane_put2) ".popsection\n");

/*
 * Writes the words of a loop, which begins now. Fails if the head has moved: a handler has run in between. A
 * handler may also run after the head was moved here: then the loop has no rounds.
 */
__asm__(".pushsection .text\n" FUNCTION(sl_lane_enter)
		BEGIN(sl_lane_enter) "movq %fs:(%r9), %r10\n"
				     "testq %r10, %r10\n"
				     "je 40f\n"
				     "cmpq (%r10), %rdi\n"
				     "jne 40f\n"
				     "movq %fs:16(%r9), %r11\n"
				     "leaq (%r11,%rdi,8), %r8\n"
				     "xorl %ecx, %ecx\n"
				     "15: movq (%rsi,%rcx,8), %rax\n"
				     "movq %rax, (%r8,%rcx,8)\n"
				     "incq %rcx\n"
				     "cmpq %rcx, %rdx\n"
				     "jne 15b\n"
				     "leaq (%rdi,%rdx), %rax\n"
				     "movq %rax, (%r10)\n"
				     "movq %r8, %fs:24(%r9)\n"
				     "20: movl $1, %eax\nret\n"
				     "40: xorl %eax, %eax\nret\n" ABORT END(sl_lane_enter) ".popsection\n");

/* If this is the current loop, and it is in state `from`, moves it to state `to`. */
__asm__(".pushsection .text\n" FUNCTION(sl_lane_step)
		BEGIN(sl_lane_step) "cmpq %rdi, %fs:24(%r9)\n"
				    "jne 40f\n"
				    "cmpq %rsi, 8(%rdi)\n"
				    "jne 40f\n"
				    "movq %rdx, 8(%rdi)\n"
				    "20: movl $1, %eax\nret\n"
				    "40: xorl %eax, %eax\nret\n" ABORT END(sl_lane_step) ".popsection\n");

void
sl_lane_put1_slow(uint64_t word)
{
	if (sl_lane_more())
		sl_lane_put1(word);
}

void
sl_lane_put2_slow(uint64_t object, uint64_t flags, uint64_t word)
{
	if (sl_lane_more())
		sl_lane_put2(object, flags, word);
}

void
sl_lane_put2_noisy(uint64_t object, uint64_t flags, uint64_t word)
{
	if ((uint8_t)word != SL_ITEM_CALL)
		sl_lane_noise_access(object);
	while (!sl_lane_try2(word, sl_reel_object_word((uint16_t)flags, object)))
		if (!sl_lane_more())
			return;
}
