/*
 * Which orders of a few events of a read-write sequence are feasible: the events that a branch depends on, and of all others only
 * those that order threads (locks, waits and notifications, creating and joining).
 *
 * A state says what is known of an order: for each event how many events of each thread come before it, and how far each thread must
 * have come at least. The order ends with the last event that the branch depends on, and nothing has to happen that is not
 * needed until then. What is left open are choices: which of two sections of a lock comes first, which notification ends a
 * wait, which of the writes with one value a read sees, on which side of a read's write another one is. solve() tries them.
 */
#ifndef SL_PATHS_FEASIBLE_H
#define SL_PATHS_FEASIBLE_H

#include "paths/variants.h"

#define SL_FEASIBLE_NONE UINT32_MAX

/* Sections of one lock of two threads. */
struct sl_feasible_pair {
	uint32_t one, one_end, other, other_end; /* LOCK and UNLOCK; the end may be NONE: it is never unlocked */
};

struct sl_feasible_wait {
	uint32_t wait, next; /* the event after it of its thread */
};

/* Events are named by their place among those that count here; they are in the recorded order. */
struct sl_feasible {
	const struct sl_rw_sequence *sequence;
	uint32_t count, threads;
	uint32_t *events;   /* of each: its place in the sequence */
	uint32_t *position; /* of each: its place in its thread */
	bool *affects;      /* of each: the branch depends on it */
	uint32_t **lanes;   /* of each thread: its events */
	uint32_t *lengths;  /* of each thread */
	uint32_t last;      /* event; NONE: the thread of the branch does nothing that the branch depends on */
	struct sl_feasible_pair *pairs;
	size_t pair_count, pair_room;
	struct sl_feasible_wait *waits;
	size_t wait_count, wait_room;
	uint32_t *clocks; /* of a state in which nothing is known */
	uint64_t steps;   /* left for solving */
	uint64_t work;    /* done so far: comparisons of events, about */
	bool exact;       /* nothing was left out, and solving never gave up: all that is called feasible is */
	bool too_large;
};

/* What a read sees. */
struct sl_feasible_choice {
	bool chosen;
	uint32_t value; /* one of the writes with this value; 0: see `write` */
	uint32_t write; /* event; NONE: of the initial value (if `value` is 0), or not decided yet */
};

struct sl_feasible_state {
	uint32_t *clocks; /* of each event and thread: so many events of the thread come before it */
	uint32_t *needed; /* of each thread: so many of its events happen */
	uint32_t *chain;  /* of each event: its place in the order that is wanted, from 1; 0: it comes after it */
	struct sl_feasible_choice *choices; /* of each event */
	uint32_t tail, length; /* the last event of the wanted order, and how many it has; NONE: none is wanted */
	uint32_t chosen;       /* how many choices there are */
};

/*
 * The events that the branch depends on, in the order of the sequence, and the thread of the branch. There is one branch, which is
 * decided after the last of the events that are its own thread's. So many events can be ordered (`room`): if there are more, sections
 * of locks are left out, those with nothing in them first, and then it is too large.
 */
void sl_feasible_init(struct sl_feasible *f, const struct sl_rw_sequence *sequence, const uint32_t *set,
		      uint32_t count, uint32_t thread, uint32_t room);
void sl_feasible_release(struct sl_feasible *f);

void sl_feasible_begin(const struct sl_feasible *f, struct sl_feasible_state *s);
void sl_feasible_copy(struct sl_feasible *f, struct sl_feasible_state *to, const struct sl_feasible_state *from);
void sl_feasible_free(struct sl_feasible_state *s);

/* The event comes next in the wanted order. Returns false if it can't. */
bool sl_feasible_append(struct sl_feasible *f, struct sl_feasible_state *s, uint32_t event);
/* The read sees the choice. Returns false if it can't. */
bool sl_feasible_see(struct sl_feasible *f, struct sl_feasible_state *s, uint32_t read,
		     struct sl_feasible_choice choice);
/* Returns whether what is known of the order can be completed, and then the state is complete. */
bool sl_feasible_solve(struct sl_feasible *f, struct sl_feasible_state *s);
/* The events of a complete state in an order, by their places in the sequence: as recorded where it can be. Returns their number. */
uint32_t sl_feasible_run(const struct sl_feasible *f, const struct sl_feasible_state *s, uint32_t *run);

#endif
