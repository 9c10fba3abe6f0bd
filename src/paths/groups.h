/*
 * Groups of orders that give a branch the same outcome: Algorithm 3 of "Efficient Execution Path Exploration for Detecting Races in
 * Concurrent Programs", which groups the execution-variants of a variant graph, and what `sleave paths` uses instead: the same
 * orders from the partial order of the events that the branch depends on (BranchRelOP), without the graph.
 *
 * An order is cut where the branch is decided: after the last of these events that is of the branch's own thread. Nothing that is not
 * needed until then has to happen. Different orders can let the reads see the same writes: they are one class.
 *
 * Where this differs from the paper:
 * - The order of a variant ends where the variant meets another version, and the rest of the execution is not known. So one group of
 *   the paper can stand for several orders: g4 of Table II (write x, read x) for that before and that after the write of y. And
 *   an order of a group can be the recorded one: g2 of Table II is the order of the recording.
 * - Tables VI and VII show the writes after the last read, too (906:read, 765:write), Table II does not. They are here in the rest of
 *   an order (struct sl_branch_order).
 */
#ifndef SL_PATHS_GROUPS_H
#define SL_PATHS_GROUPS_H

#include "paths/variants.h"

/* Algorithm 3: execution-variants with the same order of the events that a branch depends on. */
struct sl_variant_group {
	uint32_t *order; /* events */
	uint32_t count;
	uint32_t *members; /* numbers of variants */
	size_t member_count, member_room;
};

struct sl_variant_groups {
	struct sl_variant_group *items;
	size_t count, room;
};

/* Adds a variant to its group, by its number; `affects` says of each event of the sequence whether the branch depends on it. */
void sl_variant_groups_add(struct sl_variant_groups *groups, const bool *affects, const struct sl_variant *variant,
			   uint32_t number);
void sl_variant_groups_release(struct sl_variant_groups *groups);

/* What a branch depends on. */
struct sl_affecting {
	const struct sl_rw_sequence *sequence; /* stays, as `set` does */
	/*
	 * Reads, writes and updates, in the order of the sequence: with a read every write of its object is in the set. What an
	 * event of the set depends on is in the set, and is before it in its thread, or a write that one of these reads sees.
	 */
	const uint32_t *set;
	uint32_t count;
	uint32_t thread; /* of the branch */
};

struct sl_branch_order {
	/* The events of the set: so many (`until`) come before the branch, in this order, the others after it, as recorded. */
	const uint32_t *events;
	uint32_t count, until;
	/* What is executed, in an order that has it: events of the set, and those that order threads. */
	const uint32_t *run;
	uint32_t run_count;
};

struct sl_branch_orders;

struct sl_branch_orders *sl_branch_orders_new(const struct sl_affecting *affecting);
/*
 * Returns whether there is one more, which stays until the next call. Each order comes once, the recorded one first; there
 * is none if the thread of the branch does nothing in the set.
 */
bool sl_branch_orders_next(struct sl_branch_orders *orders, struct sl_branch_order *order);
/*
 * Whether all orders so far are feasible, as far as the sequence has what orders threads. If not (there are too many locks and waits to
 * consider), none is missing, but some may be infeasible.
 */
bool sl_branch_orders_exact(const struct sl_branch_orders *orders);
/* There are too many events to order them, or the search for one more was given up: there may be others than those that were found. */
bool sl_branch_orders_too_large(const struct sl_branch_orders *orders);
void sl_branch_orders_free(struct sl_branch_orders *orders);

#define SL_BRANCH_INITIAL UINT32_MAX

/* A read and what it sees. */
struct sl_branch_seen {
	uint32_t read;  /* event */
	uint32_t value; /* number of the value (struct sl_rw_event); 0: see `write` */
	uint32_t write; /* event, one of those with the value; SL_BRANCH_INITIAL: no write of the sequence */
};

/*
 * What the branch's reads see. The reads of another thread belong to it if one of the branch's reads sees what the thread
 * wrote after them, and so on.
 */
struct sl_branch_class {
	const struct sl_branch_seen *seen; /* in the order of the sequence */
	uint32_t count;
	const uint32_t *run; /* as in struct sl_branch_order */
	uint32_t run_count;
};

struct sl_branch_classes;

/*
 * Without going through the orders, of which there can be very many more. The functions are as those of orders, and classes are too
 * large as well if too many reads belong to one.
 */
struct sl_branch_classes *sl_branch_classes_new(const struct sl_affecting *affecting);
bool sl_branch_classes_next(struct sl_branch_classes *classes, struct sl_branch_class *class);
bool sl_branch_classes_exact(const struct sl_branch_classes *classes);
bool sl_branch_classes_too_large(const struct sl_branch_classes *classes);
void sl_branch_classes_free(struct sl_branch_classes *classes);

/* The class of an order: fills `seen`, which has room for as many as the set has events, and returns how many there are. */
uint32_t sl_branch_class_of_order(const struct sl_affecting *affecting, const uint32_t *events, uint32_t count,
				  struct sl_branch_seen *seen);
/* Whether two classes are the same: the outcome of the branch is. */
bool sl_branch_class_same(const struct sl_branch_seen *a, uint32_t a_count, const struct sl_branch_seen *b,
			  uint32_t b_count);

/* "1:read x -> 10:write x": the labels of events. The text is allocated. */
char *sl_branch_order_text(const struct sl_rw_sequence *sequence, const uint32_t *events, uint32_t count);
/* "1:read x sees 10:write x, 1:read y the initial value". The text is allocated. */
char *sl_branch_class_text(const struct sl_rw_sequence *sequence, const struct sl_branch_seen *seen,
			   uint32_t count);

#endif
