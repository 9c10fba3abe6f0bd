/*
 * The criteria that a user can name. The first one is the default.
 */
#include "base/text.h"
#include "coverage/coverage.h"

/* clang-format off: one a line */
const struct sl_criterion *const sl_criteria[] = {
	&sl_criterion_sync_pair,
	&sl_criterion_blocked,
	&sl_criterion_def_use,
	NULL,
};
/* clang-format on */

const struct sl_criterion *
sl_criterion_find(const char *name)
{
	for (const struct sl_criterion *const *c = sl_criteria; *c; c++)
		if (sl_text_same((*c)->name, name))
			return *c;
	return NULL;
}
