/*
 * Fairness. A thread that loops without ever waiting can keep the others out for ever: a calm schedule never leaves it,
 * priorities (pct) do not either, and a sleeper or a time limit never comes before an operation that is not late. On a
 * real machine every thread gets its turn in the end, so an execution that goes on like that says nothing about the
 * program. (Musuvathi and Qadeer, Fair stateless model checking, PLDI 2008; there threads give way where they yield.
 * Many programs never do, so here what counts is how long another thread could have gone and did not.)
 *
 * Every so many choices or operations the threads that can go are looked at. One that could go at the last look, too, and has not moved
 * since, is starving. It is favoured: the calm choice, and the only one without a cost. A search that tries every answer
 * still may decline it, so that none is lost; where answers are drawn, the engine takes it without asking. Once that was
 * necessary, looks become more frequent for the rest of the execution. What comes of it is in the schedule as
 * switches, as everything else, so that a replay needs to know nothing of this.
 */
#include "base/rng.h"
#include "engine/core/engine.h"
#include "engine/core/spin.h"
#include "engine/under/poison.h"

#define WINDOW 2048 /* choices; executions that are shorter are never touched */
#define WINDOW_MIN 64
#define STEPS 32 /* … or so many operations for each of them: a thread that computes comes to few choices */
#define LATE_PATIENCE 4 /* looks, for a sleeper or a time limit, while others have something to do */
#define EXPOSED_AT (1u << 19) /* operations of the execution */

void
sl_fair_reset(void)
{
	E.progress.fair_at = E.progress.fair_window = WINDOW;
	E.progress.fair_step = WINDOW * STEPS;
}

/*
 * A loop may have no point of choice outside of a lock, or none at all, because nothing that it uses has been seen to be
 * shared: from here on all operations of the thread are points. Late, since a long computation would have more
 * interleavings by this, and none that differ.
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
	/* not in step with a loop, in which a lock may be free at every other choice */
	E.progress.fair_at = E.choices + E.progress.fair_window + (sl_mix(E.choices) & (WINDOW_MIN / 2 - 1));
	E.progress.fair_step = E.steps + E.progress.fair_window * STEPS;
	return favours;
}
