/*
 * Marks: the memory and objects whose operations are points of choice. Data that raced, and synchronisation
 * objects that two threads used, are marked, and count from the next execution on.
 *
 * In a program without races it is enough to interleave its synchronisation; a race that exists shows in one of
 * those executions, is marked, and from then on its accesses are interleaved as well. So the search is exhaustive
 * (an exhaustive strategy starts over when marks were added).
 *
 * The arena has them in the order in which they were found, for all workers and processes: the address of eight
 * bytes and a set of these bytes. A mark may also say that an object is watched, that is, a thread examines it
 * without blocking, so that releasing it is a point as well; or that initialising an object is a point. The
 * process has a hash table of the marks; a flag in the shadow says where a lookup is needed.
 */
#include "base/rng.h"
#include "engine/core/engine.h"
#include "engine/core/race.h"
#include "engine/under/poison.h"
#include "search/phase.h"

#define BYTES 56            /* in a mark: which of the eight bytes, from this bit */
#define WATCHED (1ul << 47) /* in a mark: this is about releases of the object */
#define MADE (1ul << 48)    /* in a mark: this is about initialising the object */
#define SLOTS (2 * SL_MARKS_MAX)

struct slot {
	uint64_t key;
	uint8_t noted;           /* the bytes that this process has noted */
	uint8_t noted_by_others; /* the bytes that are in the arena, noted by any process */
	uint8_t counts;          /* the bytes that are marked in this execution */
};

static struct slot *table;
static uint64_t applied; /* the number of the arena's marks that count */
static uint64_t known;   /* the number that this process has read */

/* Gives up after a while: a worker that was killed while it held the lock must not stop the others. */
static void
lock(uint32_t *word)
{
	for (int i = 0; i < 1000000 && __atomic_exchange_n(word, 1, __ATOMIC_ACQUIRE); i++)
		__builtin_ia32_pause();
}

static struct slot *
slot_of(uint64_t key)
{
	if (unlikely(!table))
		table = sl_private_alloc(SLOTS * sizeof(*table));
	for (uint32_t at = (uint32_t)sl_mix(key);; at++) {
		struct slot *s = &table[at % SLOTS];

		if (s->key == key || !s->key) {
			s->key = key;
			return s;
		}
	}
}

static struct slot *
slot_of_mark(uint64_t mark)
{
	return slot_of(mark & ((1ul << BYTES) - 1));
}

static void
note(uint64_t key, uint8_t bytes)
{
	struct sl_arena *a = E.arena;
	struct slot *s = slot_of(key);

	if ((s->noted & bytes) == bytes || sl_phase_of(E.worker)->own_program)
		return;
	s->noted |= bytes;
	lock(&a->marks.lock);
	/* read what other workers have noted meanwhile */
	for (; known < a->marks.count && known < SL_MARKS_MAX; known++)
		slot_of_mark(a->marks.table[known])->noted_by_others |= (uint8_t)(a->marks.table[known] >> BYTES);
	if ((s->noted_by_others & bytes) == bytes)
		;
	else if (a->marks.count < SL_MARKS_MAX) {
		a->marks.table[a->marks.count] = key | (uint64_t)bytes << BYTES;
		a->marks.sum += sl_mix(a->marks.table[a->marks.count] + 1);
		__atomic_store_n(&a->marks.count, a->marks.count + 1, __ATOMIC_RELEASE);
	} else
		E.worker->marks.full = 1;
	__atomic_store_n(&a->marks.lock, 0, __ATOMIC_RELEASE);
}

void
sl_mark_bytes(uint64_t granule, uint8_t bytes)
{
	note(granule & ~7ul, bytes);
}

void
sl_mark(uint64_t address)
{
	note(address & ~7ul, (uint8_t)(1u << (address & 7)));
}

void
sl_watch(uint64_t address)
{
	note((address & ~7ul) | WATCHED, (uint8_t)(1u << (address & 7)));
}

/* Initialising the object, and every use of it, is a point: nothing orders the two. */
void
sl_mark_made(uint64_t address)
{
	note((address & ~7ul) | MADE, (uint8_t)(1u << (address & 7)));
	sl_mark(address);
	sl_watch(address);
}

bool
sl_marked_bytes(uint64_t granule, uint8_t bytes)
{
	return (sl_cell(granule)->write_info & SL_CELL_MARKED) && (slot_of(granule)->counts & bytes);
}

bool
sl_marked(uint64_t address)
{
	return sl_marked_bytes(address & ~7ul, (uint8_t)(1u << (address & 7)));
}

bool
sl_watched(uint64_t address)
{
	uint64_t granule = address & ~7ul;

	return (sl_cell(granule)->write_info & SL_CELL_MARKED) &&
	       (slot_of(granule | WATCHED)->counts & 1u << (address & 7));
}

bool
sl_made_marked(uint64_t address)
{
	uint64_t granule = address & ~7ul;

	return (sl_cell(granule)->write_info & SL_CELL_MARKED) &&
	       (slot_of(granule | MADE)->counts & 1u << (address & 7));
}

bool
sl_marked_range(uint64_t address, size_t size)
{
	uint64_t first = address & ~7ul;

	/* for a large range and few marks, reading the marks is faster than reading the shadow */
	if (size / 8 > applied) {
		for (uint64_t i = 0; i < applied; i++) {
			uint64_t mark = E.arena->marks.table[i], at = mark & ((1ul << BYTES) - 1);

			if (at >= first && at < address + size &&
			    (sl_granule_bytes(at, address, size) & mark >> BYTES))
				return true;
		}
		return false;
	}
	for (uint64_t at = first; at < address + size; at += 8)
		if (sl_marked_bytes(at, sl_granule_bytes(at, address, size)))
			return true;
	return false;
}

static struct sl_cell *
cell_of_mark(uint64_t mark)
{
	return sl_cell(mark & (WATCHED - 1));
}

/* Makes exactly the first `count` marks count. */
void
sl_marks_apply(uint64_t count)
{
	struct sl_arena *a = E.arena;

	if (count > SL_MARKS_MAX)
		count = SL_MARKS_MAX;
	if (count < applied) { /* an earlier execution is repeated, with the marks of that time */
		for (uint64_t i = 0; i < applied; i++) {
			slot_of_mark(a->marks.table[i])->counts = 0;
			cell_of_mark(a->marks.table[i])->write_info &= ~SL_CELL_MARKED;
		}
		applied = 0;
	}
	for (; applied < count; applied++) {
		uint64_t mark = a->marks.table[applied];
		struct slot *s = slot_of_mark(mark);

		s->noted |= (uint8_t)(mark >> BYTES);
		s->counts |= (uint8_t)(mark >> BYTES);
		cell_of_mark(mark)->write_info |= SL_CELL_MARKED;
	}
}

/* The exploration is over: the next one has another arena, without marks. */
void
sl_marks_forget(void)
{
	struct sl_arena *a = E.arena;

	for (uint64_t i = 0; i < a->marks.count && i < SL_MARKS_MAX; i++) {
		struct slot *s = slot_of_mark(a->marks.table[i]);

		s->noted = s->noted_by_others = s->counts = 0;
		cell_of_mark(a->marks.table[i])->write_info &= ~SL_CELL_MARKED;
	}
	applied = known = 0;
}
