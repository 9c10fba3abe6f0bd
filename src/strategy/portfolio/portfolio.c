/*
 * The default: several strategies take turns. Preemption bounding, because it finds most bugs soon, with the shortest
 * story; dpor, because it can finish a small program; beside them several kinds of sampling, because what needs many
 * preemptions, many threads or a long execution is out of their reach, and no kind of sampling is the best for all programs.
 * The search ends when one of the first two has seen everything: then there is nothing left to sample.
 *
 * One record (strategy/seen.h) of what was read from where is kept over all of them. It gives rf its goals from the
 * first, and tells who still pays: an execution pays if it shows a pair that was not seen before, or at least a
 * combination of pairs. Who pays less gets fewer turns, down to a floor; those that can end the search have a higher one,
 * since that is their worth.
 *
 * Turns are by stride: each has a moment at which it goes next, which moves on by less for a greater weight. No clock
 * and no dice, so the turns are the same for the same program and seed. A new member needs a row in the table below, and
 * a field.
 */
#include "base/rng.h"
#include "base/undo.h"
#include "strategy/dpor/dpor.h"
#include "strategy/icb.h"
#include "strategy/rare.h"
#include "strategy/rf.h"
#include "strategy/surw.h"

#define STRIDE (1u << 20)
#define FULL 64u /* worth of a member that has just paid; halved whenever it does not */

enum member { ICB, DPOR, RF, SURW, RARE, PCT, POS, WALK, MEMBERS };

struct portfolio {
	uint64_t executions; /* begun */
	uint32_t member;     /* whose execution is under way */
	bool no_dpor;        /* it can't be had here */
	struct {
		uint64_t next;  /* its moment */
		uint32_t worth; /* 0 … FULL */
	} members[MEMBERS];
	struct sl_icb icb;
	struct sl_dpor dpor;
	struct sl_rf rf;
	struct sl_surw surw;
	struct sl_rare rare;
	struct sl_pct pct;
	struct sl_pos pos;
	struct sl_random_walk walk;
};

/* Offsets and no table of pointers into it: the state outlives the process, so it holds numbers. */
static const struct row {
	const struct sl_strategy *strategy;
	size_t offset;
	uint32_t share; /* of the turns, while it pays */
	uint32_t floor; /* the least worth */
} rows[MEMBERS] = {
	[ICB] = {&sl_strategy_icb, offsetof(struct portfolio, icb), 3, FULL},
	[DPOR] = {&sl_strategy_dpor, offsetof(struct portfolio, dpor), 3, FULL},
	[RF] = {&sl_strategy_rf, offsetof(struct portfolio, rf), 6, FULL / 32},
	[SURW] = {&sl_strategy_surw, offsetof(struct portfolio, surw), 3, FULL / 32},
	[RARE] = {&sl_strategy_rare, offsetof(struct portfolio, rare), 4, FULL / 32},
	[PCT] = {&sl_strategy_pct, offsetof(struct portfolio, pct), 2, FULL / 32},
	[POS] = {&sl_strategy_pos, offsetof(struct portfolio, pos), 3, FULL / 32},
	[WALK] = {&sl_strategy_walk, offsetof(struct portfolio, walk), 2, FULL / 32},
};

/* The first executions: most of what finds things soon. The turns by worth come after that, when there is something to judge
 * by. The calmest schedule has been run by then (the engine warms up with it), so the bounded search can wait; a random
 * walk shows rf most of the pairs that there are. */
static const unsigned char opening[] = {
	WALK, RF, WALK, RF, SURW, WALK, RF, WALK, RF, SURW, WALK, RF, WALK, RF,  POS,  WALK, RF, WALK, RF,  SURW,
	WALK, RF, WALK, RF, SURW, WALK, RF, WALK, RF, POS,  WALK, RF, WALK, PCT, SURW, WALK, RF, WALK, ICB, SURW,
};

static void *
state_of(struct portfolio *s, uint32_t member)
{
	return (char *)s + rows[member].offset;
}

static int
start(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	struct portfolio *s = state;

	s->no_dpor = options->workers > 1 || options->unseen;
	for (uint32_t i = 0; i < MEMBERS; i++) {
		struct sl_strategy_options own = *options;

		own.seed = sl_mix(options->seed + i); /* else all samplers would roll the same dice */
		if (i == DPOR && s->no_dpor)
			continue;
		if (rows[i].strategy->start(state_of(s, i), &own, err) < 0)
			return -1;
		s->members[i].worth = FULL;
		s->members[i].next = i; /* the first round after the opening is in the order of the table */
	}
	return 0;
}

/* A goal that nobody has tried is the best that there is. */
static uint32_t
share_of(const struct portfolio *s, uint32_t member)
{
	return member == RF && s->rf.seen.untried ? 2 * rows[member].share : rows[member].share;
}

/* One that has come to its end without having seen everything has nothing more to say. */
static bool
dpor_goes_on(const struct portfolio *s)
{
	return !s->no_dpor && !s->dpor.exhausted;
}

static bool
dpor_is_complete(const struct portfolio *s)
{
	struct sl_progress progress;

	if (s->no_dpor || !s->dpor.exhausted)
		return false;
	sl_strategy_dpor.progress(&s->dpor, &progress);
	return progress.complete;
}

static uint32_t
next_member(struct portfolio *s)
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
	struct portfolio *s = state;

	if (s->icb.exhausted || dpor_is_complete(s))
		return false;
	sl_undo_save(s, offsetof(struct portfolio, icb));
	s->member = next_member(s);
	s->executions++;
	if (s->member != RF)
		sl_seen_begin(&s->rf.seen);
	return rows[s->member].strategy->begin(state_of(s, s->member));
}

static unsigned
choose(void *state, const struct sl_choice *c)
{
	struct portfolio *s = state;
	unsigned answer = rows[s->member].strategy->choose(state_of(s, s->member), c);

	/* dpor is asked of threads that are alone, too, and may answer with what is not in the list */
	if (s->member != RF && c->kind == SL_CHOOSE_THREAD && c->count > 1 && answer < c->count)
		sl_seen_note(&s->rf.seen, c->ops[answer]);
	return answer;
}

static void
end(void *state, const struct sl_execution *execution)
{
	struct portfolio *s = state;
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
	struct portfolio *s = state;

	sl_strategy_icb.grown(&s->icb);
	if (!s->no_dpor)
		sl_strategy_dpor.grown(&s->dpor);
	sl_strategy_rare.grown(&s->rare); /* the others don't mind */
}

static void
progress(const void *state, struct sl_progress *progress)
{
	const struct portfolio *s = state;

	sl_strategy_icb.progress(&s->icb, progress);
	if (!progress->complete && dpor_is_complete(s)) {
		int bound = progress->bound;

		sl_strategy_dpor.progress(&s->dpor, progress);
		progress->bound = bound;
	}
}

static bool
watches(const void *state)
{
	const struct portfolio *s = state;

	return s->member == DPOR;
}

static bool
heeds(const void *state)
{
	const struct portfolio *s = state;

	return s->member == ICB || s->member == DPOR;
}

static void
stepped(void *state, const struct sl_step *step)
{
	sl_strategy_dpor.stepped(&((struct portfolio *)state)->dpor, step);
}

static void
ordered(void *state, uint32_t from, uint32_t to)
{
	sl_strategy_dpor.ordered(&((struct portfolio *)state)->dpor, from, to);
}

static void
instead(void *state, uint32_t thread)
{
	sl_strategy_dpor.instead(&((struct portfolio *)state)->dpor, thread);
}

static void
vain(void *state, uint32_t thread, uint64_t from, uint64_t to)
{
	sl_strategy_dpor.vain(&((struct portfolio *)state)->dpor, thread, from, to);
}

static void
recover(void *state)
{
	struct portfolio *s = state;

	if (!s->no_dpor)
		sl_strategy_dpor.recover(&s->dpor);
}

const struct sl_strategy sl_strategy_portfolio = {
	.name = "portfolio",
	.summary =
		"takes icb, dpor, rf, surw, rare, pct, pos and walk in turns; one that shows nothing new gets fewer (the default)",
	.state_size = sizeof(struct portfolio),
	.start = start,
	.begin = begin,
	.choose = choose,
	.end = end,
	.heeds = heeds,
	.grown = grown,
	.progress = progress,
	.watches = watches,
	.stepped = stepped,
	.ordered = ordered,
	.instead = instead,
	.vain = vain,
	.recover = recover,
};
