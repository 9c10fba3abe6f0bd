/*
 * Data races by happens-before, after FastTrack (Flanagan, Freund, PLDI 2009): precise for the running execution.
 * Each eight bytes of the program have a cell in the shadow with the last write and the last read (or all last
 * reads, once they are concurrent); accesses of different parts of the eight bytes split the cell into one for
 * each byte. Atomic accesses are kept with the atomic's object: they race with plain ones only.
 *
 * Like FastTrack, a cell has one write epoch. Deviations: cells are never cleared (see struct sl_clock), and every
 * access stores its place, so that both sides of a race can be named.
 */
#include "engine/core/race.h"
#include <stdio.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/block.h"
#include "engine/core/engine.h"
#include "engine/core/life.h"
#include "engine/upcall/state.h"
#include "engine/under/poison.h"

#define INDIRECT (1ul << 63)

struct sl_readers {
	uint32_t capacity;
	struct {
		uint64_t epoch, info;
	} by_thread[];
};

/* Blocks that cells point to; for one execution, found by number. */
static struct sl_cell (*splits)[8];
static uint32_t split_count;
static struct sl_readers **reader_sets;
static uint32_t reader_count;
#define SPLITS_MAX (1u << 24)
#define READERS_MAX (1u << 24)

void
sl_race_reset(void)
{
	if (!splits) {
		splits = sl_private_alloc(SPLITS_MAX * sizeof(*splits));
		reader_sets = sl_private_alloc(READERS_MAX * sizeof(*reader_sets));
	}
	split_count = reader_count = 0;
}

/* ---- what threads know ---- */

static inline __attribute__((always_inline)) bool
ordered(const struct sl_thread *t, uint64_t epoch)
{
	uint64_t moment = epoch >> 16;

	return moment <= E.time.base || moment - E.time.base <= sl_clock_get(&t->clock, epoch & 0xffff);
}

bool
sl_ordered(uint64_t epoch)
{
	return ordered(E.current, epoch);
}

void
sl_tick(void)
{
	struct sl_thread *t = E.current;

	t->tick++;
	sl_clock_set(&t->clock, t->id, t->tick);
	t->epoch = (E.time.base + t->tick) << 16 | t->id;
}

void
sl_learn(const struct sl_clock *clock)
{
	struct sl_thread *t = E.current;

	if (clock->source == t->id || unlikely(E.stateful))
		return; /* the thread's own clock; or happens-before is off */
	/*
	 * first the cases that need no look into the thread's own snapshot, which is far away if there are many
	 * threads
	 */
	if (t->shown && sl_clock_get(clock, t->id) >= t->shown) {
		/*
		 * the other thread knew everything that this thread knows, except for this thread's own last ticks
		 */
		sl_clock_copy(&t->clock, clock);
		sl_clock_set(&t->clock, t->id, t->tick);
	} else if (sl_clock_covers(&t->clock, clock)) {
		return;
	} else {
		sl_clock_join(&t->clock, clock);
	}
	t->clock.source = SL_CLOCK_NO_THREAD; /* the clock is the thread's own, and was not published yet */
	t->shown = 0;
}

/* Publishes the running thread's clock for others to join; then its clock advances. */
static void
show(struct sl_clock *to, bool join)
{
	struct sl_thread *t = E.current;

	if (unlikely(E.stateful))
		return;
	t->clock.source = t->id;
	t->clock.moment = t->tick;
	if (join)
		sl_clock_join(to, &t->clock);
	else
		sl_clock_copy(to, &t->clock);
	t->clock.source = SL_CLOCK_NO_THREAD;
	t->shown = t->tick;
	sl_tick();
}

void
sl_acquire(struct sl_object *object)
{
	sl_learn(&object->clock);
}

void
sl_release(struct sl_object *object)
{
	show(&object->clock, false);
}

void
sl_release_join(struct sl_object *object)
{
	show(&object->clock, true);
}

void
sl_show(struct sl_clock *clock)
{
	show(clock, true);
}

/* ---- races ---- */

static void
culprit(struct sl_culprit *c, uint64_t epoch, uint64_t info)
{
	uint64_t flags = info >> SL_INFO_FLAGS & 7;

	*c = (struct sl_culprit){.thread = epoch & 0xffff, .pc = info & SL_INFO_PC};
	c->size = (uint8_t)__builtin_popcountll(info >> SL_INFO_MASK & 255);
	c->flags = (uint16_t)((flags & SL_INFO_WRITE ? SL_OP_WRITES : SL_OP_READS) |
			      (flags & SL_INFO_ATOMIC ? SL_OP_ATOMIC : 0) |
			      (flags & SL_INFO_VOLATILE ? SL_OP_VOLATILE : 0));
	if (flags & SL_INFO_ATOMIC)
		c->kind = flags & SL_INFO_WRITE ? SL_ATOMIC_STORE : SL_ATOMIC_LOAD;
	else
		c->kind = flags & SL_INFO_WRITE ? SL_WRITE : SL_READ;
}

static __attribute__((noinline, cold)) void
race(uint64_t granule, uint64_t info, uint64_t before_epoch, uint64_t before_info)
{
	struct sl_culprit now, before;
	uint64_t mask = info >> SL_INFO_MASK & 255 & (before_info >> SL_INFO_MASK & 255);

	sl_mark_bytes(granule, (uint8_t)(mask ? mask : 255));
	if (unlikely(sl_annotated) && sl_race_is_meant(granule, mask ? mask : 255))
		return;
	culprit(&now, E.current->epoch, info);
	now.index = E.current->op.index;
	culprit(&before, before_epoch, before_info);
	sl_found_race(&now, &before, granule + (mask ? (uint64_t)__builtin_ctzll(mask) : 0));
}

static __attribute__((noinline)) struct sl_readers *
readers_grow(struct sl_readers *old, uint32_t thread)
{
	uint32_t capacity = old ? old->capacity : 4;
	struct sl_readers *r;

	while (capacity <= thread)
		capacity *= 2;
	r = sl_scratch_alloc(sizeof(*r) + capacity * sizeof(r->by_thread[0]));
	r->capacity = capacity;
	for (uint32_t i = 0; old && i < old->capacity; i++)
		r->by_thread[i] = old->by_thread[i];
	return r;
}

static inline __attribute__((always_inline)) void
readers_set(struct sl_readers **set, uint64_t epoch, uint64_t info)
{
	uint32_t thread = epoch & 0xffff;

	if (!*set || thread >= (*set)->capacity)
		*set = readers_grow(*set, thread);
	(*set)->by_thread[thread].epoch = epoch;
	(*set)->by_thread[thread].info = info;
}

/* Reports a race with each of these accesses that does not happen before the running thread's access. */
static void
readers_check(const struct sl_readers *set, uint64_t granule, uint64_t info)
{
	for (uint32_t i = 0; set && i < set->capacity; i++) {
		uint64_t epoch = set->by_thread[i].epoch, before = set->by_thread[i].info;

		if (epoch && !ordered(E.current, epoch) && (before >> SL_INFO_MASK & info >> SL_INFO_MASK & 255))
			race(granule, info, epoch, before);
	}
}

static bool
is_current(uint64_t indirect)
{
	return (indirect >> 32 & 0x7fffffff) == E.sequence;
}

static inline __attribute__((always_inline)) void
cell_read(struct sl_cell *cell, uint64_t granule, uint64_t info)
{
	struct sl_thread *t = E.current;

	if (cell->read_epoch == t->epoch)
		return;
	if (!ordered(t, cell->write_epoch))
		race(granule, info, cell->write_epoch, cell->write_info);
	if (cell->read_epoch & INDIRECT) {
		if (is_current(cell->read_epoch)) {
			readers_set(&reader_sets[(uint32_t)cell->read_epoch], t->epoch, info);
			return;
		}
	} else if (!ordered(t, cell->read_epoch)) {
		if (reader_count == READERS_MAX)
			sl_trouble(SL_TROUBLE_LIMIT, 0, "places read by several threads");
		struct sl_readers **set = &reader_sets[reader_count];

		*set = NULL;
		readers_set(set, cell->read_epoch, cell->read_info);
		readers_set(set, t->epoch, info);
		cell->read_epoch = INDIRECT | (uint64_t)E.sequence << 32 | reader_count++;
		return;
	}
	cell->read_epoch = t->epoch;
	cell->read_info = info;
}

static void
cell_write(struct sl_cell *cell, uint64_t granule, uint64_t info)
{
	struct sl_thread *t = E.current;

	if (!ordered(t, cell->write_epoch))
		race(granule, info, cell->write_epoch, cell->write_info);
	if (cell->read_epoch & INDIRECT) {
		if (is_current(cell->read_epoch))
			readers_check(reader_sets[(uint32_t)cell->read_epoch], granule, info);
		cell->read_epoch = 0;
	} else if (!ordered(t, cell->read_epoch)) {
		race(granule, info, cell->read_epoch, cell->read_info);
	}
	cell->write_epoch = t->epoch;
	cell->write_info = (cell->write_info & SL_CELL_FLAGS) | (info & ~SL_CELL_FLAGS);
}

static uint64_t
mask_of(uint64_t info)
{
	return info >> SL_INFO_MASK & 255;
}

/* Gives every byte a cell of its own, with a copy of the accesses that covered it. */
static __attribute__((noinline, cold)) struct sl_cell *
split(struct sl_cell *cell)
{
	if (split_count == SPLITS_MAX)
		sl_trouble(SL_TROUBLE_LIMIT, 0, "mixed accesses");
	struct sl_cell *bytes = splits[split_count];
	uint64_t writes = cell->write_epoch > (E.time.base << 16 | 0xffff) ? mask_of(cell->write_info) : 0;
	bool shared = cell->read_epoch & INDIRECT && is_current(cell->read_epoch);
	uint64_t reads = mask_of(cell->read_info);

	if (!shared && ((cell->read_epoch & INDIRECT) || cell->read_epoch <= (E.time.base << 16 | 0xffff)))
		reads = 0;
	for (int i = 0; i < 8; i++) {
		bytes[i] = (struct sl_cell){0};
		if (writes >> i & 1) {
			bytes[i].write_epoch = cell->write_epoch;
			bytes[i].write_info = cell->write_info & ~SL_CELL_FLAGS;
		}
		if (reads >> i & 1 && !shared) {
			bytes[i].read_epoch = cell->read_epoch;
			bytes[i].read_info = cell->read_info;
		} else if (shared && reads >> i & 1) {
			struct sl_readers *from = reader_sets[(uint32_t)cell->read_epoch];

			reader_sets[reader_count] = NULL;
			for (uint32_t r = 0; r < from->capacity; r++)
				if (from->by_thread[r].epoch)
					readers_set(&reader_sets[reader_count], from->by_thread[r].epoch,
						    from->by_thread[r].info);
			bytes[i].read_epoch = INDIRECT | (uint64_t)E.sequence << 32 | reader_count++;
			bytes[i].read_info = cell->read_info;
		}
	}
	cell->write_epoch = INDIRECT | (uint64_t)E.sequence << 32 | split_count++;
	cell->read_epoch = 0;
	return bytes;
}

/* Checks the access against operations on the object that begins here, if it still exists. */
static void
check_object(uint64_t address, uint64_t granule, uint64_t info)
{
	struct sl_object *o = sl_object_find(address);
	struct sl_thread *t = E.current;

	if (!o)
		return;
	if (o->kind != SL_OBJECT_ATOMIC) {
		if (t->op.kind == SL_FREE && (t->op.pc & SL_INFO_PC) == (info & SL_INFO_PC)) {
			sl_object_ends(o);
			sl_life_end(o, info & SL_INFO_PC);
			o->used = 0; /* the next object here is another one */
			o->fresh = false;
		} else if (info >> SL_INFO_FLAGS & SL_INFO_WRITE && mask_of(info) >> (address & 7) & 1) {
			sl_life_written(o, info & SL_INFO_PC);
		}
		return;
	}
	readers_check(o->stores, granule, info);
	if (info >> SL_INFO_FLAGS & SL_INFO_WRITE)
		readers_check(o->loads, granule, info);
}

/*
 * Finding an object is slow, so the cell says where there may be one. The object may also begin after the access.
 */
static void
check_objects(const struct sl_cell *cell, uint64_t granule, uint64_t info)
{
	uint64_t flags = cell->write_info, mask = mask_of(info);

	if (flags & SL_CELL_OBJECT_0)
		check_object(granule, granule, info);
	if ((flags & SL_CELL_OBJECT_4) && mask >> 4)
		check_object(granule + 4, granule, info);
	if (likely(!(flags & SL_CELL_OBJECT_ELSEWHERE)))
		return;
	for (uint64_t byte = 1; byte < 8; byte++)
		if (byte != 4 && mask >> byte)
			check_object(granule + byte, granule, info);
}

static void
cell_access(struct sl_cell *cell, uint64_t granule, uint64_t info)
{
	if (info >> SL_INFO_FLAGS & SL_INFO_WRITE)
		cell_write(cell, granule, info);
	else
		cell_read(cell, granule, info);
}

static bool
stale(uint64_t epoch)
{
	return epoch & INDIRECT ? !is_current(epoch) : epoch <= (E.time.base << 16 | 0xffff);
}

static void
granule_access(struct sl_cell *cell, uint64_t granule, uint64_t info)
{
	uint64_t mask = mask_of(info);

	if (unlikely(cell->write_info & SL_CELL_OBJECTS))
		check_objects(cell, granule, info);
	if (unlikely(cell->write_epoch & INDIRECT)) {
		if (is_current(cell->write_epoch)) {
			struct sl_cell *bytes = splits[(uint32_t)cell->write_epoch];

			for (int i = 0; i < 8; i++)
				if (mask >> i & 1)
					cell_access(&bytes[i], granule,
						    (info & ~(255ul << SL_INFO_MASK)) | 1ul << (SL_INFO_MASK + i));
			return;
		}
		cell->write_epoch = 0;
	}
	if ((!stale(cell->write_epoch) && mask_of(cell->write_info) != mask) ||
	    (!stale(cell->read_epoch) && mask_of(cell->read_info) != mask)) {
		split(cell);
		granule_access(cell, granule, info);
		return;
	}
	cell_access(cell, granule, info);
}

/*
 * Checks an access that the cell does not have yet. Freeing clears the cell's epochs, so every use after that
 * comes here.
 */
void
sl_race_granule(struct sl_cell *cell, uint64_t granule, uint64_t info)
{
	if (sl_block_wrong(granule))
		sl_block_check(granule + (uint64_t)__builtin_ctzll(mask_of(info)),
			       (size_t)__builtin_popcountll(mask_of(info)),
			       info >> SL_INFO_FLAGS & SL_INFO_WRITE ? SL_WRITE : SL_READ, info & SL_INFO_PC);
	granule_access(cell, granule, info);
}

/* The stateful search does this instead of race detection. */
static void
share(uint64_t address, size_t size, unsigned flags, uint64_t info)
{
	sl_share(address, size, flags);
	for (uint64_t at = address & ~7ul; E.current->op.kind == SL_FREE && at < address + size; at += 8)
		if (sl_cell(at)->write_info & SL_CELL_OBJECTS)
			check_objects(sl_cell(at), at, info | 255ul << SL_INFO_MASK);
}

void
sl_race_access(uint64_t address, size_t size, unsigned flags, uint64_t pc)
{
	uint64_t info = sl_race_info(flags, pc);

	if (sl_block_covers(address))
		sl_block_check(address, size, flags & SL_OP_WRITES ? SL_WRITE : SL_READ, pc);
	if (unlikely(E.stateful)) {
		share(address, size, flags, info);
		return;
	}
	while (size) {
		uint64_t offset = address & 7, n = 8 - offset < size ? 8 - offset : size;
		uint64_t mask = ((1ul << n) - 1) << offset;

		granule_access(sl_cell(address), address & ~7ul, info | mask << SL_INFO_MASK);
		address += n;
		size -= n;
	}
}

/* Checks the part of an atomic access that is within one granule of eight bytes. */
static void
granule_atomic(struct sl_object *o, uint64_t offset, uint64_t size, unsigned flags, uint64_t info)
{
	struct sl_thread *t = E.current;
	uint64_t granule = o->address - offset, mask = ((1ul << size) - 1) << offset;
	uint64_t here = info | mask << SL_INFO_MASK;
	struct sl_cell *cell = sl_cell(granule), *bytes = NULL;

	cell->write_info |= sl_cell_object(o->address);
	if (cell->write_epoch & INDIRECT && is_current(cell->write_epoch))
		bytes = splits[(uint32_t)cell->write_epoch];
	else if (cell->write_epoch & INDIRECT)
		cell->write_epoch = 0;
	for (int i = 0; i < (bytes ? 8 : 1); i++) {
		struct sl_cell *c = bytes ? &bytes[i] : cell;

		if (bytes && !(mask >> i & 1))
			continue;
		if (!ordered(t, c->write_epoch) && (mask_of(c->write_info) & mask))
			race(granule, here, c->write_epoch, c->write_info);
		if (!(flags & SL_OP_WRITES))
			continue;
		if (c->read_epoch & INDIRECT) {
			if (is_current(c->read_epoch))
				readers_check(reader_sets[(uint32_t)c->read_epoch], granule, here);
		} else if (!ordered(t, c->read_epoch) && (mask_of(c->read_info) & mask)) {
			race(granule, here, c->read_epoch, c->read_info);
		}
	}
	readers_set(flags & SL_OP_WRITES ? &o->stores : &o->loads, t->epoch, here);
}

/* An atomic access: races with plain accesses that are not ordered with it. An atomic of more than eight bytes has
 * an object in each eight of them, for accesses that begin there. */
void
sl_race_atomic(struct sl_object *o, size_t size, unsigned flags, uint64_t pc)
{
	uint64_t info = sl_race_info(flags | SL_OP_ATOMIC, pc), offset = o->address & 7;
	uint64_t first = 8 - offset < size ? 8 - offset : size;

	if (unlikely(E.stateful)) {
		sl_share(o->address, size, flags);
		return;
	}
	granule_atomic(o, offset, first, flags, info);
	for (uint64_t rest = first; unlikely(rest < size); rest += 8) {
		struct sl_object *more = sl_object_peek((const void *)(o->address + rest), SL_OBJECT_ATOMIC);

		granule_atomic(more, 0, size - rest < 8 ? size - rest : 8, flags, info);
	}
}

bool
sl_race_written(uint64_t address, uint64_t *epoch, uint64_t *pc)
{
	const struct sl_cell *cell = sl_cell(address);

	if (cell->write_epoch & INDIRECT) {
		if (!is_current(cell->write_epoch))
			return false;
		cell = &splits[(uint32_t)cell->write_epoch][address & 7];
	}
	*epoch = cell->write_epoch;
	*pc = cell->write_info & SL_INFO_PC;
	return !stale(cell->write_epoch) && mask_of(cell->write_info) >> (address & 7) & 1;
}

void
sl_race_forget(uint64_t address, size_t size)
{
	for (uint64_t at = address & ~7ul; at < address + size; at += 8) {
		struct sl_cell *cell = sl_cell(at);

		if (cell->write_epoch | cell->read_epoch | (cell->write_info & SL_CELL_OBJECTS)) {
			cell->write_epoch = cell->read_epoch = 0;
			cell->write_info &= SL_CELL_MARKED;
		}
	}
}
