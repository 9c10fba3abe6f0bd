/*
 * What the sampling strategies share. Their executions are numbered over all workers, and each number has its own
 * stream of random numbers, so any execution can be repeated by itself. The strategies never end by themselves,
 * and nothing that they remember has to be exact, so it does not matter to them when more operations become
 * choices.
 *
 * Their states are declared here because portfolio contains one of each.
 */
#ifndef SL_STRATEGY_SAMPLING_SAMPLE_H
#define SL_STRATEGY_SAMPLING_SAMPLE_H

#include "base/rng.h"
#include "base/undo.h"
#include "strategy/strategy.h"

#define SL_PCT_DEPTH_MAX 64u

struct sl_sample {
	uint64_t seed;
	uint64_t execution; /* of this worker, from 1 while it runs */
	uint64_t worker, workers;
	struct sl_rng rng;
	uint64_t stamp; /* of the current execution: one that is begun again (base/undo.h) gets another */
};

struct sl_random {
	struct sl_sample sample;
};

struct sl_random_walk {
	struct sl_sample sample;
	uint32_t stay; /* probability, of 65536, that the last thread continues in this execution */
};

/* A slot belongs to the execution whose stamp it has; for all others it is empty. */
struct sl_pct {
	struct sl_sample sample;
	unsigned depth;
	/* most choices of a thread in one execution so far: change points are drawn from these */
	uint64_t longest;
	uint64_t choices; /* … in the current execution */
	uint64_t floor;   /* priority of the next thread that is lowered, below all others */
	uint32_t highest; /* the thread with the highest priority at the last choice */
	uint64_t change_at[SL_PCT_DEPTH_MAX];
	struct sl_pct_slot {
		uint64_t stamp;
		uint64_t priority;
		uint64_t yielded; /* index of the last operation at which it was lowered because it yielded */
		uint32_t turns;   /* number of its late operations that went */
		bool overtook;    /* one of them went before an ordinary one */
	} slots[SL_STRATEGY_THREADS];
};

#define SL_POS_BUCKETS (1u << 12)
#define SL_POS_BLOCK 4u /* members in a block of size 0; a block of size n has this << n */
#define SL_POS_SIZES 13u

/* See pos.c. Slots and buckets belong to the execution whose stamp they have; groups are numbered from 1, 0 is none. */
struct sl_pos {
	struct sl_sample sample;
	uint32_t free_group; /* head of the free list */
	uint32_t last_group; /* the highest number in use so far */
	uint32_t heap_count;
	uint32_t pending; /* operations in all groups */
	uint32_t exits;   /* pending operations that end the program */
	uint32_t again_count;
	uint8_t widest;      /* bytes of the widest operation so far */
	struct sl_pos_slot { /* of a thread */
		uint64_t stamp;
		uint64_t index; /* of its operation */
		uint64_t alarm; /* if it is one of the drawn members of its group */
		struct sl_pos_key {
			uint64_t object;
			uint8_t kind, size; /* kind: SL_EXIT, or 0 for all others */
			uint16_t flags;
		} key;
		uint32_t group, at;
	} slots[SL_STRATEGY_THREADS];
	struct sl_pos_group {
		struct sl_pos_key key;
		/* the alarms of members that are not drawn are later than this; nothing else is known of them */
		uint64_t bound;
		uint32_t count, drawn;
		uint32_t block, size; /* the members: [0, drawn) the latest first, then the others */
		uint32_t heap;        /* position in the heap */
		uint32_t next;        /* in its bucket, or in the free list */
	} groups[SL_STRATEGY_THREADS + 1];
	struct sl_pos_top {
		uint64_t alarm;
		uint32_t group;
	} heap[SL_STRATEGY_THREADS];
	struct sl_pos_bucket {
		uint64_t stamp;
		uint32_t first;
	} buckets[SL_POS_BUCKETS];
	uint32_t again[SL_STRATEGY_THREADS]; /* threads that are about to draw again */
	/*
	 * A block of size n > 0 is at least a quarter full, except the one that is being left: so there is room.
	 */
	uint32_t free_block[SL_POS_SIZES], end_of_blocks[SL_POS_SIZES];
	uint32_t members[SL_POS_SIZES][8 * SL_STRATEGY_THREADS];
};

/*
 * pos as a part of another strategy (rf): a held thread counts as not enabled. The caller reports every change of
 * that, and those of the choice; then pos picks one of the threads that are left.
 */
void sl_pos_update(struct sl_pos *pos, const struct sl_choice *choice, uint32_t thread, bool held);
unsigned sl_pos_pick(struct sl_pos *pos, const struct sl_choice *choice);

static inline void
sl_sample_start(struct sl_sample *s, const struct sl_strategy_options *options)
{
	s->seed = options->seed;
	s->worker = options->worker;
	s->workers = options->workers ? options->workers : 1;
}

static inline void
sl_sample_begin(struct sl_sample *s)
{
	sl_undo_save(s, offsetof(struct sl_sample, stamp));
	s->stamp++;
	s->rng = sl_rng_derive(s->seed, s->execution * s->workers + s->worker);
	s->execution++;
}

static inline unsigned
sl_sample_uniform(struct sl_sample *s, const struct sl_choice *choice)
{
	return sl_rng_below(&s->rng, choice->count);
}

#endif
