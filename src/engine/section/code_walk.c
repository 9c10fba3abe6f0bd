/*
 * Follows a thread through code that a schedule names: see code_walk.h.
 */
#include "engine/section/code_walk.h"
#include <link.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/rng.h"
#include "engine/core/engine.h"
#include "engine/under/poison.h"

#define MATCH_MAX 13
#define FUNCTION UINT32_MAX /* instead of a region: a function whose end is an event */

/* ---- addresses of code ---- */

/* The signature includes the loaded modules, which determine the addresses. */
uint64_t
sl_code_signature(const char *text)
{
	uint64_t hash = 1;

	for (; *text; text++)
		hash = sl_mix(hash + (unsigned char)*text);
	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next)
		hash = sl_mix(hash + map->l_addr);
	return hash ? hash : 1;
}

static void
add(struct sl_spans *spans, const struct sl_binding *b)
{
	spans->at[spans->count++] = (struct sl_span){b->low, b->high, b->atom, b->region};
	if (!spans->high || b->low < spans->low)
		spans->low = b->low;
	if (b->high > spans->high)
		spans->high = b->high;
}

static bool
is_line(const struct sl_plan *plan, const struct sl_span *span)
{
	return plan->atoms[span->atom]->line != 0;
}

static void
renumber(struct sl_spans *spans, uint32_t from, uint32_t to)
{
	for (uint32_t i = 0; i < spans->count; i++)
		if (spans->at[i].region == from)
			spans->at[i].region = to;
}

/*
 * Code that several atoms name is one region: reaching it is one event. All have the same pieces in the same
 * order.
 */
static void
unite(struct sl_code *code, const struct sl_plan *plan)
{
	struct sl_spans *r = &code->regions;

	for (uint32_t i = 1; i < r->count; i++) {
		if (r->at[i].region == r->at[i - 1].region)
			continue;
		for (uint32_t k = 0; k < i; k++)
			if (r->at[k].low == r->at[i].low && r->at[k].high == r->at[i].high &&
			    is_line(plan, &r->at[k]) == is_line(plan, &r->at[i])) {
				renumber(&code->arounds, r->at[i].region, r->at[k].region);
				renumber(r, r->at[i].region, r->at[k].region);
				break;
			}
	}
}

static const char *
copy(const char *text, void *(*take)(size_t size))
{
	return text ? sl_memcpy(take(sl_strlen(text) + 1), text, sl_strlen(text) + 1) : NULL;
}

struct sl_code *
sl_code_make(const struct sl_plan *plan, uint32_t number, const struct sl_binding *bindings, uint32_t count,
	     void *(*take)(size_t size))
{
	struct sl_code *code = take(sizeof(*code));

	code->atom_count = plan->atom_count;
	code->atoms = take(plan->atom_count * sizeof(code->atoms[0]));
	code->texts = take(plan->atom_count * sizeof(code->texts[0]));
	for (uint32_t i = 0; i < plan->atom_count; i++) {
		struct sl_atom atom = *plan->atoms[i];

		code->atoms[i] = atom;
		code->atoms[i].name = copy(atom.name, take);
		code->atoms[i].thread = copy(atom.thread, take);
		code->atoms[i].object = NULL;
		atom.occurrence = 0;
		atom.thread = NULL;
		sl_atom_print(&atom, code->texts[i], SL_CODE_TEXT);
	}
	struct sl_spans *all[] = {
		[SL_BOUND_FUNCTION] = &code->functions,
		[SL_BOUND_REGION] = &code->regions,
		[SL_BOUND_AROUND] = &code->arounds,
		[SL_BOUND_DATA] = &code->data,
	};

	uint32_t kinds[SL_BOUND_POINTED + 1] = {0};

	for (uint32_t i = 0; i < count; i++)
		kinds[bindings[i].kind] += bindings[i].plan == number;
	for (int k = 0; k < 4; k++)
		all[k]->at = take(kinds[k] * sizeof(struct sl_span));
	code->pointed = take(kinds[SL_BOUND_POINTED] * sizeof(code->pointed[0]));
	for (uint32_t i = 0; i < count; i++) {
		const struct sl_binding *one = &bindings[i];

		if (one->plan != number)
			continue;
		if (one->kind == SL_BOUND_POINTED)
			code->pointed[code->pointed_count++] = *one;
		else
			add(all[one->kind], one);
	}
	unite(code, plan);
	return code;
}

/* ---- atoms ---- */

static bool
may_be(const struct sl_spans *spans, uint64_t low, uint64_t high)
{
	return low < spans->high && spans->low < high;
}

/* Adds the atom to those that the event matches, unless it can't affect the plan. */
static void
match(const struct sl_walk *w, struct sl_match *m, uint32_t number)
{
	if (!w->use->wants(w, number))
		return;
	for (uint32_t i = 0; i < m->count; i++)
		if (m->atoms[i] == number)
			return;
	if (m->count == MATCH_MAX)
		w->use->limit("names in a schedule for one place in the program", 0);
	m->atoms[m->count++] = number;
}

static void
match_spans(const struct sl_walk *w, struct sl_match *m, const struct sl_spans *spans, uint64_t low, uint64_t high,
	    unsigned kinds)
{
	if (!may_be(spans, low, high))
		return;
	for (uint32_t i = 0; i < spans->count; i++)
		if (low < spans->at[i].high && spans->at[i].low < high &&
		    kinds & 1u << w->code->atoms[spans->at[i].atom].kind)
			match(w, m, spans->at[i].atom);
}

/* Matches data by the current values of the program's pointers. */
static void
match_pointed(const struct sl_walk *w, struct sl_match *m, uint64_t low, uint64_t high, unsigned kinds)
{
	for (uint32_t i = 0; i < w->code->pointed_count; i++) {
		const struct sl_binding *b = &w->code->pointed[i];
		uint64_t at = b->low;

		for (uint32_t k = 0; k < b->hops && at; k++) {
			at = w->use->probe(at);
			at += at ? b->steps[k] : 0;
		}
		if (at && low < at + b->high && at < high && kinds & 1u << w->code->atoms[b->atom].kind)
			match(w, m, b->atom);
	}
}

void
sl_walk_data(const struct sl_walk *w, struct sl_match *m, uint64_t low, uint64_t high, unsigned kinds)
{
	match_spans(w, m, &w->code->data, low, high, kinds);
	match_pointed(w, m, low, high, kinds);
}

static bool
come(const struct sl_walk *w, const struct sl_match *m, uint64_t pc)
{
	if (!m->count)
		return false;
	w->use->comes(w, m, pc);
	return true;
}

/* ---- regions ---- */

static bool
is_in(const struct sl_spans *spans, uint32_t region, uint64_t at)
{
	if (!may_be(spans, at, at + 1))
		return false;
	for (uint32_t i = 0; i < spans->count; i++)
		if (spans->at[i].region == region && at >= spans->at[i].low && at < spans->at[i].high)
			return true;
	return false;
}

static void
forget(struct sl_trail *trail, uint32_t at)
{
	for (trail->count--; at < trail->count; at++)
		trail->at[at] = trail->at[at + 1];
}

static bool
come_to(const struct sl_walk *w, uint32_t region, bool leaves, uint64_t pc)
{
	struct sl_match m = {0};

	for (uint32_t i = 0; i < w->code->regions.count; i++) {
		const struct sl_span *span = &w->code->regions.at[i];

		if (span->region == region && leaves == (w->code->atoms[span->atom].kind == SL_EVENT_EXIT))
			match(w, &m, span->atom);
	}
	return come(w, &m, pc);
}

static bool
leave(const struct sl_walk *w, uint32_t at, uint64_t pc)
{
	uint32_t region = w->trail->at[at].region;
	uint64_t entered = w->trail->at[at].pc;
	struct sl_match m = {0};

	forget(w->trail, at);
	if (region != FUNCTION)
		return come_to(w, region, true, pc);
	match_spans(w, &m, &w->code->functions, entered - 1, entered, 1u << SL_EVENT_EXIT);
	return come(w, &m, pc ? pc : entered);
}

static void
remember(const struct sl_walk *w, uint32_t region, uint64_t pc, uint32_t how)
{
	struct sl_trail *trail = w->trail;

	if (trail->count == SL_TRAIL_MAX)
		w->use->limit("nested functions and lines in a schedule", pc);
	trail->at[trail->count].depth = w->depth;
	trail->at[trail->count].region = region;
	trail->at[trail->count].how = trail->at[trail->count].last = how;
	trail->at[trail->count++].pc = pc;
}

static bool
arrive(const struct sl_walk *w, uint32_t region, uint64_t pc, uint32_t how)
{
	remember(w, region, pc, how);
	return come_to(w, region, false, pc);
}

static bool
is_there(const struct sl_walk *w, uint32_t region)
{
	for (uint32_t i = w->trail->count; i-- && w->trail->at[i].depth == w->depth;)
		if (w->trail->at[i].region == region)
			return true;
	return false;
}

/* Drops the regions of frames that were left. */
static void
drop(struct sl_trail *trail, uint32_t depth)
{
	while (trail->count && trail->at[trail->count - 1].depth > depth)
		trail->count--;
}

/*
 * Returns whether the thread has reached the same call again. Another access of the same call differs in kind, or
 * comes from a function of the engine.
 */
static bool
is_again(struct sl_trail *trail, uint32_t at, uint64_t pc, uint32_t how, bool direct)
{
	uint32_t last = trail->at[at].last;

	trail->at[at].last = how;
	return trail->at[at].pc == pc && trail->at[at].how == how && (direct || last != how);
}

bool
sl_walk_at(const struct sl_walk *w, uint64_t pc, uint32_t how, bool direct)
{
	struct sl_trail *trail = w->trail;
	uint64_t at = pc - 1; /* minus 1: pc is a return address */
	bool came = false;

	drop(trail, w->depth);
	if (!may_be(&w->code->arounds, at, at + 1))
		return false;
	for (uint32_t i = trail->count; i-- && trail->at[i].depth == w->depth;) {
		uint32_t region = trail->at[i].region;

		if (is_in(&w->code->regions, region, at) ? is_again(trail, i, pc, how, direct)
							 : is_in(&w->code->arounds, region, at))
			came |= leave(w, i, pc);
		if (!w->use->goes_on(w))
			return came;
	}
	for (uint32_t i = 0; i < w->code->regions.count; i++) {
		const struct sl_span *span = &w->code->regions.at[i];

		if (at >= span->low && at < span->high && !is_there(w, span->region))
			came |= arrive(w, span->region, pc, how);
		if (!w->use->goes_on(w))
			return came;
	}
	return came;
}

/* ---- functions ---- */

void
sl_walk_entered(const struct sl_walk *w, uint64_t pc)
{
	struct sl_match m = {0};

	match_spans(w, &m, &w->code->functions, pc - 1, pc, 1u << SL_EVENT_EXIT);
	if (m.count) {
		drop(w->trail, w->depth - 1);
		remember(w, FUNCTION, pc, SL_CALLS);
	}
	m.count = 0;
	match_spans(w, &m, &w->code->functions, pc - 1, pc, 1u << SL_EVENT_ENTER);
	come(w, &m, pc);
	if (w->use->goes_on(w))
		sl_walk_at(w, pc, SL_CALLS, true);
}

/* The function is known from its entry, so the place of its end may be unknown (pc 0). */
void
sl_walk_left(const struct sl_walk *w, uint64_t pc)
{
	struct sl_trail *trail = w->trail;

	if (pc)
		sl_walk_at(w, pc, SL_CALLS, true);
	drop(trail, w->depth);
	while (w->use->goes_on(w) && trail->count && trail->at[trail->count - 1].depth == w->depth)
		leave(w, trail->count - 1, pc);
}

_Static_assert(SL_OP_EVENT_UNLOCK == 1u << (SL_EVENT_UNLOCK - SL_EVENT_LOCK) &&
		       SL_OP_EVENT_WAIT == 1u << (SL_EVENT_WAIT - SL_EVENT_LOCK) &&
		       SL_OP_EVENT_SIGNAL == 1u << (SL_EVENT_SIGNAL - SL_EVENT_LOCK) &&
		       SL_OP_EVENT_WRITE == 1u << (SL_EVENT_WRITE - SL_EVENT_LOCK) &&
		       SL_OP_EVENT_READ == 1u << (SL_EVENT_READ - SL_EVENT_LOCK),
	       "events of operations are in the order of those of schedules");

/* Returns the kinds of events of an operation; 0: none. (Plain accesses are matched by sl_walk_data() alone.) */
unsigned
sl_walk_kinds(enum sl_op_kind kind)
{
	return sl_op_is_call(kind) ? (unsigned)sl_op_kinds[kind].event << SL_EVENT_LOCK : 0;
}
