/*
 * Blocked and blocking, after Bron, Farchi, Magid, Nir and Ur (PPoPP 2005): a thread waits for a lock at the first
 * place while another thread holds it, which took it at the second place.
 */
#include "coverage/estimate.h"
#include "coverage/locks.h"

#define THREADS (1u << 14)

struct state {
	struct sl_locks locks;
	struct request { /* by thread */
		uint64_t lock, stamp;
		uint32_t place, next; /* next: the next thread that requested the lock, plus one */
		bool shared;
	} requests[THREADS];
};

_Static_assert(sizeof(struct state) <= SL_COVER_STATE_BYTES, "there is room for the state");

static void
begin(void *state, uint64_t stamp)
{
	sl_locks_begin(&((struct state *)state)->locks, stamp);
}

/* Ends the thread's request: it has the lock, or gave up waiting. */
static void
over(struct state *s, uint32_t thread)
{
	struct request *r = &s->requests[thread];
	struct sl_lock *l;

	if (thread >= THREADS || r->stamp != s->locks.stamp)
		return;
	r->stamp = 0;
	l = sl_locks_find(&s->locks, r->lock);
	for (uint32_t *at = l ? &l->requests : NULL; at && *at; at = &s->requests[*at - 1].next)
		if (*at == thread + 1) {
			*at = r->next;
			return;
		}
}

static void
comes(struct state *s, struct sl_coverage *c, const struct sl_item *i)
{
	struct sl_lock *l = sl_locks_get(&s->locks, i->object);
	struct request *r = &s->requests[i->thread];
	struct sl_held_book holders;

	over(s, i->thread);
	if (!l || i->thread >= THREADS) {
		c->lost++;
		return;
	}
	holders = sl_locks_holders(&s->locks, l);
	if (sl_held_find(&holders, i->thread)) /* nested: it waits for no thread, or for itself */
		return;
	*r = (struct request){.lock = i->object,
			      .stamp = s->locks.stamp,
			      .place = sl_coverage_place(c, i->pc),
			      .next = l->requests,
			      .shared = sl_kind_is(i->size, SL_KIND_SHARED)};
	l->requests = i->thread + 1;
	for (uint32_t h = holders.count; h--;)
		if (!r->shared || !holders.holds[h].shared)
			sl_coverage_cover(c, r->place, (uint32_t)holders.holds[h].taken);
}

static void
item(void *state, struct sl_coverage *c, const struct sl_item *i)
{
	struct state *s = state;
	struct sl_lock *l;
	uint32_t place;

	if (i->kind == SL_ITEM_REQUEST) {
		comes(s, c, i);
		return;
	}
	if (i->kind == SL_TIMEOUT)
		over(s, i->thread);
	if (sl_locks_item(&s->locks, c, i, &l, &place) != SL_LOCK_TAKES)
		return;
	over(s, i->thread);
	for (uint32_t at = l->requests; at; at = s->requests[at - 1].next)
		if (!s->requests[at - 1].shared || !sl_kind_is(i->kind, SL_KIND_SHARED))
			sl_coverage_cover(c, s->requests[at - 1].place, place);
}

const struct sl_criterion sl_criterion_blocked = {
	.name = "blocked",
	.summary = "a place that waits for a lock, and the place where the holder took it",
	.what = "pairs of a blocked and a blocking place",
	.first = "waits for a lock",
	.second = "took it",
	.state_size = sizeof(struct state),
	.requests = true,
	.steering = SL_STEER_WAITING,
	.estimate = sl_estimate_blocked,
	.begin = begin,
	.item = item,
};
