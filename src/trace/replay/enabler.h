/*
 * What threads that are stuck look at (flags, predicates, semaphores, condition variables), and the enablers: operations of other
 * threads that change it, as other executions of the program have shown. A thread that waits for a flag and the thread that sets
 * it are then told as what they are, a cycle, although nothing in the execution itself says who would have set it.
 *
 * The engine fills this in a phase of its own, after a deadlock (or a livelock, or an execution that does not end) was traced; the
 * report reads it. Invariant: an enabler counts if an execution has performed it more often than the traced one did, and, if its thread
 * is stuck itself, after the place where that is. So it is something that the thread had still to do, and neither how the flag was
 * initialised nor what is in a branch that it has not taken.
 */
#ifndef SL_TRACE_REPLAY_ENABLER_H
#define SL_TRACE_REPLAY_ENABLER_H

#include "trace/records.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SL_FLAGS_MAX = 64,       /* of all threads of an execution */
	SL_FLAGS_OF_THREAD = 12, /* of one of them */
	SL_ENABLERS_MAX = 64,
	SL_ENABLER_FRAMES = 6,
};

/* Something that a stuck thread looks at. */
struct sl_flag {
	uint64_t address;
	uint32_t size;
	uint32_t thread; /* the thread that looks, by its number in the trace */
};

struct sl_enabler {
	uint64_t address;                /* of the flag */
	uint64_t path;                   /* which thread: sl_thread_path() */
	uint64_t pcs[SL_ENABLER_FRAMES]; /* where, and from where that was called; then 0 */
	uint32_t kind;                   /* enum sl_op_kind */
	uint32_t here;                   /* how often the traced execution has performed it, */
	uint32_t most;                   /* … and the other one that did most often */
	uint32_t now;                    /* … and the one under way */
	uint32_t
		after; /* 0 or 1: by a thread that had gone on from where it is stuck here, or is not stuck here */
	uint32_t pad;
};

/* Where a thread is stuck. */
struct sl_stuck {
	uint64_t path, pc;
	uint64_t passed; /* 0 or 1: it has come there in the execution under way */
};

struct sl_enablers {
	uint32_t flag_count, count, stuck_count, pad;
	struct sl_stuck stuck[SL_FLAGS_MAX];
	struct sl_flag flags[SL_FLAGS_MAX];
	struct sl_enabler items[SL_ENABLERS_MAX];
};

/* The records of an execution: a ring of `room`, into which `count` were written in all. */
struct sl_ring {
	const struct sl_record *records;
	uint64_t count, room;
};

/* Who a thread is, whatever its number is: from which threads it descends, as how manieth child of each. */
uint64_t sl_thread_path(const struct sl_thread_record *threads, uint32_t count, uint32_t thread);

/* Does the operation change what lies at the flag, or wake a thread that waits there? size: of a range. */
bool sl_enables(const struct sl_op *op, uint64_t size, const struct sl_flag *flag);

/* The place for this enabler, made if there is none yet; NULL: there is no room. */
struct sl_enabler *sl_enabler_get(struct sl_enablers *enablers, uint64_t address, uint64_t path, uint64_t pc);

/* What the stuck threads of an execution look at, and what of it was changed in the execution itself. kind: of its finding. */
void sl_enablers_begin(struct sl_enablers *enablers, enum sl_finding_kind kind, const struct sl_culprit *culprits,
		       uint32_t culprit_count, const struct sl_ring *ring, const struct sl_thread_record *threads,
		       uint32_t thread_count);
/* Has each thread that looks at something an enabler by now? */
bool sl_enablers_suffice(const struct sl_enablers *enablers, const struct sl_thread_record *threads,
			 uint32_t thread_count);
/* Is this something that another thread had still to do for the one that looks at the flag? */
bool sl_enabler_counts(const struct sl_enabler *enabler, const struct sl_flag *flag, uint64_t path);

#endif
