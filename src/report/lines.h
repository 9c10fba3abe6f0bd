/*
 * Which lines the threads of a trace came to, and for the how-manieth time, as schedules count them (engine/entry/code.h): the
 * event of a line comes before the first thing that is done there. The trace must have all operations, and a frame for each
 * call.
 */
#ifndef SL_REPORT_LINES_H
#define SL_REPORT_LINES_H

#include "report/words.h"

struct sl_arrival {
	const char *file; /* the last part of its path */
	uint32_t line, nth;
	uint32_t thread;
	uint64_t
		record; /* before this one of its thread; the trace's count: before what it is about to do at the end */
};

struct sl_lines {
	struct sl_arrival *arrivals; /* by thread, in the order of the trace */
	size_t count;
	size_t *at; /* by record: the number of the arrival at the line that it is on; SIZE_MAX: none */
};

void sl_lines_init(struct sl_lines *lines, const struct sl_words *words);
void sl_lines_release(struct sl_lines *lines);

/*
 * The first, or the last, line that the thread came to after record `after` (UINT64_MAX: any) and not after record `until`.
 * NULL: none.
 */
const struct sl_arrival *sl_lines_find(const struct sl_lines *lines, uint32_t thread, uint64_t after,
				       uint64_t until, bool last);
/* What it is about to do it has begun, with the record before: it waits to be woken. */
bool sl_lines_sleeps(const struct sl_thread_record *thread);
const struct sl_arrival *sl_lines_of(const struct sl_lines *lines, uint64_t record); /* NULL: it is on none */

#endif
