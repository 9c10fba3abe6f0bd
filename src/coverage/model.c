#include "coverage/model.h"

#include "base/rng.h"
#include "coverage/locks.h"
#include "trace/records.h"

/* ---- sets of locks ---- */

static uint32_t
set_of(struct sl_model *m, uint32_t *members, uint32_t count)
{
	uint64_t hash = count;

	if (!count)
		return 0;
	for (uint32_t i = 1; i < count; i++) /* insertion sort: the sets are small */
		for (uint32_t k = i; k && members[k] < members[k - 1]; k--) {
			uint32_t swap = members[k];

			members[k] = members[k - 1];
			members[k - 1] = swap;
		}
	for (uint32_t i = 0; i < count; i++)
		hash = sl_mix(hash + members[i]);
	for (uint32_t at = (uint32_t)hash;; at++) {
		uint32_t *slot = &m->set_slots[at % (2 * m->set_room)];
		struct sl_set *s = *slot ? &m->sets[*slot - 1] : NULL;

		if (s && s->count == count &&
		    !__builtin_memcmp(&m->members[s->first], members, count * sizeof(*members)))
			return *slot - 1;
		if (s)
			continue;
		if (m->set_count == m->set_room || m->member_count + count > m->member_room)
			return 0; /* no room: counts as no lock held, so that less is ruled out */
		m->sets[m->set_count] = (struct sl_set){m->member_count, count};
		__builtin_memcpy(&m->members[m->member_count], members, count * sizeof(*members));
		m->member_count += count;
		*slot = ++m->set_count;
		return *slot - 1;
	}
}

bool
sl_sets_meet(const struct sl_model *m, uint32_t a, uint32_t b, uint32_t *lock)
{
	const struct sl_set *x = &m->sets[a], *y = &m->sets[b];

	for (uint32_t i = 0, k = 0; i < x->count && k < y->count;) {
		uint32_t p = m->members[x->first + i], q = m->members[y->first + k];

		if (p >> 1 == q >> 1 && !(p & q & 1)) {
			*lock = p >> 1;
			return true;
		}
		if (p >> 1 <= q >> 1)
			i++;
		else
			k++;
	}
	return false;
}

bool
sl_set_has(const struct sl_model *m, uint32_t set, uint32_t lock)
{
	const struct sl_set *s = &m->sets[set];

	for (uint32_t i = 0; i < s->count; i++)
		if (m->members[s->first + i] == lock << 1)
			return true;
	return false;
}

/* ---- holders of locks ---- */

uint32_t
sl_model_held(struct sl_model *m, uint32_t thread)
{
	uint32_t members[SL_HELD], count = m->threads[thread].count;

	for (uint32_t i = 0; i < count; i++)
		members[i] = (uint32_t)m->threads[thread].held[i].object << 1 | m->threads[thread].held[i].shared;
	return set_of(m, members, count);
}

/* Returns the set of locks among these acquisitions that the thread still holds, without a release in between. */
static uint32_t
set_of_those(struct sl_model *m, uint32_t thread, const uint32_t *numbers, uint32_t number_count)
{
	uint32_t members[SL_HELD], count = 0;

	for (uint32_t i = 0; i < m->threads[thread].count; i++) {
		const struct sl_hold *h = &m->threads[thread].held[i];

		for (uint32_t k = 0; k < number_count; k++)
			if (numbers[k] == h->taken)
				members[count++] = (uint32_t)h->object << 1 | h->shared;
	}
	return set_of(m, members, count);
}

static uint32_t
set_since(struct sl_model *m, const struct sl_action *p)
{
	return set_of_those(m, p->thread, &m->held_numbers[p->hold], p->hold_count);
}

uint32_t
sl_model_snapshot(struct sl_model *m, uint32_t thread)
{
	uint32_t count = m->threads[thread].count, at = m->snapshot_used;

	if (m->threads[thread].snapshot)
		return m->threads[thread].snapshot - 1;
	if (!count || at + count >= m->snapshot_room) /* no room: counts as no lock held */
		return 0;
	m->snapshots[at] = count;
	for (uint32_t i = 0; i < count; i++)
		m->snapshots[at + 1 + i] = (uint32_t)m->threads[thread].held[i].taken;
	m->snapshot_used += 1 + count;
	m->threads[thread].snapshot = at + 1;
	return at;
}

uint32_t
sl_model_held_since(struct sl_model *m, uint32_t thread, uint32_t snapshot)
{
	return set_of_those(m, thread, &m->snapshots[snapshot + 1], m->snapshots[snapshot]);
}

static struct sl_held_book
book_of(struct sl_model *m, uint32_t thread)
{
	return (struct sl_held_book){m->threads[thread].held, m->threads[thread].count, SL_HELD};
}

static uint32_t
lock_of(struct sl_model *m, uint64_t address)
{
	uint32_t n = sl_numbers_get(&m->addresses, address, true);

	return sl_numbers_get(&m->locks, (uint64_t)n << 32 | m->generation[n], true);
}

/* ---- actions ---- */

static void
take(struct sl_model *m, struct sl_coverage *c, const struct sl_item *i)
{
	uint32_t lock = lock_of(m, i->object), t = i->thread, number = m->action_count, pair;
	struct sl_held_book book = book_of(m, t);
	struct sl_action *a = &m->actions[number];

	if (sl_held_find(&book, lock)) {
		sl_held_take(&book, lock, number, false);
		return;
	}
	*a = (struct sl_action){
		.thread = t,
		.lock = lock,
		.place = sl_coverage_place(c, i->pc),
		.held = sl_model_held(m, t),
		.next = SL_NO_ACTION,
		.previous = SL_NO_ACTION,
		.before = m->order.releases[t],
		.given_before = SL_EVERYTHING,
		.segment = sl_order_segment(&m->order, t),
		.shared = sl_kind_is(i->kind, SL_KIND_SHARED) ||
			  (sl_kind_is(i->kind, SL_KIND_TRIES) &&
			   m->readable[sl_numbers_get(&m->addresses, i->object, false)]),
		.tries = sl_kind_is(i->kind, SL_KIND_TRIES) || (i->flags & SL_ITEM_TRIED),
		.hold = m->held_used,
	};
	if (sl_kind_retakes_lock(i->kind) && !(i->value & SL_NOTE_SPURIOUS))
		a->condition = m->threads[t].condition;
	for (uint32_t k = 0; k < m->threads[t].count && m->held_used < m->held_room; k++, a->hold_count++)
		m->held_numbers[m->held_used++] = (uint32_t)m->threads[t].held[k].taken;
	pair = sl_numbers_get(&m->pairs, (uint64_t)lock << 32 | t, true);
	if (m->latest[pair]) {
		struct sl_action *p = &m->actions[m->latest[pair] - 1];

		a->previous = m->latest[pair] - 1;
		p->next = number;
		a->held_from = p->held_on = set_since(m, p);
	}
	m->latest[pair] = ++m->action_count;
	m->threads[t].snapshot = 0;
	sl_held_take(&book, lock, number, a->shared);
	m->threads[t].count = book.count;
}

static void
give(struct sl_model *m, const struct sl_item *i, uint64_t address)
{
	uint32_t t = i->thread, lock = lock_of(m, address);
	struct sl_held_book book = book_of(m, t);
	const struct sl_hold *h = sl_held_find(&book, lock);
	struct sl_action *a = h ? &m->actions[h->taken] : NULL;

	if (h && h->depth == 1) {
		a->given_before = m->order.releases[t];
		a->held_through = set_since(m, a);
		m->threads[t].snapshot = 0;
	}
	sl_held_give(&book, lock);
	m->threads[t].count = book.count;
}

static void
signalled(struct sl_model *m, const struct sl_item *i)
{
	uint32_t n = sl_numbers_get(&m->conditions, i->object, true), set = sl_model_held(m, i->thread);
	struct sl_signals *s = &m->signals[n];

	for (uint32_t k = 0; k < s->count; k++)
		if (s->sets[k] == set)
			return;
	if (s->count < sizeof(s->sets) / sizeof(s->sets[0]))
		s->sets[s->count++] = set;
	else
		s->many = true;
}

void
sl_model_item(struct sl_model *m, struct sl_coverage *c, const struct sl_item *i)
{
	uint32_t *condition = &m->threads[i->thread].condition;
	uint64_t address;

	sl_order_item(&m->order, i);
	switch (sl_item_lock_act(i, &address)) {
	case SL_LOCK_TAKES:
		take(m, c, i);
		break;
	case SL_LOCK_GIVES:
		give(m, i, address);
		break;
	case SL_LOCK_ENDS:
		m->generation[sl_numbers_get(&m->addresses, address, true)]++;
		break;
	case SL_LOCK_NOTHING:
		break;
	}
	if (sl_kind_is(i->kind, SL_KIND_LENDS)) {
		*condition = sl_numbers_get(&m->conditions, i->object, true) + 1;
	} else if (sl_kind_signals(i->kind)) {
		signalled(m, i);
	} else if (i->kind == SL_TIMEOUT) { /* a wait with a time limit may end at any time */
		if (*condition)
			m->signals[*condition - 1].odd = true;
	} else if (sl_kind_retakes_lock(i->kind)) {
		if (*condition && (i->value & SL_NOTE_SPURIOUS))
			m->signals[*condition - 1].odd = true;
		*condition = 0;
	}
}

/* Counts the threads, locks and actions. */
static bool
make_room(struct sl_model *m, const struct sl_item *items, uint64_t count, struct sl_memory *memory)
{
	uint32_t acts = 1, takes = 1, conditions = 1;
	uint64_t lock;

	for (uint64_t i = 0; i < count; i++) {
		enum sl_lock_act act = sl_item_lock_act(&items[i], &lock);

		acts += act != SL_LOCK_NOTHING;
		takes += act == SL_LOCK_TAKES;
		conditions += sl_kind_is(items[i].kind, SL_KIND_LENDS | SL_KIND_WAKES);
	}
	m->set_room = takes + 1 < 1u << 16 ? takes + 1 : 1u << 16;
	m->member_room = 8 * m->set_room + SL_HELD;
	m->held_room = 8 * takes;
	m->latest = sl_memory_take(memory, takes, sizeof(*m->latest));
	m->generation = sl_memory_take(memory, acts, sizeof(*m->generation));
	m->readable = sl_memory_take(memory, acts, sizeof(*m->readable));
	m->actions = sl_memory_take(memory, takes, sizeof(*m->actions));
	m->held_numbers = sl_memory_take(memory, m->held_room, sizeof(*m->held_numbers));
	m->threads = sl_memory_take(memory, m->order.threads, sizeof(*m->threads));
	m->sets = sl_memory_take(memory, m->set_room, sizeof(*m->sets));
	m->members = sl_memory_take(memory, m->member_room, sizeof(*m->members));
	m->set_slots = sl_memory_take(memory, 2ul * m->set_room, sizeof(*m->set_slots));
	m->signals = sl_memory_take(memory, conditions, sizeof(*m->signals));
	m->snapshot_room = 4 * acts + 2;
	m->snapshots = sl_memory_take(memory, m->snapshot_room, sizeof(*m->snapshots));
	m->set_count = m->snapshot_used = 1; /* number 0 is the empty one */
	return m->latest && m->generation && m->readable && m->actions && m->held_numbers && m->threads &&
	       m->sets && m->members && m->set_slots && m->signals && m->snapshots &&
	       sl_numbers_init(&m->addresses, acts, memory) && sl_numbers_init(&m->locks, acts, memory) &&
	       sl_numbers_init(&m->pairs, takes, memory) && sl_numbers_init(&m->conditions, conditions, memory);
}

bool
sl_model_start(struct sl_model *m, const struct sl_coverage *c, const struct sl_item *items, uint64_t count,
	       struct sl_memory *memory)
{
	*m = (struct sl_model){.memory = memory, .free_waits = c->free_waits};
	for (uint64_t i = 0; i < count; i++)
		m->free_waits |= items[i].kind == SL_CANCEL; /* cancellation may end a wait */
	if (!sl_order_init(&m->order, items, count, m->free_waits, memory) || !make_room(m, items, count, memory))
		return false;
	for (uint64_t i = 0; i < count; i++)
		if (sl_kind_is(items[i].kind, SL_KIND_RWLOCK))
			m->readable[sl_numbers_get(&m->addresses, items[i].object, true)] = true;
	return true;
}

bool
sl_model_init(struct sl_model *m, struct sl_coverage *c, const struct sl_item *items, uint64_t count,
	      struct sl_memory *memory)
{
	if (!sl_model_start(m, c, items, count, memory))
		return false;
	for (uint64_t i = 0; i < count; i++)
		sl_model_item(m, c, &items[i]);
	return true;
}
