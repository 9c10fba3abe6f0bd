/*
 * Memory in bulk. Mostly for what happens between two executions: bringing much memory back to what it was, of which little
 * has changed. Reading costs less than writing, so every chunk is looked at first; and what was never written stays
 * the kernel's one page of zeroes, which the processor has at hand.
 */
#ifndef SL_ENGINE_UNDER_BULK_H
#define SL_ENGINE_UNDER_BULK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SL_CHUNK 512ul /* sizes are multiples of it */

void sl_bulk_restore(void *to, const void *from, size_t size); /* the chunks that differ */
void sl_bulk_clear(void *at, size_t size);                     /* the chunks that are not zero */
/* A stack between low and top, as far down as it was used: at least to lowest. */
void sl_bulk_clear_stack(uintptr_t low, uintptr_t top, uintptr_t lowest);
bool sl_bulk_differs(const void *a, const void *b, size_t size);
bool sl_bulk_is_zero(const void *at, size_t size);
/* Clocks of many threads; any number of entries. */
void sl_bulk_maximum(uint32_t *to, const uint32_t *a, const uint32_t *b, size_t count);

#endif
