/*
 * Assembly in the program's functions. The plugins (src/plugin) announce the accesses of an asm statement before
 * the statement performs them. Statements with unknown accesses are counted by place, and the verdict names them.
 */
#ifndef SL_ENGINE_MODEL_MEMORY_ASSEMBLY_H
#define SL_ENGINE_MODEL_MEMORY_ASSEMBLY_H

#include "base/op.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How an operand is accessed: a byte for each in the first argument of __sleave_asm(). As in src/plugin/asm_operands.hh. */
#define SL_ASM_READS 1u
#define SL_ASM_WRITES 2u
#define SL_ASM_ATOMIC 4u
#define SL_ASM_LOCKED 8u /* reading and writing are one operation */
#define SL_ASM_SWAPS 16u /* writes only if the value is the expected one */

/*
 * An atomic operation that an instruction of the program performs right after this (atomic.c). how: SL_ASM_…;
 * wanted: the expected value of a compare-and-swap. point: it is a point; else it is a part of the operation that
 * the thread has announced. Returns whether it may change something.
 */
bool sl_atomic_foretell(unsigned how, uint64_t address, size_t size, uint64_t wanted, bool point, uint64_t pc);

/* A plain access that is a part of the operation that the thread has announced (access.c). */
void sl_access_along(uint64_t address, size_t size, unsigned flags, uint64_t pc);

/* The program is about to write there: whether that changes anything is checked later (access.c). */
void sl_write_foretell(uint64_t address, size_t size);

#endif
