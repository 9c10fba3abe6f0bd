/*
 * Finds a schedule that shows the same finding with fewer preemptions, after Jalbert and Sen (Tinertia, FSE 2010):
 * change the list of runs a little, try it, keep it if it still shows the finding. The list is only a request;
 * what is kept is the schedule that was actually recorded, so every result has been seen to work.
 *
 *	CONFIRM  the schedule as given; if it does not show the finding, no result is trusted
 *	CALM     no runs at all: is a schedule needed? once with the other answers, once without
 *	DROP     leaves runs out, first many at a time, then each: a thread makes up for it in its next run
 *	MERGE    after a run that was preempted, its thread's next run at once
 *	VALUE    the answer 0 instead of another
 *	         … these three until none of them helps
 *	SEARCH   all schedules with fewer preemptions, as far as the budget goes
 *
 * DROP in halves is Zeller's delta debugging, which is not in the paper: random schedules have hundreds of runs.
 * Fewer preemptions are better; then fewer runs; then fewer answers other than 0.
 */
#include "base/undo.h"
#include "strategy/follow.h"
#include "strategy/icb.h"

#define TRIES 400
#define SEARCH_TRIES 2000
#define STEPS (1ull << 26) /* operations of each of the two, for long executions */
#define STOPS 1024u
#define ITEMS (1u << 22) /* longer schedules are not minimised */

enum stage { CONFIRM, CALM, DROP, MERGE, VALUE, SEARCH, FINISHED };

struct cost {
	uint64_t preemptions, runs, odd;
};

/* The places where threads were preempted: their next operations. */
struct stops {
	uint64_t count; /* may exceed STOPS: the rest is not recorded */
	struct {
		uint64_t thread, index;
	} at[STOPS];
};

struct minimise {
	uint32_t stage; /* enum stage */
	bool confirmed;
	bool helped; /* this round of DROP, MERGE and VALUE found something better */
	bool searched;
	uint64_t at;    /* position within the stage; its meaning depends on the stage */
	uint64_t chunk; /* DROP: number of runs dropped at once */
	uint64_t tries, steps;
	struct cost cost; /* of the best schedule */
	struct sl_schedule best, trial;
	struct stops stops, best_stops;
	struct sl_following follow;
	struct sl_icb icb;
	struct sl_pick best_items[ITEMS];
	struct sl_pick trial_items[ITEMS];
};

static int
start(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	struct minimise *s = state;

	if (!options->schedule)
		return sl_err_set(err, "minimise needs a schedule to start from");
	s->best = *options->schedule;
	s->trial.items = s->trial_items;
	s->trial.capacity = ITEMS;
	return sl_strategy_icb.start(&s->icb, &(struct sl_strategy_options){.workers = 1}, err);
}

static void
keep(struct minimise *s, struct sl_pick item)
{
	s->trial.items[s->trial.count++] = item;
}

/* Tries the best schedule without its runs from … to-1. */
static void
try_without(struct minimise *s, uint64_t from, uint64_t to)
{
	uint64_t run = 0;

	s->trial.count = 0;
	for (uint64_t i = 0; i < s->best.count; i++) {
		bool is_run = s->best.items[i].kind == SL_PICK_RUN;

		if (!is_run || run < from || run >= to)
			keep(s, s->best.items[i]);
		run += is_run;
	}
}

/* at: 0 with the other answers, 1 without them. */
static bool
next_calm(struct minimise *s)
{
	if (s->at == 2)
		return false;
	try_without(s, 0, UINT64_MAX);
	if (s->at == 1 && s->trial.count == 0)
		return false; /* the same trial again */
	if (s->at == 1)
		s->trial.count = 0;
	s->at++;
	return true;
}

/* at: the first run after the chunk; chunks go from the end to the beginning, then get smaller. */
static bool
next_drop(struct minimise *s)
{
	if (s->at > s->cost.runs)
		s->at = s->cost.runs;
	while (s->at == 0) {
		s->chunk /= 2;
		if (s->chunk == 0)
			return false;
		s->at = s->cost.runs;
		if (s->at == 0)
			return false;
	}
	uint64_t from = s->at > s->chunk ? s->at - s->chunk : 0;

	try_without(s, from, s->at);
	s->at = from;
	return true;
}

static bool
was_preempted(const struct minimise *s, const struct sl_pick *run)
{
	if (s->best_stops.count > STOPS)
		return true;
	for (uint64_t i = 0; i < s->best_stops.count; i++)
		if (s->best_stops.at[i].thread == run->who && s->best_stops.at[i].index == run->until)
			return true;
	return false;
}

/* Returns the item of the next run of the same thread; count: there is none. */
static uint64_t
next_of_thread(const struct sl_schedule *b, uint64_t i)
{
	uint32_t who = b->items[i].who;

	for (i++; i < b->count; i++)
		if (b->items[i].kind == SL_PICK_RUN && b->items[i].who == who)
			break;
	return i;
}

/* at: the next item to look at. It goes back by one after a success, since the run has changed. */
static bool
next_merge(struct minimise *s)
{
	const struct sl_schedule *b = &s->best;

	for (; s->at < b->count; s->at++) {
		const struct sl_pick *run = &b->items[s->at];

		if (run->kind != SL_PICK_RUN || !was_preempted(s, run))
			continue;
		uint64_t next = next_of_thread(b, s->at);

		if (next == b->count)
			continue;
		s->trial.count = 0;
		for (uint64_t i = 0; i < b->count; i++)
			if (i != next)
				keep(s, b->items[i]);
		s->trial.items[s->at++].until = b->items[next].until;
		return true;
	}
	return false;
}

/* at: the next item to look at. */
static bool
next_value(struct minimise *s)
{
	for (; s->at < s->best.count; s->at++) {
		const struct sl_pick *item = &s->best.items[s->at];

		if (item->kind != SL_PICK_VALUE || item->who == 0)
			continue;
		try_without(s, 0, 0);
		s->trial.items[s->at++].who = 0;
		return true;
	}
	return false;
}

static bool
next_search(struct minimise *s)
{
	return s->tries < SEARCH_TRIES && s->steps < STEPS && s->icb.path.bound < s->cost.preemptions &&
	       sl_strategy_icb.begin(&s->icb);
}

static void
enter(struct minimise *s, enum stage stage)
{
	s->stage = stage;
	s->at = stage == DROP ? s->cost.runs : 0;
	if (stage == DROP) {
		s->chunk = s->cost.runs > 1 ? s->cost.runs / 2 : 1;
		s->helped = false;
	}
	if (stage == SEARCH) {
		s->searched = true;
		s->tries = s->steps = 0;
	}
}

/* Makes the next trial of the stage; false: the stage has none left. */
static bool
next_trial(struct minimise *s)
{
	switch (s->stage) {
	case CONFIRM:
		return true; /* the stage ends with its execution */
	case CALM:
		return next_calm(s);
	case DROP:
		return next_drop(s);
	case MERGE:
		return next_merge(s);
	case VALUE:
		return next_value(s);
	default:
		return next_search(s);
	}
}

static enum stage
stage_after(const struct minimise *s)
{
	switch (s->stage) {
	case CALM:
	case DROP:
	case MERGE:
		return s->stage + 1;
	case VALUE:
		if (s->helped)
			return DROP;
		return s->searched || !s->cost.preemptions ? FINISHED : SEARCH;
	default:
		return FINISHED;
	}
}

static bool
begin(void *state)
{
	struct minimise *s = state;

	sl_undo_save(s, offsetof(struct minimise, stops));
	s->stops.count = 0;
	while (s->stage != FINISHED) {
		bool poor = s->stage < SEARCH && (s->tries >= TRIES || s->steps >= STEPS);

		if (poor) /* SEARCH runs only once */
			enter(s, s->searched || !s->cost.preemptions ? FINISHED : SEARCH);
		else if (next_trial(s))
			break;
		else
			enter(s, stage_after(s));
	}
	s->tries++;
	if (s->stage < SEARCH)
		sl_follow_begin(&s->follow, s->stage == CONFIRM ? &s->best : &s->trial);
	return s->stage != FINISHED;
}

static unsigned
choose(void *state, const struct sl_choice *c)
{
	struct minimise *s = state;
	unsigned answer =
		s->stage == SEARCH ? sl_strategy_icb.choose(&s->icb, c) : sl_follow_choose(&s->follow, c);

	if (sl_choice_cost(c, answer) && c->current < c->count) {
		if (s->stops.count < STOPS) {
			s->stops.at[s->stops.count].thread = c->ops[c->current]->thread;
			s->stops.at[s->stops.count].index = c->ops[c->current]->index;
		}
		s->stops.count++;
	}
	return answer;
}

static struct cost
cost_of(const struct sl_execution *e)
{
	struct cost cost = {.preemptions = e->preemptions};

	for (uint64_t i = 0; i < e->schedule->count; i++) {
		const struct sl_pick *item = &e->schedule->items[i];

		cost.runs += item->kind == SL_PICK_RUN;
		cost.odd += item->kind == SL_PICK_VALUE && item->who != 0;
	}
	return cost;
}

static bool
less(struct cost a, struct cost b)
{
	if (a.preemptions != b.preemptions)
		return a.preemptions < b.preemptions;
	return a.runs != b.runs ? a.runs < b.runs : a.odd < b.odd;
}

static void
adopt(struct minimise *s, const struct sl_execution *e, struct cost cost)
{
	if (e->schedule->count > ITEMS)
		return;
	SL_SAVE(s->best_stops);
	if (s->best.items == s->best_items)
		sl_undo_save(s->best_items, s->best.count * sizeof(*s->best_items));
	s->cost = cost;
	s->best = (struct sl_schedule){e->schedule->count, ITEMS, s->best_items};
	__builtin_memcpy(s->best_items, e->schedule->items, e->schedule->count * sizeof(*s->best_items));
	s->best_stops = s->stops;
	s->helped = true;
}

static void
end(void *state, const struct sl_execution *e)
{
	struct minimise *s = state;
	bool searching = s->stage == SEARCH, confirming = s->stage == CONFIRM;
	struct cost cost = cost_of(e);

	s->steps += e->steps;
	if (searching)
		sl_strategy_icb.end(&s->icb, e);
	if (confirming) {
		s->confirmed = e->finding && e->schedule->count <= ITEMS;
		s->cost = cost;
	}
	if (e->finding && (confirming || less(cost, s->cost))) {
		adopt(s, e, cost);
		if (s->stage == MERGE && s->at)
			s->at--;
		/*
		 * The first schedule that the search finds has the fewest preemptions: the search goes by bounds.
		 */
		if (searching) {
			s->tries = s->steps = 0;
			enter(s, DROP);
		}
	}
	if (confirming)
		enter(s, s->confirmed ? CALM : FINISHED);
}

const struct sl_schedule *
sl_minimise_best(const void *state, unsigned *preemptions)
{
	const struct minimise *s = state;

	if (s->confirmed)
		*preemptions = (unsigned)s->cost.preemptions;
	return &s->best;
}

const struct sl_strategy sl_strategy_minimise = {
	.name = "minimise",
	.summary = "runs variants of a given schedule with fewer preemptions",
	.state_size = sizeof(struct minimise),
	.traits = {.every_operation = true, .heeds = true},
	.start = start,
	.begin = begin,
	.choose = choose,
	.end = end,
};
