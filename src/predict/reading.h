/*
 * One reading of an execution, from its beginning to its end: item by item, with what the items so far add up to. It knows the calls
 * that each thread is in, the locks that it holds, the blocks of the heap, and the orders that every execution has.
 *
 * What is found out by the first reading and used by the later ones is the survey: which memory more than one thread accesses, how
 * large the elements of arrays are, which functions are static.
 *
 * Orders that every execution has (must-orders) are those of creation, join, barriers that always have the same threads, and
 * pthread_once(). A thread's life is divided into epochs by them; a clock says for each epoch which epochs of other threads are over.
 */
#ifndef SL_PREDICT_READING_H
#define SL_PREDICT_READING_H

#include "base/index.h"
#include "predict/predict.h"

/* ---- the code at a place ---- */

/* What is known of a place in the code. */
struct sl_coded {
	uint64_t pc;
	struct sl_place place;
	uint64_t statement; /* the same in both versions; by the line of the old version */
	uint64_t
		source; /* the place with its column, and where it was inlined; the return address if that is not known */
	bool fresh;                         /* the old version does not have the statement */
	bool library;                       /* of a system header, or of no known file */
	const struct sl_site *read, *write; /* NULL: not known */
	/* Which declared type reading, and writing, is to; asked when it is needed. */
	struct sl_coded_type {
		bool known;
		size_t type; /* plus one; 0: none */
		uint64_t offset;
	} types[2];
	/* For context.c: of the last kind of access by reading, and by writing. */
	struct {
		uint8_t kind;
		uint64_t site; /* 0: none yet */
	} known[2];
};

/* ---- things: what atomic sets are of ---- */

/* An object in memory: a variable, an element of an array of structs, a struct in a block of the heap. */
struct sl_thing {
	uint64_t key;      /* the object; the same in each reading */
	uint64_t like;     /* the same for objects that are alike: allocated at one place; and in both versions */
	uint64_t offset;   /* of the address, in the object */
	uint64_t left;     /* bytes from there to its end */
	uint32_t block;    /* the block that it is in, plus one; 0: it is in none */
	uint64_t variable; /* the program's variable without members that it is; 0: it is none */
};

/* ---- the survey ---- */

struct sl_guard;
struct sl_survey {
	const struct sl_observed *of;
	struct sl_place_map map;
	unsigned calls;                           /* of an allocation's stack that count; SL_CALLS_ALL */
	const struct sl_predict_options *options; /* NULL: nothing is declared */
	bool done;                                /* the first reading is over */

	uint32_t threads; /* how many there are */
	uint64_t items, accesses, shared;
	struct sl_coded **codes;
	struct sl_index code_of; /* by pc: number, plus one */
	size_t code_count, code_room;

	struct sl_index shares;  /* by like and granule: memory that is shared */
	struct sl_index strides; /* by allocation: size of the elements of its blocks; ALONE: one object */
	struct sl_index paths;   /* by allocation and path: where it was first seen, plus one */
	struct sl_index gaps;    /* by allocation and type: the distance of its objects */
	struct sl_survey_type {
		uint64_t like, type;
	} * types; /* … which they are */
	size_t type_count, type_room;
	struct sl_index linkage;        /* by function: 1 external, 2 static */
	struct sl_index function_names; /* by function: hash of its name */
	struct sl_index starts;         /* by thread: hash of its start function, plus one */
	struct sl_index loose;          /* by number of a barrier: its threads are not always the same */
	struct sl_index guards;         /* by variable: number of its guard, plus one */
	struct sl_guard *guard;
	size_t guard_count, guard_room;
	struct sl_index named; /* by address: number of the variable there, plus one; NO_NAME */
	struct sl_variable_name *names;
	size_t name_count, name_room;
	struct sl_index lock_names; /* by allocation and offset: the name, as a pointer */
	struct sl_index
		lock_paths; /* … and the hash of its path in the object; without a name, which one it is of its allocation's */
	struct sl_unnamed_lock {
		uint64_t like, offset;
	} * unnamed;
	size_t unnamed_count, unnamed_room;
	struct sl_texts texts;
};

/* A variable of the program, as it contains an address. */
struct sl_variable_name {
	const char *text;  /* "table[3].stats.count" */
	const char *whole; /* "table[3]": the object */
	bool scalar;       /* it has no members */
	uint64_t hash;     /* of whole */
};

/* What is always held when the variable is accessed. */
struct sl_guard {
	uint64_t variable; /* sl_variable_name.hash */
	uint64_t locks[4]; /* sl_read_lock.plain */
	const char *names[4];
	uint32_t count;
	bool seen;
};

void sl_survey_release(struct sl_survey *survey);
/* Other options than before: what is declared has changed. */
void sl_survey_declare(struct sl_survey *survey);
struct sl_coded *sl_survey_code(struct sl_survey *survey, uint64_t pc);
/* What is accessed, as the source writes it: "x->count"; "" if it is not known. */
const char *sl_coded_object(const struct sl_coded *code, bool writes);
/* What it is a member of, "struct queue"; and which member, or which variable, as a number: the text depends on what was inlined. */
const char *sl_coded_container(const struct sl_coded *code, bool writes);
uint64_t sl_coded_member(const struct sl_coded *code, bool writes);
/* The declared type that it is a member of; type 0: none. */
const struct sl_coded_type *sl_coded_type(const struct sl_survey *survey, struct sl_coded *code, bool writes);

/* ---- a reading ---- */

#define SL_NO_BLOCK UINT32_MAX

struct sl_read_call {
	uint64_t function, pc, since; /* since: the number of the item */
	uint64_t stack;               /* the statements of the calls up to here */
	uint64_t
		chain; /* the functions up to here that are not static, and the outermost, by name; one that calls itself counts once */
	uint64_t name;  /* the function's, if it is one of these; else 0 */
	uint32_t depth; /* how many these are, or up to where it is one of them; 0: it is another one */
};

/* A lock that has been taken at least once. */
struct sl_read_lock {
	uint64_t address, serial; /* serial: of its block; 0: it is in none */
	struct sl_thing thing;
	uint64_t plain;   /* what it is, without regard to what is accessed; compares between executions */
	uint64_t path;    /* what it is in its object */
	const char *name; /* "queue.lock", "struct queue.lock" */
};

struct sl_read_hold {
	uint32_t lock; /* number */
	bool shared;
	uint64_t taken; /* the number of the item */
	uint64_t pc;
};

struct sl_read_thread {
	struct sl_read_call *calls;
	size_t call_count, call_room;
	size_t roots; /* how many of the outermost calls are no units: main(), a start function, what the library calls it with */
	struct sl_read_unit {
		uint64_t since, function;
		uint32_t depth; /* as the call's; 0 of one that is declared */
		bool declared;
	} * units; /* those of the calls that are units, and what the program has declared; in the order in which they began */
	size_t unit_count, unit_room;
	size_t declared; /* how many of them the program has declared */
	struct sl_held_book book;
	struct sl_read_hold *holds; /* in the order in which they were taken */
	size_t hold_count;
	uint64_t floor;     /* from this item on the thread is in another unit of work than before */
	uint64_t round;     /* of the loop in its outermost function */
	uint64_t condition; /* that it waits for */
	uint32_t barrier;   /* that it waits at, plus one */
	uint64_t barrier_round;
	uint64_t once;     /* pthread_once() calls its function now, on this; 0: it does not */
	size_t once_depth; /* … the depth of the calls there; 0: not called yet */
	uint64_t once_pc;
	bool started, ended;
	/* must-orders: epochs, from 1 */
	uint32_t epoch;
	uint32_t **clocks; /* by epoch: for each thread the last epoch that is over */
	struct sl_epoch_cause {
		bool known;
		uint8_t kind;
		uint64_t pc;
	} * causes; /* by epoch: what it began with */
	size_t clock_room, cause_room;
	uint32_t *birth; /* the clock of its creation */
	uint32_t cached; /* block that it accessed last, plus one */
	/*
	 * The last impacted access before which the thread released a lock that it holds there; kept by phases I and II. What it did before
	 * and what it does after can be divided now, even if neither has another context.
	 */
	uint64_t cut;
};

struct sl_block_of {
	uint64_t address, size;
	uint64_t serial; /* its number among all blocks, from 1; 0: it is free */
	uint64_t like;   /* its allocation */
	uint64_t pc;
	uint32_t *seen; /* by granule, first reading: who accessed it */
	bool stack;
	uint64_t things; /* the reader's: a list of the things in it */
};

/* The blocks of the heap, and the stacks, that there are. */
struct sl_live_blocks {
	struct sl_block_of *all; /* by number; some are free */
	size_t count, room;
	uint32_t *unused; /* numbers of blocks that are free */
	size_t unused_count, unused_room;
	uint64_t serial;
	uint32_t dying;        /* block that goes with the next item, plus one */
	struct sl_index pages; /* by page: first entry, plus one */
	struct sl_page_entry {
		uint32_t block, next; /* plus one */
	} * entries;
	size_t entry_count, entry_room;
	uint32_t entry_free;
	uint32_t *large; /* blocks of many pages, by address */
	size_t large_count, large_room;
};

/* Bytes that are one atomic set because the user says so. */
struct sl_read_declared {
	uint64_t low, high, key, like;
	uint64_t base;    /* what offsets in the set are counted from */
	const char *name; /* NULL: as any other */
};

struct sl_reading {
	struct sl_survey *survey;
	struct sl_item item;
	uint64_t number; /* of the item, from 1 */
	int failed;      /* negative: the execution could not be read to its end */
	struct sl_err *err;

	/* of the item: */
	unsigned access; /* SL_OP_READS, SL_OP_WRITES; 0: it is no access */
	uint64_t size;
	enum sl_lock_act act;
	uint32_t lock;    /* number of the lock, if act is not nothing */
	bool message;     /* it sends or receives */
	uint64_t subject; /* … by this address; 0: by none */

	struct sl_read_thread *threads;
	uint32_t thread_count, alive;
	struct sl_read_lock *locks;
	size_t lock_count, lock_room;
	struct sl_index lock_at; /* by address: number, plus one */

	struct sl_live_blocks live;

	struct sl_index sightings; /* first reading, by granule of other memory, and of stacks: who accessed it */
	struct sl_index barriers;  /* by address: number, plus one */
	struct sl_read_barrier *barrier;
	size_t barrier_count, barrier_room;
	struct sl_index onces; /* by address: number of the clock, plus one */
	uint32_t **once_clocks;
	size_t once_count, once_room;
	struct sl_index loops;             /* by thread and place in the source: in which round it was there */
	struct sl_read_declared *declared; /* by address; none overlaps another */
	size_t declared_count, declared_room;
};

/* Reads the execution from its beginning. NULL and a sentence if it can't be. */
struct sl_reading *sl_reading_new(struct sl_survey *survey, struct sl_err *err);
void sl_reading_free(struct sl_reading *reading);

/* The next item. False: there is none; reading->failed says whether that is the end. */
bool sl_reading_next(struct sl_reading *reading);

/* The first reading, which fills the survey. Negative and a sentence: it could not be read to its end. */
int sl_survey_make(struct sl_survey *survey, struct sl_err *err);

/* What is at the address. */
struct sl_thing sl_reading_thing(struct sl_reading *reading, uint64_t address, uint64_t size);
/* Is any of these bytes accessed by several threads, one of which writes? */
bool sl_reading_shares(struct sl_reading *reading, uint64_t address, uint64_t size);
/* The number of the lock, or other object of synchronisation, at the address. */
uint32_t sl_reading_subject(struct sl_reading *reading, uint64_t address);
/* The block that has the address; SL_NO_BLOCK: none. */
uint32_t sl_reading_block(struct sl_reading *reading, uint32_t thread, uint64_t address);
/* The name of the object, for people: "queue", "heap block from list.c:31 (add)"; of the bytes with the other function. */
const char *sl_reading_object(struct sl_reading *reading, uint64_t address, uint64_t size);

/* The declared set that has the address; else NULL, and *next is where the next one begins. */
const struct sl_read_declared *sl_reading_declared(const struct sl_reading *reading, uint64_t address,
						   uint64_t *next);
/*
 * The item is an access. The place at which its thread can be held before it, with other threads able to go on: where it took the first of
 * the locks that it has taken since that item, and still holds; else that of the access.
 */
uint64_t sl_reading_gate(const struct sl_reading *reading, uint64_t since);

/* The unit of work that the thread is in, and was in at the item `since`: the innermost; its function. 0: there is none. */
uint64_t sl_reading_unit(const struct sl_read_thread *thread, uint64_t since, bool *root, uint32_t *depth);

/* What the calling thread has had of the processor, ns: on a machine with other work the analysis takes no longer by it. */
uint64_t sl_processor_time(void);

/* Is the epoch of the first thread over before that of the other begins, in every execution? */
static inline bool
sl_must_precede(const struct sl_reading *r, uint32_t thread, uint32_t epoch, uint32_t other, uint32_t other_epoch)
{
	return r->threads[other].clocks[other_epoch][thread] >= epoch;
}

#endif
