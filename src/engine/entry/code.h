/*
 * Events of a schedule that are in the program's code: entering and leaving functions, coming to lines, operations on
 * variables that are named. Only while a plan with such events counts (E.plan.coded); the hooks are a look at that flag.
 *
 * A function is entered and left when the compiler's callback says so. One that was inlined has none, and a line has none
 * either: they are regions, and a thread has come to one when a call that we see (an access, an operation, a call of another
 * function) comes from there and the one before did not. Nothing that others could see lies in between.
 *
 * Events of operations (lock … read) are one step with the operation: no other thread can come between them.
 */
#ifndef SL_ENGINE_ENTRY_CODE_H
#define SL_ENGINE_ENTRY_CODE_H

#include "engine/core/engine.h"
#include "engine/core/state.h"
#include "schedule/schedule.h"

struct sl_code;

#define SL_CODE_KINDS                                                                                             \
	(1u << SL_EVENT_ENTER | 1u << SL_EVENT_EXIT | 1u << SL_EVENT_LINE | 1u << SL_EVENT_LOCK |                 \
	 1u << SL_EVENT_UNLOCK | 1u << SL_EVENT_WAIT | 1u << SL_EVENT_SIGNAL | 1u << SL_EVENT_WRITE |             \
	 1u << SL_EVENT_READ)

/* For the plans of one text: where the code is that the n-th names. NULL: it names none. Does not return if it can't be found. */
struct sl_code *sl_code_new(const struct sl_plan *plan, uint32_t number, struct sl_pool *pool, uint64_t pc);

/* The plan counts from here on; NULL: none does, or one without code. */
void sl_code_follow(const struct sl_code *code, const struct sl_plan *plan);

void sl_code_started(void); /* the running thread is a new one */

/* The compiler's callbacks: about to be called from there, has been entered there, is about to be left (0: the place is not known). */
void sl_code_calls(uint64_t pc);
void sl_code_entered(uint64_t pc);
void sl_code_left(uint64_t pc);

/* Of the function that is left there with this frame: that with which it was entered (access.c). `look`: the word there, or 0. */
uint64_t sl_frame_entered(const struct sl_mark_frame *frames, uint32_t depth, uint64_t frame, uint64_t pc,
			  uint64_t (*look)(uint64_t address));

/* Before an access: 0: no event; else whether it was one of this access, which is then part of its step.
 * direct: by the compiler's callback, and not one of several that a function makes. */
enum { SL_CAME_BEFORE = 1, SL_CAME_WITH = 2 };
unsigned sl_code_access(uint64_t address, size_t size, unsigned flags, uint64_t pc, bool direct);

/* Of the plan that counts. */
const struct sl_atom *sl_code_atom(uint32_t atom);
const char *sl_code_text(uint32_t atom); /* "lock:queue.lock", for stories */

void sl_code_identify(struct sl_identity *identity);
void sl_code_keep(void);

#endif
