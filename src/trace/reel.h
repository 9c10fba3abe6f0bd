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
 *
 * What a thread does over and over, at addresses that go on by the same steps, is not written item by item: a loop is
 * written once, and counts. The last words of a lane may be a loop that still does; it ends when something follows.
 */
#ifndef SL_TRACE_REEL_H
#define SL_TRACE_REEL_H

#include "base/op.h"
#include "trace/beginning.h"
#include "trace/item.h"
#include "trace/record.h"

#include <stdbool.h>
#include <stdint.h>

#define SL_REEL_MAGIC 0x37306c6565725f73ull /* bump with each change of layout */
#define SL_REEL_LANES 1024
#define SL_REEL_MODULES 256
#define SL_REEL_NAMES 1024
#define SL_REEL_ITEM_WORDS 4 /* at most, with its ticket */

/* Beside the kinds of items. */
enum {
	SL_REEL_SWITCH = 250, /* in place of pc: the thread whose items follow */
	SL_REEL_TICKET = 251, /* in place of size and pc: the ticket of the next item */
	SL_REEL_PAD = 252,    /* nothing; fills a ring up to its end, so that no item goes around it */
	SL_REEL_NAME = 253, /* in place of size and pc: the thread has this name from now on, of `names`, from 1 */
	SL_REEL_PART =
		254, /* in place of size and pc: another execution begins, of this number; under control only */
	SL_REEL_LOOP = 255, /* struct sl_reel_loop; of real threads only */
};

/* One item of a loop, in its first round. The assembly in engine/record_append.c knows it. */
struct sl_reel_slot {
	uint64_t word;   /* as above */
	uint64_t object; /* there is none if the item has one word */
	uint64_t step;   /* of the object, from round to round */
	uint16_t flags;
	uint8_t last; /* of the round */
};

struct sl_reel_loop {
	/* kind:8 slot:16 rounds:40: bytes from here to the slot of what comes next, rounds that are complete */
	uint64_t state;
	uint64_t period; /* slots */
	struct sl_reel_slot slots[];
};

#define SL_REEL_PERIOD_MAX 16
#define SL_REEL_LOOP_WORDS(period) (2 + 4 * (period))
#define SL_REEL_LOOP_STATE (SL_REEL_LOOP | sizeof(struct sl_reel_loop) << 8) /* at first */

struct sl_lane {
	_Alignas(64) uint64_t head; /* words ever written; released by the writer */
	uint32_t state;             /* enum below; the writer opens and ends it, the reader frees it */
	uint32_t thread;            /* of real threads: whose it is, when it is open */
	_Alignas(64) uint64_t tail; /* words ever read; a futex that the writer waits for (its lower half) */
	uint32_t waiting;           /* the writer does */
};
enum { SL_LANE_FREE, SL_LANE_TAKEN, SL_LANE_OPEN, SL_LANE_ENDED }; /* taken: not open yet */

struct sl_reel {
	uint64_t magic;
	uint32_t lane_count;
	uint32_t lane_used;   /* those from this one on have never been open */
	uint32_t lane_words;  /* a power of two; the rings follow the header, one after the other, at `rings` */
	uint64_t rings, size; /* bytes */
	_Alignas(64) uint64_t tickets; /* the last one that was taken */
	_Alignas(64) uint32_t news; /* a futex: the reader sets it and sleeps, a writer clears it and wakes it */
	uint32_t thread_count;      /* numbers given to threads */
	uint32_t module_count;
	uint32_t complete;             /* the program has ended and said so; else it crashed or was killed */
	uint32_t name_count;           /* of events (an EVENT's object is a number, from 1) and of threads */
	uint32_t forked;               /* children, which are not recorded */
	uint32_t replaced;             /* by another program (exec), which is not recorded */
	uint32_t unrecorded;           /* threads that found no lane */
	uint32_t noises;               /* times that a thread yielded or slept because it was told to */
	uint32_t instrumented;         /* the program was built by `sleave cc`; else only its calls are seen */
	struct sl_beginning beginning; /* size 0: not known */
	struct sl_module modules[SL_REEL_MODULES];
	char names[SL_REEL_NAMES][SL_EVENT_NAME];
	struct sl_lane lanes[SL_REEL_LANES];
};

static inline uint64_t
sl_reel_word(uint8_t kind, uint8_t size, uint64_t pc)
{
	return kind | (uint64_t)size << 8 | pc << 16;
}

static inline uint64_t
sl_reel_object_word(uint16_t flags, uint64_t object)
{
	return flags | object << 16;
}

static inline bool
sl_reel_has_value(uint8_t kind, uint16_t flags)
{
	if (kind == SL_READ || kind == SL_WRITE || kind == SL_UPDATE)
		return flags & SL_OP_RANGE;
	return kind < SL_OP_KIND_COUNT && !(kind >= SL_ATOMIC_LOAD && kind <= SL_ATOMIC_UPDATE);
}

/* Of an item, or of one of the others above. */
static inline unsigned
sl_reel_words(const uint64_t *words)
{
	uint8_t kind = (uint8_t)words[0];

	if (kind == SL_REEL_LOOP)
		return SL_REEL_LOOP_WORDS((unsigned)words[1]);
	if (kind == SL_ITEM_RETURN || kind == SL_ITEM_BRANCH || kind >= SL_REEL_SWITCH)
		return 1;
	return 2 + sl_reel_has_value(kind, (uint16_t)words[1]);
}

/* The fields but for `thread`. */
static inline void
sl_reel_read(const uint64_t *words, struct sl_item *item)
{
	unsigned count = sl_reel_words(words);

	item->kind = (uint8_t)words[0];
	item->size = (uint8_t)(words[0] >> 8);
	item->pc = words[0] >> 16;
	item->flags = count > 1 ? (uint16_t)words[1] : 0;
	item->object = count > 1 ? words[1] >> 16 : 0;
	item->value = count > 2 ? words[2] : 0;
}

/* Items that have come, by the state. */
static inline uint64_t
sl_reel_loop_items(const struct sl_reel_loop *loop, uint64_t state)
{
	uint64_t slot = ((state >> 8 & 0xffff) - sizeof(*loop)) / sizeof(struct sl_reel_slot);

	return (state >> 24) * loop->period + slot;
}

/* The words of the item of this number, from 0; there is no value. */
static inline void
sl_reel_loop_item(const struct sl_reel_loop *loop, uint64_t number, uint64_t words[3])
{
	const struct sl_reel_slot *slot = &loop->slots[number % loop->period];

	words[0] = slot->word;
	words[1] = sl_reel_object_word(slot->flags, slot->object + slot->step * (number / loop->period));
	words[2] = 0;
}

#endif
