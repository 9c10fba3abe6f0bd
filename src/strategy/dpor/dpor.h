/*
 * The state of the search by equivalence, and its parts:
 *
 *	dpor.c           the search: a stack of nodes, one for each choice of the current execution
 *	dpor_step.c      steps: what is recorded of them, and which commute
 *	dpor_order.c     which steps of an execution must stay in their order, and which races can be reversed
 *	dpor_tree.c      wake-up trees: the beginnings of executions that are still to be run from a node
 *	dpor_estimate.c  the estimated number of all executions
 *	dpor_share.c     several workers on one tree; dpor_common.h: what they share
 *	dpor_undo.c      after a kill: restores what is not saved when it changes (base/undo.h)
 *
 * The algorithm is Optimal DPOR (Abdulla, Aronis, Jonsson and Sagonas: Source Sets, JACM 2017), with additions for
 * operations that wait and for choices of values. Terms: two steps *commute* if they touch nothing in common, or
 * both only read it. Step A *happens before* B if no exchange of adjacent commuting steps can move B before A. A
 * *race* is a pair of steps of different threads where A happens before B only because the two do not commute.
 */
#ifndef SL_STRATEGY_DPOR_DPOR_H
#define SL_STRATEGY_DPOR_DPOR_H

#include "strategy/prioritise.h"
#include "strategy/strategy.h"

#define SL_DPOR_NODES (1u << 22)
#define SL_DPOR_STEPS (1u << 21)
#define SL_DPOR_TREE (1u << 22)
#define SL_DPOR_LINKS (1u << 24)
#define SL_DPOR_CLOCKS (1u << 27)
#define SL_DPOR_KEYS (1u << 21)
#define SL_DPOR_EDGES (1u << 22)
#define SL_DPOR_ENABLED 64
#define SL_DPOR_NONE 0 /* no step, tree, link or edge: numbers start at 1 */
#define SL_DPOR_NO_VALUE UINT32_MAX
#define SL_DPOR_NO_THREAD UINT32_MAX
#define SL_DPOR_VAIN (1u << 31) /* of a step that sleeps: it was in vain, and nothing was tried after it */

/* A step that was performed or will be; shared by all that refer to it. */
struct sl_dpor_step {
	uint32_t references;
	uint32_t next; /* in the free list */
	uint64_t keys; /* a bit for each touch: most pairs are seen to commute at once */
	struct sl_step step;
};

/* A node of a wake-up tree: a thread goes, or a value is chosen in that thread's step. */
struct sl_dpor_tree {
	uint32_t thread;
	uint32_t value; /* SL_DPOR_NO_VALUE: the thread goes */
	uint32_t step;  /* what the thread did when it was seen at another node */
	bool target;    /* the step for whose sake the sequence is run */
	bool perhaps;   /* if it can't be done, or was in vain, nothing is run below it */
	uint32_t
		/* dpor_share.c: 0, or its number among its node's begun trees; it is kept only for comparison */
		begun;
	uint32_t children, next;
	uint32_t free; /* in the free list */
};

/* A choice of the current execution. */
struct sl_dpor_node {
	uint32_t thread;
	/* of a choice of values: the value chosen, and their number; else SL_DPOR_NO_VALUE */
	uint32_t value, count;
	uint32_t list;    /* trees that are still to be run from here */
	uint32_t subtree; /* what is to be run below the choice, if the choice was made from a tree */
	/* in sleeps[]: steps that need not be done next, because they have been tried */
	uint32_t sleep, sleep_count;
	uint32_t step;    /* what happened; NONE: not known yet */
	uint32_t united;  /* the union of the steps seen with other values chosen in the same step */
	uint32_t tried;   /* number of choices from here that are finished */
	uint32_t enabled; /* number of enabled threads; 0: a choice of values */
	/* with prioritisation: */
	uint32_t only;      /* the thread that is not postponed; SL_DPOR_NO_THREAD: none is */
	uint32_t postponed; /* postponed answers above */
	bool target;        /* the choice was made for the sake of this very step */
	bool vain;          /* the step belongs to a loop that waits: as if it had not happened */
	bool futile;        /* a choice made for the sake of its step was in vain: others may be too */
	bool expanded;      /* expansion has been done */
	bool turn;          /* expansion is to be done now */
	bool expand;        /* the step ended everything: all other enabled threads must be tried instead */
	/* dpor_share.c */
	uint32_t shared;  /* the common node; 0: the node is this worker's alone */
	uint32_t version; /* of the common list that this one is a copy of */
	uint32_t branch;  /* this worker's branch among those begun there */
	uint32_t asleep;  /* number of branches begun before it */
	bool open;        /* the other workers do not know yet what the step does */
	/* dpor_order.c */
	uint32_t number;   /* of the step in its thread, from 1 */
	uint32_t previous; /* node of the thread's previous step; NONE: there is none */
	uint32_t clock;    /* in clocks[] */
	uint32_t width;
	uint32_t links; /* of its touches */
	uint32_t edges; /* other nodes that happen before it */
	uint32_t races; /* number of races in s->race[] that end here or earlier */
	uint32_t world; /* the last node up to this one whose step commutes with nothing */
};

struct sl_dpor_link {
	uint32_t node;
	uint32_t touch; /* of its step */
	uint32_t before;
};

struct sl_dpor_key {
	uint64_t key;
	uint32_t last; /* link */
};

struct sl_dpor_edge {
	uint32_t from; /* node */
	uint32_t next;
};

/* Belongs to the execution whose stamp it has; for all others it is empty. */
struct sl_dpor_thread {
	uint64_t execution;
	uint32_t last;  /* node of its last step */
	uint32_t edges; /* of its next step */
	uint32_t number;
	uint32_t met; /* the node for which this thread's last step has been found */
};

struct sl_dpor_race {
	uint32_t first, second; /* nodes */
	bool perhaps;           /* it is not known whether the second could come first, or to any effect */
};

#define SL_DPOR_PENDING (1u << 15)
/* What a thread could have done before the step that ended its wait. */
struct sl_dpor_instead {
	uint32_t node; /* the step */
	uint32_t thread;
	uint32_t previous; /* node of the thread's previous step */
};

#define SL_DPOR_INSTEAD 4096
#define SL_DPOR_SEQUENCE (1u << 22)
#define SL_DPOR_RACES (1u << 22)
#define SL_DPOR_CANDIDATES (1u << 16)

/* An element of a sequence that is to be inserted into a tree. */
struct sl_dpor_item {
	uint32_t thread, value;
	uint32_t node; /* the node where it was seen */
	uint32_t step; /* what it does */
	bool last;     /* the step that is to come before the one that it raced with */
	bool perhaps;  /* … if it can */
};

struct sl_dpor {
	bool exhausted;
	bool partial;    /* something was left out: cut off, too long, … */
	bool diverged;   /* this execution differs from what it was to repeat */
	bool useless;    /* what this execution was run for did not happen */
	bool off;        /* this execution is no longer followed */
	uint32_t length; /* nodes[1 … length] */
	uint32_t cursor; /* number of nodes that this execution has passed */
	uint32_t fresh;  /* from this node on the steps of this execution are new */
	struct {
		bool set;       /* only executions with at most `most` preemptions: see sl_dpor_reverse_races() */
		bool forbidden; /* the bound has forbidden something */
		uint32_t most, spent;
	} bound;
	/* With prioritisation (prioritise.h), see dpor.c. */
	struct {
		enum sl_prioritise mode;
		uint16_t impacted;    /* flags of operations */
		bool shuffled;        /* answers that are not asked for are drawn, not the default ones */
		bool later;           /* something was left to a later round */
		bool limited;         /* … and no later round is asked for */
		uint32_t bound, most; /* on the postponed answers of an execution, in this round and in all */
		uint32_t spent;
		uint64_t seed;
	} first;
	uint32_t stuck; /* nodes beyond the last: steps that were never performed (see dpor.c) */
	uint32_t at;    /* node of the current step; NONE: before the first */
	uint32_t carry; /* tree for the next node */
	struct {
		uint64_t executions; /* in all */
		uint64_t skipped;    /* of these, the abandoned ones */
		uint64_t blocked;    /* of these, those begun in vain: every enabled thread had been tried */
	} counts;
	/* With other workers (dpor_share.c). */
	struct {
		struct sl_dpor_common *common; /* NULL: there is one worker */
		const uint64_t *generation;
		uint64_t joined; /* plus 1 */
		uint32_t worker;
		uint32_t nodes; /* nodes[1 … nodes] are common ones */
		bool idle;      /* there was nothing to run */
	} share;
	uint32_t kept; /* number of nodes when this execution began */
	/* What is used of the tables below, and what is free in them. */
	struct {
		uint32_t steps_used, steps_free, trees_used, trees_free;
		/* freed in this execution: not reused before the next one, so that freeing can be undone */
		uint32_t steps_given, steps_given_last, trees_given, trees_given_last;
		uint32_t links_used, edges_used;
		uint64_t clocks_used;
	} room;
	uint32_t threads;
	uint32_t ordered; /* nodes up to this one have clocks, and their races are known */
	uint32_t pending; /* orders that hold from the end of this step on */
	uint32_t races;
	uint32_t insteads;
	struct {
		uint64_t value; /* updated now and then */
		uint64_t nodes[SL_DPOR_ENABLED],
			branches[SL_DPOR_ENABLED]; /* by `enabled`: finished nodes, and their branches */
	} estimate;
	/* a stamp: an execution that is begun again has another; everything above is saved when it begins */
	uint64_t execution;
	struct sl_dpor_instead instead[SL_DPOR_INSTEAD];
	uint32_t pending_from[SL_DPOR_PENDING], pending_to[SL_DPOR_PENDING];
	struct sl_dpor_thread thread[SL_STRATEGY_THREADS];
	uint32_t scratch[3][SL_STRATEGY_THREADS];
	struct sl_dpor_key keys[SL_DPOR_KEYS];
	uint32_t candidates[SL_DPOR_CANDIDATES];
	struct sl_dpor_item sequence[SL_DPOR_SEQUENCE];
	struct sl_dpor_race race[SL_DPOR_RACES];
	struct sl_dpor_node nodes[SL_DPOR_NODES];
	uint32_t sleeps[SL_DPOR_NODES * 4];
	struct sl_dpor_step steps[SL_DPOR_STEPS];
	struct sl_dpor_tree trees[SL_DPOR_TREE];
	struct sl_dpor_link links[SL_DPOR_LINKS];
	struct sl_dpor_edge edges[SL_DPOR_EDGES];
	uint32_t clocks[SL_DPOR_CLOCKS];
};

static inline bool
sl_dpor_is_value(const struct sl_dpor_node *n)
{
	return n->value != SL_DPOR_NO_VALUE;
}

/* dpor_step.c */
uint32_t sl_dpor_step_new(struct sl_dpor *s, const struct sl_step *step); /* NONE: no room */
uint32_t sl_dpor_step_keep(struct sl_dpor *s, uint32_t step);
void sl_dpor_step_drop(struct sl_dpor *s, uint32_t step);
bool sl_dpor_commute(const struct sl_dpor *s, uint32_t a, uint32_t b);

/* dpor_order.c */
void sl_dpor_order_begin(struct sl_dpor *s);
/* The thread of this node is chosen: what happens before its step? */
void sl_dpor_order_choose(struct sl_dpor *s, uint32_t node);
/* The step of s->at is over. */
void sl_dpor_order_stepped(struct sl_dpor *s);
void sl_dpor_ordered(void *state, uint32_t from, uint32_t to);
void sl_dpor_instead(void *state, uint32_t thread);
void sl_dpor_vain(void *state, uint32_t thread, uint64_t from, uint64_t to);
/* The execution is over: finds the races of the new steps, and inserts the reversed sequences into the trees. */
void sl_dpor_reverse_races(struct sl_dpor *s);
/* Forgets the order of the nodes from this one on. */
void sl_dpor_order_cut(struct sl_dpor *s, uint32_t from);
bool sl_dpor_before(const struct sl_dpor *s, uint32_t a, uint32_t b);

/* dpor_estimate.c */
void sl_dpor_node_done(struct sl_dpor *s, const struct sl_dpor_node *n);
uint64_t sl_dpor_estimate(const struct sl_dpor *s);
/* dpor_undo.c */
void sl_dpor_save(struct sl_dpor *s);
void sl_dpor_reuse(struct sl_dpor *s); /* what was freed before may be reused */
void sl_dpor_recover(void *state);

/* dpor_share.c */
void sl_dpor_share_join(struct sl_dpor *s, uint64_t generation);
void sl_dpor_share_insert(struct sl_dpor *s, uint32_t node, uint32_t count);
void sl_dpor_share_settle(struct sl_dpor *s);
bool sl_dpor_share_next(struct sl_dpor *s, struct sl_dpor_node *node);
bool sl_dpor_share_expanded(struct sl_dpor *s, struct sl_dpor_node *node);
void sl_dpor_share_leave(struct sl_dpor *s, uint32_t node);
void sl_dpor_share(struct sl_dpor *s);
void sl_dpor_share_idle(struct sl_dpor *s);
bool sl_dpor_share_find(struct sl_dpor *s);
bool sl_dpor_share_is_over(const struct sl_dpor *s);
bool sl_dpor_share_is_partial(const struct sl_dpor *s);
void sl_dpor_share_spoil(struct sl_dpor *s);
bool sl_dpor_share_waits(const struct sl_dpor *s);
/* The execution is over and its steps are ordered: is it the first of its class? */
bool sl_dpor_share_is_new(struct sl_dpor *s);

/* dpor_tree.c */
void sl_dpor_tree_free(struct sl_dpor *s, uint32_t list);
/* Removes the first tree from a list. */
uint32_t sl_dpor_tree_take(struct sl_dpor *s, uint32_t *list);
void sl_dpor_tree_give(struct sl_dpor *s, uint32_t tree); /* this tree alone, without its children */
/* Appends a tree of one node; false: no room. */
bool sl_dpor_tree_add(struct sl_dpor *s, uint32_t *list, uint32_t thread, uint32_t value, uint32_t step,
		      bool target);
/* Removes the trees that begin with a thread from a list, and leaves those that begin with a value. */
uint32_t sl_dpor_tree_split(struct sl_dpor *s, uint32_t *list);
void sl_dpor_tree_append(struct sl_dpor *s, uint32_t *list, uint32_t more);
/* Makes sure that the sequence s->sequence[0 … count-1], or an equivalent one, will be run from the node. */
void sl_dpor_insert(struct sl_dpor *s, uint32_t node, uint32_t count);
/* The same for a list of trees; true: the list has grown. */
bool sl_dpor_insert_into(struct sl_dpor *s, uint32_t *list, uint32_t count);
bool sl_dpor_covers(struct sl_dpor *s, uint32_t tree, uint32_t count);
bool sl_dpor_comes_first(const struct sl_dpor *s, uint32_t step, uint32_t tree, unsigned depth);

#endif
