/*
 * Events of code (code.h) on real threads, in a program that was built with `sleave cc`. The compiler's callbacks and the
 * functions in the place of libc's call these while a schedule names code (sl_rt_coded), and the program is not under control.
 *
 * What is an event of an operation is one step with it. A thread whose operation may go *performs* it, from then on until it is
 * known to be done: when the function that does it says so, when the thread blocks in it, or, of a plain access, when
 * the thread comes to its next call. Meanwhile no other thread's event can happen.
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
void sl_rt_code_call(uint64_t pc); /* of a function of libc's */
void sl_rt_code_access(uint64_t address, size_t size, unsigned flags, uint64_t pc, bool direct);

/* Before an operation on that: true, if done() is to be called after it. */
bool sl_rt_code_atomic(enum sl_op_kind kind, const volatile void *address, uint64_t pc);
bool sl_rt_code_begins(enum sl_op_kind kind, const volatile void *object);
void sl_rt_code_done(void);
bool sl_rt_is_one_statement(uint64_t from, uint64_t to); /* rt_copy.c */

#define SL_RT_CALL()                                                                                              \
	do {                                                                                                      \
		if (unlikely(sl_rt_coded))                                                                        \
			sl_rt_code_call(SL_PC);                                                                   \
	} while (0)
/* Out of control, is it to be told? */
#define SL_RT_BEGINS(kind, object) (unlikely(sl_rt_coded) && sl_rt_code_begins(kind, object))
#define SL_RT_ATOMIC(kind, address, pc) (unlikely(sl_rt_coded) && sl_rt_code_atomic(kind, address, pc))
#define SL_RT_DONE(begun)                                                                                         \
	do {                                                                                                      \
		if (unlikely(begun))                                                                              \
			sl_rt_code_done();                                                                        \
	} while (0)

#endif
