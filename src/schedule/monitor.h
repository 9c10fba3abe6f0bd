/*
 * The inside of a monitor, shared by monitor.c (events, threads, plain orderings) and logic.c (the others).
 *
 * An event that concerns the plan is a *moment*. Asking and happening work in the same way: the moment says what the event
 * would change, everything is derived from the state before and the moment, and only happening stores the result.
 */
#ifndef SL_SCHEDULE_MONITOR_H
#define SL_SCHEDULE_MONITOR_H

#include "schedule/parse.h"
#include "schedule/schedule.h"

#define SL_MONITOR_THREADS 8192

/* A thread: whether it lives, whether it is blocked, and which of the names in brackets it has. */
#define SL_LIVES 1ull
#define SL_BLOCKED 2ull
#define SL_NAME_BIT(i) (4ull << (i))

/* What is known of an ordering. */
#define SL_VALUE 3u   /* enum sl_value; of a plain one OPEN or FALSE, and final once DONE */
#define SL_NOW 4u     /* literal: true if no more events happen */
#define SL_DONE 8u    /* plain: what is on its right has occurred */
#define SL_DOOMED 16u /* literal: what is on its right can't occur any more without making it false */

/* Literal: what is known of a -> in its tree. (Of a leaf of a plain one with `a#* -> e`: 1, it was so when e occurred.) */
#define SL_LEFT 1u  /* the left side has been true */
#define SL_RIGHT 2u /* the right side has been true */
#define SL_BOTH 4u  /* … after the left side had been */

/* How an ordering is evaluated. */
struct sl_rule {
	const struct sl_formula *formula;
	uint32_t right; /* plain: the atom */
	bool plain;
	bool steady;   /* literal: a moment without its atoms never changes it */
	bool each;     /* plain: e#* on the right */
	bool floating; /* plain: a#* on the left, and one e on the right: a after e counts too */
	/* plain: the left side, if it is && of no more than these, in one place instead of all over the plan's memory; else 0 */
	uint8_t term_count;
	struct sl_term {
		uint32_t need; /* atom: SL_EVERY: as often as the right side */
		uint16_t atom; /* or SL_NO_ATOM: [@t] */
		uint16_t name; /* that must be blocked; SL_NO_NAME: none */
		bool bracket;
	} terms[3];
};

#define SL_NO_ATOM UINT16_MAX
#define SL_NO_NAME UINT16_MAX

/* What an atom is for. */
struct sl_watch {
	uint32_t need;               /* how often it is to match; SL_EVERY: count all */
	uint32_t rights, rights_end; /* in lists: orderings with it on their right */
	uint32_t floats, floats_end; /* in lists: orderings of the form a#* -> e with it on their left */
	uint32_t logics, logics_end; /* in lists: steady literal orderings that it is in */
	bool picky;                  /* it has a thread or an object */
	bool frees;                  /* other events may wait for it */
	bool any;                    /* true each time it matches */
	bool bracket;                /* [a] */
	bool alone;                  /* no event is this one and another at the same time */
	bool literal;                /* in a literal ordering */
	bool stirs;                  /* … that is not steady */
	bool numbered;               /* SL_EVERY: how often it has occurred makes a difference */
};

struct sl_state {
	uint32_t threads; /* how many of them are in use */
	uint32_t broken;  /* how many orderings are false for good */
	uint32_t lost;
	uint32_t padding;
};

struct sl_past {
	uint64_t events;
	uint64_t broken_at;
	uint32_t broken_ordering;
	uint32_t padding;
};

struct sl_monitor {
	bool quick;   /* no threads and no literal orderings to look at */
	bool follows; /* threads must be known */
	bool blocks;  /* … and whether they are blocked */
	const struct sl_plan *plan;
	struct sl_rule *rules; /* one for each ordering */
	struct sl_watch *watches;
	uint32_t *lists;
	uint32_t *literals, literal_count; /* literal orderings */
	uint32_t restless;  /* so many of them, the first, each moment may change: those that are not steady */
	const char **names; /* in brackets: globs, then the names that may be an event's */
	uint32_t name_count, glob_count;
	uint16_t *name_of; /* of each formula */
	struct sl_past past;
	uint64_t changes; /* see sl_monitor_changes() */
	bool calm;        /* another moment that has nothing to do with literal orderings would not change them */
	/* the state, one block; the arrays follow each other */
	struct sl_state *state;
	uint32_t *counts;  /* of each atom; not beyond what it needs */
	uint32_t *owners;  /* of each atom in brackets: the thread that performed it */
	uint32_t *living;  /* of each name */
	uint32_t *blocked; /* of each name */
	uint8_t *nodes;    /* of each formula */
	uint8_t *values;   /* of each ordering */
	uint64_t *threads;
};

struct sl_moment {
	const struct sl_event *event; /* NULL: nothing has happened yet */
	uint32_t thread;
	uint64_t before, after; /* the word of its thread */
	uint32_t count;
	uint16_t atoms[SL_ATOMS_MAX];
};

static inline bool
sl_moment_has(const struct sl_moment *moment, uint32_t atom)
{
	for (uint32_t i = 0; i < moment->count; i++)
		if (moment->atoms[i] == atom)
			return true;
	return false;
}

/* Returns false if this event does not concern the plan, unless it is the first of its thread. */
bool sl_moment_collect(struct sl_moment *moment, const struct sl_monitor *m, const struct sl_event *event,
		       const struct sl_match *match);

extern const struct sl_moment sl_no_moment; /* no event happens */

/* [a], [t]: at this moment. */
bool sl_moment_blocked(const struct sl_monitor *m, const struct sl_moment *moment, const struct sl_formula *f);
/* … for a leaf as it is in the plan. */
struct sl_term sl_term_of(const struct sl_monitor *m, const struct sl_formula *leaf);

/* ---- swift.c ---- */

/* Plain: returns whether the left side is true, and stays true. */
bool sl_left_certain(const struct sl_monitor *m, const struct sl_formula *f);

/* ---- start.c ---- */

/* The default name of a thread. */
void sl_thread_usual(uint32_t thread, char name[16]);
/* The bits of the names in brackets that the thread has. */
uint64_t sl_thread_names(const struct sl_monitor *m, uint32_t thread, const char *name);
void sl_thread_set(struct sl_monitor *m, uint32_t thread, uint64_t before, uint64_t after);

static inline uint64_t
sl_thread_word(const struct sl_monitor *m, uint32_t thread)
{
	return thread < m->state->threads ? m->threads[thread] : 0;
}

/* ---- logic.c ---- */

/* The value of a literal ordering after the moment; stores what must be remembered if `happens`. */
unsigned sl_logic_value(struct sl_monitor *m, const struct sl_moment *moment, uint32_t ordering, bool happens);
void sl_logic_wants(const struct sl_monitor *m, const struct sl_moment *moment, const struct sl_formula *f,
		    void (*wants)(void *data, const struct sl_formula *missing), void *data);

#endif
