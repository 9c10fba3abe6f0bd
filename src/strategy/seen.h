/*
 * What was seen so far: which write each read got its value from. rf steers towards what is not in it, and portfolio
 * asks it which of its members still finds something new.
 *
 * A site is a place in the code. A pair is a site that writes and a site that reads (0 writes: nobody has, in this
 * execution); it is known as soon as both have touched the same object, and seen when the one has read what the other
 * wrote. A class is all that was read in an execution, by which operation and from which: executions of one class are the
 * same to every thread. Operations that update do both, and locks are such.
 *
 * Only what was chosen is noted: a thread that is alone is not asked, so what it does is missing. The record says where
 * to look next and never what is complete. All tables are of a fixed size; what does not fit is not learnt.
 */
#ifndef SL_STRATEGY_SEEN_H
#define SL_STRATEGY_SEEN_H

#include "base/op.h"

#include <stdbool.h>
#include <stdint.h>

#define SL_SEEN_OBJECTS (1u << 14)
#define SL_SEEN_SITES (1u << 14)
#define SL_SEEN_PAIRS (1u << 15)
#define SL_SEEN_CLASSES (1u << 20)

struct sl_seen {
	uint64_t execution; /* a stamp: one that is begun again (base/undo.h) has another */
	uint64_t class;     /* of the one under way */
	uint32_t new_pairs; /* seen in it for the first time */
	struct sl_seen_object {
		uint64_t object;
		uint64_t execution; /* in which it was last written */
		uint64_t pc, who;   /* by which site, which operation of which thread */
		uint32_t first_site;
	} objects[SL_SEEN_OBJECTS];
	uint32_t site_count;
	struct sl_seen_site { /* with an object; from 1 */
		uint64_t object, pc;
		uint16_t flags;
		uint32_t next; /* of the same object */
		uint64_t last_pc;
		uint32_t last_pair; /* that of last_pc; 0: not looked up yet */
	} sites[SL_SEEN_SITES];
	uint32_t site_slots[2 * SL_SEEN_SITES];
	uint32_t pair_count, unseen_count;
	uint32_t untried;     /* pairs that were neither seen nor a goal */
	struct sl_seen_pair { /* from 1 */
		uint64_t write, read;
		uint64_t count;  /* how often it was seen */
		uint32_t tries;  /* how often it was a goal */
		uint32_t unseen; /* where it is among those */
	} pairs[SL_SEEN_PAIRS];
	uint32_t pair_slots[2 * SL_SEEN_PAIRS];
	uint32_t unseen[SL_SEEN_PAIRS];
	uint64_t classes[SL_SEEN_CLASSES];
};

void sl_seen_begin(struct sl_seen *seen);
/* The operation is about to be performed. */
void sl_seen_note(struct sl_seen *seen, const struct sl_op *op);
/* Was anything in this execution new? 0: no, 1: as a whole, 2: a pair. */
unsigned sl_seen_end(struct sl_seen *seen);

/* The pair is about to be a goal. */
void sl_seen_try(struct sl_seen *seen, uint32_t pair);

/* The site that wrote the object last in this execution; 0: none. */
uint64_t sl_seen_writer(const struct sl_seen *seen, uint64_t object);
/* Has this place ever read the object? */
bool sl_seen_reads(const struct sl_seen *seen, uint64_t pc, uint64_t object);

#endif
