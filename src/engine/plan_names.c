/*
 * Names that the program has given to objects (sleave_name()), for events of them.
 */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/interpose.h"
#include "engine/plans.h"
#include "engine/poison.h"

#define NAMED_MAX 256

static struct {
	const void *object;
	const char *name;
} named[NAMED_MAX];
static uint32_t named_count;

void
sl_plan_names_reset(void)
{
	named_count = 0;
}

void
sl_plan_name_object(const void *object, const char *name)
{
	for (uint32_t i = 0; i < named_count; i++)
		if (named[i].object == object) {
			named[i].name = name;
			return;
		}
	if (named_count == NAMED_MAX)
		sl_trouble(SL_TROUBLE_LIMIT, 0, "named objects");
	named[named_count].object = object;
	named[named_count++].name = name;
}

const char *
sl_plan_object_name(const void *object)
{
	for (uint32_t i = 0; object && i < named_count; i++)
		if (named[i].object == object)
			return named[i].name;
	return NULL;
}

void
sl_plan_names_keep(void)
{
	sl_checkpoint_bytes(named, sizeof(named[0]) * named_count);
	sl_checkpoint_bytes(&named_count, sizeof(named_count));
}
