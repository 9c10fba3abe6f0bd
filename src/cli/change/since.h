/*
 * Since when is a finding there? It is looked for in the old version of the program, too: by a search for a finding of the same
 * kind at the place that the alignment maps its place to. Used by `sleave regress`.
 */
#ifndef SL_CLI_CHANGE_SINCE_H
#define SL_CLI_CHANGE_SINCE_H

#include "cli/change/change.h"
#include "cli/result/exploration.h"

/*
 * Fills since and why for each finding of the summary. The searches run in a process of their own, since the arena of this one
 * is in use.
 */
void sl_since_find(const struct sl_exploration *exploration, const struct sl_summary *summary,
		   const struct sl_program_change *change, enum sl_since *since, char (*why)[512]);

/* Are they the same finding, one of the new and one of the old version? */
bool sl_since_is_same(const struct sl_program_change *change, const struct sl_outline *new,
		      const struct sl_outline *old);

#endif
