/*
 * What a change of the program impacts, by places of its code: written by the analysis of the change, read by the engine.
 */
#ifndef SL_BASE_IMPACT_KINDS_H
#define SL_BASE_IMPACT_KINDS_H

#include <stdint.h>

/*
 * Of a byte of code (CAPP's impacted code points). The byte may also belong to functions that were inlined into each other: the
 * innermost of them has the lower bits, those around it the upper ones.
 */
enum {
	SL_IMPACT_CLASS = 1, /* in C: the source file and its header */
	SL_IMPACT_FUNCTION = 2,
	SL_IMPACT_LINE = 4,
	SL_IMPACT_FIELD = 8,     /* an access to a member or a global variable */
	SL_IMPACT_AROUND = 4,    /* bits further up: CLASS, FUNCTION, LINE of the functions around */
	SL_IMPACT_REACHED = 128, /* set by the engine: an execution has been there */
};

/* From address low up to high, exclusive, as the file has them. */
struct sl_impacted_range {
	uint64_t low, high;
	uint8_t kinds; /* SL_IMPACT_… */
};

#endif
