/*
 * What other orders of one execution's operations could break, and which of it a change of the program made possible: RECONTEST
 * (Terragni, Cheung and Zhang, ICSE 2015). Used by `sleave predict`, `sleave impact --dynamic` and `sleave regress`. Memory and tapes
 * in, memory out: no program is run, and nothing is printed.
 *
 *	sl_contexts_collect()	phase I, the old version: the concurrency contexts of its accesses, by statement
 *	sl_impact_find()	phase I, the new version: the accesses that are new, or whose context is new
 *	sl_predict()		phase II: violations of atomic-set serializability (Vaziri, Tip and Dolby, POPL 2006) that contain an
 *				impacted access, or all of them
 *
 * An execution is read several times from its beginning, in the same order. Time grows linearly with its length; memory with the
 * number of its objects, places and different contexts.
 */
#ifndef SL_PREDICT_PREDICT_H
#define SL_PREDICT_PREDICT_H

#include "base/err.h"
#include "trace/lane/item.h"
#include "trace/name/name.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- an execution ---- */

/* One execution, to be read as often as asked, and the names of what its items mention. What a function returns lives until the end. */
struct sl_observed {
	void *data;
	int (*rewind)(void *data, struct sl_err *err); /* negative: it can't be read again */
	/* 1: there was an item; 0: that was the end; negative: the execution is damaged from here on. */
	int (*next)(void *data, struct sl_item *item, struct sl_err *err);
	bool (*place)(void *data, uint64_t pc, struct sl_place *place);
	/* As sl_names_site(). NULL: no table is known. */
	const struct sl_site *(*site)(void *data, uint64_t pc, bool writes);
	/* The global variable there, as sl_tape_variable(); NULL: there is none. */
	const char *(*variable)(void *data, uint64_t address, uint32_t size, char *text, size_t room);
	const char *(*function)(void *data, uint64_t address);   /* NULL: unknown */
	const char *(*thread_path)(void *data, uint32_t thread); /* "0.2"; NULL: unknown */
};

/*
 * The execution with this number (sl_tape.execution; 0: the first that the file has) of a trace file. names, which may be NULL, are of
 * the program as it was recorded, for the table of sites. Negative and a sentence if the file can't be read.
 */
int sl_observed_open(struct sl_observed *execution, const char *path, uint64_t number, struct sl_names *names,
		     struct sl_err *err);
void sl_observed_close(struct sl_observed *execution);

/* ---- phase I ---- */

#define SL_CALLS_ALL 0 /* k: compare whole call stacks of allocations */

struct sl_contexts;

struct sl_contexts *sl_contexts_new(void);
void sl_contexts_free(struct sl_contexts *contexts);

/*
 * Adds the contexts of an execution of the old version. May be called for several. k: how many calls of an allocation's stack count,
 * or SL_CALLS_ALL. Negative and a sentence: the execution could not be read to its end.
 */
int sl_contexts_collect(struct sl_contexts *contexts, const struct sl_observed *old, unsigned k,
			struct sl_err *err);

/*
 * The relation ~: the counterpart of a place of the new version in the old one. False: it has none, it is new or has changed. Only the
 * stable name of the file, and the line, are used of what it fills in.
 */
struct sl_place_map {
	void *data;
	bool (*map)(void *data, const struct sl_place *place, struct sl_place *old); /* NULL: all is as it was */
};

/* A class of impacted accesses: the same statement, in the same context. */
struct sl_impacted {
	uint64_t pc;
	struct sl_place place; /* strings live as long as the impact */
	const char *object;    /* what is accessed: "queue.count"; "" if not known */
	unsigned access;       /* SL_OP_READS, SL_OP_WRITES */
	bool new;              /* the access is new; else its context is */
	bool released;         /* a lock is now released between the access before and this one */
	const char *
		why; /* "is new"; "is no longer protected by queue.lock"; "comes after a signal of queue.full, and did not" */
	uint32_t thread; /* of the first of them */
	uint64_t address;
	uint64_t number; /* … its item's, from 1 */
	uint64_t count;  /* how many there were */
	uint64_t gate;   /* where the thread can be held before the first of them: where it took the outermost lock, or the access */
};

struct sl_impact_set {
	struct sl_impacted *items; /* in the order of their first accesses */
	size_t count;
	uint64_t impacted, accesses; /* how many accesses to shared memory are impacted, of how many */
	uint64_t nanoseconds;        /* of the processor, that phase I has taken, the old version included */
	struct sl_impact_inside *inside;
};

/* Negative and a sentence: the execution could not be read. Release it also then. */
int sl_impact_find(struct sl_impact_set *impact, const struct sl_contexts *old, const struct sl_observed *new,
		   const struct sl_place_map *map, unsigned k, struct sl_err *err);
void sl_impact_set_release(struct sl_impact_set *impact);

/* ---- phase II ---- */

/* The patterns, u is the unit of work that is disturbed, and u' the other. x, y: two locations of one atomic set. */
enum sl_pattern {
	SL_PATTERN_RWW,          /* R(x) W'(x) W(x): a stale value is written */
	SL_PATTERN_RWR,          /* R(x) W'(x) R(x): two reads of one value differ */
	SL_PATTERN_WRW,          /* W(x) R'(x) W(x): an intermediate value is read */
	SL_PATTERN_WWR,          /* W(x) W'(x) R(x): the value that was just written is lost */
	SL_PATTERN_WWW,          /* W(x) W'(x) W(x) */
	SL_PATTERN_WWWW,         /* W(x) W'(x) W'(y) W(y): the two locations are of different units */
	SL_PATTERN_WWWW_CROSSED, /* W(x) W'(y) W'(x) W(y) */
	SL_PATTERN_WRRW,         /* W(x) R'(x) R'(y) W(y): a state between */
	SL_PATTERN_WRRW_CROSSED, /* W(x) R'(y) R'(x) W(y) */
	SL_PATTERN_RWWR,         /* R(x) W'(x) W'(y) R(y) */
	SL_PATTERN_RWWR_CROSSED, /* R(x) W'(y) W'(x) R(y) */
	SL_PATTERN_COUNT
};
#define SL_PATTERN_STEPS 4

struct sl_pattern_words {
	const char *shape; /* "R(x) W'(x) W(x)" */
	const char *means; /* "a value that has changed since it was read is written back": a clause for a story */
	unsigned steps;
};
extern const struct sl_pattern_words sl_pattern_words[SL_PATTERN_COUNT];

/* Certain: it is possible, whatever the program makes of the values that it reads (accept.h). Possible: nothing rules it out. */
enum sl_predicted { SL_PREDICTED_CERTAIN, SL_PREDICTED_POSSIBLE, SL_PREDICTED_INFEASIBLE };

struct sl_violation_lock {
	uint64_t address;
	bool shared;
	const char *name; /* "queue.lock"; "mutex 0x…" if it has none */
};

/* One access of a violation, in the order in which they have to happen. */
struct sl_violation_step {
	uint32_t thread;
	const char *thread_path; /* "0.2"; "" if not known */
	uint64_t pc;
	struct sl_place place;
	uint64_t address;
	uint32_t size;
	uint8_t kind;        /* enum sl_op_kind */
	unsigned access;     /* what of it counts here: SL_OP_READS or SL_OP_WRITES */
	uint64_t occurrence; /* among the accesses of this thread at this pc to this address, from 1 */
	uint64_t at_pc;      /* … among those of this thread at this pc, from 1 */
	uint64_t number;     /* its item's in the execution, from 1 */
	const char *object;  /* "queue.count"; "" if not known */
	const struct sl_violation_lock *locks; /* held */
	size_t lock_count;
	uint64_t gate; /* of the last step: where its thread can be held before it, and after the first step; as in sl_impacted */
	bool other;    /* it is of the unit that interferes */
	bool impacted; /* always false without an impact set */
};

struct sl_violation {
	enum sl_pattern pattern;
	struct sl_violation_step steps[SL_PATTERN_STEPS];
	unsigned step_count;
	const char *set;               /* the atomic set: "struct queue", "queue", "globals under lock" */
	const char *unit, *other_unit; /* functions; other_unit is "" where one access alone interferes */
	enum sl_predicted verdict;
	const char *reason; /* of infeasible: "queue.lock is held from the first to the last"; else "" */
	uint64_t
		alike; /* how many others are alike: the same places and locks in other objects, threads or moments */
	/* Some of them, by other threads: what keeps these steps apart in every execution may not keep those apart. */
	const struct sl_violation_step (*others)[SL_PATTERN_STEPS];
	size_t other_count;
};

/*
 * What the user declares: ranges of addresses in this execution, none of which overlap. Those with the same name are one atomic set. What
 * the program declares itself, by sleave_atomic_set() and sleave_unit_begin(), is among the items.
 */
struct sl_declared_set {
	uint64_t address, size;
	const char *name;
};

/* The code of a function that is a unit of work, also if it is static. */
struct sl_declared_unit {
	uint64_t low, high;
};

/*
 * Members of each object of a struct type are one atomic set. Which type an access is to the table of sites says: what it accesses is
 * given to find(), which returns the number of the type plus one, 0: it is none of them. *offset: where in the object it is; UINT64_MAX:
 * that is not known.
 */
struct sl_declared_types {
	const struct sl_declared_type {
		uint64_t size;
		const struct sl_declared_part {
			uint64_t low, high; /* in the object; they are in order, and none overlaps another */
			size_t set;         /* parts of one type with the same number are one set */
			const char *name;
		} * parts;
		size_t part_count;
	} * types;
	size_t count;
	size_t (*find)(void *data, const struct sl_site_object *object, uint64_t *offset);
	void *data;
};

struct sl_predict_options {
	struct sl_impact_set *impact; /* of this execution; NULL: all violations, impacted or not */
	const struct sl_declared_set *sets;
	size_t set_count;
	const struct sl_declared_unit *units;
	size_t unit_count;
	struct sl_declared_types types;
	bool infeasible; /* return also what is ruled out */
	bool unmerged;   /* count sl_violations.unmerged, which takes longer */
	size_t most;     /* how many violations are returned; 0: all */
};

struct sl_violations {
	struct sl_violation *items; /* the most promising first */
	size_t count;
	uint64_t certain, possible, infeasible; /* how many were found, returned or not; alike ones count once */
	uint64_t accesses, shared;              /* in the execution */
	uint64_t declared;                      /* … to members of declared types */
	uint64_t classes;                       /* of accesses, after merging */
	uint64_t pairs;                         /* of accesses in one unit, after merging */
	uint64_t compared;                      /* how often a pair was compared with an access or a pair */
	uint64_t unmerged; /* violations, ruled out or not, if each access counts for itself */
	uint64_t nanoseconds;                   /* of the processor, that phase II has taken */
	struct sl_violations_inside *inside;
};

/* Negative and a sentence: the execution could not be read. Release it also then. */
int sl_predict(struct sl_violations *violations, const struct sl_observed *execution,
	       const struct sl_predict_options *options, struct sl_err *err);
void sl_violations_release(struct sl_violations *violations);

#endif
