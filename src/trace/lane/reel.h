/*
 * How items get from the program that is recorded to the command that writes the trace: rings in shared memory, made by
 * the command, inherited as a descriptor. Memory is bounded; when a ring is full the program waits, it never drops. What
 * the program has written is there when it crashes.
 *
 * A lane is a ring of words with one writer and one reader. Under control a process has a reel of one lane, and items
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
 * written once, and counts; so is a loop with another one in it that goes round as often each time. The last words of a lane may be
 * a loop that still counts; it ends when something follows.
 */
#ifndef SL_TRACE_LANE_REEL_H
#define SL_TRACE_LANE_REEL_H

#include "base/op.h"
#include "trace/lane/beginning.h"
#include "trace/lane/item.h"
#include "trace/lane/wordlist.h"
#include "trace/records.h"

#include <stdbool.h>
#include <stdint.h>

#define SL_REEL_MAGIC 0x3b306c6565725f73ull /* bump with each change of layout */
#define SL_REEL_LANES 1024
#define SL_REEL_MODULES 256
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

/* One item of a loop, in its first round. The assembly in engine/record/record_append.c knows it. */
struct sl_reel_slot {
	uint64_t word;   /* as above */
	uint64_t object; /* there is none if the item has one word */
	uint64_t step;   /* of the object, from round to round */
	uint16_t flags;
	uint8_t last; /* of the round */
};

struct sl_reel_loop {
	uint64_t kind; /* SL_REEL_LOOP:8 slots:8 slots around it:8 */
	uint64_t
		state; /* slot:16 rounds:48: bytes from here to the slot of what comes next, rounds that are complete */
	struct sl_reel_slot slots[];
};

/*
 * A loop may be in another one, which begins each of its rounds with some items: their slots are behind those of the inner loop, and
 * behind them one that nothing is like, then this. The rounds in the state are those of the loop that the slot is of.
 */
struct sl_reel_nest {
	uint64_t count; /* items of the inner loop, each time */
	uint64_t round; /* rounds of the outer loop that are complete, while the inner one goes round */
	struct {
		uint64_t start,
			step; /* of an inner slot's object: at first, from round to round of the outer loop */
	} slots[];
};

#define SL_REEL_PERIOD_MAX 16
#define SL_REEL_LOOP_WORDS(period) (2 + 4 * (period))
#define SL_REEL_NEST_WORDS(period, around) (SL_REEL_LOOP_WORDS((period) + (around) + 1) + 2 + 2 * (period))
#define SL_REEL_LOOP_WORDS_MAX SL_REEL_NEST_WORDS(SL_REEL_PERIOD_MAX, SL_REEL_PERIOD_MAX)
#define SL_REEL_LOOP_KIND(period, around) (SL_REEL_LOOP | (uint64_t)(period) << 8 | (uint64_t)(around) << 16)
#define SL_REEL_LOOP_STATE(slot) (sizeof(struct sl_reel_loop) + (slot) * sizeof(struct sl_reel_slot)) /* round 0 */

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
	uint32_t complete;     /* the program has ended and said so; else it crashed or was killed */
	uint32_t forked;       /* children, which are not recorded */
	uint32_t replaced;     /* by another program (exec), which is not recorded */
	uint32_t unrecorded;   /* threads that found no lane */
	uint32_t explored;     /* times that sleave_explore() was called: each time its function ran once */
	uint32_t noises;       /* times that a thread yielded or slept because it was told to */
	uint32_t instrumented; /* the program was built by `sleave cc`; else only its calls are seen */
	struct sl_beginning beginning; /* size 0: not known */
	struct sl_module modules[SL_REEL_MODULES];
	struct sl_wordlist names; /* of events (an EVENT's object is a number, from 1) and of threads */
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

	if (kind == SL_REEL_LOOP) {
		unsigned period = (uint8_t)(words[0] >> 8), around = (uint8_t)(words[0] >> 16);

		return around ? SL_REEL_NEST_WORDS(period, around) : SL_REEL_LOOP_WORDS(period);
	}
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

/* ---- loops ---- */

static inline unsigned
sl_reel_period(const struct sl_reel_loop *loop)
{
	return (uint8_t)(loop->kind >> 8);
}

/* Slots of the outer loop; 0: there is none. */
static inline unsigned
sl_reel_around(const struct sl_reel_loop *loop)
{
	return (uint8_t)(loop->kind >> 16);
}

/* Only if there is an outer loop. */
static inline struct sl_reel_nest *
sl_reel_nest(const struct sl_reel_loop *loop)
{
	return (struct sl_reel_nest *)&loop->slots[sl_reel_period(loop) + sl_reel_around(loop) + 1];
}

/* Items of one round, of the outer loop if there is one. */
static inline uint64_t
sl_reel_round(const struct sl_reel_loop *loop)
{
	unsigned around = sl_reel_around(loop);

	return around ? around + sl_reel_nest(loop)->count : sl_reel_period(loop);
}

static inline unsigned
sl_reel_slot(uint64_t state)
{
	return (unsigned)(((uint16_t)state - sizeof(struct sl_reel_loop)) / sizeof(struct sl_reel_slot));
}

/* Items that have come. */
static inline uint64_t
sl_reel_loop_items(const struct sl_reel_loop *loop, uint64_t state)
{
	unsigned period = sl_reel_period(loop), around = sl_reel_around(loop), slot = sl_reel_slot(state);

	if (!around)
		return (state >> 16) * period + slot;
	if (slot >= period)
		return (state >> 16) * sl_reel_round(loop) + slot - period;
	return sl_reel_nest(loop)->round * sl_reel_round(loop) + around + (state >> 16) * period + slot;
}

/* Rounds that are complete, of the outer loop if there is one. A number that is read late is only larger. */
static inline uint64_t
sl_reel_rounds(const struct sl_reel_loop *loop)
{
	uint64_t state = __atomic_load_n(&loop->state, __ATOMIC_ACQUIRE);

	return sl_reel_around(loop) && sl_reel_slot(state) < sl_reel_period(loop)
		       ? __atomic_load_n(&sl_reel_nest(loop)->round, __ATOMIC_RELAXED)
		       : state >> 16;
}

/*
 * Which round the item of this number is of, from 0, and which item of that it is. In the last one an inner loop may have gone round
 * more often than the times before.
 */
static inline uint64_t
sl_reel_round_of(const struct sl_reel_loop *loop, uint64_t number, uint64_t *at)
{
	uint64_t round = number / sl_reel_round(loop);

	if (sl_reel_around(loop) && round > sl_reel_rounds(loop))
		round = sl_reel_rounds(loop);
	*at = number - round * sl_reel_round(loop);
	return round;
}

/* The words of the item of this number, from 0; there is no value. */
static inline void
sl_reel_loop_item(const struct sl_reel_loop *loop, uint64_t number, uint64_t words[3])
{
	unsigned period = sl_reel_period(loop), around = sl_reel_around(loop);
	uint64_t at, round = sl_reel_round_of(loop, number, &at), object;
	const struct sl_reel_slot *slot;

	if (!around) {
		slot = &loop->slots[at];
		object = slot->object + slot->step * round;
	} else if (at < around) {
		slot = &loop->slots[period + at];
		object = slot->object + slot->step * round;
	} else {
		const struct sl_reel_nest *nest = sl_reel_nest(loop);
		uint64_t i = (at - around) % period;

		slot = &loop->slots[i];
		object =
			nest->slots[i].start + nest->slots[i].step * round + slot->step * ((at - around) / period);
	}
	words[0] = slot->word;
	words[1] = sl_reel_object_word(slot->flags, object);
	words[2] = 0;
}

#endif
