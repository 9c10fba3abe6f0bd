/*
 * Names that the program has given to objects (sleave_name()), for events of them.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/entry/interpose.h"
#include "engine/section/plans.h"
#include "engine/section/section.h"
#include "engine/section/vocabulary.h"
#include "engine/under/poison.h"

#define NAMED_MAX 1024 /* the same limit as on real threads */
#define LENGTH_MAX 64

static struct {
	const void *object;
	char name[LENGTH_MAX]; /* a copy, because the program may reuse its memory */
	bool in_plan;          /* it was named while a plan was active */
} named[NAMED_MAX];
static uint32_t named_count;

/* An object that had a name before the execution has it in each. */
void
sl_plan_names_reset(void)
{
	const void *object;
	const char *name;

	for (named_count = 0; named_count < NAMED_MAX && sl_rt_named(named_count, &object, &name); named_count++) {
		named[named_count].object = object;
		named[named_count].in_plan = false;
		sl_text_copy(named[named_count].name, LENGTH_MAX, name);
	}
}

static void
met(const char *name)
{
	if (E.plan.active)
		sl_vocabulary_met(sl_plan_tally()->objects, sl_vocabulary_object(name));
}

void
sl_plan_names_begin(void)
{
	for (uint32_t i = 0; i < named_count; i++)
		met(named[i].name);
}

void
sl_plan_names_end(void)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < named_count; i++)
		if (!named[i].in_plan)
			named[kept++] = named[i];
	named_count = kept;
}

void
sl_plan_name_object(const void *object, const char *name)
{
	uint32_t i = 0;

	while (i < named_count && named[i].object != object)
		i++;
	if (i == NAMED_MAX)
		sl_trouble(SL_TROUBLE_LIMIT, 0, "named objects");
	named_count += i == named_count;
	named[i].object = object;
	sl_text_copy(named[i].name, LENGTH_MAX, name);
	named[i].in_plan = E.plan.active;
	met(name);
}

/* Returns the given name, or else the dynamic linker's name of the global variable, as on real threads. */
const char *
sl_plan_object_name(const void *object)
{
	Dl_info found;

	for (uint32_t i = 0; object && i < named_count; i++)
		if (named[i].object == object)
			return named[i].name;
	if (!object || !dladdr(object, &found) || found.dli_saddr != object || !found.dli_sname)
		return NULL;
	met(found.dli_sname);
	return found.dli_sname;
}

void
sl_plan_names_keep(void)
{
	sl_checkpoint_bytes(named, sizeof(named[0]) * named_count);
	sl_checkpoint_bytes(&named_count, sizeof(named_count));
}
