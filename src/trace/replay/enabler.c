/* No function of libc is called here: this file is part of the engine, too. */
#include "trace/replay/enabler.h"

#include "base/rng.h"

/* How many of the last operations of a thread, and of all threads, are examined to see what its loop reads. */
#define TAIL 512
#define REACH 16384

uint64_t
sl_thread_path(const struct sl_thread_record *threads, uint32_t count, uint32_t thread)
{
	uint32_t ordinals[64], depth = 0;
	uint64_t path = 1;

	while (thread && thread < count && depth < 64 && threads[thread].parent < thread) {
		ordinals[depth++] = threads[thread].ordinal;
		thread = threads[thread].parent;
	}
	while (depth)
		path = sl_mix(path + ordinals[--depth]);
	return path;
}

static bool
is_access(const struct sl_op *op)
{
	return sl_kind_is(op->kind, SL_KIND_ACCESS);
}

bool
sl_enables(const struct sl_op *op, uint64_t size, const struct sl_flag *flag)
{
	if (is_access(op)) {
		size = op->flags & SL_OP_RANGE ? size : op->size ? op->size : 1;
		return sl_op_kinds[op->kind].flags & SL_OP_WRITES && op->object < flag->address + flag->size &&
		       flag->address < op->object + size;
	}
	return sl_kind_is(op->kind, SL_KIND_ENABLES) && op->object == flag->address;
}

struct sl_enabler *
sl_enabler_get(struct sl_enablers *e, uint64_t address, uint64_t path, uint64_t pc)
{
	for (uint32_t i = 0; i < e->count; i++)
		if (e->items[i].address == address && e->items[i].path == path && e->items[i].pcs[0] == pc)
			return &e->items[i];
	if (e->count >= SL_ENABLERS_MAX)
		return NULL;
	e->items[e->count] = (struct sl_enabler){.address = address, .path = path, .pcs = {pc}};
	return &e->items[e->count++];
}

static const struct sl_record *
record_at(const struct sl_ring *ring, uint64_t i)
{
	return &ring->records[i % ring->room];
}

static uint64_t
oldest(const struct sl_ring *ring)
{
	return ring->count > ring->room ? ring->count - ring->room : 0;
}

static void
flag_add(struct sl_enablers *e, uint32_t *of_thread, uint64_t address, uint32_t size, uint32_t thread)
{
	if (!address || e->flag_count >= SL_FLAGS_MAX || *of_thread >= SL_FLAGS_OF_THREAD)
		return;
	for (uint32_t i = e->flag_count - *of_thread; i < e->flag_count; i++)
		if (e->flags[i].address == address)
			return;
	e->flags[e->flag_count++] = (struct sl_flag){address, size ? size : 1, thread};
	++*of_thread;
}

/*
 * Does the thread write it among its own last operations? Then it is a counter of the loop, or a local variable.
 */
static bool
is_own(const struct sl_ring *ring, uint64_t from, uint32_t thread, uint64_t address)
{
	for (uint64_t i = ring->count; i-- > from;) {
		const struct sl_op *op = &record_at(ring, i)->op;

		if (op->thread == thread && sl_kind_access(op->kind) == SL_OP_WRITES && op->object == address)
			return true;
	}
	return false;
}

static bool
comes_again(const struct sl_ring *ring, uint64_t from, uint64_t at)
{
	const struct sl_op *op = &record_at(ring, at)->op;

	for (uint64_t i = at; i-- > from;) {
		const struct sl_op *other = &record_at(ring, i)->op;

		if (other->thread == op->thread && other->pc == op->pc && other->object == op->object &&
		    other->kind == op->kind)
			return true;
	}
	return false;
}

/* The flags of a thread that loops: what it reads in each round. */
static void
flags_of_loop(struct sl_enablers *e, const struct sl_ring *ring, uint32_t thread)
{
	uint64_t from = ring->count, end = oldest(ring);
	uint32_t own = 0, count = 0;

	if (ring->count - end > REACH)
		end = ring->count - REACH;
	while (from > end && own < TAIL)
		own += record_at(ring, --from)->op.thread == thread;
	for (uint64_t i = ring->count; i-- > from;) {
		const struct sl_op *op = &record_at(ring, i)->op;

		if (op->thread == thread && is_access(op) && (op->flags & SL_OP_READS) &&
		    !(op->flags & SL_OP_RANGE) && !is_own(ring, from, thread, op->object) &&
		    comes_again(ring, from, i))
			flag_add(e, &count, op->object, op->size, thread);
	}
}

/*
 * The flags of a thread that waits for a condition variable: that, and what the thread has read since it took the
 * lock.
 */
static void
flags_of_wait(struct sl_enablers *e, const struct sl_ring *ring, const struct sl_thread_record *t)
{
	uint32_t count = 0;
	uint64_t i = ring->count, end = oldest(ring);
	bool waits = false;

	for (; i > end; i--) {
		const struct sl_op *op = &record_at(ring, i - 1)->op;

		if (op->thread != t->id)
			continue;
		if (!waits && sl_kind_is(op->kind, SL_KIND_LENDS)) {
			waits = true;
			flag_add(e, &count, op->object, 1, t->id);
		} else if (sl_kind_is(op->kind, SL_KIND_TAKES)) {
			break;
		} else if (is_access(op) && (op->flags & SL_OP_READS) && !(op->flags & SL_OP_RANGE)) {
			flag_add(e, &count, op->object, op->size, t->id);
		}
	}
	if (!waits)
		flag_add(e, &count, t->pending.object, 1, t->id);
}

/* Does a thread wait in such an operation until other threads put something into the object, a semaphore's value? */
static bool
is_given(uint8_t kind)
{
	return sl_kind_is(kind, SL_KIND_SYNC) && sl_kind_is(kind, SL_KIND_WAITS) &&
	       sl_kind_is(kind, SL_KIND_ORDERS) &&
	       (!sl_kind_is(kind, SL_KIND_SLEEPS) || sl_kind_is(kind, SL_KIND_ENABLES));
}

/*
 * The place after which a thread is no longer stuck. Whether it waits for a condition variable at all depends on
 * what it has read: in other executions it may not wait; so this is the place of its last operation before the
 * wait.
 */
static uint64_t
place_of(const struct sl_ring *ring, const struct sl_thread_record *t)
{
	bool waits = false;

	if (!sl_kind_awaits_wakeup(t->pending.kind) && !sl_kind_retakes_lock(t->pending.kind))
		return t->pending.pc;
	for (uint64_t i = ring->count; i-- > oldest(ring);) {
		const struct sl_op *op = &record_at(ring, i)->op;

		if (op->thread != t->id)
			continue;
		if (waits || (!sl_kind_awaits_wakeup(op->kind) && !sl_kind_retakes_lock(op->kind)))
			return op->pc;
		waits = sl_kind_awaits_wakeup(op->kind);
	}
	return t->pending.pc;
}

void
sl_enablers_begin(struct sl_enablers *e, enum sl_finding_kind kind, const struct sl_culprit *culprits,
		  uint32_t culprit_count, const struct sl_ring *ring, const struct sl_thread_record *threads,
		  uint32_t thread_count)
{
	*e = (struct sl_enablers){0};
	for (uint32_t i = 0; i < thread_count && e->stuck_count < SL_FLAGS_MAX; i++)
		if (threads[i].state != SL_THREAD_ENDED)
			e->stuck[e->stuck_count++] = (struct sl_stuck){sl_thread_path(threads, thread_count, i),
								       place_of(ring, &threads[i]), 0};
	for (uint32_t i = 0; kind == SL_FINDING_DEADLOCK && i < thread_count; i++) {
		const struct sl_thread_record *t = &threads[i];
		uint32_t count = 0;

		if (t->state == SL_THREAD_SPINNING)
			flags_of_loop(e, ring, t->id);
		else if (t->state != SL_THREAD_BLOCKED)
			continue;
		else if (sl_kind_is(t->pending.kind, SL_KIND_LENDS) ||
			 (sl_kind_retakes_lock(t->pending.kind) && t->waits_for < 0))
			flags_of_wait(e, ring, t);
		else if (is_given(t->pending.kind) || sl_kind_awaits_wakeup(t->pending.kind) ||
			 t->pending.kind == SL_IO_READ)
			flag_add(e, &count, t->pending.object, sl_kind_is(t->pending.kind, SL_KIND_FUTEX) ? 4 : 1,
				 t->id);
	}
	for (uint32_t i = 0; kind != SL_FINDING_DEADLOCK && i < culprit_count; i++)
		flags_of_loop(e, ring, culprits[i].thread);
	for (uint64_t i = oldest(ring); e->flag_count && i < ring->count; i++) {
		const struct sl_record *r = record_at(ring, i);

		for (uint32_t k = 0; k < e->flag_count; k++) {
			struct sl_enabler *it;

			if (!sl_enables(&r->op, r->value, &e->flags[k]))
				continue;
			it = sl_enabler_get(e, e->flags[k].address,
					    sl_thread_path(threads, thread_count, r->op.thread), r->op.pc);
			if (!it)
				continue;
			it->kind = r->op.kind;
			it->here += it->now != i + 1; /* two threads may look at the same flag */
			it->now = (uint32_t)(i + 1);
		}
	}
	for (uint32_t i = 0; i < e->count; i++)
		e->items[i].now = 0;
}

bool
sl_enabler_counts(const struct sl_enabler *enabler, const struct sl_flag *flag, uint64_t path)
{
	return enabler->address == flag->address && enabler->most > enabler->here && enabler->after &&
	       enabler->path != path;
}

bool
sl_enablers_suffice(const struct sl_enablers *e, const struct sl_thread_record *threads, uint32_t thread_count)
{
	for (uint32_t i = 0; i < e->flag_count;) {
		uint32_t thread = e->flags[i].thread;
		uint64_t path = sl_thread_path(threads, thread_count, thread);
		bool known = false;

		for (; i < e->flag_count && e->flags[i].thread == thread; i++)
			for (uint32_t k = 0; k < e->count; k++)
				known |= sl_enabler_counts(&e->items[k], &e->flags[i], path);
		if (!known)
			return false;
	}
	return true;
}
