/*
 * The engine runs inside the program under test and decides which of its threads runs.
 *
 * Under control one thread of the program runs at a time, so the engine needs no locks. A thread announces its
 * next operation and asks the scheduler (sched.c); the strategy chooses; the chosen thread performs its operation
 * and continues to its next announcement. The engine sees operations because it defines libc's functions under
 * their own names (interposition), and the compiler's callbacks (access.c, atomic.c).
 * The law of the engine: under control it uses no malloc, no stdio, no pthread call and no thread-local variable
 * of its own; it calls real functions only through `sl_real`, with sl_engine.control off. It writes records;
 * reports make the sentences.
 */
#ifndef SL_ENGINE_CORE_ENGINE_H
#define SL_ENGINE_CORE_ENGINE_H

#include "engine/upcall/access.h"
#include "engine/core/enabled.h"
#include "engine/upcall/listeners.h"
#include "engine/upcall/lock_order.h"
#include "engine/upcall/mark.h"
#include "engine/upcall/process_numbers.h"
#include "engine/core/race.h"
#include "engine/core/sched.h"
#include "engine/upcall/spin.h"
#include "engine/core/thread.h"
#include "engine/upcall/world.h"
#include "engine/interpose/libraries.h"
#include "engine/interpose/real.h"
#include "engine/under/own.h"
#include "search/arena.h"

struct sl_engine {
	bool control;   /* the program's code runs, under control; the first byte: entry.h */
	bool recording; /* … or is only recorded, on real threads (record.h); the second byte: entry.h */
	bool active;    /* an exploration is running (control is off while the engine itself works) */
	bool slow;      /* accesses take the slow path: every operation is a point, or hashed, or traced */
	bool every;     /* every operation is a point */
	bool stateful;  /* the search is stateful (state.h) */
	struct sl_listening listen; /* the listeners to every operation (listeners.h) */

	/* A schedule that the user wrote (plan.h). */
	struct {
		bool active;
		bool coded;             /* it names code of the program (code.h) */
		bool dropped;           /* this execution has left it */
		bool prelude, visiting; /* before, and in, the run of a section that is explored (prelude.h) */
	} plan;

	/* What the program has used in this execution. */
	struct {
		bool inheritance; /* a thread has waited for a futex with priority inheritance */
		bool annotations; /* a thread has said that its accesses do not race (dynamic_annotations.c) */
		bool mappings;    /* there may be new mappings; set beyond an execution (world.c) */
		bool timers;      /* it has set a timer */
	} uses;

	struct sl_arena *arena;
	struct sl_worker *worker;
	uint32_t worker_number;
	uint32_t sequence; /* the number of the execution, 31 bits */
	struct sl_thread *current;
	struct sl_thread *threads;   /* by id */
	struct sl_context *contexts; /* by id */
	uint32_t thread_count, alive_count;
	uint32_t unjoined; /* threads that were created and not joined */
	uint32_t spinning_count;

	struct sl_ready ready; /* the enabled threads (enabled.h) */

	uint64_t steps, choices;
	uint64_t operations; /* operations announced so far: synchronisation, atomics, points */
	uint64_t changes;    /* counts all changes that a spinning thread may wait for */
	uint64_t io_changes; /* changes of channels */

	/* The last plain write and the value before it, to find out whether it changed anything. */
	struct {
		uint64_t address, before; /* 0: none */
		uint32_t size;
		struct sl_thread *thread;
	} written;

	/* The number of preemptions: switches away from an enabled thread. */
	struct {
		uint32_t cost; /* of the last choice */
		uint32_t count;
		uint32_t given_way; /* the number of times that an enabled thread was made to wait */
	} preemptions;

	struct sl_pace progress; /* when engine/progress checks the execution (spin.h) */

	/* Virtual time, ns (time.c). */
	struct {
		uint64_t now;
		uint64_t base; /* the time at which this execution began */
		uint64_t base_next;
		uint64_t delayed; /* the longest time that an enabled thread did not run, if measured */
		uint32_t delayed_thread;
		bool timer_waits; /* a timer waits for another operation (timer.c) */
	} time;

	const struct sl_strategy *strategy;
	void *state;
	struct sl_step step; /* the running step, if steps are watched */

	/* The outcome of this execution. */
	struct {
		bool finding; /* it showed a finding, */
		bool passes;  /* … or passed one that is known already */
		bool cut;
		bool abandoned;
		bool ended;
		struct sl_finding found;
		int exit_status;
		uint64_t exit_pc;
		uint64_t exit_frame; /* the stack address above which the program's frames were when it ended */
		uint64_t left;       /* a checksum of the live blocks of the heap */
	} outcome;

	/* The code that each execution runs. */
	struct {
		void (*function)(void *);
		void *argument;
		bool in_place; /* the rest of a function instead of a function: it runs on the caller's stack */
		bool whole_program; /* sleave run: main is the body; else sleave_explore() */
	} body;

	/* This process. */
	struct {
		bool fsgsbase; /* the processor and the kernel support the instructions */
		bool booted;
		bool called;    /* the command has started this process, and owns the arena */
		int descriptor; /* the descriptor of the arena, if this process made it */
		uint64_t first_thread_fs;
	} process;
};

extern struct sl_engine sl_engine;
#define E sl_engine

extern bool sl_instrumented;         /* a compiler callback's initialiser was called */
extern bool sl_unaided;              /* … by a file that was compiled without src/plugin */
uint64_t sl_probe(uint64_t address); /* returns eight bytes, or as many as can be read, or 0 */
/* hidden.c: the arena exists now, and gets the environment variables that the program has read */
void sl_asked_move(void);
void sl_heap_reset(void);

#include "engine/core/finding.h"
#include "engine/core/note.h"

#endif
