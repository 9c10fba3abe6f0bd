/*
 * The coverage of a search, from the arena, with names. Used by `sleave cover`.
 */
#ifndef SL_CLI_RESULT_COVER_RESULT_H
#define SL_CLI_RESULT_COVER_RESULT_H

#include "cli/result/cover_store.h"
#include "coverage/coverage.h"
#include "report/cover/cover.h"
#include "search/arena.h"

/* The report owns everything in it, except for the program's name. */
void sl_cover_report_init(struct sl_cover_report *report, struct sl_arena *arena, struct sl_names *names,
			  const struct sl_cover_folders *folders, const char *program, double seconds);
/* The same from coverage that is in no arena; the strategy, the seed and the window are up to the caller. */
void sl_cover_report_fill(struct sl_cover_report *report, const struct sl_coverage *coverage,
			  const struct sl_criterion *criterion, struct sl_names *names,
			  const struct sl_cover_folders *folders, const char *program, double seconds);
void sl_cover_report_release(struct sl_cover_report *report);

#endif
