/*
 * The beginning of objects. Who initialises one writes what others read: if nothing puts that and a use in order, the
 * program works by luck. The pair is then marked, and from the next execution on both orders are tried, so that a use
 * of what was not initialised yet is seen as what it is (misuse.c). Else initialising is no point, and a new thread
 * passes it on its way to its first one.
 *
 * Where memory can be used without having been initialised (a mutex that is all zero), no execution shows that it was too
 * early. There the pair is a data race, as ThreadSanitizer has it; it is told in the order in which both places are known,
 * the initialisation first. A semaphore is no such case there, and not here. Code that is not instrumented may have atomics that are not seen: its pairs
 * are marked, and not called races.
 *
 * An object that was initialised while there was one thread only is known to all that came later, and none of this
 * applies to it.
 */
#include "engine/life.h"
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/enabled.h"
#include "engine/interpose.h"
#include "engine/misuse.h"
#include "engine/race.h"
#include "engine/state.h"
#include "engine/poison.h"

void
sl_life_begin(const void *at, uint64_t pc)
{
	sl_announce(SL_INIT, (uint64_t)at, pc);
	if (sl_made_marked((uint64_t)at) || sl_everywhere() || E.current->exposed)
		sl_point();
	else
		sl_no_point();
	sl_note(0);
}

/* Does it happen before what the running thread does? With states there are no clocks: then only what cannot be otherwise does. */
static bool
is_before(uint64_t epoch)
{
	if (E.stateful)
		return (epoch & 0xffff) == E.current->id || !E.unjoined;
	return sl_ordered(epoch);
}

struct sl_object *
sl_life_init(const void *at, enum sl_object_kind kind, bool usable)
{
	struct sl_object *o = sl_object_peek(at, kind);
	uint64_t pc = E.current->op.pc;

	if ((o->first != SL_NOWHERE && !is_before(o->used)) || (o->fresh && !is_before(o->made)))
		sl_mark_made(o->address);
	for (const struct sl_thread *w = o->waiters; w; w = w->next)
		if (!sl_can_go(w))
			sl_misuse("initialises %, for which @ waits already", o->address, pc, sl_by_waiter(w),
				  w->op.kind);
	o->made_anew = usable;
	o->fresh = E.alive_count > 1;
	o->made = E.current->epoch;
	o->made_pc = pc;
	sl_object_forget(o);
	o->kind = kind;
	if (unlikely(o->waiters))
		sl_object_changed(o);
	return o;
}

void
sl_life_used(struct sl_object *o, uint64_t pc)
{
	const struct sl_op *op = &E.current->op;

	if (is_before(o->made))
		return;
	sl_mark_made(o->address);
	if (E.stateful || !o->made_anew || o->kind == SL_OBJECT_SEM || !sl_libraries_is_instrumented(pc) ||
	    !sl_libraries_is_instrumented(o->made_pc))
		return;

	struct sl_culprit now = {.thread = op->thread, .index = op->index, .pc = pc, .kind = op->kind};
	struct sl_culprit before = {.thread = o->made & 0xffff, .pc = o->made_pc, .kind = SL_INIT};

	now.flags = op->kind == SL_DESTROY ? SL_OP_WRITES : SL_OP_READS;
	before.flags = SL_OP_WRITES;
	sl_found_race(&now, &before, o->address);
}
