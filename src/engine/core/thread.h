/*
 * Threads of the program: their records (roster.c), how they begin and end (engine/model/sync/thread.c), and how
 * an execution ends (engine/run/exit.c).
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

#define SL_HELD_MAX 32 /* locks of a thread that are stored */

struct sl_mark_frame {
	uint64_t pc, at; /* the place of the call, and of the function's beginning */
	uint64_t frame;
	uint32_t stack;
	uint32_t impact; /* SL_IMPACT_… of the call's place, and of the frames above (impact.h) */
};

/* Of threads that use fences or barriers. */
struct sl_clocks {
	struct sl_clock fence_release, fence_acquire, barrier;
};

/*
 * Members that every operation uses come first, on as few cache lines as possible; rare or large data is
 * elsewhere: with a thousand threads, each switch uses lines and pages that were last used a thousand switches
 * ago. Each part of the engine that stores something about a thread has a struct in it, named after that part.
 */
/* For a listener: a write that was announced and may not have been performed yet. */
struct sl_unwritten {
	uint64_t address, size, index;
	uint64_t before; /* what was there */
	uint32_t thread;
	bool read; /* what is written was announced as read after it */
};

struct sl_thread {
	struct sl_op op; /* the announced operation */
	uint32_t id;
	uint32_t noted;         /* E.ready.noting, if it is in E.ready.changed */
	bool alive;             /* created and not ended */
	bool failed_spuriously; /* its last weak compare-and-swap did */
	uint8_t ignores; /* SL_OP_READS, SL_OP_WRITES: accesses that are not checked for races (dynamic_annotations.c) */

	/* About its next choice. */
	struct {
		bool unchosen;   /* it runs without having been chosen: switching away from it costs nothing */
		bool skip_point; /* it was chosen for a silent operation, and passes its next point */
		bool gives_way;  /* it lets other threads run first */
	} turn;

	/* Its interruptions (sched.h). */
	struct {
		bool urgent;           /* an interruption is pending, to be handled before its operation */
		uint8_t interruptible; /* SL_BY_…: the interruptions that end its current wait */
		uint8_t interrupted;   /* SL_BY_…: the interruption that has ended it */
		bool exposed;          /* all its operations are points: it may be interrupted at any time */
		bool cancel_marked;    /* another thread may cancel it: its cancellation points are points */
	} interruption;

	/* Fences that order its next operations. */
	struct {
		bool release, acquire;
	} fenced;

	/* About its wait. */
	struct {
		bool expired;                      /* it was chosen because its time limit has expired */
		bool timed;                        /* the wait has a time limit */
		bool tries;                        /* the operation only tries, although its kind waits */
		bool arrived;                      /* the operation is announced again, to wait */
		struct sl_object *object;          /* the object for which it waits */
		struct sl_thread *next, *previous; /* among the waiters of object */
	} waits;

	struct sl_thread *returns_to; /* the thread that this one returns to at its next announcement */
	uint64_t epoch;               /* its tick and id, as in the shadow */
	uint32_t tick;                /* its own time in its clock */
	uint32_t shown;               /* its tick when it last published its clock; 0: its clock has grown since */

	/* Detection of spinning (spin.h). Each access decrements the budget. */
	struct {
		uint32_t budget;       /* accesses until the next check */
		uint32_t stretches;    /* checks since the last switch to it */
		uint32_t watching;     /* remaining checks */
		bool relaxed;          /* its loop declares that repeated looks are one look */
		bool spinning;         /* it repeats its state, and waits until another thread changes something */
		uint64_t atomic;       /* the address of its last atomic access */
		uint64_t own_changes;  /* its own part of E.changes */
		uint64_t changes;      /* other threads' changes when it began to look … */
		uint32_t count;        /* the number of looks since */
		uint64_t lock_changes; /* E.changes when it last took a lock */
	} looks;

	uint32_t slot;       /* its carrier */
	uint32_t locks_held; /* the holder of a lock must not give way */
	uint32_t held_count;

	struct {
		uint32_t depth, beyond; /* stored frames, and deeper frames that are only counted */
		uint64_t low, size;
		uintptr_t lowest; /* the lowest stack pointer seen */
	} stack;

	struct sl_clock clock;

	/* Members from here on are seldom used. */
	bool idle;                /* an agent that is not needed now, or an OpenMP worker without work */
	struct sl_clocks *clocks; /* NULL: not needed yet */

	/* Memory that a call may write, and its old contents (access.c). */
	struct {
		uint64_t address, size, hash;
	} intended;

	/* What it waits for, besides the object. */
	struct {
		uint64_t deadline;           /* virtual time */
		bool woken;                  /* woken from a futex, and not by its time limit */
		uint32_t futex_bits;         /* the mask by which it may be woken */
		struct sl_object *relock;    /* condition variable: the mutex to take again */
		struct sl_object *condition; /* … which has woken it, until it has the mutex */
		struct sl_thread *joins;     /* JOIN: the thread that it joins */
	} awaited;

	/* How it was created. */
	struct {
		uint32_t parent, ordinal, children;
		bool agent; /* a thread of the engine that stands for a timer, or for the end of a process */
		void *(*start)(void *);
		void *argument;
		uint64_t address; /* the address of its start function */
		uint64_t pc;      /* the place of the call that created it */
		size_t guard;     /* the requested size, for pthread_getattr_np() */
	} born;

	/* How it ends: the joining thread, and the keys, thread_local destructors and cleanup handlers. */
	struct {
		bool detached, joined;
		bool exiting; /* it unwinds, or runs destructors, and can't be cancelled any more */
		struct sl_thread *joiner;
		uint64_t released; /* the thread and place of its join or detach (misuse.h) */
		void *result;
		/* the place where pthread_exit() was called or cancellation acted, since unwinding makes further calls; or 0 */
		uint64_t pc;
		struct sl_dtor *dtors;
		uint64_t key_used; /* its epoch when it last used a key; 0: never */
		void *cleanups;    /* a __pthread_unwind_buf_t */
		void *unwinding;
	} ends;

	/* It is blocked in input or output. */
	struct {
		const struct pollfd *polled; /* it waits until one of these is ready */
		uint32_t count;
		uint64_t tried;             /* E.io_changes when the call was last tried and would have blocked */
		bool (*test)(const void *); /* if set, this decides instead */
		const void *argument;
	} io;

	/* Counters for names and random numbers that do not depend on other threads. */
	struct {
		uint64_t randoms;
		uint32_t channels;
		struct sl_heap *heap; /* its part of the heap (heap.c) */
	} made;

	/* Its state when it last examined something (spin.h). */
	struct {
		uint64_t pc, seen;
		uint64_t went_round; /* 1 + E.changes when it was last allowed another round */
		uint64_t changes;    /* E.changes when it gave way */
		uint32_t others;
		uint32_t last_looks; /* rounds when no other thread was enabled */
	} spin;

	/* Its registers. */
	struct {
		struct sl_entry entry;   /* when it announced its operation (livelock.c) */
		struct sl_entry resting; /* when it entered the scheduler, in a stateful search (state.h) */
		bool known;              /* entry is valid */
	} registers;
	uint64_t extent; /* the size of an access to a range, in bytes */
	struct sl_unwritten unwritten;

	/* Its progress (fair.c, endless.c, deadline.c). */
	struct {
		uint64_t step;       /* the number of its steps so far */
		uint64_t late_by;    /* the longest time for which it was enabled and did not run … */
		uint64_t late_index; /* … and the operation before which that was */
		uint32_t starved;    /* consecutive checks at which it was enabled and had not run */
		uint64_t starved_at; /* … before this operation */
		uint64_t endless_at; /* its operation at the last check by endless.c */
		bool sure;           /* at the last two of these checks its whole state was the same */
		uint64_t whole_hash;
	} progress;

	/* Its last thrown exception (terminate.c). */
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
		bool struck;       /* a signal certainly arrived during its wait */
		bool suspended;    /* it is in sigsuspend(), before which these signals were blocked */
		uint32_t handling; /* the number of running handlers */
		uint64_t mask, pending;
		uint64_t wanted;            /* the signals for which a sigwait() waits */
		struct sl_signal *queue;    /* the pending signals with their information, the oldest first */
		uint64_t stack, stack_size; /* its alternate signal stack */
		int stack_flags;
		struct sl_ghost *ghost; /* the innermost of its waits in which a handler runs */
	} signal;

	struct sl_omp *omp; /* its part in OpenMP (openmp.h) */

	/* Its name. */
	struct {
		bool given;
		char name[SL_THREAD_NAME];      /* given by pthread_setname_np() or sleave_thread_name() */
		char inherited[SL_KERNEL_NAME]; /* its creator's, which pthread_getname_np() returns until then */
	} called;

	/* Memory that the thread of the same number in the next execution inherits. */
	struct {
		struct sl_mark_frame *frames; /* the call stack, from the compiler's callbacks */
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

/* Stands for a waiter of a condition variable or barrier that runs a signal handler. */
struct sl_ghost {
	struct sl_op op;
	struct sl_object *object; /* NULL: the waiter was woken, or is none */
	struct sl_ghost *next;    /* the next ghost of the object */
	struct sl_ghost *outer;   /* the outer ghost of the thread */
};

_Noreturn void sl_thread_main(void);
void sl_thread_entry(void) __attribute__((
	visibility("hidden"))); /* the first function on a carrier's stack, which calls sl_thread_main() */
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
/* the running thread ends: one round of destructors; returns whether any was called */
bool sl_key_destructors(void);

/*
 * Names the calling thread outside of control; its name when an exploration begins becomes that of the first
 * thread.
 */
void sl_thread_is_called(const char *name);
const char *sl_thread_called(void); /* NULL: it has none */

#endif
