/*
 * Schedules on real threads. Not yet: a section ends the process.
 */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/engine.h"
#include "engine/interpose.h"
#include "engine/section.h"
#include "engine/poison.h"

bool
sl_free_section_next(struct sleave_section *section, va_list texts, uint64_t pc)
{
	static const char message[] = "sleave: schedules on real threads are not there yet\n";

	(void)section;
	(void)texts;
	(void)pc;
	sl_raw(SYS_write, 2, message, sizeof(message) - 1);
	SL_CALL(abort)();
	return false;
}

void
sl_free_section_end(struct sleave_section *section, uint64_t pc)
{
	(void)section;
	(void)pc;
}

void
sl_free_event(const char *name, const void *object, uint64_t pc)
{
	(void)name;
	(void)object;
	(void)pc;
}

void
sl_free_name(const void *object, const char *name)
{
	(void)object;
	(void)name;
}

void
sl_free_thread_name(const char *name)
{
	(void)name;
}

const char *
sl_free_schedule_name(void)
{
	return NULL;
}
