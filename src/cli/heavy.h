/*
 * What an execution that takes long does: how many operations and accesses it has performed, and where most of the samples saw
 * it. Used by `sleave run`, which looks at the first worker ten times a second; nothing in the program is slower for it.
 */
#ifndef SL_CLI_HEAVY_H
#define SL_CLI_HEAVY_H

#include "engine/arena.h"
#include "trace/name.h"

#define SL_HEAVY_PLACES 64

struct sl_heavy {
	uint64_t executions;              /* how many there had been when the one under way began */
	uint64_t beat, began;             /* the worker's count and the time then */
	uint64_t operations, nanoseconds; /* since then */
	uint32_t count;                   /* of places */
	struct {
		uint64_t pc, samples;
	} places[SL_HEAVY_PLACES];
};

void sl_heavy_look(struct sl_heavy *heavy, const struct sl_worker *worker);

/* "; one execution takes more than 12.0 s and 31 million operations, most of them in fill() at heavy.c:40: make the input smaller",
 * or nothing if too little is known. */
void sl_heavy_format(const struct sl_heavy *heavy, struct sl_names *names, char *text, size_t room);

/* "31 million", "4,096" */
const char *sl_heavy_count(uint64_t count, char number[32]);

#endif
