/*
 * Coverage: which requirements executions have covered, of those that are feasible. A requirement is an ordered pair of
 * places in the code; a criterion defines what the pair means, and when it is covered. Used inside the program under
 * test (online, with any strategy), and by readers of traces.
 *
 * A criterion is small and pure: it sees the items of an execution one by one (trace/lane/item.h) and says which
 * pairs they cover. A new criterion is one file, and its name in criteria.c, below, and in meson.build. The rules
 * are those of strategies: fixed memory that starts zeroed, no allocation, no call of libc except memcpy and the
 * like. An entry belongs to the execution whose stamp it has, so that nothing needs clearing.
 *
 * The table is a fixed block of memory as well, most of which is never touched. Entries without room are counted
 * (`lost`), and reports must mention them. Changes that outlive an execution are logged for undo (base/undo.h).
 */
#ifndef SL_COVERAGE_COVERAGE_H
#define SL_COVERAGE_COVERAGE_H

#include "trace/lane/item.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SL_COVER_PLACES (1u << 14)
#define SL_COVER_REQUIREMENTS (1u << 18)
#define SL_COVER_LOG (1u << 21)
#define SL_COVER_GROWTH (1u << 16)
#define SL_COVER_DEEDS (1u << 16)
#define SL_COVER_STATE_BYTES (96ul << 20)
#define SL_COVER_SCRATCH_BYTES (512ul << 20)
#define SL_COVER_NEAR 8u /* how many items of a lock are searched for the nearest attempt */

/* The state of a requirement. */
enum {
	SL_COVER_ESTIMATED = 1, /* according to the estimate some execution can cover it */
	SL_COVER_FIRST = 2,     /* … according to the estimate from the first execution */
	SL_COVER_COVERED = 4,
	SL_COVER_RULED_OUT = 8, /* both places occurred, but no order of that execution covers it */
};

/* Why a requirement was ruled out. `because` is the place that the reason names. */
enum sl_reason {
	SL_REASON_NONE,
	SL_REASON_NOT_NEXT, /* AC1: one thread executes both, always with another operation on that lock between them */
	SL_REASON_HELD_ON, /* AC2: from the first to the next of its thread a lock is held that the second needs */
	SL_REASON_HELD_FROM, /* AC3: the first needs a lock that is held from before the second of its thread on */
	SL_REASON_BEFORE,    /* AC4, and joins, barriers, semaphores: the second always comes before the first */
	SL_REASON_BETWEEN, /* happens-before: something on that lock always comes after the first, before the second */
	SL_REASON_SIGNAL, /* the second is the end of a wait, and the signalling thread takes the lock in between */
	SL_REASON_EXCLUDED,    /* blocked: both need a lock that is held all the time */
	SL_REASON_AFTER,       /* blocked: the first is always over before, or comes after, the second's hold */
	SL_REASON_TRIES,       /* blocked: the first only tries to take the lock, and does not wait for it */
	SL_REASON_SHARED,      /* blocked: readers do not wait for readers */
	SL_REASON_OVERWRITTEN, /* def-use: before the read can come, something else is always written there */
	SL_REASON_COUNT,
};

struct sl_cover_place {
	uint64_t pc;
	uint32_t open; /* requirements with this place that are estimated and not covered */
	uint32_t pad;
};

struct sl_requirement {
	uint32_t first, second; /* numbers of places */
	uint8_t state;          /* SL_COVER_… */
	uint8_t reason;         /* enum sl_reason */
	uint8_t near;           /* 0: none; else the fewest items on the lock that came between the two */
	uint8_t pad;
	uint32_t because;
	uint32_t near_place, near_thread; /* place and thread of the last item between */
	uint64_t near_execution;
	uint64_t execution; /* in which it was first covered; they are numbered from 1 */
	uint64_t known;     /* … after which it was first estimated, or which covered it; 0: before them all */
};

/* The number of covered requirements after an execution that covered a new one. */
struct sl_growth {
	uint64_t execution, nanoseconds;
	uint32_t covered, estimated;
};

struct sl_criterion;

struct sl_coverage {
	const struct sl_criterion *criterion; /* set by each process that uses it */
	uint64_t execution;                   /* the running one, or the last */
	uint64_t stamp;
	bool counting;      /* this execution counts; else it is only for the estimate */
	bool news;          /* it showed something that the estimate does not include */
	bool looked;        /* it was evaluated after its end */
	bool free_waits;    /* waits for condition variables may end without a signal: the caller sets this */
	uint32_t estimates; /* executions that the estimate uses */
	uint32_t place_count, requirement_count; /* places are numbered from 1 */
	uint32_t estimated, covered, first;      /* estimated or covered, covered; the first estimate */
	uint32_t ruled_out, unforeseen;          /* unforeseen: covered without having been estimated */
	uint32_t growth_count;
	uint64_t lost;      /* entries without room */
	uint64_t log_count; /* items of the execution, for the estimate */
	uint64_t log_lost;
	uint64_t saturated; /* the execution after which coverage was saturated; 0: none */
	uint64_t rules[4];  /* tsa: how often each rule was applied; [0]: none was */
	struct sl_cover_place places[SL_COVER_PLACES];
	uint32_t place_index[2 * SL_COVER_PLACES];
	struct sl_requirement requirements[SL_COVER_REQUIREMENTS];
	uint32_t requirement_index[2 * SL_COVER_REQUIREMENTS];
	struct sl_growth growth[SL_COVER_GROWTH];
	uint32_t deed_count;
	uint64_t deeds[2 * SL_COVER_DEEDS]; /* hashes of the actions of estimated executions; a hash table */
	struct sl_item log[SL_COVER_LOG];
	_Alignas(64) unsigned char state[SL_COVER_STATE_BYTES]; /* the criterion's own */
	_Alignas(64) unsigned char scratch[SL_COVER_SCRATCH_BYTES];
};

/* The pairs that taking a lock covers, for a strategy that steers towards them. */
enum sl_steering {
	SL_STEER_NOT,     /* unknown beforehand */
	SL_STEER_AFTER,   /* the pair with the place where the lock was last taken */
	SL_STEER_WAITING, /* the pairs with the places of the lock's waiters */
};

struct sl_criterion {
	const char *name;
	const char *summary;        /* a line for --help */
	const char *what;           /* the pairs, in the plural */
	const char *first, *second; /* what happens at the two places, for a report */
	size_t state_size;
	bool accesses; /* it needs accesses to memory, too */
	bool requests; /* … and SL_ITEM_REQUEST */
	bool nearness; /* it reports near misses: sl_coverage_near() */
	enum sl_steering steering;
	/* Estimates which requirements some order of these items can cover: calls sl_coverage_foresee() and
	 * sl_coverage_rule_out(), and uses the given memory. The items are those of locks, those that order
	 * threads, and those for which `matters` returns true. May be NULL. */
	void (*estimate)(struct sl_coverage *coverage, const struct sl_item *items, uint64_t count, void *memory,
			 size_t size);
	bool (*matters)(const struct sl_item *item); /* NULL: no others */
	void (*begin)(void *state, uint64_t stamp);
	void (*item)(void *state, struct sl_coverage *coverage, const struct sl_item *item);
};

extern const struct sl_criterion sl_criterion_sync_pair, sl_criterion_blocked, sl_criterion_def_use;
extern const struct sl_criterion *const sl_criteria[]; /* NULL-terminated; the first is the default */
const struct sl_criterion *sl_criterion_find(const char *name);

/* ---- one execution ---- */

/* Sets the criterion. Zeroed memory needs no other initialisation. */
void sl_coverage_use(struct sl_coverage *coverage, const struct sl_criterion *criterion);
/* counting: false for an execution that serves only the estimate. */
void sl_coverage_begin(struct sl_coverage *coverage, bool counting);
void sl_coverage_item(struct sl_coverage *coverage, const struct sl_item *item);
/* Returns, after an execution, whether sl_coverage_end() needs the current time. */
bool sl_coverage_is_growing(struct sl_coverage *coverage);
/* Ends the execution, and estimates from it if it had news. The time is used only if sl_coverage_is_growing(). */
void sl_coverage_end(struct sl_coverage *coverage, uint64_t nanoseconds);

/* ---- for criteria ---- */

/* Returns the number of the place; 0 if there is no room for it. */
uint32_t sl_coverage_place(struct sl_coverage *coverage, uint64_t pc);
void sl_coverage_cover(struct sl_coverage *coverage, uint32_t first, uint32_t second);
void sl_coverage_foresee(struct sl_coverage *coverage, uint32_t first, uint32_t second);
void sl_coverage_rule_out(struct sl_coverage *coverage, uint32_t first, uint32_t second, enum sl_reason reason,
			  uint32_t because);
/* The execution passed both places. A pair that was not judged yet is news. */
void sl_coverage_meet(struct sl_coverage *coverage, uint32_t first, uint32_t second);
/* Adds an item that the criterion has made, for the estimate. */
void sl_coverage_log(struct sl_coverage *coverage, const struct sl_item *item);
/*
 * The execution passed the two places on one lock, with `between` other items between them; the last of these was
 * at `place`.
 */
void sl_coverage_near(struct sl_coverage *coverage, uint32_t first, uint32_t second, unsigned between,
		      uint32_t place, uint32_t thread);

/* ---- for strategies and reports ---- */

uint32_t sl_coverage_place_find(const struct sl_coverage *coverage, uint64_t pc); /* 0: never seen */
struct sl_requirement *sl_coverage_find(struct sl_coverage *coverage, uint32_t first, uint32_t second);

/* Returns whether the requirement is estimated and not covered yet. */
static inline bool
sl_coverage_is_open(struct sl_coverage *coverage, uint32_t first, uint32_t second)
{
	const struct sl_requirement *r = first && second ? sl_coverage_find(coverage, first, second) : NULL;

	return r && (r->state & (SL_COVER_ESTIMATED | SL_COVER_COVERED)) == SL_COVER_ESTIMATED;
}

/* sync-pair: returns the place where the lock was last taken in this execution; 0: none. */
uint32_t sl_sync_pair_last(const struct sl_coverage *coverage, uint64_t lock);

/*
 * Saturation, after Sherman, Dwyer and Elbaum (FSE 2009): how well a line through the growth in (from, to]
 * explains it, the coefficient of determination r² of coverage over time; 0 if nothing grew. `by_time`: from and
 * to are nanoseconds, else executions.
 */
double sl_saturation(const struct sl_growth *growth, size_t count, double from, double to, bool by_time);

/* Returns whether the coefficient is not exceeded over the last `window` executions or, if that is 0, over the
 * last `span` nanoseconds before `now`, and remembers since when. Not every execution is checked, because a check
 * reads all growth entries. */
bool sl_coverage_is_saturated(struct sl_coverage *coverage, uint64_t window, uint64_t span, uint64_t now,
			      double coefficient);

#endif
