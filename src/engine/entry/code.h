/*
 * Events of a schedule in the program's code: entering and leaving functions, reaching lines, operations on named
 * variables. They occur only while a plan with such events is active (E.plan.coded); otherwise the hooks only test
 * that flag.
 *
 * A function is entered and left when the compiler's callback announces it. Inlined functions and lines have no
 * callback: they are regions, and a thread has reached one when a call of the engine (for an access, an operation,
 * a call of a function) comes from there and the previous one did not. No other thread can observe anything in
 * between.
 *
 * An event of an operation (lock … read) and the operation are one step: no other thread runs between them.
 */
#ifndef SL_ENGINE_ENTRY_CODE_H
#define SL_ENGINE_ENTRY_CODE_H

#include "engine/core/engine.h"
#include "engine/upcall/state.h"
#include "schedule/schedule.h"

struct sl_code;

#define SL_CODE_KINDS                                                                                             \
	(1u << SL_EVENT_ENTER | 1u << SL_EVENT_EXIT | 1u << SL_EVENT_LINE | 1u << SL_EVENT_LOCK |                 \
	 1u << SL_EVENT_UNLOCK | 1u << SL_EVENT_WAIT | 1u << SL_EVENT_SIGNAL | 1u << SL_EVENT_WRITE |             \
	 1u << SL_EVENT_READ)

/*
 * For the plans of one text: finds the code that the n-th plan names. NULL: it names none. Does not return if the
 * code can't be found.
 */
struct sl_code *sl_code_new(const struct sl_plan *plan, uint32_t number, struct sl_pool *pool, uint64_t pc);

/* The plan is active from here on; NULL: none is, or one without code. */
void sl_code_follow(const struct sl_code *code, const struct sl_plan *plan);

void sl_code_started(void); /* the running thread is new */

/*
 * The compiler's callbacks: a function is about to be called from pc, was entered, or is about to be left (0: the
 * place is unknown).
 */
void sl_code_calls(uint64_t pc);
void sl_code_entered(uint64_t pc);
void sl_code_left(uint64_t pc);

/*
 * Returns the frame with which the function that is left there was entered (access.c). `look`: the word at an
 * address, or 0.
 */
uint64_t sl_frame_entered(const struct sl_mark_frame *frames, uint32_t depth, uint64_t frame, uint64_t pc,
			  uint64_t (*look)(uint64_t address));

/* To be called before an access: 0: no event; WITH: the event is part of this access's step; BEFORE: it came
 * before. direct: the access is announced by the compiler's callback, and not one of several that a function
 * makes. */
enum { SL_CAME_BEFORE = 1, SL_CAME_WITH = 2 };
unsigned sl_code_access(uint64_t address, size_t size, unsigned flags, uint64_t pc, bool direct);

/* Atoms of the active plan. */
const struct sl_atom *sl_code_atom(uint32_t atom);
const char *sl_code_text(uint32_t atom); /* "lock:queue.lock", for stories */

void sl_code_identify(struct sl_identity *identity);
void sl_code_keep(void);

#endif
