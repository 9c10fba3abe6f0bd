#include "coverage/model.h"

#include "base/rng.h"
#include "trace/records.h"

/* ---- memory ---- */

void *
sl_memory_take(struct sl_memory *m, size_t count, size_t size)
{
	unsigned char *at = m->at;

	if (size && count > (size_t)(m->end - at) / size)
		return NULL;
	size = (count * size + 15) & ~15ul;
	if (size > (size_t)(m->end - at))
		return NULL;
	m->at += size;
	__builtin_memset(at, 0, size);
	return at;
}

bool
sl_numbers_init(struct sl_numbers *n, uint32_t room, struct sl_memory *memory)
{
	n->count = 0;
	n->room = room ? room : 1;
	n->keys = sl_memory_take(memory, n->room, sizeof(*n->keys));
	n->slots = sl_memory_take(memory, 2ul * n->room, sizeof(*n->slots));
	return n->keys && n->slots;
}

uint32_t
sl_numbers_get(struct sl_numbers *n, uint64_t key, bool make)
{
	for (uint32_t at = (uint32_t)sl_mix(key);; at++) {
		uint32_t *slot = &n->slots[at % (2 * n->room)];

		if (*slot && n->keys[*slot - 1] == key)
			return *slot - 1;
		if (*slot)
			continue;
		if (!make || n->count == n->room)
			return SL_NO_ACTION;
		n->keys[n->count] = key;
		*slot = ++n->count;
		return *slot - 1;
	}
}

/* ---- known beforehand: which threads take part in what ---- */

static struct sl_part *
part_of(struct sl_order *o, uint32_t object, uint32_t thread, bool make)
{
	uint32_t before = o->parts.count, n = sl_numbers_get(&o->parts, (uint64_t)object << 32 | thread, make);

	if (n == SL_NO_ACTION)
		return NULL;
	if (o->parts.count != before) {
		o->part[n] = (struct sl_part){.thread = thread, .object = object, .next = o->first_part[object]};
		o->first_part[object] = n + 1;
	}
	return &o->part[n];
}

static void
survey_semaphore(struct sl_order *o, const struct sl_item *i)
{
	uint32_t before = o->semaphores.count, n = sl_numbers_get(&o->semaphores, i->object, true);
	struct sl_semaphore *s = &o->sems[n];

	if (o->semaphores.count != before) {
		s->known = !sl_kind_is(i->kind, SL_KIND_FAILS); /* else the value says whether it did */
		s->initial = i->value;
	}
	if (!sl_kind_is(i->kind, SL_KIND_ENABLES))
		return;
	s->posts++;
	part_of(o, n, i->thread, true)->posts++;
}

/* The value is how many were there already. */
static void
survey_barrier(struct sl_order *o, const struct sl_item *i)
{
	uint32_t n = sl_numbers_get(&o->barriers, i->object, true), before = o->parts.count;
	struct sl_barrier *b = &o->bars[n];

	part_of(o, o->semaphores.room + n, i->thread, true);
	b->members += o->parts.count - before;
	if (i->value == 0 && b->next && !b->limit)
		b->limit = b->next;
	if (i->value != b->next && !(i->value == 0 && b->next == b->limit))
		b->off = true; /* not a barrier as we know them */
	b->next = i->value + 1;
}

/* A time limit may expire at any time: then nothing is known of the waiters. */
static void
survey_condition(struct sl_order *o, const struct sl_item *i)
{
	uint32_t n;

	if (sl_kind_is(i->kind, SL_KIND_LENDS)) {
		o->waits[i->thread] = sl_numbers_get(&o->conditions, i->object, true) + 1;
	} else if (sl_kind_signals(i->kind)) {
		n = sl_numbers_get(&o->conditions, i->object, true);
		o->conds[n].off |= o->conds[n].signaller && o->conds[n].signaller != i->thread + 1;
		o->conds[n].signaller = i->thread + 1;
	} else if (i->kind == SL_TIMEOUT || sl_kind_retakes_lock(i->kind)) {
		if (o->waits[i->thread] && (i->kind == SL_TIMEOUT || (i->value & SL_NOTE_SPURIOUS)))
			o->conds[o->waits[i->thread] - 1].off = true;
		o->waits[i->thread] = 0;
	}
}

static bool
survey(struct sl_order *o, const struct sl_item *items, uint64_t count, struct sl_memory *memory)
{
	uint32_t sems = 1, bars = 1, conds = 1, others = 0;

	for (uint64_t i = 0; i < count; i++) {
		const struct sl_item *item = &items[i];

		if (item->thread >= o->threads)
			o->threads = item->thread + 1;
		if (item->kind == SL_CREATE && item->value >= o->threads && item->value < UINT32_MAX)
			o->threads = (uint32_t)item->value + 1;
		sems += sl_kind_is(item->kind, SL_KIND_COUNTS);
		bars += item->kind == SL_BARRIER_WAIT;
		conds += sl_kind_is(item->kind, SL_KIND_LENDS | SL_KIND_WAKES);
		others += sl_kind_is(item->kind, SL_KIND_THREAD);
	}
	/* a row is kept when something is done after it has changed */
	o->kept_room = o->threads + others + bars + 2 * sems + 2 * conds;
	o->sems = sl_memory_take(memory, sems, sizeof(*o->sems));
	o->bars = sl_memory_take(memory, bars, sizeof(*o->bars));
	o->conds = sl_memory_take(memory, conds, sizeof(*o->conds));
	o->waits = sl_memory_take(memory, o->threads, sizeof(*o->waits));
	o->part = sl_memory_take(memory, sems + bars, sizeof(*o->part));
	o->first_part = sl_memory_take(memory, sems + bars, sizeof(*o->first_part));
	if (!o->sems || !o->bars || !o->conds || !o->waits || !sl_numbers_init(&o->conditions, conds, memory) ||
	    !o->part || !o->first_part || !sl_numbers_init(&o->semaphores, sems, memory) ||
	    !sl_numbers_init(&o->barriers, bars, memory) || !sl_numbers_init(&o->parts, sems + bars, memory))
		return false;
	for (uint64_t i = 0; i < count; i++) {
		const struct sl_item *item = &items[i];

		if (sl_kind_is(item->kind, SL_KIND_COUNTS))
			survey_semaphore(o, item);
		else if (item->kind == SL_BARRIER_WAIT)
			survey_barrier(o, item);
		else
			survey_condition(o, item);
	}
	for (uint64_t i = 0; i < count; i++) { /* one that is made anew counts from somewhere else */
		uint32_t n = sl_kind_is(items[i].kind, SL_KIND_RENEWS)
				     ? sl_numbers_get(&o->semaphores, items[i].object, false)
				     : SL_NO_ACTION;

		if (n != SL_NO_ACTION)
			o->sems[n].off = true;
	}
	for (uint32_t n = 0; n < o->barriers.count; n++) {
		struct sl_barrier *b = &o->bars[n];

		if (!b->limit)
			b->limit = b->next;
		b->off |= b->members != b->limit || b->next > b->limit;
	}
	return true;
}

bool
sl_order_init(struct sl_order *o, const struct sl_item *items, uint64_t count, bool free_waits,
	      struct sl_memory *memory)
{
	size_t left, row;

	o->threads = 1;
	if (!survey(o, items, count, memory))
		return false;
	for (uint32_t n = 0; n < o->conditions.count; n++)
		o->conds[n].off |= free_waits;
	row = o->threads * sizeof(uint32_t);
	o->releases = sl_memory_take(memory, o->threads, sizeof(uint32_t));
	o->segment = sl_memory_take(memory, o->threads, sizeof(uint32_t));
	if (!o->releases || !o->segment)
		return false;
	for (uint32_t t = 0; t < o->threads; t++)
		o->segment[t] = SL_NO_ACTION;
	left = (size_t)(memory->end - memory->at) / 4;
	o->known = row < left / o->threads;
	if (!o->known)
		return true;
	o->rows = sl_memory_take(memory, o->threads, row);
	if (o->kept_room > left / row)
		o->kept_room = (uint32_t)(left / row);
	o->kept = sl_memory_take(memory, o->kept_room, row);
	for (uint32_t n = 0; n < o->parts.count; n++)
		if (o->part[n].posts)
			o->part[n].snapshots = sl_memory_take(memory, o->part[n].posts, sizeof(uint32_t));
	return o->rows && o->kept;
}

/* ---- what happens ---- */

static uint32_t *
row_of(struct sl_order *o, uint32_t thread)
{
	return &o->rows[(size_t)thread * o->threads];
}

static uint32_t *
kept_row(struct sl_order *o, uint32_t segment)
{
	return &o->kept[(size_t)segment * o->threads];
}

uint32_t
sl_order_segment(struct sl_order *o, uint32_t thread)
{
	if (!o->known)
		return SL_NO_ACTION;
	if (o->segment[thread] == SL_NO_ACTION && o->kept_count < o->kept_room) {
		o->segment[thread] = o->kept_count++;
		__builtin_memcpy(kept_row(o, o->segment[thread]), row_of(o, thread),
				 o->threads * sizeof(uint32_t));
	}
	return o->segment[thread];
}

/* The thread learns the contents of this row, and the progress of the other thread. */
static void
learn(struct sl_order *o, uint32_t thread, const uint32_t *from, uint32_t other, uint32_t releases)
{
	uint32_t *row = row_of(o, thread);

	for (uint32_t t = 0; t < o->threads; t++)
		if (from[t] > row[t])
			row[t] = from[t];
	if (releases > row[other])
		row[other] = releases;
	o->segment[thread] = SL_NO_ACTION;
}

static void
post(struct sl_order *o, const struct sl_item *i)
{
	uint32_t n = sl_numbers_get(&o->semaphores, i->object, false);
	struct sl_part *p = part_of(o, n, i->thread, false);

	/* a thread's knowledge of itself is its progress: for threads that learn from the kept row */
	row_of(o, i->thread)[i->thread] = o->releases[i->thread] + 1;
	o->segment[i->thread] = SL_NO_ACTION;
	o->releases[i->thread]++;
	if (!p || !p->snapshots)
		return;
	p->snapshots[p->posted++] = sl_order_segment(o, i->thread);
}

/* For each thread, the number of its posts that are needed even if all other threads have performed theirs. */
static void
await_posts(struct sl_order *o, const struct sl_item *i)
{
	uint32_t n = sl_numbers_get(&o->semaphores, i->object, false);
	struct sl_semaphore *s = &o->sems[n];
	struct sl_part *mine = part_of(o, n, i->thread, true);

	if (!mine)
		return;
	mine->waited++;
	if (!s->known || s->off)
		return;
	for (uint32_t at = o->first_part[n]; at; at = o->part[at - 1].next) {
		struct sl_part *p = &o->part[at - 1];
		int64_t needed = (int64_t)mine->waited - (int64_t)s->initial - (int64_t)(s->posts - p->posts);

		if (needed < 1 || p->thread == i->thread || !p->snapshots || (uint64_t)needed > p->posted)
			continue;
		if (p->snapshots[needed - 1] != SL_NO_ACTION) {
			const uint32_t *row = kept_row(o, p->snapshots[needed - 1]);

			learn(o, i->thread, row, p->thread, row[p->thread]);
		}
	}
}

static void
come_to_barrier(struct sl_order *o, const struct sl_item *i)
{
	uint32_t n = sl_numbers_get(&o->barriers, i->object, false), at, other;
	struct sl_barrier *b = &o->bars[n];

	o->releases[i->thread]++;
	if (b->off || ++b->waiting < b->limit)
		return;
	b->waiting = 0;
	/* all threads learn everything: the last one gathers it, and the others take it over */
	for (at = o->first_part[o->semaphores.room + n]; at; at = o->part[at - 1].next) {
		other = o->part[at - 1].thread;
		learn(o, i->thread, row_of(o, other), other, o->releases[other]);
	}
	for (at = o->first_part[o->semaphores.room + n]; at; at = o->part[at - 1].next)
		if (o->part[at - 1].thread != i->thread)
			learn(o, o->part[at - 1].thread, row_of(o, i->thread), i->thread, o->releases[i->thread]);
}

static void
signal_first(struct sl_order *o, const struct sl_item *i)
{
	struct sl_condition *c = &o->conds[sl_numbers_get(&o->conditions, i->object, false)];

	if (c->off || c->signalled)
		return;
	row_of(o, i->thread)[i->thread] = ++o->releases[i->thread];
	o->segment[i->thread] = SL_NO_ACTION;
	c->snapshot = sl_order_segment(o, i->thread);
	c->signalled = true;
}

static void
wake(struct sl_order *o, const struct sl_item *i)
{
	struct sl_condition *c = o->waits[i->thread] ? &o->conds[o->waits[i->thread] - 1] : NULL;

	o->waits[i->thread] = 0;
	if (c && !c->off && c->signalled && c->snapshot != SL_NO_ACTION && c->signaller != i->thread + 1)
		learn(o, i->thread, kept_row(o, c->snapshot), c->signaller - 1, 0);
}

void
sl_order_item(struct sl_order *o, const struct sl_item *i)
{
	uint32_t t = i->thread, other = (uint32_t)i->value;

	if (!o->known)
		return;
	switch (i->kind) {
	case SL_CREATE:
		o->releases[t]++;
		if (other < o->threads)
			learn(o, other, row_of(o, t), t, o->releases[t]);
		break;
	case SL_JOIN:
		if (other < o->threads)
			learn(o, t, row_of(o, other), other, SL_EVERYTHING);
		break;
	case SL_BARRIER_WAIT:
		come_to_barrier(o, i);
		break;
	default:
		if (sl_kind_is(i->kind, SL_KIND_COUNTS) && sl_kind_is(i->kind, SL_KIND_ENABLES))
			post(o, i);
		else if (sl_kind_is(i->kind, SL_KIND_COUNTS) && sl_kind_is(i->kind, SL_KIND_WAITS))
			await_posts(o, i);
		else if (sl_kind_is(i->kind, SL_KIND_LENDS))
			o->waits[t] = sl_numbers_get(&o->conditions, i->object, false) + 1;
		else if (sl_kind_signals(i->kind))
			signal_first(o, i);
		else if (sl_kind_retakes_lock(i->kind))
			wake(o, i);
		break;
	}
}
