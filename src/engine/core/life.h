/*
 * The lifetime of a mutex, condition variable, semaphore, …: sl_life_begin() when its initialiser is called,
 * sl_life_init() when that has succeeded, sl_life_used() for each use (by sl_misuse_check()), sl_object_ends()
 * before the choice to destroy it, and sl_life_end() after that.
 */
#ifndef SL_ENGINE_CORE_LIFE_H
#define SL_ENGINE_CORE_LIFE_H

#include "engine/core/engine.h"

/* The running thread is about to initialise an object there. */
void sl_life_begin(const void *at, uint64_t pc);
/* The running thread has initialised the object, which is returned; usable: the memory could have been used as an
 * object of this kind before. */
struct sl_object *sl_life_init(const void *at, enum sl_object_kind kind, bool usable);
/* Initialises a semaphore as part of another operation that was announced. */
void sl_life_semaphore(sem_t *semaphore, unsigned value);
/* The running thread uses a fresh object. */
void sl_life_used(struct sl_object *object, uint64_t pc);
/* The running thread writes to the object's memory. */
void sl_life_written(struct sl_object *object, uint64_t pc);
/* The object is used for the first time in this execution; its memory was written at that place before. */
void sl_life_found(struct sl_object *object, uint64_t epoch, uint64_t pc);
/* The running thread has destroyed the object, or frees its memory. */
void sl_life_end(const struct sl_object *object, uint64_t pc);

#endif
