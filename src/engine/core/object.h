/*
 * Synchronisation objects, such as mutexes, by address (object.c).
 */
#ifndef SL_ENGINE_CORE_OBJECT_H
#define SL_ENGINE_CORE_OBJECT_H

#include "engine/core/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sl_object_kind {
	SL_OBJECT_NONE, /* not used yet, or destroyed */
	SL_OBJECT_MUTEX,
	SL_OBJECT_RWLOCK,
	SL_OBJECT_SPIN,
	SL_OBJECT_COND,
	SL_OBJECT_BARRIER,
	SL_OBJECT_SEM,
	SL_OBJECT_ONCE,
	SL_OBJECT_ATOMIC,
	SL_OBJECT_THREAD,
	SL_OBJECT_CHANNEL,
	SL_OBJECT_KEY,
	SL_OBJECT_TEAM,  /* OpenMP: barrier, tasks, loops */
	SL_OBJECT_PLAN,  /* events of a schedule (plan.h) */
	SL_OBJECT_ORDER, /* orders that the program announces (dynamic_annotations.c) */
};

struct sl_thread;

struct sl_object {
	uint64_t address;
	uint32_t kind;
	uint32_t
		first; /* the thread that used it first: when a second one uses it, it becomes a point of choice */
	uint32_t sequence; /* the number of the execution */
	bool shared;
	bool fresh;              /* initialised while there were other threads: life.c */
	bool made_anew;          /* … where another object of its kind was, or memory that can be used as one */
	bool assigned;           /* … by a plain write to its memory */
	struct sl_ghost *ghosts; /* ghosts of waiters that run signal handlers (interrupt.c) */
	bool watched; /* a thread may examine it without blocking (trylock, time limits): releases matter, too */
	struct sl_thread *waiters,
		*waiters_last;   /* threads about to use it, or blocked on it, in order of arrival */
	uint32_t published;      /* its openness when the waiters were last updated (enabled.c) */
	bool pending;            /* the waiters must be updated */
	struct sl_thread *owner; /* mutex, spin, rwlock (writer), once (the thread that runs it) */
	uint32_t depth;          /* recursive mutex; once: 1 when done; rwlock: waiting writers */
	uint32_t readers;        /* rwlock */
	uint32_t mutex_kind;     /* PTHREAD_MUTEX_… */
	bool robust;
	uint8_t health;             /* of a robust mutex (mutex.c) */
	uint64_t used, used_pc;     /* epoch and place of its last use (life.c) */
	uint64_t made, made_pc;     /* fresh: epoch and place of its initialisation */
	uint64_t taken;             /* the thread and the place that last locked or destroyed it: misuse.h */
	uint64_t value;             /* semaphore; barrier: threads that have arrived; cond: waiting threads */
	uint64_t limit;             /* barrier: threads that it needs */
	uint64_t round;             /* barrier */
	struct sl_clock clock;      /* the clock of the last release, for the next acquire */
	struct sl_clock read_clock; /* rwlock: the clock of the readers' releases, for the next writer */
	struct sl_readers *loads,
		*stores; /* atomic: the last accesses of each thread, for races with plain accesses */
};

struct sl_object *sl_object_get(const void *address, enum sl_object_kind kind);
struct sl_object *sl_object_peek(const void *address, enum sl_object_kind kind);
struct sl_object *sl_object_find(uint64_t address);
/* The object of a mutex or similar, for a call at this place. */
static inline struct sl_object *
sl_object_use(const void *address, enum sl_object_kind kind, uint64_t pc)
{
	struct sl_object *o = sl_object_get(address, kind);

	o->used_pc = pc;
	return o;
}
/*
 * The running thread destroys the object, or frees its memory: unless its last use happens before that, both are
 * points.
 */
void sl_object_ends(struct sl_object *object);
void sl_object_forget(struct sl_object *object);
void sl_objects_reset(void);
/* Calls the function for each object that the thread holds. */
void sl_objects_each(void (*function)(struct sl_object *, struct sl_thread *), struct sl_thread *owner);

#endif
