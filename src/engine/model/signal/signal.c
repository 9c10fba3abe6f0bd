/*
 * Signals, without the kernel: the engine stores the program's actions, and the masks and pending signals of each
 * thread, and calls handlers on the thread's own stack.
 *
 * Sending is an operation. The target handles it when it is scheduled next, before its announced operation: it may
 * be anywhere before that, and sending comes before or after each of its operations. Two kinds of signals come
 * from the kernel: faults (exit.c), for which the program's handler is called on the thread's stack, and signals
 * of other processes, which can't be replayed: they end the run.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/enabled.h"
#include "engine/core/engine.h"
#include "engine/upcall/spin.h"
#include "engine/entry/interpose.h"
#include "engine/model/io/channel.h"
#include "engine/model/process/settings.h"
#include "engine/model/signal/signals.h"
#include "engine/under/poison.h"

struct sl_signal {
	siginfo_t info;
	struct sl_signal *next;
};

static struct sigaction actions[SIGNALS + 1];
static bool actions_changed; /* in this execution; otherwise 10 kB need not be copied */
/* the actions when the exploration began, restored for each execution */
static struct sigaction initial[SIGNALS + 1];
static uint64_t initial_mask;
static bool listening;           /* children may send signals: the engine handles more of the kernel's signals */
static uint64_t process_pending; /* signals that were sent to the process while every thread blocked them */
static struct sl_signal *process_signals;
static bool process_marked; /* a thread sends signals to the process */

/* ---- effects of signals ---- */

enum effect { IGNORED, HANDLED, ENDS, STOPS };

static enum effect
effect_of(int n)
{
	if (actions[n].sa_handler == SIG_IGN)
		return IGNORED;
	if (actions[n].sa_handler != SIG_DFL)
		return HANDLED;
	switch (n) {
	case SIGCHLD:
	case SIGCONT:
	case SIGURG:
	case SIGWINCH:
		return IGNORED;
	case SIGSTOP:
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
		return STOPS;
	default:
		return ENDS;
	}
}

static uint64_t
process_word(void)
{
	return sl_thread_word(&E.threads[0], SL_WORD_PROCESS);
}

static struct sl_object *
clock_at(uint64_t word)
{
	return sl_object_peek((void *)word, SL_OBJECT_THREAD);
}

void
sl_signals_begin(struct sl_thread *t)
{
	if (t->id == 0) {
		t->signal.mask = initial_mask;
		process_marked = sl_marked(process_word());
	} else {
		t->signal.mask = E.current->signal.mask;
	}
	t->signal.marked = process_marked || sl_marked(sl_thread_word(t, SL_WORD_SIGNAL));
	sl_expose(t);
}

void
sl_signals_reset(void)
{
	if (actions_changed)
		sl_memcpy(actions, initial, sizeof(actions));
	actions_changed = false;
	process_pending = 0;
	process_signals = NULL;
	sl_timers_reset();
}

/* ---- pending ---- */

static void
append(struct sl_signal **list, uint64_t *set, const siginfo_t *info)
{
	struct sl_signal *s;

	if (info->si_signo < FIRST_QUEUED && (*set & BIT(info->si_signo)))
		return; /* signals of this kind are not queued */
	*set |= BIT(info->si_signo);
	while (*list)
		list = &(*list)->next;
	s = sl_scratch_alloc(sizeof(*s));
	s->info = *info;
	*list = s;
}

static siginfo_t
extract(struct sl_signal **list, uint64_t *set, int n)
{
	siginfo_t info = {0};
	bool found = false;

	*set &= ~BIT(n);
	while (*list) {
		struct sl_signal *s = *list;

		if (s->info.si_signo != n) {
			list = &s->next;
		} else if (!found) {
			found = true;
			info = s->info;
			*list = s->next;
		} else {
			*set |= BIT(n); /* another signal of this kind is pending */
			break;
		}
	}
	return info;
}

static void
discard(int n)
{
	for (uint32_t i = 0; i < E.thread_count; i++)
		while (E.threads[i].signal.pending & BIT(n))
			extract(&E.threads[i].signal.queue, &E.threads[i].signal.pending, n);
	while (process_pending & BIT(n))
		extract(&process_signals, &process_pending, n);
}

bool
sl_signals_due(const struct sl_thread *t)
{
	return t->signal.pending & ~t->signal.mask & ~t->signal.wanted;
}

static void
refuse_stops(int n)
{
	if (effect_of(n) == STOPS)
		sl_trouble(SL_TROUBLE_UNSUPPORTED, E.current->op.pc, "a signal that stops the process");
}

void
sl_signal_post(struct sl_thread *t, const siginfo_t *info)
{
	int n = info->si_signo;

	if (!((t->signal.mask | t->signal.wanted) & BIT(n)))
		refuse_stops(n);
	if (effect_of(n) == IGNORED && !((t->signal.mask | t->signal.wanted) & BIT(n)))
		return;
	append(&t->signal.queue, &t->signal.pending, info);
	sl_changed(true);
	sl_sigfd_posted(n);
	sl_release_join(clock_at(sl_thread_word(t, SL_WORD_SIGNAL)));
	if ((t->signal.wanted & BIT(n)) && t != E.current)
		sl_update(t);
	else
		sl_urge(t);
}

/*
 * Returns whether a signal to the process has an effect. As in Linux, an ignored signal becomes pending only if
 * the first thread blocks it or waits for it.
 */
bool
sl_signal_matters(int n)
{
	return effect_of(n) != IGNORED || ((E.threads[0].signal.mask | E.threads[0].signal.wanted) & BIT(n));
}

/* Sends a signal to the process: any thread that does not block it may get it, which is a choice. */
void
sl_signal_post_process(const siginfo_t *info)
{
	int n = info->si_signo;
	unsigned count = 0, answer;

	if (!sl_signal_matters(n))
		return;
	for (uint32_t i = 0; i < E.thread_count; i++)
		count += sl_signal_reaches(&E.threads[i], n);
	if (!count) {
		append(&process_signals, &process_pending, info);
		sl_sigfd_posted(n);
		sl_release_join(clock_at(process_word()));
		return;
	}
	answer = sl_ask(SL_CHOOSE_VALUE, count, NULL);
	for (uint32_t i = 0; i < E.thread_count; i++)
		if (sl_signal_reaches(&E.threads[i], n) && answer-- == 0)
			sl_signal_post(&E.threads[i], info);
}

bool
sl_signal_reaches(const struct sl_thread *t, int n)
{
	return t->alive && !t->born.agent && (!(t->signal.mask & BIT(n)) || (t->signal.wanted & BIT(n)));
}

bool
sl_signal_is_deadly(int n)
{
	bool reaches = false;

	if (effect_of(n) != ENDS)
		return false;
	for (uint32_t i = 0; i < E.thread_count; i++) {
		const struct sl_thread *t = &E.threads[i];

		if (!t->alive || t->born.agent)
			continue;
		if (t->signal.wanted & BIT(n))
			return false;
		reaches |= !(t->signal.mask & BIT(n));
	}
	return reaches;
}

bool
sl_signal_is_pending(int n)
{
	for (uint32_t i = 0; i < E.thread_count; i++)
		if (E.threads[i].alive && (E.threads[i].signal.pending & BIT(n)))
			return true;
	return process_pending & BIT(n);
}

/* ---- handlers ---- */

/* Calls function(signal, info, context) on another stack. */
void sl_call_on(void *top, void (*function)(int, siginfo_t *, void *), int n, siginfo_t *info, void *context)
	__attribute__((visibility("hidden")));
__asm__(".text\n.hidden sl_call_on\n.globl sl_call_on\n.type sl_call_on, @function\nsl_call_on:\n"
	".cfi_startproc\npushq %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp, -16\n"
	"movq %rsp, %rbp\n.cfi_def_cfa_register %rbp\n"
	"movq %rdi, %rsp\nmovq %rsi, %rax\nmovl %edx, %edi\nmovq %rcx, %rsi\nmovq %r8, %rdx\ncall *%rax\n"
	"movq %rbp, %rsp\npopq %rbp\n.cfi_def_cfa %rsp, 8\nret\n.cfi_endproc\n.size sl_call_on, .-sl_call_on\n");

static bool
is_on(const struct sl_thread *t, uintptr_t stack)
{
	return stack - t->signal.stack < t->signal.stack_size;
}

static void
call(const struct sigaction *action, int n, siginfo_t *info, void *context)
{
	struct sl_thread *t = E.current;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if ((action->sa_flags & SA_ONSTACK) && t->signal.stack_size && !is_on(t, here))
		sl_call_on((void *)((t->signal.stack + t->signal.stack_size) & ~15ul), action->sa_sigaction, n, info,
			   context);
	else
		action->sa_sigaction(n, info,
				     context); /* a handler with one argument ignores the other registers */
}

static _Noreturn void
end(int n)
{
	sl_found(n == SIGABRT ? SL_FINDING_ABORT : SL_FINDING_CRASH, n, 0, E.current->op.pc,
		 n == SIGABRT ? NULL : "the signal was sent, and has no handler");
}

/* Runs the handler. The mask in its context applies afterwards. */
static void
handle(int n, siginfo_t *info, ucontext_t *context)
{
	struct sl_thread *t = E.current;
	struct sigaction action = actions[n];
	uint64_t old = t->signal.mask, blocked;

	sl_meet_silently(&process_settings.action_on_signal[n], SL_OP_READS, t->op.pc);
	sl_memcpy(&blocked, &action.sa_mask, sizeof(blocked));
	sl_memcpy(&context->uc_sigmask, &old, sizeof(old));
	if (action.sa_flags & SA_RESETHAND) {
		actions[n].sa_handler = SIG_DFL;
		actions_changed = true;
	}
	t->signal.mask |= blocked & MASKABLE;
	if (!(action.sa_flags & SA_NODEFER))
		t->signal.mask |= BIT(n);
	if (sl_signals_due(t)) /* the kernel delivers all pending signals before the first handler runs */
		sl_signals_handle();
	t->signal.handling++;
	call(&action, n, info, context);
	t->signal.handling--;
	sl_memcpy(&t->signal.mask, &context->uc_sigmask, sizeof(t->signal.mask));
}

void
sl_signals_learn(void)
{
	sl_acquire(clock_at(sl_thread_word(E.current, SL_WORD_SIGNAL)));
	sl_acquire(clock_at(process_word()));
}

static void
announce_handling(int n, uint64_t pc)
{
	sl_announce(SL_HANDLE, 0, pc);
	sl_no_point();
	sl_note((uint64_t)n);
	sl_signals_learn();
}

/* Handles a fault, which is delivered at once instead of becoming pending. */
void
sl_signal_handle(int n, siginfo_t *info, ucontext_t *context, uint64_t pc)
{
	announce_handling(n, pc);
	handle(n, info, context);
	if (sl_signals_due(E.current)) /* signals that the handler's return unblocks */
		sl_signals_handle();
}

/* Stores the alternate stack if the signal's handler runs on it; else returns false. */
bool
sl_signal_stack(int n, uintptr_t *stack)
{
	const struct sl_thread *t = E.current;

	if (!(actions[n].sa_flags & SA_ONSTACK) || !t->signal.stack_size || is_on(t, *stack))
		return false;
	*stack = t->signal.stack + t->signal.stack_size;
	return true;
}

bool
sl_signal_is_handled(int n)
{
	return effect_of(n) == HANDLED && !(E.current->signal.mask & BIT(n));
}

/*
 * Moves signals that are pending for the process, and not blocked by the thread, to the thread. A kind that the
 * thread has already stays pending for the process.
 */
static void
take_over(struct sl_thread *t)
{
	for (uint64_t free = process_pending & ~t->signal.mask; unlikely(free); free &= free - 1) {
		int n = __builtin_ctzll(free) + 1;

		if (n < FIRST_QUEUED && (t->signal.pending & BIT(n)))
			continue;
		while (process_pending & BIT(n)) {
			siginfo_t info = extract(&process_signals, &process_pending, n);

			append(&t->signal.queue, &t->signal.pending, &info);
		}
	}
}

bool
sl_signals_handle(void)
{
	struct sl_thread *t = E.current;
	uint64_t pc = t->op.pc;
	bool resume = true;

	while (sl_signals_due(t)) {
		int n = __builtin_ctzll(t->signal.pending & ~t->signal.mask & ~t->signal.wanted) + 1;
		siginfo_t info = extract(&t->signal.queue, &t->signal.pending, n);
		ucontext_t context = {0};

		sl_timer_taken(&info);
		announce_handling(n, pc);
		switch (effect_of(n)) {
		case IGNORED:
			continue;
		case STOPS:
			refuse_stops(n);
			break;
		case ENDS:
			end(n);
		case HANDLED:
			break;
		}
		resume = resume && (actions[n].sa_flags & SA_RESTART);
		context.uc_mcontext.gregs[REG_RIP] = (long)pc;
		handle(n, &info, &context);
		take_over(t);
	}
	return resume;
}

/* The running thread handles its pending signals now: it has sent them to itself, or unblocked them. */
void
sl_signals_now(void)
{
	struct sl_thread *t = E.current;

	sl_urge(t);
	while (t->interruption.urgent && !sl_serve())
		;
}

void
sl_abort(uint64_t pc)
{
	siginfo_t info = {.si_signo = SIGABRT, .si_code = SI_TKILL};

	E.current->op.pc = pc;
	E.current->signal.mask &= ~BIT(SIGABRT);
	if (effect_of(SIGABRT) != HANDLED)
		return;
	sl_signal_post(E.current, &info);
	sl_signals_now();
}

/* ---- masks and actions (sigcalls.c) ---- */

/* The mask of a new thread may admit signals that all other threads block. */
void
sl_signals_start(void)
{
	if (likely(!(process_pending & ~E.current->signal.mask)))
		return;
	sl_signal_mask(E.current->signal.mask);
	sl_signals_now();
}

void
sl_signal_mask(uint64_t mask)
{
	E.current->signal.mask = mask & MASKABLE;
	take_over(E.current);
}

uint64_t
sl_signals_swap(const sigset_t *mask)
{
	struct sl_thread *t = E.current;
	uint64_t before = t->signal.mask;

	if (mask) {
		t->signal.suspended = true;
		sl_signal_mask(mask->__val[0]);
		sl_urge(t);
	}
	return before;
}

void
sl_signals_back(const sigset_t *mask, uint64_t before)
{
	int error = errno;

	if (!mask)
		return;
	E.current->signal.suspended = false;
	sl_signal_mask(before);
	sl_signals_now(); /* handles signals that this unblocks */
	errno = error;
}

const struct sigaction *
sl_signal_action(int n)
{
	return &actions[n];
}

void
sl_signal_set_action(int n, const struct sigaction *action)
{
	actions[n] = *action;
	actions_changed = true;
	if (effect_of(n) == IGNORED)
		discard(n);
}

uint64_t
sl_signal_pending_for(const struct sl_thread *t)
{
	return t->signal.pending | process_pending;
}

uint64_t
sl_signal_pending_all(void)
{
	return sl_signal_pending_for(E.current);
}

/*
 * Takes a signal of the set that is pending for the running thread, or else for the process. Returns its number,
 * or 0.
 */
int
sl_signal_take(uint64_t set, siginfo_t *info)
{
	struct sl_thread *t = E.current;
	uint64_t which = t->signal.pending & set ? t->signal.pending & set : process_pending & set;
	int n = which ? __builtin_ctzll(which) + 1 : 0;

	if (n && (t->signal.pending & BIT(n)))
		*info = extract(&t->signal.queue, &t->signal.pending, n);
	else if (n)
		*info = extract(&process_signals, &process_pending, n);
	if (n) {
		sl_timer_taken(info);
		sl_signals_learn();
		sl_changed(true);
	}
	return n;
}

/* ---- signals from outside ---- */

static const int left_alone[] = {SIGKILL,  SIGSTOP, SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,  SIGABRT, SIGTRAP,
				 SIGSYS,   SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGCHLD, SIGCONT, SIGURG,
				 SIGWINCH, SIGTSTP, SIGTTIN, SIGTTOU, 32,      33};

static bool
is_left_alone(int n)
{
	for (size_t i = 0; i < sizeof(left_alone) / sizeof(left_alone[0]); i++)
		if (left_alone[i] == n)
			return true;
	return false;
}

/* Handles a signal that the program did not send to itself, so that it can't be replayed. */
static void
from_outside(int n, siginfo_t *info, void *context)
{
	char text[96];
	size_t used = 0;

	(void)context;
	if (sl_child_sent(info))
		return;
	if (is_left_alone(n) || initial[n].sa_handler == SIG_IGN) { /* as without the engine's handler */
		SL_CALL(sigaction)(n, &initial[n], NULL);
		sl_raw(SYS_tgkill, sl_raw(SYS_getpid), sl_raw(SYS_gettid), n);
		return;
	}
	if (!E.worker || !E.active)
		return;
	if (n == SIGPIPE && info->si_pid == sl_raw(SYS_getpid)) { /* a write of the running thread */
		siginfo_t copy = *info;

		sl_signal_post(E.current, &copy);
		return;
	}
	sl_text_add(text, sizeof(text), &used, "signal ");
	sl_text_add_number(text, sizeof(text), &used, (unsigned)n);
	sl_text_add(text, sizeof(text), &used, info->si_code <= 0 ? " from process " : " from the kernel");
	if (info->si_code <= 0)
		sl_text_add_number(text, sizeof(text), &used, (unsigned long)info->si_pid);
	sl_trouble_set(E.worker, SL_TROUBLE_SIGNAL, E.worker->last_pc, text);
	E.progress.step_limit = E.progress.look_at = 0; /* the execution ends at its next operation */
}

static bool
is_fault(int n)
{
	return n == SIGSEGV || n == SIGBUS || n == SIGFPE || n == SIGILL || n == SIGABRT || n == SIGTRAP || n == SIGSYS;
}

void
sl_signals_take(void)
{
	struct sigaction action = {.sa_sigaction = from_outside, .sa_flags = SA_SIGINFO | SA_RESTART};

	actions_changed = true; /* the calls below change the actions */
	sl_raw(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &initial_mask, 8);
	for (int n = 1; n <= SIGNALS; n++) {
		initial[n] = (struct sigaction){.sa_handler = SIG_DFL};
		if (n == 32 || n == 33)
			continue;
		SL_CALL(sigaction)(n, NULL, &initial[n]);
		if (!is_left_alone(n) && initial[n].sa_handler != SIG_IGN)
			SL_CALL(sigaction)(n, &action, NULL);
		else if (is_fault(n))
			initial[n] = (struct sigaction){.sa_handler = SIG_DFL}; /* faults are findings: exit.c */
	}
}

/* From now on children may send any signal. (exit.c handles the signals of faults.) */
void
sl_signals_listen(void)
{
	struct sigaction action = {.sa_sigaction = from_outside, .sa_flags = SA_SIGINFO | SA_RESTART};
	uint64_t none = 0;

	if (listening)
		return;
	listening = true;
	for (int n = 1; n <= SIGNALS; n++)
		if ((BIT(n) & MASKABLE) && n != SIGCHLD && !is_fault(n))
			SL_CALL(sigaction)(n, &action, NULL);
	sl_raw(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, 8);
}

/* A process that the running thread starts inherits its mask and the ignored signals. (Except for SIGCHLD: while
 * that is ignored, children can't be waited for.) */
void
sl_signals_hand_down(bool down)
{
	static struct sigaction own[SIGNALS + 1];
	static uint64_t changed;
	uint64_t none = 0; /* the mask that sl_signals_listen() has set */

	sl_raw(SYS_rt_sigprocmask, SIG_SETMASK, down ? &E.current->signal.mask : &none, NULL, 8);
	if (down)
		changed = 0;
	for (int n = 1; n <= SIGNALS && down && actions_changed; n++) {
		bool ignored = actions[n].sa_handler == SIG_IGN;
		struct sigaction action = {.sa_handler = ignored ? SIG_IGN : SIG_DFL};

		if (n == SIGCHLD || !(BIT(n) & MASKABLE) || SL_CALL(sigaction)(n, NULL, &own[n]) ||
		    ignored == (own[n].sa_handler == SIG_IGN))
			continue;
		SL_CALL(sigaction)(n, &action, NULL);
		changed |= BIT(n);
	}
	for (uint64_t left = down ? 0 : changed; left; left &= left - 1)
		SL_CALL(sigaction)(__builtin_ctzll(left) + 1, &own[__builtin_ctzll(left) + 1], NULL);
}

/* Called in a child, which continues without the engine: gives the program's actions and masks to the kernel. That
 * includes faults, which are findings in the program: in the child they end it, or call its handler. */
void
sl_signals_inherit(void)
{
	const struct sl_thread *t = E.current;
	stack_t stack = {.ss_sp = (void *)t->signal.stack, .ss_size = t->signal.stack_size};

	stack.ss_flags = t->signal.stack_size ? 0 : SS_DISABLE;
	SL_CALL(sigaltstack)(&stack, NULL);
	for (int n = 1; n <= SIGNALS; n++)
		if (n != SIGKILL && n != SIGSTOP && n != 32 && n != 33)
			SL_CALL(sigaction)(n, &actions[n], NULL);
	sl_raw(SYS_rt_sigprocmask, SIG_SETMASK, &t->signal.mask, NULL, 8);
}

void
sl_signals_give_back(void)
{
	for (int n = 1; n <= SIGNALS; n++)
		if (listening ? (BIT(n) & MASKABLE) && n != SIGCHLD && !is_fault(n)
			      : !is_left_alone(n) && initial[n].sa_handler != SIG_IGN)
			SL_CALL(sigaction)(n, &initial[n], NULL);
	if (listening)
		sl_raw(SYS_rt_sigprocmask, SIG_SETMASK, &initial_mask, NULL, 8);
	listening = false;
}
