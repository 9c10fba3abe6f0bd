#include "engine/upcall/state.h"
#include <stdio.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/rng.h"
#include "engine/core/enabled.h"
#include "engine/core/plan.h"
#include "engine/core/race.h"
#include "engine/under/bulk.h"
#include "engine/under/poison.h"

static bool opaque; /* this execution has done something that the identity does not include */
static bool identified; /* the identity of the state at this choice is known */

void
sl_state_reset(void)
{
	opaque = identified = false;
}

void
sl_state_opaque(void)
{
	opaque = true;
}

static bool
is_opaque(void)
{
	opaque = opaque || sl_mappings_are_there() || sl_heap_is_huge() || sl_channels_are_touched() ||
		 sl_world_has_moved();
	return opaque;
}

/* Kinds of operations whose effects are all in memory that the identity includes. */
void
sl_state_operation(void)
{
	opaque |= !sl_kind_is(E.current->op.kind, SL_KIND_COMPARED);
}

/* ---- identity ---- */

static inline uint64_t
multiply(uint64_t x, uint64_t y)
{
	unsigned __int128 product = (unsigned __int128)x * y;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

#define KEY_A 0x9e3779b97f4a7c15u
#define KEY_B 0xd1342543de82ef95u
#define KEY_C 0xbf58476d1ce4e5b9u

/* Two different hashes of the same words, so that their 128 bits are independent. */
void
sl_identity_add(struct sl_identity *identity, uint64_t key, const void *bytes, size_t size)
{
	uint64_t a = sl_mix(key ^ size), b = sl_mix(key + KEY_B) + size;
	const char *at = bytes;

	for (; size >= 8; size -= 8, at += 8) {
		uint64_t word;

		__builtin_memcpy(&word, at, 8);
		a = multiply(a ^ word, KEY_A);
		b = multiply(b + word, KEY_B) ^ word;
	}
	if (size) {
		uint64_t word = 0;

		for (size_t i = 0; i < size; i++)
			word |= (uint64_t)(unsigned char)at[i] << i * 8;
		a = multiply(a ^ word, KEY_A);
		b = multiply(b + word, KEY_B) ^ word;
	}
	identity->a += sl_mix(a);
	identity->b += sl_mix(b + KEY_C);
}

/*
 * Adds the bits that differ from the start: what the kernel and libc have put there differently in each process
 * (the number of a thread, the name of a file) does not count while it is unchanged.
 */
static void
add_difference(struct sl_identity *identity, const void *at, const void *start, size_t size)
{
	static uint64_t words[SL_CHUNK / 8];
	const char *now = at, *then = start;

	for (size_t done = 0; done < size; done += sizeof(words)) {
		size_t n = size - done < sizeof(words) ? size - done : sizeof(words);

		if (!start) {
			sl_identity_add(identity, (uint64_t)now + done, now + done, n);
			continue;
		}
		words[(n - 1) / 8] = 0;
		sl_memcpy(words, now + done, n);
		for (size_t i = 0; i < (n + 7) / 8; i++) {
			uint64_t word = 0;

			__builtin_memcpy(&word, then + done + i * 8, i * 8 + 8 <= n ? 8 : n - i * 8);
			words[i] ^= word;
		}
		sl_identity_add(identity, (uint64_t)now + done, words, n);
	}
}

static struct sl_identity *sum;

/* The differences from the start that the last identity found, so that keeping the state need not search again. */
static struct {
	void *at;
	size_t size;
} differing[4096];
static uint32_t differing_count;

static void
add_memory(void *at, const void *start, size_t size)
{
	if (differing_count < sizeof(differing) / sizeof(differing[0])) {
		differing[differing_count].at = at;
		differing[differing_count].size = size;
	}
	differing_count++;
	add_difference(sum, at, start, size);
}

static void
keep_memory(void *at, const void *start, size_t size)
{
	(void)start;
	sl_checkpoint_bytes(at, size);
}

bool
sl_state_is_identified(void)
{
	return identified;
}

void
sl_state_keep_memory(void)
{
	if (differing_count > sizeof(differing) / sizeof(differing[0])) {
		sl_world_differences(keep_memory);
		return;
	}
	for (uint32_t i = 0; i < differing_count; i++)
		sl_checkpoint_bytes(differing[i].at, differing[i].size);
}

static uint64_t
number_of(const struct sl_thread *t)
{
	return t ? t->id + 1 : 0;
}

#define PIECE 64ul

static void
add_storage(struct sl_storage storage)
{
	for (size_t at = 0; at + PIECE <= storage.size; at += PIECE) {
		const uint64_t *now = (const uint64_t *)(storage.bytes + at);
		const uint64_t *then = (const uint64_t *)(storage.pristine + at);
		uint64_t difference = 0, words[PIECE / 8];

		for (size_t i = 0; i < PIECE / 8; i++)
			difference |= words[i] = now[i] ^ then[i];
		if (difference)
			sl_identity_add(sum, (uint64_t)now, words, PIECE);
	}
}

/* The control words of floating-point arithmetic, without the flags that instructions set in them. */
static uint64_t
modes_of(const struct sl_thread *t)
{
	const uint32_t *saved = E.contexts[t->id].sp; /* as carrier.c has stored them */
	uint32_t sse;
	uint16_t x87;

	if (t != E.current)
		return (saved[0] & 0xffc0u) | (uint64_t)(saved[1] & 0xffffu) << 32;
	__asm__("stmxcsr %0" : "=m"(sse));
	__asm__("fnstcw %0" : "=m"(x87));
	return (sse & 0xffc0u) | (uint64_t)x87 << 32;
}

static void
add_thread(const struct sl_thread *t)
{
	uint64_t key = sl_mix(t->id + KEY_C);

	if (!t->alive) { /* only its joiner sees the rest of an ended thread */
		uint64_t words[] = {1, t->ends.joined, t->ends.detached,
				    t->ends.joined ? 0 : (uint64_t)t->ends.result};

		sl_identity_add(sum, key, words, sizeof(words));
		return;
	}
	bool armed = t->spin.pc && t->spin.seen == E.changes;
	uint64_t flags = (uint64_t)t->turn.skip_point | t->waits.expired << 1 | t->waits.timed << 2 |
			 t->waits.tries << 3 | t->failed_spuriously << 4 | t->looks.relaxed << 5 |
			 t->looks.spinning << 6 | t->turn.gives_way << 7 | t->interruption.urgent << 8 |
			 t->interruption.exposed << 9 | t->ends.detached << 10 | t->awaited.woken << 11 |
			 t->cancel.disabled << 12 | t->cancel.async << 13 | t->ends.exiting << 14 |
			 (uint64_t)(E.ready.places[t->id] != SL_NOWHERE) << 15 |
			 (uint64_t)t->interruption.interruptible << 16 |
			 (uint64_t)t->interruption.interrupted << 24 | (uint64_t)t->awaited.futex_bits << 32;
	uint64_t words[] = {
		2,
		flags,
		(uint64_t)t->op.kind | t->op.size << 8 | (uint64_t)t->op.flags << 16 | (uint64_t)t->slot << 32,
		t->op.object,
		t->op.pc,
		number_of(t->returns_to),
		t->waits.object ? t->waits.object->address : 0,
		t->awaited.relock ? t->awaited.relock->address : 0,
		t->awaited.condition ? t->awaited.condition->address : 0,
		number_of(t->awaited.joins),
		number_of(t->ends.joiner),
		(uint64_t)t->born.children << 32 | t->locks_held,
		t->made.randoms,
		(uint64_t)t->ends.cleanups,
		armed ? t->spin.pc : 0,
		t->signal.mask,
		modes_of(t),
		t->registers.resting.rbx,
		t->registers.resting.rbp,
		t->registers.resting.r12,
		t->registers.resting.r13,
		t->registers.resting.r14,
		t->registers.resting.r15,
		t->registers.resting.rsp,
	};
	uint64_t held[2 * SL_HELD_MAX];

	sl_identity_add(sum, key, words, sizeof(words));
	for (uint32_t i = 0; i < t->held_count; i++) {
		held[2 * i] = t->kept.held[i].object;
		held[2 * i + 1] = (uint64_t)t->kept.held[i].depth << 1 | t->kept.held[i].shared;
	}
	sl_identity_add(sum, key + 1, held, 2ul * t->held_count * sizeof(*held));
	sl_identity_add(sum, key + 2, (const void *)t->registers.resting.rsp,
			t->stack.low + t->stack.size - t->registers.resting.rsp);
	add_storage(sl_carrier_storage(t->slot));
}

/*
 * Every thread waits in the scheduler, which noted the thread's registers and stack when it entered (sched.c). What is
 * below on its stack is the scheduler's own and tells only how the thread came to wait.
 */
bool
sl_state_identify(uint64_t id[2])
{
	static struct sl_identity identity;

	identity = (struct sl_identity){E.thread_count, E.alive_count};
	identified = false;
	differing_count = 0;
	if (is_opaque())
		return false;
	sum = &identity;
	for (uint32_t i = 0; i < E.thread_count; i++) {
		const struct sl_thread *t = &E.threads[i];

		/*
		 * it is on a stack of the program's, or was interrupted by a signal: its state is more than this
		 */
		if (t->alive && (t->registers.resting.rsp - t->stack.low >= t->stack.size || t->signal.handling ||
				 t->signal.ghost || t->omp || t->ends.unwinding || t->io.polled || t->io.test ||
				 t->signal.pending || t->ends.dtors))
			return false;
		add_thread(t);
	}
	sl_world_differences(add_memory);
	sl_heap_identify(&identity);
	sl_objects_identify(&identity);
	sl_time_identify(&identity);
	sl_token_identify(&identity);
	sl_hidden_identify(&identity);
	sl_plan_identify(&identity);
	id[0] = identity.a;
	id[1] = identity.b;
	identified = true;
	return true;
}

/* The program's memory, without its threads. */
void
sl_state_end(void)
{
	static struct sl_identity identity;
	uint64_t id[2];

	identity = (struct sl_identity){E.alive_count, (uint64_t)E.outcome.exit_status};
	differing_count = 0;
	if (!E.strategy->search->ended)
		return;
	sum = &identity;
	sl_world_differences(add_memory);
	sl_heap_identify(&identity);
	id[0] = identity.a;
	id[1] = identity.b;
	E.strategy->search->ended(E.state, is_opaque() ? NULL : id);
}

/* ---- which threads touch what ---- */

#define SHARES (1u << 22)
#define SHARE_LOCKS 3 /* locks that may protect it; a forgotten one adds points, and does no harm */

struct share {
	uint64_t key; /* the address of eight bytes, or of an object */
	uint32_t first;
	uint8_t bytes;
	bool shared, written, marked;
	uint8_t lock_count;
	uint64_t locks[SHARE_LOCKS]; /* the locks that were held at every access so far */
};

static struct share *shares;
static uint32_t share_count;

static struct share *
share_of(uint64_t key)
{
	if (unlikely(!shares))
		shares = (struct share *)(((uint64_t)sl_private_alloc(SL_PAGE + SHARES * sizeof(*shares)) +
					   SL_PAGE - 1) &
					  ~(SL_PAGE - 1));
	for (uint32_t at = (uint32_t)sl_mix(key);; at++) {
		struct share *s = &shares[at % SHARES];

		if (s->key == key)
			return s;
		if (s->key)
			continue;
		if (share_count == SHARES / 4 * 3)
			sl_trouble(SL_TROUBLE_LIMIT, 0, "places that threads touch");
		share_count++;
		*s = (struct share){.key = key, .first = E.current->id};
		for (uint32_t i = 0; i < E.current->held_count && s->lock_count < SHARE_LOCKS; i++)
			s->locks[s->lock_count++] = E.current->kept.held[i].object;
		return s;
	}
}

/* Returns whether there was never another thread, or all others have been joined. */
static bool
is_alone(void)
{
	return E.unjoined == 0;
}

/* Returns whether the thread holds the lock; one held for reading keeps writers away, so it protects reads. */
static bool
holds(struct sl_thread *t, uint64_t object, bool writes)
{
	struct sl_held_book held = sl_thread_held(t);
	const struct sl_hold *hold = sl_held_find(&held, object);

	return hold && !(hold->shared && writes);
}

static void
share_granule(uint64_t granule, uint8_t bytes, bool writes)
{
	struct share *s = share_of(granule);
	uint8_t kept = 0;

	s->bytes |= bytes;
	s->written |= writes;
	if (s->first != E.current->id)
		s->shared = true;
	for (uint8_t i = 0; i < s->lock_count; i++)
		if (holds(E.current, s->locks[i], writes))
			s->locks[kept++] = s->locks[i];
	s->lock_count = kept;
	if (s->shared && s->written && !s->lock_count)
		sl_mark_bytes(granule, s->bytes);
}

void
sl_share(uint64_t address, size_t size, unsigned flags)
{
	if (is_alone())
		return;
	for (uint64_t at = address & ~7ul; at < address + size; at += 8)
		share_granule(at, sl_granule_bytes(at, address, size), flags & SL_OP_WRITES);
}

void
sl_share_object(struct sl_object *o)
{
	if (is_alone())
		return;
	struct share *s = share_of(o->address | 1ul << 63);

	if (s->first == E.current->id || s->marked)
		return;
	s->marked = true;
	o->shared = true;
	sl_mark(o->address);
}

/* The exploration has ended. */
void
sl_shares_forget(void)
{
	if (share_count)
		sl_raw(SYS_madvise, shares, SHARES * sizeof(*shares), MADV_DONTNEED);
	share_count = 0;
}

/* ---- races of two threads that are about to access the same ---- */

static bool
is_access(const struct sl_op *op)
{
	return sl_kind_is(op->kind, SL_KIND_ACCESS) || op->kind == SL_FREE;
}

static void
fill_culprit(struct sl_culprit *c, const struct sl_thread *t)
{
	*c = (struct sl_culprit){.thread = t->id,
				 .index = t->op.index,
				 .pc = t->op.pc,
				 .kind = t->op.kind,
				 .flags = t->op.flags,
				 .size = t->op.size};
}

/* Reports the race, with a schedule that shows it: the first thread's access, and then at once the second's. */
static void
found(const struct sl_thread *first, const struct sl_thread *second)
{
	struct sl_items *items = &E.worker->schedule;
	uint64_t count = items->count, low = first->op.object, high = second->op.object;
	struct sl_culprit now, before;
	struct sl_thread *current = E.current;

	fill_culprit(&before, first);
	fill_culprit(&now, second);
	if (count + 3 < SL_ITEMS_MAX) {
		if (current != first)
			items->items[items->count++] =
				(struct sl_pick){SL_PICK_RUN, current->id,
						 current->alive ? current->op.index : UINT64_MAX};
		items->items[items->count++] = (struct sl_pick){SL_PICK_RUN, first->id, first->op.index + 1};
	}
	E.current = (struct sl_thread *)second;
	sl_found_race(&now, &before, low > high ? low : high);
	E.current = current;
	items->count = count; /* the finding was known, or is only a warning */
}

static uint64_t
size_of(const struct sl_thread *t)
{
	return t->op.flags & SL_OP_RANGE || t->op.kind == SL_FREE ? t->extent : t->op.size ? t->op.size : 1;
}

void
sl_state_look_for_races(void)
{
	for (uint32_t i = 0; i < E.ready.count; i++) {
		const struct sl_op *a = E.ready.ops[i];

		for (uint32_t j = i + 1; is_access(a) && j < E.ready.count; j++) {
			const struct sl_op *b = E.ready.ops[j];
			const struct sl_thread *t = (const struct sl_thread *)a, *u = (const struct sl_thread *)b;

			if (!is_access(b) || !((a->flags | b->flags) & SL_OP_WRITES) ||
			    (a->flags & b->flags & SL_OP_ATOMIC) || a->object >= b->object + size_of(u) ||
			    b->object >= a->object + size_of(t))
				continue;
			/* freeing comes second: an access after it would be a use after free instead */
			if (b->kind == SL_FREE)
				found(t, u);
			else
				found(u, t);
		}
	}
}
