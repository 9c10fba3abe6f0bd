#include "predict/suspects.h"

#include "predict/pattern.h"

#include <stdlib.h>
#include <string.h>

/* Two stretches of different threads, the second of which interferes with pairs of the first. */
struct meeting {
	struct sl_suspects *m;
	const struct sl_collection *c;
	const struct sl_atomic_set *set;
	uint32_t thread, other;
	const struct sl_stretch *of, *by;
	struct sl_epoch_cause order; /* that keeps them apart; not known: none does */
};

static bool
overlap(const struct sl_access_class *a, const struct sl_access_class *b)
{
	return a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

static bool
all_overlap(const struct sl_access_class *a, const struct sl_access_class *b, const struct sl_access_class *c)
{
	uint64_t from = a->offset > b->offset ? a->offset : b->offset;
	uint64_t a_end = a->offset + a->size, b_end = b->offset + b->size, end = a_end < b_end ? a_end : b_end;

	return from < end && c->offset < end && from < c->offset + c->size;
}

/* ---- orders ---- */

/* What the first epoch of `thread` began with that came after that epoch of the other thread. */
static struct sl_epoch_cause
cause_of(const struct sl_reading *r, uint32_t other, uint32_t other_epoch, uint32_t thread, uint32_t epoch)
{
	const struct sl_read_thread *t = &r->threads[thread];

	while (epoch > 1 && t->clocks[epoch - 1][other] >= other_epoch)
		epoch--;
	return t->causes[epoch];
}

/*
 * The accesses would have to be in the order first, then the other's from by->from to by->to, then the second. Does an order that every
 * execution has contradict that?
 */
static bool
is_ruled_out(const struct meeting *m, struct sl_epoch_cause *cause)
{
	const struct sl_reading *r = m->c->reading;

	if (sl_must_precede(r, m->other, m->by->from, m->thread, m->of->from)) {
		*cause = cause_of(r, m->other, m->by->from, m->thread, m->of->from);
		return true;
	}
	if (sl_must_precede(r, m->thread, m->of->to, m->other, m->by->to)) {
		*cause = cause_of(r, m->thread, m->of->to, m->other, m->by->to);
		return true;
	}
	return false;
}

/* ---- matches ---- */

/* What makes violations different for people: the copies of an unrolled loop are one place. */
static uint64_t
class_key(const struct sl_collection *c, uint32_t class)
{
	const struct sl_access_class *a = &c->classes.accesses[class];

	return sl_join(sl_survey_code(c->survey, a->pc)->source, c->classes.locksets[a->locks].plain);
}

static uint64_t
pair_key(const struct sl_collection *c, uint32_t pair)
{
	const struct sl_pair_class *p = &c->classes.pairs[pair];

	return sl_join(sl_join(class_key(c, p->first), class_key(c, p->second)),
		       sl_join(c->classes.locksets[p->locks].plain, p->unit));
}

static bool
is_by(const struct sl_suspect_alike *a, const struct sl_suspect *match)
{
	return a->thread == match->first.thread && a->other_thread == match->first.other_thread;
}

/* Another violation that is alike, if other threads make it. */
static void
keep_alike(struct sl_suspect *known, const struct sl_suspect *match)
{
	if (match->verdict != known->verdict || known->kept_count == SL_ALIKE_KEPT || is_by(&known->first, match))
		return;
	for (uint32_t i = 0; i < known->kept_count; i++)
		if (is_by(&known->kept[i], match))
			return;
	known->kept[known->kept_count++] = match->first;
}

static void
add(struct meeting *m, const struct sl_suspect *match)
{
	uint64_t key = sl_join(sl_join(match->pattern, match->like), pair_key(m->c, match->pair)), *at;
	struct sl_suspect *known;

	key = sl_join(key, match->other_pair ? pair_key(m->c, match->other) : class_key(m->c, match->other));
	at = sl_index_at(&m->m->by, key);
	if (!*at) {
		m->m->items = sl_room_for(m->m->items, m->m->count, &m->m->capacity, sizeof(*m->m->items));
		m->m->items[m->m->count++] = *match;
		*at = m->m->count;
		return;
	}
	known = &m->m->items[*at - 1];
	known->alike++;
	if (match->verdict < known->verdict) {
		uint64_t alike = known->alike;

		*known = *match;
		known->alike = alike;
	} else {
		keep_alike(known, match);
	}
}

static struct sl_suspect
match_begin(const struct meeting *m, const struct sl_two *two)
{
	struct sl_suspect match = {.pair = two->class,
				   .first = {.thread = m->thread,
					     .other_thread = m->other,
					     .gate = two->second_gate},
				   .like = m->set->like,
				   .set = m->set->name,
				   .verdict = SL_PREDICTED_POSSIBLE,
				   .order = m->order};

	if (m->order.known)
		match.verdict = SL_PREDICTED_INFEASIBLE;
	return match;
}

/* The access interferes with the pair: patterns of one location. */
static void
three(struct meeting *m, const struct sl_two *two, const struct sl_one *one)
{
	const struct sl_classes *c = &m->c->classes;
	const struct sl_pair_class *pair = &c->pairs[two->class];
	const struct sl_access_class *first = &c->accesses[pair->first], *second = &c->accesses[pair->second];
	const struct sl_access_class *between = &c->accesses[one->class];
	const struct sl_lock_code *lock;
	struct sl_suspect match;

	m->m->compared += !m->m->counts;
	if (!all_overlap(first, second, between))
		return;
	if (m->m->counts && m->m->impact && !two->impacted && !(between->impacted & 1))
		return;
	lock = sl_lockset_conflict(c, pair->locks, between->locks);
	for (int p = 0; p < SL_PATTERN_COUNT; p++) {
		const struct sl_pattern_step *s = sl_pattern_rules[p].steps;

		if (sl_pattern_rules[p].count != 3 || !(first->access & s[0].access) ||
		    !(between->access & s[1].access) || !(second->access & s[2].access))
			continue;
		if (m->m->counts) {
			m->m->unmerged += two->count * one->count;
			continue;
		}
		match = match_begin(m, two);
		match.pattern = (enum sl_pattern)p;
		match.other = one->class;
		match.first.numbers[0] = two->first;
		match.first.other_gate = one->gate;
		match.first.numbers[1] = one->number;
		match.first.numbers[2] = two->second;
		if (lock) {
			match.verdict = SL_PREDICTED_INFEASIBLE;
			match.lock = lock->name;
		}
		add(m, &match);
	}
}

/* The pair interferes with the pair: patterns of two locations. crossed: its first access is to the second location. */
static void
four(struct meeting *m, const struct sl_two *two, const struct sl_two *by, bool crossed)
{
	const struct sl_classes *c = &m->c->classes;
	const struct sl_pair_class *pair = &c->pairs[two->class], *other = &c->pairs[by->class];
	const struct sl_access_class *x = &c->accesses[pair->first], *y = &c->accesses[pair->second];
	const struct sl_access_class *first = &c->accesses[other->first], *second = &c->accesses[other->second];
	const struct sl_lock_code *lock;
	struct sl_suspect match;

	m->m->compared += !m->m->counts;
	if (m->m->counts && m->m->impact && !two->impacted && !by->impacted)
		return;
	if (crossed ? !overlap(y, first) || !overlap(x, second) : !overlap(x, first) || !overlap(y, second))
		return;
	lock = sl_lockset_conflict(c, pair->locks, first->locks);
	if (!lock)
		lock = sl_lockset_conflict(c, pair->locks, second->locks);
	for (int p = 0; p < SL_PATTERN_COUNT; p++) {
		const struct sl_pattern_step *s = sl_pattern_rules[p].steps;

		if (sl_pattern_rules[p].count != 4 || (s[1].at != 0) != crossed || !(x->access & s[0].access) ||
		    !(first->access & s[1].access) || !(second->access & s[2].access) ||
		    !(y->access & s[3].access))
			continue;
		if (m->m->counts) {
			m->m->unmerged += two->count * by->count;
			continue;
		}
		match = match_begin(m, two);
		match.pattern = (enum sl_pattern)p;
		match.other_pair = true;
		match.other = by->class;
		match.first.numbers[0] = two->first;
		match.first.other_gate = by->first_gate;
		match.first.numbers[1] = by->first;
		match.first.numbers[2] = by->second;
		match.first.numbers[3] = two->second;
		if (lock) {
			match.verdict = SL_PREDICTED_INFEASIBLE;
			match.lock = lock->name;
		}
		add(m, &match);
	}
}

/*
 * Is it the first time that such sets of classes meet? Or that those of other threads do: a few times, since what orders these two
 * may not order others.
 */
static bool
is_new(struct meeting *m, uint64_t of, uint64_t by, unsigned what)
{
	uint64_t key = sl_join(sl_join(of, by), sl_join(what, m->order.known ? m->order.kind + 1ul : 0));
	uint64_t *tried = sl_index_at(&m->m->tried, sl_join(key, (uint64_t)m->thread << 32 | m->other)), *times;

	if (*tried)
		return false;
	*tried = 1;
	times = sl_index_at(&m->m->tried, key);
	if (*times > SL_ALIKE_KEPT)
		return false;
	++*times;
	return true;
}

/* ---- what overlaps ---- */

#define GRANULE 3  /* things are found by pieces of eight bytes */
#define GRANULES 4 /* what has more of them is compared with everything */
#define FEW 16     /* the same if there are not more */

/* Accesses, or pairs of them, by where they are: in an array there are too many for all to be compared with all. */
struct places {
	struct sl_index first; /* by granule, of pairs by two: an entry, plus one */
	struct place_entry {
		size_t number, next; /* plus one */
		uint64_t x, y;       /* its first granules */
	} * entries;
	size_t entry_count, entry_room;
	size_t *all, *wide, *found; /* numbers; wide: what is compared with everything */
	size_t count, wide_count;
};

struct granules {
	uint64_t from, to;
};

static struct granules
granules_of(uint64_t offset, uint64_t size)
{
	return (struct granules){offset >> GRANULE, (offset + size - 1) >> GRANULE};
}

static struct granules
granules_at(const struct sl_access_class *a)
{
	return granules_of(a->offset, a->size);
}

static bool
are_many(struct granules x, const struct granules *y)
{
	return x.to - x.from >= GRANULES || (y && y->to - y->from >= GRANULES);
}

static struct places
places_new(size_t room)
{
	struct places p = {.all = sl_room_zeroed(room, sizeof(*p.all)),
			   .wide = sl_room_zeroed(room, sizeof(*p.wide)),
			   .found = sl_room_zeroed(room, sizeof(*p.found))};

	return p;
}

static void
places_release(struct places *p)
{
	sl_index_release(&p->first);
	free(p->entries);
	free(p->all);
	free(p->wide);
	free(p->found);
}

/* y: NULL for an access alone. */
static void
places_add(struct places *p, size_t number, struct granules x, const struct granules *y, bool few)
{
	p->all[p->count++] = number;
	if (few || are_many(x, y)) {
		p->wide[p->wide_count++] = number;
		return;
	}
	for (uint64_t i = x.from; i <= x.to; i++)
		for (uint64_t n = y ? y->from : 0; n <= (y ? y->to : 0); n++) {
			uint64_t *at = sl_index_at(&p->first, sl_join(i, n));

			p->entries = sl_room_for(p->entries, p->entry_count, &p->entry_room, sizeof(*p->entries));
			p->entries[p->entry_count++] = (struct place_entry){number, *at, x.from, y ? y->from : 0};
			*at = p->entry_count;
		}
}

static uint64_t
later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Puts what may be there into p->found, each number once; returns how many. */
static size_t
places_find(struct places *p, struct granules x, const struct granules *y)
{
	size_t count = 0;

	if (are_many(x, y)) {
		memcpy(p->found, p->all, p->count * sizeof(*p->found));
		return p->count;
	}
	for (uint64_t i = x.from; i <= x.to && p->entry_count; i++)
		for (uint64_t n = y ? y->from : 0; n <= (y ? y->to : 0); n++)
			for (uint64_t e = sl_index_get(&p->first, sl_join(i, n)); e; e = p->entries[e - 1].next) {
				const struct place_entry *entry = &p->entries[e - 1];

				/* several granules may be the same for both: the first of them counts */
				if (i == later(x.from, entry->x) && (!y || n == later(y->from, entry->y)))
					p->found[count++] = entry->number;
			}
	memcpy(p->found + count, p->wide, p->wide_count * sizeof(*p->found));
	return count + p->wide_count;
}

/* ---- meetings ---- */

/* Where both accesses of the pair are. False: nowhere. */
static bool
common_place(const struct sl_classes *c, uint32_t pair, struct granules *place)
{
	const struct sl_access_class *x = &c->accesses[c->pairs[pair].first],
				     *y = &c->accesses[c->pairs[pair].second];
	uint64_t from = later(x->offset, y->offset), x_end = x->offset + x->size, y_end = y->offset + y->size;
	uint64_t end = x_end < y_end ? x_end : y_end;

	if (from < end)
		*place = granules_of(from, end - from);
	return from < end;
}

/* impacted: only those that are. */
static struct places
places_of_ones(const struct meeting *m, bool impacted)
{
	const struct sl_access_class *accesses = m->c->classes.accesses;
	struct places p = places_new(m->by->one_count);

	for (size_t n = m->by->one_count; n; n--) { /* they are found in order */
		const struct sl_access_class *a = &accesses[m->by->ones[n - 1].class];

		if (!impacted || a->impacted & 1)
			places_add(&p, n - 1, granules_at(a), NULL, m->by->one_count <= FEW);
	}
	return p;
}

static void
meet_ones(struct meeting *m)
{
	const struct sl_classes *c = &m->c->classes;
	bool seeded = m->m->impact && !m->m->counts;
	struct places every, impacted;
	struct granules place;

	if (!m->of->two_count || !m->by->one_count || m->by->from != m->by->to)
		return;
	if (seeded && !m->of->impacted_twos && !m->by->impacted_ones)
		return;
	if (!m->m->counts && !is_new(m, m->of->twos_hash, m->by->ones_hash, 3))
		return;
	every = places_of_ones(m, false);
	impacted = places_of_ones(m, true);
	for (size_t i = 0; i < m->of->two_count; i++) {
		const struct sl_two *two = &m->of->twos[i];
		struct places *among = !seeded || c->pairs[two->class].impacted ? &every : &impacted;
		size_t count;

		if (!among->count || !common_place(c, two->class, &place))
			continue;
		count = places_find(among, place, NULL);
		for (size_t n = 0; n < count; n++)
			three(m, two, &m->by->ones[among->found[n]]);
	}
	places_release(&every);
	places_release(&impacted);
}

/* Two locations of one set, both read or both written. */
static bool
is_double(const struct sl_classes *c, uint32_t pair)
{
	const struct sl_access_class *x = &c->accesses[c->pairs[pair].first],
				     *y = &c->accesses[c->pairs[pair].second];

	return !overlap(x, y) && x->access & y->access;
}

static struct places
places_of_doubles(const struct meeting *m, bool impacted)
{
	const struct sl_classes *c = &m->c->classes;
	struct places p = places_new(m->by->two_count);

	for (size_t n = m->by->two_count; n; n--) {
		const struct sl_pair_class *pair = &c->pairs[m->by->twos[n - 1].class];
		struct granules y = granules_at(&c->accesses[pair->second]);

		if (is_double(c, m->by->twos[n - 1].class) && (!impacted || pair->impacted))
			places_add(&p, n - 1, granules_at(&c->accesses[pair->first]), &y, m->by->two_count <= FEW);
	}
	return p;
}

static void
meet_twos(struct meeting *m)
{
	const struct sl_classes *c = &m->c->classes;
	bool seeded = m->m->impact && !m->m->counts;
	struct places every, impacted;

	if (!m->of->two_count || !m->by->two_count)
		return;
	if (seeded && !m->of->impacted_twos && !m->by->impacted_twos)
		return;
	if (!m->m->counts && !is_new(m, m->of->twos_hash, m->by->twos_hash, 4))
		return;
	every = places_of_doubles(m, false);
	impacted = places_of_doubles(m, true);
	for (size_t i = 0; i < m->of->two_count; i++) {
		const struct sl_two *two = &m->of->twos[i];
		const struct sl_pair_class *pair = &c->pairs[two->class];
		struct places *among = !seeded || pair->impacted ? &every : &impacted;
		struct granules x = granules_at(&c->accesses[pair->first]),
				y = granules_at(&c->accesses[pair->second]);
		size_t count;

		if (!among->count || !is_double(c, two->class))
			continue;
		count = places_find(among, x, &y);
		for (size_t n = 0; n < count; n++)
			four(m, two, &m->by->twos[among->found[n]], false);
		count = places_find(among, y, &x);
		for (size_t n = 0; n < count; n++)
			four(m, two, &m->by->twos[among->found[n]], true);
	}
	places_release(&every);
	places_release(&impacted);
}

/*
 * A stretch of one thread and those of another that can meet it. They are in the order of epochs, and what is over before a stretch
 * is over before the later ones: the stretches that no order keeps apart are neighbours.
 */
static void
meet(struct meeting *m, const struct sl_party *other)
{
	const struct sl_reading *r = m->c->reading;
	size_t low = 0, high = other->stretch_count;

	while (low < high && !m->m->infeasible) { /* the first that is not over before it begins */
		size_t middle = (low + high) / 2;

		if (sl_must_precede(r, m->other, other->stretches[middle].to, m->thread, m->of->from))
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < other->stretch_count; low++) {
		m->by = &other->stretches[low];
		m->order = (struct sl_epoch_cause){0};
		if (is_ruled_out(m, &m->order) && !m->m->infeasible) {
			if (sl_must_precede(r, m->thread, m->of->to, m->other, m->by->from))
				break;
			continue;
		}
		meet_ones(m);
		meet_twos(m);
	}
}

void
sl_suspects_find(struct sl_suspects *matches, const struct sl_collection *collection,
		 const struct sl_atomic_set *set)
{
	for (size_t i = 0; i < set->party_count; i++) {
		const struct sl_party *p = &set->parties[i];

		for (size_t n = 0; n < set->party_count; n++) {
			if (n == i)
				continue;
			for (size_t s = 0; s < p->stretch_count; s++) {
				struct meeting m = {.m = matches,
						    .c = collection,
						    .set = set,
						    .thread = p->thread,
						    .other = set->parties[n].thread,
						    .of = &p->stretches[s]};

				if (m.of->two_count)
					meet(&m, &set->parties[n]);
			}
		}
	}
}

void
sl_suspects_count(struct sl_suspects *matches, const struct sl_collection *collection,
		  const struct sl_atomic_set *set)
{
	matches->counts = true;
	for (size_t i = 0; i < set->party_count; i++)
		for (size_t n = 0; n < set->party_count; n++) {
			struct meeting m = {.m = matches,
					    .c = collection,
					    .set = set,
					    .thread = set->parties[i].thread,
					    .other = set->parties[n].thread,
					    .of = &set->parties[i].every,
					    .by = &set->parties[n].every};

			if (n == i)
				continue;
			meet_ones(&m);
			meet_twos(&m);
		}
	matches->counts = false;
}

void
sl_suspects_release(struct sl_suspects *matches)
{
	free(matches->items);
	sl_index_release(&matches->by);
	sl_index_release(&matches->tried);
	*matches = (struct sl_suspects){0};
}
