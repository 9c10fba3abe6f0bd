/*
 * System calls that the program makes with an instruction of its own, not through libc: in inline assembly, or in
 * a library that implements its own futexes. The kernel can intercept them (syscall user dispatch, since Linux
 * 5.11): under control such a call from outside of libc raises SIGSYS, and the engine handles it like syscall().
 *
 * The kernel reads a selector byte in the process, which is sl_engine.control itself, so that nothing is switched
 * on or off while executions run. One range of addresses is exempt: libc's code. The engine's own calls use an
 * instruction there, too. Calls of the dynamic linker are passed through here.
 */
#include <errno.h>
#include <link.h>
#include <linux/audit.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/interpose/entry.h"
#include "engine/interpose/kernel.h"
#include "engine/under/poison.h"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif
#define DISPATCH_ON 1
#define DISPATCH_OFF 0
#define CODE_DISPATCH 2 /* si_code of such a SIGSYS */

_Static_assert(offsetof(struct sl_engine, control) == 0 && offsetof(struct sl_engine, recording) == 1 &&
		       sizeof(bool) == 1,
	       "the kernel looks at the first byte, and entry.h at both");

extern const char sl_gate_here[] __attribute__((visibility("hidden")));
__asm__(".text\n.hidden sl_gate_here\n.globl sl_gate_here\n.type sl_gate_here, @function\n"
	"sl_gate_here: syscall\nret\n.size sl_gate_here, .-sl_gate_here\n");
const void *sl_gate = sl_gate_here;

struct text {
	uintptr_t low, high;
};
static struct text libc_text, linker_text;

static void
find_text(struct text *text, const struct dl_phdr_info *info, uintptr_t inside)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t low = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && (p->p_flags & PF_X) && (!inside || inside - low < p->p_memsz)) {
			text->low = low;
			text->high = low + p->p_memsz;
		}
	}
}

static int
find_texts(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	find_text(&libc_text, info, (uintptr_t)sl_real.getppid);
	if (info->dlpi_addr == _r_debug.r_ldbase)
		find_text(&linker_text, info, 0);
	return 0;
}

/* `syscall; ret` in libc: some of its functions end in it, and one that does nothing else is the first to look at. */
static const void *
find_gate(void)
{
	const unsigned char *first = (const void *)sl_real.getppid, *low = (const void *)libc_text.low,
			    *end = (const void *)libc_text.high;

	for (const unsigned char *p = first; p + 3 <= end; p++)
		if (p[0] == 0x0f && p[1] == 0x05 && p[2] == 0xc3)
			return p;
	for (const unsigned char *p = low; p < first; p++)
		if (p[0] == 0x0f && p[1] == 0x05 && p[2] == 0xc3)
			return p;
	return NULL;
}

/* Turns dispatch on for the calling kernel thread. Returns false if the kernel does not support it. */
bool
sl_dispatch_on(void)
{
	static bool looked;

	if (!looked) {
		const void *gate;

		looked = true;
		dl_iterate_phdr(find_texts, NULL);
		gate = libc_text.low ? find_gate() : NULL;
		if (gate)
			sl_gate = gate;
	}
	return sl_gate != sl_gate_here &&
	       sl_raw(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, DISPATCH_ON, libc_text.low,
		      libc_text.high - libc_text.low, &sl_engine.control) == 0;
}

void
sl_dispatch_off(void)
{
	sl_raw(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, DISPATCH_OFF, 0, 0, 0);
}

/* Runs on the stack of the thread that made the call, so that other threads may run before it returns. */
bool
sl_dispatched(const siginfo_t *info, void *context)
{
	long long *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	long a[6] = {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]}, number = r[REG_RAX];
	uint64_t pc = (uint64_t)r[REG_RIP];
	int saved = errno;

	if (info->si_code != CODE_DISPATCH)
		return false;
	if (info->si_arch != AUDIT_ARCH_X86_64) /* the numbers have another meaning */
		sl_trouble(SL_TROUBLE_UNSUPPORTED, pc, "a system call of 32-bit programs (int $0x80)");
	if (pc - linker_text.low < linker_text.high - linker_text.low) {
		r[REG_RAX] = sl_raw6(number, a[0], a[1], a[2], a[3], a[4], a[5]);
		return true;
	}
	sl_entry = (struct sl_entry){
		.rbx = (uint64_t)r[REG_RBX],
		.rbp = (uint64_t)r[REG_RBP],
		.r12 = (uint64_t)r[REG_R12],
		.r13 = (uint64_t)r[REG_R13],
		.r14 = (uint64_t)r[REG_R14],
		.r15 = (uint64_t)r[REG_R15],
		.rsp = (uint64_t)r[REG_RSP],
	};
	r[REG_RAX] = sl_syscall(number, a, pc);
	errno = saved;
	return true;
}
