/*
 * The time limit, which is for a whole command; a single execution may take all of it. So after a number of
 * operations the clock is read, and an execution that exceeds its time (sl_worker_deadline() in search/after.c) is
 * given up. Counting operations costs nothing, since livelock.c does it already; a signal would interrupt the
 * program's system calls. If a program stays in code that is not instrumented, the command ends its process
 * (cli/session/session.c).
 *
 * The same checks are samples that show where a long execution spends its time (cli/session/heavy.h).
 */
#include "base/rng.h"
#include "engine/core/engine.h"
#include "engine/upcall/spin.h"
#include "engine/under/poison.h"

#define STRIDE 65536u /* operations: a few milliseconds, or a tenth of a second if everything is recorded */
#define JITTER 4095u  /* so that samples are not in step with a loop */

static void
set_next(void)
{
	E.progress.clock_at = E.steps + STRIDE + (sl_mix(E.steps) & JITTER);
	E.progress.look_at = E.progress.probe_at < E.progress.clock_at ? E.progress.probe_at : E.progress.clock_at;
}

void
sl_deadline_reset(void)
{
	E.progress.late = E.progress.weighed = false;
	E.progress.circle_at = 0;
	set_next();
}

static void
take_sample(uint64_t now, uint64_t pc)
{
	struct sl_weight *w = &E.worker->weight, *heaviest = &E.worker->heaviest;
	uint32_t at = 0;

	if (!E.progress.weighed) {
		if (w->seen - w->began > heaviest->seen - heaviest->began)
			*heaviest = *w;
		w->count = 0;
		w->began = now;
		E.progress.weighed = true;
	}
	w->seen = now;
	w->operations = E.steps;
	while (at < w->count && w->places[at].pc != pc)
		at++;
	if (at == SL_WEIGHT_PLACES)
		return;
	if (at == w->count) {
		w->places[at].pc = pc;
		w->places[at].samples = 0;
		w->count++;
	}
	w->places[at].samples++;
}

void
sl_deadline_clock(void)
{
	uint64_t now = sl_nanoseconds();

	set_next();
	take_sample(now, E.worker->last_pc);
	if (now < sl_worker_deadline(E.arena, E.worker))
		return;
	E.progress.late = E.outcome.cut = true;
	sl_execution_end();
}

void
sl_deadline_look(void)
{
	if (E.progress.circle_at && E.steps >= E.progress.circle_at)
		sl_circle_look();
	if (E.steps >= E.progress.step_limit)
		sl_endless_stop(); /* it may continue to show its loop */
	else if (E.steps >= E.progress.probe_at)
		sl_livelock_begin();
	if (E.steps >= E.progress.clock_at)
		sl_deadline_clock();
	E.progress.look_at = E.progress.probe_at < E.progress.clock_at ? E.progress.probe_at : E.progress.clock_at;
}

uint64_t
sl_deadline_took(void)
{
	return E.progress.weighed ? sl_nanoseconds() - E.worker->weight.began : 0;
}
