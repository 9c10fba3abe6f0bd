/*
 * Impacted accesses in words and as JSON: for `sleave impact --dynamic` and `sleave predict -v`.
 */
#ifndef SL_CLI_PREDICT_IMPACT_TOLD_H
#define SL_CLI_PREDICT_IMPACT_TOLD_H

#include "predict/predict.h"

#include <stdio.h>

/* A line for each place and what has changed there. */
void sl_impact_told_lines(FILE *out, const struct sl_impact_set *impact);
/* Members `accesses`, `impacted` and `points` of an object. */
void sl_impact_told_json(FILE *out, const struct sl_impact_set *impact);

#endif
