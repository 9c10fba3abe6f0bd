/*
 * The drainer: takes the items of a program that is recorded out of the reel (trace/lane/reel.h), while it runs, names what
 * they mention, and writes them to a tape (trace/tape/tape.h). A thread of the command does that. Memory is that of the rings
 * and of one block, however long the program runs.
 */
#ifndef SL_TRACE_TAPE_DRAIN_H
#define SL_TRACE_TAPE_DRAIN_H

#include "base/err.h"
#include "trace/lane/reel.h"
#include "trace/tape/tape.h"

struct sl_drain;

struct sl_drain_options {
	const char *path; /* of the tape */
	struct sl_tape_head head;
	/* another drainer that writes the file, into which this one writes as well, as this lane of it (from 1): path and head
	 * are not needed then. NULL: none */
	const struct sl_drain *beside;
	uint32_t lane;
	uint32_t lanes, lane_words; /* of the reel; words of each: a power of two */
	/* what is loaded, and names of events, if they are not in the reel; may grow meanwhile */
	const struct sl_module *modules;
	const uint32_t *module_count;
	const char (*events)[SL_EVENT_NAME];
	uint32_t event_count;
};

/* Makes the reel and the file. NULL and a sentence if that fails. Strings of the options must live as long as it. */
struct sl_drain *sl_drain_new(const struct sl_drain_options *options, struct sl_err *err);

/* The reel, as memory and as a descriptor (close-on-exec). */
struct sl_reel *sl_drain_reel(const struct sl_drain *drain);
int sl_drain_fd(const struct sl_drain *drain);

int sl_drain_start(struct sl_drain *drain, struct sl_err *err);

/*
 * For a caller that takes words of real threads out of the reel itself, of one execution after another, instead of having started a
 * thread for that: another execution begins, the reel is as new; some words of it (as sl_merge_take); and now and then, so
 * that what is old is in the file.
 */
void sl_drain_part(struct sl_drain *drain, uint64_t number);
uint64_t sl_drain_take(struct sl_drain *drain, uint32_t thread, const uint64_t *words, uint64_t count,
		       uint64_t limit);
void sl_drain_keep(struct sl_drain *drain);

/*
 * The program has ended, all of its processes: takes the rest, ends the file with how that was, frees. Negative and a
 * sentence if not all that was recorded is in the file.
 */
int sl_drain_end(struct sl_drain *drain, struct sl_tape_end *how, struct sl_err *err);

/* The same for one that writes beside another, which ends the file after that. */
void sl_drain_leave(struct sl_drain *drain);

#endif
