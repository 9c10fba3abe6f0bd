/*
 * Misuse of mutexes and their like: undefined by POSIX, told as findings (--misuse). Used where the objects are.
 */
#ifndef SL_ENGINE_CORE_MISUSE_H
#define SL_ENGINE_CORE_MISUSE_H

#include "engine/core/engine.h"

/* Which thread did something, and where: thread << 48 | place. */
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
 * The running thread does what the message says; earlier: sl_by() of what another one did before, or 0. Comes back
 * if that is a warning, or nothing.
 */
void sl_misuse(const char *message, uint64_t object, uint64_t pc, uint64_t earlier, enum sl_op_kind kind);
/* The same, never more than a warning: bad manners, but defined. */
void sl_misuse_warn(const char *message, uint64_t object, uint64_t pc, uint64_t earlier, enum sl_op_kind kind);

/* The object is destroyed: a use of it from now on is reported. word: one of its words that only libc needs. */
void sl_misuse_destroy(struct sl_object *object, uint32_t *word, uint64_t pc);
/* About to use the object; sane: its memory looks like one that was initialised. */
void sl_misuse_check(struct sl_object *object, const uint32_t *word, bool sane, uint64_t pc);

void sl_misuse_held(struct sl_object *object, struct sl_thread *thread);
void sl_misuse_exit(uint64_t pc); /* the program ends */

#endif
