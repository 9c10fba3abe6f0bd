/*
 * Breakpoints at the places that a change impacts. Each is removed when the first thread reaches it, and never set
 * again.
 */
#include "engine/interpose/impact_trap.h"
#include <sys/mman.h>
#include "engine/core/impact.h"
#include "engine/interpose/traps.h"
#include "engine/under/poison.h"

#define BREAKPOINT 0xcc

static struct place {
	uint64_t at;
	uint64_t of;  /* the address that is marked as reached; several places may have one instruction */
	uint8_t code; /* the byte that the breakpoint replaces */
	bool set;     /* of the first place of an instruction */
} * places;
static uint32_t count, set_count;

static bool
open_code(uint64_t at, bool writable)
{
	return sl_raw(SYS_mprotect, at & ~(SL_PAGE - 1), SL_PAGE,
		      PROT_READ | PROT_EXEC | (writable ? PROT_WRITE : 0)) == 0;
}

static bool
is_later(const struct place *a, const struct place *b)
{
	return a->at != b->at ? a->at > b->at : a->of > b->of;
}

/* Sorts the places by address, and removes duplicates. */
static void
sort(void)
{
	uint32_t kept = 0;

	for (uint32_t gap = count / 2; gap; gap /= 2)
		for (uint32_t i = gap; i < count; i++) {
			struct place p = places[i];
			uint32_t k = i;

			for (; k >= gap && is_later(&places[k - gap], &p); k -= gap)
				places[k] = places[k - gap];
			places[k] = p;
		}
	for (uint32_t i = 0; i < count; i++)
		if (!kept || is_later(&places[i], &places[kept - 1]))
			places[kept++] = places[i];
	count = kept;
}

/* Have executions come to all that is at the instruction of this place, which is the first one there? */
static bool
is_reached(uint32_t first)
{
	for (uint32_t i = first; i < count && places[i].at == places[first].at; i++) {
		uint8_t *kinds = sl_impact_at(places[i].of);

		if (kinds && !(*kinds & SL_IMPACT_REACHED))
			return false;
	}
	return true;
}

static void
note(uint32_t first)
{
	for (uint32_t i = first; i < count && places[i].at == places[first].at; i++) {
		uint8_t *kinds = sl_impact_at(places[i].of);

		if (kinds)
			sl_impact_note(kinds);
	}
}

void
sl_impact_traps_begin(void)
{
	const struct sl_impact *p = &E.arena->impact;
	static bool once;

	if (once || !sl_impact_known || !p->place_count)
		return;
	once = true;
	places = sl_private_alloc(p->place_count * sizeof(*places));
	for (uint32_t i = 0; i < p->place_count && i < SL_IMPACT_PLACES; i++) {
		uint64_t at = sl_impact_loaded(p->places[i].file, p->places[i].at);

		if (at)
			places[count++] = (struct place){.at = at, .of = at + p->places[i].on};
	}
	sort();
	for (uint32_t i = 0; i < count; i++) {
		struct place *place = &places[i];

		if ((i && place[-1].at == place->at) || is_reached(i))
			continue;
		if (sl_traps_is_at(place->at) || !open_code(place->at, true)) {
			note(i); /* the place can't be watched: it counts as reached */
			continue;
		}
		place->code = *(const uint8_t *)place->at;
		*(volatile uint8_t *)place->at = BREAKPOINT;
		place->set = true;
		set_count++;
		open_code(place->at, false);
	}
}

static void
unset(struct place *place)
{
	sl_check(open_code(place->at, true));
	*(volatile uint8_t *)place->at = place->code;
	open_code(place->at, false);
	place->set = false;
	set_count--;
}

void
sl_impact_traps_refresh(void)
{
	for (uint32_t i = 0; set_count && i < count; i++)
		if (places[i].set && is_reached(i))
			unset(&places[i]);
}

void
sl_impact_traps_clear(void)
{
	for (uint32_t i = 0; set_count && i < count; i++)
		if (places[i].set)
			unset(&places[i]);
}

bool
sl_impact_traps_hit(ucontext_t *context)
{
	uint64_t at = (uint64_t)context->uc_mcontext.gregs[REG_RIP] - 1;
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (places[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == count || places[low].at != at)
		return false;
	if (places[low].set) /* otherwise another thread of a child was here at the same time */
		unset(&places[low]);
	note(low);
	context->uc_mcontext.gregs[REG_RIP] = (long)at;
	return true;
}
