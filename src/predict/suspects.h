/*
 * Patterns among the classes of a set: which violations there can be, and which of them locks or orders rule out.
 */
#ifndef SL_PREDICT_SUSPECTS_H
#define SL_PREDICT_SUSPECTS_H

#include "predict/sets.h"

#define SL_ALIKE_KEPT 3

/* A violation by classes. */
struct sl_suspect {
	enum sl_pattern pattern;
	enum sl_predicted verdict;
	bool other_pair;      /* the other unit has two accesses, of the class `other`; else one */
	uint32_t pair, other; /* classes */
	bool swapped;         /* the other unit's first access is to the second location */
	uint64_t like;
	const char *set;
	const char *lock;            /* that rules it out; NULL: none does */
	struct sl_epoch_cause order; /* that rules it out, if there is no lock */
	uint64_t alike;
	/* One by these threads; and some that are alike, by others: what orders the one may not order the other. */
	struct sl_suspect_alike {
		uint32_t thread, other_thread;
		uint64_t numbers[SL_PATTERN_STEPS]; /* items, in the order of the pattern */
		uint64_t gate,
			other_gate; /* items before which the threads can be held: of the last access, and of the second */
	} first, kept[SL_ALIKE_KEPT];
	uint32_t kept_count;
};

struct sl_suspects {
	struct sl_suspect *items;
	size_t count, capacity;
	struct sl_index by;    /* what makes it different from others: number, plus one */
	struct sl_index tried; /* sets of classes that were compared: how often; and whether by these threads */
	bool infeasible;       /* keep those that are ruled out by orders, too */
	bool impact;           /* only those that contain an impacted access */
	bool counts;           /* count what there is without merging; nothing is added */
	uint64_t unmerged;
	uint64_t compared;
};

/* Adds the violations of a set. */
void sl_suspects_find(struct sl_suspects *matches, const struct sl_collection *collection,
		      const struct sl_atomic_set *set);
/* Counts in matches->unmerged the violations that there are without merging: each access and each pair for itself, ruled out or not. */
void sl_suspects_count(struct sl_suspects *matches, const struct sl_collection *collection,
		       const struct sl_atomic_set *set);
void sl_suspects_release(struct sl_suspects *matches);

#endif
