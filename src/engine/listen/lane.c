#include "engine/listen/lane.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/rng.h"
#include "base/text.h"
#include "engine/under/poison.h"
#include "search/phase.h"
#include "trace/lane/reel.h"

static struct sl_reel *reel;
static struct sl_lane *lane;
static uint64_t *ring;
static uint64_t mask, limit; /* limit: the head up to which there is room */
static uint32_t whose;       /* the thread of the last item */

bool
sl_reel_open(const char *path)
{
	int fd = (int)sl_raw(SYS_open, path, O_RDWR | O_CLOEXEC);
	struct sl_reel *r;
	uint64_t size = 0;

	if (reel)
		return true;
	if (fd < 0)
		return false;
	if (sl_raw(SYS_pread64, fd, &size, sizeof(size), offsetof(struct sl_reel, size)) != sizeof(size))
		size = 0;
	r = (struct sl_reel *)sl_raw(SYS_mmap, SL_REEL_ADDRESS, size, PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
	sl_raw(SYS_close, fd);
	if ((uint64_t)r != SL_REEL_ADDRESS || r->magic != SL_REEL_MAGIC)
		return false;
	sl_raw(SYS_madvise, r, size, MADV_DONTDUMP);
	reel = r;
	lane = &r->lanes[0];
	ring = (uint64_t *)((char *)r + r->rings);
	mask = r->lane_words - 1;
	lane->state = SL_LANE_OPEN;
	sl_reel_begin_here(r);
	return true;
}

void
sl_reel_close(void)
{
	if (reel)
		sl_raw(SYS_munmap, reel, reel->size);
	reel = NULL;
	lane = NULL;
	E.listen.reeling = E.listen.valued = false;
	limit = 0;
}

/* Wakes the reader, which otherwise checks the lane from time to time, and waits until it has caught up. */
static __attribute__((noinline)) void
make_room(uint64_t head, uint64_t words)
{
	for (;;) {
		uint64_t tail = __atomic_load_n(&lane->tail, __ATOMIC_ACQUIRE);

		limit = tail + reel->lane_words;
		if (head + words <= limit)
			return;
		__atomic_store_n(&lane->waiting, 1, __ATOMIC_SEQ_CST);
		if (__atomic_exchange_n(&reel->news, 0, __ATOMIC_SEQ_CST))
			sl_raw(SYS_futex, &reel->news, FUTEX_WAKE, 1, NULL, NULL, 0);
		if (__atomic_load_n(&lane->tail, __ATOMIC_SEQ_CST) == tail)
			sl_raw(SYS_futex, &lane->tail, FUTEX_WAIT, (uint32_t)tail, NULL, NULL, 0);
		E.worker->beat++;
	}
}

/* Returns the address for contiguous words; publish() makes them visible. */
static inline uint64_t *
reserve(uint64_t words)
{
	uint64_t head = lane->head, rest = mask + 1 - (head & mask);

	if (unlikely(rest < words)) {
		if (head + rest > limit)
			make_room(head, rest);
		for (uint64_t i = 0; i < rest; i++)
			ring[(head + i) & mask] = SL_REEL_PAD;
		head += rest;
		__atomic_store_n(&lane->head, head, __ATOMIC_RELEASE);
	}
	if (unlikely(head + words > limit))
		make_room(head, words);
	return &ring[head & mask];
}

static inline void
publish(uint64_t words)
{
	__atomic_store_n(&lane->head, lane->head + words, __ATOMIC_RELEASE);
}

static __attribute__((noinline)) void
put(uint64_t word)
{
	*reserve(1) = word;
	publish(1);
}

/* The write that the last thread may not have performed yet; size 0: there is none. */
static struct sl_unwritten written;

static inline void
belongs_to(uint32_t thread)
{
	if (unlikely(written.size))
		sl_reel_settle();
	if (likely(thread == whose))
		return;
	put(sl_reel_word(SL_REEL_SWITCH, 0, thread));
	whose = thread;
}

void
sl_reel_begin(void)
{
	struct sl_worker *w = E.worker;
	const struct sl_phase_ops *phase = sl_phase_of(w);
	uint64_t number = w->counters.executions + 1;

	written.size = 0;
	E.listen.valued = reel && phase->explores && E.arena->config.values;
	E.listen.reeling =
		reel && (phase->explores || (!E.arena->config.values && phase->traces && w->repeats == 0));
	if (!E.listen.reeling)
		return;
	if (E.arena->config.record_only)
		number = 0; /* the only part */
	else if (phase->traces)
		number = SL_PART_FINDING | (w->subject + 1);
	/* this process may have an old value of the reader's position */
	limit = __atomic_load_n(&lane->tail, __ATOMIC_ACQUIRE) + reel->lane_words;
	put(SL_REEL_PART | number << 8);
	put(sl_reel_word(SL_REEL_SWITCH, 0, 0));
	whose = 0;
}

/* ---- what a search learns from ---- */

static void
put_words(uint64_t first, uint64_t second, uint64_t third)
{
	uint64_t *to = reserve(3);

	to[0] = first;
	to[1] = second;
	to[2] = third;
	publish(3);
}

/* The bytes, or a hash of them. The program's pointer may be bad. */
static uint64_t
content(uint64_t address, uint64_t size, uint16_t *flags)
{
	uint64_t hash = size;

	if (size <= 8)
		return size ? sl_probe(address) & (UINT64_MAX >> (64 - size * 8)) : 0;
	*flags |= SL_VALUE_HASH;
	if (size > SL_VALUE_BYTES) {
		*flags |= SL_VALUE_PART;
		size = SL_VALUE_BYTES;
	}
	for (uint64_t at = 0; at < size; at += 8) {
		uint64_t left = size - at, word = sl_probe(address + at);

		hash = sl_mix(hash + (left < 8 ? word & (UINT64_MAX >> (64 - left * 8)) : word));
	}
	return hash;
}

/* gcc announces that a structure is copied to a place before it announces the read of the other: both precede the copy. */
static bool
is_before_read(const struct sl_thread *t, const struct sl_unwritten *w)
{
	return !w->read && t->op.kind == SL_READ && t->op.index == w->index + 1 &&
	       w->size == (t->op.flags & SL_OP_RANGE ? t->extent : t->op.size);
}

void
sl_reel_settle(void)
{
	struct sl_thread *t = &E.threads[written.thread];
	uint64_t size = written.size, value;
	uint16_t flags = 0;

	if (!size || !E.listen.valued)
		return;
	value = content(written.address, size, &flags);
	if (value == written.before && is_before_read(t, &written))
		t->unwritten = written;
	else
		t->unwritten.size = 0;
	written.size = 0;
	if (t->unwritten.size)
		return;
	belongs_to(written.thread);
	put_words(sl_reel_word(SL_ITEM_WRITTEN, size > 255 ? 0 : (uint8_t)size, written.index),
		  sl_reel_object_word(flags, written.address), value);
}

/* The operation was put. Its bytes, if it is a range, are counted by its value. */
static __attribute__((noinline)) void
put_value(const struct sl_op *op, uint64_t value)
{
	uint64_t size = op->flags & SL_OP_RANGE ? value : op->size;
	uint16_t flags = 0;

	if (!sl_kind_is(op->kind, SL_KIND_ACCESS)) {
		if (op->kind == SL_END)
			value = (uint64_t)E.current->ends.result;
		put_words(sl_reel_word(SL_ITEM_VALUE, 0, op->index), SL_VALUE_BESIDE, value);
		return;
	}
	value = content(op->object, size, &flags);
	put_words(sl_reel_word(SL_ITEM_VALUE, op->size, op->index), sl_reel_object_word(flags, op->object), value);
	if (op->flags & SL_OP_WRITES) {
		written = (struct sl_unwritten){op->object, size, op->index, value, op->thread, false};
		E.current->unwritten.size = 0;
	} else if (E.current->unwritten.size) {
		written = E.current->unwritten;
		written.read = true;
		E.current->unwritten.size = 0;
	}
}

void
sl_reel_kin(uint32_t thread, uint32_t parent, uint64_t path)
{
	belongs_to(thread);
	put_words(sl_reel_word(SL_ITEM_KIN, 0, 0), sl_reel_object_word(0, parent), path);
}

void
sl_reel_pending(void)
{
	/* such a finding comes before the write that it is about */
	bool before = E.outcome.finding && (E.outcome.found.kind == SL_FINDING_RACE || E.outcome.found.kind == SL_FINDING_USE_AFTER_FREE ||
					    E.outcome.found.kind == SL_FINDING_OUT_OF_BOUNDS);
	bool stuck = E.outcome.finding && E.outcome.found.kind == SL_FINDING_DEADLOCK;

	if (before)
		written.size = 0;
	sl_reel_settle();
	for (uint32_t i = 0; i < E.thread_count; i++) {
		const struct sl_thread *t = &E.threads[i];
		const struct sl_op *op = &t->op;
		uint64_t object = op->object, index = op->index;
		uint8_t kind = op->kind;

		if (!t->alive || (t == E.current && !stuck))
			continue;
		if (kind == SL_COND_WAIT && t->awaited.relock && t->waits.object) { /* performed: it sleeps */
			kind = SL_COND_RELOCK;
			object = t->awaited.relock->address;
			index++;
		}
		if (kind == SL_BARRIER_WAIT && t->waits.object)
			continue;
		if (kind == SL_JOIN)
			object = t->awaited.joins ? t->awaited.joins->id + 1 : 0;
		belongs_to(i);
		put_words(sl_reel_word(SL_ITEM_PENDING, kind, op->pc), sl_reel_object_word(0, object), index);
	}
}

void
sl_reel_beyond(unsigned what)
{
	belongs_to(E.current->id);
	put_words(sl_reel_word(SL_ITEM_BEYOND, (uint8_t)what, E.current->op.pc), 0, 0);
}

void
sl_reel_count(uint64_t object, uint64_t count)
{
	belongs_to(E.current->id);
	put_words(sl_reel_word(SL_ITEM_COUNT, 0, 0), sl_reel_object_word(0, object), count);
}

void
sl_reel_asked(enum sl_choice_kind kind, unsigned count, uint32_t answer)
{
	belongs_to(E.current->id);
	put_words(sl_reel_word(SL_ITEM_ASKED, (uint8_t)kind, E.current->op.index), sl_reel_object_word(0, answer),
		  count);
}

/*
 * Among plain accesses only ranges have a value, and the values of atomics are not read from memory: see
 * sl_reel_has_value().
 */
void
sl_reel_operation(uint64_t value)
{
	const struct sl_op *op = &E.current->op;
	bool valued = sl_reel_has_value(op->kind, op->flags);
	uint64_t *to;

	belongs_to(E.current->id);
	to = reserve(3);
	to[0] = sl_reel_word(E.listen.took ? E.listen.took : op->kind, op->size, op->pc);
	to[1] = sl_reel_object_word(op->flags, op->object);
	to[2] = value;
	if (unlikely(op->kind == SL_END)) /* as on real threads, where the last operation is unknown */
		to[0] = sl_reel_word(SL_END, op->size, E.current->born.address ? E.current->born.address + 1 : 0);
	if (unlikely(op->kind == SL_START)) {
		to[1] = sl_reel_object_word(op->flags, E.current->stack.low);
		to[2] = E.current->stack.low + E.current->stack.size;
	}
	publish(2 + valued);
	if (unlikely(E.listen.valued))
		put_value(op, value);
}

void
sl_reel_call(uint64_t function, uint64_t pc)
{
	uint64_t *to;

	belongs_to(E.current->id);
	to = reserve(2);
	to[0] = sl_reel_word(SL_ITEM_CALL, 0, pc);
	to[1] = sl_reel_object_word(0, function);
	publish(2);
}

void
sl_reel_return(void)
{
	belongs_to(E.current->id);
	put(sl_reel_word(SL_ITEM_RETURN, 0, 0));
}

void
sl_reel_branch(uint64_t pc)
{
	belongs_to(E.current->id);
	put(sl_reel_word(SL_ITEM_BRANCH, 0, pc));
}

void
sl_reel_request(const struct sl_thread *thread)
{
	const struct sl_op *op = &thread->op;
	uint64_t *to;

	if (!sl_kind_awaits_lock(op->kind))
		return;
	belongs_to(thread->id);
	to = reserve(2);
	to[0] = sl_reel_word(SL_ITEM_REQUEST, op->kind, op->pc);
	to[1] = sl_reel_object_word(0, op->object);
	publish(2);
}

void
sl_reel_name(const struct sl_thread *thread)
{
	uint64_t number = sl_wordlist_number(&reel->names, thread->called.name);

	if (!number)
		return;
	belongs_to(thread->id);
	put(SL_REEL_NAME | number << 8);
}

void
sl_reel_process(bool instead)
{
	if (!E.listen.reeling)
		return;
	if (instead)
		reel->replaced = 1;
	else
		reel->forked++;
}
