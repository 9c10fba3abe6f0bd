/*
 * Synchronisation objects by address. The table is for one execution: a slot of an earlier one counts as empty, so
 * a reset costs nothing. The stateful search (state.h) has another table, in which an address keeps its slot:
 * pointers to objects are on stacks, and must not depend on the order of the threads.
 */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/rng.h"
#include "engine/core/engine.h"
#include "engine/core/life.h"
#include "engine/core/race.h"
#include "engine/upcall/state.h"
#include "engine/under/poison.h"

#define SLOT_BITS 21
#define SLOTS (1u << SLOT_BITS)
#define OBJECTS_MAX (SLOTS / 2)

struct slot {
	uint64_t address;
	uint32_t sequence;
	uint32_t object;
};

static struct slot *slots;
static struct sl_object *objects;
static uint32_t object_count;

/*
 * Both tables exist at once: a thread's registers, which are part of a state, may have an object's address in the
 * engine.
 */
static struct table {
	struct slot slots[SLOTS];
	struct sl_object objects[OBJECTS_MAX];
	uint32_t count;
} * tables;

void
sl_objects_reset(void)
{
	if (!tables)
		tables = sl_private_alloc(2 * sizeof(*tables));

	struct table *t = &tables[E.stateful];

	if (slots == tables[1].slots)
		tables[1].count = object_count;
	slots = t->slots;
	objects = t->objects;
	object_count = t->count;
}

static struct slot *
lookup(uint64_t address)
{
	uint32_t at = (uint32_t)(address * 0x9e3779b97f4a7c15u >> (64 - SLOT_BITS));

	for (;; at++) {
		struct slot *s = &slots[at & (SLOTS - 1)];

		if (s->address == address || (E.stateful ? !s->address : s->sequence != E.sequence))
			return s;
	}
}

struct sl_object *
sl_object_find(uint64_t address)
{
	struct slot *s = lookup(address);

	return s->sequence == E.sequence ? &objects[s->object] : NULL;
}

static void
prepare(struct sl_object *o, uint64_t address)
{
	*o = (struct sl_object){.address = address, .first = SL_NOWHERE, .sequence = E.sequence};
	o->clock.source = o->read_clock.source = SL_CLOCK_NO_THREAD;
}

/*
 * Finds the object without using it: the thread that initialises or destroys an object need not be one of those
 * that share it.
 */
struct sl_object *
sl_object_peek(const void *at, enum sl_object_kind kind)
{
	uint64_t address = (uint64_t)at;
	struct slot *s = lookup(address);
	struct sl_object *o;

	if (unlikely(s->sequence != E.sequence)) {
		uint32_t number = E.stateful && s->address ? s->object : object_count++;

		if (number == OBJECTS_MAX)
			sl_trouble(SL_TROUBLE_LIMIT, 0, "synchronisation objects");
		*s = (struct slot){address, E.sequence, number};
		prepare(&objects[s->object], address);
		sl_cell(address)->write_info |=
			sl_cell_object(address); /* freeing the memory must find the object */
	}
	o = &objects[s->object];
	if (unlikely(o->kind != kind)) {
		uint64_t epoch, pc;
		uint32_t first = o->first;

		if (o->kind != SL_OBJECT_NONE)
			prepare(o, address); /* the memory now has an object of another kind */
		o->first = first;
		o->kind = kind;
		o->shared = sl_marked(address);
		if (first == SL_NOWHERE && !E.stateful && sl_race_written(address, &epoch, &pc))
			sl_life_found(o, epoch, pc);
	}
	return o;
}

struct sl_object *
sl_object_get(const void *at, enum sl_object_kind kind)
{
	struct sl_object *o = sl_object_peek(at, kind);

	if (unlikely(sl_shares) && kind != SL_OBJECT_CHANNEL && kind != SL_OBJECT_ATOMIC && sl_child_sees(at))
		sl_trouble(SL_TROUBLE_UNSUPPORTED, 0,
			   "an object for synchronisation in memory that a child shares");
	o->used = E.current->epoch;
	if (unlikely(E.stateful) && !o->shared)
		sl_share_object(o);
	if (unlikely(!o->shared) && o->first != E.current->id) {
		if (o->first == SL_NOWHERE) {
			o->first = E.current->id;
		} else {
			o->shared = true;
			sl_mark(o->address);
		}
	}
	return o;
}

void
sl_object_ends(struct sl_object *o)
{
	if (o->first == SL_NOWHERE || (E.stateful ? !E.unjoined : sl_ordered(o->used)))
		return;
	sl_mark(o->address);
	sl_watch(o->address); /* destroying it depends on whether it is held */
}

/* The object was destroyed: the next use at this address is of a new object. */
void
sl_object_forget(struct sl_object *object)
{
	object->kind = SL_OBJECT_NONE;
	object->owner = NULL;
	object->depth = 0;
	object->value = object->limit = object->round = 0;
	object->readers = 0;
	object->health = 0;
	object->taken = 0;
}

void
sl_objects_each(void (*function)(struct sl_object *, struct sl_thread *), struct sl_thread *owner)
{
	for (uint32_t i = 0; i < object_count; i++)
		if (objects[i].sequence == E.sequence && objects[i].owner == owner &&
		    objects[i].kind != SL_OBJECT_ONCE)
			function(&objects[i], owner);
}

/* ---- as part of the state (state.h) ---- */

static uint32_t kept[OBJECTS_MAX / 16], kept_count;

void
sl_objects_identify(struct sl_identity *identity)
{
	for (uint32_t i = 0; i < object_count; i++) {
		const struct sl_object *o = &objects[i];

		if (o->sequence != E.sequence || o->kind == SL_OBJECT_NONE)
			continue;
		/* the order of waiters does not matter, except at a futex */
		uint64_t order = 0;

		for (const struct sl_thread *t = o->waiters; t; t = t->waits.next)
			if (sl_kind_is(t->op.kind, SL_KIND_FUTEX))
				order = sl_mix(order + t->id + 1);

		uint64_t words[] = {
			o->kind | (uint64_t)o->robust << 32 | (uint64_t)o->health << 40 |
				(uint64_t)o->mutex_kind << 48,
			o->owner ? o->owner->id + 1 : 0,
			(uint64_t)o->depth << 32 | o->readers,
			o->value,
			o->limit,
			o->round,
			order,
		};

		if (words[1] | words[2] | words[3] | words[4] | words[5] | words[6] | o->robust | o->health)
			sl_identity_add(identity, o->address + 3, words, sizeof(words));
	}
}

void
sl_objects_keep(void)
{
	kept_count = 0;
	for (uint32_t i = 0; i < object_count; i++) {
		if (objects[i].sequence != E.sequence)
			continue;
		if (kept_count == sizeof(kept) / sizeof(kept[0]))
			sl_trouble(SL_TROUBLE_LIMIT, 0, "synchronisation objects of a state");
		kept[kept_count++] = i;
		sl_checkpoint_bytes(&objects[i], sizeof(objects[i]));
	}
	sl_checkpoint_bytes(&kept_count, sizeof(kept_count));
	sl_checkpoint_bytes(kept, kept_count * sizeof(kept[0]));
}

void
sl_objects_kept(void)
{
	for (uint32_t i = 0; i < kept_count; i++) {
		struct sl_object *o = &objects[kept[i]];

		o->sequence = E.sequence;
		lookup(o->address)->sequence = E.sequence;
	}
}
