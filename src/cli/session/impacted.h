/*
 * Code that a change of the program impacts, for a search: stores its ranges for the engine (struct sl_impact).
 */
#ifndef SL_CLI_SESSION_IMPACTED_H
#define SL_CLI_SESSION_IMPACTED_H

#include "base/err.h"
#include "cli/session/options.h"
#include "search/arena.h"

#include <stdbool.h>

/* Adds ranges of one loaded file. Negative if there is too much code, or too many files. */
int sl_impacted_add(struct sl_impact *impact, const char *path, const struct sl_impacted_range *ranges,
		    size_t count, struct sl_err *err);

/*
 * An instruction of that file, which was the last to be added, at which the engine notes that an execution came by at the address `of`, which
 * is not far behind it. False: there are too many.
 */
bool sl_impacted_add_place(struct sl_impact *impact, uint64_t at, uint64_t of);

/* Was an execution at any of these addresses of the file? */
bool sl_impacted_is_reached(const struct sl_impact *impact, const char *path, uint64_t low, uint64_t high);

/* The file of --impacted: of the program alone. */
int sl_impacted_read(struct sl_impact *impact, const char *file, const char *program, struct sl_err *err);

/* Takes --prioritise, --iterations and --seed from the settings. */
void sl_impacted_prioritise(struct sl_impact *impact, const struct sl_settings *settings);

#endif
