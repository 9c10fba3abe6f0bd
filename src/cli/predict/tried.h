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
	/*
	 * Told of the exploration in which the program has failed, before that is judged and released. Its story was written to
	 * `out` then. NULL: it is judged here, and its story comes as a text.
	 */
	void (*failed)(struct sl_exploration *exploration, void *data);
	FILE *out;
	void *data;
	const char *self;    /* the command, for messages; NULL: predict */
	uint64_t violations; /* enum sl_races: what violations are that happen and do no harm */
	uint64_t until;      /* CLOCK_MONOTONIC, ns; 0: there is no end */
	uint64_t executions; /* all that were run, for any purpose */
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

/* What the recorded executions have shared is known from the beginning, so nothing has to be learnt: a warm-up would show other orders. */
void sl_tried_mark(const struct sl_tried_program *program, struct sl_arena *arena);

/* Steers into the violation; and if that is not reached, into the same by other threads. */
void sl_tried_try(struct sl_tried_program *program, const struct sl_violation *violation, struct sl_tried *tried);

#endif
