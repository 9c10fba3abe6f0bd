/*
 * Accesses to memory (engine/model/memory/access.c).
 */
#ifndef SL_ENGINE_UPCALL_ACCESS_H
#define SL_ENGINE_UPCALL_ACCESS_H

#include <stddef.h>
#include <stdint.h>

void sl_access(uint64_t address, size_t size, unsigned flags, uint64_t pc);
void sl_access_range(const void *address, size_t size, unsigned flags, uint64_t pc);
/* The program offers these bytes to the kernel: an operation on as many of them as can be read. The number that
 * the kernel has read is known after the call; these bytes are checked for races then (sl_io_done()). */
void sl_access_offer(const void *address, size_t size, unsigned flags, uint64_t pc);
/*
 * libc or the kernel is about to write at most these bytes: the point of choice, if there is one. The number of
 * bytes written is known after the call: the operation follows then, and is checked for races.
 */
void sl_access_intend(const void *address, size_t size, uint64_t pc);
void sl_access_done(const void *address, size_t size, uint64_t pc);

#endif
