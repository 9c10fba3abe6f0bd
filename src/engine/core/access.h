/*
 * Accesses to memory (engine/model/memory/access.c).
 */
#ifndef SL_ENGINE_CORE_ACCESS_H
#define SL_ENGINE_CORE_ACCESS_H

#include <stddef.h>
#include <stdint.h>

void sl_access(uint64_t address, size_t size, unsigned flags, uint64_t pc);
void sl_access_range(const void *address, size_t size, unsigned flags, uint64_t pc);
/* What the kernel is offered: an operation, on as much as can be read. What it takes of that is known after the call, and then
 * checked for races (sl_io_done()). */
void sl_access_offer(const void *address, size_t size, unsigned flags, uint64_t pc);
/*
 * What libc or the kernel is about to write, as far as that can be known: the point of choice, if there is one. How much
 * it has written is known after the call: that is the operation, and checked for races.
 */
void sl_access_intend(const void *address, size_t size, uint64_t pc);
void sl_access_done(const void *address, size_t size, uint64_t pc);

#endif
