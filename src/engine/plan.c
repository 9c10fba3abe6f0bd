/*
 * Schedules under control. Not yet: a section ends the execution, by name. (Events outside of sections mean nothing.)
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
sl_controlled_section_next(struct sleave_section *section, va_list texts, uint64_t pc)
{
	(void)section;
	(void)texts;
	sl_trouble(SL_TROUBLE_UNSUPPORTED, pc, "a section with schedules");
}

void
sl_controlled_section_end(struct sleave_section *section, uint64_t pc)
{
	(void)section;
	(void)pc;
}

void
sl_controlled_event(const char *name, const void *object, uint64_t pc)
{
	(void)name;
	(void)object;
	(void)pc;
}

void
sl_controlled_name(const void *object, const char *name, uint64_t pc)
{
	(void)object;
	(void)name;
	(void)pc;
}

/* A name of any length; the kernel's has 15 characters. */
void
sl_controlled_thread_name(const char *name, uint64_t pc)
{
	struct sl_thread *t = E.current;
	size_t n = sl_strlen(name);

	(void)pc;
	if (n >= sizeof(t->name))
		n = sizeof(t->name) - 1;
	sl_memcpy(t->name, name, n);
	t->name[n] = 0;
	t->named = true;
}

const char *
sl_controlled_schedule_name(void)
{
	return NULL;
}
