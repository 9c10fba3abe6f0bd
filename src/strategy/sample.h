/*
 * What the sampling strategies (random, pct, pos) share: their executions are numbered over all workers, and
 * each number has its own stream of random numbers, so any one execution can be had again by itself. They
 * never end by themselves and remember nothing that must be right, so growth is no matter to them.
 *
 * Their states are here and not in their files because portfolio holds one of each.
 */
#ifndef SL_STRATEGY_SAMPLE_H
#define SL_STRATEGY_SAMPLE_H

#include "base/rng.h"
#include "strategy/strategy.h"

#define SL_SAMPLE_THREADS (1u << 20) /* threads are told apart up to here; then they share priorities */
#define SL_PCT_DEPTH_MAX 64u

struct sl_sample {
	uint64_t seed;
	uint64_t execution; /* of this worker, from 1 while it is under way */
	uint64_t worker, workers;
	struct sl_rng rng;
};

struct sl_random {
	struct sl_sample sample;
};

/* A slot belongs to the execution it names; to all others it is empty. */
struct sl_pct {
	struct sl_sample sample;
	unsigned depth;
	uint64_t longest; /* most choices of a thread in one execution so far: where the changes are drawn from */
	uint64_t choices; /* … in the one under way */
	uint64_t floor;   /* the next lowered thread gets this, and is below all others */
	uint64_t version; /* of the last choice, and the thread that was the highest there */
	uint32_t highest;
	uint64_t change_at[SL_PCT_DEPTH_MAX];
	struct sl_pct_slot {
		uint64_t execution;
		uint64_t priority;
		uint64_t yielded; /* index of the last operation at which it was lowered for giving way */
		uint32_t turns;   /* how many late operations of it went */
		bool overtook;    /* one of them went before an ordinary one */
	} slots[SL_SAMPLE_THREADS];
};

struct sl_pos {
	struct sl_sample sample;
	struct sl_pos_slot {
		uint64_t execution;
		uint64_t index; /* of the operation whose priority this is */
		uint64_t priority;
	} slots[SL_SAMPLE_THREADS];
};

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
	s->rng = sl_rng_derive(s->seed, s->execution * s->workers + s->worker);
	s->execution++;
}

static inline unsigned
sl_sample_uniform(struct sl_sample *s, const struct sl_choice *choice)
{
	return sl_rng_below(&s->rng, choice->count);
}

#endif
