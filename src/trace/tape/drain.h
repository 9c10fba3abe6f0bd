/*
 * The drainer: a thread of the command that takes the items of a recorded program out of the reel
 * (trace/lane/reel.h) while the program runs, names what they mention, and writes them to a tape
 * (trace/tape/tape.h). It needs the memory of the rings and of one block, however long the program runs.
 */
#ifndef SL_TRACE_TAPE_DRAIN_H
#define SL_TRACE_TAPE_DRAIN_H

#include "base/err.h"
#include "trace/lane/reel.h"
#include "trace/tape/tape.h"

struct sl_drain;

struct sl_drain_options {
	const char *path; /* of the tape's file */
	struct sl_tape_head head;
	/*
	 * Another drainer, whose file this one shares: this one writes the lane `lane` (from 1) there, and needs
	 * neither path nor head. NULL: there is none.
	 */
	const struct sl_drain *beside;
	uint32_t lane;
	uint32_t lanes, lane_words; /* of the reel: the number of its lanes, and words of each (a power of two) */
	/* modules and names of events, if the reel does not have them; both may grow while the program runs */
	const struct sl_module *modules;
	const uint32_t *module_count;
	const char (*events)[SL_EVENT_NAME];
	uint32_t event_count;
};

/*
 * Makes the reel and the file. NULL and a sentence if that fails. The strings of the options must live as long as
 * the drainer.
 */
struct sl_drain *sl_drain_new(const struct sl_drain_options *options, struct sl_err *err);

/* The reel, as memory and as a descriptor (close-on-exec). */
struct sl_reel *sl_drain_reel(const struct sl_drain *drain);
int sl_drain_fd(const struct sl_drain *drain);

int sl_drain_start(struct sl_drain *drain, struct sl_err *err);

/*
 * For a caller that takes the words of real threads out of the reel itself, one execution after another, and has
 * started no thread for it: another execution begins, with an empty reel; the drainer gets some words (as
 * sl_merge_take does); from time to time the caller flushes, so that older items are in the file.
 */
void sl_drain_part(struct sl_drain *drain, uint64_t number);
uint64_t sl_drain_take(struct sl_drain *drain, uint32_t thread, const uint64_t *words, uint64_t count,
		       uint64_t limit);
void sl_drain_keep(struct sl_drain *drain);

/*
 * All processes of the program have ended: takes the remaining items, ends the file with `how`, and frees the
 * drainer. Negative and a sentence if not all recorded items are in the file.
 */
int sl_drain_end(struct sl_drain *drain, struct sl_tape_end *how, struct sl_err *err);

/* The same for a drainer that writes beside another one; the other one ends the file later. */
void sl_drain_leave(struct sl_drain *drain);

#endif
