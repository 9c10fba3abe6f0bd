/*
 * The path of an exhaustive search: the answers of the current execution, and which answers are still left at each
 * choice. dfs, icb and minimise walk the tree of executions with it.
 *
 * An execution follows the path to its end and then extends it, with the default answer at each new choice;
 * sl_path_end() moves the deepest choice that has an answer left to that answer. So the whole state of a search is
 * one path, however many executions it has run.
 *
 * A path has a bound on the sum of sl_choice_cost(), and one on the number of postponed answers (prioritise.h). Answers
 * beyond them are forbidden: later, if a greater bound allows them, or never. All answers of a choice may be forbidden
 * now; such an execution is a dead end: it goes on with default answers, and is not recorded.
 *
 * With several workers, subtrees are claimed (strategy/claim.h) at the split of a path:
 *
 *	- after SL_PATH_SPLIT choices with more than one free answer; or
 *	- when all preemptions but one are spent. Most executions of a small bound begin with a long stretch
 *	  of defaults, so a split by depth alone would give nearly all of them to one worker.
 */
#ifndef SL_STRATEGY_PATH_H
#define SL_STRATEGY_PATH_H

#include "strategy/prioritise.h"
#include "strategy/strategy.h"

#define SL_PATH_SPLIT 6
#define SL_PATH_UNBOUNDED UINT32_MAX
#define SL_PATH_DONE (1u << 20) /* 8 MiB: about the last million executions are not repeated */

/* Positions: 0 is the default answer, then the others by index; or all of them in an order that the seed decides. */
struct sl_branch {
	uint64_t hash;     /* of the positions above */
	uint32_t position; /* taken now */
	uint32_t next;     /* to take next; count: none is left */
	uint32_t count;    /* of answers */
	uint16_t spare;    /* it has at least two free answers */
	uint16_t dirty;    /* a larger bound would find more here or below */
};

/* Why an answer is forbidden. */
enum sl_path_why {
	SL_PATH_BY_BOUND,     /* it needs a greater bound on preemptions */
	SL_PATH_BY_ITERATION, /* it is postponed to a later iteration */
	SL_PATH_FOR_EVER,     /* it needs a greater bound than the search ever allows */
	SL_PATH_NOT_SELECTED, /* it belongs to an iteration that is not asked for */
	SL_PATH_WHYS
};

struct sl_path {
	uint32_t bound; /* on preemptions, and what it may become */
	uint32_t bound_most;
	uint32_t iteration; /* the bound on postponed answers, and what it may become */
	uint32_t iteration_most;
	enum sl_prioritise prioritise;
	uint16_t impacted; /* flags of operations */
	bool shuffled;
	uint64_t seed;
	uint32_t length;    /* branches[0 … length-1] are known */
	uint32_t cursor;    /* choices of this execution so far, as long as it is on the path */
	uint32_t fresh;     /* branches from here on are answered at their position for the first time */
	uint32_t split;     /* this worker owns everything below branches[split-1]; UINT32_MAX: nothing yet */
	uint32_t spent;     /* preemptions of this execution so far */
	uint32_t postponed; /* … and postponed answers */
	uint32_t spares;    /* branches so far with more than one free answer */
	uint32_t worker;
	uint32_t restarts;
	bool off;                     /* the rest of this execution takes default answers and is not recorded */
	bool foreign;                 /* … because the subtree belongs to another worker */
	bool dead;                    /* … because every answer was forbidden */
	bool dead_later;              /* … and some of them not for ever */
	bool raised;                  /* smaller bounds are done */
	bool forbidden[SL_PATH_WHYS]; /* some answer was: under the current bounds, or since the restart */
	bool diverged;                /* a choice differed from the one before: the results are not reliable */
	bool partial;                 /* since the reset, an execution was cut off or too long */
	uint64_t hash;                /* of the positions of this execution so far */
	uint64_t root;                /* hash of the empty path: the generation */
	uint64_t *claims;             /* NULL with one worker */
	const uint64_t *generation;
	uint64_t executions;         /* since the restart */
	uint64_t skipped;            /* in all; as in struct sl_progress */
	uint64_t skipped_before;     /* … at the restart */
	uint64_t sum;                /* checksum of the branches */
	uint64_t done[SL_PATH_DONE]; /* subtrees that no larger bound needs to enter again: a cache, see path.c */
	struct sl_branch branches[SL_PATH_MAX];
	uint16_t order[SL_STRATEGY_THREADS]; /* of the answers of the choice at hand, if they are shuffled */
};

/* Called once, on zeroed memory. The bound on preemptions may be raised to `most`; SL_PATH_UNBOUNDED. */
int sl_path_start(struct sl_path *path, const struct sl_strategy_options *options, uint32_t bound, uint32_t most,
		  struct sl_err *err);

/* Starts over because the tree has changed. */
void sl_path_restart(struct sl_path *path, uint32_t bound);

/*
 * When sl_path_end() has found no execution left: starts over on the same tree, with a larger bound; where no larger bound
 * allows more, with the next iteration, and `bound` on preemptions. False: neither allows more.
 */
bool sl_path_raise(struct sl_path *path, uint32_t bound);

/* As in struct sl_strategy, except that the end tells whether another execution is left. */
void sl_path_begin(struct sl_path *path);
unsigned sl_path_choose(struct sl_path *path, const struct sl_choice *choice);
bool sl_path_end(struct sl_path *path, const struct sl_execution *execution);

/* Like `sum` of struct sl_strategy_search, for this part of a state. */
uint64_t sl_path_sum(const struct sl_path *path, bool whole);

/* Was some answer forbidden for that reason, as far as this worker and the claims of others tell? */
bool sl_path_forbidden(const struct sl_path *path, enum sl_path_why why);

/* Estimated number of this worker's executions of the tree, from the part that is done; 0: unknown. */
uint64_t sl_path_estimate(const struct sl_path *path);

#endif
