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

#include "engine/core/access.h"
#include "engine/core/listeners.h"
#include "engine/core/lock_order.h"
#include "engine/core/mark.h"
#include "engine/core/process_numbers.h"
#include "engine/core/race.h"
#include "engine/core/sched.h"
#include "engine/core/thread.h"
#include "engine/core/world.h"
#include "engine/interpose/libraries.h"
#include "engine/interpose/real.h"
#include "engine/under/own.h"
#include "search/arena.h"

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

extern bool sl_instrumented;                           /* a compiler callback's initialiser was called */
extern bool sl_unaided;                                /* by a file that was compiled without src/plugin */
uint64_t sl_probe(uint64_t address);                   /* eight bytes there, or as many as can be read, or 0 */
void sl_asked_move(void); /* hidden.c: the arena is there, and gets what was asked of the environment before */
void sl_heap_reset(void);

#include "engine/core/finding.h"
#include "engine/core/note.h"

#endif
