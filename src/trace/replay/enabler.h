/*
 * Flags are what stuck threads look at (variables, predicates, semaphores, condition variables); enablers are
 * operations of other threads that change a flag, as other executions of the program have shown. With them, a
 * thread that waits for a flag and the thread that sets it are reported as a cycle, although nothing in the
 * execution itself tells which thread would have set the flag.
 *
 * The engine finds enablers in a phase of its own, after a deadlock (or a livelock, or an execution that does not
 * end) was traced; the report reads them. Invariant: an enabler counts if an execution has performed it more often
 * than the traced one did and, if its thread is stuck itself, after the place where that thread is stuck. So it is
 * something that the thread had still to do, and neither the initialisation of the flag nor part of a branch that
 * was not taken.
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
	uint32_t thread; /* the thread that looks at it, by its number in the trace */
};

struct sl_enabler {
	uint64_t address;                /* of the flag */
	uint64_t path;                   /* the thread: sl_thread_path() */
	uint64_t pcs[SL_ENABLER_FRAMES]; /* the place, and those of its callers; then 0 */
	uint32_t kind;                   /* enum sl_op_kind */
	uint32_t here;                   /* number of times in the traced execution */
	uint32_t most;                   /* … the largest number in another execution */
	uint32_t now;                    /* … the number in the current execution */
	uint32_t
		/* 0 or 1: by a thread that has passed the place where it is stuck here, or is not stuck here */
		after;
	uint32_t pad;
};

/* The place where a thread is stuck. */
struct sl_stuck {
	uint64_t path, pc;
	uint64_t passed; /* 0 or 1: the thread has passed it in the current execution */
};

struct sl_enablers {
	uint32_t flag_count, count, stuck_count, pad;
	struct sl_stuck stuck[SL_FLAGS_MAX];
	struct sl_flag flags[SL_FLAGS_MAX];
	struct sl_enabler items[SL_ENABLERS_MAX];
};

/* The records of an execution: a ring of `room`, into which `count` were written in total. */
struct sl_ring {
	const struct sl_record *records;
	uint64_t count, room;
};

/*
 * Identifies a thread independently of its number: by its ancestors, and the index of each among its parent's
 * children.
 */
uint64_t sl_thread_path(const struct sl_thread_record *threads, uint32_t count, uint32_t thread);

/* Does the operation change the flag, or wake a thread that waits there? size: of a range. */
bool sl_enables(const struct sl_op *op, uint64_t size, const struct sl_flag *flag);

/* The kind by whose verb an enabler is told: one call of semop() may take and give, and its own verb says what it takes. */
static inline uint8_t
sl_enabler_told(uint8_t kind)
{
	return sl_kind_is(kind, SL_KIND_SYNC) && sl_kind_is(kind, SL_KIND_WAITS | SL_KIND_TRIES) ? SL_SET_POST
												 : kind;
}

/* Returns the record of this enabler, which is created if necessary; NULL: there is no room. */
struct sl_enabler *sl_enabler_get(struct sl_enablers *enablers, uint64_t address, uint64_t path, uint64_t pc);

/*
 * The flags of the stuck threads of an execution, and what the execution itself changed in them. kind: of the
 * finding.
 */
void sl_enablers_begin(struct sl_enablers *enablers, enum sl_finding_kind kind, const struct sl_culprit *culprits,
		       uint32_t culprit_count, const struct sl_ring *ring, const struct sl_thread_record *threads,
		       uint32_t thread_count);
/* Does each thread with a flag have an enabler by now? */
bool sl_enablers_suffice(const struct sl_enablers *enablers, const struct sl_thread_record *threads,
			 uint32_t thread_count);
/* Is this something that another thread had still to do for the thread that looks at the flag? */
bool sl_enabler_counts(const struct sl_enabler *enabler, const struct sl_flag *flag, uint64_t path);

#endif
