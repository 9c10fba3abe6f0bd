/*
 * Threads of the program: their records (roster.c), how they begin and end (thread.c), and how an execution does (exit.c).
 */
#ifndef SL_ENGINE_CORE_THREAD_H
#define SL_ENGINE_CORE_THREAD_H

#include "engine/core/carrier.h"
#include "engine/core/object.h"
#include "engine/interpose/entry.h"
#include "engine/under/own.h"
#include "search/arena.h"

#include <poll.h>
#include <pthread.h>
#include <time.h>

#define SL_HELD_MAX 32 /* locks of a thread that are remembered */

struct sl_mark_frame {
	uint64_t pc, at; /* where it was called, and where it began */
	uint64_t frame;
	uint32_t stack;
};

struct sl_held {
	uint64_t object : 63;
	uint64_t read : 1;
};

/* Of threads that use fences or barriers. */
struct sl_clocks {
	struct sl_clock fence_release, fence_acquire, barrier;
};

/*
 * What every operation looks at comes first, on as few lines of the cache as it fits, and what is rare or large is
 * elsewhere: with a thousand threads, each switch goes to lines and pages that were last used a thousand switches ago.
 */
struct sl_thread {
	struct sl_op op; /* announced, not yet performed */
	uint32_t id;
	uint32_t noted;         /* E.noting, if it is in E.changed */
	bool alive;             /* created and not ended */
	bool unchosen;          /* runs without having been chosen: its next choice is free */
	bool skip_point;        /* was chosen for a silent operation: goes on through its next point */
	bool expired;           /* it was chosen for its time-out */
	bool timed;             /* its wait has a time limit */
	bool tries;             /* its operation looks like one that waits, but does not */
	bool arrived;           /* … and is announced once more, to wait */
	bool failed_spuriously; /* its last weak compare-and-swap */
	bool relaxed;           /* its loop says that looking again is no more than looking once */
	bool spinning;          /* repeats itself: waits until another thread changes something */
	uint8_t ignores;        /* SL_OP_READS, SL_OP_WRITES: of its accesses these do not race (dynamic_annotations.c) */
	bool gives_way;         /* others go first at its next choice */
	bool has_fence_release, has_fence_acquire;
	/* interruptions: see below */
	bool urgent;                  /* something came that it must see to before it performs its operation */
	uint8_t interruptible;        /* SL_BY_…: what ends the wait that is under way */
	uint8_t interrupted;          /* SL_BY_…: what has ended it */
	bool exposed;                 /* all its operations are points: something may come for it at any time */
	bool cancel_marked;           /* somebody may cancel it: its cancellation points are points */
	struct sl_thread *returns_to; /* goes on to its next announcement on behalf of this one */
	struct sl_object *object;     /* whose waiter it is */
	struct sl_thread *next, *previous; /* among the waiters of object */
	uint64_t epoch;                    /* own clock and id, as the shadow has it */
	uint32_t tick;                     /* its own clock */
	uint32_t shown;  /* its tick when others could last learn all that it knew; 0: it has learnt more since */
	uint32_t slot;   /* its carrier */
	uint32_t budget; /* accesses until the next closer look */
	uint32_t stretches;  /* closer looks since it was last switched to */
	uint32_t depth, beyond; /* of frames; how many more were entered, and are not among them */
	uint32_t locks_held; /* who holds a lock must not be made to wait */
	uint32_t held_count;
	uint64_t looked;        /* its last atomic */
	uint64_t own_changes;   /* its share of E.changes */
	uint64_t looks_changes; /* what others had changed when it began to look … */
	uint32_t looks;         /* … so many times */
	uint32_t watching;      /* closer looks left */
	uint64_t lock_changes;  /* E.changes when it last took one */
	uint64_t stack_low, stack_size;
	uintptr_t lowest; /* of its stack pointer, as far as seen */
	struct sl_clock clock;
	/* from here on: what is needed now and then */
	uint64_t intended, intended_size, intended_hash; /* memory that a call may write, and what was there (access.c) */
	uint32_t parent, ordinal, children;
	bool detached, joined;
	bool agent;               /* the engine's own: stands for a timer, or for the end of a process */
	bool idle;                /* an agent for what will not happen now, or a worker of OpenMP without work */
	bool woken;               /* from a futex, and not by its time limit */
	uint32_t futex_bits;      /* by which it may be woken */
	uint64_t deadline;        /* virtual */
	uint64_t late_by,
		late_index;       /* how long it could run and did not while time passed; before which operation */
	struct sl_clocks *clocks; /* NULL: not needed yet */
	struct sl_object *relock; /* cond: the mutex to take again */
	struct sl_object *condition; /* cond: what a signal woke it from, until it has the mutex */
	struct sl_thread *joins;     /* JOIN: who is awaited */
	struct sl_thread *joiner;
	uint64_t released; /* joined or detached: by whom and where (misuse.h) */
	void *(*start)(void *);
	void *argument, *result;
	uint64_t start_address, create_pc;
	uint64_t leave_pc; /* where pthread_exit() was called, or cancellation acted: unwinding makes calls of its own; or 0 */
	const struct pollfd *io; /* blocked in i/o: until one of these is ready */
	uint32_t io_count;
	uint64_t io_tried;             /* E.io_changes when it was tried in vain */
	bool (*io_test)(const void *); /* if set, this decides instead */
	const void *io_argument;
	uint64_t randoms;  /* that it has drawn */
	uint32_t channels; /* that it has made */
	/* spin.h: what it looked like when it last looked at something */
	uint64_t spin_pc, spin_seen, went_round; /* … 1 + E.changes when it was let go round once more */
	struct sl_entry entry;   /* its registers when it announced its operation (livelock.c) */
	struct sl_entry resting; /* … when it came to the scheduler, if states are looked for (state.h) */
	uint64_t extent;         /* bytes, of an access to a range */
	bool entry_known;
	uint64_t step;         /* how many of its steps have begun */
	uint64_t spin_changes; /* E.changes when it gave way */
	uint32_t spin_others;
	uint32_t last_looks; /* when nobody else could go */
	uint32_t starved;    /* fair.c: looks at which it could go and had not gone since the one before, */
	uint64_t starved_at; /* … with this operation */
	uint64_t endless_at; /* endless.c: its operation when it was last looked at */
	bool sure;           /* the last two of them found it in the same state, all of it */
	uint64_t whole_hash;
	/* keys, thread_local destructors, cleanup handlers */
	struct sl_dtor *dtors;
	uint64_t key_used; /* its epoch when it last used one; 0: never */
	void *cleanups;    /* a __pthread_unwind_buf_t */
	void *unwinding;
	struct sl_heap *heap; /* its part (heap.c) */
	/* terminate.c: its last throw */
	void *thrown, *thrown_type;
	uint64_t thrown_pc, terminate_pc;
	uint32_t thrown_stack;
	bool cancel_requested, cancel_disabled, cancel_async;
	bool exiting; /* it unwinds, or runs destructors: nothing cancels it any more */
	/* signals (signal.c): bit n - 1 for signal n */
	bool signal_marked;
	uint64_t mask, pending;
	uint32_t handling;                      /* handlers that run */
	bool struck;                            /* a signal came for certain while it was in its wait */
	bool suspended;                         /* in sigsuspend: what comes was blocked before */
	uint64_t wanted;                        /* by a sigwait that is under way */
	struct sl_signal *signals;              /* what is known about the pending ones, the oldest first */
	uint64_t alternative, alternative_size; /* its sigaltstack */
	int alternative_flags;
	struct sl_ghost *ghost; /* the innermost of its waits that runs a handler */
	struct sl_omp *omp;     /* its part in OpenMP (openmp.h) */
	bool named;
	char name[SL_THREAD_NAME];      /* by pthread_setname_np, or sleave_thread_name */
	char inherited[SL_KERNEL_NAME]; /* its creator's, which pthread_getname_np shows until then */
	size_t guard;       /* as asked for: what pthread_getattr_np says */
	/* from here on: kept from execution to execution */
	struct sl_mark_frame *frames; /* call stack, by the compiler's callbacks */
	struct sl_look *look;
	struct sl_awaits *awaits;         /* as look, for step.h */
	struct sl_held held[SL_HELD_MAX]; /* its locks, as far as there is room (lock_order.c) */
} __attribute__((aligned(SL_LINE)));

_Static_assert(sizeof(struct sl_thread) / SL_LINE % 8,
	       "pad it: the same fields of many threads would fight for the same places in the cache");

/* A waiter of a condition variable or barrier that runs a signal handler meanwhile. */
struct sl_ghost {
	struct sl_op op;
	struct sl_object *object; /* NULL: it was woken, or is none */
	struct sl_ghost *next;    /* of the object */
	struct sl_ghost *outer;   /* of the thread */
};

_Noreturn void sl_thread_main(void);
void sl_thread_entry(void)
	__attribute__((visibility("hidden"))); /* the first function on a carrier's stack: calls it */
void sl_threads_first(void);
void sl_exit_setup(void);
_Noreturn void sl_exit(int status, uint64_t pc);
_Noreturn void sl_exit_now(int status, uint64_t pc);
_Noreturn void sl_thread_end(void *result);
_Noreturn void sl_thread_leave(void *result, uint64_t pc); /* pthread_exit() */
void sl_time_reset(void);
uint64_t sl_deadline(const struct timespec *absolute, clockid_t clock);
void sl_thread_dtors_cxx(struct sl_thread *thread);
void sl_faults_take(void);
void sl_faults_give_back(void);
void sl_signals_take(void);
void sl_signals_give_back(void);
void sl_keys_save(void);
void sl_keys_reset(void);
bool sl_key_destructors(void); /* the running thread ends: one round; was there any to call? */

/* The calling thread is given a name out of control; the one that it has when an exploration begins is that of the first thread. */
void sl_thread_is_called(const char *name);
const char *sl_thread_called(void); /* NULL: it was given none */

#endif
