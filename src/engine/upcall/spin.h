/*
 * Loops that wait. If a thread comes to the same place in the same state, and nothing has changed in between, it
 * will repeat this for ever: it gives way until something changes. The state is its registers and the near part of
 * its stack; everything else is memory, to which writes are seen.
 */
#ifndef SL_ENGINE_UPCALL_SPIN_H
#define SL_ENGINE_UPCALL_SPIN_H

#include "engine/interpose/entry.h"

#include <stdbool.h>
#include <stdint.h>

#define SL_SPIN_STRETCH 2048 /* accesses between two checks */
#define SL_LOOK_WORDS 480    /* words of the stack that are copied; deeper ones are hashed */
#define SL_LOOKS 200         /* visits without a change by other threads after which the thread gives way */
#define SL_FRAMES_DEEP 4096

/* When engine/progress checks whether an execution makes progress. */
struct sl_pace {
	uint64_t step_limit;
	uint64_t look_at;               /* the step of the next check by livelock.c, deadline.c or circle.c */
	uint64_t probe_at;              /* … by livelock.c */
	uint64_t clock_at;              /* … by deadline.c */
	uint64_t circle_at;             /* … by circle.c; 0: none */
	uint64_t fair_at, fair_step;    /* the choice, or the step, of the next check by fair.c */
	uint32_t fair_window;           /* choices between its checks */
	uint64_t shown_at, shown_items; /* endless.c: the first step to show, and the schedule's items before it */
	uint64_t loop;                  /* endless.c: the loop that was found; 0: none */
	bool late;                      /* the time limit was reached (deadline.c) */
	bool weighed;                   /* deadline.c has measured this execution */
};

/* The state of a thread when it examined something. */
struct sl_look {
	struct sl_entry entry;
	uint64_t deep; /* hash of the stack beyond the words; 0: unknown */
	uint64_t words[SL_LOOK_WORDS];
};

#define SL_AWAITS 10 /* places of one loop that are remembered */

/* The same, for a strategy that needs the steps without effect of a waiting loop. */
struct sl_await {
	uint32_t sequence; /* the number of the execution */
	uint64_t pc;
	uint64_t step;    /* the last completed step at that time (step.h) */
	uint64_t changes; /* the thread's own changes */
};

struct sl_awaits {
	struct sl_await at[SL_AWAITS]; /* contiguous, since all are searched */
	struct sl_look looks[SL_AWAITS];
};

/* Takes the running thread's state from sl_entry. */
void sl_look_take(struct sl_look *look);
/* Returns whether the thread's state is the same; if not, stores the new one. */
bool sl_look_renew(struct sl_look *look);

/* The thread is about to take a free lock: it may be in a loop that examines something under the lock. */
void sl_spin_lock(uint64_t pc);
/* The thread is about to examine something (a read, a failed attempt, a yield) at pc. May give way. */
void sl_spin_visit(uint64_t pc);
/*
 * The same for an operation that always changes something: only the number of visits counts. Returns whether the
 * thread has given way.
 */
bool sl_spin_count(void);
void sl_spin_block(void);
void sl_give_way(void);
void sl_stretch(uint64_t pc);

/*
 * Starvation (fair.c). sl_fair_look() returns the index plus one of the thread that must run next; 0: the choice
 * is free.
 */
void sl_fair_reset(void);
/* The running thread has run for long without a choice, or gives way while no other thread is enabled. Returns
 * true if all its operations are points from here on. */
bool sl_fair_expose(void);
unsigned sl_fair_look(void);

/* Executions that do not end (endless.c). */
void sl_endless_reset(void);
void sl_endless_note(void); /* called from time to time: notes the progress of the execution */
/* the limit of operations is reached; returns if the execution must perform some more, to show its loop */
void sl_endless_stop(void);
void sl_endless_operation(void); /* called for each of these */
bool sl_endless_is(void);        /* whether the execution does not end, and does not only compute */

/* deadline.c: reads the clock and samples the place of the execution, once in some number of operations. */
void sl_deadline_reset(void);    /* an execution begins, or continues from a saved state */
void sl_deadline_look(void);     /* E.steps has reached E.progress.look_at */
void sl_deadline_clock(void);    /* … or E.progress.clock_at: ends the execution if the time is over */
uint64_t sl_deadline_took(void); /* ns so far; 0: too short to be measured */

/* Loops of several threads that keep each other busy (livelock.c). */
void sl_livelock_reset(void);
void sl_livelock_begin(void);
void sl_livelock_announced(void);
void sl_livelock_operation(uint64_t value);

#endif
