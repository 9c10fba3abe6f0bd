/*
 * The shadow: a cell for each eight bytes of the program, at an address computed from theirs.
 */
#ifndef SL_ENGINE_CORE_RACE_H
#define SL_ENGINE_CORE_RACE_H

#include "base/op.h"
#include "engine/core/object.h"
#include "engine/under/layout.h"

/* An epoch is (moment << 16 | thread); with the top bit, the number of a block of race.c. */
struct sl_cell {
	uint64_t write_epoch, read_epoch;
	uint64_t write_info, read_info; /* of the last access: see below */
};

/* info: the place (48 bits), which of the eight bytes (8), what kind of access (3); write_info also: flags of
 * the cell itself. */
#define SL_INFO_PC ((1ul << 48) - 1)
#define SL_INFO_MASK 48
#define SL_INFO_FLAGS 56
#define SL_INFO_WRITE 1
#define SL_INFO_ATOMIC 2
#define SL_INFO_VOLATILE 4
/*
 * an atomic or a synchronisation object begins here (perhaps in an earlier execution): at the first byte, the
 * fifth, or another
 */
#define SL_CELL_OBJECT_0 (1ul << 59)
#define SL_CELL_OBJECT_4 (1ul << 60)
#define SL_CELL_OBJECT_ELSEWHERE (1ul << 61)
#define SL_CELL_OBJECTS (SL_CELL_OBJECT_0 | SL_CELL_OBJECT_4 | SL_CELL_OBJECT_ELSEWHERE)
#define SL_CELL_MARKED (1ul << 62) /* some operations here are points of choice (mark.c) */
#define SL_CELL_FLAGS (SL_CELL_OBJECTS | SL_CELL_MARKED)

static inline struct sl_cell *
sl_cell(uint64_t address)
{
	return (struct sl_cell *)(SL_SHADOW_ADDRESS + ((address & ((1ul << SL_SHADOW_BITS) - 8)) << 2));
}

static inline uint64_t
sl_cell_object(uint64_t address)
{
	uint64_t offset = address & 7;

	return offset == 0 ? SL_CELL_OBJECT_0 : offset == 4 ? SL_CELL_OBJECT_4 : SL_CELL_OBJECT_ELSEWHERE;
}

static inline uint64_t
sl_race_info(unsigned flags, uint64_t pc)
{
	return (pc & SL_INFO_PC) | ((uint64_t)((flags & SL_OP_WRITES ? SL_INFO_WRITE : 0) |
					       (flags & SL_OP_ATOMIC ? SL_INFO_ATOMIC : 0) |
					       (flags & SL_OP_VOLATILE ? SL_INFO_VOLATILE : 0))
				    << SL_INFO_FLAGS);
}

/* The program has annotated races (dynamic_annotations.c). */
extern bool sl_annotated;
/*
 * An access that is not checked for races: other threads may observe it nevertheless, so it is a point from the
 * next execution on.
 */
void sl_race_ignore(uint64_t address, uint64_t size);
bool sl_race_is_meant(uint64_t granule, uint64_t mask);

/* Returns whether the byte was written in this execution, and stores the last access that did. */
bool sl_race_written(uint64_t address, uint64_t *epoch, uint64_t *pc);

void sl_race_granule(struct sl_cell *cell, uint64_t granule, uint64_t info);

/* ---- happens-before ---- */

void sl_race_access(uint64_t address, size_t size, unsigned flags, uint64_t pc);
void sl_race_atomic(struct sl_object *object, size_t size, unsigned flags, uint64_t pc);
void sl_race_forget(uint64_t address, size_t size); /* the memory is new */
bool sl_ordered(uint64_t epoch); /* whether the epoch happens before the running thread's current operation */
void sl_race_reset(void);
void sl_acquire(struct sl_object *object);
void sl_release(struct sl_object *object);
void sl_release_join(struct sl_object *object);
void sl_learn(const struct sl_clock *clock);
void sl_show(struct sl_clock *clock); /* joins the running thread's clock to it */
void sl_tick(void);

#endif
