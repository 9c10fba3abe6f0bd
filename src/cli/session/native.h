/*
 * Recording programs on real threads (engine/entry/record.h): starts them, and passes the items of each execution
 * to a function, in an order in which they happened. For `sleave record`, and for the random baselines of `sleave
 * cover`.
 */
#ifndef SL_CLI_SESSION_NATIVE_H
#define SL_CLI_SESSION_NATIVE_H

#include "base/err.h"
#include "trace/lane/item.h"
#include "trace/lane/reel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct sl_native_program {
	const char *path;
	char **argv;
	const char *library; /* the folder of libsleave, to preload it; NULL: the program links it */
	const char *noise;   /* from sl_native_noise(); NULL: none */
	bool silent;         /* its output is discarded, */
	int input;           /* … and this is its standard input (from sl_input_copy()) */
	uint64_t until;      /* the time at which it is killed: CLOCK_MONOTONIC, nanoseconds; 0: never */
	uint64_t number;     /* of the execution, in the trace */
};

/* The engine's setting for "rnd-y", "rnd-s10", "rnd-s100". Returns false if there is no such strategy or probability. */
extern const char *const sl_native_noises[]; /* their names, up to NULL */
bool sl_native_noise(const char *strategy, double probability, uint64_t seed, char *to, size_t room);

/* Starts the program, which gets the reel by its descriptor. */
int sl_native_start(const struct sl_native_program *program, int reel, pid_t *pid, struct sl_err *err);

struct sl_native;
struct sl_drain;

struct sl_native_end {
	int status;    /* of waitpid() */
	bool too_long; /* it was killed by the watchdog, */
	bool cut;      /* or because its time was over, or the command was interrupted */
	uint64_t items;
	const struct sl_reel *reel; /* libraries, names, unrecorded threads; valid until the next execution */
};

#define SL_NATIVE_LANE_WORDS (1u << 14)

/* Memory for executions, which is reused: the drain's, which then writes them to its trace, or its own if the
 * drain is NULL. Returns NULL and a sentence on failure. */
struct sl_native *sl_native_new(struct sl_drain *drain, struct sl_err *err);
void sl_native_free(struct sl_native *native); /* NULL is fine */

/*
 * Runs one execution, and passes its items to `each` meanwhile. The program is killed if it makes no progress for
 * `limit` nanoseconds (a deadlock). Addresses are the same in every execution. Negative and a sentence if it could
 * not be started.
 */
int sl_native_run(struct sl_native *native, const struct sl_native_program *program, uint64_t limit,
		  void (*each)(void *data, const struct sl_item *item), void *data, struct sl_native_end *end,
		  struct sl_err *err);

#endif
