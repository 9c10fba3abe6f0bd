/*
 * An operation: an action of a thread that another thread could observe.
 *
 * The engine announces operations, a strategy chooses among them, a trace is a list of them, a report turns them into
 * sentences. op.def is the only list of their kinds.
 */
#ifndef SL_BASE_OP_H
#define SL_BASE_OP_H

#include <stdbool.h>
#include <stdint.h>

/* Traits of a kind; op.def defines them. */
enum {
	SL_KIND_CALL = 1u << 0,
	SL_KIND_ACCESS = 1u << 1,
	SL_KIND_SYNC = 1u << 2,
	SL_KIND_FUTEX = 1u << 3,
	SL_KIND_IO = 1u << 4,
	SL_KIND_TAKES = 1u << 5,
	SL_KIND_SHARED = 1u << 6,
	SL_KIND_GIVES = 1u << 7,
	SL_KIND_LENDS = 1u << 8,
	SL_KIND_RENEWS = 1u << 9,
	SL_KIND_TRIES = 1u << 10,
	SL_KIND_WAITS = 1u << 11,
	SL_KIND_SLEEPS = 1u << 12,
	SL_KIND_WOKEN = 1u << 13,
	SL_KIND_ENABLES = 1u << 14,
	SL_KIND_WAKES = 1u << 15,
	SL_KIND_QUIET = 1u << 16,
	SL_KIND_ORDERS = 1u << 17,
	SL_KIND_FAILS = 1u << 18,
	SL_KIND_THREAD = 1u << 19,
	SL_KIND_SENDS = 1u << 20,
	SL_KIND_RECEIVES = 1u << 21,
	SL_KIND_ALL_IO = 1u << 22,
	SL_KIND_ENDS = 1u << 23,
	SL_KIND_WIDE = 1u << 24,
	SL_KIND_COMPARED = 1u << 25,
	SL_KIND_TOLD = 1u << 26,
	SL_KIND_ASIDE = 1u << 27,
	SL_KIND_RWLOCK = 1u << 28,
	SL_KIND_ALONE = 1u << 29,
	SL_KIND_COUNTS = 1u << 30,
};

/* Event words of schedules, in the order of enum sl_event_kind (schedule/schedule.h), from LOCK on. */
enum {
	SL_OP_EVENT_LOCK = 1u << 0,
	SL_OP_EVENT_UNLOCK = 1u << 1,
	SL_OP_EVENT_WAIT = 1u << 2,
	SL_OP_EVENT_SIGNAL = 1u << 3,
	SL_OP_EVENT_WRITE = 1u << 4,
	SL_OP_EVENT_READ = 1u << 5,
};

/*
 * The value of SIGACTION: the signal in the low 32 bits, the action above them. (0 in traces of older versions:
 * not recorded.)
 */
enum sl_op_action { SL_ACTION_NOT_SAID, SL_ACTION_HANDLER, SL_ACTION_DEFAULT, SL_ACTION_IGNORED };

enum sl_op_kind {
#define SL_OP(name, verb, flags, traits, event) SL_##name,
#include "base/op.def"
	SL_OP_KIND_COUNT
};

enum {
	SL_OP_READS = 1,
	SL_OP_WRITES = 2,
	SL_OP_ATOMIC = 4,
	SL_OP_SILENT = 8,
	SL_OP_LATE = 16,     /* of a sleep or a time-out: it may happen at any time, but usually after others */
	SL_OP_YIELDED = 32,  /* the thread yielded: switching away from it costs nothing */
	SL_OP_VOLATILE = 64, /* a volatile access */
	SL_OP_RANGE = 128,   /* size does not fit: the operation's value holds it */
	SL_OP_MERGED = 256,  /* silent, and chosen together with the thread's next operation */
	/* At a place that a change of the program impacts (CAPP's match modes): … */
	SL_OP_IMPACTED_CLASS = 1 << 9,
	SL_OP_IMPACTED_CLASS_ON_STACK = 1 << 10, /* … or called from there */
	SL_OP_IMPACTED_FUNCTION = 1 << 11,
	SL_OP_IMPACTED_FUNCTION_ON_STACK = 1 << 12,
	SL_OP_IMPACTED_LINE = 1 << 13,
	SL_OP_IMPACTED_LINE_ON_STACK = 1 << 14,
	SL_OP_IMPACTED_FIELD = 1 << 15, /* an access to an impacted member or variable */
	SL_OP_IMPACTED = 0xfe00,        /* any of these */
};

struct sl_op {
	uint8_t kind; /* enum sl_op_kind */
	uint8_t size; /* bytes, of an access up to 16 bytes */
	uint16_t flags;
	uint32_t thread; /* number of the thread: 0 is the first, then in order of creation */
	uint64_t index;  /* number of the operation in its thread, from 1: schedules name switches by it */
	uint64_t object; /* address of the object; 0: none */
	uint64_t pc;     /* return address of the call that announced it */
};

struct sl_op_traits {
	uint32_t traits; /* SL_KIND_… */
	uint16_t flags;  /* SL_OP_… */
	uint16_t event;  /* SL_OP_EVENT_… */
};

/* By kind; other kinds of items have no traits. */
extern const struct sl_op_traits sl_op_kinds[256] __attribute__((visibility("hidden")));

/* Returns whether a kind, of an operation or of any other item, has one of these traits. */
static inline bool
sl_kind_is(uint8_t kind, uint32_t traits)
{
	return sl_op_kinds[kind].traits & traits;
}

static inline bool
sl_op_is_call(enum sl_op_kind kind)
{
	return sl_kind_is((uint8_t)kind, SL_KIND_CALL);
}

static inline bool
sl_op_is_io(const struct sl_op *op)
{
	return sl_kind_is(op->kind, SL_KIND_IO);
}

/* A plain access: atomic ones are calls. */
static inline bool
sl_kind_is_plain(uint8_t kind)
{
	return (sl_op_kinds[kind].traits & (SL_KIND_ACCESS | SL_KIND_CALL)) == SL_KIND_ACCESS;
}

/* SL_OP_READS, SL_OP_WRITES, or both, if the kind is an access to memory; else 0. */
static inline unsigned
sl_kind_access(uint8_t kind)
{
	return sl_kind_is(kind, SL_KIND_ACCESS) ? sl_op_kinds[kind].flags & (SL_OP_READS | SL_OP_WRITES) : 0u;
}

/* The kind takes a lock, and waits for it. */
static inline bool
sl_kind_awaits_lock(uint8_t kind)
{
	return sl_kind_is(kind, SL_KIND_TAKES) && sl_kind_is(kind, SL_KIND_WAITS);
}

/* The kind takes a lock again that its thread lent. */
static inline bool
sl_kind_retakes_lock(uint8_t kind)
{
	return sl_kind_is(kind, SL_KIND_TAKES) && sl_kind_is(kind, SL_KIND_WOKEN);
}

/* The kind sleeps for a wake-up alone (of a condition variable, a futex): one that came before is lost. */
static inline bool
sl_kind_awaits_wakeup(uint8_t kind)
{
	return sl_kind_is(kind, SL_KIND_SLEEPS) && !sl_kind_is(kind, SL_KIND_ORDERS);
}

/* The kind wakes waiters of a condition variable. */
static inline bool
sl_kind_signals(uint8_t kind)
{
	return sl_kind_is(kind, SL_KIND_WAKES) && sl_kind_is(kind, SL_KIND_SYNC);
}

/* The kind waits until a signal has come for its thread. */
static inline bool
sl_kind_awaits_signal(uint8_t kind)
{
	return sl_kind_is(kind, SL_KIND_RECEIVES) && sl_kind_is(kind, SL_KIND_WAITS) &&
	       !sl_kind_is(kind, SL_KIND_IO);
}

/* Returns whether the order of two operations with these traits may matter, independent of their objects. */
static inline bool
sl_traits_conflict(uint32_t x, uint32_t y)
{
	return (x | y) & SL_KIND_ENDS || (x & SL_KIND_SENDS && y & SL_KIND_RECEIVES) ||
	       (y & SL_KIND_SENDS && x & SL_KIND_RECEIVES) || (x & SL_KIND_ALL_IO && y & SL_KIND_IO) ||
	       (y & SL_KIND_ALL_IO && x & SL_KIND_IO);
}

/* Returns whether the order of these two operations may matter. (Both are about to happen, in different threads.) */
static inline bool
sl_op_conflicts(const struct sl_op *a, const struct sl_op *b)
{
	uint32_t x = sl_op_kinds[a->kind].traits, y = sl_op_kinds[b->kind].traits;

	if ((x | y) & SL_KIND_WIDE && (sl_traits_conflict(x, y) || (a->kind == SL_EVENT && b->kind == SL_EVENT)))
		return true;
	if (!a->object || !b->object || !((a->flags | b->flags) & SL_OP_WRITES))
		return false;
	uint64_t a_end = a->object + (a->size ? a->size : 1), b_end = b->object + (b->size ? b->size : 1);

	return a->object < b_end && b->object < a_end;
}

#endif
