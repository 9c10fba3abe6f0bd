/*
 * Threads of the program: creating, joining, detaching, and the end of a thread.
 */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/single_threaded.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>
#include "engine/core/debugger.h"
#include "engine/core/engine.h"
#include "engine/core/misuse.h"
#include "engine/core/plan.h"
#include "engine/upcall/spin.h"
#include "engine/upcall/state.h"
#include "engine/core/step.h"
#include "engine/entry/glibc.h"
#include "engine/entry/interpose.h"
#include "engine/entry/libc.h"
#include "engine/interpose/kernel.h"
#include "engine/interpose/unseen.h"
#include "engine/listen/lane.h"
#include "engine/model/memory/assembly.h"
#include "engine/model/memory/touched.h"
#include "engine/model/openmp/openmp.h"
#include "engine/model/process/settings.h"
#include "engine/model/signal/signals.h"
#include "engine/model/sync/scheduling.h"
#include "engine/under/poison.h"
#include "search/phase.h"

SL_EXPORT int __cxa_thread_atexit_impl(void (*function)(void *), void *object, void *library);

struct sl_dtor {
	void (*function)(void *);
	void *object;
	struct sl_dtor *next;
};

static struct {
	uint32_t thread;
	uint32_t sequence;
} users[SL_THREADS_MAX + 1]; /* the last user of each slot */

struct sl_thread *
sl_thread_of(pthread_t handle)
{
	uint32_t slot = sl_carrier_by_handle(handle);

	if (slot == SL_NOWHERE || users[slot].sequence != E.sequence)
		return NULL;
	return &E.threads[users[slot].thread];
}

static void
settle(struct sl_thread *t, uint32_t slot)
{
	uintptr_t low, top;

	t->slot = slot;
	users[slot].thread = t->id;
	users[slot].sequence = E.sequence;
	sl_carrier_stack(slot, &low, &top);
	t->stack.low = low;
	t->stack.size = top - low;
	t->stack.lowest = top;
	t->interruption.cancel_marked = sl_marked(sl_thread_word(t, SL_WORD_CANCEL));
	sl_signals_begin(t);
}

static uint32_t
slots_used(void)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < E.thread_count; i++)
		if (E.threads[i].slot >= count)
			count = E.threads[i].slot + 1;
	return count;
}

void
sl_threads_keep(void)
{
	sl_checkpoint_bytes(users, slots_used() * sizeof(users[0]));
	/* creating a thread sets it */
	sl_checkpoint_bytes(&__libc_single_threaded, sizeof(__libc_single_threaded));
}

void
sl_threads_kept(void)
{
	for (uint32_t i = slots_used(); i-- > 0;)
		if (users[i].sequence == sl_checkpoint_sequence())
			users[i].sequence = E.sequence;
}

/* libstdc++ uses atomics for reference counts only if libc's __libc_single_threaded is false. Carriers outlive an
 * execution, so the variable is reset to its value at the first one. */
void
sl_threads_first(void)
{
	static int alone = -1;
	struct sl_thread *t = sl_thread_new();

	if (alone < 0)
		alone = __libc_single_threaded != 0;
	__libc_single_threaded = alone == 1;
	settle(t, 0);
	if (sl_thread_called()) {
		sl_text_copy(t->called.name, sizeof(t->called.name), sl_thread_called());
		t->called.given = true;
	}
	E.current = t;
	sl_carrier_start(t);
	if (unlikely(E.listen.reeling) && t->called.given)
		sl_reel_name(t);
}

/* ---- functions that are called when a thread ends ---- */

SL_EXPORT int
__cxa_thread_atexit_impl(void (*function)(void *), void *object, void *library)
{
	if (!E.control)
		return SL_CALL(__cxa_thread_atexit_impl)(function, object, library);
	struct sl_dtor *d = sl_scratch_alloc(sizeof(*d));

	*d = (struct sl_dtor){function, object, E.current->ends.dtors};
	E.current->ends.dtors = d;
	return 0;
}

/* Destroys C++ thread_local objects, the last constructed first. */
void
sl_thread_dtors_cxx(struct sl_thread *t)
{
	while (t->ends.dtors) {
		struct sl_dtor *d = t->ends.dtors;

		t->ends.dtors = d->next;
		d->function(d->object);
	}
}

/* Calls the destructors of C++ objects, then those of keys. */
static void
run_dtors(struct sl_thread *t)
{
	sl_thread_dtors_cxx(t);
	for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS && sl_key_destructors(); round++)
		;
}

/* ---- birth and death ---- */

/*
 * Values of earlier calls on the stack and in registers would be in the variables of the thread's first frames
 * until these are written. Zeroes are more likely to equal the written values, so that a waiting loop is detected
 * sooner (spin.h).
 */
static __attribute__((noinline)) void
clear_stack(void)
{
	char room[512];

	sl_memset(room, 0, sizeof(room));
	__asm__ volatile("" ::"r"(room) : "memory");
}

static void *
call_with_nothing(void *(*start)(void *), void *argument)
{
	void *result;

	clear_stack();
	__asm__ volatile("xorl %%ebx, %%ebx\nxorl %%r12d, %%r12d\nxorl %%r13d, %%r13d\nxorl %%r14d, %%r14d\n"
			 "xorl %%r15d, %%r15d\ncall *%%rax"
			 : "=a"(result), "+D"(argument)
			 : "a"(start)
			 : "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
			   "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
			   "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory");
	return result;
}

/* Marks the outermost frame for unwinders, by an undefined return address. */
__asm__(".text\n .hidden sl_thread_entry\n .globl sl_thread_entry\n .type sl_thread_entry, @function\n"
	"sl_thread_entry:\n .cfi_startproc\n .cfi_undefined rip\n .cfi_undefined rbp\n"
	" subq $8, %rsp\n .cfi_adjust_cfa_offset 8\n call sl_thread_main\n ud2\n"
	".cfi_endproc\n .size sl_thread_entry, .-sl_thread_entry\n");

void
sl_thread_main(void)
{
	struct sl_thread *t = E.current;
	void *result = NULL;

	E.control = true;
	sl_note(0);
	if (t->id == 0) {
		if (sl_phase_of(E.worker)->own_program)
			sl_canary(NULL);
		if (E.arena->config.plan[0] && !E.arena->config.section)
			sl_plan_begin_whole();
		E.body.function(E.body.argument);
		sl_exit(0, t->op.pc); /* sleave_explore(): the body has returned */
	} else {
		/* as libc does at the start of a thread: uses the character tables of the current locale. The
		 * carrier may have been made in another locale, whose tables are not mapped any more. */
		if (sl_real.__ctype_init)
			sl_real.__ctype_init();
		if (unlikely(E.plan.active))
			sl_plan_pass(SL_EVENT_START, NULL, NULL, t->op.pc);
		sl_signals_start();
		result = call_with_nothing(t->born.start, t->born.argument);
	}
	sl_thread_end(result);
}

void
sl_thread_end(void *result)
{
	struct sl_thread *t = E.current;

	uint64_t word = sl_thread_word(t, SL_WORD_END);

	if (t->ends.pc)
		t->op.pc = t->ends.pc;
	if (unlikely(E.listen.reeling)) /* pthread_exit() and cancellation leave functions without callbacks */
		sl_frames_leave(UINT64_MAX);
	sl_unseen_thread();
	sl_cancel_last();
	t->ends.result = result;
	t->ends.exiting = true;
	sl_debugger_knows(t);
	sl_expose(t);
	run_dtors(t);
	if (t->omp)
		sl_omp_leave();
	if (E.alive_count == 1)
		sl_exit(0, t->op.pc);
	if (unlikely(E.plan.active))
		sl_plan_pass(SL_EVENT_END, NULL, NULL, t->op.pc);
	sl_mutexes_abandon();
	if (unlikely(E.uses.inheritance))
		sl_futex_abandon();
	sl_scheduling_ends(t);
	sl_announce(SL_END, word, t->op.pc);
	if (sl_watched(word) || t->interruption.exposed) /* another thread can observe whether it has ended */
		sl_point();
	else
		sl_no_point();
	sl_note(0);
	t->clock.source = t->id; /* for the joining thread */
	t->clock.moment = t->tick;
	t->alive = false;
	sl_debugger_knows(t);
	E.alive_count--;
	sl_changed(true);
	sl_thread_enable(t, false);
	if (t->ends.detached && t->id)
		sl_carrier_give(t->slot);
	if (t->ends.joiner && t->ends.joiner->awaited.joins == t)
		sl_succeed(t->ends.joiner);
	sl_switch_away();
	sl_bug(__FILE__, __LINE__, "an ended thread was resumed");
}

/* Inlined, so that a debugger shows the call under the program's name for it. */
static inline __attribute__((always_inline)) int
create(pthread_t *handle, const pthread_attr_t *attr, void *(*start)(void *), void *argument, uint64_t pc)
{
	struct sl_thread *t;
	size_t stack = 0, guard = SL_PAGE;
	int detached = PTHREAD_CREATE_JOINABLE;
	sigset_t mask;
	uint32_t slot;

	sl_announce(SL_CREATE, 0, pc);
	if (!attr && sl_settings_change(&process_settings.default_attributes_change)) {
		if (sl_settings_marked(&process_settings.default_attributes))
			sl_point();
		else
			sl_no_point();
		sl_meet_silently(&process_settings.default_attributes, SL_OP_READS, pc);
	} else {
		sl_no_point();
	}
	if (!attr) {
		sl_settings_attributes(&stack, &detached, &guard);
	} else {
		pthread_attr_getstacksize(attr, &stack);
		pthread_attr_getdetachstate(attr, &detached);
		pthread_attr_getguardsize(attr, &guard);
	}
	slot = sl_carrier_take(stack);
	t = slot == SL_NOWHERE ? NULL : sl_thread_new();
	if (slot == SL_NOWHERE && sl_carrier_was_refused())
		sl_trouble(SL_TROUBLE_SYSTEM, pc, "no further thread (is there a limit on processes, ulimit -u?)");
	if (!t) /* a limit of the engine: the program must not take it for a lack of memory */
		sl_trouble(SL_TROUBLE_LIMIT, pc, "threads of one execution");
	sl_note(t->id);
	if (users[slot].sequence == E.sequence) { /* accesses of the stack's last user do not race */
		struct sl_thread *last = &E.threads[users[slot].thread];
		uintptr_t from = last->stack.lowest - 4 * SL_PAGE;

		if (from < last->stack.low)
			from = last->stack.low;
		sl_race_forget(from, sl_carrier_handle(slot) + 4096 - from);
	}
	settle(t, slot);
	t->born.start = start;
	t->born.argument = argument;
	t->born.address = (uint64_t)start;
	t->born.pc = pc;
	t->op.pc = (uint64_t)start + 1;
	t->ends.detached = detached == PTHREAD_CREATE_DETACHED;
	if (attr && pthread_attr_getsigmask_np(attr, &mask) == 0)
		t->signal.mask = mask.__val[0];
	t->born.guard = guard;
	sl_text_copy(t->called.inherited, sizeof(t->called.inherited),
		     E.current->called.given ? E.current->called.name : E.current->called.inherited);
	t->ends.released = t->ends.detached ? sl_by(pc) : 0;
	sl_clock_reset(&t->clock);
	sl_show(&t->clock);
	t->clock.source = SL_CLOCK_NO_THREAD;
	sl_clock_set(&t->clock, t->id, t->tick);
	sl_order_event(E.current->id, t->id);
	sl_scheduling_inherit(t);
	sl_carrier_start(t);
	__libc_single_threaded = 0;
	*handle = sl_carrier_handle(slot);
	sl_advance(t);
	if (unlikely(E.current->interruption.urgent))
		sl_signals_now(); /* signals that the new thread has sent up to its first operation */
	return 0;
}

void
sl_thread_make(void *(*start)(void *), void *argument, uint64_t pc)
{
	pthread_t handle;

	create(&handle, NULL, start, argument, pc);
}

int
sl_control_thread_create(pthread_t *handle, const pthread_attr_t *attr, void *(*start)(void *), void *argument,
			 uint64_t pc)
{
	/* part of this operation, and before the new thread begins, which may read its own handle: libc has
	 * written it by then */
	if (sl_libraries_is_instrumented(pc))
		sl_access_along((uint64_t)handle, sizeof(*handle), SL_OP_WRITES, pc);
	return create(handle, attr, start, argument, pc);
}

static int
create_early(pthread_t *handle, const pthread_attr_t *attr, void *(*start)(void *), void *argument, uint64_t pc)
{
	if (E.process.called && !E.active && !E.arena->config.explore_call)
		sl_trouble_set(E.worker, SL_TROUBLE_THREADS_BEFORE, pc, NULL);
	return sl_libc_thread_create(handle, attr, start, argument, pc);
}

void
sl_threads_early(void)
{
	static struct sl_mode early = {
#define SL_METHOD(modes, told, name, parameters, libc) .name = sl_libc_##name,
#include "engine/interpose/sync.def"
	};

	early.thread_create = create_early;
	sl_mode = &early;
}

static void
reap(struct sl_thread *target, void **result, int *number)
{
	target->ends.joined = true;
	E.unjoined--;
	target->ends.released = sl_by(E.current->op.pc);
	if (unlikely(E.listen.watching))
		sl_step_ordered(target->id, E.current->id);
	sl_learn(&target->clock);
	sl_order_event(target->id, E.current->id);
	sl_thread_result(target->ends.result, result, number);
	if (target->id)
		sl_carrier_give(target->slot);
}

/*
 * Returns 0 if joining may be tried: a thread is joined once, not by itself, and not by a thread for which it
 * waits.
 */
static int
may_join(struct sl_thread *target)
{
	struct sl_thread *t = E.current;

	if (!target || target->ends.joined)
		return ESRCH;
	if (target->ends.detached)
		return EINVAL;
	/* as in glibc: a thread that is cancelled, or is ending, does not wait any more */
	if ((target == t || (target->alive && target->awaited.joins == t && !target->cancel.requested &&
			     !target->ends.exiting)) &&
	    (!t->cancel.requested || t->cancel.disabled || t->ends.exiting))
		return EDEADLK;
	return target->ends.joiner && target->ends.joiner->awaited.joins == target ? EINVAL : 0;
}

/* Reports the misuse of a thread that may not be joined or detached any more. */
static void
released_twice(const struct sl_thread *target, enum sl_op_kind kind, uint64_t pc)
{
	if (!target)
		sl_misuse(kind == SL_JOIN ? "joins what is not a thread" : "detaches what is not a thread", 0, pc,
			  0, 0);
	else if (target->ends.detached)
		sl_misuse(kind == SL_JOIN ? "joins a thread that @ detached before"
					  : "detaches a thread that @ detached before",
			  0, pc, target->ends.released, SL_DETACH);
	else if (target->ends.joined)
		sl_misuse(kind == SL_JOIN ? "joins a thread that @ has joined before"
					  : "detaches a thread that @ has joined before",
			  0, pc, target->ends.released, SL_JOIN);
	else if (target->ends.joiner && target->ends.joiner != E.current)
		sl_misuse("joins a thread that @ joins already", 0, pc, sl_by_waiter(target->ends.joiner),
			  SL_JOIN);
}

/* From the next execution on the target's end is a point, because a thread observes it. */
static void
watch_end(struct sl_thread *target)
{
	sl_watch(sl_thread_word(target, SL_WORD_END));
}

int
sl_control_thread_join(pthread_t handle, void **result, int *number, const struct timespec *limit, clockid_t clock,
		       uint64_t pc)
{
	struct sl_thread *t = E.current, *target = sl_thread_of(handle);
	bool meets = target && sl_settings_change(&process_settings.joinable_threads_change);
	bool arrived, marked = meets && sl_settings_marked(&process_settings.joinable_thread[target->id]);
	int answer;

	sl_touch_intend(result, sizeof(*result), pc);
	sl_announce(SL_JOIN, 0, pc);
	if (unlikely(marked))
		sl_point();
	if (meets)
		sl_meet_silently(&process_settings.joinable_thread[target->id], SL_OP_READS, pc);
	answer = may_join(target);
	if (answer) {
		released_twice(target, SL_JOIN, pc);
		return answer;
	}
	if (target->alive && sl_bad_time(limit))
		return EINVAL;
	if (limit || t->interruption.cancel_marked)
		watch_end(target);
	arrived = target->alive && sl_arrive(NULL);
	if (target->alive) {
		t->awaited.joins = target;
		target->ends.joiner = t;
		t->waits.timed = limit != NULL;
		t->awaited.deadline = limit ? sl_deadline(limit, clock) : 0;
		sl_interruptible(SL_BY_CANCEL);
		do {
			if (!t->interruption.urgent)
				sl_block();
		} while (t->interruption.urgent ? !sl_serve() : target->alive && !t->waits.expired);
		t->waits.timed = false;
		t->interruption.interruptible = 0;
		t->awaited.joins = NULL;
		target->ends.joiner = NULL;
		if (t->interruption.interrupted)
			sl_interrupted();
		if (target->alive) {
			sl_time_reaches(t->awaited.deadline);
			t->op.kind = SL_TIMEOUT;
			sl_note(ETIMEDOUT);
			return ETIMEDOUT;
		}
	} else if (arrived || (limit && sl_watched(sl_thread_word(target, SL_WORD_END)))) {
		sl_point();
	} else if (!marked) {
		sl_no_point();
	}
	sl_note(target->id);
	reap(target, result, number);
	sl_touch_written(result, sizeof(*result), pc);
	return 0;
}

int
sl_control_thread_tryjoin(pthread_t handle, void **result, uint64_t pc)
{
	struct sl_thread *target = sl_thread_of(handle);
	uint64_t word = target ? sl_thread_word(target, SL_WORD_END) : 0;
	int answer;

	if (!target || target->ends.joined)
		return ESRCH;
	watch_end(target);
	sl_announce(SL_TRYJOIN, word, pc);
	if (target->alive)
		sl_spin_visit(pc);
	if (sl_everywhere() || sl_watched(word))
		sl_point();
	else
		sl_no_point();
	answer = target->alive ? EBUSY : may_join(target);
	sl_note(target->id);
	if (!answer)
		reap(target, result, NULL);
	return answer;
}

int
sl_control_thread_detach(pthread_t handle, uint64_t pc)
{
	struct sl_thread *target = sl_thread_of(handle);

	if (target) {
		sl_settings_note_change(&process_settings.joinable_threads_change);
		sl_announce(SL_DETACH, 0, pc);
		if (sl_settings_marked(&process_settings.joinable_thread[target->id]))
			sl_point();
		else
			sl_no_point();
		sl_meet_silently(&process_settings.joinable_thread[target->id], SL_OP_WRITES, pc);
	}
	if (!target || target->ends.joined || target->ends.detached) {
		released_twice(target, SL_DETACH, pc);
		return !target || target->ends.joined ? ESRCH : EINVAL;
	}
	sl_note(target->id);
	if (target->ends.joiner && target->ends.joiner->awaited.joins == target)
		return 0; /* as in glibc: the joining thread will release it */
	target->ends.detached = true;
	target->ends.released = sl_by(pc);
	if (!target->alive && target->id) {
		target->ends.joined = true;
		sl_carrier_give(target->slot);
	}
	return 0;
}

/* ---- pthread_exit: unwinds the stack, so that cleanup handlers and C++ destructors run ---- */

static struct _Unwind_Exception *
exception_of(struct sl_thread *t)
{
	if (!t->ends.unwinding)
		t->ends.unwinding = sl_scratch_alloc(sizeof(struct _Unwind_Exception) + 16);
	return (struct _Unwind_Exception *)(((uintptr_t)t->ends.unwinding + 15) & ~15ul);
}

static void
unwound(_Unwind_Reason_Code reason, struct _Unwind_Exception *exception)
{
	(void)reason;
	(void)exception;
	sl_found(SL_FINDING_ABORT, SIGABRT, 0, E.current->op.pc,
		 "a catch (...) without a throw held up the end of a thread");
}

/*
 * Called for each frame: C cleanup handlers (pthread_cleanup_push() without exceptions) are called by long jumps
 * into it.
 */
static _Unwind_Reason_Code
stop(int version, _Unwind_Action actions, _Unwind_Exception_Class class, struct _Unwind_Exception *exception,
     struct _Unwind_Context *context, void *parameter)
{
	struct sl_thread *t = E.current;
	__pthread_unwind_buf_t *buffer = t->ends.cleanups;

	(void)version;
	(void)class;
	(void)exception;
	(void)parameter;
	if (buffer && ((actions & _UA_END_OF_STACK) || _Unwind_GetCFA(context) > (uintptr_t)buffer)) {
		/* shorter than a jmp_buf: the signal mask, which is not used, is missing */
		struct __jmp_buf_tag *volatile target = (void *)buffer->__cancel_jmp_buf;

		t->ends.cleanups = buffer->__pad[0];
		longjmp(target, 1);
	}
	if (actions & _UA_END_OF_STACK)
		sl_thread_end(t->ends.result);
	return _URC_NO_REASON;
}

void
sl_unwind(void)
{
	E.current->ends.exiting = true;
	if (!E.current->ends.pc)
		E.current->ends.pc = E.current->op.pc;
	sl_expose(E.current);
	sl_ghosts_leave(UINTPTR_MAX);
	struct _Unwind_Exception *exception = exception_of(E.current);

	exception->exception_class = 0;
	exception->exception_cleanup = unwound;
	_Unwind_ForcedUnwind(exception, stop, NULL);
	sl_thread_end(E.current->ends.result); /* unwinding can't continue: no further handlers run */
}

void
sl_thread_leave(void *result, uint64_t pc)
{
	if (E.control) {
		E.current->ends.result = result;
		if (!E.current->ends.pc)
			E.current->ends.pc = pc;
		sl_unwind();
	}
	SL_CALL(pthread_exit)(result);
	__builtin_unreachable();
}

SL_EXPORT void
pthread_exit(void *result)
{
	sl_thread_leave(result, SL_PC);
}
