/*
 * What is predicted of a program: recorded executions, of one version or of two, and the violations that follow from them.
 */
#ifndef SL_CLI_PREDICT_FORECAST_H
#define SL_CLI_PREDICT_FORECAST_H

#include "cli/predict/tried.h"

struct sl_forecast {
	struct sl_violations violations;
	struct sl_impact_set impact; /* of two versions */
	bool impacted;        /* there are two versions, and only what contains an impacted access is predicted */
	char failed[512];     /* the finding that ended the execution that was recorded; empty: there was none */
	char old_failed[512]; /* … of the old version */
	/* what the violations refer to */
	struct sl_observed observed;
	struct sl_names *names;
	bool open;
	char tape[64];
};

/*
 * change: the two versions, of which program->path is the new one; NULL: there is one. all: also what the change did not make
 * possible; infeasible: also what is ruled out. Negative and a sentence: nothing could be recorded or read. Release it in any case.
 */
int sl_forecast_find(struct sl_forecast *predicted, struct sl_tried_program *program,
		     const struct sl_program_change *change, bool all, bool infeasible, struct sl_err *err);
/* What of it an exploration can use, the most promising first. */
void sl_forecast_foresee(const struct sl_forecast *predicted, struct sl_foreseen *foreseen);
void sl_forecast_release(struct sl_forecast *predicted);

#endif
