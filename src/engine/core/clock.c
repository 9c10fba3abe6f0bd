#include "engine/core/engine.h"
#include "engine/under/bulk.h"
#include "engine/under/poison.h"

#define ROOMS 16
#define SMALLEST 3 /* 8 entries */

#define BATCH_MAX 128

static struct sl_snapshot *free_snapshots[ROOMS];
static struct sl_snapshot *batch; /* the snapshots are contiguous, apart from their entries */
static uint32_t batch_size, batch_used;

void
sl_clocks_reset(void)
{
	for (int i = 0; i < ROOMS; i++)
		free_snapshots[i] = NULL;
	batch_size = batch_used = 0;
}

static struct sl_snapshot *
snapshot_new(uint32_t count)
{
	uint32_t room = SMALLEST;
	struct sl_snapshot *s;

	while ((1u << room) < count)
		room++;
	s = free_snapshots[room];
	if (s) {
		free_snapshots[room] = s->next;
	} else {
		if (batch_used == batch_size) {
			batch_size = batch_size < 8 ? 8 : batch_size < BATCH_MAX ? 2 * batch_size : BATCH_MAX;
			batch = sl_scratch_alloc(batch_size * sizeof(*batch));
			batch_used = 0;
		}
		s = &batch[batch_used++];
		s->entry = sl_scratch_alloc(sizeof(s->entry[0]) << room);
	}
	s->references = 1;
	s->count = count;
	s->room = room;
	return s;
}

static void
snapshot_drop(struct sl_snapshot *s)
{
	if (!s || --s->references)
		return;
	s->next = free_snapshots[s->room];
	free_snapshots[s->room] = s;
}

void
sl_clock_reset(struct sl_clock *c)
{
	c->base = NULL;
	c->count = 0;
	c->source = SL_CLOCK_NOBODY;
}

void
sl_clock_copy(struct sl_clock *c, const struct sl_clock *from)
{
	if (c->base != from->base) {
		snapshot_drop(c->base);
		c->base = from->base;
		if (c->base)
			c->base->references++;
	}
	c->count = from->count;
	for (uint32_t i = 0; i < from->count; i++)
		c->newer[i] = from->newer[i];
	c->source = from->source;
	c->moment = from->moment;
}

static uint32_t
width(const struct sl_clock *c)
{
	uint32_t n = c->base ? c->base->count : 0;

	for (uint32_t i = 0; i < c->count; i++)
		if (c->newer[i].thread >= n)
			n = c->newer[i].thread + 1;
	return n;
}

static void
raise_newer(struct sl_snapshot *s, const struct sl_clock *c)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (s->entry[c->newer[i].thread] < c->newer[i].tick)
			s->entry[c->newer[i].thread] = c->newer[i].tick;
}

/* Puts everything that both clocks know into a new snapshot. other may be NULL. */
static void
condense(struct sl_clock *c, const struct sl_clock *other)
{
	uint32_t n = width(c), m = other ? width(other) : 0, had = c->base ? c->base->count : 0;
	struct sl_snapshot *s = snapshot_new(n > m ? n : m);

	if (other && other->base) {
		uint32_t both = had < other->base->count ? had : other->base->count;

		sl_bulk_maximum(s->entry, c->base ? c->base->entry : NULL, other->base->entry, both);
		if (had > both)
			sl_memcpy(s->entry + both, c->base->entry + both, (had - both) * sizeof(s->entry[0]));
		else
			sl_memcpy(s->entry + both, other->base->entry + both,
				  (other->base->count - both) * sizeof(s->entry[0]));
		had = had > other->base->count ? had : other->base->count;
	} else if (had) {
		sl_memcpy(s->entry, c->base->entry, had * sizeof(s->entry[0]));
	}
	sl_memset(s->entry + had, 0, (s->count - had) * sizeof(s->entry[0]));
	if (other)
		raise_newer(s, other);
	raise_newer(s, c);
	snapshot_drop(c->base);
	c->base = s;
	c->count = 0;
}

void
sl_clock_set(struct sl_clock *c, uint32_t thread, uint32_t tick)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (c->newer[i].thread == thread) {
			c->newer[i].tick = tick;
			return;
		}
	if (c->count == SL_CLOCK_NEWER)
		condense(c, NULL);
	c->newer[c->count].thread = thread;
	c->newer[c->count++].tick = tick;
}

/*
 * Merges clocks that have the same snapshot, or none as long as there are few threads. Returns false if there is
 * no room.
 */
static bool
merge(struct sl_clock *c, const struct sl_clock *from)
{
	uint32_t count = c->count;

	for (uint32_t i = 0; i < from->count; i++) {
		uint32_t at = 0;

		while (at < c->count && c->newer[at].thread != from->newer[i].thread)
			at++;
		if (at < c->count) {
			if (c->newer[at].tick < from->newer[i].tick)
				c->newer[at].tick = from->newer[i].tick;
		} else if (count == SL_CLOCK_NEWER) {
			return false;
		} else {
			c->newer[count++] = from->newer[i];
		}
	}
	c->count = count;
	return true;
}

void
sl_clock_join(struct sl_clock *c, const struct sl_clock *from)
{
	if (sl_clock_covers(c, from))
		return;
	if (sl_clock_covers(from, c)) {
		sl_clock_copy(c, from);
		return;
	}
	if (c->base != from->base || !merge(c, from))
		condense(c, from);
	c->source = SL_CLOCK_NOBODY;
}
