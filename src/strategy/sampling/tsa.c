/*
 * Steers towards synchronisation pairs (or what else the criterion requires) that were not covered yet: the thread
 * scheduling algorithm of Hong, Ahn, Park, Kim and Harrold (ISSTA 2012), Algorithm 1. An operation that takes a
 * lock at a place with uncovered requirements is paused as long as any other thread can go; if none can, one of
 * the paused operations is released:
 *
 *	Rule 1  an operation that covers something at once, after the last holder of its lock
 *	Rule 2  an operation after which another paused one covers something
 *	Rule 3  an operation with the fewest requirements left: it has the least to wait for
 *
 * Without Rule 3 (TSA-h) it is any one. What has been covered, and what there is to cover, is in the table of the
 * engine (coverage/coverage.h), which sees every lock operation, also those that are not choices because there is
 * only one answer.
 *
 * Where the paper leaves it open: "an action in enabled(s) \ paused" is drawn, each with the same probability.
 * "paused = enabled(s)" is read as "all enabled operations are paused". The rules also apply if that is so at the
 * beginning of a choice (the thread that went last waits now). Which one of several operations that a rule allows
 * is drawn once for each choice, so that the loop ends. Sleepers and time limits may go like other operations, but
 * not for ever: after that the paused operations have waited in vain, and the rules decide. An operation that
 * stays paused while thousands of others are released, because Rule 3 prefers those, is released then: a loop may
 * wait for it.
 *
 * In pairs of a place that waits and the place where the holder took the lock, each paused thread waits: then Rule
 * 1 is an operation that covers something together with another one that wants the same lock, and there is no Rule
 * 2.
 *
 * One addition. Rules that always prefer the same operations keep others from ever happening: if returns go before
 * borrows because they have fewer requirements left, no thread ever waits for a full pool. So after a few
 * executions that covered nothing new, three of four executions are about one requirement, drawn from those that
 * are left: threads pause only at its two places, as if nothing else were uncovered, and at up to four others,
 * drawn as well; all other choices are random. In half of these executions threads go by ranks that change seldom:
 * steps drawn one at a time would make all threads advance at the same pace. In half of them an operation is
 * paused with probability 1/2: if all were, no thread would ever be the first at such a place, and find that there is
 * nothing yet. If a thread then does wait for a condition variable, with something left to cover there, the rules
 * take over again. But in a quarter of them a thread that has waited goes on like any other, and is not paused
 * there: the rules prefer the threads that end waits, so no time limit would ever expire, and no spurious wake-up
 * happen, twice.
 */
#include "strategy/sampling/tsa.h"

#include "coverage/locks.h"

#define LATE_PATIENCE 64
#define PATIENCE 20000 /* choices while some operation is paused and none is released */
#define AGE 4096       /* releases of other operations */
#define PATIENCE_LEAST 64
#define STALLED 4 /* executions that covered nothing new */

/* ---- paused operations ---- */

bool
sl_tsa_is_paused(const struct sl_tsa *s, const struct sl_op *op)
{
	const struct sl_tsa_paused *p = &s->paused[op->thread];

	return p->stamp == s->sample.stamp && p->index == op->index;
}

static void
pause(struct sl_tsa *s, const struct sl_op *op)
{
	struct sl_tsa_paused *p = &s->paused[op->thread];

	if (p->since_stamp != s->sample.stamp ||
	    p->since_index != op->index) { /* it may be released, and paused again */
		p->since = s->let_go;
		p->since_stamp = s->sample.stamp;
		p->since_index = op->index;
	}
	p->stamp = s->sample.stamp;
	p->index = op->index;
	p->place = sl_coverage_place_find(s->coverage, op->pc);
}

static void
unpause(struct sl_tsa *s, const struct sl_op *op)
{
	s->paused[op->thread].index = 0;
	s->waited = 0;
	s->let_go++;
}

static bool
takes_lock(const struct sl_choice *c, unsigned i)
{
	if (i >= c->prompt) /* the operation would be a time limit that expires */
		return false;
	return sl_kind_is(c->ops[i]->kind, SL_KIND_TAKES);
}

/* Of a paused operation. */
static uint32_t
place_of(const struct sl_tsa *s, const struct sl_op *op)
{
	return s->paused[op->thread].place;
}

/* num_cov_req() */
static uint32_t
open_at(const struct sl_tsa *s, uint32_t place)
{
	const struct sl_requirement *r = &s->coverage->requirements[s->focus];

	if (s->focus)
		return place && (place == r->first || place == r->second) && !(r->state & SL_COVER_COVERED);
	return s->coverage->places[place].open;
}

static bool
is_open(const struct sl_tsa *s, uint32_t first, uint32_t second)
{
	const struct sl_requirement *r = &s->coverage->requirements[s->focus];

	if (s->focus && (r->first != first || r->second != second))
		return false;
	return sl_coverage_is_open(s->coverage, first, second);
}

/* Lines 7 to 13. */
static bool
is_to_be_paused(const struct sl_tsa *s, const struct sl_choice *c, unsigned p)
{
	uint32_t place;

	if (!takes_lock(c, p))
		return false;
	place = sl_coverage_place_find(s->coverage, c->ops[p]->pc);
	if (open_at(s, place))
		return true;
	for (unsigned i = 0; s->focus && place && i < SL_TSA_EXTRAS; i++)
		if (s->extras[i] == place)
			return true;
	for (unsigned i = 0; i < c->prompt; i++)
		if (c->ops[i]->object == c->ops[p]->object && sl_tsa_is_paused(s, c->ops[i]))
			return true;
	return false;
}

/* ---- the rules ---- */

static bool
rule_1(const struct sl_tsa *s, const struct sl_choice *c, const struct sl_op *op)
{
	if (s->coverage->criterion->steering == SL_STEER_AFTER)
		return is_open(s, sl_sync_pair_last(s->coverage, op->object), place_of(s, op));
	for (unsigned i = 0; i < c->prompt; i++)
		if (c->ops[i] != op && c->ops[i]->object == op->object && takes_lock(c, i) &&
		    is_open(s, sl_coverage_place_find(s->coverage, c->ops[i]->pc), place_of(s, op)))
			return true;
	return false;
}

static bool
rule_2(const struct sl_tsa *s, const struct sl_choice *c, const struct sl_op *op)
{
	uint32_t place = place_of(s, op);

	if (s->coverage->criterion->steering != SL_STEER_AFTER)
		return false;
	for (unsigned i = 0; i < c->prompt; i++)
		if (c->ops[i] != op && c->ops[i]->object == op->object && sl_tsa_is_paused(s, c->ops[i]) &&
		    is_open(s, place, place_of(s, c->ops[i])))
			return true;
	return false;
}

/*
 * Half as long next time: a thread that loops until a paused thread moves would use up all steps of an execution.
 */
static void
lose_patience(uint32_t *patience)
{
	*patience = *patience / 2 > PATIENCE_LEAST ? *patience / 2 : PATIENCE_LEAST;
}

/* The operation that was paused first, if more than `age` others were released since; c->count: there is none. */
static unsigned
oldest(const struct sl_tsa *s, const struct sl_choice *c, uint32_t age)
{
	unsigned found = c->count;

	for (unsigned i = 0; i < c->prompt; i++)
		if (sl_tsa_is_paused(s, c->ops[i]) && s->let_go - s->paused[c->ops[i]->thread].since >= age &&
		    (found == c->count ||
		     s->paused[c->ops[i]->thread].since < s->paused[c->ops[found]->thread].since))
			found = i;
	return found;
}

/* Lines 16 to 29: the operation that is released. At least one is paused. */
static unsigned
select(struct sl_tsa *s, const struct sl_choice *c)
{
	unsigned best, fewest = 0;

	for (unsigned n = 0; n < c->prompt; n++) {
		unsigned i = (s->turn + n) % c->prompt;

		if (sl_tsa_is_paused(s, c->ops[i]) && open_at(s, place_of(s, c->ops[i])) &&
		    rule_1(s, c, c->ops[i])) {
			s->coverage->rules[1]++;
			return i;
		}
	}
	for (unsigned n = 0; n < c->prompt; n++) {
		unsigned i = (s->turn + n) % c->prompt;

		if (sl_tsa_is_paused(s, c->ops[i]) && open_at(s, place_of(s, c->ops[i])) &&
		    rule_2(s, c, c->ops[i])) {
			s->coverage->rules[2]++;
			return i;
		}
	}
	s->coverage->rules[3]++;
	best = oldest(s, c, s->age);
	/* the rules would never choose it: there are always others with fewer requirements left */
	if (best < c->count) {
		lose_patience(&s->age);
		return best;
	}
	for (unsigned n = 0; n < c->prompt; n++) {
		unsigned i = (s->turn + n) % c->prompt, open;

		if (!sl_tsa_is_paused(s, c->ops[i]))
			continue;
		open = s->plain ? 0 : open_at(s, place_of(s, c->ops[i]));
		if (best == c->count || open < fewest) {
			best = i;
			fewest = open;
		}
	}
	return best;
}

/* ---- the loop ---- */

/* May it go before the paused operations? */
static bool
is_ordinary(const struct sl_choice *c, unsigned i)
{
	return i < c->prompt && !(c->ops[i]->flags & SL_OP_YIELDED);
}

static bool
is_candidate(const struct sl_tsa *s, const struct sl_choice *c, unsigned i)
{
	return !sl_tsa_is_paused(s, c->ops[i]) && s->waited < s->patience &&
	       (is_ordinary(c, i) || s->late < LATE_PATIENCE);
}

#define RANK_CHANGES 24 /* once in this many choices */

static uint64_t
rank_of(struct sl_tsa *s, uint32_t thread)
{
	struct sl_tsa_paused *p = &s->paused[thread];

	if (p->rank_stamp != s->sample.stamp) {
		p->rank_stamp = s->sample.stamp;
		p->rank = sl_rng_next(&s->sample.rng);
	}
	return p->rank;
}

static unsigned
pick_by_rank(struct sl_tsa *s, const struct sl_choice *c)
{
	unsigned answer = c->count;

	for (unsigned i = 0; i < c->count; i++)
		if (is_candidate(s, c, i) &&
		    (answer == c->count || rank_of(s, c->ops[i]->thread) > rank_of(s, c->ops[answer]->thread)))
			answer = i;
	if (answer < c->count && sl_rng_below(&s->sample.rng, RANK_CHANGES) == 0)
		s->paused[c->ops[answer]->thread].rank /= 4;
	return answer;
}

/* enabled(s) \ paused: draws one of them; c->count: there is none. */
static unsigned
pick(struct sl_tsa *s, const struct sl_choice *c)
{
	unsigned answer = c->count, found = 0;

	if (s->ranked)
		return pick_by_rank(s, c);
	for (unsigned i = 0; i < c->count; i++)
		if (is_candidate(s, c, i) && sl_rng_below(&s->sample.rng, ++found) == 0)
			answer = i;
	return answer;
}

static bool
some_are_paused(const struct sl_tsa *s, const struct sl_choice *c)
{
	for (unsigned i = 0; i < c->prompt; i++)
		if (sl_tsa_is_paused(s, c->ops[i]))
			return true;
	return false;
}

static bool
all_are_paused(const struct sl_tsa *s, const struct sl_choice *c)
{
	for (unsigned i = 0; i < c->count; i++)
		if (is_candidate(s, c, i))
			return false;
	return true;
}

bool
sl_tsa_round(struct sl_tsa *s, const struct sl_choice *c, unsigned p)
{
	if (s->hasty && c->ops[p]->kind == SL_COND_RELOCK)
		return true;
	if (s->focus && c->ops[p]->kind == SL_COND_RELOCK &&
	    s->coverage->places[sl_coverage_place_find(s->coverage, c->ops[p]->pc)].open)
		s->focus = s->lax =
			0; /* a thread has waited, which is rare: everything that this can cover matters now */
	if (is_to_be_paused(s, c, p) && !(s->lax && sl_rng_below(&s->sample.rng, 2)))
		pause(s, c->ops[p]);
	if (all_are_paused(s, c) && some_are_paused(s, c))
		unpause(s, c->ops[select(s, c)]);
	return !sl_tsa_is_paused(s, c->ops[p]);
}

static unsigned
choose_thread(struct sl_tsa *s, const struct sl_choice *c)
{
	for (;;) {
		unsigned p = pick(s, c);

		if (p == c->count) {
			if (!some_are_paused(s, c)) /* all have waited long enough for time to pass */
				return sl_sample_uniform(&s->sample, c);
			p = s->waited < s->patience ? select(s, c) : oldest(s, c, 0);
			if (s->waited >= s->patience)
				lose_patience(&s->patience);
			unpause(s, c->ops[p]);
			return p; /* it was paused, and is not paused again */
		}
		if (sl_tsa_round(s, c, p))
			return p;
	}
}

static unsigned
choose(void *state, const struct sl_choice *c)
{
	struct sl_tsa *s = state;
	unsigned answer;

	if (c->kind != SL_CHOOSE_THREAD)
		return sl_sample_uniform(&s->sample, c);
	s->turn = c->prompt ? sl_rng_below(&s->sample.rng, c->prompt) : 0;
	answer = choose_thread(s, c);
	s->waited = some_are_paused(s, c) ? s->waited + 1 : 0;
	if (is_ordinary(c, answer))
		s->late = 0;
	else
		s->late++;
	return answer;
}

static int
start(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	struct sl_tsa *s = state;

	if (!options->coverage)
		return sl_err_set(err, "tsa needs to know what has been covered");
	sl_sample_start(&s->sample, options);
	s->coverage = options->coverage;
	s->plain = options->no_estimate_rule;
	s->alone = options->no_focus;
	return 0;
}

/* Draws one of the uncovered requirements; 0: there is none, or the rules still make progress. */
static uint32_t
focus(struct sl_tsa *s)
{
	const struct sl_coverage *c = s->coverage;
	uint64_t last = c->growth_count ? c->growth[c->growth_count - 1].execution : 0;
	uint32_t from;

	if (s->alone || c->execution < last + STALLED || !c->requirement_count ||
	    sl_rng_below(&s->sample.rng, 4) == 0)
		return 0;
	from = sl_rng_below(&s->sample.rng, c->requirement_count);
	for (uint32_t n = 0; n < c->requirement_count; n++) {
		uint32_t i = (from + n) % c->requirement_count + 1;

		if ((c->requirements[i].state & (SL_COVER_ESTIMATED | SL_COVER_COVERED)) == SL_COVER_ESTIMATED)
			return i;
	}
	return 0;
}

static bool
begin(void *state)
{
	struct sl_tsa *s = state;

	sl_sample_begin(&s->sample);
	s->late = s->waited = s->let_go = 0;
	s->patience = PATIENCE;
	s->age = AGE;
	s->focus = focus(s);
	s->ranked = s->focus && sl_rng_below(&s->sample.rng, 2);
	s->lax = s->focus && sl_rng_below(&s->sample.rng, 2);
	for (unsigned i = 0, count = sl_rng_below(&s->sample.rng, SL_TSA_EXTRAS + 1); i < SL_TSA_EXTRAS; i++)
		s->extras[i] =
			s->focus && i < count ? 1 + sl_rng_below(&s->sample.rng, s->coverage->place_count) : 0;
	s->hasty = s->focus && !sl_rng_below(&s->sample.rng, 4);
	return true;
}

static void
end(void *state, const struct sl_execution *execution)
{
	(void)state;
	(void)execution;
}

const struct sl_strategy sl_strategy_tsa = {
	.name = "tsa",
	.summary = "steers towards pairs of lock operations that were not seen one after the other yet",
	.state_size = sizeof(struct sl_tsa),
	.traits = {.samples = true, .covers = true},
	.start = start,
	.begin = begin,
	.choose = choose,
	.end = end,
};
