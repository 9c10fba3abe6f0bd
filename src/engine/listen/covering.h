/*
 * Coverage under control: what the threads do goes, item by item, to a criterion (coverage/coverage.h), in executions of
 * the search and in those before it, from which is estimated. Used by all that perform operations, if E.listen.covering says so.
 */
#ifndef SL_ENGINE_LISTEN_COVERING_H
#define SL_ENGINE_LISTEN_COVERING_H

#include <stdint.h>

struct sl_thread;

/* An execution begins: if it is to be watched, E.listen.covering is set. */
void sl_cover_begin(void);
void sl_cover_end(void);


#endif
