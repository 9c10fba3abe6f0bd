/*
 * The executions of a session, recorded under control: what `sleave record --controlled` and `sleave run --trace` share.
 */
#ifndef SL_CLI_SESSION_RECORDING_H
#define SL_CLI_SESSION_RECORDING_H

#include "cli/session/session.h"
#include "trace/tape/drain.h"

#include <stdio.h>

struct sl_recording {
	const char *file; /* the trace; NULL: nothing is recorded */
	const char *program, *cwd, *build_id;
	char **argv;
	struct sl_drain *drain;
	struct sl_drain *others[SL_WORKERS_MAX - 1]; /* the drains of the other workers */
	unsigned other_count;
	const struct sl_arena *arena; /* under control */
	bool unnamed;                 /* names of events or threads are missing in the trace */
	struct sl_tape_end end;       /* the caller sets `missing` */
};

/* Begins the trace, before the executions of that arena begin. Does nothing and returns 0 if there is no file. */
int sl_recording_begin(struct sl_recording *recording, struct sl_arena *arena, struct sl_err *err);

/*
 * The same for real threads: makes the drain; the caller gives its reel to the program. strategy: of noise, or
 * NULL.
 */
int sl_recording_begin_free(struct sl_recording *recording, uint32_t lane_words, const char *strategy,
			    uint64_t seed, struct sl_err *err);

/* To be called when all processes have ended. Negative and a sentence if the file is incomplete. */
int sl_recording_end(struct sl_recording *recording, const char *how, struct sl_err *err);

/* The same for a search. */
int sl_recording_end_search(struct sl_recording *recording, const struct sl_session *session, struct sl_err *err);

/* Sets `missing` to "3 threads were not recorded", if there were any; the text must live until the end. */
void sl_recording_miss(struct sl_recording *recording, uint64_t unrecorded, char *text, size_t room);

/* Prints "x.trace: 12,345 items, 0.43 bytes each". */
void sl_recording_print(const struct sl_recording *recording, FILE *out);

#endif
