/*
 * One side of an ordering in the schedule language: an event of the program's own, an operation on an object that
 * has a name, or else a line. The event of a line comes before the operations there. So "before this operation" is
 * its line, and "after that operation" is the next line that its thread comes to, or the end of that line. The
 * occurrence is counted in the trace, which must have all operations. For orderings.c.
 */
#ifndef SL_REPORT_SCHEDULE_SIDE_H
#define SL_REPORT_SCHEDULE_SIDE_H

#include "report/lines.h"

/* The smaller the cost, the better it reads. */
enum { SL_COST_EVENT, SL_COST_NAME, SL_COST_LINE, SL_COST_LEFT, SL_COST_BLOCKED = 2 };

struct sl_side {
	char text[sizeof(((struct sl_ordering *)0)->before)];
	unsigned cost;
};

/* Names the operation, when everything before record `when` has been done. False: nothing of it has a name. */
bool sl_side_operation(const struct sl_words *words, const struct sl_op *op, uint64_t when, struct sl_side *side);
void sl_side_line(const struct sl_words *words, const struct sl_arrival *arrival, struct sl_side *side);
void sl_side_left(const struct sl_words *words, const struct sl_arrival *arrival, struct sl_side *side);
/* verb: "start" or "end" */
void sl_side_thread(const struct sl_words *words, const char *verb, uint32_t thread, struct sl_side *side);
bool sl_side_may_block(const struct sl_op *op);
void sl_side_blocked(const struct sl_side *from, struct sl_side *to); /* in brackets: […] */

#endif
