/*
 * The state of the search by equivalence, in three parts:
 *
 *	dpor.c        the search: a stack of nodes, one for each choice of the execution under way
 *	dpor_step.c   steps: what is remembered of them, and which commute
 *	dpor_order.c  which steps of an execution must stay in their order, and which pairs could be turned round
 *	dpor_tree.c   wake-up trees: the beginnings of executions that are still to be run from a node
 *	dpor_estimate.c  how many executions there may be in all
 *	dpor_share.c  several workers on one tree; dpor_common.h: what they share
 *	dpor_undo.c   after a kill: what is not written down when it is changed (base/undo.h)
 *
 * The algorithm is Optimal DPOR (Abdulla, Aronis, Jonsson and Sagonas: Source Sets, JACM 2017), with what it needs
 * for operations that wait and for choices of values. Words: two steps *commute* if they touch nothing in common, or
 * both only read it. Step A is *before* B if no exchange of neighbours that commute can bring B in front of A.
 * A *race* is a pair of steps of different threads with A before B for no other reason than that they do not commute.
 */
#ifndef SL_STRATEGY_DPOR_DPOR_H
#define SL_STRATEGY_DPOR_DPOR_H

#include "strategy/strategy.h"

#define SL_DPOR_NODES (1u << 22)
#define SL_DPOR_STEPS (1u << 21)
#define SL_DPOR_TREE (1u << 22)
#define SL_DPOR_LINKS (1u << 24)
#define SL_DPOR_CLOCKS (1u << 27)
#define SL_DPOR_KEYS (1u << 21)
#define SL_DPOR_EDGES (1u << 22)
#define SL_DPOR_ENABLED 64
#define SL_DPOR_NONE 0 /* no step, no tree, no link, no edge: numbers start at 1 */
#define SL_DPOR_NO_VALUE UINT32_MAX
#define SL_DPOR_VAIN (1u << 31) /* with a step that sleeps: it was in vain, and nothing was tried after it */

/* A step that was performed, or will be; shared by those who remember it. */
struct sl_dpor_step {
	uint32_t references;
	uint32_t next; /* in the list of those that are free */
	uint64_t keys; /* a bit for each touch, so that most pairs are seen to commute at once */
	struct sl_step step;
};

/* A node of a wake-up tree: a thread goes, or a value is chosen in the step of that thread. */
struct sl_dpor_tree {
	uint32_t thread;
	uint32_t value; /* SL_DPOR_NO_VALUE: the thread goes */
	uint32_t step;  /* what it did when it was seen elsewhere */
	bool target;    /* the step for whose sake the sequence is run */
	bool perhaps;   /* if it can't be done, or to no avail, nothing is run below it */
	uint32_t
		begun; /* dpor_share.c: 0, or which one of its node's it was; it is here only to be compared with */
	uint32_t children, next;
	uint32_t free; /* in the list of those that are */
};

/* A choice of the execution under way. */
struct sl_dpor_node {
	uint32_t thread;
	uint32_t value, count; /* of a choice of values: what was chosen, of how many; else SL_DPOR_NO_VALUE */
	uint32_t list;         /* trees that are still to be run from here */
	uint32_t subtree;      /* what is to be run below the choice that was made, if it was made from a tree */
	uint32_t sleep, sleep_count; /* in sleeps[]: steps that need not be done next, because that was tried */
	uint32_t step;               /* what happened; NONE: not known yet */
	uint32_t united;             /* what it was with other values that were chosen in it, all together */
	uint32_t tried;              /* choices from here that are done with */
	uint32_t enabled;            /* threads that could go; 0: a choice of values */
	bool target;                 /* it was chosen for the sake of this very step */
	bool vain;                   /* the step was one of a loop that waits: as if it had not been */
	bool futile;   /* a choice that was made for the sake of its step was in vain: others may be too */
	bool expanded; /* that has been done */
	bool turn;     /* it is to be done now */
	bool expand;   /* the step ended everything: all others that could go must be tried instead */
	/* dpor_share.c */
	uint32_t shared;  /* the common node; 0: it is ours alone */
	uint32_t version; /* of the common list that ours is a copy of */
	uint32_t branch;  /* which of those begun there is ours */
	uint32_t asleep;  /* how many were before it */
	bool open;        /* the others do not know yet what the step does */
	/* dpor_order.c */
	uint32_t number;   /* of the step in its thread, from 1 */
	uint32_t previous; /* node of the thread's step before; NONE: there is none */
	uint32_t clock;    /* in clocks[] */
	uint32_t width;
	uint32_t links; /* of its touches */
	uint32_t edges; /* what else comes before it */
	uint32_t races; /* how many of s->race[] end here or before */
	uint32_t world; /* the last node up to this one whose step may not be exchanged with anything */
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

/* In this execution, or nothing. */
struct sl_dpor_thread {
	uint64_t execution;
	uint32_t last;  /* node of its last step */
	uint32_t edges; /* for its next one */
	uint32_t number;
	uint32_t met; /* the node that looks for the last steps of all threads, and has found this one's */
};

struct sl_dpor_race {
	uint32_t first, second; /* nodes */
	bool perhaps;           /* nobody knows whether the second could come first, or to any avail */
};

#define SL_DPOR_PENDING (1u << 15)
/* What a thread could have done before a step that ended its wait. */
struct sl_dpor_instead {
	uint32_t node; /* the step */
	uint32_t thread;
	uint32_t previous; /* of the thread, before it */
};

#define SL_DPOR_INSTEAD 4096
#define SL_DPOR_SEQUENCE (1u << 22)
#define SL_DPOR_RACES (1u << 22)
#define SL_DPOR_CANDIDATES (1u << 16)

/* An element of a sequence that is to be put into a tree. */
struct sl_dpor_item {
	uint32_t thread, value;
	uint32_t node; /* where it was seen */
	uint32_t step; /* what it does */
	bool last;     /* the step that is to come before what it raced with */
	bool perhaps;  /* … if it can */
};

struct sl_dpor {
	bool exhausted;
	bool partial;    /* something was left out: cut, too long, … */
	bool diverged;   /* what happened is not what had happened before */
	bool useless;    /* what this execution was run for came to nothing */
	bool off;        /* this execution is not followed any more */
	uint32_t length; /* nodes[1 … length] */
	uint32_t cursor; /* how many of them this execution has passed */
	uint32_t fresh;  /* from this node on the steps of this execution are new */
	bool bounded;    /* only executions with at most `bound` preemptions: see sl_dpor_reverse_races() */
	bool forbidden;  /* the bound has kept something away */
	uint32_t bound, spent;
	uint32_t stuck;                /* nodes beyond the last: steps that could not be made (see dpor.c) */
	uint32_t at;                   /* node of the step under way; NONE: before the first */
	uint32_t carry;                /* tree for the node that comes next */
	uint64_t executions, skipped;  /* in all; those that were abandoned */
	uint64_t blocked;              /* those that were begun in vain: all that could go on had been tried */
	struct sl_dpor_common *common; /* dpor_share.c; NULL: there is one worker */
	const uint64_t *generation;
	uint64_t joined; /* plus 1 */
	uint32_t worker;
	uint32_t shared; /* nodes[1 … shared] are common ones */
	bool idle;       /* there was nothing to do */
	uint32_t kept;   /* so many nodes were there when this execution began */
	uint32_t steps_used, steps_free, trees_used, trees_free;
	/* given back in this execution: not to be used again before the next, so that it can be undone */
	uint32_t steps_given, steps_given_last, trees_given, trees_given_last;
	uint32_t links_used, edges_used, threads;
	uint32_t ordered; /* nodes up to this one have their clocks, and their races are known */
	uint64_t clocks_used;
	uint32_t pending; /* orders that count from the end of this step on */
	uint32_t races;
	uint32_t insteads;
	uint64_t estimate; /* of now and then */
	uint64_t done[SL_DPOR_ENABLED],
		done_branches[SL_DPOR_ENABLED]; /* nodes, and what they had, by `enabled` */
	uint64_t execution; /* a stamp: one that is begun again has another; all above is saved when it begins */
	struct sl_dpor_instead instead[SL_DPOR_INSTEAD];
	uint32_t pending_from[SL_DPOR_PENDING], pending_to[SL_DPOR_PENDING];
	struct sl_dpor_thread thread[SL_STRATEGY_THREADS];
	uint32_t scratch[SL_STRATEGY_THREADS], scratch2[SL_STRATEGY_THREADS], scratch3[SL_STRATEGY_THREADS];
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
/* The thread of this node goes: what comes before its step? */
void sl_dpor_order_choose(struct sl_dpor *s, uint32_t node);
/* The step of s->at is over. */
void sl_dpor_order_stepped(struct sl_dpor *s);
void sl_dpor_ordered(void *state, uint32_t from, uint32_t to);
void sl_dpor_instead(void *state, uint32_t thread);
void sl_dpor_vain(void *state, uint32_t thread, uint64_t from, uint64_t to);
/* The execution is over: finds the races of the new steps and puts what follows from them into the trees. */
void sl_dpor_reverse_races(struct sl_dpor *s);
/* Forgets all that is known of nodes from this one on. */
void sl_dpor_order_cut(struct sl_dpor *s, uint32_t from);
bool sl_dpor_before(const struct sl_dpor *s, uint32_t a, uint32_t b);

/* dpor_estimate.c */
void sl_dpor_node_done(struct sl_dpor *s, const struct sl_dpor_node *n);
uint64_t sl_dpor_estimate(const struct sl_dpor *s);
/* dpor_undo.c */
void sl_dpor_save(struct sl_dpor *s);
void sl_dpor_reuse(struct sl_dpor *s); /* what was given back before may be used again */
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
/* The execution is over and its steps are in order: is it the first of its class? */
bool sl_dpor_share_is_new(struct sl_dpor *s);

/* dpor_tree.c */
void sl_dpor_tree_free(struct sl_dpor *s, uint32_t list);
/* Takes the first tree off a list. */
uint32_t sl_dpor_tree_take(struct sl_dpor *s, uint32_t *list);
void sl_dpor_tree_give(struct sl_dpor *s, uint32_t tree); /* it alone, not its children */
/* Appends a tree of one node; false: no room. */
bool sl_dpor_tree_add(struct sl_dpor *s, uint32_t *list, uint32_t thread, uint32_t value, uint32_t step,
		      bool target);
/* Takes those that begin with a thread off a list, and leaves those that begin with a value. */
uint32_t sl_dpor_tree_split(struct sl_dpor *s, uint32_t *list);
void sl_dpor_tree_append(struct sl_dpor *s, uint32_t *list, uint32_t more);
/* Makes sure that the sequence s->sequence[0 … count-1], or what is equivalent to it, will be run from the node. */
void sl_dpor_insert(struct sl_dpor *s, uint32_t node, uint32_t count);
/* The same for a list of trees; true: there is more in it now. */
bool sl_dpor_insert_into(struct sl_dpor *s, uint32_t *list, uint32_t count);
bool sl_dpor_covers(struct sl_dpor *s, uint32_t tree, uint32_t count);
bool sl_dpor_comes_first(const struct sl_dpor *s, uint32_t step, uint32_t tree, unsigned depth);

#endif
