/*
 * What the items of a tape add up to: which thread is in which call and holds which locks, and which blocks of the heap
 * there are. From that and the tape's own names every object gets a name that is the same in each execution (docs: DESIGN D6):
 * a global by its variable, a block of the heap by the calls that led to its allocation and how many came before it there, in
 * the same thread; a local variable by its thread. report/trace makes the names.
 *
 * The reader of a tape calls sl_scene_before() with each item, asks, and then calls sl_scene_after(). Memory grows with the
 * blocks that are alive, and with the number of different call paths, not with the number of items.
 */
#ifndef SL_TRACE_TAPE_SCENE_H
#define SL_TRACE_TAPE_SCENE_H

#include "trace/tape/tape.h"

struct sl_scene;

struct sl_scene *sl_scene_new(const struct sl_tape *tape);
void sl_scene_free(struct sl_scene *scene);

/* After damage, and when another part begins: nothing is known. */
void sl_scene_forget(struct sl_scene *scene);

void sl_scene_before(struct sl_scene *scene, const struct sl_item *item);
void sl_scene_after(struct sl_scene *scene, const struct sl_item *item);

/* A block of the heap, which is named by the calls that led to its allocation, and by how many came before it there. */
#define SL_SCENE_CALLERS 3 /* that are named */
struct sl_scene_block {
	uint64_t pc;                           /* where it was allocated */
	uint32_t thread;                       /* … and by which thread */
	uint64_t ordinal;                      /* among those of its thread and calls, from 1 */
	uint64_t offset;                       /* of the address that was asked for */
	const char *callers[SL_SCENE_CALLERS]; /* functions, the innermost first */
	size_t caller_count;
};
/* False: the address is in none. */
bool sl_scene_block(const struct sl_scene *scene, uint64_t address, struct sl_scene_block *block);
/* Whose stack the address is on, and how far from its beginning. False: it is on none that is known. */
bool sl_scene_stack(const struct sl_scene *scene, uint64_t address, uint32_t *thread, uint64_t *depth);
/* The start function of a thread that has started; NULL: unknown, or not the program's. */
const char *sl_scene_start(const struct sl_scene *scene, uint32_t thread);

/* The locks that a thread holds, in the order in which it took them; `taken` is the place. */
size_t sl_scene_locks(const struct sl_scene *scene, uint32_t thread, const struct sl_hold **locks);
/* What IO_OPEN said of a channel; UINT64_MAX: it was not seen. */
uint64_t sl_scene_channel(const struct sl_scene *scene, uint64_t address);
/* Of ALLOC and FREE: bytes that were asked for. */
uint64_t sl_scene_size(const struct sl_scene *scene, const struct sl_item *item);
/* Of CALL and RETURN: the function; 0: it is not known, or the item is another one. */
uint64_t sl_scene_function(const struct sl_scene *scene, const struct sl_item *item);

#endif
