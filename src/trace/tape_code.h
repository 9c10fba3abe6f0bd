/*
 * Items as few bytes, for one block of a tape (trace/tape.h). What a thread does next is predicted from what it did
 * after the same two items before; which address it touches, from what the same place touched last and from what the thread
 * touched just before. A stretch of items that all came as predicted is one number; of any other item only that is
 * written which was predicted wrong. Writer and reader predict from the same items, so they predict the same.
 */
#ifndef SL_TRACE_TAPE_CODE_H
#define SL_TRACE_TAPE_CODE_H

#include "trace/bytes.h"
#include "trace/item.h"

#define SL_TAPE_THREADS_MAX (1u << 20)

struct sl_code;

struct sl_code *sl_code_new(void);
void sl_code_free(struct sl_code *code);

/* A block begins. */
void sl_code_reset(struct sl_code *code);

/* True: an item of this kind, place, size and flags is new in this block. */
bool sl_code_write(struct sl_code *code, struct sl_bytes *to, const struct sl_item *item);
void sl_code_write_end(struct sl_code *code, struct sl_bytes *to); /* after the last of the block */

/* False: that is no item. */
bool sl_code_read(struct sl_code *code, struct sl_cursor *from, struct sl_item *item);

#endif
