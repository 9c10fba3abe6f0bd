/*
 * A trace is a sequence of items: what the threads of one execution did, in an order in which it can have happened.
 * Whoever records makes them (engine), whoever reads a trace file gets them back (trace/tape/tape.h), and analyses and
 * coverage criteria are functions of them.
 *
 * Most items are operations (base/op.h), written down when they are performed: a lock when it has been taken, a wait
 * for a condition variable when its mutex has been released, COND_RELOCK when it has been taken again. The few kinds
 * that are no operations are below.
 */
#ifndef SL_TRACE_LANE_ITEM_H
#define SL_TRACE_LANE_ITEM_H

#include "base/op.h"

#include <stdint.h>

/* Numbers above those of operations. Files name kinds by their words, so that a new kind moves nothing in them. */
enum sl_item_kind {
	SL_ITEM_CALL = 200, /* object: the function; pc: where it was called */
	SL_ITEM_RETURN,     /* from the innermost function, whose CALL says which */
	SL_ITEM_BRANCH,     /* a basic block was entered; pc: which */
	SL_ITEM_REQUEST, /* a thread has come to a lock and has not got it yet; pc and object as of the lock to come, size
			     * is its kind */
	SL_ITEM_KIND_END,
};

/* In the number of an execution of a search: it is not one of those that the search tried, but that of a finding, or of a
 * warning, of this number, as it is told. */
#define SL_PART_FINDING (1ul << 40)
/* … nor one that counts, but that without noise from which `sleave cover` estimates, before those with it. */
#define SL_PART_CALM (1ul << 41)

/* Among the flags of an item that takes a lock: it would not have waited for it. For criteria; files do not have it. */
#define SL_ITEM_TRIED (1u << 15)

#define SL_ITEM_UNKNOWN UINT64_MAX /* a value: whom COND_SIGNAL and COND_BROADCAST woke, on real threads */

struct sl_item {
	uint8_t kind; /* enum sl_op_kind or enum sl_item_kind */
	uint8_t size; /* as in struct sl_op */
	uint16_t flags;
	uint32_t thread; /* as in struct sl_op: 0 is the first, then in order of creation */
	uint64_t object; /* address of what is touched; of this execution, names are made from it by the reader */
	uint64_t pc;
	/* as in struct sl_record, but that plain accesses and atomics have none; ranges: the size; START: object and value are
	 * where the thread's stack begins and ends, 0 and 0 if that is not known */
	uint64_t value;
};

#endif
