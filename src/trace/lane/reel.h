/*
 * How items get from the recorded program to the command that writes the trace: rings in shared memory, created by
 * the command and inherited as a descriptor. Memory is bounded; when a ring is full the program waits, and drops
 * nothing. What the program has written survives its crash.
 *
 * A lane is a ring of words with one writer and one reader. Under control a process has a reel with one lane, and
 * items are in their order; SWITCH names the thread of the items that follow. On real threads each thread has its
 * own lane, and an operation that others can have waited for, or can wait for, has a ticket: from one counter,
 * taken while no other thread could do the same operation on that object (after a lock has been taken, before it
 * is released). Items without a ticket come after their thread's last ticket and before its next; a sequence that
 * respects this is an order that can have happened.
 *
 * Words of an item:
 *	kind:8 size:8 pc:48
 *	flags:16 object:48     unless the kind is RETURN or BRANCH
 *	value                  if sl_reel_has_value()
 *
 * What a thread repeats, at addresses that advance by the same steps, is not written item by item: a loop is
 * written once, and counts. So is a loop that contains another one with the same number of rounds each time. The
 * last words of a lane may be a loop that still counts; it ends when something follows.
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

#define SL_REEL_MAGIC 0x3c306c6565725f73ull /* bump with each change of layout */
#define SL_REEL_LANES 1024
#define SL_REEL_MODULES 256
#define SL_REEL_ITEM_WORDS 4 /* at most, with its ticket */

/* Words that are not items. */
enum {
	SL_REEL_SWITCH = 250, /* instead of pc: the thread of the items that follow */
	SL_REEL_TICKET = 251, /* instead of size and pc: the ticket of the next item */
	SL_REEL_PAD = 252,    /* fills a ring up to its end, so that no item wraps around */
	/* instead of size and pc: the thread has this name from now on (number in `names`, from 1) */
	SL_REEL_NAME = 253,
	SL_REEL_PART = 254, /* instead of size and pc: number of the execution that begins; under control only */
	SL_REEL_LOOP = 255, /* struct sl_reel_loop; on real threads only */
};

/* One item of a loop, in its first round. The assembly in engine/record/record_append.c knows the layout. */
struct sl_reel_slot {
	uint64_t word;   /* as above */
	uint64_t object; /* unused if the item has one word */
	uint64_t step;   /* added to the object in each round */
	uint16_t flags;
	uint8_t last; /* of the round */
};

struct sl_reel_loop {
	uint64_t kind;  /* SL_REEL_LOOP:8 slots:8 slots around it:8 */
	uint64_t state; /* slot:16 rounds:48: offset in bytes of the next slot, complete rounds */
	struct sl_reel_slot slots[];
};

/*
 * A loop may be inside another one, which begins each of its rounds with some items: their slots follow those of
 * the inner loop; then comes one slot that matches nothing, then this. The rounds in the state are those of the
 * loop that the slot belongs to.
 */
struct sl_reel_nest {
	uint64_t count; /* items of the inner loop in each round */
	uint64_t round; /* complete rounds of the outer loop while the inner loop runs */
	struct {
		uint64_t start,
			/*
			 * of an inner slot's object: in the first round, and added in each round of the outer loop
			 */
			step;
	} slots[];
};

#define SL_REEL_PERIOD_MAX 16
#define SL_REEL_LOOP_WORDS(period) (2 + 4 * (period))
#define SL_REEL_NEST_WORDS(period, around) (SL_REEL_LOOP_WORDS((period) + (around) + 1) + 2 + 2 * (period))
#define SL_REEL_LOOP_WORDS_MAX SL_REEL_NEST_WORDS(SL_REEL_PERIOD_MAX, SL_REEL_PERIOD_MAX)
#define SL_REEL_LOOP_KIND(period, around) (SL_REEL_LOOP | (uint64_t)(period) << 8 | (uint64_t)(around) << 16)
#define SL_REEL_LOOP_STATE(slot) (sizeof(struct sl_reel_loop) + (slot) * sizeof(struct sl_reel_slot)) /* round 0 */

struct sl_lane {
	_Alignas(64) uint64_t head; /* words written so far; released by the writer */
	uint32_t state;             /* enum below; the writer opens and ends it, the reader frees it */
	uint32_t thread;            /* of real threads: the owner, while the lane is open */
	_Alignas(64) uint64_t tail; /* words read so far; its lower half is the futex that the writer waits for */
	uint32_t waiting;           /* the writer waits */
};
enum { SL_LANE_FREE, SL_LANE_TAKEN, SL_LANE_OPEN, SL_LANE_ENDED }; /* taken: not open yet */

struct sl_reel {
	uint64_t magic;
	uint32_t lane_count;
	uint32_t lane_used;   /* lanes from here on have never been open */
	uint32_t lane_words;  /* a power of two; the rings follow the header at `rings`, one after the other */
	uint64_t rings, size; /* bytes */
	_Alignas(64) uint64_t tickets; /* the last ticket taken */
	_Alignas(64) uint32_t news; /* a futex: the reader sets it and sleeps, a writer clears it and wakes it */
	uint32_t thread_count;      /* numbers given to threads */
	uint32_t module_count;
	uint32_t complete;     /* the program has ended normally; else it crashed or was killed */
	uint32_t forked;       /* child processes, which are not recorded */
	uint32_t replaced;     /* by another program (exec), which is not recorded */
	uint32_t unrecorded;   /* threads that got no lane */
	uint32_t explored;     /* calls of sleave_explore(): each ran its function once */
	uint32_t noises;       /* yields and sleeps that were inserted as noise */
	uint32_t instrumented; /* the program was built by `sleave cc`; otherwise only its calls are seen */
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
	if (sl_kind_is(kind, SL_KIND_ACCESS))
		return sl_kind_is_plain(kind) && flags & SL_OP_RANGE;
	return kind < SL_OP_KIND_COUNT || sl_item_is_learnt(kind);
}

/* Number of words of an item, or of one of the others above. */
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

/* Fills all fields except `thread`. */
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

/* Number of slots of the outer loop; 0: there is none. */
static inline unsigned
sl_reel_around(const struct sl_reel_loop *loop)
{
	return (uint8_t)(loop->kind >> 16);
}

/* Valid only if there is an outer loop. */
static inline struct sl_reel_nest *
sl_reel_nest(const struct sl_reel_loop *loop)
{
	return (struct sl_reel_nest *)&loop->slots[sl_reel_period(loop) + sl_reel_around(loop) + 1];
}

/* Number of items in one round, of the outer loop if there is one. */
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

/* Number of completed items. */
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

/* Number of complete rounds, of the outer loop if there is one. A number that is read later is only larger. */
static inline uint64_t
sl_reel_rounds(const struct sl_reel_loop *loop)
{
	uint64_t state = __atomic_load_n(&loop->state, __ATOMIC_ACQUIRE);

	return sl_reel_around(loop) && sl_reel_slot(state) < sl_reel_period(loop)
		       ? __atomic_load_n(&sl_reel_nest(loop)->round, __ATOMIC_RELAXED)
		       : state >> 16;
}

/*
 * The round, from 0, of the item with this number, and the item's position in it. In the last round an inner loop
 * may have run more often than before.
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

/* The words of the item with this number, from 0; it has no value. */
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
