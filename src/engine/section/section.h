/*
 * Sections: the parts of a test that have a schedule (SLEAVE_SCHEDULES and its like in sleave.h).
 *
 * section.c is the entrance, and asks the part that runs the threads: out of control that is rt.c, with real threads that
 * are held back at events; under control it is plan.c, where the schedule says which interleavings there are.
 */
#ifndef SL_ENGINE_SECTION_SECTION_H
#define SL_ENGINE_SECTION_SECTION_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include "sleave.h"

/*
 * Threads are called `main`, `T1`, `T2`, … When a run of a section begins they are counted anew: those that are there are
 * the first, in the order in which they came.
 *
 * `texts` are pairs of strings, a name and a text, up to NULL. next() ends the run of the section that is under way, if
 * any, and begins the next; false: there is none. end() is called when the block is left in any way, also after next()
 * has returned false; what it has to do may be done already.
 */

/* in place (inplace.c): each schedule is explored, then all are run on real threads */
struct sl_section_text {
	const char *name, *text;
};
bool sl_sections_explore(void);    /* is that wanted? */
uintptr_t sl_section_frame(void);  /* in the frame of the function with the block that is explored */
uintptr_t sl_visited_frame(void);  /* … if it is explored by the whole program (prelude.h) */
void sl_sections_reset(void);      /* an execution begins */
void sl_section_jump(uint64_t pc); /* a long jump of the program, in control: it may leave a block */
struct __jmp_buf_tag;
_Noreturn void sl_jump(struct __jmp_buf_tag *buffer, int value, uint64_t pc); /* the program's longjmp() */
_Noreturn void sl_found_jump(uint64_t pc); /* it has left what is explored: an assertion that failed, from there */
bool sl_explored_section_next(struct sleave_section *section, va_list texts, uint64_t pc);
bool sl_jump_skips(void); /* the long jump under way is that of a framework which skips the test (exit.c) */
void sl_section_skip(uint64_t pc);        /* … in control: does not come back if that ends the execution */
const char *sl_framework_says(void);      /* of what has failed (cmocka.c) */
void sl_framework_reset(void);            /* an execution begins */
bool sl_section_was_skipped(bool forget); /* by all executions since it was forgotten */
bool sl_section_is_beside(void);          /* it is explored by the whole program, and not here */
bool sl_section_was_explored(void);       /* and all was well: now it is run on real threads */
bool sl_others_run(void);                 /* threads that are not ours (explore.c) */
unsigned sl_section_plans(const struct sl_section_text *texts, unsigned count); /* how many there are in them */

/*
 * For `sleave test` (tell.c). how: "began", without a result; "explored", "ran" or "checked", with one; "skipped" by the
 * test's framework, or not run; "left" by a jump
 * or an exception, so that the end of the program says whether something was wrong. "partly", without a result: explored, some
 * executions could not follow it. "beside": it is on real threads only,
 * because of threads that were there before; `sleave test` may explore it by the whole program (prelude.h): `complete` is the
 * number of the schedule, `executions` that of the section, `took` the process. Else took: nanoseconds.
 */
/* A command for the exploration of this process: its exit status, -1 if it could not be run (explore.c). */
int sl_command_run(const char *option, const char *value);
void sl_explore_write_early(void);
/* Of explorations from inside, of which this is the one of that number (explore_trace.c). False: it can't be, or is not all there. */
bool sl_trace_begin(uint32_t number);
bool sl_trace_end(void);

void sl_section_tell(const struct sleave_section *section, const char *name, const char *how,
		     const struct sleave_result *result, uint64_t took);

/* under control (plan.c) */
void sl_controlled_section_begin(struct sleave_section *section, const struct sl_section_text *texts,
				 unsigned text_count, unsigned number, uint64_t pc);
bool sl_controlled_section_next(struct sleave_section *section, va_list texts, uint64_t pc);
void sl_controlled_section_end(struct sleave_section *section, uint64_t pc);
void sl_controlled_event(const char *name, const void *object, uint64_t pc);
void sl_controlled_name(const void *object, const char *name, uint64_t pc);
void sl_controlled_thread_name(const char *name, uint64_t pc);
const char *sl_controlled_schedule_name(void);

/* real threads (rt.c) */
bool sl_rt_section_next(struct sleave_section *section, va_list texts, uint64_t pc);
void sl_rt_section_end(struct sleave_section *section, uint64_t pc);
void sl_rt_section_check(struct sleave_section *section,
			 va_list texts); /* a schedule that is wrong fails the test in all modes */
void sl_rt_event(const char *name, const void *object, const char *file, int line);

/*
 * The shortest way for events that mean nothing in the section that runs: their names' addresses, with the number of the run above
 * them, so that one word says it. No run, or one in which every event has to be seen: sl_event_pass is 0.
 */
#define SL_PASSES 1024
extern uint64_t sl_event_passes[SL_PASSES], sl_event_pass;

static inline uint64_t *
sl_event_passing(const char *name)
{
	return &sl_event_passes[((uintptr_t)name / 4 ^ (uintptr_t)name / 4096) % SL_PASSES];
}

static inline bool
sl_event_passes_by(const char *name)
{
	return __atomic_load_n(sl_event_passing(name), __ATOMIC_ACQUIRE) ==
	       ((uint64_t)(uintptr_t)name | __atomic_load_n(&sl_event_pass, __ATOMIC_ACQUIRE));
}

void sl_rt_name(const void *object, const char *name);
bool sl_rt_named(uint32_t index, const void **object, const char **name); /* all that have a name, from 0 */
void sl_rt_thread_name(const char *name);
const char *sl_rt_schedule_name(void);
void sl_rt_jump(uintptr_t stack); /* the running thread jumps there */
void sl_rt_exit(int status);      /* the process ends */
int sl_rt_status(int status);     /* … with this one: not 0 if a schedule was only checked, and not kept to */
void sl_rt_install(void);         /* a program that has sections runs */
bool sl_rt_installed(void);
void sl_rt_uninstall(void); /* control begins */
long sl_rt_futex(const long a[6]);

/* a schedule that the command wants a program on real threads to follow (rt_follow.c): is there one? */
bool sl_rt_follow_open(void);
bool sl_rt_follow_main(int (*main)(int, char **, char **), int argc, char **argv, char **env, int *status);
bool sl_rt_follow_body(void (*body)(void *), void *arg, uint32_t call);
void sl_rt_follow_assertion(const char *expression, unsigned line);

void sl_rt_section_abandon(const char *how); /* on real threads (realtime/): "left", or "skipped" */

#endif
