/*
 * Operations on much memory, mostly between two executions: restoring memory of which little has changed. Reading
 * costs less than writing, so every chunk is compared first; memory that was never written stays the kernel's page
 * of zeroes, which is in the processor's cache.
 */
#ifndef SL_ENGINE_UNDER_BULK_H
#define SL_ENGINE_UNDER_BULK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SL_CHUNK 512ul /* sizes are multiples of this */

void sl_bulk_restore(void *to, const void *from, size_t size); /* copies the chunks that differ */
void sl_bulk_clear(void *at, size_t size); /* clears the chunks that are not zero */
/* Clears a stack between low and top, down to where it was used: at least to lowest. */
void sl_bulk_clear_stack(uintptr_t low, uintptr_t top, uintptr_t lowest);
bool sl_bulk_differs(const void *a, const void *b, size_t size);
bool sl_bulk_is_zero(const void *at, size_t size);
/* For clocks of many threads; any number of entries. */
void sl_bulk_maximum(uint32_t *to, const uint32_t *a, const uint32_t *b, size_t count);

#endif
