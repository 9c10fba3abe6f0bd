/*
 * Predicted violations, tried one after the other: executions are steered into each. Used by `sleave predict`.
 */
#ifndef SL_CLI_PREDICT_TRIED_H
#define SL_CLI_PREDICT_TRIED_H

#include "cli/change/change.h"
#include "cli/result/exploration.h"
#include "predict/predict.h"

/* What became of a violation. */
enum sl_fate {
	SL_FATE_INFEASIBLE,
	SL_FATE_NOT_TRIED,
	SL_FATE_NOT_REACHED,
	SL_FATE_HAPPENS,
	SL_FATE_FAILS,
	SL_FATE_COUNT
};

/* The program, and what is asked for. */
struct sl_tried_program {
	const struct sl_settings *settings;
	char **argv;
	const char *path, *directory; /* NULL: argv[0], here */
	/* what else the arena of an exploration is to have; NULL: nothing */
	int (*prepare)(struct sl_arena *arena, void *data, struct sl_err *err);
	/* of an exploration that has made the program fail, before it is released: the summary is of it; NULL: nothing */
	void (*failed)(struct sl_exploration *exploration, void *data);
	void *data;
	const char *self; /* the command, for messages */
	FILE *out; /* for the story of what fails; NULL: it comes as a text */
	uint64_t until;               /* CLOCK_MONOTONIC, ns; 0: there is no end */
	uint64_t executions;          /* all that were run, for any purpose */
	bool interrupted;
	uint64_t *marks; /* the data and objects that the recorded execution has shared; to be freed */
	size_t mark_count;
};

struct sl_tried {
	enum sl_fate fate;
	char message[512];                   /* FAILS: the finding; NOT_TRIED: why */
	char replay[512];                    /* empty: there is none */
	char *story;                         /* FAILS: as `sleave run` would tell it; to be freed */
	uint32_t done, followed, executions; /* as in base/op_order.h */
};

/*
 * One calm execution, into a trace file; findings are not looked for. *names are of its addresses. failed gets the finding that ended it,
 * or becomes empty. Negative: it could not be recorded.
 */
int sl_tried_record(struct sl_tried_program *program, const char *file, struct sl_names **names, char *failed,
		    size_t room, struct sl_err *err);

/* Steers into the violation. */
void sl_tried_try(struct sl_tried_program *program, const struct sl_violation *violation, struct sl_tried *tried);

#endif
