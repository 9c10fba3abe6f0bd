/*
 * Describes a long execution in a sentence: the number of its operations and accesses, and the place of most of the
 * engine's samples (engine/progress/deadline.c). Used by the verdict of every command.
 */
#ifndef SL_CLI_SESSION_HEAVY_H
#define SL_CLI_SESSION_HEAVY_H

#include "search/arena.h"
#include "trace/name/name.h"

/* "; one execution takes more than 12.0 s and 31 million operations, most of them in fill() at heavy.c:40: make the input smaller",
 * or nothing if too little is known. */
void sl_heavy_format(const struct sl_worker *worker, struct sl_names *names, char *text, size_t room);

/* "31 million", "4,096" */
const char *sl_heavy_count(uint64_t count, char number[32]);

#endif
