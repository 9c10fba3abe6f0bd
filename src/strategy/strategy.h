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

#include "base/err.h"
#include "base/op.h"
#include "base/schedule.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SL_STRATEGY_THREADS (1u << 14) /* numbers of threads are below this */

enum sl_choice_kind {
	SL_CHOOSE_THREAD, /* whose operation goes next */
	SL_CHOOSE_WAITER, /* which waiter a signal wakes */
	SL_CHOOSE_VALUE,  /* sleave_choose(count), a spurious failure (1) or not (0), … */
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
	uint64_t step;    /* operations performed in this execution so far */
	const struct sl_op *const *ops;
	/* THREAD: what is new since the last such choice of this execution, so that nobody needs to look through all of
	 * ops. Whoever is not among `changed` is in ops or not as it was then, with the same operation. */
	const uint32_t *changed; /* numbers of threads, each once */
	unsigned changed_count;
	const uint32_t *places; /* by number of thread: where in ops it is; not below count: it is not there */
};

/* The answer that a calm machine would give: go on, else the first that is not late. */
static inline unsigned
sl_choice_default(const struct sl_choice *c)
{
	if (c->kind != SL_CHOOSE_THREAD)
		return 0;
	if (c->current < c->prompt && !(c->ops[c->current]->flags & SL_OP_YIELDED))
		return c->current;
	return c->prompt && c->current == 0 && c->prompt > 1 ? 1 : 0;
}

/*
 * What an answer costs, in preemptions: 1 if it stops a thread that could go on, or lets a sleeper or a
 * time-out go before an ordinary operation; else 0. There is always an answer that costs nothing.
 */
static inline unsigned
sl_choice_cost(const struct sl_choice *c, unsigned answer)
{
	if (c->kind != SL_CHOOSE_THREAD || answer == c->current)
		return c->kind == SL_CHOOSE_THREAD && answer >= c->prompt && c->prompt > 0;
	if (answer >= c->prompt && c->prompt > 0)
		return 1;
	return c->current < c->prompt && !(c->ops[c->current]->flags & SL_OP_YIELDED);
}

/* What became of an execution. */
struct sl_execution {
	uint64_t steps;                     /* operations performed */
	uint64_t choices;                   /* times that choose() was asked */
	unsigned threads;                   /* created, the first included */
	bool finding;                       /* it showed something */
	bool cut;                           /* it was stopped at a limit: its end was not seen */
	unsigned preemptions;               /* the sum of sl_choice_cost() over its answers */
	const struct sl_schedule *schedule; /* what was done; valid during the call */
};

struct sl_strategy_options {
	uint64_t seed;
	unsigned depth;  /* pct: number of priority changes plus one; 0: the default, 3 */
	unsigned worker; /* this process is number worker of workers */
	unsigned workers;
	uint64_t *claims; /* shared by the workers: see strategy/claim.h; NULL with one worker */
	const uint64_t
		*generation; /* changes whenever choices are added, for all workers; NULL: as grown() says */
	const struct sl_schedule *schedule; /* replay, minimise: where to start from */
	const uint64_t *places;             /* steer: where threads are held back */
	unsigned place_count;
};

/* What a strategy can say about how far it is. */
struct sl_progress {
	bool complete;     /* every execution that there is has been run */
	int bound;         /* -1, or: every execution with at most this many preemptions has been run */
	uint64_t estimate; /* 0, or how many executions there may be in all */
	uint64_t skipped;  /* executions that were not new: done before, or another worker's */
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
	void (*progress)(const void *state, struct sl_progress *progress); /* NULL: nothing to say */
	/* Points at every operation, not only where the order can matter: for following a given schedule. */
	bool every_operation;
};

/* NULL-terminated; those that a user can name with --strategy. */
extern const struct sl_strategy *const sl_strategies[];

/* NULL if there is none of that name. */
const struct sl_strategy *sl_strategy_find(const char *name);

extern const struct sl_strategy sl_strategy_dfs, sl_strategy_icb, sl_strategy_random, sl_strategy_pct,
	sl_strategy_pos, sl_strategy_replay, sl_strategy_minimise, sl_strategy_portfolio, sl_strategy_steer,
	sl_strategy_calm, sl_strategy_lockstep;

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
