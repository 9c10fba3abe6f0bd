/*
 * Atomic sets and what the threads do with them: for each object the accesses of each thread to it, and the pairs of accesses in one
 * unit of work, as classes; and of each class one access of that thread, by the number of its item. Phase II reads the execution once
 * to collect them.
 */
#ifndef SL_PREDICT_SETS_H
#define SL_PREDICT_SETS_H

#include "predict/classes.h"
#include "predict/context.h"

/* An access of a class. */
struct sl_one {
	uint32_t class;
	uint64_t number; /* of the item */
	uint64_t
		gate; /* … that took the first of the locks that the thread holds there; its own if it holds none */
	/* with options->unmerged: */
	uint64_t count;           /* how many of the class there are */
	uint64_t cut, before_cut; /* in a run: how many of them came before that item; as sl_read_thread.cut */
};

/* A pair of accesses of a class. */
struct sl_two {
	uint32_t class;
	uint64_t first, second;
	uint64_t first_gate;  /* as of one access */
	uint64_t second_gate; /* … among the locks that were taken behind the first access */
	uint64_t count;       /* with options->unmerged: how many of the class there are … */
	bool impacted;        /* … and that are impacted or not, as this says */
};

/*
 * What a thread did to a set between two must-orders: the first accesses of pairs are of one epoch, and the second ones of another,
 * mostly the same.
 */
struct sl_stretch {
	uint32_t from, to; /* epochs */
	struct sl_one *ones;
	struct sl_two *twos;
	size_t one_count, one_room, two_count, two_room;
	uint64_t ones_hash, twos_hash; /* of the classes: equal for equal sets */
	bool impacted_ones, impacted_twos;
};

/* Accesses of the unit under way that see the same calls and locks from here on. */
struct sl_run {
	uint64_t first, last; /* items */
	uint32_t epoch;
	struct sl_one *members; /* the first of each class */
	size_t count, room;
	uint64_t hash;
	struct sl_index by_class; /* if there are many: place, plus one */
};

/* What a thread does with a set. */
struct sl_party {
	uint32_t thread;
	struct sl_run *runs;
	size_t run_count, run_room;
	struct sl_stretch *stretches; /* in order */
	size_t stretch_count, stretch_room;
	struct sl_index done; /* what is in stretches of the present epoch already */
	uint32_t epoch;       /* which that is */
	uint64_t last;        /* item */
	struct sl_stretch every; /* with options->unmerged: all accesses and pairs, whenever they were */
	struct sl_index
		every_one; /* by class; by class of pairs and whether they are impacted: place in every, plus one */
};

/* An atomic set: an object, or several variables. */
struct sl_atomic_set {
	uint64_t key, like;
	const char *name;
	struct sl_party *parties;
	size_t party_count, party_room;
	uint64_t next; /* in the same block, plus one */
};

struct sl_collection {
	struct sl_survey *survey;
	const struct sl_predict_options *options;
	struct sl_classes classes;
	struct sl_reading *reading;
	struct sl_tracker *tracker; /* NULL: there is no impact set */
	struct sl_history history;
	struct sl_index hot; /* sets with an impacted access */
	struct sl_atomic_set **sets;
	size_t set_count, set_room;
	struct sl_index set_by; /* number, plus one */
	uint64_t accesses, shared, declared;
	/* A set is complete: no access to it can come. */
	void (*complete)(void *data, struct sl_collection *collection, const struct sl_atomic_set *set);
	void *data;
};

/* Reads the execution. Negative: it could not be read to its end; what came before is there. */
int sl_collect(struct sl_collection *collection, struct sl_err *err);
void sl_collection_release(struct sl_collection *collection);

#endif
