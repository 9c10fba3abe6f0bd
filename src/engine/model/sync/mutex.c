/*
 * Mutexes and spin locks.
 *
 * The engine stores their state by address; it only reads the kind from the program's pthread_mutex_t. A mutex
 * that was locked before control belongs to the first thread.
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

/* The state of a robust mutex. */
enum { SOUND, OWNER_DEAD, INCONSISTENT, UNRECOVERABLE };

/*
 * Returns whether the memory can be a mutex: garbage has other bits in the kind, or in the word that is 0, 1, 2 or
 * a thread's number.
 */
static bool
sane(const pthread_mutex_t *m)
{
	int kind = m->__data.__kind;

	return !(kind & ~KIND_KNOWN) &&
	       ((unsigned)m->__data.__lock <= 2 || kind & (KIND_ROBUST | KIND_INHERIT | KIND_PROTECT));
}

/* Whether it was locked outside of control. */
static bool
is_locked(const pthread_mutex_t *m)
{
	unsigned word = (unsigned)m->__data.__lock;

	return (m->__data.__kind & KIND_PROTECT ? word & ~CEILING_MASK : word) != 0;
}

static struct sl_object *
mutex(pthread_mutex_t *m, uint64_t pc)
{
	struct sl_object *o = sl_object_use(m, SL_OBJECT_MUTEX, pc);

	if (unlikely(o->owner && !m->__data.__nusers && o->round && o->depth)) {
		/*
		 * overwritten by an initialiser: a mutex on the stack was left locked, and a new one has its place
		 */
		o->owner->locks_held -= o->owner->locks_held > 0;
		sl_lock_given(o, o->owner);
		o->owner = NULL;
		o->depth = 0;
		o->health = SOUND;
		sl_object_changed(o);
	}
	if (!o->owner) { /* checked each time: memory may get another mutex without an announcement */
		int kind = m->__data.__kind;

		o->robust = kind & KIND_ROBUST && kind != KIND_GONE;
		o->mutex_kind = kind & KIND_MASK;
	}
	if (unlikely(!o->round)) { /* first use in this execution */
		o->round = 1;
		if (is_locked(m) && sane(m)) {
			o->owner = &E.threads[0];
			o->depth = m->__data.__count ? m->__data.__count : 1;
		}
	}
	return o;
}

/* Called after the choice: checks whether the mutex still exists, and returns glibc's result if not. */
static int
check(pthread_mutex_t *m, struct sl_object *o)
{
	uint64_t pc = E.current->op.pc;

	if (likely(sane(m) && !o->fresh))
		return 0;
	if (o->fresh)
		sl_life_used(o, pc);
	if (sane(m))
		return 0;
	if (m->__data.__kind == KIND_GONE)
		sl_misuse("uses %, which was destroyed by @", o->address, pc, o->taken, SL_DESTROY);
	else
		sl_misuse("uses %, which was never initialised", o->address, pc, 0, 0);
	return EINVAL;
}

/*
 * Notes whether the mutex is held in libc's count of users in the mutex, which a child process uses, too. So the
 * engine sees when the mutex is initialised again.
 */
static void
note_held(struct sl_object *o, bool held)
{
	if (o->kind == SL_OBJECT_MUTEX && o->round) /* not the lock of a stream */
		((pthread_mutex_t *)o->address)->__data.__nusers = held;
}

/* Takes a free mutex. Returns 0, or an error of a robust mutex. */
int
sl_mutex_take(struct sl_object *o)
{
	int answer = 0;

	if (unlikely(o->health != SOUND)) {
		if (o->health == UNRECOVERABLE)
			return ENOTRECOVERABLE;
		o->health = INCONSISTENT;
		answer = EOWNERDEAD;
	}
	sl_lock_taken(o, false);
	note_held(o, true);
	o->owner = E.current;
	o->depth = 1;
	o->taken = sl_by(E.current->op.pc);
	E.current->locks_held++;
	sl_acquire(o);
	sl_object_changed(o);
	return answer;
}

/* Takes the mutex after a wait, with its earlier depth. */
int
sl_mutex_retake(struct sl_object *o, uint32_t depth)
{
	int answer = 0;

	if (o->owner != E.current)
		answer = sl_mutex_take(o);
	if (answer != ENOTRECOVERABLE)
		o->depth = depth;
	return answer;
}

/*
 * A thread has ended: another thread may recover a robust mutex that it holds; any other mutex stays locked for
 * ever.
 */
static void
abandon(struct sl_object *o, struct sl_thread *owner)
{
	if (o->kind != SL_OBJECT_MUTEX || !o->robust) {
		sl_misuse_held(o, owner);
		return;
	}
	o->health = OWNER_DEAD;
	sl_mutex_unlock_now(o);
}

void
sl_mutexes_abandon(void)
{
	if (E.current->locks_held)
		sl_objects_each(abandon, E.current);
}

void
sl_mutex_unlock_now(struct sl_object *o)
{
	if (unlikely(E.listen.watching))
		sl_step_release(o);
	if (o->owner && o->owner->locks_held)
		o->owner->locks_held--;
	if (o->owner)
		sl_lock_given(o, o->owner);
	if (o->health != OWNER_DEAD) /* otherwise its memory may be freed */
		note_held(o, false);
	o->owner = NULL;
	o->depth = 0;
	sl_release(o);
	sl_object_changed(o);
	if (sl_watched(o->address))
		sl_changed(true);
}

/*
 * Handles a mutex that the thread holds already. Returns an error, or -1 if the recursive mutex was taken; 0: the
 * caller must wait for the mutex.
 */
static int
relock(struct sl_object *o, bool try)
{
	if (o->owner != E.current)
		return 0;
	switch (o->mutex_kind) {
	case PTHREAD_MUTEX_RECURSIVE:
		o->depth++;
		return -1;
	case PTHREAD_MUTEX_ERRORCHECK:
		return try ? EBUSY : EDEADLK;
	default:
		return try ? EBUSY : 0; /* a normal mutex waits for itself for ever */
	}
}

SL_EXPORT int
pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a)
{
	bool usable = false;
	int result;

	if (E.control) {
		sl_life_begin(m, SL_PC);
		usable = sane(m);
	}
	result = SL_CALL(pthread_mutex_init)(m, a);
	if (E.control && !result)
		sl_life_init(m, SL_OBJECT_MUTEX, usable);
	if (!result)
		sl_lane_life(SL_INIT, m, SL_PC);
	return result;
}

/* Returns a thread that waits for a condition variable with this mutex, and will take it again; or NULL. */
static const struct sl_thread *
awaits_again(const struct sl_object *o)
{
	for (uint32_t i = 0; i < E.thread_count; i++)
		if (E.threads[i].alive && E.threads[i].awaited.relock == o)
			return &E.threads[i];
	return NULL;
}

SL_EXPORT int
pthread_mutex_destroy(pthread_mutex_t *m)
{
	SL_RT_CALL();
	sl_lane_life(SL_DESTROY, m, SL_PC);
	if (!E.control)
		return SL_CALL(pthread_mutex_destroy)(m);
	struct sl_object *o = sl_object_peek(m, SL_OBJECT_MUTEX);

	sl_object_ends(o);
	sl_announce(SL_DESTROY, (uint64_t)m, SL_PC);
	sl_point_unless_alone(o);
	sl_note(0);
	if (check(m, o))
		return EINVAL;
	if (o->owner)
		sl_misuse("destroys %, which @ holds", o->address, E.current->op.pc, o->taken, SL_MUTEX_LOCK);
	if (o->owner && !o->robust)
		return EBUSY;
	const struct sl_thread *waits = awaits_again(o);

	if (waits)
		sl_misuse("destroys %, which @ takes again after its wait", o->address, E.current->op.pc,
			  sl_by_waiter(waits), SL_COND_WAIT);
	if (waits && !o->robust)
		return EBUSY; /* as in glibc, which counts the mutex's users */
	sl_life_end(o, E.current->op.pc);
	sl_object_forget(o);
	o->taken = sl_by(E.current->op.pc);
	return SL_CALL(pthread_mutex_destroy)(m);
}

static int
timedlock(pthread_mutex_t *m, const struct timespec *limit, clockid_t clock, uint64_t pc)
{
	struct sl_object *o = mutex(m, pc);
	struct sl_thread *t = E.current;
	int answer;

	sl_look_at(o);
	sl_announce(SL_MUTEX_TIMEDLOCK, (uint64_t)m, pc);
	answer = relock(o, false);
	if (answer) {
		sl_no_point();
		sl_note((uint64_t)(answer < 0 ? 0 : answer));
		return answer < 0 ? 0 : answer;
	}
	if (sl_bad_time(limit) || (limit->tv_sec < 0 && m->__data.__kind & KIND_INHERIT)) {
		sl_point_unless_alone(o);
		return o->owner || check(m, o) ? EINVAL : sl_mutex_take(o);
	}
	t->waits.timed = true;
	t->awaited.deadline = sl_deadline(limit, clock);
	sl_await(o);
	t->waits.timed = false;
	if (t->waits.expired) {
		sl_time_reaches(t->awaited.deadline);
		t->op.kind = SL_TIMEOUT;
		sl_note(ETIMEDOUT);
		return ETIMEDOUT;
	}
	answer = check(m, o);
	if (!answer)
		answer = sl_mutex_take(o);
	sl_note((uint64_t)answer);
	return answer;
}

int
sl_control_mutex_lock(pthread_mutex_t *m, const struct timespec *limit, clockid_t clock, uint64_t pc)
{
	struct sl_object *o;
	int answer;

	if (unlikely(limit != NULL))
		return timedlock(m, limit, clock, pc);
	o = mutex(m, pc);
	sl_announce(SL_MUTEX_LOCK, (uint64_t)m, pc);
	answer = relock(o, false);
	if (answer) {
		sl_no_point();
		sl_note((uint64_t)(answer < 0 ? 0 : answer));
		return answer < 0 ? 0 : answer;
	}
	if (!o->owner)
		sl_spin_lock(pc);
	sl_await(o);
	answer = check(m, o);
	if (likely(!answer))
		answer = sl_mutex_take(o);
	sl_note((uint64_t)answer);
	return answer;
}

int
sl_control_mutex_trylock(pthread_mutex_t *m, uint64_t pc)
{
	struct sl_object *o = mutex(m, pc);
	int answer = 0;

	sl_look_at(o);
	sl_announce(SL_MUTEX_TRYLOCK, (uint64_t)m, pc);
	if (o->owner && o->owner != E.current)
		sl_spin_visit(pc);
	sl_point_unless_alone(o);
	if (unlikely(check(m, o))) {
		answer = EINVAL;
	} else if (o->owner) {
		answer = relock(o, true);
		if (answer == EBUSY && o->mutex_kind == PTHREAD_MUTEX_ERRORCHECK &&
		    m->__data.__kind & (KIND_INHERIT | KIND_PROTECT | KIND_ROBUST))
			answer = EDEADLK;
		answer = answer < 0 ? 0 : answer ? answer : EBUSY;
		if (answer)
			sl_attempted(o, SL_OPEN_FREE, false);
	} else {
		sl_attempted(o, SL_OPEN_FREE, true);
		answer = sl_mutex_take(o);
	}
	sl_note((uint64_t)answer);
	return answer;
}

int
sl_control_mutex_unlock(pthread_mutex_t *m, uint64_t pc)
{
	struct sl_object *o = mutex(m, pc);

	sl_announce(SL_MUTEX_UNLOCK, (uint64_t)m, pc);
	sl_point_of_release(o);
	sl_note(0);
	if (unlikely(check(m, o)))
		return EINVAL;
	if (unlikely(o->owner != E.current)) {
		if (o->mutex_kind == PTHREAD_MUTEX_RECURSIVE || o->mutex_kind == PTHREAD_MUTEX_ERRORCHECK ||
		    o->robust)
			return EPERM;
		if (o->owner)
			sl_misuse("unlocks %, which @ holds", o->address, pc, o->taken, SL_MUTEX_LOCK);
		else
			sl_misuse("unlocks %, which no thread holds", o->address, pc, 0, 0);
	}
	if (o->mutex_kind == PTHREAD_MUTEX_RECURSIVE && o->depth > 1) {
		o->depth--;
		return 0;
	}
	if (unlikely(o->health == INCONSISTENT))
		o->health = UNRECOVERABLE; /* pthread_mutex_consistent() was not called */
	sl_mutex_unlock_now(o);
	return 0;
}

struct sl_object *
sl_mutex_object(pthread_mutex_t *m, uint64_t pc)
{
	return mutex(m, pc);
}

int
sl_control_mutex_consistent(pthread_mutex_t *m, uint64_t pc)
{
	struct sl_object *o = mutex(m, pc);

	if (!o->robust || o->health != INCONSISTENT)
		return EINVAL;
	o->health = SOUND;
	return 0;
}

/* ---- spin locks ---- */

/*
 * glibc's word is 1 when the lock is free, which it always is here. A word of 0 was never initialised, and glibc
 * would wait for ever.
 */
static bool
spin_sane(const pthread_spinlock_t *s)
{
	return *s == 1;
}

SL_EXPORT int
pthread_spin_init(pthread_spinlock_t *s, int shared)
{
	if (E.control) {
		sl_life_begin((void *)s, SL_PC);
		sl_life_init((void *)s, SL_OBJECT_SPIN, spin_sane(s));
	}
	return SL_CALL(pthread_spin_init)(s, shared);
}

SL_EXPORT int
pthread_spin_destroy(pthread_spinlock_t *s)
{
	SL_RT_CALL();
	sl_lane_life(SL_DESTROY, s, SL_PC);
	if (!E.control)
		return SL_CALL(pthread_spin_destroy)(s);
	struct sl_object *o = sl_object_peek((void *)s, SL_OBJECT_SPIN);

	sl_object_ends(o);
	sl_announce(SL_DESTROY, (uint64_t)s, SL_PC);
	sl_point_unless_alone(o);
	sl_note(0);
	sl_misuse_check(o, (uint32_t *)s, spin_sane(s), SL_PC);
	if (o->owner)
		sl_misuse("destroys %, which @ holds", o->address, SL_PC, o->taken, SL_SPIN_LOCK);
	sl_misuse_destroy(o, (uint32_t *)s, SL_PC);
	return 0;
}

int
sl_control_spin_lock(pthread_spinlock_t *s, uint64_t pc)
{
	struct sl_object *o = sl_object_use((void *)s, SL_OBJECT_SPIN, pc);

	sl_announce(SL_SPIN_LOCK, (uint64_t)s, pc);
	if (!o->owner)
		sl_spin_lock(pc);
	sl_await(o);
	sl_misuse_check(o, (uint32_t *)s, spin_sane(s), pc);
	sl_note(0);
	sl_mutex_take(o);
	return 0;
}

int
sl_control_spin_trylock(pthread_spinlock_t *s, uint64_t pc)
{
	struct sl_object *o = sl_object_use((void *)s, SL_OBJECT_SPIN, pc);

	sl_look_at(o);
	sl_announce(SL_MUTEX_TRYLOCK, (uint64_t)s, pc);
	if (o->owner)
		sl_spin_visit(pc);
	sl_point_unless_alone(o);
	sl_misuse_check(o, (uint32_t *)s, spin_sane(s), pc);
	E.listen.took = o->owner ? 0 : SL_SPIN_LOCK;
	sl_note(o->owner ? EBUSY : 0);
	E.listen.took = 0;
	sl_attempted(o, SL_OPEN_FREE, !o->owner);
	if (o->owner)
		return EBUSY;
	sl_mutex_take(o);
	return 0;
}

int
sl_control_spin_unlock(pthread_spinlock_t *s, uint64_t pc)
{
	struct sl_object *o = sl_object_use((void *)s, SL_OBJECT_SPIN, pc);

	sl_announce(SL_SPIN_UNLOCK, (uint64_t)s, pc);
	sl_point_of_release(o);
	sl_misuse_check(o, (uint32_t *)s, spin_sane(s), pc);
	if (unlikely(o->owner != E.current))
		sl_misuse(o->owner ? "unlocks %, which @ holds" : "unlocks %, which no thread holds", o->address,
			  pc, o->owner ? o->taken : 0, SL_SPIN_LOCK);
	sl_note(0);
	sl_mutex_unlock_now(o);
	return 0;
}
