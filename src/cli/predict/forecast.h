/*
 * What is predicted of a program: recorded executions, of one version or of two, and the violations that follow from them.
 */
#ifndef SL_CLI_PREDICT_FORECAST_H
#define SL_CLI_PREDICT_FORECAST_H

#include "cli/predict/recorded.h"

/* What is looked for. */
struct sl_forecast_wish {
	bool all;         /* with two versions: also what the change did not make possible */
	bool infeasible;  /* also what is ruled out */
	bool only_impact; /* only the impact set */
};

struct sl_forecast {
	/* Of all executions, each once; in the order of their executions. */
	struct sl_violations violations;
	struct sl_impact_set impact; /* of two versions */
	bool impacted;        /* there are two versions, and only what contains an impacted access is predicted */
	char failed[512];     /* the finding that ended an execution that was recorded; empty: there was none */
	char old_failed[512]; /* … of the old version */
	char lacking[512];    /* why not all of an execution was analysed; empty: all of each was */
	char note[256];       /* what there is to say about what is declared; empty: nothing */
	char old_note[640];   /* what there is to say about the old version's trace; empty: nothing */
	/* what all of that refers to: one for each execution */
	struct sl_forecast_part {
		struct sl_recorded recorded;
		struct sl_impact_set impact;
		struct sl_violations violations;
	} * parts;
	size_t part_count;
};

/*
 * change: the two versions, of which program->path is the new one; NULL: there is one. Negative and a sentence: nothing could be recorded or
 * read. Release it in any case.
 */
int sl_forecast_find(struct sl_forecast *predicted, struct sl_tried_program *program,
		     const struct sl_program_change *change, const struct sl_forecast_wish *wish,
		     struct sl_err *err);
/* What of it an exploration can use, the most promising first. */
void sl_forecast_foresee(const struct sl_forecast *predicted, struct sl_foreseen *foreseen);
void sl_forecast_release(struct sl_forecast *predicted);

#endif
