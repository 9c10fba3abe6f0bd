/* `sleave schedule check --log`: was a schedule kept to in an execution that has written a log (SLEAVE_LOG)? */
#ifndef SL_CLI_RESULT_SCHEDULE_LOG_H
#define SL_CLI_RESULT_SCHEDULE_LOG_H

#include "base/err.h"
#include "schedule/schedule.h"

/*
 * Tells of each plan, for each part of the log that it is about. A log of a program with sections has a part for each run of
 * a section, and a plan with a name is about those of that name, if there are any; any other log is one part.
 * Returns 0 if all were kept to, 1 if not, -1 if the log can't be read.
 */
int sl_schedule_log_check(const char *path, const struct sl_plan *plans, struct sl_err *err);

#endif
