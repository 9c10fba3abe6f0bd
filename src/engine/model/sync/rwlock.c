/*
 * Read-write locks: readers are preferred, as by default in glibc. depth is the number of waiting writers.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/enabled.h"
#include "engine/core/engine.h"
#include "engine/core/life.h"
#include "engine/core/misuse.h"
#include "engine/upcall/spin.h"
#include "engine/core/step.h"
#include "engine/entry/glibc.h"
#include "engine/entry/interpose.h"
#include "engine/entry/record.h"
#include "engine/under/poison.h"

static bool
rwlock_sane(const pthread_rwlock_t *l)
{
	return l->__data.__flags <= 3 && (l->__data.__shared == 0 || l->__data.__shared == 1);
}

/* A word that glibc does not use notes whether the lock is held. So a lock that was initialised again by an
 * assignment, where another one was left locked, is recognised as free. */
static void
note_held(const struct sl_object *o)
{
	((pthread_rwlock_t *)o->address)->__data.__pad3 = o->owner || o->readers;
}

static void
forget_holders(struct sl_object *o)
{
	for (uint32_t i = 0; i < E.thread_count; i++) {
		struct sl_thread *t = &E.threads[i];
		struct sl_held_book held = sl_thread_held(t);
		const struct sl_hold *hold = sl_held_find(&held, o->address);

		for (uint32_t level = hold ? hold->depth : 0; level; level--) {
			t->locks_held -= t->locks_held > 0;
			sl_lock_given(o, t);
		}
	}
	o->owner = NULL;
	o->readers = 0;
	sl_object_changed(o);
}

static struct sl_object *
lock_of(pthread_rwlock_t *l, uint64_t pc)
{
	struct sl_object *o = sl_object_use(l, SL_OBJECT_RWLOCK, pc);

	if (unlikely((o->owner || o->readers) && !l->__data.__pad3))
		forget_holders(o);
	return o;
}

SL_EXPORT int
pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *a)
{
	if (E.control) {
		sl_life_begin(l, SL_PC);
		sl_life_init(l, SL_OBJECT_RWLOCK, rwlock_sane(l));
	}
	return SL_CALL(pthread_rwlock_init)(l, a);
}

SL_EXPORT int
pthread_rwlock_destroy(pthread_rwlock_t *l)
{
	SL_RT_CALL();
	if (E.control) {
		struct sl_object *o = sl_object_peek(l, SL_OBJECT_RWLOCK);

		sl_object_ends(o);
		sl_announce(SL_DESTROY, (uint64_t)l, SL_PC);
		sl_point_unless_alone(o);
		sl_note(0);
		sl_misuse_check(o, &l->__data.__readers, rwlock_sane(l), SL_PC);
		if (o->owner || o->readers)
			sl_misuse("destroys %, which @ holds", o->address, SL_PC, o->taken, SL_RW_WRLOCK);
		sl_misuse_destroy(o, &l->__data.__readers, SL_PC);
		return 0;
	}
	sl_lane_life(SL_DESTROY, l, SL_PC);
	return SL_CALL(pthread_rwlock_destroy)(l);
}

static void
take_read(struct sl_object *o)
{
	sl_lock_taken(o, true);
	o->readers++;
	note_held(o);
	o->taken = sl_by(E.current->op.pc);
	E.current->locks_held++;
	sl_acquire(o);
	sl_object_changed(o);
}

static void
take_write(struct sl_object *o)
{
	sl_lock_taken(o, false);
	o->owner = E.current;
	note_held(o);
	o->taken = sl_by(E.current->op.pc);
	E.current->locks_held++;
	sl_acquire(o);
	sl_learn(&o->read_clock);
	sl_object_changed(o);
}

/* Only for this kind of lock a waiting writer excludes readers. Its arrival is then another point. */
static bool
prefers_writers(const pthread_rwlock_t *l)
{
	return l->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

int
sl_control_rwlock_lock(pthread_rwlock_t *l, bool write, const struct timespec *limit, clockid_t clock, uint64_t pc)
{
	struct sl_object *o = lock_of(l, pc);
	struct sl_thread *t = E.current;
	bool announced = false, arrives = write && prefers_writers(l) && o->owner != t;

	/* NOLINT(clang-analyzer-core.NullDereference): there is always a running thread */
	t->waits.tries = arrives;
	sl_announce(write ? SL_RW_WRLOCK : SL_RW_RDLOCK, (uint64_t)l, pc);
	if (unlikely(E.listen.valued) && prefers_writers(l))
		sl_reel_beyond(SL_BEYOND_WRITERS);
	if (o->owner == t) {
		sl_no_point();
		sl_note(EDEADLK);
		return EDEADLK;
	}
	if (!limit && !o->owner && !(write ? o->readers : o->depth))
		sl_spin_lock(pc);
	if (limit) {
		if (sl_bad_time(limit)) {
			t->waits.tries = false;
			return EINVAL;
		}
		sl_look_at(o);
	}
	if (arrives) {
		sl_point_unless_alone(o);
		t->waits.tries = false;
		sl_note(o->owner || o->readers ? EBUSY : 0); /* the writer must wait */
		if (!o->owner && !o->readers) {
			take_write(o);
			return 0;
		}
		announced = t->waits.arrived = true;
		o->depth++;
		sl_object_changed(o);
		sl_announce(SL_RW_WRLOCK, (uint64_t)l, pc);
		t->waits.arrived = false;
	}
	if (limit) {
		t->waits.timed = true;
		t->awaited.deadline = sl_deadline(limit, clock);
	}
	sl_await(o);
	t->waits.timed = false;
	if (announced) {
		o->depth--;
		sl_object_changed(o);
	}
	if (t->waits.expired) {
		sl_time_reaches(t->awaited.deadline);
		t->op.kind = SL_TIMEOUT;
		sl_note(ETIMEDOUT);
		return ETIMEDOUT;
	}
	sl_misuse_check(o, &l->__data.__readers, rwlock_sane(l), pc);
	sl_note(0);
	if (write)
		take_write(o);
	else
		take_read(o);
	return 0;
}

int
sl_control_rwlock_trylock(pthread_rwlock_t *l, bool write, uint64_t pc)
{
	struct sl_object *o = lock_of(l, pc);
	bool busy;

	sl_look_at(o);
	sl_announce(SL_MUTEX_TRYLOCK, (uint64_t)l, pc);
	if (o->owner || (write ? o->readers : o->depth))
		sl_spin_visit(pc);
	sl_point_unless_alone(o);
	sl_misuse_check(o, &l->__data.__readers, rwlock_sane(l), pc);
	busy = o->owner || (write ? o->readers : o->depth);
	E.listen.took = busy ? 0 : write ? SL_RW_WRLOCK : SL_RW_RDLOCK;
	sl_note(busy ? EBUSY : 0);
	E.listen.took = 0;
	sl_attempted(o, SL_OPEN_FREE | (write ? SL_OPEN_UNREAD : SL_OPEN_TO_READERS), !busy);
	if (busy)
		return EBUSY;
	if (write)
		take_write(o);
	else
		take_read(o);
	return 0;
}

int
sl_control_rwlock_unlock(pthread_rwlock_t *l, uint64_t pc)
{
	struct sl_object *o = lock_of(l, pc);

	sl_announce(SL_RW_UNLOCK, (uint64_t)l, pc);
	sl_point_of_release(o);
	sl_misuse_check(o, &l->__data.__readers, rwlock_sane(l), pc);
	/* readers are only counted; a thread that holds no lock at all is not one of them */
	if (unlikely(o->owner ? o->owner != E.current : !o->readers || !E.current->locks_held))
		sl_misuse(o->owner || o->readers ? "unlocks %, which @ holds" : "unlocks %, which no thread holds",
			  o->address, pc, o->owner || o->readers ? o->taken : 0, SL_RW_WRLOCK);
	sl_note(0);
	if (E.current->locks_held)
		E.current->locks_held--;
	sl_lock_given(o, E.current);
	if (o->owner) {
		o->owner = NULL;
		sl_release(o);
	} else if (o->readers) {
		o->readers--;
		sl_show(&o->read_clock);
	}
	note_held(o);
	sl_object_changed(o);
	if (sl_watched(o->address))
		sl_changed(true);
	return 0;
}
