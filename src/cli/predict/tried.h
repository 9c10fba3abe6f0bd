/*
 * An execution that is recorded; and predicted violations, tried one after the other: executions are steered into each. Used by
 * `sleave predict`, and the first by `sleave regress`.
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
	const char *self;             /* the command, for messages; NULL: predict */
	uint64_t violations;          /* enum sl_races: what violations are that happen and do no harm */
	uint64_t until;               /* CLOCK_MONOTONIC, ns; 0: there is no end */
	uint64_t executions;          /* all that were run, for any purpose */
	bool interrupted;
	uint64_t *marks; /* the data and objects that the recorded executions have shared; to be freed */
	size_t mark_count;
};

struct sl_tried {
	enum sl_fate fate;
	char message[512];                   /* FAILS: the finding; NOT_TRIED: why */
	char replay[512];                    /* empty: there is none */
	char *story;                         /* FAILS: as `sleave run` would tell it; to be freed */
	bool others;                         /* … or it happens by other threads, at the same places */
	bool harmless;                       /* FAILS: the finding is only that it happens */
	uint32_t done, followed, executions; /* as in base/op_order.h */
};

/* An exploration of the program by its settings, which are to be completed. */
struct sl_exploration sl_tried_exploration(const struct sl_tried_program *program);

/* The data and objects that the recorded execution has shared are known to the arena, so the exploration has no warm-up. */
void sl_tried_share(const struct sl_tried_program *program, struct sl_arena *arena);

/* The path of a thread, for the engine: of "0.2". NULL: 0. */
uint64_t sl_tried_thread(const char *path);
/* The violation, for the engine. */
struct sl_op_order sl_tried_order(const struct sl_violation *violation);

/* Steers into the violation; and if that is not reached, into the same by other threads. */
void sl_tried_try(struct sl_tried_program *program, const struct sl_violation *violation, struct sl_tried *tried);

#endif
