/*
 * Codes items in few bytes, within one block of a tape (trace/tape/tape.h). A thread's next item is predicted from
 * those that followed the same two items before; its address from the last address of the same place and from the
 * thread's last address. A run of items that all came as predicted is one number; of any other item only the
 * wrongly predicted parts are written. Writer and reader predict from the same items, so they predict the same.
 */
#ifndef SL_TRACE_TAPE_TAPE_CODE_H
#define SL_TRACE_TAPE_TAPE_CODE_H

#include "trace/lane/item.h"
#include "trace/lane/reel.h"
#include "trace/tape/bytes.h"

#define SL_TAPE_THREADS_MAX (1u << 20)

struct sl_tape_code;

struct sl_tape_code *sl_code_new(void);
void sl_code_free(struct sl_tape_code *code);

/* A block begins. */
void sl_code_reset(struct sl_tape_code *code);

/* Returns true if an item of this kind, place, size and flags is new in this block. */
bool sl_code_write(struct sl_tape_code *code, struct sl_bytes *to, const struct sl_item *item);
/*
 * The same for items of one thread as they are in a lane (trace/lane/reel.h), up to the first that mentions
 * something new in this block. Returns the number of their words, with tickets up to the limit and padding, and
 * adds to *items. `is_named` says whether all addresses from the first to the last, by this step, have the names
 * that they need (size: of each access).
 */
typedef bool sl_code_is_named(void *data, uint64_t first, uint64_t last, uint64_t step, uint8_t size);
/* … outside of [low, high), where no address has a name. */
void sl_code_bare(struct sl_tape_code *code, uint64_t low, uint64_t high);
uint64_t sl_code_write_words(struct sl_tape_code *code, struct sl_bytes *to, uint32_t thread, const uint64_t *words,
			     uint64_t count, uint64_t limit, uint64_t most, sl_code_is_named *is_named, void *data,
			     uint64_t *items);
/*
 * Writes `count` items of a loop from the item `first` on, as far as they continue in the same way; returns how
 * many.
 */
uint64_t sl_code_write_loop(struct sl_tape_code *code, struct sl_bytes *to, uint32_t thread,
			    const struct sl_reel_loop *loop, uint64_t first, uint64_t count,
			    sl_code_is_named *is_named, void *data);

void sl_code_write_end(struct sl_tape_code *code, struct sl_bytes *to); /* to be called after the last item of the block */

/* False: the bytes are no item. */
bool sl_code_read(struct sl_tape_code *code, struct sl_cursor *from, struct sl_item *item);

#endif
