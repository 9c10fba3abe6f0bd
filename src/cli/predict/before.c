#include "cli/predict/before.h"

#include "cli/change/renamed.h"
#include "cli/predict/declared.h"

#include <stdlib.h>
#include <string.h>

void
sl_before_init(struct sl_before *b, const struct sl_program_change *change, const struct sl_tried_program *new)
{
	*b = (struct sl_before){.change = change, .settings = *new->settings, .program = *new};
	/* Other faults of the old version do not matter here, and would end executions. */
	b->settings.races = b->settings.memory = b->settings.misuse = SL_RACES_OFF;
	b->settings.output = NULL;
	b->program.settings = &b->settings;
	b->program.path = change->old;
	b->program.directory = change->old_cwd;
	b->program.violations = SL_RACES_OFF;
	b->program.executions = 0;
	b->program.marks = NULL;
	b->program.mark_count = 0;
}

void
sl_before_release(struct sl_before *b)
{
	sl_violations_release(&b->violations);
	sl_recorded_release(&b->recorded);
	free(b->program.marks);
	*b = (struct sl_before){0};
}

/* What the old version does not have of the declared sets is none. */
static void
make(struct sl_before *b)
{
	struct sl_predict_options options = {0};
	struct sl_declared declared = {0};
	struct sl_err ignored = {""};

	b->made = true;
	if (sl_recorded_make(&b->recorded, &b->program, 0, &ignored) < 0) {
		b->failed = true;
		return;
	}
	if (b->settings.predict.sets &&
	    (sl_declared_read(&declared, b->settings.predict.sets, &ignored) < 0 ||
	     sl_declared_bind(&declared, b->recorded.modules, b->recorded.module_count, &options, &ignored) < 0))
		options = (struct sl_predict_options){0};
	/* what a part of it shows counts */
	sl_predict(&b->violations, &b->recorded.observed, &options, &ignored);
	sl_declared_release(&declared);
}

static bool
same_step(const struct sl_before *b, const struct sl_violation_step *new, const struct sl_violation_step *old)
{
	const struct sl_place_map map = sl_renamed_map(b->change);
	const char *file;
	struct sl_place place;

	if (new->access != old->access || new->other != old->other || strcmp(new->object, old->object) != 0 ||
	    !map.map(map.data, &new->place, &place) || place.line != old->place.line)
		return false;
	file = old->place.path ? sl_binaries_name(&b->change->old_files, old->place.path) : old->place.stable;
	return strcmp(place.stable, file) == 0;
}

static bool
same_violation(const struct sl_before *b, const struct sl_violation *new, const struct sl_violation *old)
{
	if (new->pattern != old->pattern)
		return false;
	for (unsigned i = 0; i < new->step_count; i++)
		if (!same_step(b, &new->steps[i], &old->steps[i]))
			return false;
	return true;
}

bool
sl_before_has(struct sl_before *b, const struct sl_violation *violation)
{
	bool has = false;

	if (!b->made)
		make(b);
	for (size_t i = 0; i < b->violations.count && !has && !b->failed; i++) {
		struct sl_tried tried;

		if (!same_violation(b, violation, &b->violations.items[i]))
			continue;
		sl_tried_try(&b->program, &b->violations.items[i], &tried);
		has = tried.followed > 0;
		free(tried.story);
	}
	return has;
}
