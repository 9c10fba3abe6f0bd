/*
 * The estimate of feasible pairs from one execution: see estimate.c. The functions are values of `estimate` in
 * struct sl_criterion.
 */
#ifndef SL_COVERAGE_ESTIMATE_H
#define SL_COVERAGE_ESTIMATE_H

#include "coverage/coverage.h"

void sl_estimate_sync_pair(struct sl_coverage *coverage, const struct sl_item *items, uint64_t count, void *memory,
			   size_t size);
void sl_estimate_blocked(struct sl_coverage *coverage, const struct sl_item *items, uint64_t count, void *memory,
			 size_t size);

#endif
