/*
 * Guided by the reads-from relation; the idea is that of RFF (Wolff, Shi, Duck, Mathur and Roychoudhury, ASPLOS
 * 2024). What a thread does depends on what it reads, so two executions in which every read gets its value from
 * the same write are the same to all threads. Even with a hundred threads that run the same code there are few
 * pairs of a writing and a reading place. A pair that was never seen becomes the goal of an execution, and is
 * forced:
 *
 *	- the read waits until such a write was the last one to its object;
 *	- then other writes to the object wait until the read has happened;
 *	- if the read is to return the initial value, all writes wait.
 *
 * pos decides everything else. If all enabled threads are held back, the goals are given up. So are they when the
 * other threads make no progress: one may be polling for what a held thread is to do, or a timer may expire again
 * and again. Holding more threads than ever before counts as progress; time that passes counts against it. And the
 * patience is usually short: many pairs are impossible, and an execution that waits for one to the end is coarse,
 * one thread after the other.
 *
 * Deviations: there is no corpus of schedules that is mutated. A goal is drawn from the pairs not seen (those with
 * fewer tries first), sometimes with another pair, seen or not, as a second one; once everything was seen, the
 * goals are one to four of the pairs seen least, so that combinations occur. From its second try on, a goal lets
 * the place read a few times before it counts.
 */
#include "strategy/sampling/rf.h"

#define PATIENCE 5u  /* up to 1 << this choices in which no further thread becomes held, for each enabled thread */
#define BUDGET 4096u /* choices in one execution while some thread is held; … */
#define UNIMPACTED 8u /* a pair that no change impacts is tried after as many tries of one that is */
#define LATE_COST 64u /* … an operation that lets time pass, or yields, counts as this many */

static int
start(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	struct sl_rf *s = state;

	s->seen.impacted = options->impacted;
	return sl_strategy_pos.start(&s->pos, options, err);
}

/* ---- goals ---- */

/* How late it is to be tried: after a change of the program, pairs that it impacts come first. */
static uint32_t
lateness_of(const struct sl_rf *s, uint32_t pair)
{
	return s->seen.pairs[pair].tries + (s->seen.impacted && !s->seen.pairs[pair].impacted ? UNIMPACTED : 0);
}

/* Draws three pairs, more if only some are impacted, and returns the one that is to be tried first. */
static uint32_t
draw_unseen(struct sl_rf *s)
{
	uint32_t best = 0;

	for (unsigned i = 0; i < (s->seen.impacted ? 12 : 3); i++) {
		uint32_t pair = s->seen.unseen[sl_rng_below(&s->rng, s->seen.unseen_count)];

		if (!best || lateness_of(s, pair) < lateness_of(s, best))
			best = pair;
	}
	return best;
}

static uint32_t
draw_any(struct sl_rf *s)
{
	uint32_t best = 0;

	for (unsigned i = 0; i < 2; i++) {
		uint32_t pair = 1 + sl_rng_below(&s->rng, s->seen.pair_count);

		if (!best || s->seen.pairs[pair].count < s->seen.pairs[best].count)
			best = pair;
	}
	return best;
}

static void
goal_add(struct sl_rf *s, uint32_t pair)
{
	struct sl_seen_pair *p = &s->seen.pairs[pair];
	uint32_t skip = 0;

	for (unsigned i = 0; i < s->goal_count; i++)
		if (s->goals[i].read == p->read) /* one goal at a time is enough for a read */
			return;
	while (p->tries && skip < 16 && (sl_rng_next(&s->rng) & 1))
		skip++;
	sl_seen_try(&s->seen, pair);
	s->goals[s->goal_count++] =
		(struct sl_rf_goal){.write = p->write, .read = p->read, .skip = skip, .open = true};
	s->open_count++;
}

static bool
begin(void *state)
{
	struct sl_rf *s = state;

	SL_SAVE(s->news);
	sl_strategy_pos.begin(&s->pos);
	sl_seen_begin(&s->seen);
	s->rng = sl_rng_derive(s->pos.sample.rng.state, 1);
	s->execution++;
	s->held_count = s->goal_count = s->open_count = 0;
	s->stale = false;
	s->most_held = 0;
	s->budget = BUDGET;
	s->persistence = sl_rng_next(&s->rng) & 1 ? sl_rng_below(&s->rng, PATIENCE + 1) : 0;
	if (!s->seen.pair_count)
		return true; /* nothing is known yet */
	if (s->seen.unseen_count) {
		uint32_t goal = draw_unseen(s);

		/* A pair that could not be reached in many tries may well be impossible. */
		if (sl_rng_below(&s->rng, 1 + s->seen.pairs[goal].tries) < 2)
			goal_add(s, goal);
		if (s->goal_count && (sl_rng_next(&s->rng) & 3))
			return true;
	}
	for (unsigned more = 1 + sl_rng_below(&s->rng, SL_RF_GOALS - s->goal_count); more > 0; more--)
		goal_add(s, draw_any(s));
	return true;
}

static bool
against(const struct sl_rf *s, const struct sl_rf_goal *goal, const struct sl_op *op)
{
	uint64_t writer = 0;

	if (op->flags & SL_OP_READS && op->pc == goal->read)
		return !goal->skip && sl_seen_writer(&s->seen, op->object) != goal->write;
	if (!(op->flags & SL_OP_WRITES) || op->pc == goal->write)
		return false;
	if (goal->write) {
		writer = sl_seen_writer(&s->seen, op->object);
		if (writer != goal->write)
			return false;
	}
	return sl_seen_reads(&s->seen, goal->read, op->object);
}

/* Does a goal make the operation wait? Late operations never wait for goals: they concern time. */
static bool
is_held(const struct sl_rf *s, const struct sl_op *op)
{
	if (!s->open_count || !op->object || (op->flags & SL_OP_LATE))
		return false;
	for (unsigned i = 0; i < s->goal_count; i++)
		if (s->goals[i].open && against(s, &s->goals[i], op))
			return true;
	return false;
}

/* ---- choosing ---- */

static void
update(struct sl_rf *s, const struct sl_choice *c, uint32_t thread)
{
	struct sl_rf_slot *slot = &s->slots[thread];
	bool held = c->places[thread] < c->count && is_held(s, c->ops[c->places[thread]]);

	if (slot->execution != s->execution)
		*slot = (struct sl_rf_slot){.execution = s->execution};
	s->held_count += (uint32_t)held - (uint32_t)slot->held;
	slot->held = held;
	sl_pos_update(&s->pos, c, thread, held);
}

/* Updates all operations whose turn may have come, or is over, because of the last operation. */
static void
update_all(struct sl_rf *s, const struct sl_choice *c)
{
	for (unsigned i = 0; i < c->count; i++)
		update(s, c, c->ops[i]->thread);
}

/* What the operation does to the goals; true if it may change which threads are held. */
static bool
follow(struct sl_rf *s, const struct sl_op *op)
{
	bool changed = false;
	uint64_t writer;

	if (!s->open_count || !op->object)
		return false;
	writer = sl_seen_writer(&s->seen, op->object);
	for (unsigned i = 0; i < s->goal_count; i++) {
		struct sl_rf_goal *g = &s->goals[i];

		if (!g->open)
			continue;
		if (op->flags & SL_OP_READS && op->pc == g->read) {
			changed = true;
			if (g->skip) {
				g->skip--;
			} else if (writer == g->write) {
				g->open = false; /* reached */
				s->open_count--;
			}
		}
		if (op->flags & SL_OP_WRITES && (writer == g->write) != (op->pc == g->write))
			changed = true;
	}
	return changed;
}

/* Is it time to release the held threads? */
static bool
is_in_vain(struct sl_rf *s, const struct sl_choice *c)
{
	if (s->held_count == c->count)
		return true;
	if (s->held_count > s->most_held) {
		s->most_held = s->held_count;
		s->patience = c->count << s->persistence;
	}
	return !s->patience || !s->budget;
}

static void
spend(struct sl_rf *s, const struct sl_op *op)
{
	uint32_t cost = op->flags & (SL_OP_LATE | SL_OP_YIELDED) ? LATE_COST : 1;

	s->patience -= s->patience > 0;
	s->budget -= s->budget < cost ? s->budget : cost;
}

static unsigned
choose(void *state, const struct sl_choice *c)
{
	struct sl_rf *s = state;

	if (c->kind != SL_CHOOSE_THREAD)
		return sl_sample_uniform(&s->pos.sample, c);
	for (unsigned i = 0; i < c->changed_count; i++)
		update(s, c, c->changed[i]);
	if (s->stale) {
		s->stale = false;
		update_all(s, c);
	}
	if (s->held_count && is_in_vain(s, c)) {
		s->open_count = 0; /* given up */
		update_all(s, c);
	}
	if (s->pos.pending + s->held_count != c->count)
		return c->count; /* `changed` was incomplete: a bug of the engine, which reports the answer */

	unsigned answer = sl_pos_pick(&s->pos, c);

	if (s->held_count)
		spend(s, c->ops[answer]);
	s->stale = follow(s, c->ops[answer]);
	sl_seen_note(&s->seen, c->ops[answer]);
	return answer;
}

static void
end(void *state, const struct sl_execution *execution)
{
	struct sl_rf *s = state;

	(void)execution;
	s->news = sl_seen_end(&s->seen);
}

const struct sl_strategy sl_strategy_rf = {
	.name = "rf",
	.summary = "steers towards pairs of a write and a read that were never seen",
	.state_size = sizeof(struct sl_rf),
	.traits = {.samples = true},
	.start = start,
	.begin = begin,
	.choose = choose,
	.end = end,
};
