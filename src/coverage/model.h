/*
 * The thread model: the actions of each thread of one execution on locks, and their order in all executions with the same
 * actions. Made from items; used by estimate.c. It uses only the given memory.
 */
#ifndef SL_COVERAGE_MODEL_H
#define SL_COVERAGE_MODEL_H

#include "coverage/coverage.h"

#define SL_NO_ACTION UINT32_MAX
#define SL_EVERYTHING UINT32_MAX /* of a thread that has ended */

/* ---- memory, taken from one block and never freed ---- */

struct sl_memory {
	unsigned char *at, *end;
};

/* Returns zeroed memory; NULL: there is no more. */
void *sl_memory_take(struct sl_memory *memory, size_t count, size_t size);

/* Gives keys numbers from 0, in the order in which they appear. */
struct sl_numbers {
	uint64_t *keys;
	uint32_t *slots, count, room; /* slots: numbers plus one, twice as many as room */
};

bool sl_numbers_init(struct sl_numbers *numbers, uint32_t room, struct sl_memory *memory);
/* Returns SL_NO_ACTION if it does not exist and must not be made, or if there is no room. */
uint32_t sl_numbers_get(struct sl_numbers *numbers, uint64_t key, bool make);

/* ---- happens-before (order.c) ---- */

/*
 * A thread's releases are the events that other threads may wait for: a creation, its end, its arrival at a barrier, a post.
 * p comes before q if q's thread knew of a release of p's thread that came after p. The knowledge of a thread is a row of
 * numbers: the number of known releases of each thread. Rows are kept where an action needs them (segments).
 *
 * Only orders that hold in every execution with the same actions count: the order of threads at a mutex does not. A barrier
 * orders if exactly as many threads wait at it as it needs. At a semaphore, the j-th wait of a thread comes after as many
 * posts of another thread as are needed even if all others have performed all their posts. Whether a thread waits for a
 * condition variable at all depends on the schedule; but a thread that has waited, and did not time out, comes after the
 * first signal, if only one thread signals. Items do not say by how much semop() changes which semaphore of a set, so the order
 * that it makes is unknown: then less is ruled out than could be.
 */
struct sl_order {
	uint32_t threads;
	bool known;         /* false: too many threads; then nothing is ordered */
	uint32_t *releases; /* by thread, so far */
	uint32_t *rows;     /* the knowledge of each thread */
	uint32_t *segment;  /* by thread: the index of its stored row; SL_NO_ACTION: it has changed since */
	uint32_t *kept;     /* rows */
	uint32_t kept_count, kept_room;
	struct sl_numbers conditions;
	struct sl_condition {
		uint32_t signaller;  /* the thread plus one; 0: no thread signals it */
		uint32_t snapshot;   /* the stored row of the signaller at its first signal */
		bool off, signalled; /* off: several threads signal, or a wait ended without a signal */
	} * conds;
	uint32_t *waits;                               /* by thread: the condition that it waits for, plus one */
	struct sl_numbers semaphores, barriers, parts; /* parts: (semaphore or barrier, thread) */
	struct sl_semaphore {
		uint64_t initial, posts;
		bool known, off;
	} * sems;
	struct sl_barrier {
		uint64_t next, limit;
		uint32_t members, waiting;
		bool off;
	} * bars;
	struct sl_part {
		uint32_t thread, object;
		uint32_t posts, posted, waited; /* posts: the total number */
		uint32_t next;                  /* the next part of the same semaphore or barrier, plus one */
		uint32_t *snapshots;            /* numbers of stored rows, one for each post; NULL: none */
	} * part;
	uint32_t *first_part; /* by semaphore, then by barrier; plus one */
};

/* free_waits: waits for condition variables may end without a signal. */
bool sl_order_init(struct sl_order *order, const struct sl_item *items, uint64_t count, bool free_waits,
		   struct sl_memory *memory);
void sl_order_item(struct sl_order *order, const struct sl_item *item);
/* Returns the segment in which the row of the thread is kept. */
uint32_t sl_order_segment(struct sl_order *order, uint32_t thread);

/* Returns the number of releases of the thread that are known in this segment. */
static inline uint32_t
sl_order_knows(const struct sl_order *order, uint32_t segment, uint32_t thread)
{
	return order->known && segment != SL_NO_ACTION ? order->kept[(size_t)segment * order->threads + thread]
						       : 0;
}

/* ---- lock actions (model.c) ---- */

struct sl_action {
	uint32_t thread, lock, place;
	uint32_t held;         /* the set of locks that are held when it begins */
	uint32_t held_on;      /* … held from it until the next action of its thread on this lock */
	uint32_t held_from;    /* … held since the previous one */
	uint32_t held_through; /* … held from it until the lock is released */
	uint32_t next, previous;
	uint32_t before;       /* releases of its thread that precede it */
	uint32_t given_before; /* … that precede the release of the lock; SL_EVERYTHING: it is never released */
	uint32_t segment;
	uint32_t condition;        /* if it ends a wait by a signal: the number of the condition plus one */
	uint32_t hold, hold_count; /* the acquisitions that are held when it begins */
	bool shared;
	bool tries; /* it does not wait for the lock */
};

#define SL_HELD 64 /* locks of a thread at a time; further ones are ignored */

struct sl_model {
	struct sl_memory *memory;
	struct sl_order order;
	bool free_waits; /* waits for condition variables may end without a signal */
	struct sl_numbers addresses, locks, conditions; /* a lock that is initialised again is another lock */
	struct sl_numbers pairs;                        /* (lock, thread) */
	uint32_t *latest;                               /* by pair: its last action */
	uint32_t *generation;                           /* by address */
	bool *readable;                                 /* by address: it is a read-write lock */
	struct sl_action *actions;
	uint32_t action_count;
	uint32_t *held_numbers; /* of all actions */
	uint32_t held_used, held_room;
	struct {
		uint32_t count, condition;
		uint32_t snapshot;            /* of what it holds now; plus one; 0: not made */
		struct sl_hold held[SL_HELD]; /* taken: the number of the acquisition */
	} * threads;
	uint32_t *snapshots; /* each is a count and numbers of acquisitions; [0] is the empty one */
	uint32_t snapshot_used, snapshot_room;
	struct sl_set {
		uint32_t first, count; /* of members */
	} * sets;                      /* 0 is the empty one */
	uint32_t set_count, set_room;
	uint32_t *members; /* lock << 1 | shared, ascending */
	uint32_t member_count, member_room;
	uint32_t *set_slots; /* numbers plus one */
	/* by condition: the sets of locks held at its signals; `many`: there were more */
	struct sl_signals {
		uint32_t count;
		bool many, odd; /* odd: some wait ended without a signal */
		uint32_t sets[8];
	} * signals;
};

bool sl_model_init(struct sl_model *model, struct sl_coverage *coverage, const struct sl_item *items,
		   uint64_t count, struct sl_memory *memory);

/*
 * The same in steps, for callers that read the model between two items: first makes room for these items, then
 * adds one after the other.
 */
bool sl_model_start(struct sl_model *model, const struct sl_coverage *coverage, const struct sl_item *items,
		    uint64_t count, struct sl_memory *memory);
void sl_model_item(struct sl_model *model, struct sl_coverage *coverage, const struct sl_item *item);
/*
 * Returns the set of locks that the thread holds now; the other function returns a snapshot, which tells later
 * which of them it has held since then.
 */
uint32_t sl_model_held(struct sl_model *model, uint32_t thread);
uint32_t sl_model_snapshot(struct sl_model *model, uint32_t thread);
uint32_t sl_model_held_since(struct sl_model *model, uint32_t thread, uint32_t snapshot);

/* Returns whether both sets have a lock that two threads cannot hold at the same time, and stores it in *lock. */
bool sl_sets_meet(const struct sl_model *model, uint32_t a, uint32_t b, uint32_t *lock);
bool sl_set_has(const struct sl_model *model, uint32_t set, uint32_t lock);

#endif
