/*
 * The compiler's callbacks for plain and volatile accesses, and for entering and leaving functions. All the entry
 * points are generated below and call plain(), in which the path of an access to unshared data is short.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/rng.h"
#include "engine/core/engine.h"
#include "engine/core/impact.h"
#include "engine/core/race.h"
#include "engine/upcall/spin.h"
#include "engine/core/step.h"
#include "engine/entry/code.h"
#include "engine/entry/record.h"
#include "engine/entry/rt_code.h"
#include "engine/interpose/entry.h"
#include "engine/interpose/unseen.h"
#include "engine/listen/covering.h"
#include "engine/listen/lane.h"
#include "engine/model/memory/assembly.h"
#include "engine/model/memory/copy.h"
#include "engine/under/poison.h"

/* The callback used SL_ENTRY, so that the registers of a loop are known. */
#define LOOK (1u << 15)

/*
 * For sizes from here on, the engine determines how much of the memory offered to the kernel exists: the shadow is
 * four times as large.
 */
#define LARGE (64ul << 10)

/* The access is one of several of a single call of the program (memcpy, strcmp). Only for code.h. */
static bool made;

/* Uses sl_probe() because the program's pointer may be bad: the program must crash at its own access, not here. */
static uint64_t
value_at(uint64_t address, size_t size)
{
	uint64_t value = sl_probe(address);

	if (size > 8) /* 16 bytes by one instruction: a hash of both words */
		return value ^ sl_probe(address + 8) * 0x9e3779b97f4a7c15u;
	return size < 8 ? value & ((1ul << size * 8) - 1) : value;
}

/* Whether a write changes anything is known only after it: see sl_settle(). */
static inline void
note_write(uint64_t address, size_t size)
{
	sl_settle();
	if (size > 8) {
		sl_changed(true);
		return;
	}
	E.written.address = address;
	E.written.thread = E.current;
	E.written.size = (uint32_t)size;
	E.written.before = value_at(address, size);
}

void
sl_settle_now(void)
{
	uint64_t address = E.written.address;

	E.written.address = 0;
	if (value_at(address, E.written.size) != E.written.before) {
		E.changes++;
		E.written.thread->looks.own_changes++;
	}
}

void
sl_write_foretell(uint64_t address, size_t size)
{
	if (size != 16) {
		note_write(address, size);
		return;
	}
	sl_settle();
	E.written.address = address;
	E.written.thread = E.current;
	E.written.size = 16;
	E.written.before = value_at(address, 16);
}

void
sl_access_along(uint64_t address, size_t size, unsigned flags, uint64_t pc)
{
	if (unlikely(E.listen.watching) && sl_marked_range(address, size))
		sl_step_access(address, size, flags);
	sl_race_access(address, size, flags, pc);
}

static unsigned
come(uint64_t address, size_t size, unsigned flags, uint64_t pc)
{
	bool direct = !made;

	made = false;
	return sl_code_access(address, size, flags, pc, direct);
}

/* The slow path: a point of choice, a listener is on, or a check for spinning is due. */
static __attribute__((noinline)) void
access_slow(uint64_t address, size_t size, unsigned flags, uint64_t pc)
{
	struct sl_thread *t = E.current;
	bool look = false, marked = sl_marked_range(address, size);
	unsigned came = unlikely(E.plan.coded) ? come(address, size, flags, pc) : 0;

	t->op.index += came != 0; /* the event has taken the access's number */
	t->op.kind = flags & SL_OP_WRITES ? SL_WRITE : SL_READ;
	t->op.size = size > 255 ? 0 : (uint8_t)size;
	t->op.flags = (uint16_t)(flags & ~LOOK);
	t->op.object = address;
	t->op.pc = pc;
	if (t->looks.budget == 0) {
		if (t->looks.watching) {
			t->looks.watching--;
			look = true;
			t->looks.budget = t->looks.watching ? 1 : SL_SPIN_STRETCH;
		} else {
			sl_stretch(pc);
			t->op.kind = flags & SL_OP_WRITES ? SL_WRITE : SL_READ;
			t->op.flags = (uint16_t)(flags & ~LOOK);
			t->looks.budget = 1;
		}
	}
	if ((marked || look) && (flags & LOOK))
		sl_spin_visit(pc);
	if ((marked || sl_everywhere()) && came != SL_CAME_WITH)
		sl_point_of_access();
	if (unlikely(E.listen.watching) && marked)
		sl_step_access(address, size, flags);
	if (unlikely(E.listen.hashing))
		sl_hash_op(flags & SL_OP_WRITES
				   ? 0
				   : value_at(address, size)); /* the old value of a write may be undefined */
	if (unlikely(E.listen.tracing))
		sl_record(size > 8 ? size : value_at(address, size));
	if (unlikely(E.listen.reeling))
		sl_reel_operation(0);
	if (unlikely(E.listen.covering_all))
		sl_cover_operation(0);
	if (unlikely(E.listen.ordering))
		sl_atomicity_note();
	if ((flags & SL_OP_WRITES) && address - t->stack.low >= t->stack.size)
		note_write(address, size);
	if (unlikely(t->ignores & flags))
		sl_race_ignore(address, size);
	else
		sl_race_access(address, size, flags, pc);
}

static inline __attribute__((always_inline)) void
plain(uint64_t address, size_t size, unsigned flags, uint64_t pc)
{
	if (!E.control) {
		if (unlikely(sl_rt_coded))
			sl_rt_code_access(address, size, flags, pc, true);
		if (unlikely(E.recording))
			sl_lane_plain(address, flags & ~LOOK,
				      sl_reel_word(flags & SL_OP_WRITES ? SL_WRITE : SL_READ, (uint8_t)size, 0),
				      pc);
		return;
	}
	struct sl_thread *t = E.current;
	struct sl_cell *cell = sl_cell(address);
	uint64_t offset = address & 7;

	t->op.index++;
	t->looks.budget--;
	if (unlikely(E.slow || t->looks.budget == 0 || offset + size > 8 ||
		     ((cell->write_info & SL_CELL_MARKED) &&
		      sl_marked_bytes(address & ~7ul, (uint8_t)(((1ul << size) - 1) << offset))))) {
		access_slow(address, size, flags, pc);
		return;
	}
	uint64_t info = sl_race_info(flags, pc) | ((1ul << size) - 1) << offset << SL_INFO_MASK;

	if (flags & SL_OP_WRITES) {
		if (address - t->stack.low >= t->stack.size)
			note_write(address, size);
		if (cell->write_epoch == t->epoch && !((cell->write_info ^ info) >> SL_INFO_MASK & 255))
			return;
	} else {
		if ((cell->read_epoch == t->epoch && !((cell->read_info ^ info) >> SL_INFO_MASK & 255)) ||
		    (cell->write_epoch == t->epoch && !((cell->write_info ^ info) >> SL_INFO_MASK & 255)))
			return;
	}
	sl_race_granule(cell, address & ~7ul, info);
}

void
sl_access(uint64_t address, size_t size, unsigned flags, uint64_t pc)
{
	if (!E.control) {
		if (unlikely(sl_rt_coded))
			sl_rt_code_access(address, size, flags, pc, false);
		return;
	}
	made = E.plan.coded;
	plain(address, size, flags, pc);
}

/*
 * A range of any size is one access, but a large one counts more, so that a loop of them reads the clock in time.
 * There is no check for spinning here: a loop that waits reads a few bytes.
 */
static void
count_range(struct sl_thread *t, size_t size, uint64_t pc)
{
	uint64_t cost = 1 + size / 4096; /* copy.h checks whether the budget is used up */

	if (likely(t->looks.budget > cost)) {
		t->looks.budget -= (uint32_t)cost;
		return;
	}
	if (t->looks.watching) {
		t->looks.watching--;
		t->looks.budget = t->looks.watching ? 1 : SL_SPIN_STRETCH;
		return;
	}
	sl_stretch(pc);
	t->looks.budget = 1;
}

/* The operation of a range, and the point if there is one; chosen: the point was before (sl_access_intend()). */
static void
range_operation(uint64_t address, size_t size, unsigned flags, uint64_t pc, bool chosen)
{
	struct sl_thread *t = E.current;
	bool marked;

	if (!chosen)
		count_range(t, size, pc);
	t->op.index++;
	marked = sl_marked_range(address, size);
	if (marked || E.slow) {
		unsigned came = unlikely(E.plan.coded) ? come(address, size, flags, pc) : 0;

		t->op.index += came != 0;
		t->op.kind = flags & SL_OP_WRITES ? SL_WRITE : SL_READ;
		t->op.size = size > 255 ? 255 : (uint8_t)size;
		t->op.flags = (uint16_t)(flags | SL_OP_RANGE);
		t->extent = size;
		t->op.object = address;
		t->op.pc = pc;
		if ((marked || sl_everywhere()) && came != SL_CAME_WITH && !chosen)
			sl_point_of_access();
		if (E.listen.watching && marked)
			sl_step_access(address, size, flags);
		if (E.listen.hashing)
			sl_hash_op(size);
		if (E.listen.tracing)
			sl_record(size);
		if (E.listen.reeling)
			sl_reel_operation(size);
		if (E.listen.covering_all)
			sl_cover_operation(size);
		if (unlikely(E.listen.ordering))
			sl_atomicity_note();
	}
}

static void
range_point(uint64_t address, size_t size, unsigned flags, uint64_t pc)
{
	range_operation(address, size, flags, pc, false);
}

/* A range of any size is one operation. */
void
sl_access_range(const void *at, size_t size, unsigned flags, uint64_t pc)
{
	uint64_t address = (uint64_t)at;
	struct sl_thread *t = E.current;

	if (unlikely(sl_rt_coded) && !E.control && size)
		sl_rt_code_access(address, size, flags, pc, false);
	if (unlikely(!E.control && E.recording) && size)
		sl_lane_range(address, size, (uint16_t)flags, pc);
	if (!E.control || !size)
		return;
	made = E.plan.coded;
	if (size <= 8) {
		plain(address, size, flags, pc);
		return;
	}
	range_point(address, size, flags, pc);
	if ((flags & SL_OP_WRITES) && address - t->stack.low >= t->stack.size)
		sl_changed(true);
	if (unlikely(E.uses.annotations) && (t->ignores & flags))
		sl_race_ignore(address, size);
	else
		sl_race_access(address, size, flags, pc);
}

/*
 * Returns how many bytes can be read. Each page is probed by rt_sigprocmask(): the kernel reads the set before it
 * rejects the call.
 */
static size_t
readable(uint64_t address, size_t size)
{
	uint64_t at = address & ~7ul, end = address + size;

	while (at < end && sl_raw(SYS_rt_sigprocmask, -1, at, NULL, 8) != -EFAULT)
		at = (at & ~(SL_PAGE - 1)) + SL_PAGE;
	return at <= address ? 0 : at < end ? at - address : size;
}

void
sl_access_offer(const void *at, size_t size, unsigned flags, uint64_t pc)
{
	if (size > LARGE)
		size = readable((uint64_t)at, size);
	if (!size)
		return;
	made = E.plan.coded;
	range_point((uint64_t)at, size, flags, pc);
}

#define KEPT_MAX 256 /* bytes that are compared before and after a call */

static uint64_t
content(uint64_t address, size_t size)
{
	uint64_t hash = size;

	for (size_t i = 0; i < size; i++)
		hash = sl_mix(hash + ((const uint8_t *)address)[i]);
	return hash;
}

/* A loop may wait by a call that writes the same contents each time. */
static void
keep_content(uint64_t address, size_t size)
{
	struct sl_thread *t = E.current;

	t->intended.size = 0;
	if (size > KEPT_MAX || address - t->stack.low < t->stack.size || readable(address, size) != size)
		return;
	t->intended.address = address;
	t->intended.size = size;
	t->intended.hash = content(address, size);
}

static bool
has_changed(uint64_t address, size_t size)
{
	const struct sl_thread *t = E.current;

	if (address - t->stack.low < t->stack.size)
		return false;
	return address < t->intended.address || address + size > t->intended.address + t->intended.size ||
	       content(t->intended.address, t->intended.size) != t->intended.hash;
}

void
sl_access_intend(const void *at, size_t size, uint64_t pc)
{
	uint64_t address = (uint64_t)at;
	struct sl_thread *t = E.current;
	bool marked;

	if (!E.control || !size)
		return;
	t->op.index++;
	marked = sl_marked_range(address, size);
	if (!marked && !sl_everywhere()) {
		keep_content(address, size);
		return;
	}
	t->op.kind = SL_WRITE;
	t->op.size = size > 255 ? 255 : (uint8_t)size;
	t->op.flags = SL_OP_WRITES | SL_OP_RANGE;
	t->extent = size;
	t->op.object = address;
	t->op.pc = pc;
	sl_point_of_access();
	if (E.listen.watching && marked)
		sl_step_access(address, size, SL_OP_WRITES);
	keep_content(address, size);
}

void
sl_access_done(const void *at, size_t size, uint64_t pc)
{
	uint64_t address = (uint64_t)at;
	struct sl_thread *t = E.current;

	if (unlikely(!E.control)) {
		sl_access_range(at, size, SL_OP_WRITES, pc);
		return;
	}
	if (!size)
		return;
	made = E.plan.coded;
	range_operation(address, size, SL_OP_WRITES, pc, true);
	if (has_changed(address, size))
		sl_changed(true);
	if (unlikely(E.uses.annotations) && (t->ignores & SL_OP_WRITES))
		sl_race_ignore(address, size);
	else
		sl_race_access(address, size, SL_OP_WRITES, pc);
}

/* ---- the callbacks ---- */

_Static_assert(SL_OP_VOLATILE == 64, "as a number for the assembly");

/* With --volatile=atomic: an atomic operation that the program performs right after this. */
static __attribute__((noinline)) void
as_atomic(uint64_t address, size_t size, unsigned how, uint64_t pc)
{
	if (sl_atomic_foretell(how | SL_ASM_ATOMIC, address, size, 0, true, pc))
		sl_write_foretell(address, size);
}

#define IS_ATOMIC(flags) (((flags)&SL_OP_VOLATILE) && unlikely(E.control && E.arena->config.volatiles))

/* Reads use SL_ENTRY: detecting a loop that waits by reading needs the thread's whole state. */
#define READ(name, size, flags)                                                                                   \
	void sl_in_##name(void *address);                                                                         \
	void sl_in_##name(void *address)                                                                          \
	{                                                                                                         \
		if (IS_ATOMIC(flags))                                                                             \
			as_atomic((uint64_t)address, size, SL_ASM_READS, SL_PC);                                  \
		else                                                                                              \
			plain((uint64_t)address, size, (flags) | SL_OP_READS | LOOK, SL_PC);                      \
	}                                                                                                         \
	SL_ENTRY_READ(name, size, flags);
#define WRITE(name, size, flags)                                                                                  \
	void sl_in_##name(void *address);                                                                         \
	void sl_in_##name(void *address)                                                                          \
	{                                                                                                         \
		if (IS_ATOMIC(flags))                                                                             \
			as_atomic((uint64_t)address, size, SL_ASM_WRITES, SL_PC);                                 \
		else                                                                                              \
			plain((uint64_t)address, size, (flags) | SL_OP_WRITES, SL_PC);                            \
	}                                                                                                         \
	SL_ENTRY_WRITE(name, size, flags);
/* a compound assignment: both, in this order */
#define UPDATE(name, size)                                                                                        \
	SL_EXPORT void name(void *address);                                                                       \
	void name(void *address)                                                                                  \
	{                                                                                                         \
		plain((uint64_t)address, size, SL_OP_READS, SL_PC);                                               \
		plain((uint64_t)address, size, SL_OP_WRITES, SL_PC);                                              \
	}
#define SIZE(size)                                                                                                \
	READ(__tsan_read##size, size, 0)                                                                          \
	WRITE(__tsan_write##size, size, 0)                                                                        \
	UPDATE(__tsan_read_write##size, size)                                                                     \
	READ(__tsan_volatile_read##size, size, 64)                                                                \
	WRITE(__tsan_volatile_write##size, size, 64)                                                              \
	READ(__tsan_unaligned_read##size, size, 0)                                                                \
	WRITE(__tsan_unaligned_write##size, size, 0)                                                              \
	UPDATE(__tsan_unaligned_read_write##size, size)                                                           \
	READ(__tsan_unaligned_volatile_read##size, size, 64)                                                      \
	WRITE(__tsan_unaligned_volatile_write##size, size, 64)
/* clang-format off */
SIZE(1)
SIZE(2)
SIZE(4)
SIZE(8)
SIZE(16)
/* clang-format on */

SL_EXPORT void __tsan_init(void);
SL_EXPORT void __sleave_init(void);
SL_EXPORT void __sleave_init_asm(void);
SL_EXPORT void __tsan_read_range(void *address, size_t size);
SL_EXPORT void __tsan_write_range(void *address, size_t size);
SL_EXPORT void __tsan_vptr_update(void **address, void *value);
SL_EXPORT void __tsan_vptr_read(void **address);
SL_EXPORT void __tsan_func_entry(void *pc);
SL_EXPORT void __sanitizer_cov_trace_pc(void);
SL_EXPORT void __tsan_func_exit(void);
SL_EXPORT void *__tsan_memcpy(void *to, const void *from, size_t n);
SL_EXPORT void *__tsan_memmove(void *to, const void *from, size_t n);
SL_EXPORT void *__tsan_memset(void *to, int byte, size_t n);

bool sl_instrumented, sl_unaided;
uint64_t sl_outside[SL_OUTSIDE_MAX];

/* Each instrumented file calls one of these before main(), or when its library is loaded. */
void
__tsan_init(void)
{
	sl_instrumented = sl_unaided = true;
	if (E.recording)
		sl_lane_modules();
	if (E.control)
		sl_libraries_note_more();
	if (E.arena)
		E.arena->program.unaided = 1;
}

/* src/plugin replaces the call of __tsan_init() by this. */
void
__sleave_init(void)
{
	sl_instrumented = true;
	if (E.recording)
		sl_lane_modules();
	if (E.control) /* the library may be unloaded before the end */
		sl_libraries_note_more();
}

/* The same for a file with assembly outside of functions. */
void
__sleave_init_asm(void)
{
	static uint32_t count;
	uint32_t at = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);

	sl_outside[at < SL_OUTSIDE_MAX ? at : SL_OUTSIDE_MAX - 1] = SL_PC;
	if (E.control)
		sl_unseen(SL_UNSEEN_OUTSIDE, SL_PC);
	__sleave_init();
}

void
__tsan_read_range(void *address, size_t size)
{
	sl_access_range(address, size, SL_OP_READS, SL_PC);
}

void
__tsan_write_range(void *address, size_t size)
{
	sl_access_range(address, size, SL_OP_WRITES, SL_PC);
}

/* Constructors of derived classes write the same virtual table again, which is not an access. */
void
__tsan_vptr_update(void **address, void *value)
{
	if (*address != value)
		plain((uint64_t)address, sizeof(*address), SL_OP_WRITES, SL_PC);
}

void
__tsan_vptr_read(void **address)
{
	plain((uint64_t)address, sizeof(*address), SL_OP_READS, SL_PC);
}

void *
__tsan_memcpy(void *to, const void *from, size_t n)
{
	sl_access_range(from, n, SL_OP_READS, SL_PC);
	from = SL_COPY_KEEP(from, n, to, n);
	sl_access_range(to, n, SL_OP_WRITES, SL_PC);
	return sl_memcpy(to, from, n);
}

void *
__tsan_memmove(void *to, const void *from, size_t n)
{
	sl_access_range(from, n, SL_OP_READS, SL_PC);
	from = SL_COPY_KEEP(from, n, to, n);
	sl_access_range(to, n, SL_OP_WRITES, SL_PC);
	return sl_memmove(to, from, n);
}

void *
__tsan_memset(void *to, int byte, size_t n)
{
	sl_access_range(to, n, SL_OP_WRITES, SL_PC);
	return sl_memset(to, byte, n);
}

static inline __attribute__((always_inline)) void
leave_frame(struct sl_thread *t)
{
	t->stack.depth--;
	if (unlikely(E.listen.reeling))
		sl_reel_return();
}

/*
 * A long jump leaves frames. Without this they would be dropped at the next entry, which is too late for a trace.
 * The stored frame is that of __tsan_func_entry(), two words below the stack of its caller; the function that
 * called setjmp() is not left.
 */
void
sl_frames_leave(uint64_t stack)
{
	struct sl_thread *t = E.current;

	while (t->stack.depth && t->kept.frames[t->stack.depth - 1].frame + 2 * sizeof(uint64_t) < stack)
		leave_frame(t);
}

/* Frames that a long jump or an exception has left are below the new one, and are dropped here. */
void
__tsan_func_entry(void *pc)
{
	if (!E.control) {
		if (unlikely(sl_rt_coded))
			sl_rt_code_entry((uint64_t)pc, SL_PC, (uint64_t)__builtin_frame_address(0));
		if (unlikely(E.recording)) {
			sl_lane_self.depth++;
			sl_lane_call(SL_PC, (uint64_t)pc);
		}
		return;
	}
	struct sl_thread *t = E.current;
	uint64_t frame = (uint64_t)__builtin_frame_address(0);

	if (frame < t->stack.lowest)
		t->stack.lowest = frame;
	while (t->stack.depth && t->kept.frames[t->stack.depth - 1].frame <= frame)
		leave_frame(t);
	if (unlikely(E.plan.coded))
		sl_code_calls((uint64_t)pc);
	if (t->stack.depth >= SL_FRAMES_DEEP) {
		t->stack.beyond++;
		return;
	}
	t->stack.beyond = 0; /* functions that were left by a jump were not subtracted */
	struct sl_mark_frame *f = &t->kept.frames[t->stack.depth++];

	f->pc = (uint64_t)pc;
	f->at = SL_PC;
	f->frame = frame;
	if (unlikely(sl_impact_known))
		f->impact = sl_impact_under(f->pc) | (t->stack.depth > 1 ? f[-1].impact : 0);
	if (unlikely(E.listen.reeling))
		sl_reel_call(SL_PC, f->pc);
	if (unlikely(E.listen.tracing))
		f->stack = sl_recorder_stack(t->stack.depth > 1 ? f[-1].stack : 0, f->pc);
	if (unlikely(E.plan.coded))
		sl_code_entered(SL_PC);
}

/*
 * With alloca() the stack of a function is lower when it is left than when it was entered. Such a function has a
 * frame pointer, in the register that this frame has saved first. Below the address in it are the function's
 * stored frame and those of its callees, and above it is its return address. A function that is not found in this
 * way has no stored frame: it has another stack. (Functions deeper than SL_FRAMES_DEEP have none either; they are
 * counted.)
 *
 * The innermost function may not use a frame pointer, and have a lower stack for another reason: it is the one
 * that is left if its beginning is nearer to the place of this call.
 */
uint64_t
sl_frame_entered(const struct sl_mark_frame *frames, uint32_t depth, uint64_t frame, uint64_t pc,
		 uint64_t (*look)(uint64_t address))
{
	const struct sl_mark_frame *own = &frames[depth - 1], *innermost = own;
	uint64_t base = *(uint64_t *)frame;

	if (!depth || own->frame <= frame)
		return frame;
	while (own > frames && own[-1].frame < base)
		own--;
	if (base <= own->frame || base % sizeof(uint64_t) || look(base + sizeof(uint64_t)) != own->pc)
		return frame;
	return pc - innermost->at < pc - own->at ? innermost->frame : own->frame;
}

/* Reads a word of the running thread's stack. */
static uint64_t
stack_word(uint64_t address)
{
	const struct sl_thread *t = E.current;

	return address - t->stack.low <= t->stack.size - sizeof(uint64_t) ? *(uint64_t *)address : 0;
}

void
__tsan_func_exit(void)
{
	if (!E.control) {
		if (unlikely(sl_rt_coded))
			sl_rt_code_exit(SL_PC, (uint64_t)__builtin_frame_address(0));
		if (unlikely(E.recording)) {
			sl_lane_self.depth -= sl_lane_self.depth > 0;
			sl_lane_put1(sl_reel_word(SL_ITEM_RETURN, 0, 0));
		}
		return;
	}
	struct sl_thread *t = E.current;
	uint64_t frame = (uint64_t)__builtin_frame_address(0);
	/*
	 * a tail call: __tsan_func_exit() returns directly to the function's caller, so that its return address is
	 * the place of that call
	 */
	bool jumped = t->stack.depth && t->kept.frames[t->stack.depth - 1].pc == SL_PC;

	if (unlikely(t->stack.beyond)) {
		t->stack.beyond--;
		return;
	}
	if (!jumped)
		frame = sl_frame_entered(t->kept.frames, t->stack.depth, frame, SL_PC, stack_word);
	if (unlikely(E.plan.coded)) {
		while (!jumped && t->stack.depth && t->kept.frames[t->stack.depth - 1].frame < frame)
			leave_frame(t);
		sl_code_left(jumped ? 0 : SL_PC);
	}
	if (jumped)
		leave_frame(t);
	else
		while (t->stack.depth && t->kept.frames[t->stack.depth - 1].frame <= frame)
			leave_frame(t);
}

/*
 * Called at the start of each basic block (sleave cc --branches). It is not an operation: no other thread can
 * observe it.
 */
void
__sanitizer_cov_trace_pc(void)
{
	if (unlikely(E.listen.reeling) && E.control)
		sl_reel_branch(SL_PC);
	else if (unlikely(E.recording) && !E.control)
		sl_lane_put1(sl_reel_word(SL_ITEM_BRANCH, 0, SL_PC));
}
