/*
 * What each operation does besides: it is noted for what listens, and counted if it may have changed what a spinning thread waits for.
 */
#ifndef SL_ENGINE_CORE_NOTE_H
#define SL_ENGINE_CORE_NOTE_H

#include "engine/core/engine.h"

static inline void
sl_changed(bool changed)
{
	E.changes += changed;
	E.current->looks.own_changes += changed;
}

/* Counts the last plain write of the running thread, if it has changed anything. Before E.changes is looked at. */
void sl_settle_now(void);

static inline void
sl_settle(void)
{
	if (E.written.address)
		sl_settle_now();
}

/* Is every operation a point? Not while a thread runs on behalf of another: how far it runs must not depend on
 * how closely the schedule is followed. */
static inline bool
sl_everywhere(void)
{
	return E.every && !E.current->returns_to;
}

/* After the choice, before the operation is performed: tells the listeners. */
static inline void
sl_note(uint64_t value)
{
	if (unlikely(E.listen.hashing))
		sl_hash_op(value);
	if (unlikely(E.listen.tracing))
		sl_record(value);
	if (unlikely(E.listen.reeling))
		sl_reel_operation(value);
	if (unlikely(E.listen.covering))
		sl_cover_operation(value);
}

#endif
