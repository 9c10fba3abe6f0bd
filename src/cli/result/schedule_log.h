/* `sleave schedule check --log`: whether an execution that has written a log (SLEAVE_LOG) followed a schedule. */
#ifndef SL_CLI_RESULT_SCHEDULE_LOG_H
#define SL_CLI_RESULT_SCHEDULE_LOG_H

#include "base/err.h"
#include "schedule/schedule.h"

/*
 * Reports each plan, for each part of the log to which it applies. The log of a program with sections has a part for each run
 * of a section, and a plan with a name applies to the runs of that name, if there are any; any other log is one part.
 * Returns 0 if all plans were followed, 1 if not, -1 if the log cannot be read.
 */
int sl_schedule_log_check(const char *path, const struct sl_plan *plans, struct sl_err *err);

#endif
