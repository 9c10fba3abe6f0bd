#include "engine/upcall/spin.h"
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/rng.h"
#include "engine/core/engine.h"
#include "engine/core/step.h"
#include "engine/interpose/entry.h"
#include "engine/under/poison.h"

#define GIVE_WAY_AFTER 50 /* stretches of SL_SPIN_STRETCH accesses while other threads are enabled */

struct sl_entry sl_entry;

/* The part of the running thread's stack that belongs to the program's frames, in words. */
static const uint64_t *
frames_of(uint64_t *count)
{
	uintptr_t low, top;

	sl_carrier_stack(E.current->slot, &low, &top);
	*count = 0;
	/* otherwise the thread is on a stack that the program has made */
	if (sl_entry.rsp >= low && sl_entry.rsp < top)
		*count = (top - sl_entry.rsp) / 8;
	return (const uint64_t *)sl_entry.rsp;
}

/* Hashes the registers, and the stack from the word `from` on. */
static uint64_t
state_hash(uint64_t from)
{
	uint64_t count;
	const uint64_t *words = frames_of(&count);
	uint64_t a = sl_entry.rbx, b = sl_entry.rbp ^ sl_entry.rsp;

	a = a * 0x9e3779b97f4a7c15u + sl_entry.r12;
	b = b * 0x9e3779b97f4a7c15u + sl_entry.r13;
	a = a * 0x9e3779b97f4a7c15u + sl_entry.r14;
	b = b * 0x9e3779b97f4a7c15u + sl_entry.r15;
	for (uint64_t i = from; i < count; i += 2) {
		a = (a ^ words[i]) * 0x9e3779b97f4a7c15u;
		if (i + 1 < count)
			b = (b ^ words[i + 1]) * 0xbf58476d1ce4e5b9u;
		a ^= a >> 29;
		b ^= b >> 31;
	}
	return sl_mix(a ^ sl_mix(b));
}

static void
look_take(struct sl_look *look, const uint64_t *words, uint64_t near)
{
	look->entry = sl_entry;
	look->deep = 0;
	for (uint64_t i = 0; i < near; i++)
		look->words[i] = words[i];
}

void
sl_look_take(struct sl_look *look)
{
	uint64_t count;
	const uint64_t *words = frames_of(&count);

	look_take(look, words, count < SL_LOOK_WORDS ? count : SL_LOOK_WORDS);
}

static bool
look_equal(const struct sl_look *look, const uint64_t *words, uint64_t near)
{
	const struct sl_entry *was = &look->entry;

	if (was->rsp != sl_entry.rsp || was->rbx != sl_entry.rbx || was->rbp != sl_entry.rbp ||
	    was->r12 != sl_entry.r12 || was->r13 != sl_entry.r13 || was->r14 != sl_entry.r14 ||
	    was->r15 != sl_entry.r15)
		return false;
	for (uint64_t i = 0; i < near; i++)
		if (look->words[i] != words[i])
			return false;
	return true;
}

/*
 * Copying and comparing are cheaper than a hash: a comparison ends at the first difference. If the stack is deeper
 * than the copied part, the rest is hashed when the near part is equal for the first time, so that equality needs
 * a third look.
 */
bool
sl_look_renew(struct sl_look *look)
{
	uint64_t count, near, hash, was = look->deep;
	const uint64_t *words = frames_of(&count);

	near = count < SL_LOOK_WORDS ? count : SL_LOOK_WORDS;
	if (!look_equal(look, words, near)) {
		look_take(look, words, near);
		return false;
	}
	if (near == count)
		return true;
	hash = state_hash(near) | 1;
	look->deep = hash;
	return hash == was;
}

/*
 * For a strategy that needs steps without effect: steps after which the thread's state is the same and which
 * changed nothing, independent of other threads. Returns whether the thread's state is the same as at its last
 * visit of this place.
 */
static bool
watch_loop(uint64_t pc)
{
	struct sl_thread *t = E.current;
	struct sl_await *a, *end, *oldest;
	struct sl_look *look;
	bool same = false;

	if (!t->kept.awaits)
		t->kept.awaits = sl_private_alloc(sizeof(*t->kept.awaits));
	end = t->kept.awaits->at + SL_AWAITS;
	oldest = t->kept.awaits->at;
	for (a = oldest; a < end; a++) { /* a loop and its surrounding loops have different places */
		if (a->sequence == E.sequence && a->pc == pc)
			break;
		if (oldest->sequence == E.sequence && (a->sequence != E.sequence || a->step < oldest->step))
			oldest = a;
	}
	look = &t->kept.awaits->looks[(a < end ? a : oldest) - t->kept.awaits->at];
	if (a == end) {
		a = oldest;
		sl_look_take(look);
	} else if (sl_look_renew(look)) {
		same = true;
		if (a->changes == t->looks.own_changes) {
			sl_step_vain(a->step);
			return true;
		}
	}
	a->sequence = E.sequence;
	a->changes = t->looks.own_changes;
	a->pc = pc;
	a->step = sl_step_done();
	return same;
}

bool
sl_spin_count(void)
{
	struct sl_thread *t = E.current;

	sl_settle();
	if (t->looks.changes != E.changes - t->looks.own_changes) {
		t->looks.changes = E.changes - t->looks.own_changes;
		t->looks.count = 0;
	} else if (++t->looks.count >=
		   SL_LOOKS) { /* the loop counts or notes something: its state differs, but it waits */
		t->looks.count = 0;
		if (t->locks_held && sl_fair_expose())
			return false; /* two threads that hold the lock in turns would starve a third one */
		sl_give_way();
		return true;
	}
	return false;
}

/*
 * Returns whether the thread runs another round although it could wait: some schedules need the additional rounds.
 */
static bool
goes_round(struct sl_thread *t)
{
	if (likely(!E.arena->config.again) || t->spin.went_round == E.changes + 1)
		return false;
	t->spin.went_round = E.changes + 1;
	return true;
}

void
sl_spin_visit(uint64_t pc)
{
	struct sl_thread *t = E.current;
	bool again, same;

	if (sl_spin_count())
		return;
	again = t->spin.pc == pc && t->spin.seen == E.changes;
	if (unlikely(E.listen.watching)) /* it has the states that would be in kept.look */
		same = watch_loop(pc);
	else
		same = again && sl_look_renew(t->kept.look);
	if (again && same && !t->locks_held && !goes_round(t)) {
		if (t->spin.last_looks) {
			uint64_t whole = state_hash(0);

			t->progress.sure = whole == t->progress.whole_hash;
			t->progress.whole_hash = whole;
		}
		sl_spin_block();
		t->spin.seen = E.changes;
		t->spin.pc = pc;
		return;
	}
	if (t->locks_held) /* the thread does not wait here, but at a place in the loop where it holds no lock */
		return;
	/*
	 * a loop may have several such places: keep the first until something changes, or the loop returns to it
	 */
	if (t->spin.seen != E.changes || !t->spin.pc || t->spin.pc == pc || ++t->spin.others > 8) {
		t->spin.pc = pc;
		t->spin.seen = E.changes;
		t->spin.others = 0;
		if (!again && !E.listen.watching)
			sl_look_take(t->kept.look);
	}
}

void
sl_spin_lock(uint64_t pc)
{
	struct sl_thread *t = E.current;

	sl_settle();
	if (t->looks.lock_changes == E.changes) /* nothing has changed since the thread last took a lock */
		sl_spin_visit(pc);
	t->looks.lock_changes = E.changes;
}

/* Called after SL_SPIN_STRETCH accesses without a switch: in a long computation, or a loop that waits. */
void
sl_stretch(uint64_t pc)
{
	struct sl_thread *t = E.current;

	t->looks.budget = SL_SPIN_STRETCH;
	t->looks.watching = 64;
	E.worker->beat += SL_SPIN_STRETCH;
	E.worker->last_pc = pc;
	E.steps += SL_SPIN_STRETCH;
	if (E.steps >= E.progress.step_limit)
		sl_endless_stop();
	if (E.steps >= E.progress.clock_at)
		sl_deadline_clock();
	if (++t->looks.stretches < GIVE_WAY_AFTER || E.ready.count < 2)
		return;
	t->looks.stretches = 0;
	if (t->locks_held)
		sl_fair_expose(); /* the starved threads are not enabled at the moment */
	t->op.kind = SL_YIELD;
	t->op.flags = SL_OP_SILENT;
	t->op.pc = pc;
	sl_give_way();
}
