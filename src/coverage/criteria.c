/*
 * The criteria that a user can name. The first one is the default.
 */
#include "coverage/coverage.h"

/* clang-format off: one a line */
const struct sl_criterion *const sl_criteria[] = {
	&sl_criterion_sync_pair,
	&sl_criterion_blocked,
	&sl_criterion_def_use,
	NULL,
};
/* clang-format on */

/* strcmp() is not used: inside the program under test it may be the program's own. */
const struct sl_criterion *
sl_criterion_find(const char *name)
{
	for (const struct sl_criterion *const *c = sl_criteria; *c; c++) {
		const char *a = (*c)->name, *b = name;

		while (*a && *a == *b)
			a++, b++;
		if (*a == *b)
			return *c;
	}
	return NULL;
}
