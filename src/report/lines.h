/*
 * The lines that the threads of a trace came to, with the number of each arrival, as schedules count them
 * (engine/entry/code.h): the event of a line comes before the first operation there. The trace must have all
 * operations, and a frame for each call.
 */
#ifndef SL_REPORT_LINES_H
#define SL_REPORT_LINES_H

#include "report/words.h"

struct sl_arrival {
	const char *file; /* the last part of its path */
	uint32_t line, nth;
	uint32_t thread;
	uint64_t
		record; /* the thread's first record after the arrival; the trace's count: its pending operation */
};

struct sl_lines {
	struct sl_arrival *arrivals; /* by thread, in the order of the trace */
	size_t count;
	size_t *at; /* by record: the number of the arrival at the record's line; SIZE_MAX: it has none */
};

void sl_lines_init(struct sl_lines *lines, const struct sl_words *words);
void sl_lines_release(struct sl_lines *lines);

/*
 * Returns the first, or the last, arrival of the thread after record `after` (UINT64_MAX: any) and up to record
 * `until`. NULL: there is none.
 */
const struct sl_arrival *sl_lines_find(const struct sl_lines *lines, uint32_t thread, uint64_t after,
				       uint64_t until, bool last);
/*
 * Returns whether the thread sleeps until it is woken: then its pending operation has begun, with the record
 * before.
 */
bool sl_lines_sleeps(const struct sl_thread_record *thread);
const struct sl_arrival *sl_lines_of(const struct sl_lines *lines, uint64_t record); /* NULL: it is on no line */

#endif
