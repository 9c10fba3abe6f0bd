/*
 * Read-write sequences and their execution-variants: the variant graph of reachability testing, which is a baseline of
 * `sleave paths` (--method reach and tpair). Algorithm 1 of "Efficient Execution Path Exploration for Detecting Races in
 * Concurrent Programs", with its extensions for locks and waits (section IV.C), and with creating and joining threads.
 *
 * A node of the graph says how far each thread has come, where every operation met the version of its variable that it met in
 * the recorded execution. Where an operation would meet another version, there is an execution-variant. Operations that a lock, a
 * wait, or a thread that was not created yet, keeps from happening are infeasible and not followed.
 *
 * Only two levels of the graph exist at a time: nodes with equally many operations, and the next ones. How a node was reached is
 * kept as long as a node of these levels needs it.
 *
 * Where this differs from the paper:
 * - The version of a write is the one that it replaces. (The paper leaves this open; the same nodes are variants either way.)
 * - Of the equivalent ways to a node the one that is most like the recorded order is taken: its last operation is the latest of the
 *   recording. The paper does so in its Table II, and does not say it. There the order of the operations of a variant depends
 *   on which way is taken.
 * - A notification wakes the threads that wait for its object; the paper knows only one. It wakes all of them: where it would wake
 *   one only, orders are taken for feasible that are not.
 * - A wait that no thread ended in the recording (it timed out) keeps nothing from happening.
 */
#ifndef SL_PATHS_VARIANTS_H
#define SL_PATHS_VARIANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sl_rw_kind {
	SL_RW_READ,
	SL_RW_WRITE,
	SL_RW_UPDATE, /* reads and writes at once */
	SL_RW_LOCK,
	SL_RW_SHARE, /* locks, together with others who share */
	SL_RW_UNLOCK,
	SL_RW_WAIT, /* without the lock: that is unlocked before it, and locked after it, by events of their own */
	SL_RW_NOTIFY,
	SL_RW_CREATE,
	SL_RW_JOIN,
};

/* A lock that its thread holds already is not locked again: only the outermost LOCK and UNLOCK are events. */
struct sl_rw_event {
	uint32_t thread; /* from 0 */
	uint32_t kind;   /* enum sl_rw_kind */
	uint32_t object; /* number of the variable, the lock, the condition; of CREATE and JOIN: the thread */
	/*
	 * Of a write: writes to an object with the same number, not 0, write the same value in every order of the
	 * events, whatever their threads have read. 0: the value is not known, or depends on what the thread has read.
	 */
	uint32_t value;
	const char *label; /* "3:read x" */
};

/* In the order in which they were recorded. Events are named by their place in it. */
struct sl_rw_sequence {
	const struct sl_rw_event *events;
	uint32_t count;
};

/* The number of threads: one more than the highest number of one. */
uint32_t sl_rw_threads(const struct sl_rw_sequence *sequence);

/*
 * Returns whether the event is a wait that was recorded to end by a notification of another thread (for which `inside`
 * is true, if it is given).
 */
bool sl_rw_blocks(const struct sl_rw_sequence *sequence, uint32_t wait, const bool *inside);

struct sl_variant {
	const uint32_t *events; /* what is executed; the last one meets another version than in the recording */
	uint32_t count;
};

struct sl_variants;

/* How much of the graph there may be. */
struct sl_variant_limits {
	size_t width;   /* nodes of a level: the memory */
	uint64_t nodes; /* in all: the time */
};

#define SL_RW_ALL UINT32_MAX

/*
 * The variants of a sequence, which has to stay. With two threads (`one`, `other`) instead
 * of SL_RW_ALL only the events of these are executed (TPAIR), while the other threads are as recorded: what they create, join
 * and notify has happened when it is needed, and the locks that they hold they have released.
 */
struct sl_variants *sl_variants_new(const struct sl_rw_sequence *sequence, uint32_t one, uint32_t other,
				    const struct sl_variant_limits *limits);
/* Returns whether there is one more, which stays until the next call, and may be NULL: not wanted. Each variant comes once. */
bool sl_variants_next(struct sl_variants *v, struct sl_variant *variant);
/* Whether nodes were left out because of the limits: there may be more variants than were found. */
bool sl_variants_cut(const struct sl_variants *v);
uint64_t sl_variants_nodes(const struct sl_variants *v); /* how many there were so far, without variants */
void sl_variants_free(struct sl_variants *v);

struct sl_variant_count {
	uint64_t variants;
	bool more; /* than these */
};

/* How many there are; counting stops at `most`. */
struct sl_variant_count sl_variants_count(const struct sl_rw_sequence *sequence,
					  const struct sl_variant_limits *limits, uint64_t most);
/* The sum over all pairs of threads; the limits are those of each pair. */
struct sl_variant_count sl_variants_count_pairs(const struct sl_rw_sequence *sequence,
						const struct sl_variant_limits *limits, uint64_t most);

#endif
