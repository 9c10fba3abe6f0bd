/*
 * Code that a change of the program impacts, for a search: stores its ranges for the engine (struct sl_impact).
 */
#ifndef SL_CLI_SESSION_IMPACTED_H
#define SL_CLI_SESSION_IMPACTED_H

#include "base/err.h"
#include "cli/session/options.h"
#include "search/arena.h"

/* Addresses from low to high, exclusive, as in the file. */
struct sl_impacted_range {
	uint64_t low, high;
	uint8_t kinds; /* SL_IMPACT_… */
};

/* Adds ranges of one loaded file. Negative if there is too much code, or too many files. */
int sl_impacted_add(struct sl_impact *impact, const char *path, const struct sl_impacted_range *ranges,
		    size_t count, struct sl_err *err);

/* Reads the file of --impacted, which has ranges of the program alone. */
int sl_impacted_read(struct sl_impact *impact, const char *file, const char *program, struct sl_err *err);

/* Takes --prioritise, --iterations and --seed from the settings. */
void sl_impacted_prioritise(struct sl_impact *impact, const struct sl_settings *settings);

#endif
