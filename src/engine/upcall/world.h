/*
 * The world: the program's initial state and its restoration (engine/run/world.c), and the memory that can be
 * reached at the end (engine/run/reach.c).
 */
#ifndef SL_ENGINE_UPCALL_WORLD_H
#define SL_ENGINE_UPCALL_WORLD_H

#include <stdbool.h>
#include <stdint.h>

struct sl_finding;

void sl_world_padding(uintptr_t low, uintptr_t high); /* unused memory that is not saved */
void sl_world_save(void);
void sl_world_restore(void);
bool sl_world_is_libc(uint64_t pc); /* whether the place is in libc or the dynamic linker */
bool sl_world_has_strays(void);
void sl_world_rewind(void);
/* calls it for each mapping of the program's data */
void sl_world_each(void (*function)(uint64_t low, uint64_t high));
void sl_reach(uint32_t n);                     /* reach.c: an execution has ended with the n-th kind of end */
bool sl_reach_again(struct sl_finding *found); /* the traced leak: whether any block was lost */
void sl_world_adopt_begin(void);               /* around a change that must survive restoring */
void sl_world_adopt_end(void);

#endif
