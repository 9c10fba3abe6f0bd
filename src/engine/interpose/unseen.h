/* Code that runs without being seen, counted by place for the verdict. */
#ifndef SL_ENGINE_INTERPOSE_UNSEEN_H
#define SL_ENGINE_INTERPOSE_UNSEEN_H

#include "base/op.h"
#include "search/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* Code of this kind has run at pc. */
void sl_unseen(enum sl_unseen_kind kind, uint64_t pc);

/*
 * An operation has come from outside of [E.listen.text_low, E.listen.text_low + E.listen.text_size): checks
 * whether that code is instrumented.
 */
void sl_unseen_operation(const struct sl_op *op);

/* The running thread ends: checks whether any of its code was instrumented. */
void sl_unseen_thread(void);

/* Whether the module is a library of the system, or libsleave. */
struct sl_module;
bool sl_unseen_is_foreign(const struct sl_module *module);

/* Notes the program's own code, which need not be looked up if it is instrumented. */
void sl_unseen_begin(void);

/* Files with assembly outside of functions, by a place at their start. */
#define SL_OUTSIDE_MAX 16
extern uint64_t sl_outside[SL_OUTSIDE_MAX];

#endif
