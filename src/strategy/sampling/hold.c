/*
 * Holds a thread back where others can come between two of its operations that a change of the program impacts. What a change breaks
 * is mostly that two things are no longer one step: a check and what depends on it. There are few places at which a thread has
 * to be held for that, so each is tried by itself, as race-directed schedulers do with the two places of a race (RaceFuzzer: Sen,
 * PLDI 2008).
 *
 * Places are predicted (struct sl_foreseen), or found: an impacted operation of a thread that has performed one before. Those with
 * fewer tries come first. Among these, first those at which a lock is released that was held before the change; then those of impacted
 * lines at which a thread takes a lock, or accesses memory atomically, and comes to an object that it has used before, because such
 * a place is between two locked regions; then others.
 *
 * A thread that comes to such a place goes straight there, and is held there while the others go. What others have to do is mostly to use
 * what the held thread has just used (the string whose count it has read, the lock that it has released), so this object is watched.
 * How long the thread is held decides what happens:
 *
 *	OVERLAP    until each other thread has used the object once, and is stopped, too, before it uses it again: all of them are half way
 *	           in what they do. A limit that is checked too early is exceeded only by several others that have taken and not
 *	           yet given back.
 *	MEETING    until one other thread has used the object: what comes after that may be undone by the same thread
 *	ALONE      until no other thread can go
 *
 * At a place at which a lock is released that was held before the change they come in this order, at others one is drawn. In later tries
 * at a place the number of uses, and of choices for ALONE, are drawn.
 *
 * Then the thread goes on as long as it can. All other choices are a random walk, which continues the last thread in most
 * executions. After that another place is tried in the same execution. Where the last execution that aimed at a place did not come to
 * it, the next one takes any place after a number of choices that is drawn.
 */
#include "strategy/sampling/hold.h"

#include "base/op_order.h"

#define SCALE (1u << 16)
#define NONE UINT32_MAX
#define PATIENCE 4096u /* choices while a thread is held: others may be polling for what it is to do */
#define SKIP_MAX 16u
#define WAIT_MAX 4u
#define TRY_COST 16u /* less early than any place with fewer tries */
#define GIVEN_LATE 6u
#define FOUND_LATE 4u /* for each property that a place lacks */

enum manner { OVERLAP, MEETING, ALONE, MANNERS };

/* Kinds that do not count as a use of a lock: they are the end of one, or its continuation after a wait. */
#define NO_USE (SL_KIND_GIVES | SL_KIND_LENDS | SL_KIND_WOKEN)

static int
start(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	struct sl_holding *s = state;
	const struct sl_foreseen *f = options->foreseen;

	(void)err;
	sl_sample_start(&s->sample, options);
	s->impacted = options->impacted;
	s->thread = NONE;
	for (uint32_t i = 0; f && i < f->gate_count; i++)
		s->places[s->place_count++] = (struct sl_hold_place){.pc = f->gates[i].pc,
								     .path = f->gates[i].thread,
								     .late = i < f->lost ? 0 : GIVEN_LATE,
								     .given = true};
	return 0;
}

/* ---- places ---- */

static uint32_t
cost_of(const struct sl_holding *s, uint32_t place)
{
	return place == NONE ? UINT32_MAX : s->places[place].tries * TRY_COST + s->places[place].late;
}

static void
count_try(struct sl_holding *s)
{
	SL_SAVE(s->places[s->at]);
	s->places[s->at].tries++;
}

/* One of the places that come first; lost: of those that are certain. */
static uint32_t
draw(struct sl_holding *s, bool lost)
{
	uint32_t first = NONE, equal = 0;

	for (uint32_t i = 0; i < s->place_count; i++) {
		uint32_t cost = cost_of(s, i), best = cost_of(s, first);

		if (lost && s->places[i].late)
			continue;
		equal = cost < best ? 1 : equal + (cost == best);
		if (cost < best || (cost == best && !sl_rng_below(&s->sample.rng, equal)))
			first = i;
	}
	return first;
}

static void
aim(struct sl_holding *s)
{
	s->at = s->sample.execution % 3 ? draw(s, true) : NONE;
	if (s->at == NONE)
		s->at = draw(s, false);
	s->skip = s->wait = 0;
	s->held = false;
	if (s->at == NONE)
		return;
	s->object = s->places[s->at].object;
	if (s->places[s->at].tries > (s->places[s->at].late ? 1 : 0) && s->object)
		s->wait = sl_rng_below(&s->sample.rng, WAIT_MAX);
	while (s->skip < SKIP_MAX && s->skip < s->places[s->at].tries / 2 && (sl_rng_next(&s->sample.rng) & 1))
		s->skip++;
}

static uint32_t
find(const struct sl_holding *s, uint64_t pc)
{
	uint32_t i = 0;

	while (i < s->place_count && s->places[i].pc != pc)
		i++;
	return i < s->place_count ? i : NONE;
}

static struct sl_hold_slot *
slot_of(struct sl_holding *s, uint32_t thread)
{
	struct sl_hold_slot *slot = &s->slots[thread];

	if (slot->stamp != s->sample.stamp)
		*slot = (struct sl_hold_slot){.stamp = s->sample.stamp};
	return slot;
}

static bool
is_impacted(const struct sl_holding *s, const struct sl_op *op)
{
	return (!s->impacted || op->flags & s->impacted) && !(op->flags & SL_OP_LATE);
}

static uint32_t
lateness_of(const struct sl_holding *s, const struct sl_hold_slot *slot, const struct sl_op *op)
{
	uint32_t used = slot->count < SL_HOLD_OBJECTS ? slot->count : SL_HOLD_OBJECTS, i = 0, lacks = 0;

	while (i < used && slot->objects[i] != op->object)
		i++;
	lacks += i == used;
	lacks += sl_kind_is_plain(op->kind);
	lacks += s->impacted && !(op->flags & SL_OP_IMPACTED_LINE_ON_STACK);
	return 1 + FOUND_LATE * lacks;
}

/* A thread comes to a place that was not predicted. Its number; NONE: it is not of interest. */
static uint32_t
meet(struct sl_holding *s, uint32_t place, const struct sl_op *op)
{
	const struct sl_hold_slot *slot = slot_of(s, op->thread);
	uint32_t late;

	if (!is_impacted(s, op) || !slot->count || sl_kind_is(op->kind, SL_KIND_GIVES))
		return place != NONE && s->places[place].given ? place : NONE;
	late = lateness_of(s, slot, op);
	if (place == NONE && s->place_count < SL_HOLD_PLACES) {
		place = s->place_count++;
		s->places[place] = (struct sl_hold_place){.pc = op->pc, .late = late};
		if (cost_of(s, place) < cost_of(s, s->at)) {
			s->at = place;
			s->skip = s->wait = 0;
			s->held = false;
		}
	} else if (place != NONE && late < s->places[place].late) {
		SL_SAVE(s->places[place]);
		s->places[place].late = late;
	}
	return place;
}

/* What the thread that is to be held has used last; if that is not known, what it is about to use. */
static uint64_t
watched(struct sl_holding *s, const struct sl_op *op)
{
	const struct sl_hold_slot *slot = slot_of(s, op->thread);

	return slot->count ? slot->objects[(slot->count - 1) % SL_HOLD_OBJECTS] : op->object;
}

/* How long the thread is held. */
static void
settle(struct sl_holding *s, const struct sl_hold_place *place)
{
	uint32_t round = place->tries / MANNERS, drawn = sl_rng_below(&s->sample.rng, MANNERS);

	s->left = PATIENCE;
	s->meetings = UINT64_MAX;
	s->share = 0;
	s->number++;
	switch (place->late ? drawn : place->tries % MANNERS) {
	case OVERLAP:
		s->share = 1 + sl_rng_below(&s->sample.rng, 1 + round);
		break;
	case MEETING:
		s->meetings = 1 + sl_rng_below(&s->sample.rng, 1 + round);
		break;
	default:
		if (round)
			s->left = 1 + sl_rng_below(&s->sample.rng,
						   1 + sl_rng_below(&s->sample.rng, (uint32_t)s->longest + 1));
	}
}

/* The thread is about to perform the operation. Is it held instead? */
static bool
holds(struct sl_holding *s, const struct sl_choice *c, const struct sl_op *op)
{
	uint32_t place;

	if (s->holds || op->flags & SL_OP_LATE || op->thread == s->thread)
		return false;
	place = find(s, op->pc);
	if (place == NONE || s->places[place].late)
		place = meet(s, place, op);
	if (place == NONE || s->held)
		return false;
	if (place != s->at && s->at != NONE && s->places[s->at].missed && s->choices > s->until) {
		s->at = place;
		s->skip = s->wait = 0;
	}
	if (place != s->at || s->wait || (s->skip && s->skip--))
		return false;
	SL_SAVE(s->places[place]);
	s->places[place].object = op->object;
	s->places[place].path = c->kin ? c->kin[op->thread].path : 0;
	s->places[place].missed = false;
	s->holds = s->held = true;
	s->went = false;
	s->thread = op->thread;
	s->index = op->index;
	s->object = watched(s, op);
	settle(s, &s->places[place]);
	return true;
}

static void
let_go(struct sl_holding *s)
{
	s->holds = false;
	s->held = false;
	if (!s->went)
		return;
	count_try(s);
	if (!s->places[s->at].given)
		s->thread = NONE;
	aim(s);
}

/* ---- choosing ---- */

static bool
begin(void *state)
{
	struct sl_holding *s = state;

	sl_sample_begin(&s->sample);
	SL_SAVE(s->place_count);
	SL_SAVE(s->longest);
	s->holds = false;
	s->number = 0;
	s->thread = NONE;
	s->choices = s->object = 0;
	s->stay = sl_rng_next(&s->sample.rng) & 3 ? SCALE : sl_rng_below(&s->sample.rng, SCALE);
	s->until = sl_rng_below(&s->sample.rng, (uint32_t)s->longest + 1);
	aim(s);
	return true;
}

/* The thread is not held, nor has it used the watched object as often as it may meanwhile. */
static bool
may_go(struct sl_holding *s, const struct sl_op *op)
{
	const struct sl_hold_slot *slot;

	if (!s->holds)
		return true;
	if (op->thread == s->thread)
		return false;
	if (!s->share || op->object != s->object || sl_kind_is(op->kind, NO_USE))
		return true;
	slot = slot_of(s, op->thread);
	return slot->hold != s->number || slot->uses < s->share;
}

/* Another thread performs the operation while one is held. */
static void
note_use(struct sl_holding *s, const struct sl_op *op)
{
	struct sl_hold_slot *slot = slot_of(s, op->thread);

	s->went = true;
	if (op->object != s->object)
		return;
	s->meetings--;
	if (slot->hold != s->number)
		slot->uses = 0;
	slot->hold = s->number;
	slot->uses += !sl_kind_is(op->kind, NO_USE);
}

/* An answer of a thread that is not held; the count: there is none. */
static unsigned
pick(struct sl_holding *s, const struct sl_choice *c)
{
	unsigned answer = c->count, found = 0, end = c->prompt;
	uint64_t path =
		s->at != NONE && s->places[s->at].given && !s->held && !s->wait ? s->places[s->at].path : 0;

	for (unsigned i = 0; i < c->prompt && !s->holds; i++) /* it goes on, or is on its way to the place */
		if (c->ops[i]->thread == s->thread ||
		    (s->thread == NONE && path && c->kin && c->kin[c->ops[i]->thread].path == path))
			return i;
	if (c->current < c->prompt && !(c->ops[c->current]->flags & SL_OP_YIELDED) &&
	    may_go(s, c->ops[c->current]) &&
	    sl_rng_below(&s->sample.rng, SCALE) < (c->ops[c->current]->object == s->object ? SCALE / 2 : s->stay))
		return c->current;
	if (sl_rng_below(&s->sample.rng, 16) == 0)
		end = c->count;
	for (unsigned i = 0; i < end; i++)
		if (may_go(s, c->ops[i]) && !sl_rng_below(&s->sample.rng, ++found))
			answer = i;
	return answer;
}

static unsigned
choose(void *state, const struct sl_choice *c)
{
	struct sl_holding *s = state;
	unsigned answer, held = c->count;
	const struct sl_op *op;

	s->choices++;
	if (c->kind != SL_CHOOSE_THREAD)
		return sl_sample_uniform(&s->sample, c);
	if (s->holds) {
		held = sl_choice_of(c, s->thread);
		/* or it had starved for too long */
		if (!s->meetings || !s->left-- || (held < c->count && c->ops[held]->index != s->index))
			let_go(s);
	}
	answer = pick(s, c);
	if (answer < c->count && holds(s, c, c->ops[answer])) {
		held = answer;
		answer = pick(s, c);
	}
	if (answer == c->count && held == c->count &&
	    c->prompt) { /* the held thread waits for one that is stopped */
		let_go(s);
		answer = pick(s, c);
	}
	if (answer ==
	    c->count) { /* only the held thread is left, and late ones, which may be those that it is held for */
		bool late = c->count > c->prompt && (held >= c->prompt || (sl_rng_next(&s->sample.rng) & 1));

		answer = late ? c->prompt + sl_rng_below(&s->sample.rng, c->count - c->prompt) : held;
	}
	op = c->ops[answer];
	if (s->holds && op->thread == s->thread) {
		let_go(s);
	} else if (s->holds) {
		note_use(s, op);
	} else if (s->wait && op->object == s->object) {
		s->wait--;
	}
	if (is_impacted(s, op)) {
		struct sl_hold_slot *slot = slot_of(s, op->thread);

		slot->objects[slot->count++ % SL_HOLD_OBJECTS] = op->object;
	}
	return answer;
}

static void
end(void *state, const struct sl_execution *execution)
{
	struct sl_holding *s = state;

	(void)execution;
	if (s->holds)
		let_go(s);
	else if (s->at != NONE && !s->held) { /* no thread came there, or none could go meanwhile */
		count_try(s);
		s->places[s->at].missed = true;
		if (!s->places[s->at].late)
			s->places[s->at].late = GIVEN_LATE;
	}
	if (s->choices > s->longest)
		s->longest = s->choices < SCALE ? s->choices : SCALE;
}

const struct sl_strategy sl_strategy_hold = {
	.name = "hold",
	.summary = "holds a thread back between two operations that a change impacts",
	.state_size = sizeof(struct sl_holding),
	.traits = {.samples = true},
	.start = start,
	.begin = begin,
	.choose = choose,
	.end = end,
};
