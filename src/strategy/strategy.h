/*
 * A strategy decides which of the enabled operations goes next. It knows nothing of fibers, memory or
 * processes: it sees a choice and answers with a number, so it can be tested without any program.
 *
 * The engine calls, inside the program under test:
 *
 *	begin     another execution? false ends the search
 *	choose    once for each choice of that execution
 *	end       what became of it
 *
 * Laws: the state lives in shared memory that survives executions, crashes and processes; it holds no
 * pointer except to constants of its own (processes are started anew, but at the same addresses), starts
 * zeroed, and may be large: pages that are never touched cost nothing. choose() must not allocate, print
 * or call the operating system. The same answers give the same execution, so a strategy may replay what
 * it answered before and rely on being asked the same questions.
 *
 * How to write one: docs/strategies.md.
 */
#ifndef SL_STRATEGY_STRATEGY_H
#define SL_STRATEGY_STRATEGY_H

#include "base/chosen.h"
#include "base/err.h"
#include "base/op.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_coverage;

#define SL_STRATEGY_THREADS (1u << 14) /* numbers of threads are below this */

enum sl_choice_kind {
	SL_CHOOSE_THREAD, /* whose operation goes next */
	SL_CHOOSE_WAITER, /* which waiter a signal wakes */
	SL_CHOOSE_VALUE,  /* sleave_choose(count), a spurious failure (1) or not (0), … */
};

/* Where a thread comes from. Its number depends on who creates threads first; its path does not: it is made of its
 * parent's and of which of that one's children it is. */
struct sl_kin {
	uint64_t path;
	uint32_t parent; /* number of a thread, less than its own; 0 for the first thread */
};

/*
 * For SL_CHOOSE_THREAD, ops[0 … prompt-1] are ordinary and ops[prompt … count-1] are late (SL_OP_LATE):
 * sleepers that may wake and time limits that may run out. ops is NULL for SL_CHOOSE_VALUE.
 */
struct sl_choice {
	enum sl_choice_kind kind;
	unsigned count;   /* answers are 0 … count-1; there are at least two */
	unsigned prompt;  /* how many of them are not late */
	unsigned current; /* the answer that lets the last thread go on; count if it can't */
	/* THREAD: 0, or 1 + the answer for a thread that the others have kept out for too long: it goes next, unless the
	 * strategy tries every answer (see `heeds`) */
	unsigned favours;
	unsigned changed_count; /* see `changed`; here, because the structure is cleared for each choice and has no gaps */
	uint64_t step;          /* operations performed in this execution so far */
	const struct sl_op *const *ops;
	/* THREAD: what is new since the last such choice of this execution, so that nobody needs to look through all of
	 * ops. Whoever is not among `changed` is in ops or not as it was then, with the same operation. */
	const uint32_t *changed; /* numbers of threads, each once: changed_count of them */
	const uint32_t *places;   /* by number of thread: where in ops it is; not below count: it is not there */
	const struct sl_kin *kin; /* by number of thread; NULL: nobody knows */
	/* THREAD, for strategies that have `stateful`: what state this is, in 128 bits (false: nobody can say), and keeping
	 * it, so that a later execution can go on from here. keep() comes back a second time, with true, when one does. */
	bool (*identify)(uint64_t id[2]);
	bool (*keep)(uint64_t name);
};

/* The answer that a calm and fair machine would give: go on, else the first that is not late. */
static inline unsigned
sl_choice_default(const struct sl_choice *c)
{
	if (c->kind != SL_CHOOSE_THREAD)
		return 0;
	if (c->favours)
		return c->favours - 1;
	if (c->current < c->prompt && !(c->ops[c->current]->flags & SL_OP_YIELDED))
		return c->current;
	return c->prompt && c->current == 0 && c->prompt > 1 ? 1 : 0;
}

/*
 * What an answer costs, in preemptions: 1 if it stops a thread that could go on, or lets a sleeper or a
 * time-out go before an ordinary operation, or keeps a starving thread out for still longer; else 0. There is always an
 * answer that costs nothing.
 */
static inline unsigned
sl_choice_cost(const struct sl_choice *c, unsigned answer)
{
	if (c->favours)
		return answer + 1 != c->favours;
	if (c->kind != SL_CHOOSE_THREAD || answer == c->current)
		return c->kind == SL_CHOOSE_THREAD && answer >= c->prompt && c->prompt > 0;
	if (answer >= c->prompt && c->prompt > 0)
		return 1;
	return c->current < c->prompt && !(c->ops[c->current]->flags & SL_OP_YIELDED);
}

/*
 * A step, for strategies that reason about orders: all that happens from one choice of a thread to the next. A
 * touch is what it does to something that others can see: eight bytes, or a thing that is no memory (below). Two
 * steps of different threads commute unless they touch the same and one of them writes.
 */
enum {
	SL_TOUCH_READ = 1,
	SL_TOUCH_WRITE = 2,
	SL_TOUCH_ASIDE =
		4, /* not what the step was announced for, so maybe missing when it is done in another order */
	/* An attempt: it writes only if the object was open for `wanted`, or if what it saw was what it wanted. Which of
	 * the two it was this time, READ and WRITE tell. */
	SL_TOUCH_IF_OPEN = 8,
	SL_TOUCH_IF_SEEN = 16,
	SL_TOUCH_TWICE = 32, /* the step does more than one thing to it */
};

/* Keys that are no address. */
enum {
	SL_KEY_TIME = 1,       /* the virtual clock */
	SL_KEY_IO = 2,         /* the table of descriptors */
	SL_KEY_PLAN = 3,       /* what has happened of the schedule that the user wrote */
	SL_KEY_HEAP = 1 << 16, /* plus the number of the thread that allocates from it */
};

#define SL_NEEDS_UNKNOWN 0x80

struct sl_touch {
	uint64_t key;  /* address of eight bytes, or SL_KEY_… */
	uint8_t bytes; /* which of them */
	uint8_t how;   /* SL_TOUCH_… */
	uint8_t needs; /* it waits until `open` has these bits; SL_NEEDS_UNKNOWN: until nobody can say what */
	uint8_t open;  /* what the object was open for before this touch */
	uint16_t seen; /* 0, or a hash of what was there before */
	uint16_t wanted;
};

#define SL_STEP_TOUCHES 8

struct sl_step {
	uint32_t thread;
	uint8_t count;
	bool everything; /* it may not be exchanged with any step of another thread */
	bool ends;       /* that is so because it ended the execution; in another place it may not */
	bool last; /* it ended the execution though others could have gone on, or what one of them could have done */
	bool unknown; /* nobody can say what it commutes with, or when it could come: signals, cancellation, timers */
	bool stuck; /* it never came to be: at the end the thread still waits for it */
	struct sl_touch touches[SL_STEP_TOUCHES];
};

#define SL_STEP_CURRENT UINT32_MAX

/* What choose() may answer if the strategy has `stepped` or `stateful`: this execution leads to nothing new, end it. */
#define SL_CHOICE_ABANDON UINT32_MAX
/* … or: this thread, which is not in ops because it looks at the same again and again; the number of the thread is added. */
#define SL_CHOICE_SPINNING (1u << 31)

/* What became of an execution. */
struct sl_execution {
	uint64_t steps;       /* operations performed */
	uint64_t choices;     /* times that choose() was asked */
	unsigned threads;     /* created, the first included */
	bool finding;         /* it showed something */
	bool cut;             /* it was stopped at a limit: its end was not seen */
	bool abandoned;       /* it was ended because choose() said so */
	bool dropped;         /* it left the schedule that the user wrote: what it came to does not count */
	unsigned preemptions; /* the sum of sl_choice_cost() over its answers */
	const struct sl_schedule *schedule; /* what was done; valid during the call */
};

#define SL_SHARED_BYTES (1ul << 30)

struct sl_strategy_options {
	uint64_t seed;
	unsigned depth;       /* pct: number of priority changes plus one; 0: the default, 3 */
	unsigned preemptions; /* dpor, icb: 1 + the most that an execution may have; 0: as many as it likes */
	unsigned worker;      /* this process is number worker of workers */
	unsigned workers;
	uint64_t *claims; /* shared by the workers: see strategy/claim.h; NULL with one worker */
	void *shared;     /* so is this: SL_SHARED_BYTES, zeroed; NULL with one worker */
	const uint64_t
		*generation; /* changes whenever choices are added, for all workers; NULL: as grown() says */
	const struct sl_schedule *schedule; /* replay, minimise: where to start from */
	const uint64_t *places;             /* steer: where threads are held back; surw: what is selected */
	unsigned place_count;
	const uint64_t *objects; /* surw: what is selected, besides; nothing at all: by itself */
	unsigned object_count;
	bool unseen;                  /* accesses to memory are not seen, so nobody can say what commutes */
	struct sl_coverage *coverage; /* for those that have `covers`; else NULL */
	bool no_estimate_rule;        /* tsa: without Rule 3, */
	bool no_focus;                /* … and never an execution that is about one requirement */
};

/* What a strategy can say about how far it is. */
struct sl_progress {
	bool complete;     /* every execution that there is has been run */
	bool over;         /* there is none left to run; if that is not everything, something had to be left out */
	int bound;         /* -1, or: every execution with at most this many preemptions has been run */
	uint64_t estimate; /* 0, or how many executions there may be in all */
	uint64_t skipped;  /* executions that were not new: done before, or another worker's */
	bool classes;  /* the estimate is of executions that differ in more than the order of steps that commute */
	bool stateful; /* it searches through states: */
	uint64_t states, visited, ends; /* new ones, steps that led to an old one, new ones that were the end */
	uint64_t opaque;                /* of the new ones: nobody could say whether they were */
	uint64_t loops;                 /* steps back to a state on their own way, with every thread moving that could: livelocks */
};

struct sl_strategy {
	const char *name;
	const char *summary; /* a line for --help */
	size_t state_size;
	int (*start)(void *state, const struct sl_strategy_options *options, struct sl_err *err);
	bool (*begin)(void *state);
	unsigned (*choose)(void *state, const struct sl_choice *choice);
	void (*end)(void *state, const struct sl_execution *execution);
	/* More operations have become choices (the engine learnt that they touch shared data): what was asked
	 * before may be asked differently now. An exhaustive search must start over. NULL: no matter. */
	void (*grown)(void *state);
	/* NULL, or: a checksum, not 0, of all that decides what is still to be tried, between two executions; whole: made from the tables
	 * themselves, and 0 if they are not what was noted of them while they changed. For a run that was killed. */
	uint64_t (*sum)(const void *state, bool whole);
	void (*progress)(const void *state, struct sl_progress *progress); /* NULL: nothing to say */
	/* NULL, or: is the execution under way one in which every answer has to remain possible? Then the starving thread of
	 * sl_choice.favours is only the default answer; else the engine lets it go without asking. */
	bool (*heeds)(const void *state);
	/* Points at every operation, not only where the order can matter: for following a given schedule. */
	bool every_operation;
	/* It goes by what was covered: the engine keeps the table that it is given in the options (coverage/coverage.h). */
	bool covers;
	/* NULL, or: a step is over. Comes before the next choose(), which is then asked even if there is only one answer,
	 * and before end(). */
	void (*stepped)(void *state, const struct sl_step *step);
	/* With `stepped`: is the execution that has just begun one of those that are watched? NULL: all are. */
	bool (*watches)(const void *state);
	/* With `stepped`: whatever `to` does after the step under way comes after all that `from` has done
	 * (SL_STEP_CURRENT: after this step), in every order: it was created, woken, or has waited for the end. */
	void (*ordered)(void *state, uint32_t from, uint32_t to);
	/* With `stepped`: this step ends a wait of `thread` that could have ended before by its time limit. */
	void (*instead)(void *state, uint32_t thread);
	/* With `stepped`: the thread is as it was after its step number `from` (its first is 1), and has changed nothing
	 * since: it waits in a loop, and what it did after that step, up to step `to`, was in vain. */
	void (*vain)(void *state, uint32_t thread, uint64_t from, uint64_t to);
	/* NULL, or, after begin() said no: there may be more later, when other workers leave something. */
	bool (*waits)(const void *state);
	/* NULL, or: the execution under way has been taken back (base/undo.h). Puts in order what is not written down for
	 * that because it can be had from the rest. */
	void (*recover)(void *state);
	/* The search is one through states (engine/core/state.h). choose() may answer SL_CHOICE_ABANDON. */
	bool stateful;
	bool newest_first; /* of the states that are kept, the newest are gone on from first */
	/* With `stateful`, after begin(): the name of the kept state that the execution goes on from, of those that
	 * has() knows; 0: from the start. What was dropped is asked for no more. */
	uint64_t (*from)(void *state, bool (*has)(uint64_t name), void (*drop)(uint64_t name));
	/* With `stateful`, before end(): the program ended in this state; NULL: nobody can say. */
	void (*ended)(void *state, const uint64_t id[2]);
};

/* NULL-terminated; those that a user can name with --strategy. */
extern const struct sl_strategy *const sl_strategies[];

bool sl_heeds_always(const void *state); /* for `heeds` */

/* NULL if there is none of that name. */
const struct sl_strategy *sl_strategy_find(const char *name);

extern const struct sl_strategy sl_strategy_dfs, sl_strategy_icb, sl_strategy_random, sl_strategy_pct,
	sl_strategy_pos, sl_strategy_replay, sl_strategy_minimise, sl_strategy_portfolio, sl_strategy_steer,
	sl_strategy_calm, sl_strategy_lockstep, sl_strategy_dpor, sl_strategy_surw, sl_strategy_rf,
	sl_strategy_rare, sl_strategy_walk, sl_strategy_tsa, sl_strategy_states, sl_strategy_states_breadth;

/* Did the execution under way, or the last one, leave the schedule? A true answer is certain, a false one is not. */
bool sl_replay_diverged(const void *state);

/*
 * The best schedule so far, and its preemptions (left alone as long as no execution has shown the finding). It
 * lives in the state.
 */
const struct sl_schedule *sl_minimise_best(const void *state, unsigned *preemptions);

/* The most choices of one execution that a search can remember. */
#define SL_PATH_MAX (1u << 24)

#endif
