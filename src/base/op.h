/*
 * An operation: what a thread is about to do that another thread could notice.
 *
 * Everybody speaks of operations: the engine announces them, a strategy chooses among them, a trace is a
 * list of them, a report turns them into sentences. The one table below is the only list of their kinds.
 */
#ifndef SL_BASE_OP_H
#define SL_BASE_OP_H

#include <stdbool.h>
#include <stdint.h>

/*
 * X(name, verb, flags): the verb completes "T1 …" in a story; the flags are what the kind always has.
 * Silent kinds touch nothing that another thread can see: they are never a choice of their own, the
 * thread goes on through them to its next operation.
 */
#define SL_OP_KINDS(X)                                                                                            \
	X(START, "starts", SL_OP_SILENT)                                                                          \
	X(END, "ends", SL_OP_SILENT)                                                                              \
	X(READ, "reads", SL_OP_READS)                                                                             \
	X(WRITE, "writes", SL_OP_WRITES)                                                                          \
	X(UPDATE, "reads and writes", SL_OP_READS | SL_OP_WRITES)                                                 \
	X(ATOMIC_LOAD, "atomically reads", SL_OP_READS | SL_OP_ATOMIC)                                            \
	X(ATOMIC_STORE, "atomically writes", SL_OP_WRITES | SL_OP_ATOMIC)                                         \
	X(ATOMIC_UPDATE, "atomically updates", SL_OP_READS | SL_OP_WRITES | SL_OP_ATOMIC)                         \
	X(FENCE, "fences", SL_OP_SILENT)                                                                          \
	X(ALLOC, "allocates", SL_OP_SILENT)                                                                       \
	X(FREE, "frees", SL_OP_WRITES)                                                                            \
	X(CREATE, "creates thread", SL_OP_SILENT)                                                                 \
	X(JOIN, "joins thread", SL_OP_SILENT)                                                                     \
	X(DETACH, "detaches thread", SL_OP_SILENT)                                                                \
	X(TRYJOIN, "tries to join", SL_OP_READS)                                                                  \
	X(CANCEL, "cancels", SL_OP_WRITES)                                                                        \
	X(TESTCANCEL, "looks for a cancellation", SL_OP_READS)                                                    \
	X(CANCELLED, "acts on its cancellation", SL_OP_SILENT)                                                    \
	X(KILL, "sends", SL_OP_WRITES)                                                                            \
	X(HANDLE, "gets", SL_OP_SILENT)                                                                           \
	X(SIGMASK, "changes its signal mask", SL_OP_READS)                                                        \
	X(SIGACTION, "sets the action for", SL_OP_WRITES)                                                         \
	X(SIGPENDING, "looks for signals", SL_OP_READS)                                                           \
	X(SIGWAIT, "waits for signals", SL_OP_READS)                                                              \
	X(PAUSE, "waits for a signal", SL_OP_READS)                                                               \
	X(SET_TIMER, "sets a timer", SL_OP_WRITES)                                                                \
	X(TIMER, "lets a timer run out", SL_OP_WRITES)                                                            \
	X(MUTEX_LOCK, "locks", SL_OP_READS | SL_OP_WRITES)                                                        \
	X(MUTEX_TRYLOCK, "tries to lock", SL_OP_READS | SL_OP_WRITES)                                             \
	X(MUTEX_TIMEDLOCK, "locks, with a time limit,", SL_OP_READS | SL_OP_WRITES)                               \
	X(MUTEX_UNLOCK, "unlocks", SL_OP_WRITES)                                                                  \
	X(RW_RDLOCK, "read-locks", SL_OP_READS)                                                                   \
	X(RW_WRLOCK, "write-locks", SL_OP_READS | SL_OP_WRITES)                                                   \
	X(RW_UNLOCK, "unlocks", SL_OP_WRITES)                                                                     \
	X(SPIN_LOCK, "spin-locks", SL_OP_READS | SL_OP_WRITES)                                                    \
	X(SPIN_UNLOCK, "spin-unlocks", SL_OP_WRITES)                                                              \
	X(COND_WAIT, "waits for", SL_OP_READS | SL_OP_WRITES)                                                     \
	X(COND_RELOCK, "wakes and locks", SL_OP_READS | SL_OP_WRITES)                                             \
	X(COND_SIGNAL, "signals", SL_OP_READS | SL_OP_WRITES)                                                     \
	X(COND_BROADCAST, "broadcasts", SL_OP_READS | SL_OP_WRITES)                                               \
	X(BARRIER_WAIT, "waits at", SL_OP_READS | SL_OP_WRITES)                                                   \
	X(BARRIER_LEAVE, "leaves", SL_OP_SILENT)                                                                  \
	X(SEM_WAIT, "waits for", SL_OP_READS | SL_OP_WRITES)                                                      \
	X(SEM_TRYWAIT, "tries to take", SL_OP_READS | SL_OP_WRITES)                                               \
	X(SEM_POST, "posts", SL_OP_WRITES)                                                                        \
	X(SEM_VALUE, "reads the value of", SL_OP_READS)                                                           \
	X(FUTEX_WAIT, "waits on futex", SL_OP_READS | SL_OP_ATOMIC)                                               \
	X(FUTEX_WOKEN, "is woken on futex", SL_OP_SILENT)                                                         \
	X(FUTEX_WAKE, "wakes waiters of futex", SL_OP_READS | SL_OP_WRITES | SL_OP_ATOMIC)                        \
	X(FUTEX_REQUEUE, "moves waiters of futex", SL_OP_READS | SL_OP_WRITES | SL_OP_ATOMIC)                     \
	X(FUTEX_WAKE_OP, "updates, and wakes waiters of, futex", SL_OP_READS | SL_OP_WRITES | SL_OP_ATOMIC)       \
	X(ONCE, "calls pthread_once() on", SL_OP_READS | SL_OP_WRITES)                                            \
	X(PARALLEL, "begins a parallel region", SL_OP_SILENT)                                                     \
	X(WORK_WAIT, "waits for a parallel region", SL_OP_SILENT)                                                 \
	X(SHARE, "takes a part of", SL_OP_READS | SL_OP_WRITES)                                                   \
	X(ORDERED, "waits for its turn in", SL_OP_READS | SL_OP_WRITES)                                           \
	X(TASK, "makes a task for", SL_OP_WRITES)                                                                 \
	X(TASK_TAKE, "takes a task of", SL_OP_READS | SL_OP_WRITES)                                               \
	X(TASK_WAIT, "waits for tasks of", SL_OP_READS | SL_OP_WRITES)                                            \
	X(TASK_DONE, "goes on after tasks of", SL_OP_SILENT)                                                      \
	X(INIT, "initialises", SL_OP_WRITES)                                                                      \
	X(DESTROY, "destroys", SL_OP_WRITES)                                                                      \
	X(KEY_USE, "uses key", SL_OP_READS)                                                                       \
	X(KEY_DELETE, "deletes key", SL_OP_WRITES)                                                                \
	X(TURN, "uses", SL_OP_READS | SL_OP_WRITES | SL_OP_ATOMIC)                                                \
	X(TIMEOUT, "times out on", SL_OP_READS | SL_OP_WRITES)                                                    \
	X(IO_OPEN, "opens", SL_OP_READS | SL_OP_WRITES)                                                           \
	X(IO_CLOSE, "closes", SL_OP_READS | SL_OP_WRITES)                                                         \
	X(IO_READ, "reads from", SL_OP_READS | SL_OP_WRITES)                                                      \
	X(IO_WRITE, "writes to", SL_OP_READS | SL_OP_WRITES)                                                      \
	X(IO_ACCEPT, "accepts a connection from", SL_OP_READS | SL_OP_WRITES)                                     \
	X(IO_CONNECT, "connects to", SL_OP_READS | SL_OP_WRITES)                                                  \
	X(IO_CONTROL, "changes", SL_OP_READS | SL_OP_WRITES)                                                      \
	X(IO_LOCK, "locks", SL_OP_READS | SL_OP_WRITES)                                                           \
	X(IO_UNLOCK, "unlocks", SL_OP_READS | SL_OP_WRITES)                                                       \
	X(IO_WAIT, "waits for one of several descriptors", SL_OP_READS)                                           \
	X(FORK, "starts a process", SL_OP_READS)                                                                  \
	X(CHILD_END, "sees the end of process", SL_OP_READS | SL_OP_WRITES)                                       \
	X(EXEC, "becomes another program", SL_OP_WRITES)                                                          \
	X(SLEEP, "sleeps", SL_OP_SILENT)                                                                          \
	X(YIELD, "yields", SL_OP_SILENT)                                                                          \
	X(CLOCK, "reads the clock", SL_OP_SILENT)                                                                 \
	X(EVENT, "comes to", SL_OP_READS | SL_OP_WRITES)                                                          \
	X(CHOOSE, "chooses", SL_OP_SILENT)                                                                        \
	X(SPIN, "spins", SL_OP_READS)                                                                             \
	X(EXIT, "ends the program", SL_OP_WRITES)

/* SIGACTION's value: the signal, and above its 32 bits what becomes of it. (Traces of older versions: 0, not said.) */
enum sl_op_action { SL_ACTION_NOT_SAID, SL_ACTION_HANDLER, SL_ACTION_DEFAULT, SL_ACTION_IGNORED };

static inline const char *
sl_op_action_verb(uint64_t value)
{
	switch (value >> 32) {
	case SL_ACTION_HANDLER:
		return "installs a handler for";
	case SL_ACTION_DEFAULT:
		return "sets the default action for";
	case SL_ACTION_IGNORED:
		return "ignores";
	default:
		return "sets the action for";
	}
}

enum sl_op_kind {
#define X(name, verb, flags) SL_##name,
	SL_OP_KINDS(X)
#undef X
		SL_OP_KIND_COUNT
};

enum {
	SL_OP_READS = 1,
	SL_OP_WRITES = 2,
	SL_OP_ATOMIC = 4,
	SL_OP_SILENT = 8,
	SL_OP_LATE = 16, /* a sleeper's or a time-out's: may go at any time, but others would usually go first */
	SL_OP_YIELDED = 32,  /* the thread offered to give way: switching away from it costs nothing */
	SL_OP_VOLATILE = 64, /* a volatile access */
	SL_OP_RANGE = 128,   /* size does not fit: the operation's value holds it */
	SL_OP_MERGED = 256,  /* silent, and chosen together with what the thread does next */
};

struct sl_op {
	uint8_t kind; /* enum sl_op_kind */
	uint8_t size; /* bytes, of an access up to 16 bytes */
	uint16_t flags;
	uint32_t thread; /* number of the thread: 0 is the first, then in order of creation */
	uint64_t index;  /* which operation of its thread this is, from 1: a switch is named by it */
	uint64_t object; /* address of what is touched; 0 when nothing is */
	uint64_t pc;     /* return address of the call that announced it */
};

/* A call of the program's own, before which it may be made to wait: what a thread does on a line, besides accesses. */
static inline bool
sl_op_is_call(enum sl_op_kind kind)
{
	switch (kind) {
	case SL_ATOMIC_LOAD:
	case SL_ATOMIC_STORE:
	case SL_ATOMIC_UPDATE:
	case SL_FENCE:
	case SL_ALLOC:
	case SL_FREE:
	case SL_CREATE:
	case SL_JOIN:
	case SL_DETACH:
	case SL_TRYJOIN:
	case SL_CANCEL:
	case SL_KILL:
	case SL_SIGMASK:
	case SL_SIGACTION:
	case SL_SIGPENDING:
	case SL_SIGWAIT:
	case SL_PAUSE:
	case SL_SET_TIMER:
	case SL_MUTEX_LOCK:
	case SL_MUTEX_TRYLOCK:
	case SL_MUTEX_TIMEDLOCK:
	case SL_MUTEX_UNLOCK:
	case SL_RW_RDLOCK:
	case SL_RW_WRLOCK:
	case SL_RW_UNLOCK:
	case SL_SPIN_LOCK:
	case SL_SPIN_UNLOCK:
	case SL_COND_WAIT:
	case SL_COND_SIGNAL:
	case SL_COND_BROADCAST:
	case SL_BARRIER_WAIT:
	case SL_SEM_WAIT:
	case SL_SEM_TRYWAIT:
	case SL_SEM_POST:
	case SL_SEM_VALUE:
	case SL_FUTEX_WAIT:
	case SL_FUTEX_WAKE:
	case SL_FUTEX_REQUEUE:
	case SL_FUTEX_WAKE_OP:
	case SL_ONCE:
	case SL_PARALLEL:
	case SL_SHARE:
	case SL_ORDERED:
	case SL_TASK:
	case SL_TASK_WAIT:
	case SL_INIT:
	case SL_DESTROY:
	case SL_KEY_USE:
	case SL_KEY_DELETE:
	case SL_TURN:
	case SL_IO_OPEN:
	case SL_IO_CLOSE:
	case SL_IO_READ:
	case SL_IO_WRITE:
	case SL_IO_ACCEPT:
	case SL_IO_CONNECT:
	case SL_IO_CONTROL:
	case SL_IO_LOCK:
	case SL_IO_UNLOCK:
	case SL_IO_WAIT:
	case SL_FORK:
	case SL_EXEC:
	case SL_SLEEP:
	case SL_YIELD:
	case SL_CLOCK:
	case SL_CHOOSE:
	case SL_EXIT:
		return true;
	default:
		return false;
	}
}

static inline bool
sl_op_is_io(const struct sl_op *op)
{
	return op->kind >= SL_IO_OPEN && op->kind <= SL_IO_WAIT;
}

/* Not about one descriptor only. */
static inline bool
sl_op_is_any_io(const struct sl_op *op)
{
	return op->kind == SL_IO_OPEN || op->kind == SL_IO_CLOSE || op->kind == SL_IO_WAIT ||
	       op->kind == SL_CHILD_END;
}

/* Sends signals. */
static inline bool
sl_op_is_signal(const struct sl_op *op)
{
	return op->kind == SL_KILL || op->kind == SL_TIMER || op->kind == SL_CHILD_END;
}

/* May take one, or look for one: reading or waiting for a descriptor, too (signalfd). */
static inline bool
sl_op_takes_signals(const struct sl_op *op)
{
	return op->kind == SL_IO_READ || op->kind == SL_IO_WAIT || op->kind == SL_SIGWAIT ||
	       op->kind == SL_SIGPENDING || op->kind == SL_SIGMASK || op->kind == SL_PAUSE ||
	       op->kind == SL_SIGACTION;
}

/* Could the order of these two matter? (Both are about to happen, in different threads.) */
static inline bool
sl_op_conflicts(const struct sl_op *a, const struct sl_op *b)
{
	if (a->kind == SL_EXIT || b->kind == SL_EXIT || a->kind == SL_EXEC || b->kind == SL_EXEC)
		return true;
	if ((sl_op_is_signal(a) && sl_op_takes_signals(b)) || (sl_op_is_signal(b) && sl_op_takes_signals(a)))
		return true;
	if ((sl_op_is_any_io(a) && sl_op_is_io(b)) || (sl_op_is_any_io(b) && sl_op_is_io(a)))
		return true;
	if (a->kind == SL_EVENT && b->kind == SL_EVENT)
		return true;
	if (!a->object || !b->object || !((a->flags | b->flags) & SL_OP_WRITES))
		return false;
	uint64_t a_end = a->object + (a->size ? a->size : 1), b_end = b->object + (b->size ? b->size : 1);

	return a->object < b_end && b->object < a_end;
}

#endif
