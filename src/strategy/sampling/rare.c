/*
 * Continues from rarely visited states. A bug that needs many events in a row is out of reach of independent
 * draws: five steps with a probability of one in twenty each have one in three million. But each step can be
 * noticed, and need not be drawn again. So the answers that led to a rarely visited state are kept; another
 * execution gives the same answers and continues from there. This is Go-Explore (Ecoffet, Huizinga, Lehman,
 * Stanley and Clune, Nature 2021), for schedules.
 *
 * A state here is the place in the code at which each thread is about to continue, no matter which thread it is,
 * and the place that has last written each object. It is coarse on purpose: executions that differ in more than
 * that are many, and would all be new. The visits of each state are counted. When a new state turns up, the way to
 * it becomes a start; of a few starts that are drawn, the execution takes the one that was visited and tried
 * least. From there on pos decides. One execution in four has no start.
 *
 * All tables have a fixed size. A state that is not kept, or forgotten, is only found again later.
 */
#include "strategy/sampling/rare.h"

#include <string.h>

#define PROBES 8u
#define DRAWS 8u        /* starts that are drawn and compared */
#define TRY_COST 8u     /* a try counts as this many visits */
#define FROM_SCRATCH 4u /* one execution in this many has no start */
#define NO_START UINT32_MAX

static int
start(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	struct sl_rare *s = state;

	return sl_strategy_pos.start(&s->pos, options, err);
}

/* ---- visits ---- */

static uint32_t
tag_of(uint64_t state)
{
	return (uint32_t)(state >> 32);
}

static uint32_t
visits_of(const struct sl_rare *s, uint64_t state)
{
	for (uint32_t i = 0; i < PROBES; i++) {
		const struct sl_rare_visit *v = &s->visits[(state + i) % SL_RARE_VISITS];

		if (v->count && v->tag == tag_of(state))
			return v->count;
	}
	return UINT32_MAX; /* forgotten: not a good start */
}

/* True: visited for the first time. If there is no room, the least visited state is forgotten. */
static bool
visit(struct sl_rare *s, uint64_t state)
{
	struct sl_rare_visit *least = &s->visits[state % SL_RARE_VISITS];

	for (uint32_t i = 0; i < PROBES; i++) {
		struct sl_rare_visit *v = &s->visits[(state + i) % SL_RARE_VISITS];

		if (v->count && v->tag == tag_of(state)) {
			SL_SAVE(v->count);
			v->count += v->count < UINT32_MAX / 2;
			return false;
		}
		if (v->count < least->count)
			least = v;
	}
	SL_SAVE(*least);
	*least = (struct sl_rare_visit){tag_of(state), 1};
	return true;
}

/* ---- starts ---- */

static uint64_t
cost_of(const struct sl_rare *s, uint32_t at)
{
	return visits_of(s, s->starts[at].state) + (uint64_t)TRY_COST * s->starts[at].tries;
}

/* Draws a few starts, and returns the best or the worst of them. */
static uint32_t
draw(struct sl_rare *s, bool worst)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < DRAWS; i++) {
		uint32_t at = sl_rng_below(&s->rng, s->start_count);

		if (!i || (cost_of(s, at) < cost_of(s, found)) != worst)
			found = at;
	}
	return found;
}

static void
keep(struct sl_rare *s, const struct sl_rare_new *found)
{
	uint32_t at = s->start_count < SL_RARE_STARTS ? s->start_count++ : draw(s, true);
	struct sl_rare_start *start = &s->starts[at];

	sl_undo_save(start, offsetof(struct sl_rare_start, answers) + start->length * sizeof(*start->answers));
	start->state = found->state;
	start->tries = 0;
	start->length = found->at;
	memcpy(start->answers, s->answers, found->at * sizeof(*s->answers));
}

/* ---- the state ---- */

static void
see_thread(struct sl_rare *s, const struct sl_choice *c, uint32_t thread)
{
	struct sl_rare_slot *slot = &s->slots[thread];

	if (slot->execution != s->execution)
		*slot = (struct sl_rare_slot){.execution = s->execution};
	s->state -= slot->part;
	slot->part = c->places[thread] < c->count ? sl_mix(c->ops[c->places[thread]]->pc) : 0;
	s->state += slot->part;
}

static void
see_write(struct sl_rare *s, const struct sl_op *op)
{
	struct sl_rare_object *o = &s->objects[sl_mix(op->object) % SL_RARE_OBJECTS];

	if (!op->object || !(op->flags & SL_OP_WRITES))
		return;
	if (o->execution == s->execution && o->object == op->object)
		s->state -= o->part;
	*o = (struct sl_rare_object){op->object, s->execution, sl_mix(op->pc + sl_mix(op->object))};
	s->state += o->part;
}

/* Keeps a few of the states that are new in an execution, each with the same probability. */
static void
see_state(struct sl_rare *s)
{
	uint64_t state = sl_mix(s->state + s->generation);
	uint32_t at = s->new_count;

	if (s->length == s->until && s->start != NO_START && !s->lost)
		s->lost = state != s->starts[s->start].state;
	if (!visit(s, state) || s->length >= SL_RARE_LENGTH)
		return;
	if (s->new_count++ >= SL_RARE_NEW)
		at = sl_rng_below(&s->rng, s->new_count);
	if (at < SL_RARE_NEW)
		s->fresh[at] = (struct sl_rare_new){state, s->length};
}

/* ---- choosing ---- */

static bool
begin(void *state)
{
	struct sl_rare *s = state;

	sl_strategy_pos.begin(&s->pos);
	SL_SAVE(s->start_count);
	s->rng = sl_rng_derive(s->pos.sample.rng.state, 2);
	s->execution++;
	s->state = 0;
	s->length = s->until = s->new_count = 0;
	s->lost = s->pos_goes = false;
	s->start = NO_START;
	if (s->start_count && sl_rng_below(&s->rng, FROM_SCRATCH)) {
		s->start = draw(s, false);
		SL_SAVE(s->starts[s->start].tries);
		s->starts[s->start].tries++;
		s->until = s->starts[s->start].length;
	}
	return true;
}

/* Answers as the start says; pos takes over where it ends, or where it no longer fits. */
static unsigned
answer_of(struct sl_rare *s, const struct sl_choice *c)
{
	if (s->length < s->until) {
		unsigned answer = s->starts[s->start].answers[s->length];

		if (answer < c->count)
			return answer;
		s->until = s->length;
		s->lost = true;
	}
	if (c->kind != SL_CHOOSE_THREAD)
		return sl_sample_uniform(&s->pos.sample, c);
	if (!s->pos_goes) {
		s->pos_goes = true;
		for (unsigned i = 0; i < c->count; i++)
			sl_pos_update(&s->pos, c, c->ops[i]->thread, false);
	} else {
		for (unsigned i = 0; i < c->changed_count; i++)
			sl_pos_update(&s->pos, c, c->changed[i], false);
	}
	if (s->pos.pending != c->count)
		return c->count; /* `changed` was incomplete: a bug of the engine, which reports the answer */
	return sl_pos_pick(&s->pos, c);
}

static unsigned
choose(void *state, const struct sl_choice *c)
{
	struct sl_rare *s = state;

	if (c->kind == SL_CHOOSE_THREAD) {
		for (unsigned i = 0; i < c->changed_count; i++)
			see_thread(s, c, c->changed[i]);
		see_state(s);
	}
	unsigned answer = answer_of(s, c);

	if (answer < c->count && c->kind == SL_CHOOSE_THREAD)
		see_write(s, c->ops[answer]);
	if (s->length < SL_RARE_LENGTH)
		s->answers[s->length++] = answer;
	return answer;
}

static void
end(void *state, const struct sl_execution *execution)
{
	struct sl_rare *s = state;

	(void)execution;
	if (s->lost) { /* the start no longer leads to its state */
		SL_SAVE(s->starts[s->start].state);
		s->starts[s->start].state = 0;
	}
	for (uint32_t i = 0; i < s->new_count && i < SL_RARE_NEW; i++)
		keep(s, &s->fresh[i]);
}

static void
grown(void *state)
{
	struct sl_rare *s = state;

	SL_SAVE(s->generation);
	SL_SAVE(s->start_count);
	s->generation++;
	s->start_count = 0;
}

static const struct sl_strategy_search search = {.grown = grown};

const struct sl_strategy sl_strategy_rare = {
	.name = "rare",
	.summary = "continues from states that were rarely visited",
	.state_size = sizeof(struct sl_rare),
	.traits = {.samples = true},
	.start = start,
	.begin = begin,
	.choose = choose,
	.end = end,
	.search = &search,
};
