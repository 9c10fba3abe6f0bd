/*
 * The calls by which a program sends signals, waits for them and sets their actions. signal.c implements their
 * effects.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/core/plan.h"
#include "engine/upcall/spin.h"
#include "engine/entry/interpose.h"
#include "engine/model/io/channel.h"
#include "engine/model/memory/touched.h"
#include "engine/model/process/settings.h"
#include "engine/model/signal/signals.h"
#include "engine/under/poison.h"

static int
fail(int error)
{
	errno = error;
	return -1;
}

static bool
is_signal(int n)
{
	return n >= 1 && n <= SIGNALS && n != 32 && n != 33;
}

static uint64_t
set_of(const sigset_t *set)
{
	return set->__val[0];
}

static void
set_to(sigset_t *set, uint64_t value)
{
	*set = (sigset_t){{value}};
}

static void
point_if(bool needed)
{
	if (sl_everywhere() || needed)
		sl_point();
	else
		sl_no_point();
}

static uint64_t
process_word(void)
{
	return sl_thread_word(&E.threads[0], SL_WORD_PROCESS);
}

static uint64_t
own_word(void)
{
	return sl_thread_word(E.current, SL_WORD_SIGNAL);
}

/* ---- sending ---- */

static siginfo_t
info_of(int n, int code)
{
	siginfo_t info = {.si_signo = n, .si_code = code};

	info.si_pid = sl_process_number();
	info.si_uid = (uid_t)sl_raw(SYS_getuid);
	return info;
}

/* SIGKILL to this process has no handler and no mask, so it is sent at once. A recording notes it before. */
static void
kill_here(uint64_t word, uint32_t target, uint64_t pc)
{
	if (E.arena->config.record_only) {
		sl_announce(SL_KILL, word, pc);
		sl_no_point();
		sl_note((uint64_t)SIGKILL << 32 | target);
		sl_found(SL_FINDING_CRASH, SIGKILL, 0, pc, "the program sent the signal to itself");
	}
	sl_raw(SYS_kill, sl_raw(SYS_getpid), SIGKILL);
}

/* Sends a signal to a thread: 0 or an error. */
static int
send_to(struct sl_thread *target, siginfo_t info, uint64_t pc)
{
	struct sl_thread *t = E.current;
	int n = info.si_signo;
	uint64_t word;

	if (!target || target->ends.joined)
		return ESRCH;
	if (n && !is_signal(n))
		return EINVAL;
	if (!n)
		return 0;
	word = sl_thread_word(target, SL_WORD_SIGNAL);
	if (n == SIGKILL)
		kill_here(word, target->id, pc);
	if (target != t)
		sl_mark(word);
	sl_announce(SL_KILL, word, pc);
	/* a point even if it is not marked: the target handles the signal wherever it is */
	point_if(target != t || sl_settings_marked(&process_settings.action_on_signal[n]));
	sl_note((uint64_t)n << 32 | target->id);
	sl_meet_silently(&process_settings.action_on_signal[n], SL_OP_READS, pc);
	if (!target->alive)
		return 0;
	sl_signal_post(target, &info);
	if (target == t)
		sl_signals_now();
	return 0;
}

static int
send_to_process(siginfo_t info, uint64_t pc)
{
	uint64_t word = process_word();
	int n = info.si_signo;

	if (n && !is_signal(n))
		return fail(EINVAL);
	if (!n)
		return 0;
	if (n == SIGKILL)
		kill_here(word, UINT32_MAX, pc);
	sl_mark(word);
	sl_announce(SL_KILL, word, pc);
	point_if(E.alive_count > 1 || sl_marked(word));
	sl_note((uint64_t)n << 32 | UINT32_MAX);
	sl_meet_silently(&process_settings.action_on_signal[n], SL_OP_READS, pc);
	sl_signal_post_process(&info);
	sl_signals_now();
	return 0;
}

SL_DEFINE(int, pthread_kill, (pthread_t handle, int n), (handle, n))
{
	return send_to(sl_thread_of(handle), info_of(n, SI_TKILL), pc);
}

SL_DEFINE(int, pthread_sigqueue, (pthread_t handle, int n, const union sigval value), (handle, n, value))
{
	siginfo_t info = info_of(n, SI_QUEUE);

	info.si_value = value;
	return send_to(sl_thread_of(handle), info, pc);
}

SL_DEFINE(int, raise, (int n), (n))
{
	int error = n ? send_to(E.current, info_of(n, SI_TKILL), pc) : 0;

	return error ? fail(error) : 0;
}

static void
check_process(pid_t pid, const char *name, uint64_t pc)
{
	if (pid != sl_process_number())
		sl_trouble(SL_TROUBLE_UNSUPPORTED, pc, name);
}

SL_DEFINE(int, kill, (pid_t pid, int n), (pid, n))
{
	int error = sl_child_kill(pid, n, pc);

	if (error >= 0) {
		sl_signals_now(); /* the child may have sent a signal back */
		return error ? fail(error) : 0;
	}
	check_process(pid, "kill of another process", pc);
	return send_to_process(info_of(n, SI_USER), pc);
}

SL_DEFINE(int, sigqueue, (pid_t pid, int n, const union sigval value), (pid, n, value))
{
	siginfo_t info = info_of(n, SI_QUEUE);

	check_process(pid, "sigqueue to another process", pc);
	info.si_value = value;
	return send_to_process(info, pc);
}

SL_DEFINE(int, tgkill, (pid_t pid, pid_t tid, int n), (pid, tid, n))
{
	struct sl_thread *target = sl_thread_numbered(tid);
	int error;

	check_process(pid, "tgkill of another process", pc);
	error = target && target->alive ? send_to(target, info_of(n, SI_TKILL), pc) : ESRCH;
	return error ? fail(error) : 0;
}

/* ---- masks ---- */

static int
mask(int how, const sigset_t *set, sigset_t *old, uint64_t pc)
{
	struct sl_thread *t = E.current;
	uint64_t now;

	if (set && how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK)
		return EINVAL;
	now = set ? set_of(set) : 0; /* `set` and `old` may be the same */
	sl_announce(SL_SIGMASK, own_word(), pc);
	point_if(set && t->interruption.exposed);
	sl_note(t->signal.mask);
	if (old)
		set_to(old, t->signal.mask);
	if (!set)
		return 0;
	if (how == SIG_BLOCK)
		now |= t->signal.mask;
	else if (how == SIG_UNBLOCK)
		now = t->signal.mask & ~now;
	sl_signal_mask(now);
	sl_signals_now();
	return 0;
}

SL_DEFINE_TOUCHING(int, pthread_sigmask, (int how, const sigset_t *set, sigset_t *old), (how, set, old), sl_touch_read(set, 8, pc); sl_touch_intend(old, 8, pc),
		   sl_touch_written(old, done ? 0 : 8, pc))
{
	return mask(how, set, old, pc);
}

SL_DEFINE_TOUCHING(int, sigprocmask, (int how, const sigset_t *set, sigset_t *old), (how, set, old), sl_touch_read(set, 8, pc); sl_touch_intend(old, 8, pc),
		   sl_touch_written(old, done ? 0 : 8, pc))
{
	int error = mask(how, set, old, pc);

	return error ? fail(error) : 0;
}

SL_DEFINE_LOOKING_TOUCHING(int, sigpending, (sigset_t * set), (set), sl_touch_intend(set, 8, pc),
		   sl_touch_written(set, done ? 0 : 8, pc))
{
	struct sl_thread *t = E.current;

	sl_announce(SL_SIGPENDING, own_word(), pc);
	sl_spin_visit(pc);
	point_if(t->interruption.exposed);
	sl_note(sl_signal_pending_all() & t->signal.mask);
	set_to(set, sl_signal_pending_all() & t->signal.mask);
	return 0;
}

SL_DEFINE_TOUCHING(int, sigaltstack, (const stack_t *stack, stack_t *old), (stack, old), sl_touch_read(stack, sizeof(*stack), pc); sl_touch_intend(old, sizeof(*old), pc),
		   sl_touch_written(old, done ? 0 : sizeof(*old), pc))
{
	struct sl_thread *t = E.current;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	bool on = here - t->signal.stack < t->signal.stack_size;

	(void)pc;
	if (old)
		*old = (stack_t){.ss_sp = (void *)t->signal.stack,
				 .ss_size = t->signal.stack_size,
				 .ss_flags = on                    ? SS_ONSTACK
					     : t->signal.stack_size ? 0
								   : SS_DISABLE};
	if (!stack)
		return 0;
	if (on)
		return fail(EPERM);
	if (stack->ss_flags & SS_DISABLE) {
		t->signal.stack = t->signal.stack_size = 0;
		return 0;
	}
	if (stack->ss_flags & ~(SS_ONSTACK | (int)(1u << 31)))
		return fail(EINVAL);
	if (stack->ss_size < 2048)
		return fail(ENOMEM);
	t->signal.stack = (uint64_t)stack->ss_sp;
	t->signal.stack_size = stack->ss_size;
	return 0;
}

/* ---- actions ---- */

static int
action(int n, const struct sigaction *new, struct sigaction *old, uint64_t pc)
{
	uint64_t word = process_word();

	if (!is_signal(n) || (new && (n == SIGKILL || n == SIGSTOP)))
		return fail(EINVAL);
	if (!new && old)
		sl_meet(&process_settings.action_on_signal[n], SL_OP_READS, pc);

	struct sigaction before = *sl_signal_action(n);

	if (new) {
		struct sigaction copy = *new;

		sl_announce(SL_SIGACTION, word, pc);
		point_if(sl_marked(word) || sl_settings_marked(&process_settings.action_on_signal[n]) ||
			 E.current->interruption.exposed);
		sl_note((uint64_t)n | (uint64_t)(copy.sa_handler == SIG_DFL   ? SL_ACTION_DEFAULT
						 : copy.sa_handler == SIG_IGN ? SL_ACTION_IGNORED
									      : SL_ACTION_HANDLER)
						 << 32);
		sl_meet_silently(&process_settings.action_on_signal[n], SL_OP_WRITES, pc);
		sl_release_join(sl_object_peek((void *)word, SL_OBJECT_THREAD));
		before = *sl_signal_action(n);
		sl_signal_set_action(n, &copy);
	}
	if (old)
		*old = before;
	return 0;
}

SL_DEFINE_TOUCHING(int, sigaction, (int n, const struct sigaction *new, struct sigaction *old), (n, new, old), sl_touch_read(new, sizeof(*new), pc); sl_touch_intend(old, sizeof(*old), pc),
		   sl_touch_written(old, done ? 0 : sizeof(*old), pc))
{
	return action(n, new, old, pc);
}

static sighandler_t
set_handler(int n, sighandler_t handler, int flags, uint64_t pc)
{
	struct sigaction new = {.sa_handler = handler, .sa_flags = flags}, old;

	if (handler == SIG_ERR)
		return errno = EINVAL, SIG_ERR;
	if (!(flags & SA_NODEFER) && is_signal(n))
		new.sa_mask.__val[0] = BIT(n);
	return action(n, &new, &old, pc) ? SIG_ERR : old.sa_handler;
}

SL_DEFINE(sighandler_t, signal, (int n, sighandler_t handler), (n, handler))
{
	return set_handler(n, handler, SA_RESTART, pc);
}

SL_EXPORT sighandler_t bsd_signal(int n, sighandler_t handler);
sighandler_t
bsd_signal(int n, sighandler_t handler)
{
	SL_RT_CALL();
	return E.control ? set_handler(n, handler, SA_RESTART, SL_PC) : SL_CALL(signal)(n, handler);
}

/* signal() for a program that only requests the standard. */
SL_EXPORT sighandler_t __sysv_signal(int n, sighandler_t handler);
SL_EXPORT sighandler_t sysv_signal(int n, sighandler_t handler);

sighandler_t
__sysv_signal(int n, sighandler_t handler)
{
	SL_RT_CALL();
	return E.control ? set_handler(n, handler, (int)(SA_RESETHAND | SA_NODEFER), SL_PC)
			 : SL_CALL(__sysv_signal)(n, handler);
}

sighandler_t
sysv_signal(int n, sighandler_t handler)
{
	SL_RT_CALL();
	return E.control ? set_handler(n, handler, (int)(SA_RESETHAND | SA_NODEFER), SL_PC)
			 : SL_CALL(__sysv_signal)(n, handler);
}

SL_DEFINE(int, siginterrupt, (int n, int interrupt), (n, interrupt))
{
	struct sigaction new;

	if (!is_signal(n))
		return fail(EINVAL);
	new = *sl_signal_action(n);
	new.sa_flags = interrupt ? new.sa_flags & ~SA_RESTART : new.sa_flags | SA_RESTART;
	return action(n, &new, NULL, pc);
}

/* ---- waiting ---- */

/* Waits for a signal. Returns its number, or a negative error. `restarts`: a handler does not end the wait. */
static int
wait(const sigset_t *set, siginfo_t *info, const struct timespec *limit, bool restarts, uint64_t pc)
{
	struct sl_thread *t = E.current;
	uint64_t wanted = set_of(set) & MASKABLE;
	siginfo_t taken;
	int n;

	if (limit && (limit->tv_sec < 0 || limit->tv_nsec < 0 || limit->tv_nsec >= 1000000000))
		return -EINVAL;
	sl_announce(SL_SIGWAIT, own_word(), pc);
	if (limit && !(sl_signal_pending_all() & wanted))
		sl_spin_visit(pc);
	sl_interruptible(SL_BY_CANCEL | (restarts ? 0 : SL_BY_SIGNAL));
	t->signal.wanted = wanted;
	if (!t->interruption.urgent)
		point_if(sl_arrive(NULL) || t->interruption.exposed || t->interruption.cancel_marked);
	n = t->interruption.urgent || t->interruption.interrupted ? 0 : sl_signal_take(wanted, &taken);
	if (!n && !t->interruption.interrupted && !(limit && !limit->tv_sec && !limit->tv_nsec)) {
		t->waits.timed = limit != NULL;
		t->awaited.deadline =
			limit ? E.time.now + (uint64_t)limit->tv_sec * 1000000000ull + (uint64_t)limit->tv_nsec
			      : 0;
		t->op.index++;
		do {
			if (!t->interruption.urgent)
				sl_block();
		} while (t->interruption.urgent ? !sl_serve()
						: !(t->signal.pending & wanted) && !t->waits.expired);
		t->waits.timed = false;
		if (!t->interruption.interrupted)
			n = sl_signal_take(wanted, &taken);
	}
	t->signal.wanted = 0;
	t->interruption.interruptible = 0;
	if (t->interruption.interrupted) {
		sl_interrupted();
		return -EINTR;
	}
	if (!n && limit)
		sl_time_reaches(t->awaited.deadline);
	sl_note((uint64_t)n);
	if (!n)
		return -EAGAIN;
	if (info)
		*info = taken;
	return n;
}

SL_DEFINE_TOUCHING(int, sigwait, (const sigset_t *set, int *n), (set, n), sl_touch_read(set, 8, pc); sl_touch_intend(n, sizeof(*n), pc),
		   sl_touch_written(n, done ? 0 : sizeof(*n), pc))
{
	int answer = wait(set, NULL, NULL, true, pc);

	*n = answer;
	return answer < 0 ? -answer : 0;
}

SL_DEFINE_TOUCHING(int, sigwaitinfo, (const sigset_t *set, siginfo_t *info), (set, info), sl_touch_read(set, 8, pc); sl_touch_intend(info, sizeof(*info), pc),
		   sl_touch_written(info, done < 0 ? 0 : sizeof(*info), pc))
{
	int answer = wait(set, info, NULL, false, pc);

	return answer < 0 ? fail(-answer) : answer;
}

SL_DEFINE_LOOKING_TOUCHING(int, sigtimedwait, (const sigset_t *set, siginfo_t *info, const struct timespec *limit),
		  (set, info, limit), sl_touch_read(set, 8, pc); sl_touch_intend(info, sizeof(*info), pc),
		   sl_touch_written(info, done < 0 ? 0 : sizeof(*info), pc))
{
	int answer = wait(set, info, limit, false, pc);

	return answer < 0 ? fail(-answer) : answer;
}

/* Waits until a handler has run. */
static int
suspend(const sigset_t *set, uint64_t pc)
{
	struct sl_thread *t = E.current;
	uint64_t before = t->signal.mask;

	sl_announce(SL_PAUSE, own_word(), pc);
	point_if(sl_arrive(NULL) || t->interruption.exposed); /* a signal handled here arrived before the call */
	t->op.index++;
	sl_interruptible(SL_BY_CANCEL | SL_BY_SIGNAL);
	t->signal.suspended = true;
	if (set) {
		sl_signal_mask(set_of(set));
		sl_urge(t);
	}
	do {
		if (!t->interruption.urgent)
			sl_block();
	} while (!t->interruption.urgent || !sl_serve());
	t->signal.suspended = false;
	sl_note(0);
	t->interruption.interruptible = 0;
	if (t->interruption.interrupted & SL_BY_CANCEL)
		sl_interrupted();
	t->interruption.interrupted = 0;
	if (set) {
		sl_signal_mask(before);
		sl_signals_now(); /* handles signals that this unblocks */
	}
	return fail(EINTR);
}

SL_DEFINE(int, sigsuspend, (const sigset_t *set), (set))
{
	return suspend(set, pc);
}

SL_EXPORT int
pause(void)
{
	SL_RT_CALL();
	return E.control ? suspend(NULL, SL_PC) : SL_CALL(pause)();
}
