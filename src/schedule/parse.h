/*
 * What the parser, the checks and the printer know of plans beyond schedule.h.
 */
#ifndef SL_SCHEDULE_PARSE_H
#define SL_SCHEDULE_PARSE_H

#include "schedule/schedule.h"

#define SL_ATOMS_MAX 512  /* of one plan: lists of them are kept on the stack */
#define SL_DEPTH_MAX 100  /* of parentheses: the parser calls itself */
#define SL_HEIGHT_MAX 200 /* of a formula: whoever walks it calls itself */
#define SL_NAMES_IN_BRACKETS 60

/* The words of kinds, as in `lock:name`; NULL for NAMED and LINE. */
extern const char *const sl_kind_words[SL_EVENT_KINDS];

static inline bool
sl_kind_has_target(enum sl_event_kind kind)
{
	return kind >= SL_EVENT_ENTER && kind != SL_EVENT_LINE;
}

static inline bool
sl_kind_is_thread(enum sl_event_kind kind)
{
	return kind >= SL_EVENT_START && kind <= SL_EVENT_UNBLOCK;
}

/* [x]: a name alone may be a thread's. */
static inline bool
sl_maybe_thread(const struct sl_formula *f)
{
	return f->kind == SL_FORMULA_BLOCKED_EVENT && f->atom->kind == SL_EVENT_NAMED && !f->atom->object &&
	       !f->atom->thread && !f->atom->occurrence;
}

void *sl_pool_take(struct sl_pool *pool, size_t size);

/* What is wrong with a plan that is written correctly. */
bool sl_check(const struct sl_plan *plan, struct sl_pool pool, struct sl_complaint *complaint);

#endif
