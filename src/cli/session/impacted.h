/*
 * What a change of the program impacts, for a search: ranges of code, put where the engine looks (struct sl_impact).
 */
#ifndef SL_CLI_SESSION_IMPACTED_H
#define SL_CLI_SESSION_IMPACTED_H

#include "base/err.h"
#include "cli/session/options.h"
#include "search/arena.h"

/* From address low up to high, exclusive, as the file has them. */
struct sl_impacted_range {
	uint64_t low, high;
	uint8_t kinds; /* SL_IMPACT_… */
};

/* Of one file that is loaded. Negative: there is too much code, or there are too many files. */
int sl_impacted_add(struct sl_impact *impact, const char *path, const struct sl_impacted_range *ranges,
		    size_t count, struct sl_err *err);

/* The file of --impacted: of the program alone. */
int sl_impacted_read(struct sl_impact *impact, const char *file, const char *program, struct sl_err *err);

/* By --prioritise, --iterations and --seed. */
void sl_impacted_prioritise(struct sl_impact *impact, const struct sl_settings *settings);

#endif
