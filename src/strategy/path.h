/*
 * The path of an exhaustive search: what was answered at each choice of the execution under way, and what is
 * still to be answered there. dfs, icb and minimise walk the tree of executions with it.
 *
 * An execution follows the path to its end and then extends it, each new choice with its default answer;
 * sl_path_end() moves the deepest choice that has an answer left to that answer. So the whole state of a
 * search is one path, however many executions it has run.
 *
 * A path has a bound on the sum of sl_choice_cost(); answers beyond it are forbidden. With workers, subtrees
 * are claimed (strategy/claim.h) where the path gets to its split:
 *
 *	- after SL_PATH_SPLIT choices that had a free answer to spare; or
 *	- when all preemptions but one are spent. Most executions of a small bound begin with a long stretch
 *	  of defaults, so a split by depth alone would give nearly all of them to one worker.
 */
#ifndef SL_STRATEGY_PATH_H
#define SL_STRATEGY_PATH_H

#include "strategy/strategy.h"

#define SL_PATH_SPLIT 6
#define SL_PATH_UNBOUNDED UINT32_MAX
#define SL_PATH_DONE (1u << 20) /* notes: 8 MiB, and the last million executions or so are not repeated */

/* Positions: 0 is the default answer, then the others by index. */
struct sl_branch {
	uint64_t hash;     /* of the positions above */
	uint32_t position; /* taken now */
	uint32_t next;     /* to take after that; count: none is left */
	uint32_t count;    /* of answers */
	uint16_t spare;    /* it has two free answers or more */
	uint16_t dirty;    /* a greater bound would find more here or below */
};

struct sl_path {
	uint32_t bound;
	uint32_t length; /* branches[0 … length-1] are known */
	uint32_t cursor; /* choices of this execution so far, as long as it is on the path */
	uint32_t fresh;  /* branches from here on have not been answered at their position before */
	uint32_t split;  /* our claim holds for all below branches[split-1]; UINT32_MAX: none yet */
	uint32_t spent;  /* preemptions of this execution so far */
	uint32_t spares; /* branches so far with a free answer to spare */
	uint32_t worker;
	uint32_t restarts;
	bool off;         /* the rest of this execution takes default answers and is not remembered */
	bool foreign;     /* … because the subtree is another worker's */
	bool forbidden;   /* the bound has kept an answer away */
	bool diverged;    /* a choice was not what it had been: nothing is sure any more */
	bool partial;     /* since the reset, an execution was cut or too long */
	uint64_t hash;    /* of the positions of this execution so far */
	uint64_t root;    /* hash of the empty path: the generation */
	uint64_t *claims; /* NULL with one worker */
	const uint64_t *generation;
	uint64_t executions;         /* since the restart */
	uint64_t skipped;            /* in all; as in struct sl_progress */
	uint64_t skipped_before;     /* … at the restart */
	uint64_t sum;                /* checksum of the branches */
	uint64_t done[SL_PATH_DONE]; /* subtrees that no greater bound need enter again: a cache, see path.c */
	struct sl_branch branches[SL_PATH_MAX];
};

/* Once, on zeroed memory. */
int sl_path_start(struct sl_path *path, const struct sl_strategy_options *options, uint32_t bound,
		  struct sl_err *err);

/* From the beginning, because the tree is another one now. */
void sl_path_restart(struct sl_path *path, uint32_t bound);

/* From the beginning of the same tree, with a greater bound. */
void sl_path_raise(struct sl_path *path, uint32_t bound);

/* The same three as in struct sl_strategy, but that the end tells whether another execution is left. */
void sl_path_begin(struct sl_path *path);
unsigned sl_path_choose(struct sl_path *path, const struct sl_choice *choice);
bool sl_path_end(struct sl_path *path, const struct sl_execution *execution);

/* As sum of struct sl_strategy, for this part of a state. */
uint64_t sl_path_sum(const struct sl_path *path, bool whole);

/* Is there something beyond the bound, as far as this worker and what others told can say? */
bool sl_path_forbidden(const struct sl_path *path);

/* How many executions of the tree are this worker's, guessed from the part that is done; 0: no idea. */
uint64_t sl_path_estimate(const struct sl_path *path);

#endif
