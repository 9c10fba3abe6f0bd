/*
 * Coverage under control: passes operations, item by item, to a criterion (coverage/coverage.h), in executions of
 * the search and in those before it, which serve the estimate. Called by the functions that perform operations, if
 * E.listen.covering is set.
 */
#ifndef SL_ENGINE_LISTEN_COVERING_H
#define SL_ENGINE_LISTEN_COVERING_H

#include <stdint.h>

struct sl_thread;

/* An execution begins: sets E.listen.covering if coverage is measured. */
void sl_cover_begin(void);
void sl_cover_end(void);

#endif
