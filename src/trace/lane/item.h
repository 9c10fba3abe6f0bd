/*
 * A trace is a sequence of items: what the threads of one execution did, in an order in which it can have
 * happened. A recorder creates items (engine), a trace file yields them again (trace/tape/tape.h), and analyses
 * and coverage criteria are functions of them.
 *
 * Most items are operations (base/op.h), written when they are performed: a lock when it has been taken, a wait
 * for a condition variable when its mutex has been released, COND_RELOCK when the mutex has been taken again. The
 * few kinds that are not operations are below.
 */
#ifndef SL_TRACE_LANE_ITEM_H
#define SL_TRACE_LANE_ITEM_H

#include "base/held.h"
#include "base/op.h"

#include <stdbool.h>
#include <stdint.h>

/* Numbers above those of operations. Files name kinds by words, so a new kind changes nothing in them. */
enum sl_item_kind {
	SL_ITEM_CALL = 200, /* object: the function; pc: where it was called */
	SL_ITEM_RETURN,     /* from the innermost function, whose CALL says which */
	SL_ITEM_BRANCH,     /* a basic block was entered; pc: the block */
	SL_ITEM_REQUEST, /* a thread requests a lock that it does not get at once; pc and object as of the lock that follows, size is its kind */
	SL_ITEM_KIND_END,

	/*
	 * What a search learns from an execution (sl_config.values). These items are in no file.
	 *
	 * VALUE follows each operation of the thread, with nothing in between: pc is the operation's number in its thread (the index
	 * of struct sl_op). Accesses, atomic ones too: object is the address, and value is in memory before the operation, so it
	 * is what a read sees; size and flags are SL_VALUE_…. Others: object is 0, and value is the operation's (END: what
	 * the thread returns).
	 *
	 * WRITTEN comes when it is known what an operation has written: before any other item, and before another thread goes on. It is as
	 * VALUE, with what is in memory then. It is missing if the execution ended within the write. gcc announces the copy
	 * of a structure as a write and then a read, and both precede the copy. So if a read of the same size follows and nothing has
	 * changed, WRITTEN comes after the read, and operations of other threads may come between; they see what was there before.
	 */
	SL_ITEM_VALUE = 240,
	SL_ITEM_WRITTEN,
	SL_ITEM_KIN, /* the thread exists from now on; object: number of the creating thread, value: path of its origin (struct sl_kin) */
	/*
	 * The operation that comes next was a choice: size is enum sl_choice_kind, pc the operation's number, value the number
	 * of answers; object is the number of the woken thread, or the chosen value.
	 */
	SL_ITEM_ASKED,
	/*
	 * When an execution ends: what a thread has announced and not performed; size is its kind, pc and object are the operation's (JOIN: the
	 * number of the other thread, plus one), value is its number. The running thread has one only if it waits, in a deadlock.
	 */
	SL_ITEM_PENDING,
	/*
	 * The object is a semaphore, and value its count so far; or a barrier, and value is how many threads it waits for. When it is
	 * initialised, or at its first use in the execution.
	 */
	SL_ITEM_COUNT,
	/* The thread's next operation has a property that no other item shows: size is enum sl_beyond, pc is where. */
	SL_ITEM_BEYOND,
	SL_ITEM_LEARNT_END,
};

enum sl_beyond {
	SL_BEYOND_TIME,    /* it waits with a time limit */
	SL_BEYOND_WRITERS, /* the read-write lock prefers writers */
};

/* Flags of VALUE and WRITTEN. */
enum {
	SL_VALUE_HASH = 1, /* more than eight bytes: value is a hash of them … */
	SL_VALUE_PART = 2, /* … of the first SL_VALUE_BYTES, since there are more */
	SL_VALUE_BESIDE = 4, /* the operation is no access, so its value is not one in memory */
};
#define SL_VALUE_BYTES 4096

static inline bool
sl_item_is_learnt(uint8_t kind)
{
	return kind >= SL_ITEM_VALUE && kind < SL_ITEM_LEARNT_END;
}

/*
 * Flag in the number of an execution: not an execution of the search itself, but that of the finding or warning
 * with this number, as it is reported.
 */
#define SL_PART_FINDING (1ul << 40)
/* … the execution without noise from which `sleave cover` estimates; it does not count. */
#define SL_PART_CALM (1ul << 41)

/* Flag of an item that takes a lock: the operation was a try. For criteria; not stored in files. */
#define SL_ITEM_TRIED (1u << 15)

/* a value: the threads woken by COND_SIGNAL and COND_BROADCAST, on real threads */
#define SL_ITEM_UNKNOWN UINT64_MAX

struct sl_item {
	uint8_t kind; /* enum sl_op_kind or enum sl_item_kind */
	uint8_t size; /* as in struct sl_op */
	uint16_t flags;
	uint32_t thread; /* as in struct sl_op: 0 is the first thread, then in order of creation */
	uint64_t object; /* address of the object in this execution; the reader makes names from it */
	uint64_t pc;
	/*
	 * as in struct sl_record, but 0 for plain accesses and atomics; ranges: the size; START: object and value
	 * are the ends of the thread's stack, both 0 if not known
	 */
	uint64_t value;
};

/* What the item does to a lock, as far as the item alone tells; *lock: which lock. */
static inline enum sl_lock_act
sl_item_lock_act(const struct sl_item *item, uint64_t *lock)
{
	return sl_lock_act(item->kind, item->object, item->value, lock);
}

#endif
