/*
 * Definitions and uses between threads, after Yang, Souter and Pollock (ISSTA 1998): a place that reads bytes which another
 * thread wrote last, at the other place. By bytes: a read of a word may see several writes.
 *
 * Nobody estimates these: which write a read can see depends on all that the program does.
 */
#include "coverage/coverage.h"

#include "base/rng.h"

#define GRANULES (1u << 20)

struct granule {
	uint64_t address; /* of eight bytes */
	uint64_t stamp;
	uint32_t place[8]; /* 0: nobody wrote it */
	uint16_t thread[8];
};

struct state {
	uint64_t stamp;
	struct granule granules[GRANULES];
};

_Static_assert(sizeof(struct state) <= SL_COVER_STATE_BYTES, "there is room for the state");

static void
begin(void *state, uint64_t stamp)
{
	((struct state *)state)->stamp = stamp;
}

/* NULL: it is not there, and there is no need or no room for it. */
static struct granule *
find(struct state *s, struct sl_coverage *c, uint64_t address, bool make)
{
	uint32_t at = (uint32_t)sl_mix(address >> 3);

	for (uint32_t tried = 0; tried < 64; tried++, at++) {
		struct granule *g = &s->granules[at % GRANULES];

		if (g->stamp == s->stamp && g->address == address)
			return g;
		if (g->stamp == s->stamp)
			continue;
		if (make)
			*g = (struct granule){.address = address, .stamp = s->stamp};
		return make ? g : NULL;
	}
	c->lost += make;
	return NULL;
}

static void
access(struct state *s, struct sl_coverage *c, const struct sl_item *i, uint64_t size)
{
	uint64_t end = i->object + size;
	uint32_t place = sl_coverage_place(c, i->pc);

	for (uint64_t at = i->object; at < end;) {
		uint64_t stop = (at | 7) + 1 < end ? (at | 7) + 1 : end;
		struct granule *g = find(s, c, at & ~7ul, i->flags & SL_OP_WRITES);

		for (; g && at < stop; at++) {
			uint64_t b = at & 7;

			if ((i->flags & SL_OP_READS) && g->place[b] && g->thread[b] != (uint16_t)i->thread)
				sl_coverage_cover(c, g->place[b], place);
			if (i->flags & SL_OP_WRITES) {
				g->place[b] = place;
				g->thread[b] = (uint16_t)i->thread;
			}
		}
		at = stop;
	}
}

/* New memory: what was written there before nobody reads. */
static void
forget(struct state *s, struct sl_coverage *c, uint64_t address, uint64_t size)
{
	uint64_t first = address & ~7ul, end = address + size;

	if (size / 8 < GRANULES) {
		for (uint64_t at = first; at < end; at += 8) {
			struct granule *g = find(s, c, at, false);

			if (g)
				for (int b = 0; b < 8; b++)
					g->place[b] = 0;
		}
		return;
	}
	for (uint32_t n = 0; n < GRANULES; n++)
		if (s->granules[n].address - first < size)
			for (int b = 0; b < 8; b++)
				s->granules[n].place[b] = 0;
}

static void
item(void *state, struct sl_coverage *c, const struct sl_item *i)
{
	switch (i->kind) {
	case SL_READ:
	case SL_WRITE:
	case SL_UPDATE:
		access(state, c, i, i->flags & SL_OP_RANGE ? i->value : i->size);
		break;
	case SL_ATOMIC_LOAD:
	case SL_ATOMIC_STORE:
	case SL_ATOMIC_UPDATE:
		access(state, c, i, i->size);
		break;
	case SL_ALLOC:
	case SL_FREE:
		forget(state, c, i->object, i->value);
		break;
	default:
		break;
	}
}

const struct sl_criterion sl_criterion_def_use = {
	.name = "def-use",
	.summary = "a place that writes, and one of another thread that reads what it wrote",
	.what = "pairs of a definition and a use",
	.first = "writes",
	.second = "reads that",
	.state_size = sizeof(struct state),
	.accesses = true,
	.begin = begin,
	.item = item,
};
