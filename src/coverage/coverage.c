/*
 * The table of requirements.
 */
#include "coverage/coverage.h"

#include "base/rng.h"
#include "base/undo.h"
#include "coverage/locks.h"

#include <string.h>

#define PLACE_SLOTS (2 * SL_COVER_PLACES)
#define REQUIREMENT_SLOTS (2 * SL_COVER_REQUIREMENTS)

/* ---- places ---- */

static uint32_t *
place_slot(struct sl_coverage *c, uint64_t pc)
{
	for (uint32_t at = (uint32_t)sl_mix(pc);; at++) {
		uint32_t *slot = &c->place_index[at % PLACE_SLOTS];

		if (!*slot || c->places[*slot].pc == pc)
			return slot;
	}
}

uint32_t
sl_coverage_place_find(const struct sl_coverage *c, uint64_t pc)
{
	return *place_slot((struct sl_coverage *)c, pc);
}

uint32_t
sl_coverage_place(struct sl_coverage *c, uint64_t pc)
{
	uint32_t *slot = place_slot(c, pc), known = *slot;

	if (known)
		return known;
	if (c->place_count + 1 >= SL_COVER_PLACES) {
		c->lost++;
		return 0;
	}
	SL_SAVE(c->place_count);
	SL_SAVE(*slot);
	c->places[c->place_count + 1] = (struct sl_cover_place){.pc = pc};
	*slot = ++c->place_count;
	c->news = true;
	return *slot;
}

/* ---- requirements ---- */

static uint32_t *
requirement_slot(struct sl_coverage *c, uint32_t first, uint32_t second)
{
	for (uint32_t at = (uint32_t)sl_mix((uint64_t)first << 32 | second);; at++) {
		uint32_t *slot = &c->requirement_index[at % REQUIREMENT_SLOTS];
		const struct sl_requirement *r = &c->requirements[*slot];

		if (!*slot || (r->first == first && r->second == second))
			return slot;
	}
}

struct sl_requirement *
sl_coverage_find(struct sl_coverage *c, uint32_t first, uint32_t second)
{
	uint32_t slot = *requirement_slot(c, first, second);

	return slot ? &c->requirements[slot] : NULL;
}

/* What was ruled out may take half of the room: it is told to people, and nothing depends on it. */
static struct sl_requirement *
get(struct sl_coverage *c, uint32_t first, uint32_t second, uint32_t room)
{
	uint32_t *slot = requirement_slot(c, first, second);

	if (*slot)
		return &c->requirements[*slot];
	if (c->requirement_count + 1 >= room) {
		c->lost++;
		return NULL;
	}
	SL_SAVE(c->requirement_count);
	SL_SAVE(*slot);
	*slot = c->requirement_count + 1;
	c->requirements[*slot] = (struct sl_requirement){.first = first, .second = second};
	c->requirement_count++;
	return &c->requirements[*slot];
}

/* One more of these two places is to be covered, or one fewer. */
static void
open_add(struct sl_coverage *c, const struct sl_requirement *r, int more)
{
	SL_SAVE(c->places[r->first]);
	SL_SAVE(c->places[r->second]);
	c->places[r->first].open += (uint32_t)more;
	if (r->second != r->first)
		c->places[r->second].open += (uint32_t)more;
}

static void
counters_save(struct sl_coverage *c)
{
	sl_undo_save(&c->estimated,
		     offsetof(struct sl_coverage, growth_count) - offsetof(struct sl_coverage, estimated));
}

static void
is_possible(struct sl_coverage *c, struct sl_requirement *r)
{
	if (r->state & SL_COVER_RULED_OUT)
		c->ruled_out--;
	r->state &= (uint8_t)~SL_COVER_RULED_OUT;
	r->reason = SL_REASON_NONE;
	r->because = 0;
}

void
sl_coverage_cover(struct sl_coverage *c, uint32_t first, uint32_t second)
{
	struct sl_requirement *r;

	if (!c->counting || !first || !second)
		return;
	r = get(c, first, second, SL_COVER_REQUIREMENTS);
	if (!r || (r->state & SL_COVER_COVERED))
		return;
	SL_SAVE(*r);
	counters_save(c);
	is_possible(c, r);
	if (r->state & SL_COVER_ESTIMATED) {
		open_add(c, r, -1);
	} else {
		r->known = c->execution;
		c->unforeseen++;
		c->estimated++;
		c->news = true;
	}
	r->state |= SL_COVER_COVERED;
	r->execution = c->execution;
	c->covered++;
}

void
sl_coverage_foresee(struct sl_coverage *c, uint32_t first, uint32_t second)
{
	struct sl_requirement *r = get(c, first, second, SL_COVER_REQUIREMENTS);

	if (!r || (r->state & SL_COVER_ESTIMATED))
		return;
	SL_SAVE(*r);
	counters_save(c);
	is_possible(c, r);
	r->state |= SL_COVER_ESTIMATED;
	if (!c->execution) {
		r->state |= SL_COVER_FIRST;
		c->first++;
	}
	if (r->state & SL_COVER_COVERED)
		return;
	r->known = c->execution;
	c->estimated++;
	open_add(c, r, 1);
}

void
sl_coverage_rule_out(struct sl_coverage *c, uint32_t first, uint32_t second, enum sl_reason reason,
		     uint32_t because)
{
	struct sl_requirement *r = get(c, first, second, SL_COVER_REQUIREMENTS / 2);

	/* that one thread does not do them in a row says less than why two can't */
	if (!r || (r->state & (SL_COVER_ESTIMATED | SL_COVER_COVERED)) ||
	    (r->state && (reason == SL_REASON_NOT_NEXT || r->reason != SL_REASON_NOT_NEXT)))
		return;
	SL_SAVE(*r);
	counters_save(c);
	c->ruled_out += !r->state;
	r->state = SL_COVER_RULED_OUT;
	r->reason = (uint8_t)reason;
	r->because = because;
}

/* Not every time: there may be an execution that nothing can be said of, over and over again. */
#define MEETINGS 64
#define MEETINGS_SHARE 16

void
sl_coverage_meet(struct sl_coverage *c, uint32_t first, uint32_t second)
{
	if (c->news || !first || !second || sl_coverage_find(c, first, second) || c->lost ||
	    c->log_count == SL_COVER_LOG) /* no room: the same would come of it again */
		return;
	c->news = c->estimates < MEETINGS + c->execution / MEETINGS_SHARE &&
		  c->requirement_count + 1 < SL_COVER_REQUIREMENTS / 2;
}

void
sl_coverage_near(struct sl_coverage *c, uint32_t first, uint32_t second, unsigned between, uint32_t place,
		 uint32_t thread)
{
	struct sl_requirement *r;

	if (!c->counting || !sl_coverage_is_open(c, first, second))
		return;
	r = sl_coverage_find(c, first, second);
	if (r->near && r->near <= between)
		return;
	SL_SAVE(*r);
	r->near = (uint8_t)between;
	r->near_place = place;
	r->near_thread = thread;
	r->near_execution = c->execution;
}

/* ---- executions ---- */

void
sl_coverage_use(struct sl_coverage *c, const struct sl_criterion *criterion)
{
	c->criterion = criterion;
}

void
sl_coverage_begin(struct sl_coverage *c, bool counting)
{
	SL_SAVE(c->execution);
	c->stamp++; /* never taken back */
	c->counting = counting;
	c->execution += counting;
	c->news = !c->estimates;
	c->log_count = 0;
	if (c->criterion->begin)
		c->criterion->begin(c->state, c->stamp);
}

void
sl_coverage_log(struct sl_coverage *c, const struct sl_item *item)
{
	if (!c->criterion->estimate)
		return;
	if (c->log_count < SL_COVER_LOG)
		c->log[c->log_count++] = *item;
	else
		c->log_lost++;
}

void
sl_coverage_item(struct sl_coverage *c, const struct sl_item *item)
{
	c->criterion->item(c->state, c, item);
	if (sl_locks_matters(item) || (c->criterion->matters && c->criterion->matters(item)))
		sl_coverage_log(c, item);
}

static void
grow(struct sl_coverage *c, uint64_t nanoseconds)
{
	const struct sl_growth *last = c->growth_count ? &c->growth[c->growth_count - 1] : NULL;

	if ((last ? last->covered == c->covered && last->estimated == c->estimated : !c->execution))
		return;
	if (c->growth_count == SL_COVER_GROWTH) {
		c->lost++;
		return;
	}
	SL_SAVE(c->growth_count);
	c->growth[c->growth_count] = (struct sl_growth){c->execution, nanoseconds, c->covered, c->estimated};
	c->growth_count++;
}

void
sl_coverage_end(struct sl_coverage *c, uint64_t nanoseconds)
{
	if (c->news && c->criterion->estimate) {
		SL_SAVE(c->estimates);
		c->criterion->estimate(c, c->log, c->log_count, c->scratch, sizeof(c->scratch));
		c->estimates++;
	}
	c->news = false;
	grow(c, nanoseconds);
	c->counting = false;
}
