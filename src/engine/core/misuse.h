/*
 * Misuse of mutexes and similar objects: undefined by POSIX, reported as findings (--misuse). Used by the models
 * of the objects.
 */
#ifndef SL_ENGINE_CORE_MISUSE_H
#define SL_ENGINE_CORE_MISUSE_H

#include "engine/core/engine.h"

/* Encodes the running thread and a place: thread << 48 | place. */
static inline uint64_t
sl_by(uint64_t pc)
{
	return (pc & ((1ul << 48) - 1)) | (uint64_t)E.current->id << 48;
}

static inline uint64_t
sl_by_waiter(const struct sl_thread *t)
{
	return (t->op.pc & ((1ul << 48) - 1)) | (uint64_t)t->id << 48;
}

/*
 * Reports misuse by the running thread; earlier: sl_by() of another thread's earlier operation, or 0. Returns if
 * misuse is only a warning, or is not reported.
 */
void sl_misuse(const char *message, uint64_t object, uint64_t pc, uint64_t earlier, enum sl_op_kind kind);
/* The same, but never more than a warning: the behaviour is defined, though questionable. */
void sl_misuse_warn(const char *message, uint64_t object, uint64_t pc, uint64_t earlier, enum sl_op_kind kind);

/* The object is destroyed: later uses of it are reported. word: one of its words that only libc needs. */
void sl_misuse_destroy(struct sl_object *object, uint32_t *word, uint64_t pc);
/* The running thread is about to use the object; sane: its memory looks initialised. */
void sl_misuse_check(struct sl_object *object, const uint32_t *word, bool sane, uint64_t pc);

void sl_misuse_held(struct sl_object *object, struct sl_thread *thread);
void sl_misuse_exit(uint64_t pc); /* the program ends */

#endif
