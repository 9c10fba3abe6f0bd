/* What runs without being seen: counted by place, for the verdict. */
#ifndef SL_ENGINE_INTERPOSE_UNSEEN_H
#define SL_ENGINE_INTERPOSE_UNSEEN_H

#include "base/op.h"
#include "search/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* It has run once more, at pc. */
void sl_unseen(enum sl_unseen_kind kind, uint64_t pc);

/* An operation has come from outside of [E.listen.text_low, E.listen.text_low + E.listen.text_size): of code that is not instrumented? */
void sl_unseen_operation(const struct sl_op *op);

/* The running thread ends: was any of its code instrumented? */
void sl_unseen_thread(void);

/* A library of the system's, or the engine's own? */
struct sl_module;
bool sl_unseen_is_foreign(const struct sl_module *module);

/* The program's own code, if it is instrumented, need not be looked up. */
void sl_unseen_begin(void);

/* Files with assembly that is in no function, by a place in their start. */
#define SL_OUTSIDE_MAX 16
extern uint64_t sl_outside[SL_OUTSIDE_MAX];

#endif
