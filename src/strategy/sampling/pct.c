/*
 * Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi and Nagarakatte, ASPLOS 2010): threads get
 * random priorities and the highest goes; at depth-1 random points the thread that would go is put below all
 * others. One execution finds a bug that needs `depth` ordering constraints with a probability of at least 1/(n
 * k^(depth-1)), for n threads and k choices.
 *
 * Deviations: k is not known, so the longest execution so far stands for it. Sleepers and time-outs rank between
 * ordinary threads and lowered ones, so that a change point can let time pass; but a thread may overtake in this
 * way only once in an execution, otherwise a thread that polls with a sleep would starve a lowered one for ever.
 * For the same reason a thread that yields is lowered, and if all operations are late the threads take turns.
 */
#include "strategy/sampling/sample.h"

#define DEFAULT_DEPTH 3
#define FIRST_GUESS 64       /* of the length of the first execution */
#define INITIAL (1ull << 63) /* initial priorities have this bit */
#define LOWERED (1ull << 40) /* at change point i: this + i; after a yield: below it, counting down */
#define TURNS_MAX 0x7fffu    /* turns of a late thread beyond these count as equal */

static int
start(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	struct sl_pct *s = state;

	if (options->depth > SL_PCT_DEPTH_MAX)
		return sl_err_set(err, "a depth of %u is too much for pct: at most %u", options->depth,
				  SL_PCT_DEPTH_MAX);
	sl_sample_start(&s->sample, options);
	s->depth = options->depth ? options->depth : DEFAULT_DEPTH;
	return 0;
}

static bool
begin(void *state)
{
	struct sl_pct *s = state;
	uint64_t length = s->longest ? s->longest : FIRST_GUESS;

	sl_sample_begin(&s->sample);
	SL_SAVE(s->longest);
	s->choices = 0;
	s->highest = UINT32_MAX;
	s->floor = LOWERED - 1;
	for (unsigned i = 0; i + 1 < s->depth; i++)
		s->change_at[i] =
			1 + sl_rng_below(&s->sample.rng, length < UINT32_MAX ? (uint32_t)length : UINT32_MAX);
	return true;
}

static struct sl_pct_slot *
slot_of(struct sl_pct *s, const struct sl_op *op)
{
	struct sl_pct_slot *slot = &s->slots[op->thread];

	if (slot->stamp != s->sample.stamp)
		*slot = (struct sl_pct_slot){
			.stamp = s->sample.stamp,
			.priority = INITIAL | sl_rng_next(&s->sample.rng) >> 1,
		};
	return slot;
}

static uint64_t
rank(struct sl_pct *s, const struct sl_op *op, bool all_late)
{
	const struct sl_pct_slot *slot = slot_of(s, op);

	if (!(op->flags & SL_OP_LATE))
		return slot->priority;
	if (slot->overtook || all_late) /* below all lowered threads */
		return (uint64_t)(TURNS_MAX - slot->turns) << 24 | slot->priority >> 40;
	return slot->priority & INITIAL ? slot->priority >> 2 : slot->priority;
}

static unsigned
highest(struct sl_pct *s, const struct sl_choice *c)
{
	unsigned best = 0;
	uint64_t best_rank = 0;

	for (unsigned i = 0; i < c->count; i++) {
		uint64_t r = rank(s, c->ops[i], !c->prompt);

		if (r > best_rank) {
			best = i;
			best_rank = r;
		}
	}
	return best;
}

/*
 * The answer of the last choice still holds if no thread has become enabled since; so a long run costs the same
 * among many threads.
 */
static bool
is_still_highest(const struct sl_pct *s, const struct sl_choice *c)
{
	return c->current < c->prompt && c->ops[c->current]->thread == s->highest &&
	       !(c->ops[c->current]->flags & SL_OP_YIELDED) && c->changed_count == 1 &&
	       c->changed[0] == s->highest;
}

/* Threads that yielded are lowered, each once for each yield. */
static unsigned
highest_unyielding(struct sl_pct *s, const struct sl_choice *c)
{
	unsigned best = highest(s, c);

	for (;;) {
		struct sl_pct_slot *slot = slot_of(s, c->ops[best]);

		if (!(c->ops[best]->flags & SL_OP_YIELDED) || slot->yielded == c->ops[best]->index)
			return best;
		slot->yielded = c->ops[best]->index;
		slot->priority = s->floor--;
		best = highest(s, c);
	}
}

static unsigned
choose(void *state, const struct sl_choice *c)
{
	struct sl_pct *s = state;

	if (c->kind != SL_CHOOSE_THREAD)
		return sl_sample_uniform(&s->sample, c);
	s->choices++;
	unsigned best = is_still_highest(s, c) ? c->current : highest_unyielding(s, c);

	for (unsigned i = 0; i + 1 < s->depth; i++)
		if (s->change_at[i] == s->choices) {
			slot_of(s, c->ops[best])->priority = LOWERED + i;
			best = highest_unyielding(s, c);
		}
	if (best >= c->prompt) {
		struct sl_pct_slot *slot = slot_of(s, c->ops[best]);

		slot->overtook |= c->prompt > 0;
		slot->turns += slot->turns < TURNS_MAX;
	}
	s->highest = c->ops[best]->thread;
	return best;
}

static void
end(void *state, const struct sl_execution *execution)
{
	struct sl_pct *s = state;

	(void)execution;
	if (s->choices > s->longest)
		s->longest = s->choices;
}

const struct sl_strategy sl_strategy_pct = {
	.name = "pct",
	.summary = "gives threads random priorities, and changes them at a few random points (--depth)",
	.state_size = sizeof(struct sl_pct),
	.traits = {.samples = true},
	.start = start,
	.begin = begin,
	.choose = choose,
	.end = end,
};
