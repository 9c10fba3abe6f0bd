/*
 * After a change of the program: strategies that look at what the change impacts (struct sl_impact) take turns, and the
 * portfolio has a share, so that what the analysis of the change has missed is still found.
 *
 * hold keeps threads back at places between impacted operations, and where the command has predicted it (struct sl_foreseen). directed
 * steers into the predicted violations, each in one manner, then each in the next; there is one such order at a time, so only
 * the first worker does.
 *
 * The impacted operations, and those on the same objects, are what surw orders, and what rf takes its goals from. Three
 * bounded searches have CAPP's prioritisation (strategy/prioritise.h), by the heuristics that did best in its
 * evaluation: LOA, MA and FA. Each runs executions with few preemptions first, and all of one iteration before the
 * next. The search ends when one of them, or the portfolio, has seen everything.
 *
 * Turns are fixed: which of the members pays is known when the bug is found, and then it is over.
 */
#include "base/rng.h"
#include "base/undo.h"
#include "strategy/directed.h"
#include "strategy/portfolio/portfolio.h"
#include "strategy/sampling/hold.h"

enum member { PORTFOLIO, HOLD, DIRECTED, RF, SURW, LOA, MA, FA, MEMBERS };

struct regress {
	uint64_t executions; /* begun */
	uint32_t member;     /* whose execution is under way */
	uint32_t no_orders;  /* executions cannot be steered into orders here */
	uint64_t steered;    /* executions that were */
	struct sl_foreseen *foreseen;
	struct sl_holding hold;
	struct sl_directed directed;
	struct sl_rf rf;
	struct sl_surw surw;
	struct sl_icb loa, ma, fa;
	struct sl_portfolio portfolio;
};

#define ORDER_TRIES 20u /* executions that are steered into each predicted order */
#define ANY_KIND (SL_OP_IMPACTED_FUNCTION | SL_OP_IMPACTED_LINE_ON_STACK | SL_OP_IMPACTED_FIELD)

static const struct row {
	const struct sl_strategy *strategy;
	size_t offset;
	enum sl_prioritise prioritise;
	uint16_t impacted;
} rows[MEMBERS] = {
	[PORTFOLIO] = {&sl_strategy_portfolio, offsetof(struct regress, portfolio), SL_PRIORITISE_NOTHING, 0},
	[HOLD] = {&sl_strategy_hold, offsetof(struct regress, hold), SL_PRIORITISE_NOTHING, ANY_KIND},
	[DIRECTED] = {&sl_strategy_directed, offsetof(struct regress, directed), SL_PRIORITISE_NOTHING, 0},
	[RF] = {&sl_strategy_rf, offsetof(struct regress, rf), SL_PRIORITISE_NOTHING, ANY_KIND},
	[SURW] = {&sl_strategy_surw, offsetof(struct regress, surw), SL_PRIORITISE_NOTHING, ANY_KIND},
	[LOA] = {&sl_strategy_icb, offsetof(struct regress, loa), SL_PRIORITISE_ALL, SL_OP_IMPACTED_LINE_ON_STACK},
	[MA] = {&sl_strategy_icb, offsetof(struct regress, ma), SL_PRIORITISE_ALL, SL_OP_IMPACTED_FUNCTION},
	[FA] = {&sl_strategy_icb, offsetof(struct regress, fa), SL_PRIORITISE_ALL, SL_OP_IMPACTED_FIELD},
};

/*
 * The first executions: those that find most soon. Then the searches that can end have a larger share, since that is their worth. The
 * portfolio begins with random walks, from which the others learn which objects there are.
 */
static const unsigned char opening[] = {HOLD, HOLD, SURW, HOLD, HOLD,      DIRECTED, SURW, HOLD, RF, SURW, HOLD,
					LOA,  SURW, RF,   HOLD, PORTFOLIO, SURW,     MA,   HOLD, RF, SURW, FA};
static const unsigned char turns[] = {HOLD, HOLD,      SURW,      HOLD,     DIRECTED, RF,  SURW, HOLD,
				      RF,   LOA,       PORTFOLIO, HOLD,     SURW,     LOA, RF,   HOLD,
				      MA,   PORTFOLIO, LOA,       DIRECTED, HOLD,     FA};

static uint32_t
next_member(const struct regress *s)
{
	uint64_t after = s->executions - sizeof(opening);

	return s->executions < sizeof(opening) ? opening[s->executions] : turns[after % sizeof(turns)];
}

static void *
state_of(struct regress *s, uint32_t member)
{
	return (char *)s + rows[member].offset;
}

static int
start(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	struct regress *s = state;

	s->foreseen = options->foreseen;
	s->no_orders = !options->order || !options->foreseen || options->worker;
	for (uint32_t i = 0; i < MEMBERS; i++) {
		struct sl_strategy_options own = *options;

		own.seed = sl_mix(options->seed + 100 + i); /* else all samplers would roll the same dice */
		own.prioritise = rows[i].prioritise;
		own.impacted = rows[i].impacted;
		if (i == DIRECTED) {
			s->directed = (struct sl_directed){.order = options->order, .seed = own.seed};
			continue;
		}
		if (rows[i].strategy->start(state_of(s, i), &own, err) < 0)
			return -1;
	}
	return 0;
}

static const struct sl_icb *
searched(const struct regress *s)
{
	struct sl_progress progress;
	const struct sl_icb *const all[] = {&s->loa, &s->ma, &s->fa};

	for (unsigned i = 0; i < 3; i++) {
		sl_strategy_icb.search->progress(all[i], &progress);
		if (progress.complete)
			return all[i];
	}
	return NULL;
}

/*
 * The next of the predicted orders; all of them in one manner, then in the next. False: each has been tried often enough.
 */
static bool
take_order(struct regress *s)
{
	uint64_t count = s->no_orders ? 0 : s->foreseen->order_count;

	if (s->steered >= ORDER_TRIES * count)
		return false;
	SL_SAVE(s->foreseen->tried);
	SL_SAVE(s->directed);
	*s->directed.order = s->foreseen->orders[s->steered % count];
	s->directed.begun = s->steered / count;
	s->directed.seed = sl_mix(s->directed.seed + s->steered);
	s->steered++;
	if (s->foreseen->tried < count)
		s->foreseen->tried++;
	return true;
}

static bool
begin(void *state)
{
	struct regress *s = state;
	uint32_t member = next_member(s);

	if (searched(s))
		return false;
	sl_undo_save(s, offsetof(struct regress, hold));
	for (uint32_t i = 0; rows[member].strategy == &sl_strategy_icb && i < 3; i++) /* one that is over */
		if (((struct sl_icb *)state_of(s, member))->exhausted)
			member = member == FA ? LOA : member + 1;
	if (rows[member].strategy == &sl_strategy_icb && ((struct sl_icb *)state_of(s, member))->exhausted)
		member = PORTFOLIO;
	if (!s->no_orders) {
		SL_SAVE(*s->directed.order);
		s->directed.order->count = 0;
	}
	if (member == DIRECTED && !take_order(s))
		member = HOLD;
	s->member = member;
	s->executions++;
	return rows[member].strategy->begin(state_of(s, member));
}

static unsigned
choose(void *state, const struct sl_choice *c)
{
	struct regress *s = state;

	return rows[s->member].strategy->choose(state_of(s, s->member), c);
}

static void
end(void *state, const struct sl_execution *execution)
{
	struct regress *s = state;

	rows[s->member].strategy->end(state_of(s, s->member), execution);
}

static void
grown(void *state)
{
	struct regress *s = state;

	for (uint32_t i = 0; i < MEMBERS; i++)
		if (rows[i].strategy->search)
			rows[i].strategy->search->grown(state_of(s, i));
}

static void
progress(const void *state, struct sl_progress *progress)
{
	const struct regress *s = state;
	const struct sl_icb *complete = searched(s);
	struct sl_progress first;

	sl_strategy_portfolio.search->progress(&s->portfolio, progress);
	if (complete && !progress->complete)
		sl_strategy_icb.search->progress(complete, progress);
	sl_strategy_icb.search->progress(&s->loa, &first);
	progress->iterations = first.iterations;
}

static bool
watches(const void *state)
{
	const struct regress *s = state;

	return s->member == PORTFOLIO && sl_strategy_portfolio.steps->watches(&s->portfolio);
}

static bool
heeds(const void *state)
{
	const struct regress *s = state;

	return s->member == PORTFOLIO ? sl_strategy_portfolio.search->heeds(&s->portfolio)
				      : s->member == DIRECTED || rows[s->member].strategy == &sl_strategy_icb;
}

static void
stepped(void *state, const struct sl_step *step)
{
	sl_strategy_portfolio.steps->stepped(&((struct regress *)state)->portfolio, step);
}

static void
ordered(void *state, uint32_t from, uint32_t to)
{
	sl_strategy_portfolio.steps->ordered(&((struct regress *)state)->portfolio, from, to);
}

static void
instead(void *state, uint32_t thread)
{
	sl_strategy_portfolio.steps->instead(&((struct regress *)state)->portfolio, thread);
}

static void
vain(void *state, uint32_t thread, uint64_t from, uint64_t to)
{
	sl_strategy_portfolio.steps->vain(&((struct regress *)state)->portfolio, thread, from, to);
}

static void
recover(void *state)
{
	sl_strategy_portfolio.search->recover(&((struct regress *)state)->portfolio);
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

const struct sl_strategy sl_strategy_regress = {
	.name = "regress",
	.summary =
		"after a change: hold, directed, rf, surw, and icb with LOA, MA and FA at what it impacts, and the portfolio, in turns",
	.state_size = sizeof(struct regress),
	.traits = {.samples = true},
	.start = start,
	.begin = begin,
	.choose = choose,
	.end = end,
	.search = &search,
	.steps = &steps,
};
