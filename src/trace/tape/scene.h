/*
 * What the items of a tape add up to: who is in which call, who holds which locks, which blocks of the heap there are.
 * From that and the tape's own names every object gets a stable name (docs: DESIGN D6): a global by its variable, a block of
 * the heap by the calls that led to its allocation and how many came before it there, in the same thread; the rest of a stack by its thread.
 *
 * Whoever reads items calls sl_scene_before() with each, asks, and then calls sl_scene_after(). Memory grows with what
 * lives, and with the number of different call paths, not with the number of items.
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

/* What is at the object's address, "account.balance", "heap block from list.c:31 (add < main) #2 of 0.1, +8", the
 * function that is called or returned from, the event; "" for address 0, and if the call was not seen. Other kinds of
 * objects are known to report/trace/tape_report.h. Returns text. */
const char *sl_scene_object(const struct sl_scene *scene, const struct sl_item *item, char *text, size_t room);
/* What is at an address; size 0: a synchronisation object. */
const char *sl_scene_address(const struct sl_scene *scene, uint64_t address, uint32_t size, char *text,
			     size_t room);
/* "main", "T1", "T1 worker". */
const char *sl_scene_thread(const struct sl_scene *scene, uint32_t thread, char *text, size_t room);

struct sl_scene_lock {
	uint64_t object, pc; /* pc: where it was taken */
	bool read;           /* shared with other readers */
};

/* The locks that a thread holds, in the order in which it took them. */
size_t sl_scene_locks(const struct sl_scene *scene, uint32_t thread, const struct sl_scene_lock **locks);
/* What IO_OPEN said of a channel; UINT64_MAX: it was not seen. */
uint64_t sl_scene_channel(const struct sl_scene *scene, uint64_t address);
/* Of ALLOC and FREE: bytes that were asked for. */
uint64_t sl_scene_size(const struct sl_scene *scene, const struct sl_item *item);
/* Of CALL and RETURN: the function; 0: it is not known, or the item is another one. */
uint64_t sl_scene_function(const struct sl_scene *scene, const struct sl_item *item);

/* Does the item take the lock (which is its object), give one back (of which *object is the address), or neither? */
bool sl_item_acquires(const struct sl_item *item, bool *read);
bool sl_item_releases(const struct sl_item *item, uint64_t *object);

#endif
