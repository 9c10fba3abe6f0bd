/*
 * The end of an execution: exit() in all its forms, assertions, aborts, deadly signals.
 */
#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/core/misuse.h"
#include "engine/core/plan.h"
#include "engine/entry/interpose.h"
#include "engine/entry/record.h"
#include "engine/interpose/kernel.h"
#include "engine/interpose/impact_trap.h"
#include "engine/interpose/traps.h"
#include "engine/listen/lane.h"
#include "engine/model/io/channel.h"
#include "engine/model/process/settings.h"
#include "engine/section/section.h"
#include "engine/under/poison.h"

static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
extern void *__libc_stack_end; /* the end of the first thread's stack */
#define CALLER_FAR (1ul << 30)
#define CALLER_NEAR (1ul << 20)
#define SKIP_FRAMES 8 /* frames that are searched, since some belong to the framework */
#define DEADLY_COUNT (sizeof(deadly) / sizeof(deadly[0]))

static bool ends_early; /* the program would continue */

/* Checks for locks and threads that are left, after handlers and destructors, which may release and join them. */
static void
look_back(void)
{
	E.current->op.pc = E.outcome.exit_pc;
	if (ends_early)
		return;
	if (!E.plan.prelude)
		sl_circle_look();
	sl_misuse_exit(E.outcome.exit_pc);
}

/* The program is over: exit() has called all handlers. */
static _Noreturn void
over(int status)
{
	look_back();
	sl_streams_flush(E.outcome.exit_pc);
	E.control = false;
	if (sl_real.fflush)
		sl_real.fflush(NULL);
	E.control = true;
	if (status)
		sl_found(SL_FINDING_EXIT, status, 0, E.outcome.exit_pc, NULL);
	sl_execution_end();
}

/* Registered before everything else that exit() may call, so called last. */
static void
last_of_exit(int status, void *unused)
{
	(void)unused;
	if (E.control)
		over(status & 255);
	sl_rt_exit(status & 255);
	sl_lane_exit(status, E.outcome.exit_pc);
}

static void
last_of_quick_exit(void)
{
	if (E.control)
		over(E.outcome.exit_status & 255);
	sl_lane_exit(E.outcome.exit_status, E.outcome.exit_pc);
}

static void
announce_exit(int status, uint64_t pc)
{
	ends_early = E.plan.visiting && !E.plan.active;
	sl_announce(SL_EXIT, 0, pc);
	if (E.alive_count > 1)
		sl_point();
	else
		sl_no_point();
	sl_note((uint64_t)status);
	E.outcome.exit_pc = pc;
	E.outcome.exit_status = status;
	E.outcome.exit_frame = (uint64_t)__builtin_frame_address(0);
	if (E.plan.prelude)
		sl_trouble(SL_TROUBLE_PLAN, pc,
			   "the program ended before it came to the section that is to be explored");
	/* inside of a section an exit status is a finding; a plan for the whole program ends here */
	if (E.plan.active && status & 255 && (!E.arena->config.plan[0] || E.arena->config.section) &&
	    sl_plan_is_open())
		sl_found(SL_FINDING_EXIT, status & 255, 0, pc, NULL);
	if (E.plan.active)
		sl_plan_end(pc);
	if (E.plan.dropped && !E.arena->config.check_plan)
		sl_execution_end(); /* the result of this execution does not count */
}

void
sl_exit(int status, uint64_t pc)
{
	sl_settings_exit(pc);
	announce_exit(status, pc);
	if (!E.body.whole_program) /* the body of sleave_explore() has ended, and the process continues */
		over(status & 255);
	sl_thread_dtors_cxx(E.current);
	sl_real.exit(status);
	__builtin_unreachable();
}

SL_EXPORT void
exit(int status)
{
	if (E.control)
		sl_exit(status, SL_PC);
	SL_RT_CALL();
	E.outcome.exit_pc = SL_PC;
	SL_CALL(exit)(status);
	__builtin_unreachable();
}

/* Ends the execution at once: no handlers are called, nothing is flushed. */
void
sl_exit_now(int status, uint64_t pc)
{
	announce_exit(status, pc);
	look_back();
	if (status & 255)
		sl_found(SL_FINDING_EXIT, status & 255, 0, pc, NULL);
	sl_execution_end();
}

static void
exit_at_once(int status, uint64_t pc)
{
	if (E.control)
		sl_exit_now(status, pc);
	status = sl_rt_status(status);
	sl_lane_exit(status, pc);
	SL_CALL(_exit)(status);
}

SL_EXPORT void
_exit(int status)
{
	if (!E.control)
		SL_RT_CALL();
	exit_at_once(status, SL_PC);
	__builtin_unreachable();
}

SL_EXPORT void
_Exit(int status)
{
	if (!E.control)
		SL_RT_CALL();
	exit_at_once(status, SL_PC);
	__builtin_unreachable();
}

SL_EXPORT void
quick_exit(int status)
{
	if (E.control) {
		sl_settings_exit(SL_PC);
		announce_exit(status, SL_PC);
	} else {
		SL_RT_CALL();
		status = sl_rt_status(status);
	}
	E.outcome.exit_pc = SL_PC;
	E.outcome.exit_status = status;
	SL_CALL(quick_exit)(status);
	__builtin_unreachable();
}

SL_EXPORT void
abort(void)
{
	SL_RT_CALL();
	if (E.control) {
		sl_abort(SL_PC);
		if (sl_is_terminating(SL_PC))
			sl_terminated();
		sl_found(SL_FINDING_ABORT, SIGABRT, 0, SL_PC, NULL);
	}
	SL_CALL(abort)();
	__builtin_unreachable();
}

/* ---- assertions ---- */

static char *
append(char *to, const char *end, const char *text)
{
	while (to < end && *text)
		*to++ = *text++;
	return to;
}

static _Noreturn void
assertion(const char *expression, const char *file, unsigned line, const char *function, uint64_t pc)
{
	char message[256], digits[SL_DIGITS], *p = message, *end = message + sizeof(message) - 1;
	const char *room, *number = sl_digits(line, digits);
	bool has_parentheses = false;

	for (const char *c = function; c && *c; c++)
		has_parentheses |= *c == '(';
	/* long texts are cut such that a part of the path and the whole line number fit */
	p = append(p, end - 96, expression);
	p = append(p, end - 80, " in ");
	p = append(p, end - 64, function ? function : "?");
	/* __func__ of clang and C++ may have parentheses */
	p = append(p, end, has_parentheses ? " at " : "() at ");
	room = end - 1 - sl_strlen(number);
	if (sl_strlen(file) > (size_t)(room - p)) { /* keeps the end of a path */
		p = append(p, end, "…");
		file += sl_strlen(file) - (size_t)(room - p);
		while (((unsigned char)*file & 0xc0) == 0x80)
			file++;
	}
	p = append(p, room, file);
	p = append(p, end, ":");
	p = append(p, end, number);
	*p = 0;
	sl_found(SL_FINDING_ASSERT, SIGABRT, 0, pc, message);
}

SL_EXPORT void
__assert_fail(const char *expression, const char *file, unsigned line, const char *function)
{
	if (E.control)
		assertion(expression, file, line, function, SL_PC);
	sl_rt_follow_assertion(expression, line);
	SL_CALL(__assert_fail)(expression, file, line, function);
	__builtin_unreachable();
}

SL_EXPORT void __assert(const char *expression, const char *file, int line);

void
__assert(const char *expression, const char *file, int line)
{
	__assert_fail(expression, file, (unsigned)line, NULL);
}

/* ---- long jumps: a test framework leaves a failed test by one ---- */

/* glibc encodes the stack pointer in a jmp_buf: rotated, and xored with a word of the thread descriptor. */
static uintptr_t
target_stack(const struct __jmp_buf_tag *buffer)
{
	uintptr_t value = (uintptr_t)buffer->__jmpbuf[6], guard;

	__asm__("movq %%fs:0x30, %0" : "=r"(guard));
	return (value >> 17 | value << 47) ^ guard;
}

/* Returns whether the target is above the call of sleave_explore(). Coroutines of the program have their own
 * stacks, between which it may jump. */
static bool
leaves_body(uintptr_t target)
{
	uintptr_t caller = E.body.in_place   ? sl_section_frame()
			   : E.plan.visiting ? sl_visited_frame()
					     : sl_caller_stack();
	uintptr_t end = (uintptr_t)__libc_stack_end;

	if (caller > end || end - caller > CALLER_FAR) /* sleave_explore() was not called by the first thread */
		end = caller + CALLER_NEAR;
	return target >= caller && target < end;
}

static _Unwind_Reason_Code
look_for_program(struct _Unwind_Context *context, void *data)
{
	const struct sl_module *program = &E.arena->modules.items[0];
	uint64_t pc = _Unwind_GetIP(context);

	if (pc < program->low || pc >= program->high)
		return _URC_NO_REASON;
	*(uint64_t *)data = pc;
	return _URC_END_OF_STACK;
}

struct skip {
	unsigned frames;
	bool found;
};

static _Unwind_Reason_Code
look_for_skip(struct _Unwind_Context *context, void *data)
{
	static const char *const names[] = {"_skip", "criterion_skip_test",
					    "cr_theory_abort"}; /* functions of cmocka and Criterion */
	struct skip *skip = data;
	Dl_info info;

	/* minus 1: the call may be the last instruction of its function */
	if (dladdr((void *)(_Unwind_GetIP(context) - 1), &info) && info.dli_sname)
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			skip->found |= sl_text_same(info.dli_sname, names[i]);
	return skip->found || ++skip->frames == SKIP_FRAMES ? _URC_END_OF_STACK : _URC_NO_REASON;
}

bool
sl_jump_skips(void)
{
	struct skip skip = {0};

	_Unwind_Backtrace(look_for_skip, &skip);
	return skip.found;
}

void
sl_found_jump(uint64_t pc)
{
	struct sl_finding f = {.kind = SL_FINDING_ASSERT, .status = SIGABRT, .culprit_count = 1};

	sl_culprit_fill(&f.culprits[0], pc);
	sl_text_copy(f.message, sizeof(f.message), sl_framework_says());
	/* without the message, whose values may vary */
	f.signature = sl_mix((uint64_t)f.kind << 32 | SIGABRT) ^ sl_place_hash(pc);
	sl_found_this(&f);
}

void
sl_jump(struct __jmp_buf_tag *buffer, int value, uint64_t pc)
{
	if (E.control && (E.plan.active || leaves_body(target_stack(buffer)))) {
		/* the place in the test instead of the framework's jump; calls of libgcc are outside of control */
		E.control = false;
		_Unwind_Backtrace(look_for_program, &pc);
		bool skips = sl_jump_skips();

		E.control = true;
		if (skips)
			sl_section_skip(pc);
		if (leaves_body(target_stack(buffer)))
			sl_found_jump(pc);
		sl_section_jump(pc);
	}
	if (E.control) {
		sl_ghosts_leave(target_stack(buffer));
		sl_signals_jump(buffer);
		if (unlikely(E.listen.reeling))
			sl_frames_leave(target_stack(buffer));
	}
	if (!E.control)
		sl_rt_jump(target_stack(buffer));
	if (unlikely(E.recording) && !E.control)
		sl_lane_jump(buffer);
	sl_real.longjmp(buffer, value);
	__builtin_unreachable();
}

SL_EXPORT void
longjmp(jmp_buf buffer, int value)
{
	sl_jump(buffer, value, SL_PC);
}

SL_EXPORT void
_longjmp(jmp_buf buffer, int value)
{
	sl_jump(buffer, value, SL_PC);
}

SL_EXPORT void
siglongjmp(jmp_buf buffer, int value)
{
	sl_jump(buffer, value, SL_PC);
}

SL_EXPORT _Noreturn void __longjmp_chk(struct __jmp_buf_tag *buffer, int value);

void
__longjmp_chk(struct __jmp_buf_tag *buffer, int value)
{
	sl_jump(buffer, value, SL_PC);
}

/* ---- signals ---- */

/* Reads that may fault: the signal handler continues at the end, with the bytes that can be read. */
__asm__(".text\n.hidden sl_probe\n.globl sl_probe\n.hidden sl_probe_bytes\n.globl sl_probe_bytes\n.hidden sl_probe_end\n.globl sl_probe_end\n.type sl_probe, @function\nsl_probe:\n"
	"movq (%rdi), %rax\nret\n"
	"sl_probe_bytes: xorl %eax, %eax\nmovb (%rdi), %al\n"
	"sl_probe_end: ret\n.size sl_probe, .-sl_probe\n");
extern const char sl_probe_bytes[] __attribute__((visibility("hidden"))),
	sl_probe_end[] __attribute__((visibility("hidden")));

static bool
probe_failed(ucontext_t *uc)
{
	uint64_t at = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];

	if (at >= (uint64_t)sl_probe && at < (uint64_t)sl_probe_bytes)
		/* the word may cross the end of a mapping: reads single bytes */
		uc->uc_mcontext.gregs[REG_RIP] = (long)sl_probe_bytes;
	else if (at >= (uint64_t)sl_probe_bytes && at < (uint64_t)sl_probe_end)
		uc->uc_mcontext.gregs[REG_RIP] = (long)sl_probe_end;
	else
		return false;
	return true;
}

extern const char __ehdr_start[] __attribute__((visibility("hidden"))),
	etext[] __attribute__((visibility("hidden")));

static bool
is_ours(uint64_t pc)
{
	return pc >= (uint64_t)__ehdr_start && pc < (uint64_t)etext;
}

static _Unwind_Reason_Code
look_for_caller(struct _Unwind_Context *context, void *data)
{
	uint64_t pc = _Unwind_GetIP(context);

	if (is_ours(pc) || sl_world_is_libc(pc))
		return _URC_NO_REASON;
	*(uint64_t *)data = pc;
	return _URC_END_OF_STACK;
}

/*
 * Returns the place where the program called the function that has crashed in the engine (an atomic, a string
 * function) or in libc. The place of the instruction is of no use to the program's author, and varies: memcmp()
 * crashes in libc during a search, and in the engine, which reads the bytes first, during a trace.
 */
static uint64_t
calling_place(void)
{
	uint64_t pc = E.current->op.pc;

	E.control = false; /* calls of libgcc are outside of control */
	_Unwind_Backtrace(look_for_caller, &pc);
	E.control = true;
	return pc;
}

static void
on_signal(int signal, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	uint64_t at = (uint64_t)info->si_addr, pc = (uint64_t)uc->uc_mcontext.gregs[REG_RIP] + 1;
	const char *message = NULL;
	struct sigaction fallback = {.sa_handler = SIG_DFL};

	if (unlikely(info->si_code <= 0) && sl_child_sent(info))
		return;
	if (signal == SIGBUS && at - SL_ARENA_ADDRESS < sizeof(struct sl_arena))
		sl_arena_lost();
	if (probe_failed(uc) || (signal == SIGTRAP && (sl_traps_hit(uc) || sl_impact_traps_hit(uc))))
		return;
	if (E.control && (is_ours(pc) || sl_world_is_libc(pc)))
		pc = calling_place();
	if (!E.control) { /* a fault of the engine, or outside of an exploration: takes the default action */
		SL_CALL(sigaction)(signal, &fallback, NULL);
		return;
	}
	if (sl_signals_catch(signal, info, context))
		return;
	if (signal != SIGSEGV && signal != SIGBUS)
		at = 0;
	if (at && at - (E.current->stack.low - SL_PAGE) < SL_PAGE)
		message = "stack overflow";
	sl_found(signal == SIGABRT ? SL_FINDING_ABORT : SL_FINDING_CRASH, signal, at, pc, message);
}

/* Not on the alternate stack: an intercepted system call may block. */
static void
on_bad_call(int signal, siginfo_t *info, void *context)
{
	if (!sl_dispatched(info, context))
		on_signal(signal, info, context);
}

static struct sigaction saved[DEADLY_COUNT];
static stack_t saved_stack;

/* During an exploration deadly signals are findings, unless the program handles them (signal.c). */
void
sl_faults_take(void)
{
	static char *stack;
	struct sigaction action = {0};
	const size_t size = 256 * 1024;

	if (!stack)
		stack = sl_private_alloc(size);
	stack_t alternative = {.ss_sp = stack, .ss_size = size};

	SL_CALL(sigaltstack)(&alternative, &saved_stack);
	for (size_t i = 0; i < DEADLY_COUNT; i++) {
		bool call = deadly[i] == SIGSYS;

		action.sa_sigaction = call ? on_bad_call : on_signal;
		action.sa_flags = SA_SIGINFO | SA_NODEFER | (call ? 0 : SA_ONSTACK);
		SL_CALL(sigaction)(deadly[i], &action, &saved[i]);
	}
	E.arena->program.no_dispatch = !sl_dispatch_on();
}

void
sl_faults_give_back(void)
{
	sl_traps_clear();
	sl_impact_traps_clear();
	sl_dispatch_off();
	for (size_t i = 0; i < DEADLY_COUNT; i++)
		SL_CALL(sigaction)(deadly[i], &saved[i], NULL);
	SL_CALL(sigaltstack)(&saved_stack, NULL);
}

void
sl_exit_setup(void)
{
	sl_check(on_exit(last_of_exit, NULL) == 0);
	sl_check(at_quick_exit(last_of_quick_exit) == 0);
}
