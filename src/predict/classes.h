/*
 * What phase II works with instead of accesses: classes of accesses that are alike, and of pairs of accesses of one unit of work.
 */
#ifndef SL_PREDICT_CLASSES_H
#define SL_PREDICT_CLASSES_H

#include "predict/reading.h"

/* Locks that are held at an access, or from one to another. A lock of the accessed object is its offset there, so objects compare. */
struct sl_lockset {
	struct sl_lock_code {
		uint64_t code;
		bool shared;
		const char *name;
	} * locks;
	size_t count;
	uint64_t plain; /* a hash of them without regard to the object */
};

/* Accesses by one statement to one place of objects that are alike, with the same locks. */
struct sl_access_class {
	uint64_t pc;
	uint64_t like;         /* the objects' */
	uint64_t offset, size; /* in the object */
	uint32_t locks;
	unsigned access;
	uint64_t impacted; /* as sl_impact_of() says */
};

/* Two accesses of one unit, in their order. */
struct sl_pair_class {
	uint32_t first, second;
	uint32_t locks; /* that are held from the first to the second */
	uint64_t unit;  /* the function; 0: not known */
	bool root;      /* it is the thread's outermost */
	uint32_t depth; /* as sl_reading_unit() says */
	bool impacted;  /* one of the two is, or they can be divided now */
};

struct sl_classes {
	struct sl_lockset *locksets; /* 0: none held */
	size_t lockset_count, lockset_room;
	struct sl_access_class *accesses;
	size_t access_count, access_room;
	struct sl_pair_class *pairs;
	size_t pair_count, pair_room;
	struct sl_index lockset_by, access_by, pair_by; /* numbers, plus one */
};

void sl_classes_init(struct sl_classes *classes);
void sl_classes_release(struct sl_classes *classes);

/* The first `count` locks that the thread holds, of an access to the thing with this key. */
uint32_t sl_classes_locks(struct sl_classes *classes, const struct sl_reading *reading, uint64_t thing,
			  size_t count);
uint32_t sl_classes_access(struct sl_classes *classes, const struct sl_access_class *access);
uint32_t sl_classes_pair(struct sl_classes *classes, const struct sl_pair_class *pair);

/* A lock that both have, and that not both share; NULL: there is none. */
const struct sl_lock_code *sl_lockset_conflict(const struct sl_classes *classes, uint32_t a, uint32_t b);

#endif
