/*
 * Synchronisation pairs, after Hong, Ahn, Park, Kim and Harrold (ISSTA 2012): two places that take a lock, one right
 * after the other, without another acquisition of that lock in between. Both may be of the same thread.
 */
#include "coverage/estimate.h"
#include "coverage/locks.h"

_Static_assert(sizeof(struct sl_locks) <= SL_COVER_STATE_BYTES, "there is room for the state");

static void
begin(void *state, uint64_t stamp)
{
	sl_locks_begin(state, stamp);
}

static void
item(void *state, struct sl_coverage *c, const struct sl_item *i)
{
	struct sl_lock *l;
	uint32_t place;

	if (sl_locks_item(state, c, i, &l, &place) != SL_LOCK_TAKES)
		return;
	if (l->count)
		sl_coverage_cover(c, l->last[0].place, place);
	for (uint32_t k = 1; k < l->count; k++) {
		if (c->places[place].open)
			sl_coverage_near(c, l->last[k].place, place, k, l->last[0].place, l->last[0].thread);
		sl_coverage_meet(c, l->last[k].place, place);
	}
	for (uint32_t k = l->count < SL_COVER_NEAR ? l->count++ : SL_COVER_NEAR - 1; k; k--)
		l->last[k] = l->last[k - 1];
	l->last[0].place = place;
	l->last[0].thread = i->thread;
}

uint32_t
sl_sync_pair_last(const struct sl_coverage *c, uint64_t lock)
{
	const struct sl_lock *l = sl_locks_find((struct sl_locks *)c->state, lock);

	return l && l->count ? l->last[0].place : 0;
}

const struct sl_criterion sl_criterion_sync_pair = {
	.name = "sync-pair",
	.summary = "two places that take a lock, one right after the other",
	.what = "synchronisation pairs",
	.first = "takes the lock",
	.second = "is the next to take it",
	.state_size = sizeof(struct sl_locks),
	.nearness = true,
	.steering = SL_STEER_AFTER,
	.estimate = sl_estimate_sync_pair,
	.begin = begin,
	.item = item,
};
