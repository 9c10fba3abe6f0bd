/*
 * Schedules on real threads: condition variables, semaphores, barriers, joining, pthread_once.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/entry/glibc.h"
#include "engine/entry/interpose.h"
#include "engine/entry/rt_code.h"
#include "engine/realtime/rt.h"
#include "engine/under/poison.h"

#define COND_SHARED 1 /* glibc's bits in __wrefs */
#define COND_MONOTONIC 2
#define ONCE_DONE 2

/* ---- condition variables: waiters are in a list of this room, so a signal wakes exactly the first one ---- */

struct waiting {
	struct sl_runner *runner;
	pthread_cond_t *cond;
	pthread_mutex_t *mutex;
	bool over;
};

/* Under the lock. The waiter waits for its mutex from here on, or is woken if that is free. */
static bool
signal_one(pthread_cond_t *c)
{
	struct sl_runner *r = sl_rt_waiter(c);
	pthread_mutex_t *m;

	if (!r)
		return false;
	m = r->waits.mutex;
	sl_rt_unqueue(r);
	sl_rt_queue(r, SL_WAITS_MUTEX, m, false);
	r->waits.relocks = true;
	r->waits.mutex = NULL;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!m->__data.__lock || m->__data.__owner == r->tid || m->__data.__kind & (KIND_ROBUST | KIND_SHARED))
		sl_rt_unblock(r);
	else
		sl_rt_blocks(r, false); /* the time limit does not apply any more */
	return true;
}

/* The thread was cancelled: passes a signal that it has received on to another waiter. */
static void
stop_waiting(struct waiting *w)
{
	if (w->over)
		return;
	sl_rt_lock();
	if (w->runner->waits.relocks)
		signal_one(w->cond);
	sl_rt_unlock();
	sl_rt_mutex_retake(w->mutex);
	w->mutex->__data.__nusers--;
}

static int
wait_cond_plainly(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *limit, clockid_t clock)
{
	struct sl_runner *self = sl_rt_self();
	enum sl_woken how;
	int answer = 0, error;

	if (sl_bad_time(limit))
		return EINVAL;
	if (clock == SL_CLOCK_OWN)
		clock = c->__data.__wrefs & COND_MONOTONIC ? CLOCK_MONOTONIC : CLOCK_REALTIME;
	if (!self || c->__data.__wrefs & COND_SHARED || sl_rt_inside()) {
		if (self)
			sl_rt_outside(self, SL_WAITS_COND, c);
		answer = sl_libc_cond_wait(c, m, limit, clock, 0);
		if (self)
			sl_rt_back(self);
		return answer;
	}
	sl_true.pthread_testcancel();
	do {
		sl_rt_lock();
		sl_rt_queue(self, SL_WAITS_COND, c, false);
	} while (sl_rt_hesitates(self));
	self->waits.mutex = m;
	self->waits.relocks = false;
	m->__data.__nusers++; /* as in glibc the thread stays a user of the mutex, which must not be destroyed */
	error = sl_true.pthread_mutex_unlock(m);
	if (error) {
		m->__data.__nusers--;
		sl_rt_unqueue(self);
		sl_rt_unlock();
		return error;
	}
	/* first the mutex's next waiter is woken: otherwise both threads would briefly count as blocked */
	struct sl_runner *next = sl_rt_waiter(m);

	if (next)
		sl_rt_unblock(next);
	sl_rt_block(self, limit != NULL);
	sl_rt_unlock();
	struct waiting w __attribute__((cleanup(stop_waiting))) = {.runner = self, .cond = c, .mutex = m};

	for (;;) {
		how = sl_rt_sleep(self, limit ? limit : &sl_never, clock, true);
		if (how == SL_WOKEN)
			break;
		if (how == SL_INTERRUPTED)
			continue;
		sl_rt_lock();
		if (self->waits.queued && self->waits.kind == SL_WAITS_COND) {
			answer = ETIMEDOUT;
			sl_rt_unblock(self);
		}
		limit = NULL; /* signalled: the time limit does not apply any more */
		sl_rt_unlock();
	}
	w.over = true;
	self->waits.relocks = false;
	error = sl_rt_mutex_retake(m);
	m->__data.__nusers--;
	return error ? error : answer;
}

int
sl_rt_cond_wait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *limit, clockid_t clock,
		uint64_t pc SL_UNUSED)
{
	bool begun = SL_RT_BEGINS(SL_COND_WAIT, c);
	int answer = wait_cond_plainly(c, m, limit, clock);

	SL_RT_DONE(begun);
	return answer;
}

/* Calls the real function, too: a thread may wait since before the mode was installed, or in another process. */
int
sl_rt_cond_signal(pthread_cond_t *c, uint64_t pc SL_UNUSED)
{
	bool begun = SL_RT_BEGINS(SL_COND_SIGNAL, c);
	int answer;

	if (__atomic_load_n(&F.waiting, __ATOMIC_SEQ_CST) && !sl_rt_inside()) {
		sl_rt_lock();
		signal_one(c);
		sl_rt_unlock();
	}
	answer = sl_true.pthread_cond_signal(c);
	SL_RT_DONE(begun);
	return answer;
}

int
sl_rt_cond_broadcast(pthread_cond_t *c, uint64_t pc SL_UNUSED)
{
	bool begun = SL_RT_BEGINS(SL_COND_BROADCAST, c);
	int answer;

	if (__atomic_load_n(&F.waiting, __ATOMIC_SEQ_CST) && !sl_rt_inside()) {
		sl_rt_lock();
		while (signal_one(c))
			;
		sl_rt_unlock();
	}
	answer = sl_true.pthread_cond_broadcast(c);
	SL_RT_DONE(begun);
	return answer;
}

/* ---- semaphores ---- */

static int
attempt_sem(void *s)
{
	int saved = errno, answer = sl_libc_sem_trywait(s, 0);

	if (likely(!answer))
		return 0;
	errno = saved;
	return answer == EAGAIN ? EBUSY : answer;
}

static int
wait_sem_plainly(sem_t *s, const struct timespec *limit, clockid_t clock)
{
	struct sl_runner *self;
	int answer;

	if (sl_bad_time(limit))
		return EINVAL;
	sl_true.pthread_testcancel();
	answer = attempt_sem(s);
	if (answer != EBUSY)
		return answer;
	self = sl_rt_self();
	bool shared = ((const unsigned *)s)[2] != 0;

	if (!self || shared || sl_rt_inside()) {
		if (self)
			sl_rt_outside(self, SL_WAITS_SEM, s);
		answer = sl_libc_sem_wait(s, limit, clock, 0);
		if (self)
			sl_rt_back(self);
		return answer;
	}
	struct sl_attempt a = {.waits = SL_WAITS_SEM,
			       .object = s,
			       .attempt = attempt_sem,
			       .limit = limit,
			       .clock = clock,
			       .cancellable = true,
			       .interruptible = true};

	return sl_rt_wait(self, &a);
}

int
sl_rt_sem_wait(sem_t *s, const struct timespec *limit, clockid_t clock, uint64_t pc SL_UNUSED)
{
	bool begun = SL_RT_BEGINS(SL_SEM_WAIT, s);
	int answer = wait_sem_plainly(s, limit, clock);

	SL_RT_DONE(begun);
	return answer;
}

int
sl_rt_sem_post(sem_t *s, uint64_t pc SL_UNUSED)
{
	bool begun = SL_RT_BEGINS(SL_SEM_POST, s);
	bool exact = sl_rt_gives_up();
	int answer = sl_libc_sem_post(s, 0);

	sl_rt_given_up(s, exact, begun);
	return answer;
}

/* ---- System V's sets of semaphores: another process may end the wait, so the thread waits in the kernel ---- */

int
sl_rt_set_operate(int id, void *operations, size_t count, const struct timespec *limit, uint64_t pc SL_UNUSED)
{
	struct sl_runner *self = sl_rt_self();
	bool outside = self && !sl_rt_inside();
	int answer;

	if (outside)
		sl_rt_outside(self, SL_WAITS_SEM, NULL);
	answer = sl_libc_set_operate(id, operations, count, limit, 0);
	if (outside)
		sl_rt_back(self);
	return answer;
}

/* ---- barriers: threads never wait at the real one ---- */

static int
barrier_wait_plainly(pthread_barrier_t *b)
{
	struct sl_runner *self = sl_rt_self();
	unsigned needed = ((const unsigned *)b)[2], there = 1;
	bool shared = ((const unsigned *)b)[3] != 0;

	if (!self || shared || !needed) {
		int answer;

		if (self)
			sl_rt_outside(self, SL_WAITS_BARRIER, b);
		answer = sl_true.pthread_barrier_wait(b);
		if (self)
			sl_rt_back(self);
		return answer;
	}
	for (;;) {
		sl_rt_lock();
		there = 1;
		for (struct sl_runner *r = sl_rt_waiter(b); r; r = sl_rt_next_waiter(r))
			there++;
		if (there >= needed)
			break;
		sl_rt_queue(self, SL_WAITS_BARRIER, b, false);
		if (sl_rt_hesitates(self))
			continue;
		sl_rt_block(self, false);
		sl_rt_unlock();
		while (sl_rt_sleep(self, &sl_never, CLOCK_MONOTONIC, false) != SL_WOKEN)
			;
		return 0;
	}
	for (struct sl_runner *r = sl_rt_waiter(b); r; r = sl_rt_waiter(b))
		sl_rt_unblock(r);
	sl_rt_unlock();
	return PTHREAD_BARRIER_SERIAL_THREAD;
}

int
sl_rt_barrier_wait(pthread_barrier_t *b, uint64_t pc SL_UNUSED)
{
	bool begun = SL_RT_BEGINS(SL_BARRIER_WAIT, b);
	int answer = barrier_wait_plainly(b);

	SL_RT_DONE(begun);
	return answer;
}

/* ---- joining ---- */

static int
attempt_join(void *target)
{
	return ((const struct sl_runner *)target)->doing == SL_ENDED ? 0 : EBUSY;
}

int
sl_rt_thread_join(pthread_t handle, void **result, int *number, const struct timespec *limit, clockid_t clock,
		  uint64_t pc SL_UNUSED)
{
	struct sl_runner *self = sl_rt_self(), *target;
	int answer = 0;

	if (!self)
		return sl_libc_thread_join(handle, result, number, limit, clock, 0);
	sl_rt_lock();
	target = sl_rt_find(handle);
	if (target && target->doing != SL_ENDED) {
		bool joins_us = target->waits.queued && target->waits.object == self;

		if (target->detached || (target != self && sl_rt_waiter(target) && !joins_us))
			answer = EINVAL;
		else if (target == self ||
			 (joins_us && !target->cancelled)) /* as in glibc: a cancelled thread stops waiting */
			answer = EDEADLK;
	}
	sl_rt_unlock();
	if (answer == EDEADLK)
		sl_true.pthread_testcancel(); /* … and so does this thread */
	if (answer)
		return answer;
	if (!target) {
		sl_rt_outside(self, SL_WAITS_JOIN, NULL);
		answer = sl_libc_thread_join(handle, result, number, limit, clock, 0);
		sl_rt_back(self);
		return answer;
	}
	struct sl_attempt a = {.waits = SL_WAITS_JOIN,
			       .object = target,
			       .attempt = attempt_join,
			       .limit = limit,
			       .clock = clock,
			       .cancellable = true};

	answer = sl_rt_wait(self, &a);
	return answer ? answer : sl_libc_thread_join(handle, result, number, limit, clock, 0);
}

/* ---- pthread_once: the thread that runs the function is known, and the others wait in this room ---- */

struct once {
	pthread_once_t *once;
	struct once *next;
};
static struct once *running;

static int
attempt_once(void *once)
{
	for (struct once *o = running; o; o = o->next)
		if (o->once == once)
			return EBUSY;
	return 0;
}

static void
once_is_over(struct once *mine)
{
	struct once **at = &running;

	sl_rt_lock();
	while (*at && *at != mine)
		at = &(*at)->next;
	if (*at)
		*at = mine->next;
	for (struct sl_runner *r = sl_rt_waiter(mine->once); r; r = sl_rt_waiter(mine->once))
		sl_rt_unblock(r);
	sl_rt_unlock();
}

int
sl_rt_once(pthread_once_t *once, void (*function)(void), uint64_t pc SL_UNUSED)
{
	struct sl_runner *self;

	while (!(__atomic_load_n((int *)once, __ATOMIC_ACQUIRE) & ONCE_DONE) && !sl_rt_inside() &&
	       (self = sl_rt_self())) {
		struct sl_attempt a = {.waits = SL_WAITS_ONCE, .object = once, .attempt = attempt_once};

		sl_rt_wait(self, &a);
		sl_rt_lock();
		if (attempt_once(once)) {
			sl_rt_unlock();
			continue;
		}
		struct once mine __attribute__((cleanup(once_is_over))) = {.once = once, .next = running};

		running = &mine;
		sl_rt_unlock();
		return sl_true.pthread_once(once, function);
	}
	return sl_true.pthread_once(once, function);
}
