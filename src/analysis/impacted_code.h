/* The code of the impacted points: ranges of addresses in a file, for the engine (base/impact_kinds.h). */
#ifndef SL_ANALYSIS_IMPACTED_CODE_H
#define SL_ANALYSIS_IMPACTED_CODE_H

#include "analysis/impacted_points.h"
#include "base/impact_kinds.h"

/* A place where an execution can be noticed: a line, or an access. */
struct sl_impacted_place {
	uint64_t low, high; /* the addresses that belong to it */
	uint64_t first;     /* the first instruction of its line */
	uint32_t point;     /* of sl_points.items */
	bool seen;          /* its line is not known: it is noticed only if it is a point of choice */
	bool beside;        /* it is on another line of the function that has the point */
};

struct sl_impacted_code {
	struct sl_impacted_range *ranges; /* they may overlap */
	struct sl_impacted_place *places;
	size_t count, place_count;
};

/* Finds the code of one file of the new version. */
void sl_impacted_code_find(struct sl_impacted_code *code, const struct sl_binaries *binaries,
			   const struct sl_binary *binary, const struct sl_points *points);
/*
 * Returns whether executions could pass a point without being noticed: because its function or field has no code in any of
 * the files, as it may have been folded into other code, or because a file has no debug information.
 */
bool sl_impacted_code_is_blind(const struct sl_impacted_code *codes, size_t count, const struct sl_points *points);

void sl_impacted_code_release(struct sl_impacted_code *code);

#endif
