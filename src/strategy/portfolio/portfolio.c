/*
 * The default: several strategies take turns. Preemption bounding, because it finds most bugs soon, with the
 * shortest story; dpor, because it can finish a small program; and several kinds of sampling, because bugs that
 * need many preemptions, many threads or a long execution are out of reach of the first two, and no kind of
 * sampling is the best for all programs. The search ends when preemption bounding or dpor has seen everything:
 * then there is nothing left to sample.
 *
 * One record (strategy/sampling/seen.h) of which write was read where is kept over all of them. It gives rf its goals, and
 * tells which member still pays off: an execution does if it shows a pair that was not seen before, or at least a
 * new combination of pairs. A member that pays off less gets fewer turns, down to a minimum; the members that can
 * end the search have a larger minimum, since that is their worth.
 *
 * Stride scheduling: each member has a moment at which it goes next, which advances by less for a larger weight.
 * No clock and no random numbers are used, so the turns are the same for the same program and seed. A new member
 * needs a row in the table below, and a field.
 */
#include "strategy/portfolio/portfolio.h"

#include "base/rng.h"
#include "base/undo.h"

#define STRIDE (1u << 20)
#define FULL 64u /* worth of a member that has just paid off; halved after each execution that does not */

enum member { ICB, DPOR, RF, SURW, RARE, PCT, POS, WALK, MEMBERS };
_Static_assert(MEMBERS == SL_PORTFOLIO_MEMBERS, "each has its worth");

/* Offsets instead of pointers: the state outlives the process. */
static const struct row {
	const struct sl_strategy *strategy;
	size_t offset;
	uint32_t share; /* of the turns, while it pays off */
	uint32_t floor; /* the minimum worth */
} rows[MEMBERS] = {
	[ICB] = {&sl_strategy_icb, offsetof(struct sl_portfolio, icb), 3, FULL},
	[DPOR] = {&sl_strategy_dpor, offsetof(struct sl_portfolio, dpor), 3, FULL},
	[RF] = {&sl_strategy_rf, offsetof(struct sl_portfolio, rf), 6, FULL / 32},
	[SURW] = {&sl_strategy_surw, offsetof(struct sl_portfolio, surw), 3, FULL / 32},
	[RARE] = {&sl_strategy_rare, offsetof(struct sl_portfolio, rare), 4, FULL / 32},
	[PCT] = {&sl_strategy_pct, offsetof(struct sl_portfolio, pct), 2, FULL / 32},
	[POS] = {&sl_strategy_pos, offsetof(struct sl_portfolio, pos), 3, FULL / 32},
	[WALK] = {&sl_strategy_walk, offsetof(struct sl_portfolio, walk), 2, FULL / 32},
};

/*
 * The first executions: mostly members that find bugs soon. The turns by worth come afterwards, when there is
 * something to judge by. The calmest schedule has been run before (the engine warms up with it), so the bounded
 * search can wait; a random walk shows rf most of the pairs that exist.
 */
static const unsigned char opening[] = {
	WALK, RF, WALK, RF, SURW, WALK, RF, WALK, RF, SURW, WALK, RF, WALK, RF,  POS,  WALK, RF, WALK, RF,  SURW,
	WALK, RF, WALK, RF, SURW, WALK, RF, WALK, RF, POS,  WALK, RF, WALK, PCT, SURW, WALK, RF, WALK, ICB, SURW,
};

static void *
state_of(struct sl_portfolio *s, uint32_t member)
{
	return (char *)s + rows[member].offset;
}

static int
start(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	struct sl_portfolio *s = state;

	s->no_dpor = options->workers > 1 || options->unseen;
	for (uint32_t i = 0; i < MEMBERS; i++) {
		struct sl_strategy_options own = *options;

		own.seed = sl_mix(options->seed + i); /* otherwise all samplers would draw the same numbers */
		if (i == DPOR && s->no_dpor)
			continue;
		if (rows[i].strategy->start(state_of(s, i), &own, err) < 0)
			return -1;
		s->members[i].worth = FULL;
		s->members[i].next = i; /* the first round after the opening is in the order of the table */
	}
	return 0;
}

/* A goal that no execution has tried yet is worth the most. */
static uint32_t
share_of(const struct sl_portfolio *s, uint32_t member)
{
	return member == RF && s->rf.seen.untried ? 2 * rows[member].share : rows[member].share;
}

/* If dpor has ended without having seen everything, it has nothing more to run. */
static bool
dpor_goes_on(const struct sl_portfolio *s)
{
	return !s->no_dpor && !s->dpor.exhausted;
}

static bool
dpor_is_complete(const struct sl_portfolio *s)
{
	struct sl_progress progress;

	if (s->no_dpor || !s->dpor.exhausted)
		return false;
	sl_strategy_dpor.search->progress(&s->dpor, &progress);
	return progress.complete;
}

static uint32_t
next_member(struct sl_portfolio *s)
{
	uint32_t first = 0;

	if (s->executions < sizeof(opening))
		return opening[s->executions];
	for (uint32_t i = 1; i < MEMBERS; i++)
		if (s->members[i].next < s->members[first].next && (i != DPOR || dpor_goes_on(s)))
			first = i;
	s->members[first].next += STRIDE * FULL / (share_of(s, first) * s->members[first].worth);
	return first;
}

static bool
begin(void *state)
{
	struct sl_portfolio *s = state;

	if (s->icb.exhausted || dpor_is_complete(s))
		return false;
	sl_undo_save(s, offsetof(struct sl_portfolio, icb));
	s->member = next_member(s);
	s->executions++;
	if (s->member != RF)
		sl_seen_begin(&s->rf.seen);
	return rows[s->member].strategy->begin(state_of(s, s->member));
}

static unsigned
choose(void *state, const struct sl_choice *c)
{
	struct sl_portfolio *s = state;
	unsigned answer = rows[s->member].strategy->choose(state_of(s, s->member), c);

	/* dpor is also asked when a thread runs alone, and may answer with a thread that is not in the list */
	if (s->member != RF && c->kind == SL_CHOOSE_THREAD && c->count > 1 && answer < c->count)
		sl_seen_note(&s->rf.seen, c->ops[answer]);
	return answer;
}

static void
end(void *state, const struct sl_execution *execution)
{
	struct sl_portfolio *s = state;
	uint32_t *worth = &s->members[s->member].worth, floor = rows[s->member].floor;
	unsigned pays;

	rows[s->member].strategy->end(state_of(s, s->member), execution);
	pays = s->member == RF ? s->rf.news : sl_seen_end(&s->rf.seen);
	*worth = pays > 1 ? FULL : pays ? *worth + FULL / 4 : *worth / 2;
	if (*worth < floor)
		*worth = floor;
	if (*worth > FULL)
		*worth = FULL;
}

static void
grown(void *state)
{
	struct sl_portfolio *s = state;

	sl_strategy_icb.search->grown(&s->icb);
	if (!s->no_dpor)
		sl_strategy_dpor.search->grown(&s->dpor);
	sl_strategy_rare.search->grown(&s->rare); /* the others do not depend on it */
}

static void
progress(const void *state, struct sl_progress *progress)
{
	const struct sl_portfolio *s = state;

	sl_strategy_icb.search->progress(&s->icb, progress);
	if (!progress->complete && dpor_is_complete(s)) {
		int bound = progress->bound;

		sl_strategy_dpor.search->progress(&s->dpor, progress);
		progress->bound = bound;
	}
}

static bool
watches(const void *state)
{
	const struct sl_portfolio *s = state;

	return s->member == DPOR;
}

static bool
heeds(const void *state)
{
	const struct sl_portfolio *s = state;

	return s->member == ICB || s->member == DPOR;
}

static void
stepped(void *state, const struct sl_step *step)
{
	sl_strategy_dpor.steps->stepped(&((struct sl_portfolio *)state)->dpor, step);
}

static void
ordered(void *state, uint32_t from, uint32_t to)
{
	sl_strategy_dpor.steps->ordered(&((struct sl_portfolio *)state)->dpor, from, to);
}

static void
instead(void *state, uint32_t thread)
{
	sl_strategy_dpor.steps->instead(&((struct sl_portfolio *)state)->dpor, thread);
}

static void
vain(void *state, uint32_t thread, uint64_t from, uint64_t to)
{
	sl_strategy_dpor.steps->vain(&((struct sl_portfolio *)state)->dpor, thread, from, to);
}

static void
recover(void *state)
{
	struct sl_portfolio *s = state;

	if (!s->no_dpor)
		sl_strategy_dpor.search->recover(&s->dpor);
}

static const struct sl_strategy_search search = {
	.grown = grown,
	.progress = progress,
	.heeds = heeds,
	.recover = recover,
};

static const struct sl_strategy_steps steps = {
	.stepped = stepped,
	.watches = watches,
	.ordered = ordered,
	.instead = instead,
	.vain = vain,
};

const struct sl_strategy sl_strategy_portfolio = {
	.name = "portfolio",
	.summary =
		"takes icb, dpor, rf, surw, rare, pct, pos and walk in turns; one that shows nothing new gets fewer (the default)",
	.state_size = sizeof(struct sl_portfolio),
	.traits = {.samples = true},
	.start = start,
	.begin = begin,
	.choose = choose,
	.end = end,
	.search = &search,
	.steps = &steps,
};
