/*
 * Recording on real threads: signal handlers. Sending a signal happens before its handler.
 *
 * The kernel gets the address of a stub instead of the program's handler: one stub for each handler, which never
 * changes, so that a thread which is interrupted while another one installs a new handler still runs the right
 * one. The stub takes a ticket and jumps to the handler, so that the engine has no frame on the stack. Queries of
 * the program return its own handlers.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/entry/record.h"
#include "engine/under/poison.h"

#define T sl_unrecorded
#define HANDLERS 64 /* different handlers; further ones are not recorded */
#define APART 16    /* size of a stub in bytes, as below */

typedef void handler(int, siginfo_t *, void *); /* with one argument or three: the others stay in registers */

static handler *handlers[HANDLERS];

extern const char sl_lane_handlers[HANDLERS][APART] __attribute__((visibility("hidden")));
void sl_lane_handle(int signal, siginfo_t *info, void *context, unsigned which)
	__attribute__((visibility("hidden")));

/* The kernel passes three arguments; the stubs add a fourth one. */
__asm__(".pushsection .text\n.balign 16\n.hidden sl_lane_handlers\n.globl sl_lane_handlers\nsl_lane_handlers:\n"
	".set sl_lane_which, 0\n"
	".rept 64\n.balign 16\n"
	"movl $sl_lane_which, %ecx\njmp sl_lane_handle\n"
	".set sl_lane_which, sl_lane_which + 1\n"
	".endr\n.balign 16\n.popsection\n");

void
sl_lane_handle(int signal, siginfo_t *info, void *context, unsigned which)
{
	if (sl_lane_self.lane) /* otherwise the first item that it writes begins with one */
		sl_lane_mark();
	handlers[which](signal, info, context);
}

static bool
is_ours(const void *address)
{
	return (uintptr_t)address - (uintptr_t)sl_lane_handlers < sizeof(sl_lane_handlers);
}

/* Returns the stub for the program's handler. */
static void *
ours(void *address)
{
	if (!E.recording || address == SIG_DFL || address == SIG_IGN || address == SIG_HOLD ||
	    address == SIG_ERR || is_ours(address))
		return address;
	for (unsigned i = 0; i < HANDLERS; i++) {
		handler *known = NULL;

		if (__atomic_compare_exchange_n(&handlers[i], &known, (handler *)address, false, __ATOMIC_SEQ_CST,
						__ATOMIC_SEQ_CST) ||
		    known == (handler *)address)
			return (void *)sl_lane_handlers[i];
	}
	return address;
}

static void *
theirs(void *address)
{
	return is_ours(address) ? (void *)handlers[((uintptr_t)address - (uintptr_t)sl_lane_handlers) / APART]
				: address;
}

static int
action(int n, const struct sigaction *new, struct sigaction *old)
{
	struct sigaction copy;
	int answer;

	if (new) {
		copy = *new;
		copy.sa_handler = (sighandler_t)ours((void *)new->sa_handler);
	}
	answer = T.sigaction(n, new ? &copy : NULL, old);
	if (!answer && old)
		old->sa_handler = (sighandler_t)theirs((void *)old->sa_handler);
	return answer;
}

#define HANDLED(name)                                                                                             \
	static sighandler_t handled_##name(int n, sighandler_t function)                                          \
	{                                                                                                         \
		return (sighandler_t)theirs((void *)T.name(n, (sighandler_t)ours((void *)function)));             \
	}

HANDLED(signal)
HANDLED(__sysv_signal)
HANDLED(sigset)

/* Also works in a child, which is not recorded but inherits the stubs. */
void
sl_lane_signals_install(struct sl_real *table)
{
	table->sigaction = action;
	table->signal = handled_signal;
	table->__sysv_signal = handled___sysv_signal;
	table->sigset = handled_sigset;
}
