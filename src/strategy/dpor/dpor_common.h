/*
 * What the workers of dpor have in common (dpor_share.c), and how it is copied. Steps and trees here have numbers
 * of their own. One lock protects all of it.
 */
#ifndef SL_STRATEGY_DPOR_DPOR_COMMON_H
#define SL_STRATEGY_DPOR_DPOR_COMMON_H

#include "strategy/dpor/dpor.h"

#define SL_COMMON_NODES (1u << 14)
#define SL_COMMON_TREES (1u << 19)
#define SL_COMMON_STEPS (1u << 18)
#define SL_COMMON_CLASSES (1u << 26)
#define SL_COMMON_CLASSES_FIRST (1u << 14)

struct sl_common_step {
	struct sl_step step;
	uint32_t next;
};

struct sl_common_tree {
	uint32_t thread, value, step;
	bool target, perhaps;
	uint32_t begun; /* 0, or its number among its node's begun trees */
	uint32_t children, next;
};

struct sl_common_node {
	uint32_t parent, depth;
	uint32_t users;   /* workers that have it in their stacks; 0: it is free */
	uint32_t version; /* of the list */
	uint32_t list;    /* trees: the begun ones, then the others */
	uint32_t sleep, sleep_last, sleep_count;
	uint32_t begun;
	uint32_t pending; /* 0, or 1 + the worker that has begun a tree and does not know yet what its step does */
	uint32_t count;   /* of values, if values are chosen here */
	uint32_t enabled;
	bool expand, expanded;
	/* the choice in the parent that leads here */
	uint32_t thread, value, step, branch, asleep;
	bool vain;
};

struct sl_dpor_common {
	uint32_t lock;
	uint32_t hungry;  /* workers that have nothing to run */
	uint32_t busy;    /* workers that have something to run */
	uint32_t waiting; /* trees of common nodes that were not begun */
	bool over, partial;
	uint64_t generation; /* plus 1 */
	uint32_t nodes_used, trees_used, trees_free, steps_used, steps_free;
	struct sl_common_node nodes[SL_COMMON_NODES];
	struct sl_common_tree trees[SL_COMMON_TREES];
	struct sl_common_step steps[SL_COMMON_STEPS];
	uint64_t classes[SL_COMMON_CLASSES]; /* hashes of the classes that were run, of this generation */
};

_Static_assert(sizeof(struct sl_dpor_common) <= SL_SHARED_BYTES, "there is no more room");

/* Copies steps and trees from a worker's to the common ones, and back; 0: there is none, or no room. */
uint32_t sl_common_step_out(struct sl_dpor *s, uint32_t step);
uint32_t sl_common_step_in(struct sl_dpor *s, uint32_t step);
uint32_t sl_common_list_in(struct sl_dpor *s, uint32_t list);
uint32_t *sl_common_waiting_of(struct sl_dpor_common *c, struct sl_common_node *x);
void sl_common_put_list(struct sl_dpor *s, struct sl_dpor_node *n, struct sl_common_node *x);
void sl_common_get_list(struct sl_dpor *s, struct sl_dpor_node *n, const struct sl_common_node *x);
void sl_common_put_to_sleep(struct sl_dpor *s, struct sl_common_node *x, uint32_t step);
uint32_t sl_common_branch_of(const struct sl_dpor *s, const struct sl_dpor_node *n);
void sl_common_get_sleep(struct sl_dpor *s, struct sl_dpor_node *n, const struct sl_common_node *x, uint32_t count,
			 uint32_t tree);
void sl_common_node_give(struct sl_dpor *s, uint32_t number);
struct sl_common_node *sl_common_node_new(struct sl_dpor_common *c, uint32_t *number);

#endif
