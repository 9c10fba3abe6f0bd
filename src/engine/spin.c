#include "engine/spin.h"
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/rng.h"
#include "engine/engine.h"
#include "engine/entry.h"
#include "engine/poison.h"

struct sl_entry sl_entry;

/* Registers, and up to `count` words of the stack. */
static uint64_t
state_hash(uint64_t count)
{
	uintptr_t low, top;
	const uint64_t *words = (const uint64_t *)sl_entry.rsp;
	uint64_t a = sl_entry.rbx, b = sl_entry.rbp ^ sl_entry.rsp;

	a = a * 0x9e3779b97f4a7c15u + sl_entry.r12;
	b = b * 0x9e3779b97f4a7c15u + sl_entry.r13;
	a = a * 0x9e3779b97f4a7c15u + sl_entry.r14;
	b = b * 0x9e3779b97f4a7c15u + sl_entry.r15;
	sl_carrier_stack(E.current->slot, &low, &top);
	if (sl_entry.rsp < low || sl_entry.rsp >= top)
		return sl_mix(a ^ sl_mix(b)); /* on a stack of the program's own making */
	if ((top - sl_entry.rsp) / 8 < count)
		count = (top - sl_entry.rsp) / 8;
	for (uint64_t i = 0; i + 1 < count; i += 2) {
		a = (a ^ words[i]) * 0x9e3779b97f4a7c15u;
		b = (b ^ words[i + 1]) * 0xbf58476d1ce4e5b9u;
		a ^= a >> 29;
		b ^= b >> 31;
	}
	return sl_mix(a ^ sl_mix(b));
}

void
sl_spin_visit(uint64_t pc)
{
	struct sl_thread *t = E.current;
	uint64_t hash = state_hash(SL_SPIN_WINDOW);

	sl_settle();
	if (t->looks_changes != E.changes - t->own_changes) {
		t->looks_changes = E.changes - t->own_changes;
		t->looks = 0;
	} else if (++t->looks >= SL_LOOKS) { /* it counts, or notes something: not the same state, but it waits */
		t->looks = 0;
		sl_give_way();
		return;
	}
	if (t->spin_pc == pc && t->spin_hash == hash && t->spin_seen == E.changes && !t->locks_held) {
		if (t->last_looks) {
			uint64_t whole = state_hash(UINT64_MAX);

			t->sure = whole == t->whole_hash;
			t->whole_hash = whole;
		}
		sl_spin_block();
		t->spin_seen = E.changes;
		t->spin_pc = pc;
		return;
	}
	/* a loop may pass several such places: keep the first until something changes */
	if (t->spin_seen != E.changes || !t->spin_pc || ++t->spin_others > 8) {
		t->spin_pc = pc;
		t->spin_hash = hash;
		t->spin_seen = E.changes;
		t->spin_others = 0;
	}
}
