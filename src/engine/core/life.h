/*
 * How a mutex, condition variable, semaphore, … begins: with sl_life_begin() when its initialiser is called, and
 * sl_life_init() when that has succeeded. Each use passes sl_life_used() (by sl_misuse_check()) when it is its turn.
 * How it ends: sl_object_ends() before the choice, sl_life_end() after it.
 */
#ifndef SL_ENGINE_CORE_LIFE_H
#define SL_ENGINE_CORE_LIFE_H

#include "engine/core/engine.h"

/* The running thread is about to initialise what lies there. */
void sl_life_begin(const void *at, uint64_t pc);
/* The running thread has initialised the object, which is returned; usable: what was there before could have been used as an
 * object of this kind. */
struct sl_object *sl_life_init(const void *at, enum sl_object_kind kind, bool usable);
/* A semaphore that is made as a part of something else, which was announced. */
void sl_life_semaphore(sem_t *semaphore, unsigned value);
/* Of a fresh object: the running thread uses it. */
void sl_life_used(struct sl_object *object, uint64_t pc);
/* The running thread writes to the object's memory. */
void sl_life_written(struct sl_object *object, uint64_t pc);
/* The object is used for the first time in this execution; its memory was written at that place before. */
void sl_life_found(struct sl_object *object, uint64_t epoch, uint64_t pc);
/* The running thread has destroyed the object, or frees its memory. */
void sl_life_end(const struct sl_object *object, uint64_t pc);

#endif
