/*
 * Livelock: threads that run without progress because of each other. A long execution is checked, at 16,384
 * operations and at each doubling, whether its operations repeat, including values. If they do, the threads are
 * observed for two more rounds. Every enabled thread must take part in the loop (otherwise it is only unfair), and
 * each must return with the same registers and the same stack: then the state of the program repeats, and with
 * this schedule, in which every thread runs, it does so for ever.
 *
 * A loop that counts in a register or in memory, or reads the clock, does not repeat in this sense.
 */
#include "base/rng.h"
#include "engine/core/enabled.h"
#include "engine/core/engine.h"
#include "engine/upcall/spin.h"
#include "engine/under/poison.h"
#include "search/phase.h"

#define FIRST 16384
#define WINDOW 8192
#define ROUNDS 4 /* rounds in the window, at least */
#define PERIOD_MAX (WINDOW / ROUNDS)
#define THREADS_MAX 16

static struct {
	enum { COLLECT, LOOK, VERIFY } stage;
	uint32_t count;  /* operations in this stage */
	uint32_t period; /* the length of the loop */
	uint32_t member_count;
	bool was_hashing, was_slow;
	uint32_t preemptions; /* the execution's preemptions when VERIFY began */
	uint64_t hashes[WINDOW];
	uint32_t fails[WINDOW + 1];
	struct {
		uint32_t thread;
		uint32_t at; /* the operation of the round at which its state was taken */
		bool looked, same;
		uint64_t pc;
		struct sl_look look;
	} members[THREADS_MAX];
} * probe;
static uint64_t choices_before; /* the execution's choices at the last check */

void
sl_livelock_reset(void)
{
	if (!probe)
		probe = sl_private_alloc(sizeof(*probe));
	E.listen.probing = false;
	choices_before = 0;
	E.progress.probe_at = E.progress.step_limit < FIRST ? E.progress.step_limit : FIRST;
}

void
sl_livelock_begin(void)
{
	E.progress.probe_at = E.steps * 2 < E.progress.step_limit ? E.steps * 2 : E.progress.step_limit;
	if (E.choices == choices_before && E.ready.count > 1)
		sl_fair_expose();
	choices_before = E.choices;
	sl_endless_note();
	if (E.listen.probing || sl_phase_of(E.worker)->own_program)
		return;
	E.listen.probing = true;
	probe->stage = COLLECT;
	probe->count = 0;
	probe->was_hashing = E.listen.hashing;
	probe->was_slow = E.slow;
	E.listen.hashing = E.slow = true;
}

static void
stop(void)
{
	E.listen.probing = false;
	E.listen.hashing = probe->was_hashing;
	E.slow = probe->was_slow;
}

/*
 * The shortest period of the window, by the failure function of Knuth, Morris and Pratt; 0: no period is short
 * enough.
 */
static uint32_t
period(void)
{
	uint32_t *f = probe->fails, k = 0;

	f[0] = f[1] = 0;
	for (uint32_t i = 1; i < WINDOW; i++) {
		while (k && probe->hashes[i] != probe->hashes[k])
			k = f[k];
		if (probe->hashes[i] == probe->hashes[k])
			k++;
		f[i + 1] = k;
	}
	return WINDOW - k <= PERIOD_MAX ? WINDOW - k : 0;
}

static bool
takes_part(uint32_t thread)
{
	for (uint32_t i = 0; i < probe->member_count; i++)
		if (probe->members[i].thread == thread)
			return probe->members[i].same;
	return false;
}

static bool
is_member(uint32_t thread)
{
	for (uint32_t i = 0; i < probe->member_count; i++)
		if (probe->members[i].thread == thread)
			return true;
	return false;
}

/*
 * Returns whether a thread outside of the loop is enabled at any time of the round: a thread that waits for a lock
 * is enabled only while that is free.
 */
static bool
others_can_go(void)
{
	for (uint32_t i = 0; i < E.thread_count; i++) {
		const struct sl_thread *t = &E.threads[i];

		if (t->alive && (E.ready.places[i] != SL_NOWHERE || (t->waits.object && sl_can_go(t))) &&
		    !is_member(i))
			return true;
	}
	return false;
}

static void
report(void)
{
	struct sl_finding f = {.kind = SL_FINDING_LIVELOCK,
			       .status = (int32_t)probe->period,
			       .extent = E.preemptions.count + E.preemptions.given_way - probe->preemptions};

	for (uint32_t i = 0; i < E.ready.count; i++)
		if (!takes_part(E.ready.ops[i]->thread))
			return;
	for (uint32_t i = 0; i < probe->member_count; i++) {
		if (!probe->members[i].same)
			return;
		f.signature += sl_place_hash(probe->members[i].pc);
		if (i >= SL_CULPRITS_MAX)
			continue;

		const struct sl_thread *t = &E.threads[probe->members[i].thread];

		f.culprits[f.culprit_count++] =
			(struct sl_culprit){.thread = t->id,
					    .pc = probe->members[i].pc,
					    .stack =
						    t->stack.depth ? t->kept.frames[t->stack.depth - 1].stack : 0};
	}
	f.signature = sl_mix(f.signature + 13);
	sl_found_error(&f, SL_RACES_ON);
}

/* Takes the registers, if the operation's entry has saved them (entry.h). */
void
sl_livelock_announced(void)
{
	struct sl_thread *t = E.current;

	if (probe->stage == VERIFY && others_can_go())
		stop();
	t->registers.known = sl_entry.rsp - t->stack.low < t->stack.size;
	t->registers.entry = sl_entry;
}

static void
look(void)
{
	struct sl_thread *t = E.current;
	struct sl_entry now = sl_entry;
	uint32_t i = 0;

	while (i < probe->member_count && probe->members[i].thread != t->id)
		i++;
	if (i == THREADS_MAX) {
		stop();
		return;
	}
	if (i == probe->member_count) {
		probe->members[i].thread = t->id;
		probe->members[i].looked = probe->members[i].same = false;
		probe->member_count++;
	}
	/* a plain access is not announced: its registers are those of the current call */
	if (!t->registers.known && ((!sl_kind_is_plain(t->op.kind) && t->op.kind != SL_START) ||
				    sl_entry.rsp - t->stack.low >= t->stack.size))
		return;
	if (t->registers.known)
		sl_entry = t->registers.entry;
	if (probe->stage == LOOK && !probe->members[i].looked) {
		probe->members[i].looked = true;
		probe->members[i].at = probe->count;
		probe->members[i].pc = t->op.pc;
		sl_look_take(&probe->members[i].look);
	} else if (probe->stage == VERIFY && probe->members[i].looked && probe->members[i].at == probe->count) {
		probe->members[i].same = sl_look_renew(&probe->members[i].look);
		if (!probe->members[i].same)
			stop();
	}
	sl_entry = now;
	t->registers.known = false;
}

static void
operation(uint64_t value)
{
	const struct sl_op *op = &E.current->op;
	uint64_t hash = sl_mix(op->object ^ (uint64_t)op->thread << 48 ^ (uint64_t)op->kind << 56) +
			sl_mix(op->pc ^ (uint64_t)op->size << 56) * 3 + value;
	uint32_t at = probe->count;

	if (probe->stage == COLLECT) {
		probe->hashes[at] = hash;
		if (++probe->count < WINDOW)
			return;
		probe->period = period();
		probe->stage = LOOK;
		probe->count = probe->member_count = 0;
		if (!probe->period)
			stop();
		return;
	}
	/* each round must equal the end of the window, and no other thread be enabled */
	if ((probe->stage == VERIFY && others_can_go()) || hash != probe->hashes[WINDOW - probe->period + at]) {
		stop();
		return;
	}
	look();
	if (!E.listen.probing || ++probe->count < probe->period)
		return;
	probe->count = 0;
	if (probe->stage == LOOK) {
		probe->stage = VERIFY;
		probe->preemptions = E.preemptions.count + E.preemptions.given_way;
		return;
	}
	stop();
	report();
}

/* An operation is about to be performed. */
void
sl_livelock_operation(uint64_t value)
{
	operation(value);
	sl_entry.rsp = 0; /* invalidates the registers, so that a later operation does not use them */
}
