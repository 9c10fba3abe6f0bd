#include "paths/variants.h"

#include "base/rng.h"
#include "base/room.h"

#include <string.h>

#define NONE UINT32_MAX

/* The last step of the way to a node. Ways share their beginnings. */
struct way {
	struct way *before;
	uint32_t event;
	uint32_t users; /* nodes and ways that continue it */
};

struct level {
	uint32_t *index;   /* of each node and thread: how many of its events have happened */
	bool *waits;       /* of each node and thread: it waits for a notification */
	struct way **ways; /* of each node */
	uint32_t *slots;   /* hash table of nodes, plus one */
	size_t count, room, slot_count;
};

/* What is executed of a thread. */
struct lane {
	uint32_t *events;
	uint32_t count;
};

struct sl_variants {
	const struct sl_rw_sequence *sequence;
	struct sl_variant_limits limits;
	uint32_t threads;
	bool *inside;       /* of each thread: it is executed */
	struct lane *lanes; /* of each thread */
	uint32_t *position; /* of each event, in its lane */
	uint32_t *replaces; /* of each access: the write of the version that it meets; NONE: the first version */
	uint32_t *next;     /* of each access: the write that ends this version, other than itself */
	uint32_t *
		needs; /* of each event: where `required` has how far each thread must have come; NONE: no matter */
	uint32_t *required;
	uint32_t *closed;     /* of each LOCK: its UNLOCK; NONE: there is none */
	uint32_t *locks;      /* by their objects and threads, in order */
	uint32_t *first_lock; /* of each object and thread: its place in them */
	bool *blocks;         /* of each WAIT */
	struct level now, then;
	size_t node;     /* of `now`, that is expanded */
	uint32_t thread; /* that is next */
	uint32_t depth;
	uint32_t *found; /* the events of a variant */
	uint64_t nodes;
	bool cut;
};

uint32_t
sl_rw_threads(const struct sl_rw_sequence *sequence)
{
	uint32_t threads = 0;

	for (uint32_t i = 0; i < sequence->count; i++) {
		const struct sl_rw_event *e = &sequence->events[i];
		uint32_t other = e->kind == SL_RW_CREATE || e->kind == SL_RW_JOIN ? e->object : 0;

		if (e->thread >= threads)
			threads = e->thread + 1;
		if (other >= threads)
			threads = other + 1;
	}
	return threads;
}

bool
sl_rw_blocks(const struct sl_rw_sequence *sequence, uint32_t wait, const bool *inside)
{
	const struct sl_rw_event *w = &sequence->events[wait];

	if (w->kind != SL_RW_WAIT)
		return false;
	for (uint32_t i = wait + 1; i < sequence->count; i++) {
		const struct sl_rw_event *e = &sequence->events[i];

		if (e->thread == w->thread)
			return false;
		if (e->kind == SL_RW_NOTIFY && e->object == w->object)
			return !inside || inside[e->thread];
	}
	return true; /* nothing of its thread comes any more */
}

static bool
reads_or_writes(const struct sl_rw_event *e)
{
	return e->kind <= SL_RW_UPDATE;
}

static bool
writes(const struct sl_rw_event *e)
{
	return e->kind == SL_RW_WRITE || e->kind == SL_RW_UPDATE;
}

static bool
locks(const struct sl_rw_event *e)
{
	return e->kind == SL_RW_LOCK || e->kind == SL_RW_SHARE;
}

/* One more than the highest number of an object. */
static uint32_t
objects_of(const struct sl_rw_sequence *sequence)
{
	uint32_t objects = 0;

	for (uint32_t i = 0; i < sequence->count; i++)
		if (sequence->events[i].object >= objects)
			objects = sequence->events[i].object + 1;
	return objects;
}

/* Which write an access follows in the recording, and which write must not have happened yet. */
static void
find_versions(struct sl_variants *v, uint32_t objects)
{
	const struct sl_rw_event *events = v->sequence->events;
	uint32_t *latest = sl_room_zeroed(objects, sizeof(*latest));

	for (uint32_t i = 0; i < v->sequence->count; i++) { /* latest: the number, plus one */
		if (!reads_or_writes(&events[i]) || !v->inside[events[i].thread])
			continue;
		v->replaces[i] = latest[events[i].object] - 1;
		if (writes(&events[i]))
			latest[events[i].object] = i + 1;
	}
	memset(latest, 0, objects * sizeof(*latest));
	for (uint32_t i = v->sequence->count; i-- > 0;) {
		if (!reads_or_writes(&events[i]) || !v->inside[events[i].thread])
			continue;
		v->next[i] = latest[events[i].object] - 1;
		if (writes(&events[i]))
			latest[events[i].object] = i + 1;
	}
	free(latest);
}

/* The locks of each object and thread, in their order, and where they are unlocked. */
static void
find_sections(struct sl_variants *v, uint32_t objects)
{
	const struct sl_rw_event *events = v->sequence->events;
	size_t owners = (size_t)objects * v->threads;
	uint32_t *used = sl_room_zeroed(owners, sizeof(*used));

	v->first_lock = sl_room_zeroed(owners + 1, sizeof(*v->first_lock));
	v->locks = sl_room_zeroed(v->sequence->count, sizeof(*v->locks));
	for (uint32_t i = 0; i < v->sequence->count; i++)
		if (locks(&events[i]) && v->inside[events[i].thread])
			v->first_lock[(size_t)events[i].object * v->threads + events[i].thread + 1]++;
	for (size_t o = 0; o < owners; o++)
		v->first_lock[o + 1] += v->first_lock[o];
	for (uint32_t i = 0; i < v->sequence->count; i++) {
		const struct sl_rw_event *e = &events[i];
		size_t owner = (size_t)e->object * v->threads + e->thread;

		if (!v->inside[e->thread])
			continue;
		if (locks(e))
			v->locks[v->first_lock[owner] + used[owner]++] = i;
		else if (e->kind == SL_RW_UNLOCK && used[owner])
			v->closed[v->locks[v->first_lock[owner] + used[owner] - 1]] = i;
	}
	free(used);
}

static void
raise_to(uint32_t *clock, const uint32_t *other, uint32_t threads)
{
	for (uint32_t t = 0; t < threads; t++)
		if (other[t] > clock[t])
			clock[t] = other[t];
}

/* Creating and joining, also where threads that are not executed pass the order on. */
static void
find_order(struct sl_variants *v)
{
	const struct sl_rw_event *events = v->sequence->events;
	uint32_t threads = v->threads, used = 0;
	size_t size = threads * sizeof(uint32_t);
	uint32_t *clocks = sl_room_zeroed((size_t)threads * threads, sizeof(*clocks));
	uint32_t *created = sl_room_zeroed((size_t)threads * threads, sizeof(*created));
	bool *started = sl_room_zeroed(threads, sizeof(*started));
	size_t points = threads;

	for (uint32_t i = 0; i < v->sequence->count; i++)
		points += events[i].kind == SL_RW_JOIN;
	v->required = sl_room_zeroed(points * threads, sizeof(*v->required));
	for (uint32_t i = 0; i < v->sequence->count; i++) {
		const struct sl_rw_event *e = &events[i];
		uint32_t *clock = clocks + (size_t)e->thread * threads;

		if (!started[e->thread])
			raise_to(clock, created + (size_t)e->thread * threads, threads);
		if (e->kind == SL_RW_JOIN)
			raise_to(clock, clocks + (size_t)e->object * threads, threads);
		if (v->inside[e->thread] && (!started[e->thread] || e->kind == SL_RW_JOIN)) {
			v->needs[i] = used;
			memcpy(v->required + (size_t)used++ * threads, clock, size);
		}
		started[e->thread] = true;
		if (v->inside[e->thread])
			clock[e->thread] = v->position[i] + 1;
		if (e->kind == SL_RW_CREATE)
			memcpy(created + (size_t)e->object * threads, clock, size);
	}
	free(clocks);
	free(created);
	free(started);
}

static uint32_t *
nones(uint32_t count)
{
	uint32_t *items = sl_must(malloc((count + 1) * sizeof(*items)));

	memset(items, 0xff, (count + 1) * sizeof(*items));
	return items;
}

static uint64_t
hash_of(const uint32_t *index, const bool *waits, uint32_t threads)
{
	uint64_t hash = threads;

	for (uint32_t t = 0; t < threads; t++)
		hash = sl_mix(hash * 31 + index[t] * 2 + waits[t]);
	return hash;
}

/* Returns the slot of the node; it is 0 if there is no such node yet. */
static uint32_t *
slot_of(const struct level *level, const uint32_t *index, const bool *waits, uint32_t threads)
{
	size_t i = hash_of(index, waits, threads) & (level->slot_count - 1);

	for (; level->slots[i]; i = (i + 1) & (level->slot_count - 1)) {
		size_t node = level->slots[i] - 1;

		if (!memcmp(level->index + node * threads, index, threads * sizeof(*index)) &&
		    !memcmp(level->waits + node * threads, waits, threads * sizeof(*waits)))
			break;
	}
	return &level->slots[i];
}

static void
grow(struct level *level, uint32_t threads)
{
	level->room = level->room ? level->room * 2 : 16;
	level->index = sl_must(realloc(level->index, level->room * threads * sizeof(*level->index)));
	level->waits = sl_must(realloc(level->waits, level->room * threads * sizeof(*level->waits)));
	level->ways = sl_must(realloc(level->ways, level->room * sizeof(struct way *)));
	free(level->slots);
	level->slot_count = level->room * 4;
	level->slots = sl_room_zeroed(level->slot_count, sizeof(*level->slots));
	for (size_t node = 0; node < level->count; node++)
		*slot_of(level, level->index + node * threads, level->waits + node * threads, threads) =
			(uint32_t)node + 1;
}

static void
let_go(struct way *way)
{
	while (way && --way->users == 0) {
		struct way *before = way->before;

		free(way);
		way = before;
	}
}

static struct way *
continued(struct way *before, uint32_t event)
{
	struct way *way = sl_must(malloc(sizeof(*way)));

	*way = (struct way){before, event, 1};
	if (before)
		before->users++;
	return way;
}

struct sl_variants *
sl_variants_new(const struct sl_rw_sequence *sequence, uint32_t one, uint32_t other,
		const struct sl_variant_limits *limits)
{
	struct sl_variants *v = sl_room_zeroed(1, sizeof(*v));
	uint32_t count = sequence->count, objects = objects_of(sequence), threads = sl_rw_threads(sequence);

	v->sequence = sequence;
	v->limits = *limits;
	v->threads = threads;
	v->inside = sl_room_zeroed(threads, sizeof(*v->inside));
	for (uint32_t t = 0; t < threads; t++)
		v->inside[t] = one == SL_RW_ALL || t == one || t == other;
	v->lanes = sl_room_zeroed(threads, sizeof(*v->lanes));
	v->position = nones(count);
	v->blocks = sl_room_zeroed(count, sizeof(*v->blocks));
	for (uint32_t i = 0; i < count; i++)
		v->position[i] = v->lanes[sequence->events[i].thread].count++;
	for (uint32_t t = 0; t < threads; t++)
		v->lanes[t].events = sl_room_zeroed(v->lanes[t].count, sizeof(uint32_t));
	for (uint32_t i = 0; i < count; i++) {
		v->lanes[sequence->events[i].thread].events[v->position[i]] = i;
		v->blocks[i] = sl_rw_blocks(sequence, i, v->inside);
	}
	for (uint32_t t = 0; t < threads; t++)
		if (!v->inside[t])
			v->lanes[t].count = 0;
	v->replaces = nones(count);
	v->next = nones(count);
	v->needs = nones(count);
	v->closed = nones(count);
	v->found = nones(count);
	find_versions(v, objects);
	find_sections(v, objects);
	find_order(v);
	grow(&v->now, threads);
	grow(&v->then, threads);
	memset(v->now.index, 0, threads * sizeof(*v->now.index));
	memset(v->now.waits, 0, threads * sizeof(*v->now.waits));
	v->now.ways[0] = NULL;
	v->now.count = v->nodes = 1;
	return v;
}

static bool
has_happened(const struct sl_variants *v, const uint32_t *index, uint32_t event)
{
	return v->position[event] < index[v->sequence->events[event].thread];
}

/* The last of the thread's locks of the object that has happened; NONE: none has. */
static uint32_t
latest_lock(const struct sl_variants *v, const uint32_t *index, uint32_t object, uint32_t thread)
{
	const uint32_t *first = v->first_lock + (size_t)object * v->threads + thread;
	uint32_t low = first[0], high = first[1];

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (has_happened(v, index, v->locks[middle]))
			low = middle + 1;
		else
			high = middle;
	}
	return low == first[0] ? NONE : v->locks[low - 1];
}

/* Another thread is in a section of the lock. */
static bool
is_locked(const struct sl_variants *v, const uint32_t *index, uint32_t event)
{
	const struct sl_rw_event *events = v->sequence->events, *e = &events[event];

	for (uint32_t t = 0; t < v->threads; t++) {
		uint32_t lock = t == e->thread ? NONE : latest_lock(v, index, e->object, t);

		if (lock != NONE && (v->closed[lock] == NONE || !has_happened(v, index, v->closed[lock])) &&
		    (e->kind == SL_RW_LOCK || events[lock].kind == SL_RW_LOCK))
			return true;
	}
	return false;
}

static bool
is_feasible(const struct sl_variants *v, const uint32_t *index, const bool *waits, uint32_t event)
{
	const struct sl_rw_event *e = &v->sequence->events[event];

	if (waits[e->thread] || (locks(e) && is_locked(v, index, event)))
		return false;
	if (v->needs[event] != NONE) {
		const uint32_t *required = v->required + (size_t)v->needs[event] * v->threads;

		for (uint32_t t = 0; t < v->threads; t++)
			if (t != e->thread && v->inside[t] && index[t] < required[t])
				return false;
	}
	return true;
}

/*
 * In a node the writes of each variable happened in their recorded order: whatever met another version is a variant. So the version
 * is the recorded one if the write before has happened, and the write after it has not.
 */
static bool
meets_recorded(const struct sl_variants *v, const uint32_t *index, uint32_t event)
{
	return !reads_or_writes(&v->sequence->events[event]) ||
	       ((v->replaces[event] == NONE || has_happened(v, index, v->replaces[event])) &&
		(v->next[event] == NONE || !has_happened(v, index, v->next[event])));
}

/* The node after an event. */
static void
add_child(struct sl_variants *v, const uint32_t *index, const bool *waits, struct way *way, uint32_t event)
{
	const struct sl_rw_event *events = v->sequence->events, *e = &events[event];
	struct level *level = &v->then;
	uint32_t threads = v->threads;

	if (level->count == level->room)
		grow(level, threads);

	uint32_t *new_index = level->index + level->count * threads, *slot;
	bool *new_waits = level->waits + level->count * threads;

	memcpy(new_index, index, threads * sizeof(*index));
	memcpy(new_waits, waits, threads * sizeof(*waits));
	if (e->kind == SL_RW_NOTIFY)
		for (uint32_t t = 0; t < threads; t++)
			if (waits[t] && events[v->lanes[t].events[index[t] - 1]].object == e->object)
				new_waits[t] = false;
	new_index[e->thread]++;
	new_waits[e->thread] = e->kind == SL_RW_WAIT && v->blocks[event];
	slot = slot_of(level, new_index, new_waits, threads);
	if (*slot) {
		struct way **there = &level->ways[*slot - 1];

		if ((*there)->event < event) {
			let_go(*there);
			*there = continued(way, event);
		}
	} else if (level->count >= v->limits.width || v->nodes >= v->limits.nodes) {
		v->cut = true;
	} else {
		*slot = (uint32_t)level->count + 1;
		level->ways[level->count++] = continued(way, event);
		v->nodes++;
	}
}

static void
clear(struct level *level)
{
	for (size_t i = 0; i < level->count; i++)
		let_go(level->ways[i]);
	level->count = 0;
	memset(level->slots, 0, level->slot_count * sizeof(*level->slots));
}

bool
sl_variants_next(struct sl_variants *v, struct sl_variant *variant)
{
	while (v->now.count) {
		for (; v->node < v->now.count; v->node++, v->thread = 0) {
			const uint32_t *index = v->now.index + v->node * v->threads;
			const bool *waits = v->now.waits + v->node * v->threads;
			struct way *way = v->now.ways[v->node];

			while (v->thread < v->threads) {
				uint32_t t = v->thread++;

				if (index[t] == v->lanes[t].count)
					continue;

				uint32_t event = v->lanes[t].events[index[t]], place = v->depth;

				if (!is_feasible(v, index, waits, event))
					continue;
				if (meets_recorded(v, index, event)) {
					add_child(v, index, waits, way, event);
					continue;
				}
				v->found[place] = event;
				for (; way && variant; way = way->before)
					v->found[--place] = way->event;
				if (variant)
					*variant = (struct sl_variant){v->found, v->depth + 1};
				return true;
			}
		}

		struct level done = v->now;

		v->now = v->then;
		v->then = done;
		clear(&v->then);
		v->node = 0;
		v->depth++;
	}
	return false;
}

bool
sl_variants_cut(const struct sl_variants *v)
{
	return v->cut;
}

uint64_t
sl_variants_nodes(const struct sl_variants *v)
{
	return v->nodes;
}

static void
release(struct level *level)
{
	clear(level);
	free(level->index);
	free(level->waits);
	free(level->ways);
	free(level->slots);
}

void
sl_variants_free(struct sl_variants *v)
{
	if (!v)
		return;
	for (uint32_t t = 0; t < v->threads; t++)
		free(v->lanes[t].events);
	release(&v->now);
	release(&v->then);
	free(v->inside);
	free(v->lanes);
	free(v->position);
	free(v->replaces);
	free(v->next);
	free(v->needs);
	free(v->required);
	free(v->closed);
	free(v->locks);
	free(v->first_lock);
	free(v->blocks);
	free(v->found);
	free(v);
}

static void
count_in(struct sl_variant_count *count, const struct sl_rw_sequence *sequence, uint32_t one, uint32_t other,
	 const struct sl_variant_limits *limits, uint64_t most)
{
	struct sl_variants *v = sl_variants_new(sequence, one, other, limits);

	while (!count->more && sl_variants_next(v, NULL)) {
		if (count->variants == most)
			count->more = true;
		else
			count->variants++;
	}
	count->more |= v->cut;
	sl_variants_free(v);
}

struct sl_variant_count
sl_variants_count(const struct sl_rw_sequence *sequence, const struct sl_variant_limits *limits, uint64_t most)
{
	struct sl_variant_count count = {0, false};

	count_in(&count, sequence, SL_RW_ALL, SL_RW_ALL, limits, most);
	return count;
}

struct sl_variant_count
sl_variants_count_pairs(const struct sl_rw_sequence *sequence, const struct sl_variant_limits *limits,
			uint64_t most)
{
	struct sl_variant_count count = {0, false}, pair;
	uint32_t threads = sl_rw_threads(sequence);

	for (uint32_t one = 0; one < threads; one++)
		for (uint32_t other = one + 1; other < threads && !(count.more && count.variants == most);
		     other++) {
			pair = (struct sl_variant_count){0, false};
			count_in(&pair, sequence, one, other, limits, most - count.variants);
			count.variants += pair.variants;
			count.more |= pair.more;
		}
	return count;
}
