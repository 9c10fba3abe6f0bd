/*
 * The progress of a search on standard error: a line that is redrawn on a terminal, otherwise a plain line every
 * ten seconds. Used by `sleave run`.
 */
#ifndef SL_CLI_SESSION_LIVE_H
#define SL_CLI_SESSION_LIVE_H

#include "search/arena.h"

#include <stdbool.h>

struct sl_live {
	bool quiet;
	bool terminal;
	bool drawn;                     /* a line is on the terminal, and must be wiped */
	uint64_t last;                  /* plain lines: the time of the last one */
	uint64_t from, from_executions; /* for the rate: a time about a second ago */
	double rate;
};

void sl_live_init(struct sl_live *live, bool quiet);
void sl_live_draw(struct sl_live *live, const struct sl_arena *arena);
/* On a terminal: what is done between two searches. */
void sl_live_say(struct sl_live *live, const char *text);
/* To be called before anything else is printed. */
void sl_live_wipe(struct sl_live *live);

#endif
