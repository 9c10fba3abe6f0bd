/*
 * Faults that the program handles itself, and long jumps out of handlers.
 *
 * The kernel puts the frame of a fault on the engine's own signal stack, which all threads share. The frame is
 * moved to the stack of the thread, so that the handler may block, and a system call returns from there.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/model/signal/signals.h"
#include "engine/under/poison.h"

#define KERNEL_CONTEXT 304 /* the size of the kernel's ucontext_t */
/* the magic number in the words for software: the area has more than the first 512 bytes */
#define EXTENDED 0x46505853u

struct frame {
	void (*restorer)(void);
	char context[KERNEL_CONTEXT];
};

void sl_signal_return(void) __attribute__((visibility("hidden")));
__asm__(".text\n.hidden sl_signal_return\n.globl sl_signal_return\n.type sl_signal_return, @function\n"
	"nop\nsl_signal_return: movq $15, %rax\njmp *sl_gate(%rip)\n.size sl_signal_return, .-sl_signal_return\n");

static void
fault(int n, siginfo_t *info, ucontext_t *context)
{
	struct sl_thread *t = E.current;
	struct sl_op op = t->op;

	sl_signal_handle(n, info, context, (uint64_t)context->uc_mcontext.gregs[REG_RIP] + 1);
	op.index = t->op.index + 1;
	t->op = op;
}

bool
sl_signals_catch(int n, siginfo_t *info, void *at)
{
	struct sl_thread *t = E.current;
	ucontext_t *uc = at;
	const uint32_t *state = (const uint32_t *)uc->uc_mcontext.fpregs;
	size_t state_size = !state ? 0 : state[116] == EXTENDED ? state[117] : 512;
	uintptr_t sp = (uintptr_t)uc->uc_mcontext.gregs[REG_RSP];
	struct frame *frame;
	siginfo_t *info_copy;
	void *state_copy;

	if (!sl_signal_is_handled(n))
		return false;
	if (sl_signal_stack(n, &sp))
		;
	else if ((uintptr_t)info->si_addr - (t->stack.low - SL_PAGE) < SL_PAGE)
		return false; /* no room for a handler */
	else
		sp -= 128;
	sp = (sp - state_size) & ~63ul;
	state_copy = (void *)sp;
	sp -= sizeof(siginfo_t);
	info_copy = (void *)sp;
	sp = ((sp - sizeof(struct frame)) & ~15ul) - 8;
	frame = (void *)sp;
	sl_memcpy(state_copy, state, state_size);
	*info_copy = *info;
	frame->restorer = sl_signal_return;
	sl_memcpy(frame->context, uc, KERNEL_CONTEXT);
	((ucontext_t *)frame->context)->uc_mcontext.fpregs = state_copy;
	uc->uc_mcontext.gregs[REG_RSP] = (long)frame;
	uc->uc_mcontext.gregs[REG_RIP] = (long)fault;
	uc->uc_mcontext.gregs[REG_RDI] = n;
	uc->uc_mcontext.gregs[REG_RSI] = (long)info_copy;
	uc->uc_mcontext.gregs[REG_RDX] = (long)frame->context;
	uc->uc_mcontext.gregs[REG_EFL] &= ~0x500l; /* direction, trap */
	return true;
}

/* ---- long jumps that restore the mask, of whose sixteen words the kernel uses one ---- */

#define JUMP_MAGIC 0x736c65617665736dul

void sl_sigsetjmp_note(struct __jmp_buf_tag *buffer) __attribute__((visibility("hidden")));
void
sl_sigsetjmp_note(struct __jmp_buf_tag *buffer)
{
	buffer->__saved_mask.__val[14] = E.current->signal.mask;
	buffer->__saved_mask.__val[15] = JUMP_MAGIC;
}

void *sl_slot_sigsetjmp __attribute__((visibility("hidden")));
__asm__(".pushsection .text\n.globl __sigsetjmp\n.type __sigsetjmp, @function\n__sigsetjmp:\n"
	"cmpb $0, sl_engine+1(%rip)\nje 3f\n"
	"pushq %rdi\npushq %rsi\nsubq $8, %rsp\ncall sl_lane_setjmp\naddq $8, %rsp\npopq %rsi\npopq %rdi\n"
	"3: cmpb $0, sl_engine(%rip)\nje 1f\ntestl %esi, %esi\nje 1f\n"
	"pushq %rdi\npushq %rsi\nsubq $8, %rsp\ncall sl_sigsetjmp_note\naddq $8, %rsp\npopq %rsi\npopq %rdi\n"
	"1: cmpq $0, sl_slot_sigsetjmp(%rip)\njne 2f\n"
	"pushq %rdi\npushq %rsi\nsubq $8, %rsp\ncall sl_sigsetjmp_boot\naddq $8, %rsp\npopq %rsi\npopq %rdi\n"
	"2: jmp *sl_slot_sigsetjmp(%rip)\n.size __sigsetjmp, .-__sigsetjmp\n.popsection\n");

void sl_sigsetjmp_boot(void) __attribute__((visibility("hidden")));
void
sl_sigsetjmp_boot(void)
{
	sl_slot_sigsetjmp = sl_resolve("__sigsetjmp");
}

void
sl_signals_jump(const struct __jmp_buf_tag *buffer)
{
	struct sl_thread *t = E.current;

	if (!buffer->__mask_was_saved || buffer->__saved_mask.__val[15] != JUMP_MAGIC)
		return;
	t->signal.handling = 0;
	sl_signal_mask(buffer->__saved_mask.__val[14]);
	sl_signals_now(); /* handles signals that this unblocks before the jump, as in the kernel */
}
