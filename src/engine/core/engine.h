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
#include "engine/core/enabled.h"
#include "engine/core/listeners.h"
#include "engine/core/lock_order.h"
#include "engine/core/mark.h"
#include "engine/core/process_numbers.h"
#include "engine/core/race.h"
#include "engine/core/sched.h"
#include "engine/core/spin.h"
#include "engine/core/thread.h"
#include "engine/core/world.h"
#include "engine/interpose/libraries.h"
#include "engine/interpose/real.h"
#include "engine/under/own.h"
#include "search/arena.h"

struct sl_engine {
	bool control;   /* the program's code runs, under control; the first byte: entry.h */
	bool recording; /* … or is only recorded, on real threads (record.h); the second byte: entry.h */
	bool active;    /* an exploration is under way (control may be off: the engine itself is at work) */
	bool slow;      /* accesses take the long way: every operation is a point, or hashed, or traced */
	bool every;     /* every operation is a point */
	bool stateful;  /* the search is one through states (state.h) */
	struct sl_listening listen; /* what looks at every operation (listeners.h) */

	/* A schedule that the user wrote (plan.h). */
	struct {
		bool active;
		bool coded;             /* it names something of the program's code (code.h) */
		bool dropped;           /* this execution left it */
		bool prelude, visiting; /* before, and in, the run of a section that is explored (prelude.h) */
	} plan;

	/* What the program has used in this execution. */
	struct {
		bool inheritance; /* a thread has waited for a futex with priority inheritance */
		bool annotations; /* a thread has said that its accesses do not race (dynamic_annotations.c) */
		bool mappings;    /* something may have made mappings; outlives an execution (world.c) */
		bool timers;      /* it has set a timer */
	} uses;

	struct sl_arena *arena;
	struct sl_worker *worker;
	uint32_t worker_number;
	uint32_t sequence; /* of the execution, 31 bits */
	struct sl_thread *current;
	struct sl_thread *threads;   /* by id */
	struct sl_context *contexts; /* by id */
	uint32_t thread_count, alive_count;
	uint32_t unjoined; /* threads that were created, and that no thread has joined */
	uint32_t spinning_count;

	struct sl_ready ready; /* the threads that can go on (enabled.h) */

	uint64_t steps, choices;
	uint64_t operations; /* announced: synchronisation, atomics, points */
	uint64_t changes;    /* grows with everything that a spinning thread may wait for */
	uint64_t io_changes; /* of channels */

	/* The last plain write, and what was there: did it change anything? */
	struct {
		uint64_t address, before; /* 0: none */
		uint32_t size;
		struct sl_thread *thread;
	} written;

	/* How often the processor changed hands although a thread could have gone on. */
	struct {
		uint32_t cost; /* of the last choice */
		uint32_t count;
		uint32_t given_way; /* times that a thread which could go on was made to wait */
	} preemptions;

	struct sl_pace progress; /* when engine/progress looks at the execution (spin.h) */

	/* Virtual time, ns (time.c). */
	struct {
		uint64_t now;
		uint64_t base; /* the moment at which this execution began */
		uint64_t base_next;
		uint64_t
			delayed; /* the longest time for which a thread could run and did not, if that is looked at */
		uint32_t delayed_thread;
		bool timer_waits; /* a timer waits for something to happen (timer.c) */
	} time;

	const struct sl_strategy *strategy;
	void *state;
	struct sl_step step; /* under way, if it is watched */

	/* What this execution came to. */
	struct {
		bool finding; /* it showed a finding, */
		bool passes;  /* … or had one on its way that is known */
		bool cut;
		bool abandoned;
		bool ended;
		struct sl_finding found;
		int exit_status;
		uint64_t exit_pc;
		uint64_t exit_frame; /* of the stack above which the program still was when it ended */
		uint64_t left;       /* a sum over the blocks of the heap that live */
	} outcome;

	/* What each execution runs. */
	struct {
		void (*function)(void *);
		void *argument;
		bool in_place;      /* it is not a function, but the rest of one: it runs on its caller's stack */
		bool whole_program; /* sleave run: main is the body; else sleave_explore() */
	} body;

	/* This process. */
	struct {
		bool fsgsbase; /* the processor has the instructions, and the kernel allows them */
		bool booted;
		bool called;    /* by the command line: the arena is its */
		int descriptor; /* of the arena, if this process made it */
		uint64_t first_thread_fs;
	} process;
};

extern struct sl_engine sl_engine;
#define E sl_engine

extern bool sl_instrumented;         /* a compiler callback's initialiser was called */
extern bool sl_unaided;              /* by a file that was compiled without src/plugin */
uint64_t sl_probe(uint64_t address); /* eight bytes there, or as many as can be read, or 0 */
void sl_asked_move(void); /* hidden.c: the arena is there, and gets what was asked of the environment before */
void sl_heap_reset(void);

#include "engine/core/finding.h"
#include "engine/core/note.h"

#endif
