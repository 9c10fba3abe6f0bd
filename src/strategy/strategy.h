/*
 * A strategy decides which of the enabled operations goes next. It knows nothing of fibers, memory or processes:
 * it sees a choice and answers with a number, so it can be tested without any program.
 *
 * The engine calls, inside the program under test:
 *
 *	begin     another execution? false ends the search
 *	choose    once for each choice of that execution
 *	end       the result of the execution
 *
 * Laws: the state lives in shared memory that survives executions, crashes and processes. It contains no pointer
 * except to constants of its own (new processes have the same addresses), starts zeroed, and may be large: pages
 * that are never touched cost nothing. choose() must not allocate, print or call the operating system. The same
 * answers give the same execution, so a strategy may replay what it answered before and rely on being asked the
 * same questions.
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

#define SL_STRATEGY_THREADS (1u << 14) /* thread numbers are below this */

enum sl_choice_kind {
	SL_CHOOSE_THREAD, /* whose operation goes next */
	SL_CHOOSE_WAITER, /* which waiter a signal wakes */
	SL_CHOOSE_VALUE,  /* sleave_choose(count), a spurious failure (1) or none (0), … */
};

/*
 * The origin of a thread. A thread's number depends on which thread creates one first; its path does not: it
 * consists of the parent's path and the index of the thread among the parent's children.
 */
struct sl_kin {
	uint64_t path;
	uint32_t parent; /* number of the creating thread, less than its own; 0 for the first thread */
};

/*
 * For SL_CHOOSE_THREAD, ops[0 … prompt-1] are ordinary and ops[prompt … count-1] are late (SL_OP_LATE): sleepers
 * that may wake and time limits that may expire. ops is NULL for SL_CHOOSE_VALUE.
 */
struct sl_choice {
	enum sl_choice_kind kind;
	unsigned count;   /* answers are 0 … count-1; there are at least two, unless the strategy asks for more (traits.counts, steps) */
	unsigned prompt;  /* the number of answers that are not late */
	unsigned current; /* the answer that lets the last thread continue; count if it is not enabled */
	/*
	 * THREAD: 0, or 1 + the answer for a thread that the others have starved for too long: it goes next,
	 * unless the strategy tries every answer (the trait `heeds`)
	 */
	unsigned favours;
	/* see `changed`; it stands here so that the structure, which is cleared for each choice, has no gaps */
	unsigned changed_count;
	uint32_t asking;       /* number of the thread that has come here: the last one that ran */
	uint32_t thread_count; /* of the threads so far, those included that have ended */
	uint64_t step; /* operations performed in this execution so far */
	const struct sl_op *const *ops;
	/*
	 * THREAD: what is new since the last such choice of this execution, so that no strategy needs to scan all
	 * of ops. The state of a thread that is not in `changed` is as it was then: in ops or not, with the same
	 * operation.
	 */
	const uint32_t *changed;  /* thread numbers, each once: changed_count of them */
	const uint32_t *places;   /* by thread number: its index in ops; count or more: it is not in ops */
	const struct sl_kin *kin; /* by thread number; NULL: not known */
	/*
	 * The operation that the thread with this number has announced, enabled or not; for WAITER and VALUE that of `asking` is
	 * being performed. NULL: the thread has ended.
	 */
	const struct sl_op *(*announced)(uint32_t thread);
	/*
	 * THREAD, for strategies with the trait `stateful`. identify(): the identity of this state, in 128 bits;
	 * false: it cannot be told. keep(): keeps the state, so that a later execution can continue from here; it
	 * returns a second time, with true, when one does.
	 */
	bool (*identify)(uint64_t id[2]);
	bool (*keep)(uint64_t name);
};

/*
 * The answer of a calm and fair machine: continue the last thread, else take the first operation that is not late.
 */
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

/* The answer that is an operation of the thread; c->count: there is none. */
static inline unsigned
sl_choice_of(const struct sl_choice *c, uint32_t thread)
{
	unsigned i = 0;

	while (i < c->count && c->ops[i]->thread != thread)
		i++;
	return i;
}

/*
 * The cost of an answer, in preemptions: 1 if it stops a thread that could continue, lets a sleeper or a time-out
 * go before an ordinary operation, or starves a thread even longer; else 0. There is always an answer that costs
 * nothing.
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
 * touch is an effect of the step that other threads can see: on eight bytes of memory, or on something that is not
 * memory (below). Two steps of different threads commute unless they touch the same and at least one of them
 * writes.
 */
enum {
	SL_TOUCH_READ = 1,
	SL_TOUCH_WRITE = 2,
	SL_TOUCH_ASIDE = 4, /* not what the step was announced for, so it may be missing in another order */
	/*
	 * An attempt: it writes only if the object was open for `wanted`, or if it saw the value that it wanted.
	 * READ and WRITE tell which of the two it was this time.
	 */
	SL_TOUCH_IF_OPEN = 8,
	SL_TOUCH_IF_SEEN = 16,
	SL_TOUCH_TWICE = 32, /* the step touches it more than once */
};

/* Keys that are not addresses. */
enum {
	SL_KEY_TIME = 1,       /* the virtual clock */
	SL_KEY_IO = 2,         /* the table of descriptors */
	SL_KEY_PLAN = 3,       /* the events of the user's schedule that have happened */
	SL_KEY_HEAP = 1 << 16, /* plus the number of the thread that allocates from it */
};

#define SL_NEEDS_UNKNOWN 0x80

struct sl_touch {
	uint64_t key;  /* address of eight bytes, or SL_KEY_… */
	uint8_t bytes; /* a bit for each byte touched */
	uint8_t how;   /* SL_TOUCH_… */
	uint8_t needs; /* it waits until `open` has these bits; SL_NEEDS_UNKNOWN: what it waits for is not known */
	uint8_t open;  /* what the object was open for before this touch */
	uint16_t seen; /* 0, or a hash of the value before */
	uint16_t wanted;
};

#define SL_STEP_TOUCHES 8

struct sl_step {
	uint32_t thread;
	uint8_t count;
	bool everything; /* it commutes with no step of another thread */
	bool ends;       /* … because it ended the execution; at another position it may not */
	/* it ended the execution although other threads were enabled, or took what one of them could have taken */
	bool last;
	/* what it commutes with, or when it could happen, is not known: signals, cancellation, timers */
	bool unknown;
	bool stuck; /* it was never performed: the thread still waits for it at the end */
	struct sl_touch touches[SL_STEP_TOUCHES];
};

#define SL_STEP_CURRENT UINT32_MAX

/*
 * What choose() may also answer if the strategy has `steps` or is `stateful`: this execution leads to nothing new,
 * end it.
 */
#define SL_CHOICE_ABANDON UINT32_MAX
/* … or a thread that is not in ops because it spins: the number of the thread is added. */
#define SL_CHOICE_SPINNING (1u << 31)

/* The result of an execution. */
struct sl_execution {
	uint64_t steps;                     /* operations performed */
	uint64_t choices;                   /* number of calls of choose() */
	unsigned threads;                   /* created, the first included */
	bool finding;                       /* the execution showed a finding */
	uint32_t kind;                      /* … of this kind (enum sl_finding_kind) */
	bool cut;                           /* it was stopped at a limit: its end was not reached */
	bool abandoned;                     /* it was ended by SL_CHOICE_ABANDON */
	bool dropped;                       /* it left the user's schedule: its result does not count */
	unsigned preemptions;               /* the sum of sl_choice_cost() over its answers */
	const struct sl_schedule *schedule; /* what was chosen; valid during the call */
};

#define SL_SHARED_BYTES (1ul << 30)

/* Which answers come first after a change of the program: strategy/prioritise.h. */
enum sl_prioritise { SL_PRIORITISE_NOTHING, SL_PRIORITISE_ALL, SL_PRIORITISE_SOME };

struct sl_strategy_options {
	uint64_t seed;
	unsigned depth;                /* pct: number of priority changes plus one; 0: the default, 3 */
	unsigned preemptions;          /* dpor, icb: 1 + the most preemptions of an execution; 0: no limit */
	enum sl_prioritise prioritise; /* dfs, icb, dpor, the search through states: impacted operations first, */
	uint16_t impacted;             /* … and surw, rf: those with one of these flags, SL_OP_IMPACTED_… */
	unsigned iterations;           /* … the most that are explored; 0: all */
	bool shuffled;                 /* … the answers of each choice are in an order that the seed decides */
	unsigned worker;               /* this process is worker number `worker` of `workers` */
	unsigned workers;
	uint64_t *claims; /* shared by the workers: see strategy/claim.h; NULL with one worker */
	void *shared;     /* also shared: SL_SHARED_BYTES, zeroed; NULL with one worker */
	/* changes whenever choices are added, for all workers; NULL: as grown() says */
	const uint64_t *generation;
	const struct sl_schedule *schedule; /* replay, minimise: the schedule to start from */
	const uint64_t *places;             /* steer: where threads are held back; surw: the selected places */
	unsigned place_count;
	/* surw: the selected objects; neither places nor objects: surw selects by itself */
	const uint64_t *objects;
	unsigned object_count;
	bool unseen;                  /* accesses to memory are not seen, so it is not known what commutes */
	const struct sl_guide *guide; /* guided: the schedule by places; else NULL */
	struct sl_op_order *order;       /* directed: the order; else NULL */
	struct sl_scripts *scripts;      /* script: what to follow; else NULL */
	struct sl_foreseen *foreseen;    /* regress: what was predicted; hold: … its places; NULL: nothing */
	struct sl_coverage *coverage; /* for strategies with the trait `covers`; else NULL */
	bool no_estimate_rule;        /* tsa: without Rule 3, */
	bool no_focus;                /* … and no execution is about a single requirement */
};

/* What a strategy can tell about its progress. */
struct sl_progress {
	bool complete;       /* every execution has been run */
	bool over;           /* no execution is left to run; without `complete`, some had to be left out */
	int bound;           /* -1, or: every execution with at most this many preemptions has been run */
	uint32_t iterations; /* with prioritisation: the number of those that are done, … */
	bool selected;       /* … of which not all were asked for */
	uint64_t estimate;   /* 0, or the estimated number of all executions */
	uint64_t skipped;    /* executions that were not new: run before, or another worker's */
	bool classes;  /* the estimate counts executions that differ in more than the order of commuting steps */
	bool stateful; /* it searches through states, and has counted: */
	/* new states, steps that led to a visited one, new states that were ends */
	uint64_t states, visited, ends;
	uint64_t opaque; /* of the new states: those that could not be identified */
	/* steps back to a state on their own path on which every enabled thread moved: livelocks */
	uint64_t loops;
};

/*
 * The properties of a strategy. Code outside of src/strategy and src/search asks for these, never for a particular
 * strategy.
 */
struct sl_strategy_traits {
	bool exhaustive;     /* it ends when it has run everything, and runs nothing twice on purpose */
	bool samples;        /* it draws at random: what one execution has shown may never be drawn again */
	bool bounded;        /* it respects sl_strategy_options.preemptions */
	bool prioritises;    /* … and .prioritise */
	bool needs_accesses; /* accesses to memory must be seen */
	/* its workers hand each other parts of the search, which then can be neither bounded nor resumed */
	bool shares;
	bool covers; /* it is guided by coverage: the engine keeps the table of sl_strategy_options.coverage */
	/* it is asked at every operation, not only where the order can matter: to follow a schedule */
	bool every_operation;
	/* it is also asked where there is one answer: it counts operations */
	bool counts;
	/*
	 * Every answer has to remain possible: the starving thread of sl_choice.favours is only the default
	 * answer. Without this trait the engine lets that thread go and does not ask. sl_strategy_search.heeds
	 * tells if executions differ in this.
	 */
	bool heeds;
	bool stateful;     /* it searches through states (engine/upcall/state.h): sl_strategy_search.from */
	bool newest_first; /* … and continues from the newest of the kept states first */
};

/*
 * What most strategies consist of. The two structures below have what a search with an end needs, and what dpor
 * needs.
 */
struct sl_strategy {
	const char *name;
	const char *summary; /* a line for --help */
	size_t state_size;
	struct sl_strategy_traits traits;
	int (*start)(void *state, const struct sl_strategy_options *options, struct sl_err *err);
	bool (*begin)(void *state);
	unsigned (*choose)(void *state, const struct sl_choice *choice);
	void (*end)(void *state, const struct sl_execution *execution);
	const struct sl_strategy_search *search; /* NULL, or: the strategy remembers what is left to try */
	const struct sl_strategy_steps *steps;   /* NULL, or: the strategy reasons about the order of steps */
};

/*
 * Between executions: for a strategy that remembers what is left to try (dfs, icb, dpor, the search through
 * states). A member may be NULL unless its comment says otherwise.
 */
struct sl_strategy_search {
	/*
	 * Never NULL. More operations have become choices, because the engine has learnt that they touch shared
	 * data: the same execution may have more choices now. An exhaustive search must start over.
	 */
	void (*grown)(void *state);
	/* How far is the search? */
	void (*progress)(const void *state, struct sl_progress *progress);
	/* Does the current execution have the trait `heeds`? NULL: as the trait says. */
	bool (*heeds)(const void *state);
	/* After begin() returned false: may there be more later, when other workers leave something? */
	bool (*waits)(const void *state);
	/*
	 * For a run that may be killed: a checksum, not 0, of all that decides what is still to be tried, between
	 * two executions. whole: it is computed from the tables themselves, and is 0 if they do not match what was
	 * noted when they changed.
	 */
	uint64_t (*sum)(const void *state, bool whole);
	/*
	 * The current execution has been undone (base/undo.h). Restores what was not saved for that because it
	 * follows from the rest.
	 */
	void (*recover)(void *state);
	/*
	 * Never NULL with the trait `stateful`. After begin(): the name of the kept state that the execution
	 * continues from, one of those that has() knows; 0: from the start. A state that was dropped is not asked
	 * for again.
	 */
	uint64_t (*from)(void *state, bool (*has)(uint64_t name), void (*drop)(uint64_t name));
	/*
	 * With the trait `stateful`, before end(): the program ended in this state; NULL: the state could not be
	 * identified.
	 */
	void (*ended)(void *state, const uint64_t id[2]);
};

/* Within an execution: for a strategy that reasons about orders (dpor). Only `watches` may be NULL. */
struct sl_strategy_steps {
	/*
	 * A step is over. Called before end(), and before the next choose(), which is then called even if there is
	 * only one answer.
	 */
	void (*stepped)(void *state, const struct sl_step *step);
	/* Is the execution that has just begun watched? NULL: all are. */
	bool (*watches)(const void *state);
	/*
	 * Everything that `to` does after the current step happens after all that `from` has done
	 * (SL_STEP_CURRENT: after this step), in every order: the thread was created or woken, or has joined the
	 * other.
	 */
	void (*ordered)(void *state, uint32_t from, uint32_t to);
	/* This step ends a wait of `thread` that its time limit could have ended before. */
	void (*instead)(void *state, uint32_t thread);
	/*
	 * The thread's state is the same as after its step number `from` (its first is 1), and it has changed
	 * nothing since: it waits in a loop, and what it did after that step, up to step `to`, was in vain.
	 */
	void (*vain)(void *state, uint32_t thread, uint64_t from, uint64_t to);
};

/* NULL-terminated: the strategies that a user can name with --strategy. */
extern const struct sl_strategy *const sl_strategies[];

/* NULL: there is no strategy of that name. */
const struct sl_strategy *sl_strategy_find(const char *name);
/* The search through states in this order ("dfs", "bfs"; NULL: the default). NULL: there is no such order. */
const struct sl_strategy *sl_strategy_find_stateful(const char *order);

/* Must choose() be called although a thread has been starved for too long? */
static inline bool
sl_strategy_heeds(const struct sl_strategy *s, const void *state)
{
	return s->search && s->search->heeds ? s->search->heeds(state) : s->traits.heeds;
}

extern const struct sl_strategy sl_strategy_dfs, sl_strategy_icb, sl_strategy_random, sl_strategy_pct,
	sl_strategy_pos, sl_strategy_replay, sl_strategy_minimise, sl_strategy_portfolio, sl_strategy_regress,
	sl_strategy_guided, sl_strategy_directed, sl_strategy_steer, sl_strategy_calm, sl_strategy_lockstep,
	sl_strategy_dpor, sl_strategy_surw, sl_strategy_rf, sl_strategy_rare, sl_strategy_hold, sl_strategy_walk,
	sl_strategy_tsa, sl_strategy_states, sl_strategy_states_breadth, sl_strategy_script;

/* Has the current execution, or the last one, left the schedule? True is certain, false is not. */
bool sl_replay_diverged(const void *state);

/*
 * The best schedule so far and its preemptions, which are left alone as long as no execution has shown the
 * finding. The schedule lives in the state.
 */
const struct sl_schedule *sl_minimise_best(const void *state, unsigned *preemptions);

/* The most choices of an execution that a search can record. */
#define SL_PATH_MAX (1u << 24)

#endif
