/*
 * The accesses and objects of a step: see step.h. touch_all_of() is all that partial-order reduction
 * (strategy/dpor/dpor.c) knows about operations: the exceptions, then what follows from op.def. Operations of all other
 * kinds commute with none.
 */
#include "engine/core/step.h"
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/rng.h"
#include "engine/core/enabled.h"
#include "engine/core/plan.h"
#include "engine/upcall/spin.h"
#include "engine/under/poison.h"

enum { ALL_BYTES = 255 };

/* The running thread's step has an effect that other threads can observe, although no memory changes. */
static void
not_in_vain(void)
{
	for (int i = 0; E.current->kept.awaits && i < SL_AWAITS; i++)
		E.current->kept.awaits->at[i].changes = UINT64_MAX;
}

static struct sl_touch *
touch(uint64_t key, uint8_t bytes, unsigned how, unsigned needs, unsigned open)
{
	struct sl_step *s = &E.step;

	for (unsigned i = 0; i < s->count; i++) {
		struct sl_touch *t = &s->touches[i];

		if (t->key == key && t->bytes == bytes) { /* a repeated touch: the first one has what was needed */
			t->how |= (uint8_t)(how & ~SL_TOUCH_ASIDE);
			if (!(how & SL_TOUCH_ASIDE))
				t->how &= (uint8_t)~SL_TOUCH_ASIDE;
			/* whether an attempt writes can't be determined if the step has other touches, too */
			if (t->how & (SL_TOUCH_IF_OPEN | SL_TOUCH_IF_SEEN))
				t->how = (uint8_t)((t->how & ~(SL_TOUCH_IF_OPEN | SL_TOUCH_IF_SEEN)) |
						   SL_TOUCH_WRITE);
			t->how |= SL_TOUCH_TWICE;
			return NULL;
		}
	}
	if (s->count == SL_STEP_TOUCHES) {
		sl_step_everything();
		return NULL;
	}
	s->touches[s->count] = (struct sl_touch){.key = key,
						 .bytes = bytes,
						 .how = (uint8_t)how,
						 .needs = (uint8_t)needs,
						 .open = (uint8_t)open};
	return &s->touches[s->count++];
}

static void
touch_object(uint64_t address, unsigned how, unsigned needs)
{
	const struct sl_object *o = sl_object_find(address);

	/* the byte of the address identifies the object: several objects may be in the same eight bytes */
	touch(address & ~7ul, (uint8_t)(1u << (address & 7)), how, needs, o ? sl_openness(o) : 0);
}

void
sl_step_access(uint64_t address, size_t size, unsigned flags)
{
	unsigned how = flags & SL_OP_WRITES ? SL_TOUCH_WRITE : SL_TOUCH_READ;

	if (size > 8 * SL_STEP_TOUCHES) {
		sl_step_everything();
		return;
	}
	for (uint64_t at = address & ~7ul; at < address + size; at += 8) {
		unsigned bytes = ALL_BYTES;

		if (at < address)
			bytes &= ALL_BYTES << (address - at);
		if (at + 8 > address + size)
			bytes &= ALL_BYTES >> (at + 8 - address - size);
		touch(at, (uint8_t)bytes, how, 0, 0);
	}
}

void
sl_step_release(const struct sl_object *o)
{
	touch(o->address & ~7ul, (uint8_t)(1u << (o->address & 7)), SL_TOUCH_WRITE, 0, sl_openness(o));
}

/* Notes an attempt on these bytes: the condition tells how it would have ended in another order. */
static void
attempt(uint64_t key, uint8_t bytes, unsigned condition, uint16_t wanted, bool done)
{
	struct sl_step *s = &E.step;

	for (unsigned i = 0; i < s->count; i++) {
		struct sl_touch *t = &s->touches[i];

		if (t->key != key || t->bytes != bytes || (t->how & SL_TOUCH_TWICE))
			continue;
		t->how = (uint8_t)(condition | (done ? SL_TOUCH_WRITE : SL_TOUCH_READ));
		t->wanted = wanted;
	}
}

void
sl_step_attempt(uint64_t address, unsigned wanted, bool done)
{
	attempt(address & ~7ul, (uint8_t)(1u << (address & 7)), SL_TOUCH_IF_OPEN, (uint16_t)wanted, done);
}

static uint16_t
hash_of(uint64_t value)
{
	return (uint16_t)(sl_mix(value) >> 48) | 1;
}

/* Shifts a value to its place in the eight bytes. */
static uint64_t
in_place(uint64_t value, uint64_t address, size_t size)
{
	return (size < 8 ? value & ((1ul << 8 * size) - 1) : value) << 8 * (address & 7);
}

void
sl_step_swap(uint64_t address, size_t size, uint64_t wanted, bool done)
{
	if ((address & 7) + size <= 8)
		attempt(address & ~7ul, (uint8_t)(((1u << size) - 1) << (address & 7)), SL_TOUCH_IF_SEEN,
			hash_of(in_place(wanted, address, size)), done);
}

/* Notes the bytes before an atomic operation, which reads or writes them itself. */
static void
note_seen(uint64_t address, size_t size)
{
	struct sl_touch *t = E.step.count ? &E.step.touches[E.step.count - 1] : NULL;

	if (!t || t->key != (address & ~7ul) || (t->how & SL_TOUCH_TWICE) || (address & 7) + size > 8)
		return;
	t->seen = hash_of(in_place(*(const uint64_t *)t->key >> 8 * (address & 7), address, size));
}

void
sl_step_heap(uint32_t owner, bool frees)
{
	touch(SL_KEY_HEAP + owner, ALL_BYTES,
	      SL_TOUCH_ASIDE | (frees && owner != E.current->id ? SL_TOUCH_WRITE : SL_TOUCH_READ), 0, 0);
}

void
sl_step_plan(bool blocks)
{
	not_in_vain();
	touch(SL_KEY_PLAN, ALL_BYTES, SL_TOUCH_WRITE, SL_NEEDS_UNKNOWN, 0);
	if (blocks) /* whether it may happen depends on all other threads */
		sl_step_everything();
}

void
sl_step_everything(void)
{
	E.step.everything = true;
	E.step.ends = false;
}

void
sl_step_ends(void)
{
	E.step.ends |= !E.step.everything;
	E.step.everything = true;
}

void
sl_step_ordered(uint32_t from, uint32_t to)
{
	not_in_vain();
	E.strategy->steps->ordered(E.state, from, to);
}

static bool
is_done(uint64_t once)
{
	const struct sl_object *o = sl_object_find(once);

	return o && o->depth;
}

/* A thread whose wait has a time limit is enabled at any time, because the limit may expire; and a wait that may
 * be interrupted ends at an unknown time. */
static unsigned
needs(const struct sl_thread *t, unsigned open)
{
	if (t->interruption.exposed || t->interruption.cancel_marked || sl_plan_unsure(t))
		return SL_NEEDS_UNKNOWN;
	return t->waits.timed || t->waits.expired || t->waits.tries ? 0 : open;
}

/* What op.def says about it is all that there is to know. */
static void
touch_as_defined(const struct sl_thread *t)
{
	const struct sl_op *op = &t->op;
	unsigned flags = sl_op_kinds[op->kind].flags;

	if (sl_kind_is(op->kind, SL_KIND_ACCESS)) {
		sl_step_access(op->object, op->size, op->flags);
		if (sl_op_is_call(op->kind) && flags & SL_OP_WRITES)
			note_seen(op->object, op->size);
	} else if (flags & SL_OP_SILENT) {
		/* nothing that another thread could see */
	} else if (sl_kind_awaits_lock(op->kind)) {
		touch_object(op->object, SL_TOUCH_WRITE, needs(t, SL_OPEN_FREE));
	} else if (sl_kind_is(op->kind, SL_KIND_SYNC)) {
		touch_object(op->object, flags & SL_OP_WRITES ? SL_TOUCH_WRITE : SL_TOUCH_READ, 0);
	} else if (sl_kind_is(op->kind, SL_KIND_FUTEX)) {
		/* a choice lists the waiters in the order in which they began to sleep */
		touch_object(op->object, SL_TOUCH_WRITE, 0);
	} else if (sl_op_is_io(op)) {
		/* an operation may concern several descriptors, so none commutes with another */
		not_in_vain();
		touch(SL_KEY_IO, ALL_BYTES, SL_TOUCH_WRITE, SL_NEEDS_UNKNOWN, 0);
	} else if (sl_kind_is(op->kind, SL_KIND_RECEIVES) && !sl_kind_is(op->kind, SL_KIND_WAITS)) {
		/* which signals come: those that no thread sends, else see below */
	} else { /* signals, cancellation, timers, processes, OpenMP's tasks */
		not_in_vain();
		E.step.everything = E.step.unknown = true;
	}
}

static void
touch_all_of(const struct sl_thread *t)
{
	const struct sl_op *op = &t->op;

	/*
	 * An expired time limit of one thread changes nothing for the others, unless one of them reads the clock.
	 */
	if (t->waits.expired)
		touch(SL_KEY_TIME, ALL_BYTES, SL_TOUCH_READ, 0, 0);
	if (t->interruption.exposed || t->interruption.cancel_marked) /* it may be interrupted at any time */
		E.step.everything = E.step.unknown = true;
	if (sl_plan_unsure(t) && op->kind != SL_EVENT)
		sl_plan_step(t);
	if (unlikely(E.plan.active) && !sl_kind_is(op->kind, SL_KIND_QUIET) && sl_plan_sees_arrivals())
		sl_step_everything();
	switch (op->kind) {
	case SL_SPIN:
	case SL_FREE:       /* ordered after the threads that touch the block; otherwise see sl_step_everything() */
	case SL_TESTCANCEL: /* no thread sends a request; otherwise see touch_as_defined() */
		break;
	case SL_KEY_USE:
	case SL_KEY_DELETE:
	case SL_DESTROY:
	case SL_SHARE:
		touch_object(op->object,
			     sl_op_kinds[op->kind].flags & SL_OP_WRITES ? SL_TOUCH_WRITE : SL_TOUCH_READ, 0);
		break;
	case SL_INIT: /* otherwise initialising is ordered with the threads that use the object */
		if (sl_made_marked(op->object))
			touch_object(op->object, SL_TOUCH_WRITE, 0);
		break;
	case SL_JOIN:
		if (t->waits.expired && t->awaited.joins)
			touch(sl_thread_word(t->awaited.joins, SL_WORD_END) & ~7ul, ALL_BYTES, SL_TOUCH_READ, 0,
			      0);
		break;
	case SL_SLEEP:
		touch(SL_KEY_TIME, ALL_BYTES, SL_TOUCH_READ, 0, 0);
		break;
	case SL_CLOCK: /* a loop that reads the clock sees time pass */
		not_in_vain();
		touch(SL_KEY_TIME, ALL_BYTES, SL_TOUCH_WRITE | SL_TOUCH_ASIDE, 0, 0);
		break;
	case SL_TURN:
		sl_step_access(op->object, op->size, op->flags);
		note_seen(op->object, op->size);
		break;
	case SL_END:
	case SL_TRYJOIN:
		if (sl_watched(op->object))
			touch(op->object & ~7ul, ALL_BYTES, op->kind == SL_END ? SL_TOUCH_WRITE : SL_TOUCH_READ, 0,
			      0);
		break;
	case SL_ONCE:
		if (is_done(op->object)) {
			touch_object(op->object, SL_TOUCH_READ, 0);
			/* it waits unless the initialisation is done */
			sl_step_attempt(op->object, SL_OPEN_TO_READERS, false);
		} else {
			touch_object(op->object, SL_TOUCH_WRITE, needs(t, SL_OPEN_FREE));
		}
		break;
	case SL_RW_RDLOCK:
		touch_object(op->object, SL_TOUCH_WRITE, needs(t, SL_OPEN_FREE | SL_OPEN_TO_READERS));
		break;
	case SL_RW_WRLOCK:
		touch_object(op->object, SL_TOUCH_WRITE, needs(t, SL_OPEN_FREE | SL_OPEN_UNREAD));
		break;
	case SL_SEM_WAIT:
		touch_object(op->object, SL_TOUCH_WRITE, needs(t, SL_OPEN_POSITIVE));
		break;
	case SL_MUTEX_TRYLOCK:
		touch_object(op->object, SL_TOUCH_WRITE, sl_plan_unsure(t) ? SL_NEEDS_UNKNOWN : 0);
		break;
	case SL_BARRIER_WAIT:
		if (sl_object_find(op->object)->kind == SL_OBJECT_TEAM) {
			not_in_vain();
			sl_omp_step(t);
		} else {
			touch_object(op->object, SL_TOUCH_WRITE, 0);
		}
		break;
	case SL_FUTEX_REQUEUE:
	case SL_FUTEX_WAKE_OP: /* the operation concerns two words */
		touch_object(op->object, SL_TOUCH_WRITE, 0);
		E.step.everything = true;
		break;
	case SL_CANCELLED: /* by what another thread sends */
	case SL_HANDLE:
		not_in_vain();
		E.step.everything = E.step.unknown = true;
		break;
	case SL_EVENT:
		sl_plan_step(t);
		if (E.step.stuck && sl_plan_unsure(t)) /* otherwise trying the lock is part of the step */
			touch_object(sl_plan_lock(t), SL_TOUCH_WRITE, SL_NEEDS_UNKNOWN);
		break;
	case SL_EXIT:
		if (E.alive_count > 1)
			sl_step_ends();
		break;
	default:
		touch_as_defined(t);
		break;
	}
}

void
sl_step_operation(void)
{
	touch_all_of(E.current);
}

void
sl_step_wakes(const struct sl_thread *t)
{
	if (t->waits.timed)
		E.strategy->steps->instead(E.state, t->id);
	sl_step_ordered(SL_STEP_CURRENT, t->id);
}

/* A step whose operation was chosen together with the next one has not ended. */
uint64_t
sl_step_done(void)
{
	return E.current->progress.step - (E.current->turn.skip_point && E.current->progress.step);
}

void
sl_step_vain(uint64_t from)
{
	E.strategy->steps->vain(E.state, E.current->id, from, sl_step_done());
}

/*
 * The execution is over. Reports what each thread waits for, or was waiting for, as a step that was never
 * performed.
 */
void
sl_step_stuck(void)
{
	sl_step_end();
	for (uint32_t i = 0; i < E.thread_count; i++) {
		const struct sl_thread *t = &E.threads[i];

		if (!t->alive)
			continue;
		sl_step_begin(t->id);
		E.step.stuck = true;
		if (!t->looks.spinning) /* its steps without effect show what it reads */
			touch_all_of(t);
		bool waits = t->looks.spinning;

		for (unsigned k = 0; k < E.step.count; k++)
			waits |= E.step.touches[k].needs != 0;
		if (waits)
			sl_step_end();
	}
	E.listen.watching = false;
}

void
sl_step_begin(uint32_t thread)
{
	E.step.thread = thread;
	E.threads[thread].progress.step++;
	E.step.count = 0;
	E.step.everything = E.step.ends = E.step.last = E.step.stuck = E.step.unknown = false;
}

void
sl_step_end(void)
{
	E.strategy->steps->stepped(E.state, &E.step);
}
