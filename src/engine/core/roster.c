/*
 * The records of the threads of an execution, which end with it.
 */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/rng.h"
#include "engine/core/enabled.h"
#include "engine/core/engine.h"
#include "engine/upcall/spin.h"
#include "engine/interpose/traps.h"
#include "engine/under/poison.h"

void
sl_sched_reset(void)
{
	if (!E.ready.ops)
		E.ready.ops = sl_private_alloc((SL_THREADS_MAX + 1) * sizeof(*E.ready.ops));
	if (!E.ready.places)
		E.ready.places = sl_private_alloc((SL_THREADS_MAX + 1) * sizeof(*E.ready.places));
	if (!E.ready.kin)
		E.ready.kin = sl_private_alloc((SL_THREADS_MAX + 1) * sizeof(*E.ready.kin));
	if (!E.ready.changed)
		E.ready.changed = sl_private_alloc((SL_THREADS_MAX + 1) * sizeof(*E.ready.changed));
	if (!E.threads)
		E.threads = sl_private_alloc((SL_THREADS_MAX + 1) * sizeof(*E.threads));
	if (!E.contexts)
		E.contexts = sl_private_alloc((SL_THREADS_MAX + 1) * sizeof(*E.contexts));
	E.ready.count = E.ready.prompt = 0;
	E.ready.changed_count = 0;
	E.ready.noting = 1;
	E.thread_count = E.alive_count = E.unjoined = 0;
	E.steps = E.choices = E.operations = 0;
	E.preemptions.count = 0;
	E.spinning_count = 0;
	E.ready.pending_count = 0;
	E.written.address = 0;
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

	sl_memset(t, 0, offsetof(struct sl_thread, kept));
	t->id = E.thread_count++;
	t->alive = true;
	E.ready.places[t->id] = SL_NOWHERE;
	if (!t->kept.frames) {
		t->kept.frames = sl_private_alloc(SL_FRAMES_DEEP * sizeof(*t->kept.frames));
		t->kept.look = sl_private_alloc(sizeof(*t->kept.look));
	}
	t->kept.frames[0].at = 0; /* the thread is in no function yet */
	E.unjoined += parent != NULL;
	t->born.parent = parent ? parent->id : 0;
	t->born.ordinal = parent ? ++parent->born.children : 0;
	E.ready.kin[t->id] = (struct sl_kin){
		.path = parent ? sl_mix(E.ready.kin[parent->id].path + t->born.ordinal) : 1,
		.parent = t->born.parent,
	};
	t->op.thread = t->id;
	t->op.kind = SL_START;
	t->op.flags = SL_OP_SILENT;
	t->op.index = 1;
	t->looks.budget = SL_SPIN_STRETCH;
	sl_clock_reset(&t->clock);
	t->tick = 1;
	sl_clock_set(&t->clock, t->id, 1);
	t->epoch = (E.time.base + 1) << 16 | t->id;
	E.alive_count++;
	if (unlikely(E.alive_count == 2))
		sl_traps_set();
	sl_enlist(t, true, false);
	if (unlikely(E.listen.valued))
		sl_reel_kin(t->id, t->born.parent, E.ready.kin[t->id].path);
	return t;
}
