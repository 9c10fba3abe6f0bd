/*
 * Condition variables, barriers, semaphores.
 *
 * A signal may wake any waiter, which is a choice. There are no spurious wake-ups unless they were requested. As
 * in ThreadSanitizer, a signal does not create a happens-before edge to the waiter: the mutex does.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/enabled.h"
#include "engine/core/life.h"
#include "engine/core/misuse.h"
#include "engine/core/plan.h"
#include "engine/upcall/spin.h"
#include "engine/core/step.h"
#include "engine/entry/glibc.h"
#include "engine/entry/interpose.h"
#include "engine/entry/record.h"
#include "engine/listen/covering.h"
#include "engine/listen/lane.h"
#include "engine/model/memory/touched.h"
#include "engine/under/poison.h"

#define COND_MONOTONIC 2 /* glibc's bit in __wrefs */
#define SEM_MADE 0x5e3a4de1u

/*
 * For each kind of object: a word that only libc uses, and whether the memory may be such an object. (Threads do
 * not wait in libc, so its words do not change.)
 */
static uint32_t *
cond_word(pthread_cond_t *c)
{
	return &((uint32_t *)c)[1]; /* the higher half of the number of waits so far */
}

static bool
cond_sane(const pthread_cond_t *c)
{
	return c->__data.__wrefs <= 3 && c->__data.__g_refs[0] <= 1 && c->__data.__g_refs[1] <= 1;
}

static uint32_t *
sem_word(sem_t *s)
{
	return &((uint32_t *)s)[3]; /* padding */
}

static bool
sem_sane(const sem_t *s)
{
	const uint32_t *word = (const uint32_t *)s;

	/*
	 * zeroed memory looks like a semaphore with value 0, so initialised semaphores have a mark of the engine
	 */
	return word[1] == 0 && (word[2] == 0 || word[2] == 128) && (word[0] || word[2] || word[3] == SEM_MADE);
}

static uint32_t *
barrier_word(pthread_barrier_t *b)
{
	return &((uint32_t *)b)[4]; /* the number of threads that have left */
}

SL_EXPORT int
pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *a)
{
	if (E.control) {
		sl_life_begin(c, SL_PC);
		sl_life_init(c, SL_OBJECT_COND, cond_sane(c));
	}
	return SL_CALL(pthread_cond_init)(c, a);
}

SL_EXPORT int
pthread_cond_destroy(pthread_cond_t *c)
{
	SL_RT_CALL();
	sl_lane_life(SL_DESTROY, c, SL_PC);
	if (!E.control)
		return SL_CALL(pthread_cond_destroy)(c);
	struct sl_object *o = sl_object_peek(c, SL_OBJECT_COND);

	sl_object_ends(o);
	sl_announce(SL_DESTROY, (uint64_t)c, SL_PC);
	sl_point_unless_alone(o);
	sl_note(0);
	sl_misuse_check(o, cond_word(c), cond_sane(c), SL_PC);
	if (o->waiters)
		sl_misuse("destroys %, for which @ waits", o->address, SL_PC, sl_by_waiter(o->waiters),
			  SL_COND_WAIT);
	/* no thread has waited on the real one, which need not be destroyed */
	sl_misuse_destroy(o, cond_word(c), SL_PC);
	return 0;
}

int
sl_control_cond_wait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *limit, clockid_t clock,
		     uint64_t pc)
{
	struct sl_object *o = sl_object_use(c, SL_OBJECT_COND, pc), *mutex = sl_mutex_object(m, pc);
	struct sl_thread *t = E.current;
	uint64_t spurious = 0;
	uint32_t depth;
	int answer = 0;

	if (sl_bad_time(limit))
		return EINVAL;
	if (clock == SL_CLOCK_OWN)
		clock = c->__data.__wrefs & COND_MONOTONIC ? CLOCK_MONOTONIC : CLOCK_REALTIME;
	if (mutex->owner != t && (mutex->mutex_kind == PTHREAD_MUTEX_RECURSIVE ||
				  mutex->mutex_kind == PTHREAD_MUTEX_ERRORCHECK || mutex->robust))
		return EPERM;
	sl_announce(SL_COND_WAIT, (uint64_t)c, pc);
	sl_interruptible(SL_BY_CANCEL);
	if (sl_arrive(o) || t->interruption.cancel_marked)
		sl_point();
	else
		sl_point_unless_alone(o);
	if (unlikely(t->interruption.interrupted || (t->interruption.urgent && sl_serve())))
		sl_interrupted();
	sl_note((uint64_t)m);
	sl_misuse_check(o, cond_word(c), cond_sane(c), pc);
	if (unlikely(mutex->owner != t))
		sl_misuse(mutex->owner ? "waits for a condition with %, which @ holds"
				       : "waits for a condition with %, which no thread holds",
			  mutex->address, pc, mutex->owner ? mutex->taken : 0, SL_MUTEX_LOCK);
	if (unlikely(o->waiters && o->waiters->awaited.relock && o->waiters->awaited.relock != mutex))
		sl_misuse("waits for % with another mutex than @ does", o->address, pc, sl_by_waiter(o->waiters),
			  SL_COND_WAIT);
	depth = mutex->depth;
	if (depth > 1) /* as in glibc a wait releases only one level: other threads can't take the mutex */
		mutex->depth--;
	else
		sl_mutex_unlock_now(mutex);
	t->awaited.relock = mutex;
	t->awaited.deadline = limit ? sl_deadline(limit, clock) : 0;
	if (E.arena->config.spurious && sl_ask(SL_CHOOSE_VALUE, 2, NULL) == 1) {
		spurious = SL_NOTE_SPURIOUS;
		t->interruption.interruptible = 0;
		sl_announce(SL_COND_RELOCK, (uint64_t)m, pc);
		sl_await(mutex);
	} else {
		t->waits.timed = limit != NULL;
		sl_sleep_on(o);
		sl_waiter_remove(t);
		t->waits.timed = false;
		if (t->op.kind == SL_COND_WAIT) { /* not signalled: the time limit expired */
			sl_time_reaches(t->awaited.deadline);
			t->op.kind = SL_TIMEOUT;
			sl_note(ETIMEDOUT);
			answer = ETIMEDOUT;
			sl_announce(SL_COND_RELOCK, (uint64_t)m, pc);
			sl_await(mutex);
		}
	}
	t->awaited.relock = t->awaited.condition = NULL;
	int error = sl_mutex_retake(mutex, depth);

	sl_note((uint64_t)error | spurious);
	if (t->interruption.interrupted)
		sl_interrupted();
	return error ? error : answer;
}

/* The waiter is woken: it must take its mutex again. */
void
sl_cond_wake(struct sl_thread *w)
{
	sl_waiter_remove(w);
	w->op.kind = SL_COND_RELOCK;
	w->op.object = w->awaited.relock->address;
	w->op.index++;
	sl_ends_wait(w);
	w->waits.timed = false;
	w->interruption.interruptible = 0;
	if (unlikely(E.listen.reeling))
		sl_reel_request(w);
	if (unlikely(E.listen.covering))
		sl_cover_request(w);
	sl_waiter_add(w->awaited.relock, w);
	w->awaited.relock->published = 0; /* w was not updated yet */
	sl_object_changed(w->awaited.relock);
}

/* Wakes a waiter that runs a signal handler: it sees that after the handler. */
static bool
ghost_wake(struct sl_object *o, uint32_t thread)
{
	for (struct sl_ghost **at = &o->ghosts; *at; at = &(*at)->next) {
		struct sl_ghost *g = *at;

		if (g->op.thread == thread) {
			*at = g->next;
			g->object = NULL;
			return true;
		}
	}
	return false;
}

/* The signal is recorded before the woken thread requests its mutex, which is a consequence. */
void
sl_cond_signal(struct sl_object *o, bool noted)
{
	const struct sl_op **ops = NULL;
	struct sl_thread *chosen = NULL;
	unsigned count = 0;

	for (struct sl_thread *w = o->waiters; w; w = w->waits.next)
		count++;
	for (struct sl_ghost *g = o->ghosts; g; g = g->next)
		count++;
	if (count)
		ops = sl_scratch_alloc(count * sizeof(*ops));
	count = 0;
	for (struct sl_thread *w = o->waiters; w; w = w->waits.next)
		ops[count++] = &w->op;
	for (struct sl_ghost *g = o->ghosts; g; g = g->next)
		ops[count++] = &g->op;
	if (count)
		chosen = &E.threads[ops[sl_ask(SL_CHOOSE_WAITER, count, ops)]->thread];
	if (noted)
		sl_note(chosen ? chosen->id + 1 : 0);
	if (chosen && !ghost_wake(o, chosen->id)) {
		sl_cond_wake(chosen);
		chosen->awaited.condition = o;
	}
}

int
sl_control_cond_signal(pthread_cond_t *c, uint64_t pc)
{
	struct sl_object *o = sl_object_use(c, SL_OBJECT_COND, pc);

	sl_announce(SL_COND_SIGNAL, (uint64_t)c, pc);
	sl_point_unless_alone(o);
	sl_misuse_check(o, cond_word(c), cond_sane(c), pc);
	sl_cond_signal(o, true);
	return 0;
}

int
sl_control_cond_broadcast(pthread_cond_t *c, uint64_t pc)
{
	struct sl_object *o = sl_object_use(c, SL_OBJECT_COND, pc);

	sl_announce(SL_COND_BROADCAST, (uint64_t)c, pc);
	sl_point_unless_alone(o);
	sl_misuse_check(o, cond_word(c), cond_sane(c), pc);
	sl_note(o->waiters || o->ghosts);
	while (o->waiters)
		sl_cond_wake(o->waiters);
	while (o->ghosts)
		ghost_wake(o, o->ghosts->op.thread);
	return 0;
}

/* ---- barriers ---- */

SL_EXPORT int
pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *a, unsigned count)
{
	bool usable = false;
	int result;

	if (E.control) {
		sl_life_begin(b, SL_PC);
		usable = ((unsigned *)b)[2];
	}
	result = SL_CALL(pthread_barrier_init)(b, a, count);
	if (E.control && !result) {
		sl_life_init(b, SL_OBJECT_BARRIER, usable)->limit = count;
		if (unlikely(E.listen.valued))
			sl_reel_count((uint64_t)b, count);
	}
	return result;
}

SL_EXPORT int
pthread_barrier_destroy(pthread_barrier_t *b)
{
	SL_RT_CALL();
	sl_lane_life(SL_DESTROY, b, SL_PC);
	if (!E.control)
		return SL_CALL(pthread_barrier_destroy)(b);
	struct sl_object *o = sl_object_peek(b, SL_OBJECT_BARRIER);

	sl_object_ends(o);
	sl_announce(SL_DESTROY, (uint64_t)b, SL_PC);
	sl_point_unless_alone(o);
	sl_note(0);
	sl_misuse_check(o, barrier_word(b), o->limit || ((unsigned *)b)[2], SL_PC);
	if (o->waiters)
		sl_misuse("destroys %, at which @ waits", o->address, SL_PC, sl_by_waiter(o->waiters),
			  SL_BARRIER_WAIT);
	sl_misuse_destroy(o, barrier_word(b), SL_PC);
	return 0;
}

int
sl_control_barrier_wait(pthread_barrier_t *b, uint64_t pc)
{
	struct sl_object *o = sl_object_use(b, SL_OBJECT_BARRIER, pc);
	struct sl_thread *t = E.current;

	sl_announce(SL_BARRIER_WAIT, (uint64_t)b, pc);
	sl_arrive(o);
	sl_point_unless_alone(o);
	if (!o->limit) { /* initialised before control: the count is in glibc's third word */
		o->limit = ((unsigned *)b)[2];
		if (unlikely(E.listen.valued))
			sl_reel_count((uint64_t)b, o->limit);
	}
	sl_misuse_check(o, barrier_word(b), o->limit, pc);
	if (!o->limit) {
		sl_note(0);
		return EINVAL;
	}
	sl_note(o->value);
	sl_show(&o->clock);
	if (++o->value < o->limit) {
		sl_sleep_on(o);
		sl_learn(&sl_thread_clocks(t)->barrier);
		sl_note(0);
		return 0;
	}
	o->value = 0;
	sl_acquire(o);
	/* each thread joins the clocks of all; then they continue, one by one, to their next operation */
	sl_clock_copy(&sl_thread_clocks(t)->barrier, &o->clock);
	while (o->waiters) {
		struct sl_thread *w = o->waiters;

		sl_waiter_remove(w);
		w->op.kind = SL_BARRIER_LEAVE;
		w->op.flags = SL_OP_SILENT;
		w->op.index++;
		sl_thread_enable(w, true);
		sl_clock_copy(&sl_thread_clocks(w)->barrier, &sl_thread_clocks(t)->barrier);
		sl_advance(w);
	}
	while (o->ghosts) {
		struct sl_thread *w = &E.threads[o->ghosts->op.thread];

		sl_clock_copy(&sl_thread_clocks(w)->barrier, &sl_thread_clocks(t)->barrier);
		ghost_wake(o, w->id);
	}
	return PTHREAD_BARRIER_SERIAL_THREAD;
}

/* ---- semaphores ---- */

static struct sl_object *
semaphore(sem_t *s, uint64_t pc)
{
	struct sl_object *o = sl_object_use(s, SL_OBJECT_SEM, pc);

	if (!o->round) { /* first use in this execution: the count is in glibc's first word */
		o->round = 1;
		o->value = *(unsigned *)s;
		if (unlikely(E.listen.valued))
			sl_reel_count((uint64_t)s, o->value);
	}
	return o;
}

SL_EXPORT int
sem_init(sem_t *s, int shared, unsigned value)
{
	int result;

	if (E.control)
		sl_life_begin(s, SL_PC);
	result = SL_CALL(sem_init)(s, shared, value);
	if (result)
		return result;
	*sem_word(s) = SEM_MADE;
	if (E.control) {
		struct sl_object *o = sl_life_init(s, SL_OBJECT_SEM, false);

		o->round = 1;
		o->value = value;
		if (unlikely(E.listen.valued))
			sl_reel_count((uint64_t)s, value);
	}
	return 0;
}

void
sl_life_semaphore(sem_t *s, unsigned value)
{
	struct sl_object *o = sl_object_peek(s, SL_OBJECT_SEM);

	SL_CALL(sem_init)(s, 1, value);
	*sem_word(s) = SEM_MADE;
	sl_object_forget(o);
	o->kind = SL_OBJECT_SEM;
	o->round = 1;
	o->value = value;
}

SL_EXPORT int
sem_destroy(sem_t *s)
{
	SL_RT_CALL();
	if (E.control) {
		struct sl_object *o = sl_object_peek(s, SL_OBJECT_SEM);

		sl_object_ends(o);
		sl_announce(SL_DESTROY, (uint64_t)s, SL_PC);
		sl_point_unless_alone(o);
		sl_note(0);
		sl_misuse_check(o, sem_word(s), sem_sane(s), SL_PC);
		if (o->waiters && !o->value)
			sl_misuse("destroys %, for which @ waits", o->address, SL_PC, sl_by_waiter(o->waiters),
				  SL_SEM_WAIT);
		sl_misuse_destroy(o, sem_word(s), SL_PC);
		return 0;
	}
	sl_lane_life(SL_DESTROY, s, SL_PC);
	return SL_CALL(sem_destroy)(s);
}

int
sl_control_sem_wait(sem_t *s, const struct timespec *limit, clockid_t clock, uint64_t pc)
{
	struct sl_object *o = semaphore(s, pc);
	struct sl_thread *t = E.current;

	sl_announce(SL_SEM_WAIT, (uint64_t)s, pc);
	if (limit) {
		if (sl_bad_time(limit))
			return EINVAL;
		t->waits.timed = true;
		t->awaited.deadline = sl_deadline(limit, clock);
	}
	sl_interruptible(SL_BY_CANCEL | SL_BY_SIGNAL_RESTART);
	sl_await(o);
	t->waits.timed = false;
	if (t->interruption.interrupted) {
		sl_interrupted();
		return EINTR;
	}
	if (t->waits.expired) {
		sl_time_reaches(t->awaited.deadline);
		t->op.kind = SL_TIMEOUT;
		sl_note(ETIMEDOUT);
		return ETIMEDOUT;
	}
	sl_misuse_check(o, sem_word(s), sem_sane(s), pc);
	sl_note(o->value);
	o->value--;
	sl_acquire(o);
	sl_object_changed(o);
	return 0;
}

int
sl_control_sem_trywait(sem_t *s, uint64_t pc)
{
	struct sl_object *o = semaphore(s, pc);

	sl_announce(SL_SEM_TRYWAIT, (uint64_t)s, pc);
	if (!o->value)
		sl_spin_visit(pc);
	sl_point_unless_alone(o);
	sl_misuse_check(o, sem_word(s), sem_sane(s), pc);
	sl_note(o->value ? 0 : EAGAIN);
	sl_attempted(o, SL_OPEN_POSITIVE, o->value);
	if (!o->value)
		return EAGAIN;
	o->value--;
	sl_acquire(o);
	sl_object_changed(o);
	return 0;
}

int
sl_control_sem_post(sem_t *s, uint64_t pc)
{
	struct sl_object *o = semaphore(s, pc);

	/* unlike an unlock always a point: a waiter may pass before it, by another post, and join fewer clocks */
	sl_announce(SL_SEM_POST, (uint64_t)s, pc);
	sl_point_unless_alone(o);
	sl_misuse_check(o, sem_word(s), sem_sane(s), pc);
	sl_note(o->value);
	if (o->value >= SEM_VALUE_MAX)
		return EOVERFLOW;
	o->value++;
	sl_changed(true);
	sl_release_join(o);
	sl_object_changed(o);
	return 0;
}

int
sl_control_sem_getvalue(sem_t *s, int *value, uint64_t pc)
{
	struct sl_object *o;

	sl_touch_intend(value, sizeof(*value), pc);
	o = semaphore(s, pc);
	sl_announce(SL_SEM_VALUE, (uint64_t)s, pc);
	sl_spin_visit(pc);
	sl_point_unless_alone(o);
	sl_misuse_check(o, sem_word(s), sem_sane(s), pc);
	sl_note(o->value);
	*value = (int)o->value;
	sl_touch_written(value, sizeof(*value), pc);
	return 0;
}
