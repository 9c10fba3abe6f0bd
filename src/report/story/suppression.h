/*
 * Findings that the user knows and does not want to hear of, in the format of ThreadSanitizer's suppression files:
 *
 *	# a comment
 *	race:Logger::write
 *	race_top:counter_add
 *	deadlock:libold*.so
 *
 * A line is a type and a template. Types: race, race_top (the innermost function only), deadlock, mutex (misuse), thread
 * (a thread left behind), volatile (a race in which a volatile access takes part), and the name of any kind of finding. The template
 * is looked for in the function, file and module names of all stacks of the finding, and of a race (but not by race_top) in the name of the
 * global variable; `*` stands for any text, ^ and $ for the beginning and the end.
 */
#ifndef SL_REPORT_STORY_SUPPRESSION_H
#define SL_REPORT_STORY_SUPPRESSION_H

#include "base/err.h"
#include "report/report.h"

struct sl_suppressions;

/* An unknown type is an error with a line number; ThreadSanitizer's types without a meaning here are ignored. */
int sl_suppressions_read(const char *path, struct sl_suppressions **out, struct sl_err *err);
void sl_suppressions_free(struct sl_suppressions *suppressions); /* NULL is fine */

/* Returns whether the finding is suppressed, and counts it. */
bool sl_suppressions_match(struct sl_suppressions *suppressions, const struct sl_story *story);

/* std::lock() is known for a livelock that needs threads which keep in step: it is not reported. */
bool sl_suppressed_anyway(const struct sl_story *story);

/* "suppressed: 2 findings by race:Logger::write", one line for each template that was used. */
void sl_suppressions_print(FILE *out, const struct sl_style *style, const struct sl_suppressions *suppressions);

/* For tests: does the template match the name? */
bool sl_template_match(const char *template, const char *name);

#endif
