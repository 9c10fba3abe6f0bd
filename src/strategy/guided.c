/*
 * Follows a schedule by places (guided.h), as far as that is possible. Users can't name it: `sleave regress` tries with it
 * whether a finding of one version is there in another one.
 */
#include "strategy/guided.h"

#include "base/undo.h"
#include "strategy/strategy.h"

#define NO_LABEL UINT32_MAX

struct state {
	const struct sl_guide *guide;
	uint32_t run, other; /* the next picks of each kind */
	uint64_t begun;
	uint32_t counts[SL_GUIDE_THREADS][SL_GUIDE_LABELS]; /* operations that were performed; sparse */
	struct {
		uint32_t thread, label;
	} counted[SL_GUIDE_PLACES]; /* which counts are not zero */
	uint32_t counted_count;
};

static int
start(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	struct state *s = state;

	if (!options->guide)
		return sl_err_set(err, "guided needs a schedule by places");
	s->guide = options->guide;
	return 0;
}

/* The same execution again and again: the engine decides how often. */
static bool
begin(void *state)
{
	struct state *s = state;

	while (s->counted_count) {
		s->counted_count--;
		s->counts[s->counted[s->counted_count].thread][s->counted[s->counted_count].label] = 0;
	}
	s->run = s->other = 0;
	s->begun++;
	return true;
}

/* Of the call that returns there. */
static uint32_t
label_of(const struct sl_guide *g, uint64_t pc)
{
	uint32_t low = 0, high = g->place_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (g->places[middle].low < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low && pc <= g->places[low - 1].high ? g->places[low - 1].label : NO_LABEL;
}

static void
count(struct state *s, const struct sl_op *op)
{
	uint32_t label = label_of(s->guide, op->pc);

	if (label >= SL_GUIDE_LABELS || op->thread >= SL_GUIDE_THREADS)
		return;
	if (!s->counts[op->thread][label]) {
		if (s->counted_count == SL_GUIDE_PLACES)
			return;
		s->counted[s->counted_count].thread = op->thread;
		s->counted[s->counted_count++].label = label;
	}
	s->counts[op->thread][label]++;
}

static bool
is_done(const struct state *s, const struct sl_guide_pick *pick)
{
	return pick->label != NO_LABEL && pick->who < SL_GUIDE_THREADS && pick->label < SL_GUIDE_LABELS &&
	       s->counts[pick->who][pick->label] >= pick->occurrence;
}

static unsigned
choose_thread(struct state *s, const struct sl_choice *c)
{
	unsigned answer = c->count;

	for (; s->run < s->guide->pick_count && answer == c->count; s->run += answer == c->count) {
		const struct sl_guide_pick *pick = &s->guide->picks[s->run];

		if (pick->kind == SL_GUIDE_RUN && !is_done(s, pick))
			answer = sl_choice_of(c, pick->who);
	}
	if (answer == c->count)
		answer = sl_choice_default(c);
	count(s, c->ops[answer]);
	return answer;
}

static unsigned
choose_other(struct state *s, const struct sl_choice *c)
{
	const struct sl_guide *g = s->guide;
	const uint32_t kind = c->kind == SL_CHOOSE_WAITER ? SL_GUIDE_WAITER : SL_GUIDE_VALUE;
	unsigned answer = c->count;

	while (s->other < g->pick_count && g->picks[s->other].kind == SL_GUIDE_RUN)
		s->other++;
	if (s->other < g->pick_count && g->picks[s->other].kind == kind) {
		answer = kind == SL_GUIDE_WAITER ? sl_choice_of(c, g->picks[s->other].who) : g->picks[s->other].who;
		s->other++;
	}
	return answer < c->count ? answer : sl_choice_default(c);
}

static unsigned
choose(void *state, const struct sl_choice *c)
{
	return c->kind == SL_CHOOSE_THREAD ? choose_thread(state, c) : choose_other(state, c);
}

static void
end(void *state, const struct sl_execution *execution)
{
	(void)state;
	(void)execution;
}

const struct sl_strategy sl_strategy_guided = {
	.name = "guided",
	.summary = "follows the schedule of another version of the program",
	.state_size = sizeof(struct state),
	.traits = {.every_operation = true, .counts = true, .heeds = true, .samples = true},
	.start = start,
	.begin = begin,
	.choose = choose,
	.end = end,
};
