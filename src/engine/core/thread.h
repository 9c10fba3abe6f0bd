/*
 * Threads of the program: their records (roster.c), how they begin and end (thread.c), and how an execution does (exit.c).
 */
#ifndef SL_ENGINE_CORE_THREAD_H
#define SL_ENGINE_CORE_THREAD_H

#include "base/held.h"
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
	uint32_t impact; /* SL_IMPACT_… of where it was called, and of all that called it (impact.h) */
};

/* Of threads that use fences or barriers. */
struct sl_clocks {
	struct sl_clock fence_release, fence_acquire, barrier;
};

/*
 * What every operation looks at comes first, on as few lines of the cache as it fits, and what is rare or large is
 * elsewhere: with a thousand threads, each switch goes to lines and pages that were last used a thousand switches ago.
 * Each part of the engine that keeps something about a thread has a struct of its own in it, which bears its name.
 */
struct sl_thread {
	struct sl_op op; /* announced, not yet performed */
	uint32_t id;
	uint32_t noted;         /* E.ready.noting, if it is in E.ready.changed */
	bool alive;             /* created and not ended */
	bool failed_spuriously; /* its last weak compare-and-swap */
	uint8_t ignores; /* SL_OP_READS, SL_OP_WRITES: of its accesses these do not race (dynamic_annotations.c) */

	/* Its next choice. */
	struct {
		bool unchosen;   /* it runs without having been chosen: its next choice is free */
		bool skip_point; /* it was chosen for a silent operation: it goes on through its next point */
		bool gives_way;  /* other threads go first */
	} turn;

	/* What interrupts it (sched.h). */
	struct {
		bool urgent;           /* something came that it must see to before it performs its operation */
		uint8_t interruptible; /* SL_BY_…: what ends the wait that is under way */
		uint8_t interrupted;   /* SL_BY_…: what has ended it */
		bool exposed;          /* all its operations are points: something may come for it at any time */
		bool cancel_marked;    /* another thread may cancel it: its cancellation points are points */
	} interruption;

	/* Fences that order its next operations. */
	struct {
		bool release, acquire;
	} fenced;

	/* Its wait. */
	struct {
		bool expired;                      /* it was chosen for its time-out */
		bool timed;                        /* its wait has a time limit */
		bool tries;                        /* its operation looks like one that waits, but does not */
		bool arrived;                      /* … and is announced once more, to wait */
		struct sl_object *object;          /* whose waiter it is */
		struct sl_thread *next, *previous; /* among the waiters of object */
	} waits;

	struct sl_thread *returns_to; /* goes on to its next announcement on behalf of this one */
	uint64_t epoch;               /* own clock and id, as the shadow has it */
	uint32_t tick;                /* its own clock */
	uint32_t shown; /* its tick when others could last learn all that it knew; 0: it has learnt more since */

	/* Does it spin (spin.h)? Accesses look at the budget. */
	struct {
		uint32_t budget;       /* accesses until the next closer look */
		uint32_t stretches;    /* closer looks since it was last switched to */
		uint32_t watching;     /* closer looks left */
		bool relaxed;          /* its loop says that looking again is no more than looking once */
		bool spinning;         /* it repeats itself: it waits until another thread changes something */
		uint64_t atomic;       /* its last */
		uint64_t own_changes;  /* its share of E.changes */
		uint64_t changes;      /* what others had changed when it began to look … */
		uint32_t count;        /* … so many times */
		uint64_t lock_changes; /* E.changes when it last took a lock */
	} looks;

	uint32_t slot;       /* its carrier */
	uint32_t locks_held; /* the holder of a lock must not be made to wait */
	uint32_t held_count; /* of kept.held */

	struct {
		uint32_t depth, beyond; /* frames that are remembered, and frames that were entered beyond these */
		uint64_t low, size;
		uintptr_t lowest; /* of its stack pointer, as far as seen */
	} stack;

	struct sl_clock clock;

	/* From here on: what is needed now and then. */
	bool idle;                /* an agent for what will not happen now, or a worker of OpenMP without work */
	struct sl_clocks *clocks; /* NULL: not needed yet */

	/* Memory that a call may write, and what was there (access.c). */
	struct {
		uint64_t address, size, hash;
	} intended;

	/* What its wait is for, beside the object whose waiter it is. */
	struct {
		uint64_t deadline;           /* virtual */
		bool woken;                  /* from a futex, and not by its time limit */
		uint32_t futex_bits;         /* by which it may be woken */
		struct sl_object *relock;    /* condition variable: the mutex to take again */
		struct sl_object *condition; /* … what a signal woke it from, until it has the mutex */
		struct sl_thread *joins;     /* JOIN: the thread that is awaited */
	} awaited;

	/* How it was created. */
	struct {
		uint32_t parent, ordinal, children;
		bool agent; /* it is the engine's own: stands for a timer, or for the end of a process */
		void *(*start)(void *);
		void *argument;
		uint64_t address; /* of the function that it starts with */
		uint64_t pc;      /* of the call that created it */
		size_t guard;     /* as asked for: what pthread_getattr_np says */
	} born;

	/* How it ends: which thread joins it, and what it runs on its way out (keys, thread_local destructors, cleanup handlers). */
	struct {
		bool detached, joined;
		bool exiting; /* it unwinds, or runs destructors: nothing cancels it any more */
		struct sl_thread *joiner;
		uint64_t released; /* joined or detached: by which thread and where (misuse.h) */
		void *result;
		uint64_t
			pc; /* where pthread_exit() was called, or cancellation acted: unwinding makes calls of its own; or 0 */
		struct sl_dtor *dtors;
		uint64_t key_used; /* its epoch when it last used one; 0: never */
		void *cleanups;    /* a __pthread_unwind_buf_t */
		void *unwinding;
	} ends;

	/* It is blocked in i/o … */
	struct {
		const struct pollfd *polled; /* … until one of these is ready */
		uint32_t count;
		uint64_t tried;             /* E.io_changes when the call was last tried, and would have blocked */
		bool (*test)(const void *); /* if set, this decides instead */
		const void *argument;
	} io;

	/* What it has made, or drawn: names that do not depend on other threads are counted here. */
	struct {
		uint64_t randoms;
		uint32_t channels;
		struct sl_heap *heap; /* its part (heap.c) */
	} made;

	/* What it looked like when it last looked at something (spin.h). */
	struct {
		uint64_t pc, seen;
		uint64_t went_round; /* 1 + E.changes when it was let go round once more */
		uint64_t changes;    /* E.changes when it gave way */
		uint32_t others;
		uint32_t last_looks; /* when no other thread could go */
	} spin;

	/* Its registers. */
	struct {
		struct sl_entry entry;   /* when it announced its operation (livelock.c) */
		struct sl_entry resting; /* when it came to the scheduler, if states are looked for (state.h) */
		bool known;              /* entry is */
	} registers;
	uint64_t extent; /* bytes, of an access to a range */

	/* How it gets on (fair.c, endless.c, deadline.c). */
	struct {
		uint64_t step;       /* how many of its steps have begun */
		uint64_t late_by;    /* how long it could run and did not while time passed … */
		uint64_t late_index; /* … before which operation */
		uint32_t starved;    /* looks at which it could go and had not gone since the one before, */
		uint64_t starved_at; /* … with this operation */
		uint64_t endless_at; /* its operation when endless.c last looked at it */
		bool sure;           /* the last two of these looks found it in the same state, all of it */
		uint64_t whole_hash;
	} progress;

	/* Its last throw (terminate.c). */
	struct {
		void *object, *type;
		uint64_t pc, terminate_pc;
		uint32_t stack;
	} thrown;

	struct {
		bool requested, disabled, async;
	} cancel;

	/* Signals (signal.c): bit n - 1 for signal n. */
	struct {
		bool marked;
		bool struck;       /* a signal came for certain while it was in its wait */
		bool suspended;    /* in sigsuspend: what comes was blocked before */
		uint32_t handling; /* handlers that run */
		uint64_t mask, pending;
		uint64_t wanted;            /* by a sigwait that is under way */
		struct sl_signal *queue;    /* what is known about the pending ones, the oldest first */
		uint64_t stack, stack_size; /* its sigaltstack */
		int stack_flags;
		struct sl_ghost *ghost; /* the innermost of its waits that runs a handler */
	} signal;

	struct sl_omp *omp; /* its part in OpenMP (openmp.h) */

	/* What it is called. */
	struct {
		bool given;
		char name[SL_THREAD_NAME];      /* by pthread_setname_np, or sleave_thread_name */
		char inherited[SL_KERNEL_NAME]; /* its creator's, which pthread_getname_np shows until then */
	} called;

	/* Memory that goes on to the next execution's thread of the same number. */
	struct {
		struct sl_mark_frame *frames; /* call stack, by the compiler's callbacks */
		struct sl_look *look;
		struct sl_awaits *awaits;         /* as look, for step.h */
		struct sl_hold held[SL_HELD_MAX]; /* sl_thread_held() */
	} kept;
} __attribute__((aligned(SL_LINE)));

/* The locks that it holds; sl_lock_taken() and sl_lock_given() change the book. */
static inline struct sl_held_book
sl_thread_held(struct sl_thread *t)
{
	return (struct sl_held_book){t->kept.held, t->held_count, SL_HELD_MAX};
}

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
