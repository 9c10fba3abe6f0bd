/*
 * The beginning and the end of objects. Initialising an object writes what its users read: if nothing orders that
 * with a use, the program works by luck. The pair is then marked, and from the next execution on both orders are
 * tried, so that a use of an uninitialised object is detected (misuse.c). Otherwise initialising is not a point of
 * choice.
 *
 * If memory can be used without having been initialised (a mutex that is all zero), no execution shows that the
 * use was too early. Then the pair is a data race, as in ThreadSanitizer; it is reported with the initialisation
 * first, when both places are known. As in ThreadSanitizer, this does not apply to semaphores. Code that is not
 * instrumented may have atomics that are not seen: its pairs are marked, and not reported as races.
 *
 * None of this applies to an object that was initialised while there was only one thread: that happens before
 * everything in later threads.
 *
 * A plain write to the object's memory (an assigned initialiser, memset, a copy of the enclosing struct) counts as
 * an initialisation, and each use of the object reads what it wrote.
 *
 * Destroying an object, or freeing its memory, writes it as well. If the last use does not happen before that,
 * both orders are tried from the next execution on (sl_object_ends()), and a use that comes too late is misuse, or
 * a use after free. If the use can't come later (a relaxed atomic lets the destroying thread continue), no
 * execution shows that. So the pair is kept as a data race, which is reported when the search has ended and
 * nothing else was reported about the object's end (sl_case_is_held()).
 */
#include "engine/core/life.h"
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/enabled.h"
#include "engine/core/misuse.h"
#include "engine/core/race.h"
#include "engine/upcall/state.h"
#include "engine/under/poison.h"

void
sl_life_begin(const void *at, uint64_t pc)
{
	sl_announce(SL_INIT, (uint64_t)at, pc);
	if (sl_made_marked((uint64_t)at) || sl_everywhere() || E.current->interruption.exposed)
		sl_point();
	else
		sl_no_point();
	sl_note(0);
}

/*
 * Returns whether the epoch happens before the running thread's operation. The stateful search has no clocks: then
 * only the thread's own epochs, and those of threads that all others have joined, do.
 */
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
	for (const struct sl_thread *w = o->waiters; w; w = w->waits.next)
		if (!sl_can_go(w))
			sl_misuse("initialises %, for which @ waits already", o->address, pc, sl_by_waiter(w),
				  w->op.kind);
	o->made_anew = usable;
	o->assigned = false;
	o->fresh = E.alive_count > 1;
	o->made = E.current->epoch;
	o->made_pc = pc;
	sl_object_forget(o);
	o->kind = kind;
	if (unlikely(o->waiters))
		sl_object_changed(o);
	return o;
}

/* Returns whether both places are instrumented: atomics of other code are not seen, and may order the two. */
static bool
is_seen(uint64_t pc, uint64_t other)
{
	return pc && other && sl_libraries_is_instrumented(pc) && sl_libraries_is_instrumented(other);
}

/* Returns the kind of operation that stands for a use if there is no trace. */
static uint8_t
use_kind(const struct sl_object *o)
{
	static const uint8_t kinds[] = {
		[SL_OBJECT_MUTEX] = SL_MUTEX_UNLOCK, [SL_OBJECT_SPIN] = SL_SPIN_UNLOCK,
		[SL_OBJECT_COND] = SL_COND_SIGNAL,   [SL_OBJECT_RWLOCK] = SL_RW_UNLOCK,
		[SL_OBJECT_SEM] = SL_SEM_POST,       [SL_OBJECT_BARRIER] = SL_BARRIER_WAIT,
	};

	return o->kind < sizeof(kinds) ? kinds[o->kind] : 0;
}

static struct sl_culprit
last_use(const struct sl_object *o)
{
	return (struct sl_culprit){.thread = o->used & 0xffff,
				   .pc = o->used_pc & SL_INFO_PC,
				   .kind = use_kind(o),
				   .flags = SL_OP_READS};
}

void
sl_life_used(struct sl_object *o, uint64_t pc)
{
	const struct sl_op *op = &E.current->op;

	if (is_before(o->made))
		return;
	sl_mark_made(o->address);
	if (E.stateful || !o->made_anew || o->kind == SL_OBJECT_SEM || !is_seen(pc, o->made_pc))
		return;

	struct sl_culprit now = {.thread = op->thread, .index = op->index, .pc = pc, .kind = op->kind};
	struct sl_culprit before = {.thread = o->made & 0xffff, .pc = o->made_pc, .kind = SL_INIT};

	now.flags = op->kind == SL_DESTROY ? SL_OP_WRITES : SL_OP_READS;
	before.flags = SL_OP_WRITES;
	if (o->assigned)
		before.kind = SL_WRITE;
	sl_found_race(&now, &before, o->address);
}

void
sl_life_written(struct sl_object *o, uint64_t pc)
{
	const struct sl_op *op = &E.current->op;

	if (!use_kind(o))
		return; /* not a mutex or a similar object; or it was destroyed */
	if (o->first != SL_NOWHERE && !is_before(o->used)) {
		struct sl_culprit now = {.thread = E.current->id, .index = op->index, .pc = pc, .kind = SL_WRITE};
		struct sl_culprit before = last_use(o);

		sl_mark(o->address);
		now.flags = SL_OP_WRITES;
		if (!E.stateful && is_seen(pc, o->used_pc))
			sl_found_race(&now, &before, o->address);
	}
	o->fresh = E.alive_count > 1;
	o->made_anew = o->assigned = true;
	o->made = E.current->epoch;
	o->made_pc = pc;
}

void
sl_life_found(struct sl_object *o, uint64_t epoch, uint64_t pc)
{
	if (!use_kind(o))
		return;
	o->fresh = o->made_anew = o->assigned = true;
	o->made = epoch;
	o->made_pc = pc;
}

void
sl_life_end(const struct sl_object *o, uint64_t pc)
{
	const struct sl_op *op = &E.current->op;

	if (E.stateful || o->first == SL_NOWHERE || is_before(o->used) || !use_kind(o) || !is_seen(pc, o->used_pc))
		return;

	struct sl_culprit now = {.thread = op->thread, .index = op->index, .pc = pc, .kind = op->kind};
	struct sl_culprit before = last_use(o);

	now.flags = SL_OP_WRITES;
	sl_found_race_late(&now, &before, o->address);
}
