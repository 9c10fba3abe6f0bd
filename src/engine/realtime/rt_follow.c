/*
 * Schedules on real threads: a schedule given by the command, for a program that has none of its own. See
 * rt_follow.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/realtime/rt.h"
#include "engine/realtime/rt_follow.h"
#include "engine/realtime/rt_say.h"
#include "engine/section/criterion_tests.h"
#include "engine/under/poison.h"

static struct sl_follow *wanted;
static struct sleave_section *mine; /* the section that follows it */
static uint32_t visits;             /* number of sections that the process has reached */

/* ---- the state of all threads, in a program that does not end ---- */

static void
tell_state(int signal)
{
	(void)signal;
	if (sl_rt_inside() || !F.monitor)
		return;
	sl_rt_lock();
	sl_say_nothing();
	sl_say_state();
	sl_say_running();
	wanted->said[sl_said(wanted->said, sizeof(wanted->said) - 1)] = '\0';
	sl_raw(SYS_exit_group, 1);
}

static void
hear(void)
{
	struct sigaction action = {.sa_handler = tell_state};

	sl_memset(&action.sa_mask, 0xff, sizeof(action.sa_mask));
	sl_true.sigaction(SL_FOLLOW_SIGNAL, &action, NULL);
}

/* ---- the schedule that the command asks for ---- */

bool
sl_rt_follow_open(void)
{
	const char *path = getenv(SL_FOLLOW_ENV);
	long fd = path ? sl_raw(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;

	if (fd < 0)
		return false;
	wanted = (void *)sl_raw(SYS_mmap, NULL, sizeof(*wanted), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	sl_raw(SYS_close, fd);
	sl_check((long)wanted > 0 && wanted->magic == SL_FOLLOW_MAGIC);
	/*
	 * not for programs that this one starts; but a test framework may start this one anew to reach a section
	 */
	if (!wanted->line)
		unsetenv(SL_FOLLOW_ENV);
	return true;
}

static struct sl_plan *
parse(struct sleave_section *section, ...)
{
	struct sl_plan *plan;
	va_list texts;

	va_start(texts, section);
	plan = sl_rt_parse(section, texts);
	va_end(texts);
	return plan;
}

/* Replaces the section's schedules if the command means this section. */
struct sl_plan *
sl_rt_follow_plan(struct sleave_section *section, struct sl_plan *plan)
{
	const struct sl_plan *p = plan;

	if (likely(!wanted) || !wanted->line)
		return plan;
	mine = NULL;
	visits++;
	while (p && !sl_text_same(p->name, wanted->schedule))
		p = p->next;
	if (!p || (uint32_t)section->line != wanted->line || !sl_text_same(section->file, wanted->file) ||
	    (wanted->visit && wanted->visit != sl_test_count(visits)))
		return plan;
	section->flags &= ~SLEAVE_SECTION_INFEASIBLE;
	mine = section;
	hear();
	return parse(section, wanted->name, wanted->text, NULL);
}

static bool
next(struct sleave_section *section, ...)
{
	va_list texts;
	bool is_there;

	va_start(texts, section);
	is_there = sl_rt_section_next(section, texts, 0);
	va_end(texts);
	return is_there;
}

bool
sl_rt_follow_main(int (*main)(int, char **, char **), int argc, char **argv, char **env, int *status)
{
	struct sleave_section section = {.file = "the program", .function = "main"};

	if (!wanted || wanted->line || wanted->explore_call)
		return false;
	section.stack = (char *)__builtin_frame_address(0) + 16;
	mine = &section;
	hear();
	if (next(&section, wanted->name, wanted->text, NULL))
		*status = main(argc, argv, env);
	sl_rt_section_end(&section, 0);
	return true;
}

/* The other calls return at once: an exploration leaves no trace in the program. */
bool
sl_rt_follow_body(void (*body)(void *), void *arg, uint32_t call)
{
	struct sleave_section section = {.file = "the program", .function = "sleave_explore"};

	if (!wanted || !wanted->explore_call || wanted->explore_call != call)
		return wanted;
	section.stack = (char *)__builtin_frame_address(0) + 16;
	mine = &section;
	hear();
	if (next(&section, wanted->name, wanted->text, NULL))
		body(arg);
	sl_rt_section_end(&section, 0);
	sl_raw(SYS_exit_group, 0);
	return true;
}

/* ---- results ---- */

void
sl_rt_follow_note(enum sl_follow_end how)
{
	if (likely(!wanted) || F.section != mine || F.child || wanted->end > SL_FOLLOWED_LEFT)
		return;
	wanted->end = how;
	if (how > SL_FOLLOWED_LEFT)
		wanted->said[sl_said_about(wanted->said, sizeof(wanted->said) - 1)] = '\0';
}

void
sl_rt_follow_refused(const struct sleave_section *section)
{
	if (likely(!wanted) || section != mine)
		return;
	F.section = mine; /* the section did not even begin */
	sl_rt_follow_note(SL_FOLLOWED_REFUSED);
}

void
sl_rt_follow_assertion(const char *expression, unsigned line)
{
	if (likely(!wanted))
		return;
	sl_text_copy(wanted->assertion, sizeof(wanted->assertion), expression);
	wanted->assertion_line = line;
}
