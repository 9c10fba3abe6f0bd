/*
 * The functions of sleave.h for schedules, which call the implementation on real threads or under control.
 */
#include "engine/section/section.h"
#include <errno.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/entry/record.h"
#include "engine/under/poison.h"

SL_EXPORT int
sleave_section_next(struct sleave_section *section, ...)
{
	va_list texts;
	bool is_there;

	va_start(texts, section);
	section->stack = (char *)__builtin_frame_address(0) + 16; /* the stack of the function with the section */
	if (E.control)
		is_there = sl_controlled_section_next(section, texts, SL_PC);
	else if (sl_sections_explore())
		is_there = sl_explored_section_next(section, texts, SL_PC);
	else
		is_there = sl_rt_section_next(section, texts, SL_PC);
	va_end(texts);
	return is_there;
}

SL_EXPORT void
sleave_section_end(struct sleave_section *section)
{
	if (E.control)
		sl_controlled_section_end(section, SL_PC);
	else
		sl_rt_section_end(section, SL_PC);
}

/* For calls by a pointer, or from another language: the macros in the header also pass the place. */
#undef sleave_event
#undef sleave_event_on
SL_EXPORT void sleave_event(const char *name);
SL_EXPORT void sleave_event_on(const char *name, const void *object);

/* A separate function, so that the fast path needs no frame. */
static __attribute__((noinline)) void
watched(const char *name, const void *object, const char *file, int line, uint64_t pc)
{
	if (E.control) {
		sl_controlled_event(name, object, pc);
		return;
	}
	sl_lane_event(name, pc);
	sl_rt_event(name, object, file, line);
}

static inline __attribute__((always_inline)) void
event(const char *name, const void *object, const char *file, int line, uint64_t pc)
{
	if (sl_event_passes_by(name))
		return;
	if (unlikely(E.control || E.recording))
		watched(name, object, file, line, pc);
	else
		sl_rt_event(name, object, file, line);
}

SL_EXPORT void
sleave_event(const char *name)
{
	event(name, NULL, NULL, 0, SL_PC);
}

SL_EXPORT void
sleave_event_on(const char *name, const void *object)
{
	event(name, object, NULL, 0, SL_PC);
}

SL_EXPORT void
sleave_event_at(const char *name, const void *object, const char *file, int line)
{
	event(name, object, file, line, SL_PC);
}

SL_EXPORT void
sleave_name(const void *object, const char *name)
{
	if (E.control)
		sl_controlled_name(object, name, SL_PC);
	else
		sl_rt_name(object, name);
}

static __thread char called[SL_THREAD_NAME] __attribute__((tls_model("initial-exec")));

void
sl_thread_is_called(const char *name)
{
	sl_text_copy(called, sizeof(called), name);
}

const char *
sl_thread_called(void)
{
	return called[0] ? called : NULL;
}

SL_EXPORT void
sleave_thread_name(const char *name)
{
	if (!E.control)
		sl_thread_is_called(name);
	if (unlikely(E.recording) && !E.control) {
		sl_lane_thread_name(name);
		if (!sl_rt_installed()) { /* only a program with schedules needs the mode, from its start */
			sl_raw(SYS_prctl, PR_SET_NAME, name);
			return;
		}
	}
	if (E.control)
		sl_controlled_thread_name(name, SL_PC);
	else
		sl_rt_thread_name(name);
}

/* Another way of naming a thread; the kernel cuts the name. */
SL_EXPORT int
prctl(int option, ...)
{
	unsigned long a[4];
	char name[16];
	va_list list;
	long result;

	va_start(list, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(list, unsigned long);
	va_end(list);
	/* under control threads share a kernel thread, whose name is not used */
	if (E.control && option == PR_GET_NAME && (E.current->called.given || E.current->called.inherited[0])) {
		sl_text_copy((char *)a[0], sizeof(name), E.current->called.given ? E.current->called.name : E.current->called.inherited);
		return 0;
	}
	result = E.control && option == PR_SET_NAME ? 0 : sl_raw(SYS_prctl, option, a[0], a[1], a[2], a[3]);
	if (result < 0) {
		errno = (int)-result;
		return -1;
	}
	if (option == PR_SET_NAME) {
		sl_text_copy(name, sizeof(name), (const char *)a[0]);
		if (!E.control)
			sl_thread_is_called(name);
		if (E.control)
			sl_controlled_thread_name(name, SL_PC);
		else if (E.recording)
			sl_lane_thread_name(name);
		if (!E.control && sl_rt_installed())
			sl_rt_thread_name(name);
	}
	return (int)result;
}

SL_EXPORT const char *
sleave_schedule_name(void)
{
	return E.control ? sl_controlled_schedule_name() : sl_rt_schedule_name();
}
