/*
 * The reads-from pairs seen so far: which write each read got its value from. rf steers towards pairs that are not
 * in it, and portfolio asks it which of its members still finds something new.
 *
 * A site is a place in the code. A pair is a site that writes and a site that reads (a write of 0: the initial
 * value, not written in this execution). A pair is known as soon as both sites have touched the same object, and
 * seen once the read has returned what the write stored. A class is all that was read in an execution, by which
 * operation and from which write: executions of one class are the same to every thread. Read-modify-write
 * operations do both, and so do locks.
 *
 * Only operations that were chosen are noted: the strategy is not asked about a thread that runs alone, so what
 * such a thread does is missing. So the record tells where to look next, and never that anything is complete. All
 * tables have a fixed size; what does not fit is not recorded.
 */
#ifndef SL_STRATEGY_SAMPLING_SEEN_H
#define SL_STRATEGY_SAMPLING_SEEN_H

#include "base/op.h"

#include <stdbool.h>
#include <stdint.h>

#define SL_SEEN_OBJECTS (1u << 14)
#define SL_SEEN_SITES (1u << 14)
#define SL_SEEN_PAIRS (1u << 15)
#define SL_SEEN_CLASSES (1u << 20)

struct sl_seen {
	uint16_t impacted;  /* flags of operations that a change impacts; set by the strategy */
	uint64_t execution; /* a stamp: an execution that is begun again (base/undo.h) has another */
	uint64_t class;     /* of the current execution */
	uint32_t new_pairs; /* seen in this execution for the first time */
	struct sl_seen_object {
		uint64_t object;
		uint64_t execution; /* the execution that last wrote it */
		uint64_t pc, who;   /* the site, and the operation and thread, that wrote it */
		uint32_t first_site;
	} objects[SL_SEEN_OBJECTS];
	uint32_t site_count;
	struct sl_seen_site { /* with an object; numbered from 1 */
		uint64_t object, pc;
		uint16_t flags;
		bool impacted;
		uint32_t next; /* of the same object */
		uint64_t last_pc;
		uint32_t last_pair; /* that of last_pc; 0: not looked up yet */
	} sites[SL_SEEN_SITES];
	uint32_t site_slots[2 * SL_SEEN_SITES];
	uint32_t pair_count, unseen_count;
	uint32_t untried;     /* pairs that were neither seen nor a goal yet */
	struct sl_seen_pair { /* from 1 */
		uint64_t write, read;
		uint64_t count;  /* how often it was seen */
		uint32_t tries;  /* how often it was a goal */
		uint32_t unseen; /* position in the list of unseen pairs */
		bool impacted;   /* a change impacts one of the two places */
	} pairs[SL_SEEN_PAIRS];
	uint32_t pair_slots[2 * SL_SEEN_PAIRS];
	uint32_t unseen[SL_SEEN_PAIRS];
	uint64_t classes[SL_SEEN_CLASSES];
};

void sl_seen_begin(struct sl_seen *seen);
/* Called before the operation is performed. */
void sl_seen_note(struct sl_seen *seen, const struct sl_op *op);
/* Was this execution new? 0: no; 1: as a class; 2: it has a new pair. */
unsigned sl_seen_end(struct sl_seen *seen);

/* The pair becomes a goal. */
void sl_seen_try(struct sl_seen *seen, uint32_t pair);

/* The site that last wrote the object in this execution; 0: none. */
uint64_t sl_seen_writer(const struct sl_seen *seen, uint64_t object);
/* Has this site ever read the object? */
bool sl_seen_reads(const struct sl_seen *seen, uint64_t pc, uint64_t object);

#endif
