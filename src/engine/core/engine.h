/*
 * The engine: lives in the program under test and decides which of its threads runs.
 *
 * Inside, one thread of the program runs at a time, so nothing here is locked. A thread announces its next operation and
 * asks the scheduler (sched.c); the strategy chooses; the chosen thread performs its operation and goes on to its next
 * announcement. Functions of the program that matter are defined here under their own names (interposition) and by the
 * compiler's callbacks (access.c, atomic.c).
 * Law of this folder: while in control no malloc, no stdio, no pthread call and no thread-local variable of our own; real
 * functions only through `sl_real`, with sl_engine.control off. Sentences are made elsewhere: the engine writes records.
 */
#ifndef SL_ENGINE_CORE_ENGINE_H
#define SL_ENGINE_CORE_ENGINE_H

#include "base/raw.h"
#include "engine/core/carrier.h"
#include "engine/core/clock.h"
#include "engine/interpose/entry.h"
#include "engine/under/layout.h"
#include "search/arena.h"

#include <dirent.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <threads.h>
#include <time.h>
#include <wchar.h>
#include <wordexp.h>

struct stat;
struct stat64;
struct timeb;
struct addrinfo;
struct aiocb;
struct hostent;

#define SL_EXPORT __attribute__((visibility("default")))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define SL_PC ((uint64_t)__builtin_return_address(0))

#define SL_THREADS_MAX 8000
#define SL_LINE 64     /* of the cache */
#define SL_HELD_MAX 32 /* locks of a thread that are remembered */
#define SL_NOWHERE UINT32_MAX

/* ---- objects: mutexes and their like, by address (object.c) ---- */

enum sl_object_kind {
	SL_OBJECT_NONE, /* not seen yet, or destroyed */
	SL_OBJECT_MUTEX,
	SL_OBJECT_RWLOCK,
	SL_OBJECT_SPIN,
	SL_OBJECT_COND,
	SL_OBJECT_BARRIER,
	SL_OBJECT_SEM,
	SL_OBJECT_ONCE,
	SL_OBJECT_ATOMIC,
	SL_OBJECT_THREAD,
	SL_OBJECT_CHANNEL,
	SL_OBJECT_KEY,
	SL_OBJECT_TEAM,  /* OpenMP: barrier, tasks, loops */
	SL_OBJECT_PLAN,  /* events of a schedule (plan.h) */
	SL_OBJECT_ORDER, /* what the program says itself puts in order */
};

struct sl_thread;

struct sl_object {
	uint64_t address;
	uint32_t kind;
	uint32_t first;    /* the thread that used it first: a second one makes it a point of choice */
	uint32_t sequence; /* of the execution */
	bool shared;
	bool fresh;      /* initialised by a thread that was not alone: life.c */
	bool made_anew;  /* … where another object of its kind was, or what can be used as one */
	bool assigned;           /* … by a plain write to its memory */
	struct sl_ghost *ghosts; /* waiters that run a signal handler (interrupt.c) */
	bool watched; /* somebody may look without blocking (trylock, time limits): releases matter too */
	struct sl_thread *waiters, *waiters_last; /* about to act on it, or blocked on it, in order of arrival */
	uint32_t published;                       /* how open it was when the waiters were last told (sched.c) */
	bool pending;                             /* they are to be told */
	struct sl_thread *owner;                  /* mutex, spin, rwlock (writer), once (who runs it) */
	uint32_t depth;      /* recursive mutex; once: 1 when done; rwlock: writers that wait */
	uint32_t readers;    /* rwlock */
	uint32_t mutex_kind; /* PTHREAD_MUTEX_… */
	bool robust;
	uint8_t health;                    /* of a robust mutex (mutex.c) */
	uint64_t used, used_pc;            /* epoch of its last use, and where that was (life.c) */
	uint64_t made, made_pc;            /* fresh: epoch of its initialisation, and where that was */
	uint64_t taken;                    /* who locked (or destroyed) it last, and where: misuse.h */
	uint64_t value;                    /* semaphore; barrier: how many are there; cond: how many wait */
	uint64_t limit;                    /* barrier: how many it takes */
	uint64_t round;                    /* barrier */
	struct sl_clock clock;             /* what a release left for the next acquire */
	struct sl_clock read_clock;        /* rwlock: what readers left for the next writer */
	struct sl_readers *loads, *stores; /* atomic: who accessed it last, for races with plain accesses */
};

struct sl_object *sl_object_get(const void *address, enum sl_object_kind kind);
struct sl_object *sl_object_peek(const void *address, enum sl_object_kind kind);
struct sl_object *sl_object_find(uint64_t address);
/* Of a mutex and its like, by a call at this place. */
static inline struct sl_object *
sl_object_use(const void *address, enum sl_object_kind kind, uint64_t pc)
{
	struct sl_object *o = sl_object_get(address, kind);

	o->used_pc = pc;
	return o;
}
/* The running thread destroys it, or frees its memory: if nothing puts the last use before that, both are points. */
void sl_object_ends(struct sl_object *object);
void sl_object_forget(struct sl_object *object);
void sl_objects_reset(void);
/* Calls the function for each object that the thread holds. */
void sl_objects_each(void (*function)(struct sl_object *, struct sl_thread *), struct sl_thread *owner);

/* ---- threads ---- */

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

/* ---- the whole ---- */

struct sl_engine {
	bool control;   /* the program's code runs and is in our hands */
	bool recording; /* … or is only listened to, on real threads (record.h); the second byte: entry.h */
	bool active;    /* an exploration is under way (control may be off: the engine itself is at work) */
	bool slow;      /* accesses take the long way: every operation is a point, or hashed, or traced */
	bool every;     /* every operation is a point */
	bool hashing;   /* operations go to sl_hash_op() */
	bool looping;   /* … and which loop it is is looked for (endless.c) */
	uint64_t loop;  /* … what was found; 0: nothing */
	bool inherits;  /* some thread has waited for a futex with priority inheritance */
	bool enabling;  /* … and what enables stuck threads is noted (trace/replay/enabler.h) */
	bool comparing; /* … all of them, to be compared with another execution */
	bool tracing;
	bool reeling;                /* items go to the command (lane.h) */
	uint8_t took;                /* what has come of an attempt, as the item for it says; 0: what was tried */
	bool covering, covering_all; /* … to a criterion (covering.h); accesses to memory, too */
	uint64_t text_low, text_size; /* instrumented code: operations from elsewhere are looked at (unseen.c) */
	bool ignoring;               /* some thread has said that its accesses do not race (dynamic_annotations.c) */
	bool probing;                /* livelock.c listens */
	bool watching;               /* the strategy wants to know what each step does (step.h) */
	bool stateful;               /* … searches through states (state.h) */
	bool planned;                /* a schedule that the user wrote counts (plan.h) */
	bool coded;                  /* … and names something of the program's code (code.h) */
	bool prelude, visiting;      /* before, and in, the run of a section that this is about (prelude.h) */
	bool in_place; /* the body is not a function, but the rest of one: it runs on the stack of its caller */
	bool whole_program; /* sleave run: main is the body; else sleave_explore() */
	bool maps; /* something in this execution may have made mappings */
	bool fsgsbase;
	bool booted;
	bool called;    /* by the command line: the arena is its */
	int descriptor; /* of the arena, if this process made it */
	struct sl_arena *arena;
	struct sl_worker *worker;
	uint32_t worker_number;
	struct sl_thread *current;
	struct sl_thread *threads;   /* by id */
	struct sl_context *contexts; /* by id */
	uint32_t thread_count, alive_count;
	uint32_t unjoined; /* threads that were created, and nobody has joined */
	/* operations that can go: [0, prompt) ordinary, [prompt, enabled) late */
	const struct sl_op **ops;
	uint32_t enabled, prompt;
	uint32_t *places;   /* by id: position in ops, or SL_NOWHERE */
	struct sl_kin *kin; /* by id */
	uint32_t *changed;  /* ids: who came, left or announced since the last choice of a thread */
	uint32_t changed_count;
	uint32_t noting; /* the number of that choice; never 0 */
#define SL_PENDING_MAX 64
	struct sl_object *pending[SL_PENDING_MAX]; /* objects that have changed since the last choice */
	uint32_t pending_count;
	uint64_t steps, choices;
	uint64_t operations;              /* announced: synchronisation, atomics, points */
	uint64_t changes;                 /* grows with everything that a spinning thread may wait for */
	uint64_t written, written_before; /* the last plain write, and what was there: did it change anything? */
	uint32_t written_size;
	struct sl_thread *writer;
	uint32_t cost; /* of the last choice */
	uint64_t step_limit;
	uint64_t look_at; /* the step at which livelock.c or deadline.c takes a look: the first of the two at the end */
	uint64_t shown_at, shown_items; /* endless.c: the step from which on, and the items of the schedule before it */
	uint64_t fair_at, fair_step; /* the choice, or the step, at which fair.c takes a look */
	uint32_t fair_window;        /* … and so many choices later again */
	uint32_t preemptions;
	uint32_t given_way; /* times that a thread which could go on was made to wait */
	uint64_t base_next;
	uint64_t base;     /* moment of the start of this execution */
	uint32_t sequence; /* of the execution, 31 bits */
	uint64_t now;      /* virtual, ns */
	uint64_t delayed;  /* the longest time for which a thread could run and did not, if that is looked at */
	uint32_t delayed_thread;
	uint64_t hash;
	uint32_t spinning_count;
	uint64_t io_changes; /* of channels */
	bool timed_by_timers; /* the execution has set one */
	bool timer_waits;    /* a timer waits for something to happen (timer.c) */
	const struct sl_strategy *strategy;
	void *state;
	struct sl_step step; /* under way, if it is watched */
	bool finding;        /* this execution showed one, */
	bool passes;         /* … or had one on its way that is known */
	bool cut;
	bool abandoned;
	bool dropped; /* it left the schedule that the user wrote */
	bool ended;
	struct sl_finding found;
	int exit_status;
	uint64_t exit_pc;
	uint64_t exit_frame; /* of the stack above which the program still was when it ended */
	uint64_t left;       /* a sum over the blocks of the heap that live */
	uint64_t first_thread_fs;
	void (*body)(void *);
	void *argument;
	/* not where each operation looks */
	uint64_t probe_at; /* the step at which livelock.c takes a look */
	uint64_t clock_at; /* … and deadline.c */
	uint64_t circle_at; /* … and circle.c; 0: it does not */
	bool late;         /* the time is over (deadline.c) */
	bool weighed;      /* deadline.c has taken a look at this execution */
};

extern struct sl_engine sl_engine;
#define E sl_engine

static inline void
sl_changed(bool changed)
{
	E.changes += changed;
	E.current->own_changes += changed;
}

/* Counts the last plain write of the running thread, if it has changed anything. Before E.changes is looked at. */
void sl_settle_now(void);

static inline void
sl_settle(void)
{
	if (E.written)
		sl_settle_now();
}

/* Is every operation a point? Not while a thread runs on behalf of another: how far it runs must not depend on
 * how closely the schedule is followed. */
static inline bool
sl_everywhere(void)
{
	return E.every && !E.current->returns_to;
}

/* ---- real functions, resolved once (boot.c) ---- */

struct sl_real {
#define SL_REAL(type, name, args) type(*name) args;
#include "engine/interpose/real.inc"
#undef SL_REAL
};
extern struct sl_real sl_real;
uint64_t sl_main_place(void); /* the first line of main, as a place; 0: not known */

/* ---- the scheduler (sched.c) ---- */

/* Announce an operation of the running thread. Then, for one that can't block, sl_point(); for one that can,
 * sl_await() with the object whose state decides (see enabled() in sched.c). Afterwards: perform. */
void sl_announce(enum sl_op_kind kind, uint64_t object, uint64_t pc);
void sl_point(void);
void sl_point_of_access(void);
void sl_turn(void);
void sl_await(struct sl_object *object);
void sl_await_once(struct sl_object *object, bool shared);
void sl_point_unless_alone(struct sl_object *object); /* a point if the object is shared */
void sl_point_of_release(struct sl_object *object);   /* a point if somebody may look without blocking */
void sl_no_point(void);                               /* not a point: its order can't matter */
void sl_block(void);                                  /* see sched.c */
void sl_sleep_on(struct sl_object *object);
void sl_object_changed(struct sl_object *object); /* recompute who of its waiters can go */
void sl_thread_enable(struct sl_thread *thread, bool enabled);
void sl_advance(struct sl_thread *thread);
void sl_succeed(struct sl_thread *joiner);
void sl_switch_away(void); /* the running thread can't go on, or has ended */
unsigned sl_ask(enum sl_choice_kind kind, unsigned count, const struct sl_op *const *ops);
void sl_sched_reset(void);
struct sl_thread *sl_thread_new(void);
struct sl_clocks *sl_thread_clocks(struct sl_thread *thread); /* made when first asked for */
void sl_waiter_add(struct sl_object *object, struct sl_thread *thread);
void sl_waiter_remove(struct sl_thread *thread);

/* ---- interruptions: cancellation (cancel.c), signals ---- */

/*
 * A cancellation point that can't block begins with sl_cancel_point(pc), before it does or announces anything; it
 * does not return if the thread is cancelled there.
 *
 * A function that may block, and whose wait a cancellation or a signal's handler ends, says so before it waits:
 *
 *	sl_announce(SL_SEM_WAIT, (uint64_t)s, pc);
 *	sl_interruptible(SL_BY_CANCEL | SL_BY_SIGNAL);
 *	sl_await(o);                                     or sl_block() in a loop, see pthread_join
 *	if (t->interrupted)
 *		return sl_interrupted();
 *
 * It holds for one wait. When it was interrupted, nothing has been performed, the thread is no waiter any more, and
 * handlers have run. sl_interrupted() does not return if it was a cancellation; else it sets errno to EINTR and
 * returns -1. Whoever must put something right before (a condition variable takes its mutex again) does so before
 * that call. Waits that say nothing (a mutex) are resumed after a handler. SL_BY_SIGNAL is for calls that SA_RESTART
 * does not resume (sleep, poll, select, epoll_wait, …), SL_BY_SIGNAL_RESTART for those that it does (sem_wait, read,
 * accept, …).
 */
enum { SL_BY_CANCEL = 1, SL_BY_SIGNAL = 2, SL_BY_SIGNAL_RESTART = 4 };

void sl_cancel_point(uint64_t pc);
void sl_interruptible(unsigned by);
int sl_interrupted(void);

/* For the scheduler and those who wait without an object: */
void sl_urge(struct sl_thread *thread); /* something may have come for it: is it urgent? */
bool sl_serve(void); /* the running thread is urgent: true if its wait is over, false if it goes on waiting */
void sl_serve_asleep(struct sl_object *object, unsigned asleep);
bool sl_cancel_due(const struct sl_thread *thread);
_Noreturn void sl_cancel_act(void);
void sl_cancel_last(void);      /* the running thread is about to end */
_Noreturn void sl_unwind(void); /* the running thread ends: handlers and destructors run */
void sl_cond_wake(struct sl_thread *waiter);
void sl_cond_signal(struct sl_object *condition, bool noted); /* wakes any one of those who wait */
void sl_expose(struct sl_thread *thread);                     /* finds out whether all its operations are points */
bool sl_signals_due(const struct sl_thread *thread);
bool sl_signals_handle(void); /* the running thread's; true: by handlers that want calls to be resumed */
void sl_signals_begin(struct sl_thread *thread);
void sl_signals_reset(void);
void sl_signals_jump(const struct __jmp_buf_tag *buffer);
bool sl_signals_catch(int signal, siginfo_t *info, void *context); /* a fault: has the program a handler? */
/* ppoll and its like: another mask while they wait; NULL: none. Swap returns what back needs. */
uint64_t sl_signals_swap(const sigset_t *mask);
void sl_signals_back(const sigset_t *mask, uint64_t before);
void sl_abort(uint64_t pc);            /* runs a handler of SIGABRT, if there is one */
void sl_ghosts_leave(uintptr_t stack); /* of the running thread, below this address */

/* What others may do to a thread is kept, for marks, at addresses in its descriptor. */
enum sl_word { SL_WORD_CANCEL, SL_WORD_END, SL_WORD_SIGNAL, SL_WORD_PROCESS };
uint64_t sl_thread_word(const struct sl_thread *thread, enum sl_word word);
void sl_timers_progress(void);
/* Around the choice of a thread, if there are timers: their moments come in order. */
void sl_timers_ahead(void);
bool sl_comes_after(const struct sl_thread *thread, uint64_t moment);
bool sl_timers_stuck(void);
void sl_timers_behind(void);
void sl_timers_overdue(void);
uint64_t sl_timer_deadly(const struct sl_thread *thread, int *signal);
void sl_thread_make(void *(*start)(void *), void *argument, uint64_t pc); /* one of the engine's own */
bool sl_is_clock(clockid_t clock);
struct sl_thread *sl_thread_of(pthread_t handle); /* NULL: there is none, or not of this execution */

/* ---- numbers of processes and threads (process.c): above the highest that the kernel can give ---- */

#define SL_FIRST_TID 5000000u   /* the process, and its first thread */
#define SL_FIRST_CHILD 6000000  /* the first process that the program starts */
#define SL_FIRST_DESCENDANT 7000000 /* the first that such a one has started, and that sends a signal */
#define SL_PARENT 4900000       /* `sleave`, which has started the program */
#define SL_PROC_ROOM 256        /* bytes for a path in /proc */
#define SL_NO_PROCESS_CALL 4096 /* no answer of the kernel's to any of these */
void sl_process_boot(void);
void sl_process_called(void);          /* `sleave` has started this process */
void sl_process_explores(bool begins); /* or ends */
void sl_process_forked(pid_t number);  /* in a child; 0: it has the kernel's number */
pid_t sl_process_number(void);         /* what getpid() says */
pid_t sl_process_of(pid_t number);     /* the kernel's number for one of ours; any other number as it is */
pid_t sl_process_name(pid_t known);    /* our number for one of the kernel's */
uint32_t sl_thread_number(const struct sl_thread *thread);  /* what gettid() says */
struct sl_thread *sl_thread_numbered(pid_t number);         /* NULL: there is none */
void sl_proc_refuse(const char *path, uint64_t pc);         /* a folder of the kernel's threads (proc.c); in control */
int sl_proc_open(const char *path, int flags,
		 uint64_t pc);                          /* a copy that tells of our threads, or -1; in control */
const char *sl_proc_path(const char *path, char *room);     /* with the kernel's number in it */
long sl_process_call(long number, const long arguments[6], uint64_t pc); /* a raw system call, or SL_NO_PROCESS_CALL: it is about no process */

/* A waiter of a condition variable or barrier that runs a signal handler meanwhile. */
struct sl_ghost {
	struct sl_op op;
	struct sl_object *object; /* NULL: it was woken, or is none */
	struct sl_ghost *next;    /* of the object */
	struct sl_ghost *outer;   /* of the thread */
};

/* ---- lock orders (lock_order.c) ---- */

void sl_lock_taken(struct sl_object *object, bool read); /* by the running thread */
void sl_lock_given(struct sl_object *object, struct sl_thread *holder);
/* A creation or a join: what `from` did comes before what `to` does. */
void sl_order_event(uint32_t from, uint32_t to);
void sl_order_confirm(void); /* there is a deadlock */

/* ---- threads that wait for each other for ever, while others go on (circle.c) ---- */

bool sl_circle_has(const struct sl_thread *thread);
bool sl_circle_is(void); /* does any thread wait so? */
void sl_circle_closes(const struct sl_thread *thread); /* it has come to wait: a look is taken some operations later */
void sl_circle_look(void); /* a finding, if there is one */

/* ---- world (world.c) ---- */

void sl_world_padding(uintptr_t low, uintptr_t high); /* memory that only takes room */
void sl_world_save(void);
void sl_world_restore(void);
bool sl_world_is_libc(uint64_t pc);   /* or the dynamic linker */
bool sl_world_has_strays(void);
void sl_world_rewind(void);
void sl_world_each(void (*function)(uint64_t low, uint64_t high)); /* of the program's data */
void sl_reach(uint32_t n);                                         /* reach.c: the n-th kind of end */
bool sl_reach_again(struct sl_finding *found); /* the leak that is traced: was anything lost? */
void sl_world_adopt_begin(void);               /* around a change that must survive restoring */
void sl_world_adopt_end(void);

/* ---- libraries (libraries.c) ---- */

void sl_libraries_note(void);       /* those that were there at the start: places have names */
bool sl_libraries_had(uint64_t pc); /* is it code of one of these? */
bool sl_libraries_is_instrumented(uint64_t pc);
void sl_libraries_note_more(void);  /* and those that an execution loaded … */
void sl_libraries_unload(void);     /* … which go with it */
uint64_t sl_place_hash(uint64_t pc);

/* ---- executions and findings (loop.c, finding.c) ---- */

bool sl_arena_map(const char *path);
void sl_sysv_reset(void); /* sysv.c: what the execution has made of these goes with it */
void sl_descriptors_fill(void); /* 0 to 2, those that are missing: /dev/null */
void sl_arena_lost(void);
void sl_explore(void (*body)(void *), void *argument);
void sl_canary(void *unused); /* canary.c: a program with a race and a deadlock */
_Noreturn void sl_execution_end(void);
_Noreturn void sl_found(enum sl_finding_kind kind, int status, uint64_t object, uint64_t pc, const char *message);
void sl_found_race(const struct sl_culprit *now, const struct sl_culprit *before, uint64_t address);
/* A race that another finding may show better: told at the end of the search, if none has. */
void sl_found_race_late(const struct sl_culprit *now, const struct sl_culprit *before, uint64_t address);
_Noreturn void sl_found_this(const struct sl_finding *finding); /* all of it is known already */
bool sl_is_terminating(uint64_t pc);            /* is this abort(), called there, the end of std::terminate()? */
_Noreturn void sl_terminated(void);             /* abort() by std::terminate() */
unsigned sl_exceptions(void);                   /* of the running thread, that nobody has caught yet */
_Noreturn void sl_found_exception(uint64_t pc); /* it has left what is explored */
/* An error that need not end the program: comes back if it is a warning, or not the one that is replayed. */
void sl_found_error(const struct sl_finding *finding, uint32_t how);
void sl_warn(const struct sl_finding *finding); /* once; the execution goes on */
/* Is this what is minimised, or traced? A race and a use after free of the same two places have one signature: what was
 * found first is told, and not the other. */
static inline bool
sl_is_subject(const struct sl_finding *finding)
{
	const struct sl_finding *subject = &E.arena->cases[E.worker->subject].finding;

	return subject->signature == finding->signature && subject->kind == finding->kind;
}
void sl_culprit_fill(struct sl_culprit *culprit, uint64_t pc); /* with what the running thread does */
_Noreturn void sl_trouble(enum sl_trouble trouble, uint64_t pc, const char *detail);
void sl_escaped(const char *name, uint64_t pc);
_Noreturn void sl_bug(const char *file, int line, const char *what);
#define sl_check(condition) ((condition) ? (void)0 : sl_bug(__FILE__, __LINE__, #condition))

/* ---- happens-before and races (race.c) ---- */
void sl_race_access(uint64_t address, size_t size, unsigned flags, uint64_t pc);
void sl_race_atomic(struct sl_object *object, size_t size, unsigned flags, uint64_t pc);
void sl_race_forget(uint64_t address, size_t size); /* the memory is new */
bool sl_ordered(uint64_t epoch);                    /* before what the running thread does now */
/* marks (mark.c): where operations are points of choice */
bool sl_marked(uint64_t address);
bool sl_marked_bytes(uint64_t granule, uint8_t bytes);
bool sl_marked_range(uint64_t address, size_t size);
bool sl_watched(uint64_t address);
void sl_mark(uint64_t address);
void sl_mark_bytes(uint64_t granule, uint8_t bytes);
void sl_watch(uint64_t address);
void sl_mark_made(uint64_t address);   /* initialising the object, and each use of it, is a point */
bool sl_made_marked(uint64_t address); /* … in this execution */
void sl_marks_apply(uint64_t count); /* exactly so many of the marks count in this execution */
void sl_marks_forget(void);
void sl_race_reset(void);
void sl_acquire(struct sl_object *object);
void sl_release(struct sl_object *object);
void sl_release_join(struct sl_object *object);
void sl_learn(const struct sl_clock *clock);
void sl_show(struct sl_clock *clock); /* adds what the running thread knows */
void sl_tick(void);

/* ---- accesses (access.c), memory (heap.c), trace (recorder.c) ---- */
void sl_access(uint64_t address, size_t size, unsigned flags, uint64_t pc);
void sl_access_range(const void *address, size_t size, unsigned flags, uint64_t pc);
/* What the kernel is offered: an operation, on as much as can be read. What it takes of that is known after the call, and then
 * checked for races (sl_io_done()). */
void sl_access_offer(const void *address, size_t size, unsigned flags, uint64_t pc);
/*
 * What libc or the kernel is about to write, as far as that can be known: the point of choice, if there is one. How much
 * it has written is known after the call: that is the operation, and checked for races.
 */
void sl_access_intend(const void *address, size_t size, uint64_t pc);
void sl_access_done(const void *address, size_t size, uint64_t pc);
void sl_record(uint64_t value);
void sl_recorder_environment(char *const *environment); /* as the kernel has laid it out */
void sl_recorder_begin(struct sl_case *into);
void sl_recorder_end(void);
/* said.c: an execution begins, and if `kept` what it writes to the standard streams is to be had at its end */
void sl_said_begin(bool kept);
void sl_said_end(struct sl_said *said);
struct sl_setting *sl_recorder_setting(void); /* of what is recorded, from here on; NULL: nothing is */
void sl_recorder_find(struct sl_culprit *culprit, uint64_t address); /* which operation was it? */
uint32_t sl_recorder_stack(uint32_t parent, uint64_t pc);
void sl_hash_op(uint64_t value);
void sl_enabling_begin(struct sl_enablers *enablers);
void sl_enabling_end(void);
void sl_notes_begin(void); /* around an execution that is hashed */
void sl_notes_end(void);

bool sl_memory_map(void); /* before anything else; false: the system does not give so much address space */
void *sl_private_alloc(size_t size); /* zeroed, persistent, never freed */
void *sl_scratch_alloc(size_t size); /* zeroed; gone with the execution */
void sl_scratch_reset(void);
void sl_heap_reset(void);

/* ---- threads of the program (thread.c), time (time.c), ends (exit.c) ---- */

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

extern bool sl_instrumented;                           /* a compiler callback's initialiser was called */
extern bool sl_unaided;                                /* by a file that was compiled without src/plugin */
uint64_t sl_probe(uint64_t address);                   /* eight bytes there, or as many as can be read, or 0 */
void *sl_memcpy(void *to, const void *from, size_t n); /* memory helpers that are not interposed */
void *sl_memset(void *to, int byte, size_t n);
void *sl_memmove(void *to, const void *from, size_t n);
void sl_asked_move(void); /* hidden.c: the arena is there, and gets what was asked of the environment before */
size_t sl_strlen(const char *s);

#endif
