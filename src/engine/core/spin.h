/*
 * Loops that wait. A thread that comes to the same place in the same state, while nothing has changed in
 * between, will do so for ever: it gives way until something changes. "State" is its registers and the near
 * part of its stack; everything farther is memory, writes to which are seen.
 */
#ifndef SL_ENGINE_CORE_SPIN_H
#define SL_ENGINE_CORE_SPIN_H

#include "engine/interpose/entry.h"

#include <stdbool.h>
#include <stdint.h>

#define SL_SPIN_STRETCH 2048 /* accesses after which a closer look is taken */
#define SL_LOOK_WORDS 480    /* words of the stack that are copied; what is deeper is hashed */
#define SL_LOOKS 200         /* looks without a change by others after which others go first */
#define SL_FRAMES_DEEP 4096

/* When engine/progress looks whether an execution makes progress. */
struct sl_pace {
	uint64_t step_limit;
	uint64_t look_at;               /* the step of the next look, by livelock.c, deadline.c or circle.c */
	uint64_t probe_at;              /* … by livelock.c */
	uint64_t clock_at;              /* … by deadline.c */
	uint64_t circle_at;             /* … by circle.c; 0: it does not look */
	uint64_t fair_at, fair_step;    /* the choice, or the step, at which fair.c looks */
	uint32_t fair_window;           /* … and so many choices later again */
	uint64_t shown_at, shown_items; /* endless.c: the step from which on, and the schedule's items before it */
	uint64_t loop;                  /* endless.c: the loop that was found; 0: none */
	bool late;                      /* the time is over (deadline.c) */
	bool weighed;                   /* deadline.c has looked at this execution */
};

/* What a thread was like when it looked at something. */
struct sl_look {
	struct sl_entry entry;
	uint64_t deep; /* hash of the stack beyond the words; 0: not known yet */
	uint64_t words[SL_LOOK_WORDS];
};

#define SL_AWAITS 10 /* places of one loop; sl_spin_visit() waits for so many to come round */

/* The same, for a strategy that asks which steps were in vain. */
struct sl_await {
	uint32_t sequence; /* of the execution */
	uint64_t pc;
	uint64_t step;    /* the last one that was over then (step.h) */
	uint64_t changes; /* of the thread's own */
};

struct sl_awaits {
	struct sl_await at[SL_AWAITS]; /* together, since all are looked through */
	struct sl_look looks[SL_AWAITS];
};

/* The running thread as sl_entry has it. */
void sl_look_take(struct sl_look *look);
/* Is the thread as it was? If not, what it is like now is kept for the next look. */
bool sl_look_renew(struct sl_look *look);

/* The thread is about to take a lock, which is free: it may be in a loop that looks at something under it. */
void sl_spin_lock(uint64_t pc);
/* The thread is about to look at something (a read, a failed attempt, a yield) at pc. May give way. */
void sl_spin_visit(uint64_t pc);
/* The same for an operation that surely changes something: only the number of visits counts. True: the thread has given way. */
bool sl_spin_count(void);
void sl_spin_block(void);
void sl_give_way(void);
void sl_stretch(uint64_t pc);

/* Threads that are kept out (fair.c). The answer, plus one, for a thread that goes next; 0: the choice is free. */
void sl_fair_reset(void);
/* The running thread has gone on for long without a choice, or gives way where others can't go. True: from here on all
 * its operations are points. */
bool sl_fair_expose(void);
unsigned sl_fair_look(void);

/* Executions that do not end (endless.c). */
void sl_endless_reset(void);
void sl_endless_note(void);      /* from time to time: notes how far the execution is */
void sl_endless_stop(void);      /* the limit of operations is reached; it comes back if some more are wanted */
void sl_endless_operation(void); /* … which come here */
bool sl_endless_is(void);        /* … and it is not one that only computes */

/* deadline.c: every so many operations a look at the clock, and at where the execution is. */
void sl_deadline_reset(void);    /* an execution begins, or goes on from its middle */
void sl_deadline_look(void);     /* E.steps has reached E.progress.look_at */
void sl_deadline_clock(void);    /* … or E.progress.clock_at: ends the execution if the time is over */
uint64_t sl_deadline_took(void); /* ns, up to now; 0: too short for a look */

/* Loops of several threads that keep each other busy (livelock.c). */
void sl_livelock_reset(void);
void sl_livelock_begin(void);
void sl_livelock_announced(void);
void sl_livelock_operation(uint64_t value);

#endif
