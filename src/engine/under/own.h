/*
 * What all parts of the engine use: memory of its own, copying and comparing without libc, and how the engine
 * gives up.
 */
#ifndef SL_ENGINE_UNDER_OWN_H
#define SL_ENGINE_UNDER_OWN_H

#include "base/raw.h"
#include "engine/under/layout.h"
#include "search/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SL_EXPORT __attribute__((visibility("default")))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define SL_PC ((uint64_t)__builtin_return_address(0))
#define SL_LINE 64 /* bytes of a cache line */
#define SL_NOWHERE UINT32_MAX

/* ---- memory (own_memory.c, own_bytes.c) ---- */

bool sl_memory_map(void); /* to be called first; false: the system does not provide that much address space */
void *sl_private_alloc(size_t size); /* zeroed, and never freed */
void *sl_scratch_alloc(size_t size); /* zeroed, and freed at the end of the execution */
void sl_scratch_reset(void);
void sl_scratch_each(void (*function)(void *at, size_t size)); /* calls it for each part, for a checkpoint */
void *sl_memcpy(void *to, const void *from, size_t n); /* functions for memory that are not interposed */
void *sl_memset(void *to, int byte, size_t n);
void *sl_memmove(void *to, const void *from, size_t n);
size_t sl_strlen(const char *s);

/* ---- giving up (engine/run/loop.c) ---- */

_Noreturn void sl_trouble(enum sl_trouble trouble, uint64_t pc, const char *detail);
void sl_escaped(const char *name, uint64_t pc);
_Noreturn void sl_bug(const char *file, int line, const char *what);
#define sl_check(condition) ((condition) ? (void)0 : sl_bug(__FILE__, __LINE__, #condition))

#endif
