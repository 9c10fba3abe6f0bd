/*
 * Steered by what reads read from; the idea is that of RFF (Wolff, Shi, Duck, Mathur and Roychoudhury, ASPLOS 2024). What
 * a thread does depends on what it reads, so two executions in which every read gets its value from the same write are
 * the same to all threads. There are few pairs of a place that writes and one that reads, even with a hundred
 * threads that run the same code; a pair that was never seen is the goal of an execution, and forced:
 *
 *	- the read waits until such a write was the last one to its object;
 *	- then other writes to the object wait until it was read;
 *	- if it is to read what was there at first, all writes wait.
 *
 * Everything else goes as pos will have it. When all that could go are held back, the goals are given up. So they are
 * when those that are not held get nowhere: one may be polling for what a held one is to do, or a timer be running out
 * over and over. More threads held than ever before counts as getting somewhere; time that passes counts against it. And
 * usually not for long: many pairs are impossible, and an execution that waits for one to the end is a coarse one, thread
 * after thread.
 *
 * Deviations: no corpus of schedules that is mutated. A goal is drawn from what was not seen (those with fewer
 * tries first), sometimes with another pair, seen or not, as a second one; when everything was seen, it is one to four
 * of those that were seen least, so that combinations come up. From its second try on a goal lets the place read a few
 * times before it counts.
 */
#include "strategy/rf.h"

#define PATIENCE                                                                                                  \
	5u /* up to 1 << this choices in which nobody comes to be held who was not, for each that can go */
#define BUDGET 4096u  /* choices while somebody is held, in one execution; … */
#define LATE_COST 64u /* … what lets time pass, or gives way, counts for so many */

static int
start(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	struct sl_rf *s = state;

	return sl_strategy_pos.start(&s->pos, options, err);
}

/* ---- goals ---- */

/* Of three that are drawn, the one with the least of something. */
static uint32_t
draw_unseen(struct sl_rf *s)
{
	uint32_t best = 0;

	for (unsigned i = 0; i < 3; i++) {
		uint32_t pair = s->seen.unseen[sl_rng_below(&s->rng, s->seen.unseen_count)];

		if (!best || s->seen.pairs[pair].tries < s->seen.pairs[best].tries)
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
		if (s->goals[i].read == p->read) /* one at a time is enough for a read */
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

		/* What could not be reached in many tries may well be impossible. */
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

/* Is there a goal that has the operation wait? Late ones never do: they are about time. */
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

/* For all whose turn may have come, or is over, with what the last operation did. */
static void
update_all(struct sl_rf *s, const struct sl_choice *c)
{
	for (unsigned i = 0; i < c->count; i++)
		update(s, c, c->ops[i]->thread);
}

/* What the operation does to the goals; true if somebody may be held now, or no longer. */
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

/* Is it time to let those that are held go? */
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
		return c->count; /* `changed` was not all: our bug, and the engine says so */

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
	.start = start,
	.begin = begin,
	.choose = choose,
	.end = end,
};
