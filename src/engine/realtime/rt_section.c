/*
 * Schedules on real threads: sections begin and end here, and with each the state of one run.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/entry/code.h"
#include "engine/entry/interpose.h"
#include "engine/entry/rt_code.h"
#include "engine/realtime/rt.h"
#include "engine/realtime/rt_say.h"
#include "engine/under/poison.h"

static struct sl_plan *first_plan; /* of the section's */
static unsigned uncaught;          /* exceptions, when the run began */
static uint64_t began;             /* when the run began */

/* ---- errors ---- */

void
sl_rt_fail(void)
{
	if (!F.child)
		sl_say_tell(F.checking ? "checked" : "ran");
	sl_say_all();
	sl_rt_log_write();
	F.monitor = NULL;
	sl_rt_let_go();
	sl_rt_unlock();
	SL_CALL(abort)();
	__builtin_unreachable();
}

/* A schedule that was only checked lets the program continue; the exit status reports the failure. */
void
sl_rt_wrong(void)
{
	if (!F.checking)
		sl_rt_fail();
	F.failed = true;
	sl_say_tell(F.checking ? "checked" : "ran");
	sl_say_all();
}

void
sl_rt_infeasible(void)
{
	if (F.child)
		sl_rt_tried(sl_rt_fulfilled());
	sl_say_nothing();
	sl_say_head(F.section, F.plan->name);
	sl_say(F.held ? "can't happen: no thread can go on\n"
		      : "leads to a deadlock, although the schedule holds no thread back\n");
	sl_say_state();
	sl_rt_follow_note(sl_rt_is_deadlock() ? SL_FOLLOWED_STUCK : SL_FOLLOWED_IMPOSSIBLE);
	if (F.held && sl_sections_explore() && sl_section_was_explored())
		sl_say("  An exploration has shown that the schedule can be followed. Here the threads took a path on which it "
		       "cannot: order the events that lead to that path, too\n");
	else if (F.held && getenv("SLEAVE_RESULTS")) /* `sleave test` */
		sl_say("  The next run may take a path on which it can happen; in a program that is built with `sleave cc`, `sleave test` searches for such a path\n");
	sl_rt_fail();
}

void
sl_rt_refuse(const struct sleave_section *section, const char *why)
{
	sl_rt_lock();
	sl_say_nothing();
	sl_say_head(section, section->name);
	sl_say_many(why, "\n", NULL);
	sl_rt_follow_refused(section);
	sl_rt_fail();
}

/* ---- one run ---- */

static const char *
first_name(va_list texts)
{
	va_list copied;
	const char *name;

	va_copy(copied, texts);
	name = va_arg(copied, const char *);
	va_end(copied);
	return name;
}

static unsigned
exceptions(void)
{
	struct {
		void *caught;
		unsigned uncaught;
	} *globals = sl_true.__cxa_get_globals ? sl_true.__cxa_get_globals() : NULL;

	return globals ? globals->uncaught : 0;
}

/*
 * Numbers the threads anew: the existing ones become T1, T2, … in the order in which they came. Threads that a
 * failed test has left behind, and a framework's own, get numbers that no other thread gets.
 */
static void
number(void)
{
	uint32_t left = UINT32_MAX;

	F.numbers = 0;
	for (uint32_t i = 0; i < F.runner_count; i++) {
		struct sl_runner *r = &F.runners[i];

		r->told = false;
		if (r->doing != SL_ENDED && r->tid != (int)sl_raw(SYS_getpid))
			r->number = sl_rt_is_apart(r) ? left-- : ++F.numbers;
	}
}

static bool
blocked(const struct sl_runner *r)
{
	return r->doing == SL_BLOCKED && (r->waits.kind != SL_WAITS_IO || !sl_rt_io_ready(r));
}

/* Finds the code that the schedule names. */
static const struct sl_code *
find_code(struct sleave_section *section, const struct sl_plan *plan)
{
	const struct sl_code *code;
	uint32_t number = 0, i = 0;
	char error[256];

	while (!(1u << plan->atoms[i]->kind & SL_CODE_KINDS))
		i++;
	if (!sl_instrumented) {
		sl_rt_lock();
		sl_say_nothing();
		sl_say_head(section, plan->name);
		sl_say("names ");
		sl_say_atom(plan->atoms[i]);
		sl_say(", an event that is seen only in a program that was built with `sleave cc`\n");
		sl_rt_follow_refused(section);
		sl_rt_fail();
	}
	for (const struct sl_plan *p = first_plan; p != plan; p = p->next)
		number += p->text == plan->text;
	code = sl_rt_code_find(plan, number, error, sizeof(error));
	if (!code) {
		sl_rt_lock();
		sl_say_nothing();
		sl_say_head(section, plan->name);
		sl_say_many("is wrong: ", error, "\n", NULL);
		sl_rt_follow_refused(section);
		sl_rt_fail();
	}
	return code;
}

static void
begin(struct sleave_section *section, struct sl_plan *plan)
{
	const struct sl_code *code = plan->kinds & SL_CODE_KINDS ? find_code(section, plan) : NULL;
	struct sl_monitor *monitor = sl_rt_monitor(plan);

	if (!monitor)
		sl_rt_refuse(section, "is too large");
	sl_rt_lock();
	F.epoch++;
	F.version++;
	F.section = section;
	F.owner = sl_rt_self();
	F.plan = plan;
	F.io_told = 0;
	F.broken.event.kind = SL_EVENT_KINDS;
	F.broken.told = false;
	number();
	sl_rt_io_begin();
	F.monitor = monitor;
	__atomic_store_n(&sl_rt_exact, plan->blocks, __ATOMIC_SEQ_CST);
	sl_rt_swift_begin();
	sl_rt_code_follow(code);
	for (uint32_t i = 0; i < F.runner_count; i++) {
		struct sl_runner *r = &F.runners[i];

		if (r->doing == SL_ENDED)
			continue;
		r->told = blocked(r);
		F.io_told += r->told && r->waits.kind == SL_WAITS_IO;
		if (sl_rt_is_apart(r))
			continue;
		sl_rt_started(r);
		if (r->told)
			sl_monitor_thread(monitor, r->number, r->named ? r->name : NULL, true);
	}
	__atomic_store_n(&F.watching, true, __ATOMIC_SEQ_CST);
	uncaught = exceptions();
	section->state = plan;
	section->name = plan->name;
	section->index++;
	sl_rt_log("SECTION", F.owner, plan->name, section->file, section->line);
	for (uint32_t i = 0; F.logging && i < F.runner_count; i++)
		if (F.runners[i].doing != SL_ENDED)
			sl_rt_log("THREAD", &F.runners[i], F.runners[i].told ? "blocked" : "running", NULL, 0);
	began = sl_nanoseconds();
	sl_rt_follow_note(SL_FOLLOWED_BEGAN);
	if (!F.child)
		sl_section_tell(section, plan->name, "began", NULL, 0);
	sl_rt_unlock();
}

/* Reports to `sleave test` how the run ended. The result of a child process is its parent's to report. */
static void
tell(const char *how)
{
	static const struct sleave_result clean = {.verdict = SLEAVE_CLEAN};

	if (!F.child)
		sl_section_tell(F.section, F.plan->name, how, &clean, sl_nanoseconds() - began);
}

/* Under the lock: discards the state of the run. */
static void
forget(void)
{
	F.monitor = NULL;
	F.section = NULL;
	F.plan = NULL;
	F.owner = NULL;
	__atomic_store_n(&sl_rt_exact, false, __ATOMIC_SEQ_CST);
	sl_rt_code_follow(NULL);
	sl_rt_let_go();
	sl_rt_events_reset();
	F.watching = F.logging;
	sl_rt_swift_end();
	sl_rt_log_write();
}

/* Under the lock, at the end of the run: composes the message about it. False: all is well. */
static bool
is_wrong(const char *head)
{
	sl_say_nothing();
	sl_say_head(F.section, F.plan->name);
	sl_say(head);
	if (sl_say_unfulfilled()) {
		sl_say_state();
		sl_rt_follow_note(SL_FOLLOWED_UNFULFILLED);
		return true;
	}
	sl_say_nothing();
	return false;
}

static void
over(struct sleave_section *section)
{
	bool wrong;

	sl_rt_code_done();
	sl_rt_lock();
	sl_rt_end_wait(sl_rt_self());
	sl_rt_lock();
	if (F.child)
		sl_rt_tried(sl_rt_fulfilled());
	wrong = is_wrong(F.checking ? "was not followed\n" : "was not fulfilled\n");
	sl_rt_log("SECTION_END", F.owner, F.plan->name, section->file, section->line);
	if (wrong) {
		sl_rt_wrong();
	} else if (F.broken.told) {
		tell("checked"); /* only that the run is over: the rest has been reported */
	} else if (F.checking) {
		sl_say_head(section, F.plan->name);
		sl_say("was followed\n");
		sl_say_all();
	}
	if (!wrong && !F.broken.told) {
		sl_rt_follow_note(SL_FOLLOWED_KEPT);
		tell(F.checking ? "checked" : "ran");
	}
	forget();
	sl_rt_unlock();
}

/* ---- the interface to the section's macros ---- */

static void
check_jump(const struct sleave_section *section)
{
	if (section->index == -2)
		sl_rt_refuse(section,
			     "was lost by a long jump inside the block: put setjmp() into a function of its own");
}

static bool
is_ours(const struct sleave_section *section)
{
	return section->state && F.section == section && F.monitor;
}

void
sl_rt_section_check(struct sleave_section *section, va_list texts)
{
	struct sl_plan *plan;

	section->name = first_name(texts);
	plan = first_plan = sl_rt_parse(section, texts);
	if (!plan)
		sl_rt_refuse(section, "is missing");
	for (; plan; plan = plan->next)
		if (plan->kinds & SL_CODE_KINDS)
			find_code(section, plan);
}

bool
sl_rt_section_next(struct sleave_section *section, va_list texts, uint64_t pc)
{
	struct sl_plan *plan;

	(void)pc;
	sl_rt_install();
	sl_rt_self();
	check_jump(section);
	if (section->index < 0)
		return false;
	if (!section->index) {
		section->name = first_name(texts);
		if (F.section)
			sl_rt_refuse(
				section,
				"is inside another section, or runs beside one: only one section can run at a time");
		plan = first_plan = sl_rt_follow_plan(section, sl_rt_parse(section, texts));
		if (!plan)
			sl_rt_refuse(section, "is missing");
		if (section->flags & SLEAVE_SECTION_INFEASIBLE && !sl_rt_try(section, plan))
			plan = NULL;
	} else {
		plan = ((struct sl_plan *)section->state)->next;
		if (is_ours(section))
			over(section);
		else
			plan = NULL; /* in a child process that the block has made */
	}
	if (plan)
		begin(section, plan);
	else
		section->index = -1;
	return plan != NULL;
}

/*
 * The block was left by break, return or goto: reports the schedules that were not run, since the test may pass.
 */
static void
note_left(const struct sleave_section *section, const struct sl_plan *plan)
{
	static const struct sleave_result not_run = {.message = "not run: the block was left early"};

	if (F.child || (sl_sections_explore() && !sl_section_is_beside())) /* all were explored */
		return;
	sl_rt_lock();
	for (sl_say_nothing(); plan; plan = plan->next) {
		sl_section_tell(section, plan->name, "skipped", &not_run, 0);
		sl_say_head(section, plan->name);
		sl_say("was not run: the block was left early\n");
	}
	sl_say_all();
	sl_rt_unlock();
}

void
sl_rt_section_end(struct sleave_section *section, uint64_t pc)
{
	(void)pc;
	check_jump(section);
	if (section->index < 0 || !is_ours(section))
		return;
	if (exceptions() > uncaught) {
		sl_rt_section_abandon("left");
	} else {
		note_left(section, ((struct sl_plan *)section->state)->next);
		over(section);
	}
	section->index = -1;
}

/* The run has failed in another way, which counts: whether the schedule was fulfilled does not matter any more. */
void
sl_rt_section_abandon(const char *how)
{
	if (F.child && how[0] == 's')
		sl_rt_try_skips();
	if (F.child)
		sl_raw(SYS_exit_group, 1);
	sl_rt_lock();
	for (uint32_t i = 0; i < F.runner_count; i++)
		F.runners[i].leftover |= F.runners[i].doing != SL_ENDED && F.runners[i].created.epoch == F.epoch &&
					 &F.runners[i] != F.owner;
	tell(how);
	sl_rt_follow_note(SL_FOLLOWED_LEFT);
	for (const struct sl_plan *p = how[0] == 's' ? F.plan->next : NULL; p; p = p->next)
		sl_section_tell(F.section, p->name, how, NULL, 0);
	forget();
	sl_rt_unlock();
}

/*
 * A long jump of the running thread: does it leave the block? A jump within the function that has the section may
 * or may not; it is taken for a test framework's, whose functions may have been inlined.
 */
void
sl_rt_jump(uintptr_t stack)
{
	if (likely(!F.section) || F.owner != sl_rt_self() || stack < (uintptr_t)F.section->stack)
		return;
	F.section->index = -2;
	sl_rt_section_abandon(sl_jump_skips() ? "skipped" : "left");
}

/* The process ends: in the middle of a section, and with status 0? */
void
sl_rt_exit(int status)
{
	if (!F.installed)
		return;
	if (F.monitor && !status) {
		sl_rt_code_done();
		sl_rt_lock();
		if (F.child)
			sl_rt_tried(sl_rt_fulfilled());
		if (is_wrong("was not fulfilled when the process ended\n"))
			sl_rt_wrong();
		else
			tell(F.checking ? "checked" : "ran");
		sl_rt_follow_note(SL_FOLLOWED_KEPT);
		sl_rt_unlock();
	}
	sl_rt_log_write();
	if (sl_rt_status(status) != status) {
		sl_true.fflush(NULL);
		sl_raw(SYS_exit_group, sl_rt_status(status));
	}
}

int
sl_rt_status(int status)
{
	return F.failed && !status ? 1 : status;
}

void
sl_rt_forked(void)
{
	F.monitor = NULL;
	F.section = NULL;
	F.plan = NULL;
	F.owner = NULL;
	__atomic_store_n(&sl_rt_exact, false, __ATOMIC_SEQ_CST);
	F.ending = F.failed = false; /* failures are the parent's */
	sl_rt_code_follow(NULL);
	F.watching = F.logging;
	sl_rt_swift_end();
	sl_rt_log_forget();
}

const char *
sl_rt_schedule_name(void)
{
	return F.plan ? F.plan->name : NULL;
}

void
sl_rt_thread_name(const char *name)
{
	struct sl_runner *self;

	sl_raw(SYS_prctl, 15 /* PR_SET_NAME: cut by the kernel */, name);
	if (!F.installed) /* a program without sections: waiting threads would not be found */
		return;
	self = sl_rt_self();
	if (!self)
		return;
	if (sl_strlen(name) >= sizeof(self->name)) {
		static const char sorry[] = "sleave: the name that a thread is given is too long\n";

		sl_raw(SYS_write, 2, sorry, sizeof(sorry) - 1);
		SL_CALL(abort)();
	}
	sl_rt_name_runner(self, name);
}

static _Noreturn void
refuse_mode(const char *mode)
{
	sl_rt_lock();
	sl_say_nothing();
	sl_say_many("sleave: SLEAVE_MODE=", mode, " is not one of free, check, explore\n", NULL);
	sl_say_all();
	sl_rt_unlock();
	SL_CALL(abort)();
	__builtin_unreachable();
}

void
sl_rt_begin(void)
{
	const char *mode = getenv("SLEAVE_MODE"), *log = getenv("SLEAVE_LOG");

	F.checking = mode && sl_text_same(mode, "check");
	if (mode && *mode && !F.checking && !sl_text_same(mode, "free") && !sl_text_same(mode, "explore"))
		refuse_mode(mode);
	if (log && *log)
		sl_rt_log_open(log);
	F.watching = F.logging;
	F.broken.event.kind = SL_EVENT_KINDS;
}
