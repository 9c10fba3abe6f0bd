/*
 * An execution of a program, recorded for the analyses of src/predict. One of an old version that was built aside is kept beside it, in
 * .sleave/versions, and is used again as long as it fits.
 */
#ifndef SL_CLI_PREDICT_RECORDED_H
#define SL_CLI_PREDICT_RECORDED_H

#include "cli/predict/tried.h"

struct sl_recorded {
	char *file; /* the trace */
	bool kept;  /* it stays */
	int fd;     /* of a trace without a name; 0: it has one */
	struct sl_module *modules;
	size_t module_count;
	struct sl_names *names;
	struct sl_observed observed;
	bool open;
	char failed[512];  /* the finding that ended the execution; empty: there was none */
	char lacking[512]; /* why the trace is not of a whole execution; empty: it is */
};

/*
 * Records the execution with this number: 0 is the calm one, each other a random walk of its own, by the seed. Findings are not looked for.
 * The program gets what the execution has shared: the later ones need it, to know what there is to choose. Negative: it could not be recorded. Release it in any case.
 */
int sl_recorded_make(struct sl_recorded *recorded, struct sl_tried_program *program, uint64_t number,
		     struct sl_err *err);

/*
 * The same of an old version: root is its folder, if it was built aside; else NULL. The execution of last time is taken if it fits. note gets
 * a sentence, or becomes empty: one was there that can't be used.
 */
int sl_recorded_old(struct sl_recorded *recorded, struct sl_tried_program *program, uint64_t number,
		    const char *root, char *note, size_t room, struct sl_err *err);
void sl_recorded_release(struct sl_recorded *recorded);

#endif
