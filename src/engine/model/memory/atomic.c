/*
 * Atomics: C11 and C++11, and the __atomic and __sync builtins, which the compiler turns into the same calls.
 *
 * Every thread sees the accesses in the order of the execution (sequential consistency). Weaker memory orders do
 * not add outcomes, but they matter for races: only the guarantees of the given orders create happens-before edges
 * (including release sequences and fences).
 */
#include <errno.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/core/race.h"
#include "engine/upcall/spin.h"
#include "engine/core/step.h"
#include "engine/entry/record.h"
#include "engine/entry/rt_code.h"
#include "engine/interpose/entry.h"
#include "engine/listen/covering.h"
#include "engine/listen/lane.h"
#include "engine/model/memory/assembly.h"
#include "engine/under/poison.h"

typedef unsigned __int128 u128;

static bool
acquires(int order)
{
	return order == __ATOMIC_CONSUME || order == __ATOMIC_ACQUIRE || order == __ATOMIC_ACQ_REL ||
	       order == __ATOMIC_SEQ_CST;
}

static bool
releases(int order)
{
	return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

/*
 * Whether a loop may wait by the operation. A thread that always changes something does not return to an earlier
 * state.
 */
enum looks { NO_LOOK, CHANGES, LOOKS };

static struct sl_object *
announce_looking(enum sl_op_kind kind, volatile void *address, size_t size, uint64_t pc, enum looks looks)
{
	struct sl_object *o = sl_object_get((const void *)address, SL_OBJECT_ATOMIC);
	struct sl_thread *t = E.current;
	bool again = unlikely(t->looks.relaxed) && kind == SL_ATOMIC_LOAD && t->looks.atomic == (uint64_t)address;

	t->looks.atomic = (uint64_t)address;
	sl_announce(kind, (uint64_t)address, pc);
	t->op.size = (uint8_t)size;
	if (looks == LOOKS)
		sl_spin_visit(pc);
	else if (looks == CHANGES)
		sl_spin_count();
	if (again && !sl_everywhere())
		sl_no_point();
	else
		sl_point_unless_alone(o);
	return o;
}

/* Called in the pauses of libstdc++'s loops, which look a few times before they sleep
 * (sleave-c++/bits/atomic_wait.h). The number of looks does not matter, so a look that only repeats the previous
 * one is not a point: an operation between the two may as well come after the last one, which the thread's next
 * look follows. */
SL_EXPORT void sleave_relax(void);

void
sleave_relax(void)
{
	if (E.control)
		E.current->looks.relaxed = true;
	else
		__builtin_ia32_pause();
}

static struct sl_object *
announce(enum sl_op_kind kind, volatile void *address, size_t size, uint64_t pc)
{
	return announce_looking(kind, address, size, pc, kind == SL_ATOMIC_STORE ? NO_LOOK : LOOKS);
}

static void
note_attempt(uint64_t value)
{
	if (unlikely(E.listen.hashing))
		sl_hash_op(value);
	if (unlikely(E.listen.tracing))
		sl_record(value);
}

static void
note_item(uint64_t value)
{
	if (unlikely(E.listen.reeling))
		sl_reel_operation(value);
	if (unlikely(E.listen.covering_all))
		sl_cover_operation(value);
	if (unlikely(E.listen.ordering))
		sl_atomicity_note();
}

static void
note(uint64_t value)
{
	note_attempt(value);
	note_item(value);
}

/* Notes the result of a compare-and-swap: one that failed has only read. */
static void
note_swap(uint64_t value, enum sl_op_kind failed)
{
	if (failed)
		E.current->op.flags &= (uint16_t)~SL_OP_WRITES;
	if (failed && unlikely(E.listen.tracing))
		sl_record_swap_failed(failed);
	E.listen.took = (uint8_t)failed;
	note_item(value);
	E.listen.took = 0;
}

static void
read_side(struct sl_object *o, int order)
{
	struct sl_thread *t = E.current;

	if (unlikely(E.stateful) && !acquires(order))
		E.arena->program.relaxed = 1;
	if (acquires(order)) {
		sl_learn(&o->clock);
	} else {
		sl_clock_join(&sl_thread_clocks(t)->fence_acquire, &o->clock);
		t->fenced.acquire = true;
	}
}

static void
store_side(struct sl_object *o, int order)
{
	struct sl_thread *t = E.current;

	if (unlikely(E.stateful) && !releases(order))
		E.arena->program.relaxed = 1;
	if (releases(order))
		sl_release(o);
	else if (t->fenced.release)
		sl_clock_copy(&o->clock, &sl_thread_clocks(t)->fence_release);
	else
		sl_clock_copy(&o->clock, &(struct sl_clock){.source = SL_CLOCK_NO_THREAD});
}

static void
update_side(struct sl_object *o, int order)
{
	struct sl_thread *t = E.current;

	if (releases(order)) {
		sl_release_join(o);
	} else if (t->fenced.release) {
		sl_clock_join(&o->clock, &sl_thread_clocks(t)->fence_release);
	}
}

static void
fence(int order, uint64_t pc)
{
	struct sl_thread *t = E.current;

	sl_announce(SL_FENCE, 0, pc);
	sl_no_point();
	note((uint64_t)order);
	if (acquires(order) && t->fenced.acquire)
		sl_learn(&sl_thread_clocks(t)->fence_acquire);
	if (releases(order)) {
		sl_clock_copy(&sl_thread_clocks(t)->fence_release,
			      &(struct sl_clock){.source = SL_CLOCK_NO_THREAD});
		sl_show(&sl_thread_clocks(t)->fence_release);
		t->fenced.release = true;
	}
}

/* It does not fail twice in a row, so that a loop around it ends. */
static bool
fails_spuriously(void)
{
	struct sl_thread *t = E.current;

	t->failed_spuriously =
		E.arena->config.spurious && !t->failed_spuriously && sl_ask(SL_CHOOSE_VALUE, 2, NULL) == 1;
	return t->failed_spuriously;
}

/* ---- 16 bytes: the processor has an instruction, for which the compilers call a library ---- */

static u128
cas16(volatile u128 *a, u128 old, u128 new)
{
	uint64_t low = (uint64_t)old, high = (uint64_t)(old >> 64);

	__asm__ volatile("lock cmpxchg16b %0"
			 : "+m"(*a), "+a"(low), "+d"(high)
			 : "b"((uint64_t) new), "c"((uint64_t)(new >> 64))
			 : "cc", "memory");
	return (u128)high << 64 | low;
}

static u128
load16(volatile u128 *a)
{
	return cas16(a, 0, 0);
}

static u128
exchange16(volatile u128 *a, u128 new)
{
	u128 old = *a, seen;

	while ((seen = cas16(a, old, new)) != old)
		old = seen;
	return old;
}

#define LOAD_N(a) __atomic_load_n(a, __ATOMIC_SEQ_CST)
#define EXCHANGE_N(a, v) __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST)
#define CAS_N(a, old, new)                                                                                        \
	({                                                                                                        \
		__typeof__(old) seen_ = (old);                                                                    \
		__atomic_compare_exchange_n(a, &seen_, new, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);           \
		seen_;                                                                                            \
	})

#define LOAD_STORE(bits, type, LOAD, EXCHANGE)                                                                    \
	type sl_in___tsan_atomic##bits##_load(const volatile type *a, int order);                                 \
	type sl_in___tsan_atomic##bits##_load(const volatile type *a, int order)                                  \
	{                                                                                                         \
		if (!E.control) {                                                                                 \
			bool begun = SL_RT_ATOMIC(SL_ATOMIC_LOAD, a, SL_PC);                                      \
			uint32_t *turn = sl_lane_turn(a);                                                         \
			type seen = LOAD((volatile type *)a);                                                     \
			sl_lane_atomic(turn, SL_ATOMIC_LOAD, a, sizeof(type), SL_PC);                             \
			SL_RT_DONE(begun);                                                                        \
			return seen;                                                                              \
		}                                                                                                 \
		struct sl_object *o = announce(SL_ATOMIC_LOAD, (volatile void *)a, sizeof(type), SL_PC);          \
		type value = *a;                                                                                  \
		note((uint64_t)value);                                                                            \
		sl_race_atomic(o, sizeof(type), SL_OP_READS, SL_PC);                                              \
		read_side(o, order);                                                                              \
		return value;                                                                                     \
	}                                                                                                         \
	SL_ENTRY(__tsan_atomic##bits##_load);                                                                     \
	SL_EXPORT void __tsan_atomic##bits##_store(volatile type *a, type value, int order);                      \
	void __tsan_atomic##bits##_store(volatile type *a, type value, int order)                                 \
	{                                                                                                         \
		if (!E.control) {                                                                                 \
			bool begun = SL_RT_ATOMIC(SL_ATOMIC_STORE, a, SL_PC);                                     \
			uint32_t *turn = sl_lane_turn(a);                                                         \
			(void)EXCHANGE(a, value);                                                                 \
			sl_lane_atomic(turn, SL_ATOMIC_STORE, a, sizeof(type), SL_PC);                            \
			SL_RT_DONE(begun);                                                                        \
			return;                                                                                   \
		}                                                                                                 \
		struct sl_object *o = announce(SL_ATOMIC_STORE, a, sizeof(type), SL_PC);                          \
		note((uint64_t)*a);                                                                               \
		sl_race_atomic(o, sizeof(type), SL_OP_WRITES, SL_PC);                                             \
		sl_changed(*a != value);                                                                          \
		*a = value;                                                                                       \
		store_side(o, order);                                                                             \
	}

#define UPDATE(bits, type, name, CAS, expression, changes)                                                        \
	type sl_in___tsan_atomic##bits##_##name(volatile type *a, type v, int order);                             \
	type sl_in___tsan_atomic##bits##_##name(volatile type *a, type v, int order)                              \
	{                                                                                                         \
		type old;                                                                                         \
		if (!E.control) {                                                                                 \
			bool begun = SL_RT_ATOMIC(SL_ATOMIC_UPDATE, a, SL_PC);                                    \
			uint32_t *turn = sl_lane_turn(a);                                                         \
			old = *a;                                                                                 \
			for (;;) {                                                                                \
				type seen = CAS(a, old, (type)(expression));                                      \
				if (seen == old)                                                                  \
					break;                                                                    \
				old = seen;                                                                       \
			}                                                                                         \
			sl_lane_atomic(turn, SL_ATOMIC_UPDATE, a, sizeof(type), SL_PC);                           \
			SL_RT_DONE(begun);                                                                        \
			return old;                                                                               \
		}                                                                                                 \
		struct sl_object *o =                                                                             \
			announce_looking(SL_ATOMIC_UPDATE, a, sizeof(type), SL_PC, (changes) ? CHANGES : LOOKS);  \
		old = *a;                                                                                         \
		note((uint64_t)old);                                                                              \
		sl_race_atomic(o, sizeof(type), SL_OP_READS | SL_OP_WRITES, SL_PC);                               \
		*a = (type)(expression);                                                                          \
		sl_changed(*a != old);                                                                            \
		read_side(o, order);                                                                              \
		update_side(o, order);                                                                            \
		return old;                                                                                       \
	}                                                                                                         \
	SL_ENTRY(__tsan_atomic##bits##_##name);

#define COMPARE_EXCHANGE(bits, type, CAS)                                                                         \
	/* true: done; else stores the value in *old (a spurious failure leaves it) */                            \
	static bool compare_exchange_##bits(volatile type *a, type *old, type new, int order, int failure,        \
					    bool weak, uint64_t pc)                                               \
	{                                                                                                         \
		type wanted = *old;                                                                               \
		if (!E.control) {                                                                                 \
			bool begun = SL_RT_ATOMIC(SL_ATOMIC_UPDATE, a, pc);                                       \
			uint32_t *turn = sl_lane_turn(a);                                                         \
			*old = CAS(a, wanted, new);                                                               \
			bool same = *old == wanted;                                                               \
			sl_lane_atomic(turn, same ? SL_ATOMIC_UPDATE : SL_ATOMIC_LOAD, a, sizeof(type), pc);      \
			SL_RT_DONE(begun);                                                                        \
			return same;                                                                              \
		}                                                                                                 \
		struct sl_object *o =                                                                             \
			announce_looking(SL_ATOMIC_UPDATE, a, sizeof(type), pc, *a != wanted ? LOOKS : NO_LOOK);  \
		type seen = *a;                                                                                   \
		if (seen != wanted) /* it will only read */                                                       \
			E.current->op.flags &= (uint16_t)~SL_OP_WRITES;                                           \
		note_attempt((uint64_t)seen);                                                                     \
		bool done = seen == wanted && !(weak && fails_spuriously());                                      \
		note_swap((uint64_t)seen, done ? 0 : seen == wanted ? SL_ATOMIC_SPURIOUS : SL_ATOMIC_LOAD);       \
		if (unlikely(E.listen.watching))                                                                  \
			sl_step_swap((uint64_t)a, sizeof(type), (uint64_t)wanted, done);                          \
		if (!done) {                                                                                      \
			sl_race_atomic(o, sizeof(type), SL_OP_READS, pc);                                         \
			read_side(o, failure);                                                                    \
			*old = seen;                                                                              \
			return false;                                                                             \
		}                                                                                                 \
		sl_race_atomic(o, sizeof(type), SL_OP_READS | SL_OP_WRITES, pc);                                  \
		sl_changed(*a != new);                                                                            \
		*a = new;                                                                                         \
		read_side(o, order);                                                                              \
		update_side(o, order);                                                                            \
		return true;                                                                                      \
	}                                                                                                         \
	int sl_in___tsan_atomic##bits##_compare_exchange_strong(volatile type *, type *, type, int, int);         \
	int sl_in___tsan_atomic##bits##_compare_exchange_strong(volatile type *a, type *old, type new, int order, \
								int failure)                                      \
	{                                                                                                         \
		return compare_exchange_##bits(a, old, new, order, failure, false, SL_PC);                        \
	}                                                                                                         \
	SL_ENTRY(__tsan_atomic##bits##_compare_exchange_strong);                                                  \
	int sl_in___tsan_atomic##bits##_compare_exchange_weak(volatile type *, type *, type, int, int);           \
	int sl_in___tsan_atomic##bits##_compare_exchange_weak(volatile type *a, type *old, type new, int order,   \
							      int failure)                                        \
	{                                                                                                         \
		return compare_exchange_##bits(a, old, new, order, failure, true, SL_PC);                         \
	}                                                                                                         \
	SL_ENTRY(__tsan_atomic##bits##_compare_exchange_weak);                                                    \
	type sl_in___tsan_atomic##bits##_compare_exchange_val(volatile type *, type, type, int, int);             \
	type sl_in___tsan_atomic##bits##_compare_exchange_val(volatile type *a, type old, type new, int order,    \
							      int failure)                                        \
	{                                                                                                         \
		compare_exchange_##bits(a, &old, new, order, failure, false, SL_PC);                              \
		return old;                                                                                       \
	}                                                                                                         \
	SL_ENTRY(__tsan_atomic##bits##_compare_exchange_val);

#define ALL(bits, type, LOAD, EXCHANGE, CAS)                                                                      \
	LOAD_STORE(bits, type, LOAD, EXCHANGE)                                                                    \
	UPDATE(bits, type, exchange, CAS, v, false)                                                               \
	UPDATE(bits, type, fetch_add, CAS, old + v, v != 0)                                                       \
	UPDATE(bits, type, fetch_sub, CAS, old - v, v != 0)                                                       \
	UPDATE(bits, type, fetch_and, CAS, old &v, false)                                                         \
	UPDATE(bits, type, fetch_or, CAS, old | v, false)                                                         \
	UPDATE(bits, type, fetch_xor, CAS, old ^ v, v != 0)                                                       \
	UPDATE(bits, type, fetch_nand, CAS, ~(old & v), false)                                                    \
	COMPARE_EXCHANGE(bits, type, CAS)

/* clang-format off */
ALL(8, uint8_t, LOAD_N, EXCHANGE_N, CAS_N)
ALL(16, uint16_t, LOAD_N, EXCHANGE_N, CAS_N)
ALL(32, uint32_t, LOAD_N, EXCHANGE_N, CAS_N)
ALL(64, uint64_t, LOAD_N, EXCHANGE_N, CAS_N)
ALL(128, u128, load16, exchange16, cas16)
/* clang-format on */

SL_EXPORT void __tsan_atomic_thread_fence(int order);
SL_EXPORT void __tsan_atomic_signal_fence(int order);

void
__tsan_atomic_thread_fence(int order)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (E.control)
		fence(order, SL_PC);
	else if (unlikely(E.recording))
		sl_lane_item(SL_FENCE, SL_OP_SILENT, 0, SL_PC, (uint64_t)order);
}

/* Orders a thread and its own signal handler, which no other thread can observe. */
void
__tsan_atomic_signal_fence(int order)
{
	(void)order;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* ---- larger objects, of any size: the compilers call libatomic, and so does clang for sixteen bytes ---- */

/* Outside of control, if the program does not have libatomic: a lock of all threads. */
static char large_lock;

static void
large_begin(void)
{
	while (__atomic_test_and_set(&large_lock, __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
}

static void
large_end(void)
{
	__atomic_clear(&large_lock, __ATOMIC_RELEASE);
}

static bool
equal(const void *a, const void *b, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (((const char *)a)[i] != ((const char *)b)[i])
			return false;
	return true;
}

/* Only the first bytes are noted. */
static uint64_t
head(const void *at, size_t size)
{
	uint64_t value = 0;

	sl_memcpy(&value, at, size < sizeof(value) ? size : sizeof(value));
	return value;
}

static size_t
announced_size(size_t size)
{
	return size < 255 ? size : 255;
}

#define LARGE(type, name, parameters)                                                                             \
	SL_EXPORT type sl_atomic_##name parameters __asm__("__atomic_" #name);                                    \
	type sl_atomic_##name parameters

LARGE(void, load, (size_t size, const void *from, void *to, int order))
{
	if (E.control) {
		struct sl_object *o = announce(SL_ATOMIC_LOAD, (void *)from, announced_size(size), SL_PC);

		note(head(from, size));
		sl_race_atomic(o, size, SL_OP_READS, SL_PC);
		sl_memcpy(to, from, size);
		read_side(o, order);
		return;
	}
	bool begun = SL_RT_ATOMIC(SL_ATOMIC_LOAD, from, SL_PC);
	uint32_t *turn = sl_lane_turn(from);

	if (sl_real.__atomic_load) {
		sl_real.__atomic_load(size, from, to, order);
	} else {
		large_begin();
		sl_memcpy(to, from, size);
		large_end();
	}
	sl_lane_atomic(turn, SL_ATOMIC_LOAD, from, (uint8_t)announced_size(size), SL_PC);
	SL_RT_DONE(begun);
}

LARGE(void, store, (size_t size, void *to, const void *from, int order))
{
	if (E.control) {
		struct sl_object *o = announce(SL_ATOMIC_STORE, to, announced_size(size), SL_PC);

		note(head(to, size));
		sl_race_atomic(o, size, SL_OP_WRITES, SL_PC);
		sl_changed(!equal(to, from, size));
		sl_memcpy(to, from, size);
		store_side(o, order);
		return;
	}
	bool begun = SL_RT_ATOMIC(SL_ATOMIC_STORE, to, SL_PC);
	uint32_t *turn = sl_lane_turn(to);

	if (sl_real.__atomic_store) {
		sl_real.__atomic_store(size, to, from, order);
	} else {
		large_begin();
		sl_memcpy(to, from, size);
		large_end();
	}
	sl_lane_atomic(turn, SL_ATOMIC_STORE, to, (uint8_t)announced_size(size), SL_PC);
	SL_RT_DONE(begun);
}

LARGE(void, exchange, (size_t size, void *at, const void *new, void *old, int order))
{
	if (E.control) {
		struct sl_object *o = announce(SL_ATOMIC_UPDATE, at, announced_size(size), SL_PC);

		note(head(at, size));
		sl_race_atomic(o, size, SL_OP_READS | SL_OP_WRITES, SL_PC);
		sl_changed(!equal(at, new, size));
		sl_memcpy(old, at, size);
		sl_memcpy(at, new, size);
		read_side(o, order);
		update_side(o, order);
		return;
	}
	bool begun = SL_RT_ATOMIC(SL_ATOMIC_UPDATE, at, SL_PC);
	uint32_t *turn = sl_lane_turn(at);

	if (sl_real.__atomic_exchange) {
		sl_real.__atomic_exchange(size, at, new, old, order);
	} else {
		large_begin();
		sl_memcpy(old, at, size);
		sl_memcpy(at, new, size);
		large_end();
	}
	sl_lane_atomic(turn, SL_ATOMIC_UPDATE, at, (uint8_t)announced_size(size), SL_PC);
	SL_RT_DONE(begun);
}

LARGE(_Bool, compare_exchange, (size_t size, void *at, void *old, const void *new, int order, int failure))
{
	bool done;

	if (E.control) {
		struct sl_object *o = announce_looking(SL_ATOMIC_UPDATE, at, announced_size(size), SL_PC,
						       equal(at, old, size) ? NO_LOOK : LOOKS);

		note_attempt(head(at, size));
		done = equal(at, old, size);
		note_swap(head(at, size), done ? 0 : SL_ATOMIC_LOAD);
		sl_race_atomic(o, size, done ? SL_OP_READS | SL_OP_WRITES : SL_OP_READS, SL_PC);
		if (done) {
			sl_changed(!equal(at, new, size));
			sl_memcpy(at, new, size);
			read_side(o, order);
			update_side(o, order);
		} else {
			sl_memcpy(old, at, size);
			read_side(o, failure);
		}
		return done;
	}
	bool begun = SL_RT_ATOMIC(SL_ATOMIC_UPDATE, at, SL_PC);
	uint32_t *turn = sl_lane_turn(at);

	if (sl_real.__atomic_compare_exchange) {
		done = sl_real.__atomic_compare_exchange(size, at, old, new, order, failure);
	} else {
		large_begin();
		done = equal(at, old, size);
		if (done)
			sl_memcpy(at, new, size);
		else
			sl_memcpy(old, at, size);
		large_end();
	}
	sl_lane_atomic(turn, done ? SL_ATOMIC_UPDATE : SL_ATOMIC_LOAD, at, (uint8_t)announced_size(size), SL_PC);
	SL_RT_DONE(begun);
	return done;
}

/* ---- by instructions of the program (assembly.c) ---- */

static enum sl_op_kind
kind_of(unsigned how)
{
	switch (how & (SL_ASM_READS | SL_ASM_WRITES)) {
	case SL_ASM_READS:
		return SL_ATOMIC_LOAD;
	case SL_ASM_WRITES:
		return SL_ATOMIC_STORE;
	default:
		return SL_ATOMIC_UPDATE;
	}
}

/*
 * Reads the first bytes by sl_probe(), because the program's pointer may be bad: the program must crash at its own
 * access.
 */
static uint64_t
seen_at(uint64_t address, size_t size)
{
	uint64_t value = sl_probe(address);

	return size < 8 ? value & ((1ul << size * 8) - 1) : value;
}

/* As on the processor a load acquires, a store releases, and a locked instruction does both. */
bool
sl_atomic_foretell(unsigned how, uint64_t address, size_t size, uint64_t wanted, bool point, uint64_t pc)
{
	enum sl_op_kind kind = kind_of(how);
	unsigned flags = how & (SL_ASM_READS | SL_ASM_WRITES);
	bool swaps = how & SL_ASM_SWAPS, done = true;
	struct sl_object *o;
	uint64_t seen;

	if (size < 8)
		wanted &= (1ul << size * 8) - 1;
	if (point) {
		bool looks = kind != SL_ATOMIC_STORE && !(swaps && seen_at(address, size) == wanted);

		o = announce_looking(kind, (void *)address, announced_size(size), pc, looks ? LOOKS : NO_LOOK);
	} else {
		o = sl_object_get((void *)address, SL_OBJECT_ATOMIC);
		if (unlikely(E.listen.watching))
			sl_step_access(address, size, flags);
	}
	seen = seen_at(address, size);
	if (swaps)
		done = seen == wanted;
	if (!done)
		flags = SL_ASM_READS;
	if (swaps && point) {
		if (!done)
			E.current->op.flags &= (uint16_t)~SL_OP_WRITES;
		note_attempt(seen);
		note_swap(seen, done ? 0 : SL_ATOMIC_LOAD);
		if (unlikely(E.listen.watching))
			sl_step_swap(address, size, wanted, done);
	} else if (point) {
		note(seen);
	}
	if (flags == (SL_ASM_READS | SL_ASM_WRITES) && !(how & SL_ASM_LOCKED)) {
		/* Another thread may write between reading and writing, and its write would be lost. */
		sl_race_access(address, size, SL_OP_READS, pc);
		sl_race_atomic(o, size, SL_OP_WRITES, pc);
	} else {
		sl_race_atomic(o, size, flags, pc);
	}
	if (flags & SL_ASM_READS)
		read_side(o, __ATOMIC_SEQ_CST);
	if (!(flags & SL_ASM_WRITES))
		return false;
	if (how & SL_ASM_LOCKED)
		update_side(o, __ATOMIC_SEQ_CST);
	else
		store_side(o, __ATOMIC_SEQ_CST);
	return true;
}
