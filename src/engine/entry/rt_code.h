/*
 * Events of code (code.h) on real threads, in a program that was built with `sleave cc`. The compiler's callbacks
 * and the replacements of libc's functions call these while a schedule names code (sl_rt_coded) and the program is
 * not under control.
 *
 * An event of an operation and the operation are one step. A thread whose event may happen *performs* the
 * operation until it is known to be done: when the function that performs it reports that, when the thread blocks
 * in it, or, for a plain access, when the thread comes to its next call. Meanwhile no event of another thread can
 * happen.
 */
#ifndef SL_ENGINE_ENTRY_RT_CODE_H
#define SL_ENGINE_ENTRY_RT_CODE_H

#include "base/op.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern bool sl_rt_coded __attribute__((visibility("hidden")));

void sl_rt_code_entry(uint64_t call, uint64_t pc, uint64_t frame);
void sl_rt_code_exit(uint64_t pc, uint64_t frame);
void sl_rt_code_call(uint64_t pc); /* a call of a function of libc */
void sl_rt_code_access(uint64_t address, size_t size, unsigned flags, uint64_t pc, bool direct);

/* To be called before an operation on the object; true: done() must be called after it. */
bool sl_rt_code_atomic(enum sl_op_kind kind, const volatile void *address, uint64_t pc);
bool sl_rt_code_begins(enum sl_op_kind kind, const volatile void *object);
void sl_rt_code_done(void);
bool sl_rt_is_one_statement(uint64_t from, uint64_t to); /* rt_copy.c */

#define SL_RT_CALL()                                                                                              \
	do {                                                                                                      \
		if (unlikely(sl_rt_coded))                                                                        \
			sl_rt_code_call(SL_PC);                                                                   \
	} while (0)
/* Whether an operation outside of control must be announced. */
#define SL_RT_BEGINS(kind, object) (unlikely(sl_rt_coded) && sl_rt_code_begins(kind, object))
#define SL_RT_ATOMIC(kind, address, pc) (unlikely(sl_rt_coded) && sl_rt_code_atomic(kind, address, pc))
#define SL_RT_DONE(begun)                                                                                         \
	do {                                                                                                      \
		if (unlikely(begun))                                                                              \
			sl_rt_code_done();                                                                        \
	} while (0)

#endif
