/*
 * A visit: `sleave test` explores one run of one section with the whole program (engine/section/prelude.h), by a
 * separate `sleave run`, which gets the visit in its environment and reports as a section does.
 */
#ifndef SL_CLI_RESULT_VISIT_H
#define SL_CLI_RESULT_VISIT_H

#include "cli/session/options.h"
#include "report/tests/tests.h"
#include "search/arena.h"

/*
 * In `sleave test`: replaces this process by the `sleave run`, which inherits the standard streams. Does not
 * return.
 */
_Noreturn void sl_visit_become(const struct sl_visit *visit, const struct sl_settings *settings, char *program,
			       const char *output, const char *results);

/* In `sleave run`: returns whether this is a visit, and stores its part of the configuration. */
bool sl_visit_take(struct sl_config *config);
void sl_visit_report(const struct sl_summary *summary, uint64_t nanoseconds);

#endif
