/*
 * The scene: what the items of a tape add up to. It knows which calls each thread is in, which locks it holds, and
 * which blocks the heap has. With the tape's own names this gives every object a name that is the same in each
 * execution: a global variable has its own; a block of the heap is named by the calls that led to its allocation
 * and by how many blocks the same thread allocated there before; a local variable by its thread. report/trace
 * forms the names.
 *
 * The reader of a tape calls sl_scene_before() with each item, asks, and then calls sl_scene_after(). Memory grows
 * with the number of live blocks and of different call paths, not with the number of items.
 */
#ifndef SL_TRACE_TAPE_SCENE_H
#define SL_TRACE_TAPE_SCENE_H

#include "trace/tape/tape.h"

struct sl_scene;

struct sl_scene *sl_scene_new(const struct sl_tape *tape);
void sl_scene_free(struct sl_scene *scene);

/* To be called after damage, and when another part begins: nothing is known any more. */
void sl_scene_forget(struct sl_scene *scene);

void sl_scene_before(struct sl_scene *scene, const struct sl_item *item);
void sl_scene_after(struct sl_scene *scene, const struct sl_item *item);

/*
 * A block of the heap, identified by the calls that led to its allocation, and by the number of blocks that came
 * from there before.
 */
#define SL_SCENE_CALLERS 3 /* calls that a name has */
struct sl_scene_block {
	uint64_t pc;                           /* where it was allocated */
	uint32_t thread;                       /* … and by which thread */
	uint64_t ordinal;                      /* among those of its thread and calls, from 1 */
	uint64_t offset; /* of the address in question */
	const char *callers[SL_SCENE_CALLERS]; /* functions, the innermost first */
	size_t caller_count;
};
/* False: no block has the address. */
bool sl_scene_block(const struct sl_scene *scene, uint64_t address, struct sl_scene_block *block);
/*
 * Finds the thread on whose stack the address is, and its distance from the stack's beginning. False: it is on no
 * known stack.
 */
bool sl_scene_stack(const struct sl_scene *scene, uint64_t address, uint32_t *thread, uint64_t *depth);
/* The start function of a thread that has started; NULL: unknown, or not the program's. */
const char *sl_scene_start(const struct sl_scene *scene, uint32_t thread);

/* The locks that a thread holds, in the order in which it took them; `taken` is the place. */
size_t sl_scene_locks(const struct sl_scene *scene, uint32_t thread, const struct sl_hold **locks);
/* The value of the channel's IO_OPEN; UINT64_MAX: that was not seen. */
uint64_t sl_scene_channel(const struct sl_scene *scene, uint64_t address);
/* Of ALLOC and FREE: the size that was asked for. */
uint64_t sl_scene_size(const struct sl_scene *scene, const struct sl_item *item);
/* Of CALL and RETURN: the function; 0: it is not known, or the item is another one. */
uint64_t sl_scene_function(const struct sl_scene *scene, const struct sl_item *item);

#endif
