#include "engine/engine.h"
#include "engine/poison.h"

#define ROOMS 16
#define SMALLEST 3 /* 8 entries */

static struct sl_snapshot *free_snapshots[ROOMS];

void
sl_clocks_reset(void)
{
	for (int i = 0; i < ROOMS; i++)
		free_snapshots[i] = NULL;
}

static struct sl_snapshot *
snapshot_new(uint32_t count)
{
	uint32_t room = SMALLEST;
	struct sl_snapshot *s;

	while ((1u << room) < count)
		room++;
	s = free_snapshots[room];
	if (s)
		free_snapshots[room] = *(struct sl_snapshot **)s->entry;
	else
		s = sl_scratch_alloc(sizeof(*s) + (sizeof(s->entry[0]) << room));
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
	*(struct sl_snapshot **)s->entry = free_snapshots[s->room];
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

/* The maximum of a snapshot and another: the loop that costs, kept simple for the vectoriser. */
#ifndef __clang__ /* which vectorises at -O2 */
__attribute__((optimize("O3")))
#endif
static void
raise_to(uint32_t *restrict entry, const uint32_t *restrict other, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		entry[i] = entry[i] > other[i] ? entry[i] : other[i];
}

static void
raise_newer(struct sl_snapshot *s, const struct sl_clock *c)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (s->entry[c->newer[i].thread] < c->newer[i].tick)
			s->entry[c->newer[i].thread] = c->newer[i].tick;
}

/* Everything that both know, in a snapshot of its own. other may be NULL. */
static void
condense(struct sl_clock *c, const struct sl_clock *other)
{
	uint32_t n = width(c), m = other ? width(other) : 0, had = c->base ? c->base->count : 0;
	struct sl_snapshot *s = snapshot_new(n > m ? n : m);

	sl_memcpy(s->entry, c->base ? c->base->entry : s->entry, had * sizeof(s->entry[0]));
	sl_memset(s->entry + had, 0, (s->count - had) * sizeof(s->entry[0]));
	if (other && other->base)
		raise_to(s->entry, other->base->entry, other->base->count);
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

void
sl_clock_join(struct sl_clock *c, const struct sl_clock *from)
{
	if (sl_clock_covers(c, from))
		return;
	if (sl_clock_covers(from, c)) {
		sl_clock_copy(c, from);
		return;
	}
	condense(c, from);
	c->source = SL_CLOCK_NOBODY;
}
