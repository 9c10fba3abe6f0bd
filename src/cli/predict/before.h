/*
 * Does the old version have a violation that happens in the new one? An impacted access alone does not say so: its context is another
 * one, and the order may have been possible before. So violations are predicted of the old version, too, and those that are the
 * same are tried there. Used by `sleave predict`, for what has been confirmed.
 */
#ifndef SL_CLI_PREDICT_BEFORE_H
#define SL_CLI_PREDICT_BEFORE_H

#include "cli/predict/recorded.h"

struct sl_before {
	const struct sl_program_change *change;
	struct sl_settings settings;
	struct sl_tried_program program; /* the old version */
	struct sl_recorded recorded;     /* its calm execution */
	struct sl_violations violations; /* of it, all that are possible */
	bool made;                       /* these are there, … */
	bool failed;                     /* … or can't be */
};

/* new: the program whose violations are asked for. */
void sl_before_init(struct sl_before *before, const struct sl_program_change *change,
		    const struct sl_tried_program *new);

/* False: no execution of the old version was steered into it; or it has it, and was not seen to. */
bool sl_before_has(struct sl_before *before, const struct sl_violation *violation);
void sl_before_release(struct sl_before *before);

#endif
