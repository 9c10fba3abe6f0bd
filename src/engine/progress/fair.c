/*
 * Fairness. A thread that loops without waiting can starve the others for ever: a calm schedule never leaves it,
 * priorities (pct) do not either, and a sleeper or a time limit never comes before an operation that is not late.
 * On a real machine every thread runs eventually, so such an execution says nothing about the program. (Musuvathi
 * and Qadeer, Fair stateless model checking, PLDI 2008; there threads give way when they yield. Many programs
 * never yield, so here the measure is how long another thread was enabled and did not run.)
 *
 * After a number of choices or operations the enabled threads are checked. A thread that was also enabled at the
 * last check, and has not run since, is starving. It is favoured: it becomes the calm choice, and the only one
 * without a cost. A search that tries every answer may decline it, so that no interleaving is lost; if answers are
 * random, the engine takes it without asking. After that, checks are more frequent for the rest of the execution.
 * The result is in the schedule as ordinary switches, so a replay does not need this file.
 */
#include "base/rng.h"
#include "engine/core/engine.h"
#include "engine/upcall/spin.h"
#include "engine/under/poison.h"

#define WINDOW 2048 /* choices; shorter executions are not affected */
#define WINDOW_MIN 64
#define STEPS 32              /* … or operations per choice: a thread that computes has few choices */
#define LATE_PATIENCE 4       /* checks, for a sleeper or a time limit, while other threads are enabled */
#define EXPOSED_AT (1u << 19) /* after this number of operations of the execution */

void
sl_fair_reset(void)
{
	E.progress.fair_at = E.progress.fair_window = WINDOW;
	E.progress.fair_step = WINDOW * STEPS;
}

/*
 * A loop may have no point of choice outside of a lock, or none at all, because none of its data was seen to be
 * shared: from here on all operations of the thread are points. This is done late, since it gives a long
 * computation more interleavings, which do not differ.
 */
bool
sl_fair_expose(void)
{
	if (E.steps < EXPOSED_AT)
		return false;
	E.current->interruption.exposed = true;
	return true;
}

unsigned
sl_fair_look(void)
{
	unsigned favours = 0;
	uint32_t longest = 0;

	for (uint32_t i = 0; i < E.ready.count; i++) {
		struct sl_thread *t = &E.threads[E.ready.ops[i]->thread];

		if (!t->progress.starved || t->progress.starved_at != t->op.index) {
			t->progress.starved = 1;
			t->progress.starved_at = t->op.index;
			continue;
		}
		t->progress.starved++;
		if (t != E.current && t->progress.starved > longest &&
		    (i < E.ready.prompt || !E.ready.prompt || t->progress.starved > LATE_PATIENCE)) {
			longest = t->progress.starved;
			favours = i + 1;
		}
	}
	if (favours && E.progress.fair_window > WINDOW_MIN)
		E.progress.fair_window /= 2;
	/* the interval varies, because in a loop a lock may be free at every second choice */
	E.progress.fair_at = E.choices + E.progress.fair_window + (sl_mix(E.choices) & (WINDOW_MIN / 2 - 1));
	E.progress.fair_step = E.steps + E.progress.fair_window * STEPS;
	return favours;
}
