/*
 * Sections: the parts of a test that have schedules (SLEAVE_SCHEDULES and similar macros in sleave.h).
 *
 * section.c has the entry points, and calls the part that runs the threads: outside of control rt.c, which holds
 * real threads back at events; under control plan.c, in which the schedule restricts the interleavings.
 */
#ifndef SL_ENGINE_SECTION_SECTION_H
#define SL_ENGINE_SECTION_SECTION_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include "sleave.h"

/*
 * Threads are called `main`, `T1`, `T2`, … Each run of a section numbers them again: existing threads get the
 * first numbers, in the order of their creation.
 *
 * `texts` are pairs of strings, a name and a text, up to NULL. next() ends the current run of the section, if any,
 * and begins the next; false: there is none. end() is called when the block is left in any way, also after next()
 * has returned false, when there may be nothing left to do.
 */

/* in place (inplace.c): each schedule is explored, then all are run on real threads */
struct sl_section_text {
	const char *name, *text;
};
bool sl_sections_explore(void);    /* whether sections are explored in place */
uintptr_t sl_section_frame(void);  /* an address in the frame of the function with the explored block */
uintptr_t sl_visited_frame(void);  /* the same if it is explored with the whole program (prelude.h) */
void sl_sections_reset(void);      /* an execution begins */
void sl_section_jump(uint64_t pc); /* a long jump of the program under control, which may leave a block */
struct __jmp_buf_tag;
/* implements the program's longjmp() */
_Noreturn void sl_jump(struct __jmp_buf_tag *buffer, int value, uint64_t pc);
_Noreturn void sl_found_jump(uint64_t pc); /* a jump has left the explored block: an assertion failed at pc */
bool sl_explored_section_next(struct sleave_section *section, va_list texts, uint64_t pc);
bool sl_jump_skips(void); /* whether the current long jump is that of a framework which skips the test (exit.c) */
void sl_section_skip(uint64_t pc); /* the test is skipped under control; returns unless that ends the execution */
const char *sl_framework_says(void);      /* the framework's message about the failure (cmocka.c) */
void sl_framework_reset(void);            /* an execution begins */
bool sl_section_was_skipped(bool forget); /* by all executions since the last call with `forget` */
bool sl_section_is_beside(void);          /* whether it is explored with the whole program instead of in place */
bool sl_section_was_explored(void); /* whether it was explored without a finding, and runs on real threads now */
bool sl_others_run(void);           /* whether unknown threads are running (explore.c) */
/* the number of schedules in the texts */
unsigned sl_section_plans(const struct sl_section_text *texts, unsigned count);

/*
 * Runs a `sleave` command for the exploration of this process. Returns its exit status, -1 if it could not be run
 * (explore.c).
 */
int sl_command_run(const char *option, const char *value);
void sl_explore_write_early(void);
/*
 * The trace of the exploration of this number in this process (explore_trace.c). False: it can't be written, or is
 * incomplete.
 */
bool sl_trace_begin(uint32_t number);
bool sl_trace_end(void);

/*
 * Reports to `sleave test` (tell.c). `how` is
 *
 *   began      no result
 *   explored, ran, checked  with a result
 *   skipped    by the test's framework, or not run
 *   left       by a jump or an exception: the end of the program says whether the test has failed
 *   partly     no result: explored, and some executions could not follow the schedule
 *   beside     run on real threads only, because of threads from before. `sleave test` may explore it with the
 *              whole program (prelude.h): `complete` is the number of the schedule, `executions` that of the
 *              section, `took` the process.
 *
 * Otherwise `took` is in nanoseconds.
 */
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
			 va_list texts); /* a schedule with an error fails the test in all modes */
void sl_rt_event(const char *name, const void *object, const char *file, int line);

/*
 * The fast path for events that have no meaning in the current run: a word has the address of the event's name
 * and, above it, the number of the run. sl_event_pass is 0 if there is no run, or if the run needs every event.
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
bool sl_rt_named(uint32_t index, const void **object, const char **name); /* the index-th named object, from 0 */
void sl_rt_thread_name(const char *name);
const char *sl_rt_schedule_name(void);
void sl_rt_jump(uintptr_t stack); /* the running thread makes a long jump to this stack */
void sl_rt_exit(int status);      /* the process ends */
int sl_rt_status(int status);     /* the status to end with: not 0 if a checked schedule was violated */
void sl_rt_install(void);         /* called in a program with sections */
bool sl_rt_installed(void);
void sl_rt_uninstall(void); /* control begins */
long sl_rt_futex(const long a[6]);

/* rt_follow.c: returns whether the command gives this program a schedule on real threads */
bool sl_rt_follow_open(void);
bool sl_rt_follow_main(int (*main)(int, char **, char **), int argc, char **argv, char **env, int *status);
bool sl_rt_follow_body(void (*body)(void *), void *arg, uint32_t call);
void sl_rt_follow_assertion(const char *expression, unsigned line);

void sl_rt_section_abandon(const char *how); /* on real threads: "left" or "skipped" */

#endif
