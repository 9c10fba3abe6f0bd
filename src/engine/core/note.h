/*
 * Side effects of each operation: it is passed to the listeners, and counted if it may have changed what a
 * spinning thread waits for.
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

/*
 * Counts the last plain write of the running thread, if it has changed anything. To be called before E.changes is
 * read.
 */
void sl_settle_now(void);

static inline void
sl_settle(void)
{
	if (E.written.address)
		sl_settle_now();
}

/* Do accesses take the slow path: is it of interest where each of them is? */
static inline bool
sl_accesses_are_slow(void)
{
	return E.every || E.listen.hashing || E.listen.tracing || E.listen.reeling || E.listen.covering_all ||
	       E.listen.ordering || E.stateful || E.plan.coded || E.uses.annotations;
}

/* Returns whether every operation is a point. That is not so while a thread runs on behalf of its creator: how far
 * it runs must not depend on whether every operation is a point. */
static inline bool
sl_everywhere(void)
{
	return E.every && !E.current->returns_to;
}

/* Informs the listeners; called after the choice and before the operation is performed. */
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
	if (unlikely(E.listen.ordering))
		sl_atomicity_note();
}

#endif
