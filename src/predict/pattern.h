/*
 * The patterns of atomic-set serializability (Vaziri, Tip and Dolby, POPL 2006), as data: in which order two units of work access one
 * or two locations of an atomic set such that no order of whole units has the same result.
 */
#ifndef SL_PREDICT_PATTERN_H
#define SL_PREDICT_PATTERN_H

#include "predict/predict.h"

struct sl_pattern_step {
	bool other;      /* by the unit u' that interferes */
	unsigned access; /* SL_OP_READS or SL_OP_WRITES */
	unsigned at;     /* the location: 0 or 1 */
};

struct sl_pattern_rule {
	unsigned count;
	struct sl_pattern_step steps[SL_PATTERN_STEPS]; /* the first and the last are of u, those between of u' */
};

extern const struct sl_pattern_rule sl_pattern_rules[SL_PATTERN_COUNT];

#endif
