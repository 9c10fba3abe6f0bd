/*
 * Lock orders (lock_order.c), and threads that wait for each other for ever (circle.c).
 */
#ifndef SL_ENGINE_CORE_LOCK_ORDER_H
#define SL_ENGINE_CORE_LOCK_ORDER_H

#include "engine/core/thread.h"

void sl_lock_taken(struct sl_object *object, bool read); /* by the running thread */
void sl_lock_given(struct sl_object *object, struct sl_thread *holder);
/* A creation or a join: what `from` did comes before what `to` does. */
void sl_order_event(uint32_t from, uint32_t to);
void sl_order_confirm(void); /* there is a deadlock */

/* ---- threads that wait for each other for ever, while others go on (circle.c) ---- */

bool sl_circle_has(const struct sl_thread *thread);
bool sl_circle_is(void); /* does any thread wait so? */
void sl_circle_closes(
	const struct sl_thread
		*thread);  /* the thread has begun to wait: circles are looked for some operations later */
void sl_circle_look(void); /* looks for a circle, which is a finding */

#endif
