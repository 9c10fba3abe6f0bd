/*
 * The threads of an execution: their records, and what the scheduler knows of them. All gone when the next one begins.
 */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/rng.h"
#include "engine/core/enabled.h"
#include "engine/core/engine.h"
#include "engine/core/spin.h"
#include "engine/interpose/traps.h"
#include "engine/under/poison.h"

void
sl_sched_reset(void)
{
	if (!E.ops)
		E.ops = sl_private_alloc((SL_THREADS_MAX + 1) * sizeof(*E.ops));
	if (!E.places)
		E.places = sl_private_alloc((SL_THREADS_MAX + 1) * sizeof(*E.places));
	if (!E.kin)
		E.kin = sl_private_alloc((SL_THREADS_MAX + 1) * sizeof(*E.kin));
	if (!E.changed)
		E.changed = sl_private_alloc((SL_THREADS_MAX + 1) * sizeof(*E.changed));
	if (!E.threads)
		E.threads = sl_private_alloc((SL_THREADS_MAX + 1) * sizeof(*E.threads));
	if (!E.contexts)
		E.contexts = sl_private_alloc((SL_THREADS_MAX + 1) * sizeof(*E.contexts));
	E.enabled = E.prompt = 0;
	E.changed_count = 0;
	E.noting = 1;
	E.thread_count = E.alive_count = E.unjoined = 0;
	E.steps = E.choices = E.operations = 0;
	E.preemptions = 0;
	E.spinning_count = 0;
	E.pending_count = 0;
	E.written = 0;
	E.changes = 0;
	E.io_changes = 1;
	E.worker->schedule.count = 0;
}

struct sl_clocks *
sl_thread_clocks(struct sl_thread *t)
{
	if (!t->clocks) {
		t->clocks = sl_scratch_alloc(sizeof(*t->clocks));
		sl_clock_reset(&t->clocks->fence_release);
		sl_clock_reset(&t->clocks->fence_acquire);
		sl_clock_reset(&t->clocks->barrier);
	}
	return t->clocks;
}

struct sl_thread *
sl_thread_new(void)
{
	struct sl_thread *t, *parent = E.thread_count ? E.current : NULL;

	if (E.thread_count >= SL_THREADS_MAX)
		return NULL;
	t = &E.threads[E.thread_count];

	sl_memset(t, 0, offsetof(struct sl_thread, frames));
	t->id = E.thread_count++;
	t->alive = true;
	E.places[t->id] = SL_NOWHERE;
	if (!t->frames) {
		t->frames = sl_private_alloc(SL_FRAMES_DEEP * sizeof(*t->frames));
		t->look = sl_private_alloc(sizeof(*t->look));
	}
	t->frames[0].at = 0; /* not in any function yet */
	E.unjoined += parent != NULL;
	t->parent = parent ? parent->id : 0;
	t->ordinal = parent ? ++parent->children : 0;
	E.kin[t->id] = (struct sl_kin){
		.path = parent ? sl_mix(E.kin[parent->id].path + t->ordinal) : 1,
		.parent = t->parent,
	};
	t->op.thread = t->id;
	t->op.kind = SL_START;
	t->op.flags = SL_OP_SILENT;
	t->op.index = 1;
	t->budget = SL_SPIN_STRETCH;
	sl_clock_reset(&t->clock);
	t->tick = 1;
	sl_clock_set(&t->clock, t->id, 1);
	t->epoch = (E.base + 1) << 16 | t->id;
	E.alive_count++;
	if (unlikely(E.alive_count == 2))
		sl_traps_set();
	sl_enlist(t, true, false);
	return t;
}
