/*
 * How items get from the program that is recorded to the command that writes the trace: rings in shared memory, made by
 * the command, inherited as a descriptor. Memory is bounded; when a ring is full the program waits, it never drops. What
 * the program has written is there when it crashes.
 *
 * A lane is a ring of words with one writer and one reader. Under control there is one process, one lane, and items
 * are in their order; SWITCH says whose they are. On real threads each has a lane of its own, and what others can have
 * waited for or can wait for has a ticket: from one counter, taken while nobody else could have done the same
 * operation on that object (after a lock has been taken, before it is given back). Items of a thread that have no ticket
 * come after its last ticket and before its next; a sequence that respects this is an order that can have happened.
 *
 * Words of an item:
 *	kind:8 size:8 pc:48
 *	flags:16 object:48     unless the kind is RETURN or BRANCH
 *	value                  if sl_reel_has_value()
 */
#ifndef SL_TRACE_REEL_H
#define SL_TRACE_REEL_H

#include "base/op.h"
#include "trace/item.h"
#include "trace/record.h"

#include <stdbool.h>
#include <stdint.h>

#define SL_REEL_MAGIC 0x31306c6565725f73ull /* bump with each change of layout */
#define SL_REEL_LANES 1024
#define SL_REEL_MODULES 256

/* Beside the kinds of items. */
enum {
	SL_REEL_SWITCH = 250, /* in place of pc: the thread whose items follow */
	SL_REEL_TICKET = 251, /* in place of size and pc: the ticket of the next item */
	SL_REEL_PAD = 252,    /* nothing; fills a ring up to its end */
};

struct sl_lane {
	_Alignas(64) uint64_t head; /* words ever written; released by the writer */
	uint32_t state;             /* enum below; the writer opens and ends it, the reader frees it */
	uint32_t thread;            /* of real threads: whose it is */
	_Alignas(64) uint64_t tail; /* words ever read; a futex that the writer waits for (its lower half) */
	uint32_t waiting;           /* the writer does */
};
enum { SL_LANE_FREE, SL_LANE_OPEN, SL_LANE_ENDED };

struct sl_reel {
	uint64_t magic;
	uint32_t lane_count;
	uint32_t lane_words;  /* a power of two; the rings follow the header, one after the other, at `rings` */
	uint64_t rings, size; /* bytes */
	_Alignas(64) uint64_t tickets; /* the last one that was taken */
	_Alignas(64) uint32_t news;    /* a futex that the reader waits for */
	uint32_t thread_count;         /* numbers given to threads */
	uint32_t module_count;
	uint32_t complete; /* the program has ended and said so; else it crashed or was killed */
	struct sl_module modules[SL_REEL_MODULES];
	struct sl_lane lanes[SL_REEL_LANES];
};

static inline bool
sl_reel_has_value(uint8_t kind, uint16_t flags)
{
	if (kind == SL_READ || kind == SL_WRITE || kind == SL_UPDATE)
		return flags & SL_OP_RANGE;
	return kind < SL_OP_KIND_COUNT && !(kind >= SL_ATOMIC_LOAD && kind <= SL_ATOMIC_UPDATE);
}

#endif
