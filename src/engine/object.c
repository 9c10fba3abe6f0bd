/*
 * Synchronisation objects by address. The table is for one execution: a slot of an earlier one counts as
 * empty, so a reset costs nothing.
 */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/rng.h"
#include "engine/engine.h"
#include "engine/race.h"
#include "engine/poison.h"

#define SLOTS (1u << 21)
#define OBJECTS_MAX (SLOTS / 2)

struct slot {
	uint64_t address;
	uint32_t sequence;
	uint32_t object;
};

static struct slot *slots;
static struct sl_object *objects;
static uint32_t object_count;

void
sl_objects_reset(void)
{
	if (!slots) {
		slots = sl_private_alloc(SLOTS * sizeof(*slots));
		objects = sl_private_alloc(OBJECTS_MAX * sizeof(*objects));
	}
	object_count = 0;
}

static struct slot *
lookup(uint64_t address)
{
	uint32_t at = (uint32_t)sl_mix(address);

	for (;; at++) {
		struct slot *s = &slots[at & (SLOTS - 1)];

		if (s->sequence != E.sequence || s->address == address)
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
	*o = (struct sl_object){.address = address, .first = SL_NOWHERE};
	o->clock.source = o->read_clock.source = SL_CLOCK_NOBODY;
}

/* Not a use: who initialises or destroys an object need not be one of those who share it. */
struct sl_object *
sl_object_peek(const void *at, enum sl_object_kind kind)
{
	uint64_t address = (uint64_t)at;
	struct slot *s = lookup(address);
	struct sl_object *o;

	if (unlikely(s->sequence != E.sequence)) {
		if (object_count == OBJECTS_MAX)
			sl_trouble(SL_TROUBLE_LIMIT, 0, "synchronisation objects");
		*s = (struct slot){address, E.sequence, object_count++};
		prepare(&objects[s->object], address);
		sl_cell(address)->write_info |= sl_cell_object(address); /* who frees it has to look for it */
	}
	o = &objects[s->object];
	if (unlikely(o->kind != kind)) {
		uint32_t first = o->first;

		if (o->kind != SL_OBJECT_NONE)
			prepare(o, address); /* memory that is used for something else now */
		o->first = first;
		o->kind = kind;
		o->shared = sl_marked(address);
	}
	return o;
}

struct sl_object *
sl_object_get(const void *at, enum sl_object_kind kind)
{
	struct sl_object *o = sl_object_peek(at, kind);

	o->used = E.current->epoch;
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
	if (o->first == SL_NOWHERE || sl_ordered(o->used))
		return;
	sl_mark(o->address);
	sl_watch(o->address); /* whether it is held shows */
}

/* As after its initialiser. */
struct sl_object *
sl_object_init(const void *at, enum sl_object_kind kind)
{
	struct sl_object *o = sl_object_peek(at, kind);

	sl_object_forget(o);
	o->kind = kind;
	return o;
}

/* Destroyed: the next use at this address starts from nothing. */
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
		if (objects[i].owner == owner && objects[i].kind != SL_OBJECT_ONCE)
			function(&objects[i], owner);
}
