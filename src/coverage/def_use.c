/*
 * Definitions and uses between threads, after Yang, Souter and Pollock (ISSTA 1998): the second place reads bytes
 * that another thread wrote last, at the first place. Bytes are treated separately: a read of a word may see
 * several writes.
 *
 * The estimate is that of synchronisation pairs (estimate.c), with writes of bytes instead of acquisitions of a
 * lock. A read cannot see a write if the read always comes first; if a lock keeps the read from coming between that write
 * and the next one of the same thread, or keeps that write from coming between the read and the last write of the read's
 * own thread; or if another write always comes between them.
 */
#include "coverage/coverage.h"

#include "base/rng.h"
#include "coverage/model.h"

#define GRANULES (1u << 20)

struct granule {
	uint64_t address; /* of eight bytes */
	uint64_t stamp;
	uint32_t place[8]; /* 0: no thread wrote it */
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

/* NULL: it does not exist, and must not be made or has no room. */
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

/* The memory is new: its earlier contents will not be read. */
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

static bool
is_access(const struct sl_item *i)
{
	return sl_kind_is(i->kind, SL_KIND_ACCESS);
}

static uint64_t
size_of(const struct sl_item *i)
{
	return sl_kind_is_plain(i->kind) && (i->flags & SL_OP_RANGE) ? i->value : i->size;
}

static void
item(void *state, struct sl_coverage *c, const struct sl_item *i)
{
	if (is_access(i))
		access(state, c, i, size_of(i));
	else if (i->kind == SL_ALLOC || i->kind == SL_FREE)
		forget(state, c, i->object, i->value);
}

/* ---- the estimate ---- */

/* An access of a thread to some of eight bytes; equivalent accesses are merged in the end. */
struct act {
	uint32_t cell, thread, place;
	uint8_t bytes; /* a bit for each */
	uint8_t left;  /* of a write: bytes that its thread has not overwritten since */
	bool reads, writes;
	uint32_t held;      /* the set of held locks */
	uint32_t held_on;   /* … held from it until its thread has written all these bytes again */
	uint32_t held_from; /* … held since its thread wrote all these bytes before */
	uint32_t snapshot;  /* of a write: the locks held at that time */
	uint32_t before, segment, next_before, previous_segment;
	uint32_t next_place, previous_place; /* 0: there is none */
	uint32_t next;                       /* the next act of the same cell, plus one */
};

struct cell {
	uint32_t thread; /* the first thread that accessed it, plus one */
	bool shared, written;
	uint32_t acts; /* the first act, plus one */
};

struct estimate {
	struct sl_coverage *coverage;
	struct sl_model model;
	struct sl_numbers granules, cells; /* a granule is another cell after it was allocated anew */
	uint32_t *generation;              /* by granule */
	struct cell *cell;
	struct sl_numbers writers; /* (cell, thread) */
	uint32_t (*latest)[8];     /* by writer and byte: the number of its last write there, plus one */
	struct act *acts;
	uint32_t act_count, room;
	uint32_t *slots; /* numbers of acts, plus one */
};

static bool
matters(const struct sl_item *i)
{
	return is_access(i) || i->kind == SL_ALLOC || i->kind == SL_FREE;
}

/* Counts the granules that the accesses touch; 0: too many. */
static uint32_t
count_granules(const struct sl_item *items, uint64_t count)
{
	uint64_t touched = 1;

	for (uint64_t i = 0; i < count; i++)
		if (is_access(&items[i]) && size_of(&items[i]))
			touched += ((items[i].object + size_of(&items[i]) - 1) >> 3) - (items[i].object >> 3) + 1;
	return touched < SL_COVER_LOG ? (uint32_t)touched : 0;
}

static bool
make_room(struct estimate *e, const struct sl_item *items, uint64_t count, struct sl_memory *memory)
{
	e->room = count_granules(items, count);
	if (!e->room || !sl_model_start(&e->model, e->coverage, items, count, memory))
		return false;
	e->generation = sl_memory_take(memory, e->room, sizeof(*e->generation));
	e->cell = sl_memory_take(memory, e->room, sizeof(*e->cell));
	e->latest = sl_memory_take(memory, e->room, sizeof(*e->latest));
	e->acts = sl_memory_take(memory, e->room, sizeof(*e->acts));
	e->slots = sl_memory_take(memory, 2ul * e->room, sizeof(*e->slots));
	return e->generation && e->cell && e->latest && e->acts && e->slots &&
	       sl_numbers_init(&e->granules, e->room, memory) && sl_numbers_init(&e->cells, e->room, memory) &&
	       sl_numbers_init(&e->writers, e->room, memory);
}

/* Returns the oldest of the thread's last writes to each of these bytes; NULL if one was not written. A lock held
 * since then has been held since each of the writes. */
static struct act *
last_write(struct estimate *e, uint32_t writer, uint8_t bytes)
{
	uint32_t oldest = UINT32_MAX;

	for (int b = 0; writer != SL_NO_ACTION && b < 8; b++)
		if ((bytes & 1 << b) && e->latest[writer][b] - 1 < oldest)
			oldest = e->latest[writer][b] - 1;
		else if ((bytes & 1 << b) && !e->latest[writer][b])
			return NULL;
	return oldest == UINT32_MAX ? NULL : &e->acts[oldest];
}

/* The access overwrites earlier writes of its thread; finishes those that are overwritten completely. */
static void
overwrite(struct estimate *e, uint32_t writer, const struct act *a)
{
	for (int b = 0; b < 8; b++) {
		struct act *old = e->latest[writer][b] ? &e->acts[e->latest[writer][b] - 1] : NULL;

		if (!(a->bytes & 1 << b))
			continue;
		e->latest[writer][b] = e->act_count;
		if (!old)
			continue;
		old->left &= (uint8_t) ~(1 << b);
		if (old->left)
			continue;
		old->held_on = sl_model_held_since(&e->model, a->thread, old->snapshot);
		old->next_before = a->before;
		old->next_place = a->place;
	}
}

static void
touch(struct estimate *e, const struct sl_item *i, uint64_t granule, uint8_t bytes)
{
	uint32_t n = sl_numbers_get(&e->granules, granule, true), t = i->thread;
	uint32_t cell = sl_numbers_get(&e->cells, (uint64_t)n << 32 | e->generation[n], true);
	bool writes = i->flags & SL_OP_WRITES;
	uint32_t writer = sl_numbers_get(&e->writers, (uint64_t)cell << 32 | t, writes);
	struct act *a = &e->acts[e->act_count++], *last = last_write(e, writer, bytes);

	*a = (struct act){.cell = cell,
			  .thread = t,
			  .place = sl_coverage_place(e->coverage, i->pc),
			  .bytes = bytes,
			  .left = bytes,
			  .reads = i->flags & SL_OP_READS,
			  .writes = writes,
			  .held = sl_model_held(&e->model, t),
			  .before = e->model.order.releases[t],
			  .segment = sl_order_segment(&e->model.order, t),
			  .next_before = SL_EVERYTHING,
			  .previous_segment = SL_NO_ACTION};
	e->cell[cell].shared |= e->cell[cell].thread && e->cell[cell].thread != t + 1;
	e->cell[cell].written |= writes;
	e->cell[cell].thread = t + 1;
	if (last) {
		a->held_from = sl_model_held_since(&e->model, t, last->snapshot);
		a->previous_segment = last->segment;
		a->previous_place = last->place;
	}
	if (!writes)
		return;
	overwrite(e, writer, a);
	a->snapshot = sl_model_snapshot(&e->model, t);
}

static void
renew(struct estimate *e, uint64_t address, uint64_t size)
{
	uint64_t first = address >> 3, last = (address + size - 1) >> 3;

	if (!size)
		return;
	if (last - first < e->granules.count) {
		for (uint64_t g = first; g <= last; g++) {
			uint32_t n = sl_numbers_get(&e->granules, g, false);

			if (n != SL_NO_ACTION)
				e->generation[n]++;
		}
		return;
	}
	for (uint32_t n = 0; n < e->granules.count; n++)
		e->generation[n] += e->granules.keys[n] - first <= last - first;
}

static void
note(struct estimate *e, const struct sl_item *i)
{
	uint64_t end = i->object + size_of(i);

	sl_model_item(&e->model, e->coverage, i);
	if (i->kind == SL_ALLOC || i->kind == SL_FREE)
		renew(e, i->object, i->value);
	if (!is_access(i))
		return;
	for (uint64_t at = i->object; at < end;) {
		uint64_t stop = (at | 7) + 1 < end ? (at | 7) + 1 : end;
		unsigned bits = (1u << (stop - at)) - 1;

		touch(e, i, at >> 3, (uint8_t)(bits << (at & 7)));
		at = stop;
	}
}

static bool
is_same(const struct act *a, const struct act *b)
{
	return a->cell == b->cell && a->thread == b->thread && a->place == b->place && a->bytes == b->bytes &&
	       a->reads == b->reads && a->writes == b->writes && a->held == b->held && a->held_on == b->held_on &&
	       a->held_from == b->held_from && a->before == b->before && a->segment == b->segment &&
	       a->next_before == b->next_before && a->previous_segment == b->previous_segment &&
	       !a->next_place == !b->next_place && !a->previous_place == !b->previous_place;
}

static void
classify(struct estimate *e, uint32_t number)
{
	struct act *a = &e->acts[number];
	uint64_t hash = sl_mix((uint64_t)a->cell << 32 | a->thread);

	hash = sl_mix(hash + ((uint64_t)a->place << 32 | a->held));
	hash = sl_mix(hash + ((uint64_t)a->held_on << 32 | a->held_from));
	hash = sl_mix(hash + ((uint64_t)a->before << 32 | a->segment));
	for (uint32_t at = (uint32_t)hash;; at++) {
		uint32_t *slot = &e->slots[at % (2 * e->room)];

		if (*slot && !is_same(&e->acts[*slot - 1], a))
			continue;
		if (*slot)
			return;
		*slot = number + 1;
		a->next = e->cell[a->cell].acts;
		e->cell[a->cell].acts = number + 1;
		return;
	}
}

static bool
is_before(const struct estimate *e, uint32_t thread, uint32_t before, uint32_t segment)
{
	return sl_order_knows(&e->model.order, segment, thread) > before;
}

/* Returns why the read cannot see that write. */
static enum sl_reason
is_unseen(const struct estimate *e, const struct act *w, const struct act *r, uint32_t *because)
{
	uint32_t lock;

	if (is_before(e, r->thread, r->before, w->segment))
		return SL_REASON_BEFORE;
	*because = w->next_place;
	if (w->next_place && sl_sets_meet(&e->model, w->held_on, r->held, &lock))
		return SL_REASON_OVERWRITTEN;
	if (w->next_place && is_before(e, w->thread, w->next_before, r->segment))
		return SL_REASON_OVERWRITTEN;
	*because = r->previous_place;
	if (r->previous_place && sl_sets_meet(&e->model, w->held, r->held_from, &lock))
		return SL_REASON_OVERWRITTEN;
	if (!is_before(e, w->thread, w->before, r->segment))
		return SL_REASON_NONE;
	if (r->previous_place && is_before(e, w->thread, w->before, r->previous_segment))
		return SL_REASON_OVERWRITTEN;
	for (uint32_t n = e->cell[w->cell].acts; n; n = e->acts[n - 1].next) {
		const struct act *x = &e->acts[n - 1];

		*because = x->place;
		if (x->writes && !(w->bytes & r->bytes & ~x->bytes) && x->thread != w->thread &&
		    x->thread != r->thread && is_before(e, w->thread, w->before, x->segment) &&
		    is_before(e, x->thread, x->before, r->segment))
			return SL_REASON_OVERWRITTEN;
	}
	return SL_REASON_NONE;
}

static void
pairs_of(struct estimate *e, const struct cell *cell)
{
	for (uint32_t i = cell->acts; i; i = e->acts[i - 1].next)
		for (uint32_t k = e->acts[i - 1].writes ? cell->acts : 0; k; k = e->acts[k - 1].next) {
			const struct act *w = &e->acts[i - 1], *r = &e->acts[k - 1];
			const struct sl_requirement *known = sl_coverage_find(e->coverage, w->place, r->place);
			enum sl_reason reason;
			uint32_t because = 0;

			if (!r->reads || r->thread == w->thread || !(w->bytes & r->bytes) ||
			    (known && (known->state & SL_COVER_ESTIMATED)))
				continue;
			reason = is_unseen(e, w, r, &because);
			if (reason == SL_REASON_NONE)
				sl_coverage_foresee(e->coverage, w->place, r->place);
			else
				sl_coverage_rule_out(e->coverage, w->place, r->place, reason,
						     reason == SL_REASON_BEFORE ? 0 : because);
		}
}

static void
estimate(struct sl_coverage *c, const struct sl_item *items, uint64_t count, void *memory, size_t size)
{
	struct sl_memory room = {memory, (unsigned char *)memory + size};
	struct estimate e = {.coverage = c};

	if (!make_room(&e, items, count, &room)) {
		c->lost++;
		return;
	}
	for (uint64_t i = 0; i < count; i++)
		note(&e, &items[i]);
	for (uint32_t n = 0; n < e.act_count; n++)
		if (e.cell[e.acts[n].cell].shared && e.cell[e.acts[n].cell].written)
			classify(&e, n);
	for (uint32_t n = 0; n < e.cells.count; n++)
		pairs_of(&e, &e.cell[n]);
}

const struct sl_criterion sl_criterion_def_use = {
	.name = "def-use",
	.summary = "a place that writes, and a place where another thread reads the value",
	.what = "pairs of a definition and a use",
	.first = "writes",
	.second = "reads that",
	.state_size = sizeof(struct state),
	.accesses = true,
	.estimate = estimate,
	.matters = matters,
	.begin = begin,
	.item = item,
};
