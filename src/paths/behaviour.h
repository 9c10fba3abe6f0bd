/*
 * What the threads of a program were seen to do, as far as it decides their paths. Made from executions of the real program, used
 * by the search for paths (path_search.h) to compute what another schedule would lead to without running it.
 *
 * A thread's behaviour is a tree. A node is a point of its history with the operation that comes next; where the operation
 * observes something (a read that matters, a trylock) there is a child for each observation that was seen. That a thread which
 * observes the same does the same is what all of this rests on: it is compared in each execution, and where it does not hold the
 * reads that differed matter from then on.
 *
 * Operations that neither wait, nor enable, nor are read or written by an access that matters are not in the tree.
 */
#ifndef SL_PATHS_BEHAVIOUR_H
#define SL_PATHS_BEHAVIOUR_H

#include "base/op.h"
#include "base/rng.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An operation of an execution. */
struct sl_path_event {
	uint64_t thread; /* path of its origin, as in struct sl_kin */
	uint64_t index;  /* number of the operation in its thread, from 1 */
	uint64_t object, pc;
	/* of an access what it has read, of others as in struct sl_record; CREATE, JOIN: the path of the other thread; END: what it returns */
	uint64_t value;
	uint64_t
		written; /* of an access what it has written; of semaphores the value before; of barriers how many threads it waits for */
	uint64_t path;    /* hash of the way that its thread has come so far, this event not included */
	uint64_t extent;  /* bytes, of an access */
	uint8_t kind;     /* enum sl_op_kind */
	bool pending;     /* announced and never performed: the execution has ended before */
	bool has_written; /* `written` is known */
};

enum sl_path_end {
	SL_PATH_ENDED,  /* the program has ended, or all threads have */
	SL_PATH_FAILED, /* with a finding, other than a deadlock */
	SL_PATH_STUCK,  /* in a deadlock */
	SL_PATH_CUT,    /* at the limit of operations */
	SL_PATH_BROKEN, /* somewhere, which tells nothing */
};

/* What an operation means for the search. */
enum sl_act {
	SL_ACT_UNKNOWN, /* it was not seen yet */
	SL_ACT_READ,
	SL_ACT_WRITE,
	SL_ACT_UPDATE,
	SL_ACT_LOCK,
	SL_ACT_READ_LOCK,
	SL_ACT_TRY_LOCK,
	SL_ACT_UNLOCK,
	SL_ACT_COND_WAIT,
	SL_ACT_COND_RELOCK,
	SL_ACT_SIGNAL,
	SL_ACT_BROADCAST,
	SL_ACT_SEM_WAIT,
	SL_ACT_SEM_TRY,
	SL_ACT_SEM_POST,
	SL_ACT_SEM_VALUE,
	SL_ACT_BARRIER_WAIT,
	SL_ACT_BARRIER_LEAVE,
	SL_ACT_CREATE,
	SL_ACT_JOIN,
	SL_ACT_END,
	SL_ACT_EXIT,  /* ends all threads */
	SL_ACT_PASS,  /* the last operation before a failure, if it would not be in the tree otherwise */
	SL_ACT_FAIL,  /* the execution failed here */
	SL_ACT_CUT,   /* the execution was cut here */
	SL_ACT_SPINS, /* the engine has found that the thread repeats itself */
	SL_ACT_OTHER, /* order matters, and nothing more is known of it */
	SL_ACTS
};

/* The bytes of eight that an access touches. */
struct sl_path_part {
	uint32_t place; /* number of the eight bytes */
	uint8_t mask;
};

struct sl_path_node {
	uint64_t index, pc;
	uint64_t path;                   /* of the thread up to here: as in struct sl_path_event */
	uint64_t seen;                   /* the observation that led here from the parent */
	uint64_t value;                  /* WRITE: what it writes; END: what the thread returns */
	uint64_t wrote;                  /* the parent is an UPDATE: what it has written */
	uint32_t parent, child, sibling; /* numbers of nodes; 0: none */
	uint32_t parts, part_count;      /* of an access */
	uint32_t object,
		second; /* of others; second: COND_WAIT: the mutex; COND_RELOCK: 1 if no other thread uses it; CREATE, JOIN: the thread */
	uint32_t thread;
	uint8_t act;  /* enum sl_act */
	uint8_t kind; /* enum sl_op_kind */
	bool opaque;  /* WRITE, UPDATE: what is written is a hash */
};

struct sl_behaviour;

/*
 * first: path of the program's first thread. matters: whether the read that this call announces can affect a branch; what was true stays
 * true.
 */
struct sl_behaviour *sl_behaviour_new(uint64_t first, bool (*matters)(void *data, uint64_t pc), void *data);
/*
 * The ways of threads do not tell what they do where they access nothing. Then what a thread observes belongs to its path. To be said before
 * the first execution ends.
 */
void sl_behaviour_is_coarse(struct sl_behaviour *behaviour, bool coarse);
void sl_behaviour_free(struct sl_behaviour *behaviour);

/*
 * An execution, in its order. last: the thread that ran at its end, and the way that it has come. Returns the combination of paths that the
 * threads have taken; 0: that is not known.
 */
void sl_behaviour_begin(struct sl_behaviour *behaviour);
void sl_behaviour_event(struct sl_behaviour *behaviour, const struct sl_path_event *event);
uint64_t sl_behaviour_end(struct sl_behaviour *behaviour, enum sl_path_end how, uint64_t last, uint64_t path);

/* Changes whenever a node was added; `built` whenever all nodes were made anew, and their numbers are others. */
uint64_t sl_behaviour_grown(const struct sl_behaviour *behaviour);
uint64_t sl_behaviour_built(const struct sl_behaviour *behaviour);

const struct sl_path_node *sl_behaviour_node(const struct sl_behaviour *behaviour, uint32_t number);
const struct sl_path_part *sl_behaviour_part(const struct sl_behaviour *behaviour, uint32_t number);

/* When the thread observes this at the node it repeats itself, and does not run. */
void sl_behaviour_spins(struct sl_behaviour *behaviour, uint32_t node, uint64_t seen);

uint32_t sl_behaviour_nodes(const struct sl_behaviour *behaviour); /* one more than the last number */
uint32_t sl_behaviour_threads(const struct sl_behaviour *behaviour);
uint32_t sl_behaviour_places(const struct sl_behaviour *behaviour);
uint32_t sl_behaviour_objects(const struct sl_behaviour *behaviour);
uint32_t sl_behaviour_root(const struct sl_behaviour *behaviour, uint32_t thread);
uint64_t sl_behaviour_origin(const struct sl_behaviour *behaviour, uint32_t thread); /* its path */

/* The child for an observation; 0: none was seen. */
uint32_t sl_behaviour_after(const struct sl_behaviour *behaviour, uint32_t node, uint64_t seen);

/* Does anything examine the object without waiting for it? */
bool sl_behaviour_examined(const struct sl_behaviour *behaviour, uint32_t object);

/* The value of a semaphore before any operation, how many threads a barrier waits for. False: it is not known. */
bool sl_behaviour_initial(const struct sl_behaviour *behaviour, uint32_t object, uint64_t *value);

bool sl_behaviour_gathers(const struct sl_behaviour *behaviour, uint32_t object); /* it is a barrier */

/* Why a verdict is not complete, a sentence; NULL: there are no more. */
const char *sl_behaviour_lacking(const struct sl_behaviour *behaviour, unsigned number);

/* ---- contents of eight bytes, interned: equal contents have equal numbers ---- */

#define SL_CONTENT_INITIAL 0u
uint32_t sl_behaviour_write(struct sl_behaviour *behaviour, uint32_t content, uint8_t mask, uint64_t bits,
			    bool opaque);

/* What a read of these parts observes. contents: by place. False: bytes that no thread has read yet. */
bool sl_behaviour_observe(const struct sl_behaviour *behaviour, const struct sl_path_node *node,
			  const uint32_t *contents, uint64_t *seen);

/* The part of a value that goes to one of the parts of its access. */
uint64_t sl_behaviour_share(const struct sl_path_part *parts, uint32_t number, uint64_t value, bool opaque);

/*
 * The number of a combination of paths, for the search and for executions alike: of how the execution ends, and of all threads in any order.
 * Which of several threads that run the same code takes which path makes no difference.
 */
static inline uint64_t
sl_path_combine(uint64_t combination, uint64_t path, unsigned how)
{
	return combination + sl_mix(sl_mix(path + 0x632be59bd9b4e019u) + how);
}

/* Where a thread waits for ever, as a number. Of joins one directly after the other it makes no difference which one waits. */
uint64_t sl_behaviour_stop(const struct sl_behaviour *behaviour, uint32_t node);

enum { SL_PATH_OVER, SL_PATH_UNFINISHED, SL_PATH_WAITS, SL_PATH_FAILS };

#endif
