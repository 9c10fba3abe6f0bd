/*
 * Selectively uniform random walk (Zhao, Wolff, Mathur and Roychoudhury, ASPLOS 2025). A uniform choice at each
 * step is far from uniform over interleavings: a thread with few events left is soon done. Weights make it
 * uniform: if thread t has n(t) events left, a fraction n(t) / sum of all n of the interleavings begins with it.
 * So the events of earlier executions are counted, and this one draws by the number of events left.
 *
 * The interleavings of all events are too many, so only the selected events count. The thread that makes the next
 * selected event (the intended thread) is drawn by weight beforehand. Until it reaches that event all threads go
 * by uniform choice, except that the others stop before their own selected events. So events that are not selected
 * do not influence the order of those that are. A thread that does not exist yet counts for the thread that will
 * create it, and takes over its part when it starts.
 *
 * The user selects events (places, objects), or they are drawn for each execution: the events of one object that
 * is shared and written, each object with the same probability, or those of all such objects together as if they
 * were one more. After a change of the program only objects count that an impacted operation
 * uses, once there is one.
 *
 * Deviations: the counts are not those of one first execution but the largest seen, because the strategy is not
 * asked about a thread that runs alone; large counts that turn out too large decrease slowly. One execution in
 * eight is a plain walk that counts: otherwise a thread that is thought to have no events would always come last,
 * and run alone, so that this would never be corrected. If the intended thread can't reach its event (it waits for
 * a stopped thread, or its count was wrong), another one of the stopped threads is drawn. Late operations are
 * never stopped, and have an eighth of the weight of others.
 */
#include "strategy/sampling/surw.h"

#include <string.h>

#define ALL UINT64_MAX
#define ASKED (UINT64_MAX - 1)
#define NO_THREAD UINT32_MAX
#define PROBES 16u
#define PATIENCE 256u
#define PROMPT_WEIGHT 8u
#define COUNTING 8u /* one execution in this many is a plain walk */

static int
start(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	struct sl_surw *s = state;

	if (options->place_count > SL_SURW_SELECTED || options->object_count > SL_SURW_SELECTED)
		return sl_err_set(err, "surw can select at most %u places and as many objects", SL_SURW_SELECTED);
	sl_sample_start(&s->sample, options);
	s->place_count = options->place_count;
	s->object_count = options->object_count;
	s->impacted = options->impacted;
	for (uint32_t i = 0; i < s->place_count; i++)
		s->places[i] = options->places[i];
	for (uint32_t i = 0; i < s->object_count; i++)
		s->objects[i] = options->objects[i];
	return 0;
}

static bool
among(const uint64_t *set, uint32_t count, uint64_t what)
{
	for (uint32_t i = 0; i < count; i++)
		if (set[i] == what)
			return true;
	return false;
}

/* NULL: nothing is known of it. */
static const struct sl_surw_user *
user_of(const struct sl_surw *s, uint64_t object)
{
	for (uint32_t i = 0, at = (uint32_t)sl_mix(object); i < PROBES; i++, at++) {
		const struct sl_surw_user *u = &s->users[at % (2 * SL_SURW_OBJECTS)];

		if (!u->object || u->object == object)
			return u->object ? u : NULL;
	}
	return NULL;
}

static bool
is_asked_for(const struct sl_surw *s, const struct sl_op *op)
{
	const struct sl_surw_user *u;

	if (s->impacted) {
		u = user_of(s, op->object);
		return op->flags & s->impacted || (op->object && u && u->impacted);
	}
	return among(s->places, s->place_count, op->pc) ||
	       (op->object && among(s->objects, s->object_count, op->object));
}

static bool
is_selected(const struct sl_surw *s, const struct sl_op *op)
{
	if (s->selected == ASKED)
		return is_asked_for(s, op);
	return s->selected && (s->selected == ALL || s->selected == op->object);
}

/* ---- counts from earlier executions ---- */

/* NULL: there is no room. */
static struct sl_surw_count *
count_of(struct sl_surw *s, uint32_t record, uint64_t object)
{
	uint64_t key = sl_mix(s->records[record].path ^ sl_mix(object + 1)) | 1;

	for (uint32_t i = 0; i < PROBES; i++) {
		struct sl_surw_count *c = &s->counts[(key + i) % SL_SURW_COUNTS];

		if (c->key && c->key != key)
			continue;
		if (c->stamp != s->sample.stamp) {
			SL_SAVE(*c);
			c->key = key;
			if (c->now > c->estimate)
				c->estimate = c->now;
			else
				c->estimate -= (c->estimate - c->now) / 8;
			c->stamp = s->sample.stamp;
			c->now = 0;
		}
		return c;
	}
	return NULL;
}

static uint32_t
estimate_of(struct sl_surw *s, uint32_t record)
{
	const struct sl_surw_count *c = count_of(s, record, s->selected);

	return !c ? 0 : c->now > c->estimate ? c->now : c->estimate;
}

static void
note_one(struct sl_surw *s, uint32_t record, uint64_t object)
{
	struct sl_surw_count *c = count_of(s, record, object);

	if (c)
		c->now++;
}

static void
note_user(struct sl_surw *s, uint32_t record, uint64_t object, uint16_t flags)
{
	bool writes = flags & SL_OP_WRITES, impacted = flags & s->impacted;

	for (uint32_t i = 0, at = (uint32_t)sl_mix(object); i < PROBES; i++, at++) {
		struct sl_surw_user *u = &s->users[at % (2 * SL_SURW_OBJECTS)];

		if (u->object && u->object != object)
			continue;
		if (u->object && (u->others || u->record == record) && (u->written || !writes) &&
		    (u->impacted || !impacted))
			return;
		SL_SAVE(*u);
		if (!u->object)
			*u = (struct sl_surw_user){.object = object, .record = record};
		u->others |= u->record != record;
		u->written |= writes; /* the order of reads alone does not matter */
		u->impacted |= impacted;
		if (!u->shared && u->others && u->written && (u->impacted || !s->impacted) &&
		    s->shared_count < SL_SURW_OBJECTS) {
			u->shared = true;
			s->shared[s->shared_count++] = object;
		}
		return;
	}
}

static void
note(struct sl_surw *s, uint32_t record, const struct sl_op *op)
{
	if (s->place_count || s->object_count) {
		if (is_asked_for(s, op))
			note_one(s, record, ASKED);
		return;
	}
	if (!s->impacted)
		note_one(s, record, ALL);
	else if (is_asked_for(s, op))
		note_one(s, record, ASKED);
	if (op->object) {
		note_one(s, record, op->object);
		note_user(s, record, op->object, op->flags);
	}
}

/* ---- weights ---- */

static void
weigh(struct sl_surw *s, uint32_t record, int64_t more)
{
	if (record >= s->room)
		return;
	s->total += (uint32_t)more;
	for (uint32_t i = record + 1; i <= s->room; i += i & -i)
		s->sums[i] += (uint32_t)more;
}

/* Draws a thread by weight. */
static uint32_t
draw(struct sl_surw *s)
{
	uint32_t left = sl_rng_below(&s->sample.rng, s->total), at = 0;

	for (uint32_t step = s->room; step; step /= 2)
		if (at + step <= s->room && s->sums[at + step] <= left) {
			at += step;
			left -= s->sums[at];
		}
	return s->records[at].thread;
}

static uint32_t
weight_of(const struct sl_surw *s, uint32_t thread)
{
	const struct sl_surw_record *r = &s->records[s->slots[thread].record];

	return r->own + r->pending;
}

/* ---- threads ---- */

static void
enter(struct sl_surw *s, uint32_t at, uint32_t thread)
{
	struct sl_surw_record *r = &s->records[at];

	r->stamp = s->sample.stamp;
	r->thread = thread;
	r->pending = r->below;
	weigh(s, at, (int64_t)r->own + r->below);
	if (r->parent == at)
		return;

	struct sl_surw_record *parent = &s->records[r->parent];
	uint32_t mine = r->own + r->below;

	if (mine > parent->pending) /* its events were not known before */
		mine = parent->pending;
	parent->pending -= mine;
	weigh(s, r->parent, -(int64_t)mine);
	/*
	 * The parent was to make the next event, on behalf of all threads that it would create: now each has its
	 * own part.
	 */
	if (s->intended == parent->thread && mine &&
	    sl_rng_below(&s->sample.rng, parent->own + parent->pending + mine) < mine)
		s->intended = thread;
}

/* Threads come in the order of their numbers, so a parent is there before its children. */
static void
enter_next(struct sl_surw *s, const struct sl_choice *c)
{
	uint32_t thread = s->entered++;
	struct sl_surw_slot *slot = &s->slots[thread];
	uint64_t path = c->kin ? c->kin[thread].path : thread;
	uint32_t at = slot->record; /* usually the same as in the last execution */

	if (at >= s->record_count || s->records[at].path != path)
		for (at = 0; at < s->record_count && s->records[at].path != path; at++)
			;
	if (at == SL_STRATEGY_THREADS)
		at = 0; /* more paths than there is room for share one record */
	if (at == s->record_count)
		s->records[s->record_count++] = (struct sl_surw_record){
			.path = path,
			.parent = c->kin && thread ? s->slots[c->kin[thread].parent].record : at,
		};
	slot->record = at;
	slot->list = SL_SURW_LISTS;
	if (s->records[at].stamp != s->sample.stamp)
		enter(s, at, thread);
}

static void
leave_list(struct sl_surw *s, uint32_t thread)
{
	struct sl_surw_slot *slot = &s->slots[thread];

	if (slot->list == SL_SURW_LISTS)
		return;

	uint32_t *list = s->lists[slot->list], last = list[--s->list_count[slot->list]];

	list[slot->at] = last;
	s->slots[last].at = slot->at;
	slot->list = SL_SURW_LISTS;
}

static void
update(struct sl_surw *s, const struct sl_choice *c, uint32_t thread)
{
	while (s->entered <= thread)
		enter_next(s, c);
	leave_list(s, thread);
	if (c->places[thread] >= c->count)
		return;

	const struct sl_op *op = c->ops[c->places[thread]];
	uint32_t list = op->flags & SL_OP_LATE ? SL_SURW_LATE : is_selected(s, op) ? SL_SURW_HELD : SL_SURW_FREE;

	s->slots[thread].list = list;
	s->slots[thread].at = s->list_count[list];
	s->lists[list][s->list_count[list]++] = thread;
}

/* ---- choosing ---- */

static bool
begin(void *state)
{
	struct sl_surw *s = state;

	sl_sample_begin(&s->sample);
	SL_SAVE(s->shared_count); /* entries beyond the end of a list need not be saved */
	SL_SAVE(s->record_count);
	memset(s->list_count, 0, sizeof(s->list_count));
	for (s->room = 64; s->room < 2 * s->record_count && s->room < SL_STRATEGY_THREADS; s->room *= 2)
		;
	memset(s->sums, 0, (s->room + 1) * sizeof(*s->sums));
	s->total = s->entered = 0;
	s->intended = NO_THREAD;
	s->patience = PATIENCE;
	s->selected = 0;
	if (s->sample.execution == 1 || s->sample.execution % COUNTING == 0) {
		; /* a plain walk */
	} else if (s->place_count || s->object_count) {
		s->selected = ASKED;
	} else if (s->shared_count) {
		uint32_t at = sl_rng_below(&s->sample.rng, s->shared_count + 1);

		s->selected = at < s->shared_count ? s->shared[at] : s->impacted ? ASKED : ALL;
	}
	if (!s->selected) {
		for (uint32_t i = 0; i < s->record_count; i++)
			s->records[i].own = s->records[i].below = 0;
		return true;
	}
	for (uint32_t i = 0; i < s->record_count; i++) {
		s->records[i].own = estimate_of(s, i);
		s->records[i].below = 0;
	}
	for (uint32_t i = s->record_count; i-- > 0;) /* parents come before their children */
		if (s->records[i].parent != i)
			s->records[s->records[i].parent].below += s->records[i].own + s->records[i].below;
	return true;
}

/* Draws one of the stopped threads by weight; each has a chance. */
static uint32_t
draw_held(struct sl_surw *s)
{
	uint32_t sum = 0, left;
	const uint32_t *held = s->lists[SL_SURW_HELD];

	for (uint32_t i = 0; i < s->list_count[SL_SURW_HELD]; i++)
		sum += weight_of(s, held[i]) + 1;
	left = sl_rng_below(&s->sample.rng, sum);
	for (uint32_t i = 0;; i++) {
		uint32_t weight = weight_of(s, held[i]) + 1;

		if (left < weight)
			return held[i];
		left -= weight;
	}
}

static uint32_t
pick(struct sl_surw *s)
{
	uint32_t held = s->list_count[SL_SURW_HELD], free = s->list_count[SL_SURW_FREE],
		 late = s->list_count[SL_SURW_LATE];

	if (s->intended == NO_THREAD && s->total)
		s->intended = draw(s);

	bool there = s->intended != NO_THREAD && s->slots[s->intended].list == SL_SURW_HELD;

	if (held && !there && ((!free && !late) || s->intended == NO_THREAD || s->patience == 0)) {
		s->intended = draw_held(s);
		there = true;
	}
	s->patience -= s->patience > 0;

	uint32_t at = sl_rng_below(&s->sample.rng, PROMPT_WEIGHT * (free + there) + late);

	if (at < PROMPT_WEIGHT * free)
		return s->lists[SL_SURW_FREE][at / PROMPT_WEIGHT];
	at -= PROMPT_WEIGHT * free;
	if (there && at < PROMPT_WEIGHT)
		return s->intended;
	return s->lists[SL_SURW_LATE][at - PROMPT_WEIGHT * there];
}

static unsigned
choose(void *state, const struct sl_choice *c)
{
	struct sl_surw *s = state;

	if (c->kind != SL_CHOOSE_THREAD)
		return sl_sample_uniform(&s->sample, c);
	for (unsigned i = 0; i < c->changed_count; i++)
		update(s, c, c->changed[i]);
	if (s->list_count[0] + s->list_count[1] + s->list_count[2] != c->count)
		return c->count; /* `changed` was incomplete: a bug of the engine, which reports the answer */

	uint32_t thread = pick(s), record = s->slots[thread].record;
	const struct sl_op *op = c->ops[c->places[thread]];

	note(s, record, op);
	if (is_selected(s, op)) {
		struct sl_surw_record *r = &s->records[record];
		uint32_t *left = r->own ? &r->own : &r->pending;

		/*
		 * a polling thread that makes more events than expected must not use up the patience with others
		 * for ever
		 */
		if (r->own && thread == s->intended)
			s->patience = PATIENCE;
		if (*left) {
			--*left;
			weigh(s, record, -1);
		}
		if (thread == s->intended || !(op->flags & SL_OP_LATE))
			s->intended = NO_THREAD;
	}
	return c->places[thread];
}

static void
end(void *state, const struct sl_execution *execution)
{
	(void)state;
	(void)execution;
}

const struct sl_strategy sl_strategy_surw = {
	.name = "surw",
	.summary = "picks among the interleavings of one shared object's operations, each as likely as the others",
	.state_size = sizeof(struct sl_surw),
	.traits = {.samples = true},
	.start = start,
	.begin = begin,
	.choose = choose,
	.end = end,
};
