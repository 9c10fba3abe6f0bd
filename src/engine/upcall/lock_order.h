/*
 * Lock orders (lock_order.c), and threads that wait for each other for ever (circle.c).
 */
#ifndef SL_ENGINE_UPCALL_LOCK_ORDER_H
#define SL_ENGINE_UPCALL_LOCK_ORDER_H

#include "base/op.h"

struct sl_object;
struct sl_thread;

void sl_lock_taken(struct sl_object *object, bool read); /* the running thread has taken it */
void sl_lock_given(struct sl_object *object, struct sl_thread *holder);
/* A creation or a join: earlier operations of `from` happen before later ones of `to`. */
void sl_order_event(uint32_t from, uint32_t to);
void sl_order_confirm(void); /* a deadlock was found: confirms the warning about it */

/* ---- threads that wait for each other for ever, while others go on (circle.c) ---- */

bool sl_circle_has(const struct sl_thread *thread);
bool sl_circle_is(void); /* whether any thread waits in a circle */
/* What waits for one other thread alone. A join does, but a running thread may cancel it. */
static inline bool
sl_circle_may_close(uint8_t kind)
{
	return sl_kind_awaits_lock(kind) || kind == SL_ONCE;
}

/* The thread has begun to wait with such an operation: circles are looked for some operations later. */
void sl_circle_closes(const struct sl_thread *thread);
void sl_circle_look(void); /* looks for a circle, which is a finding */

#endif
