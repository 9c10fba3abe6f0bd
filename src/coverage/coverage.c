/*
 * The table of requirements.
 */
#include "coverage/coverage.h"

#include "base/rng.h"
#include "base/undo.h"
#include "coverage/locks.h"
#include "coverage/model.h"
#include "trace/records.h"

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

/* Ruled-out requirements may take half of the room: they are only reported. */
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

/* Counts a requirement that is to be covered at both of its places; more: 1 or -1. */
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

	/* a reason why two threads cannot cover the pair replaces the reason why one thread cannot */
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

/* Every execution may have news, so not all of them are used for an estimate: the first of these numbers is used
 * always, then one in the second number of executions. */
#define MEETINGS 64, 16
#define DEEDS 16, 8

static bool
may_be_news(const struct sl_coverage *c, uint64_t most, uint64_t share)
{
	return !c->lost && c->log_count < SL_COVER_LOG && /* without room the estimate would not change */
	       c->estimates < most + c->execution / share && c->requirement_count + 1 < SL_COVER_REQUIREMENTS / 2;
}

void
sl_coverage_meet(struct sl_coverage *c, uint32_t first, uint32_t second)
{
	if (!c->news && first && second && !sl_coverage_find(c, first, second))
		c->news = may_be_news(c, MEETINGS);
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
	c->stamp++; /* never rolled back */
	c->counting = counting;
	c->execution += counting;
	c->news = !c->estimates;
	c->looked = false;
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

/* ---- the actions of executions ---- */

/*
 * A ruled-out requirement is infeasible as long as threads perform the same actions; which thread waits, signals
 * or omits an action may depend on the schedule. So an execution also has news if its threads together performed
 * actions that no estimated execution did. They are compared by a hash of the set of all synchronising actions,
 * each with the earlier actions of its thread. Repetitions are ignored: otherwise every loop would be news.
 */
static uint64_t
deeds_of(struct sl_coverage *c)
{
	struct sl_memory room = {c->scratch, c->scratch + sizeof(c->scratch)};
	uint64_t slots = 1, sum = 1, *seen, *before;
	uint32_t threads = 0;

	for (uint64_t i = 0; i < c->log_count; i++) {
		slots += 2ul * sl_locks_matters(&c->log[i]);
		if (c->log[i].thread >= threads)
			threads = c->log[i].thread + 1;
	}
	seen = sl_memory_take(&room, slots, sizeof(*seen));
	before = sl_memory_take(&room, threads, sizeof(*before));
	if (!seen || !before)
		return 0;
	for (uint64_t n = 0; n < c->log_count; n++) {
		const struct sl_item *i = &c->log[n];
		uint64_t deed = sl_mix(sl_mix(i->object) + (i->pc << 8) + i->kind), at;
		bool free = i->kind == SL_COND_RELOCK && (i->value & SL_NOTE_SPURIOUS);

		if (!sl_locks_matters(i))
			continue;
		deed = sl_mix(deed + free + ((i->flags & SL_ITEM_TRIED) != 0) * 2ul + ((uint64_t)i->thread << 2));
		at = sl_mix(deed + before[i->thread]) | 1;
		before[i->thread] = deed;
		deed = at;
		for (; seen[at % slots] && seen[at % slots] != deed; at++)
			;
		if (!seen[at % slots])
			sum += sl_mix(deed);
		seen[at % slots] = deed;
	}
	return sum | 1;
}

/* Finds the slot of the hash; NULL: there is no more room. */
static uint64_t *
deeds_slot(struct sl_coverage *c, uint64_t deeds)
{
	for (uint64_t at = deeds >> 1;; at++) {
		uint64_t *slot = &c->deeds[at % (2 * SL_COVER_DEEDS)];

		if (*slot == deeds)
			return slot;
		if (!*slot)
			return c->deed_count < SL_COVER_DEEDS ? slot : NULL;
	}
}

static void
look(struct sl_coverage *c)
{
	uint64_t deeds, *slot;

	if (c->looked || !c->criterion->estimate || (!c->news && !may_be_news(c, DEEDS)))
		return;
	c->looked = true;
	deeds = deeds_of(c);
	slot = deeds ? deeds_slot(c, deeds) : NULL;
	if (!slot || *slot)
		return;
	SL_SAVE(c->deed_count);
	SL_SAVE(*slot);
	*slot = deeds;
	c->deed_count++;
	c->news = true;
}

bool
sl_coverage_is_growing(struct sl_coverage *c)
{
	look(c);
	return c->news || !c->growth_count || c->growth[c->growth_count - 1].covered != c->covered;
}

void
sl_coverage_end(struct sl_coverage *c, uint64_t nanoseconds)
{
	look(c);
	if (c->news && c->criterion->estimate) {
		SL_SAVE(c->estimates);
		c->criterion->estimate(c, c->log, c->log_count, c->scratch, sizeof(c->scratch));
		c->estimates++;
	}
	c->news = false;
	grow(c, nanoseconds);
	c->counting = false;
}
