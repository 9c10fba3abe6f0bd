/*
 * Recording on real threads: condition variables, semaphores, barriers, and what is done once.
 *
 * What may wake somebody is published before it does, and who was woken says so afterwards.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include "engine/entry/instead.h"
#include "engine/entry/record.h"
#include "engine/under/poison.h"

#define T sl_unrecorded

static void
noise(void)
{
	if (unlikely(sl_lane_noisy))
		sl_lane_noise();
}

/* ---- condition variables ---- */

struct relock {
	pthread_mutex_t *mutex;
	uint64_t pc;
	bool done;
};

/* Cancelled: libc has taken the mutex again before this is called. */
static void
cancelled(struct relock *r)
{
	if (!r->done)
		sl_lane_ticketed(SL_COND_RELOCK, (uint64_t)r->mutex, r->pc, 0);
}

static int
wait_cond(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *limit, clockid_t clock, uint64_t pc)
{
	struct relock r __attribute__((cleanup(cancelled))) = {.mutex = m, .pc = pc, .done = true};
	int answer;

	noise();
	sl_lane_ticketed(SL_COND_WAIT, (uint64_t)c, pc, (uint64_t)m);
	r.done = false;
	if (!limit)
		answer = T.pthread_cond_wait(c, m);
	else if (clock < 0)
		answer = T.pthread_cond_timedwait(c, m, limit);
	else
		answer = T.pthread_cond_clockwait(c, m, clock, limit);
	r.done = true;
	if (answer == ETIMEDOUT)
		sl_lane_item(SL_TIMEOUT, SL_OP_READS | SL_OP_WRITES, (uint64_t)c, pc, ETIMEDOUT);
	/* an error (a bad time, a mutex that is not held) gave nothing up, so it is as if it was had back at once */
	sl_lane_ticketed(SL_COND_RELOCK, (uint64_t)m, pc, answer == ETIMEDOUT ? 0 : (uint64_t)answer);
	return answer;
}

static int
cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	return wait_cond(c, m, NULL, -1, SL_PC);
}

static int
cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *limit)
{
	return wait_cond(c, m, limit, -1, SL_PC);
}

static int
cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *limit)
{
	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
		return EINVAL;
	return wait_cond(c, m, limit, clock, SL_PC);
}

static int
cond_signal(pthread_cond_t *c)
{
	noise();
	sl_lane_ticketed(SL_COND_SIGNAL, (uint64_t)c, SL_PC, SL_ITEM_UNKNOWN);
	return T.pthread_cond_signal(c);
}

static int
cond_broadcast(pthread_cond_t *c)
{
	noise();
	sl_lane_ticketed(SL_COND_BROADCAST, (uint64_t)c, SL_PC, SL_ITEM_UNKNOWN);
	return T.pthread_cond_broadcast(c);
}

static int
c11_wait(cnd_t *c, mtx_t *m)
{
	return sl_c11_result(wait_cond((pthread_cond_t *)c, (pthread_mutex_t *)m, NULL, -1, SL_PC));
}

static int
c11_timedwait(cnd_t *c, mtx_t *m, const struct timespec *limit)
{
	return sl_c11_result(wait_cond((pthread_cond_t *)c, (pthread_mutex_t *)m, limit, -1, SL_PC));
}

static int
c11_signal(cnd_t *c)
{
	noise();
	sl_lane_ticketed(SL_COND_SIGNAL, (uint64_t)c, SL_PC, SL_ITEM_UNKNOWN);
	return sl_c11_result(T.pthread_cond_signal((pthread_cond_t *)c));
}

static int
c11_broadcast(cnd_t *c)
{
	noise();
	sl_lane_ticketed(SL_COND_BROADCAST, (uint64_t)c, SL_PC, SL_ITEM_UNKNOWN);
	return sl_c11_result(T.pthread_cond_broadcast((pthread_cond_t *)c));
}

/* ---- semaphores ---- */

static int
had(sem_t *s, int answer, uint64_t pc)
{
	int error = errno;

	if (!answer)
		sl_lane_ticketed(SL_SEM_WAIT, (uint64_t)s, pc, 0);
	else if (error == ETIMEDOUT)
		sl_lane_ticketed(SL_TIMEOUT, (uint64_t)s, pc, ETIMEDOUT);
	return answer;
}

static int
wait_sem(sem_t *s)
{
	noise();
	return had(s, T.sem_wait(s), SL_PC);
}

static int
wait_sem_until(sem_t *s, const struct timespec *limit)
{
	noise();
	return had(s, T.sem_timedwait(s, limit), SL_PC);
}

static int
wait_sem_clock(sem_t *s, clockid_t clock, const struct timespec *limit)
{
	noise();
	return had(s, T.sem_clockwait(s, clock, limit), SL_PC);
}

static int
try_sem(sem_t *s)
{
	int answer;

	noise();
	answer = T.sem_trywait(s);
	sl_lane_ticketed(SL_SEM_TRYWAIT, (uint64_t)s, SL_PC, answer ? (uint64_t)errno : 0);
	return answer;
}

static int
post_sem(sem_t *s)
{
	noise();
	sl_lane_ticketed(SL_SEM_POST, (uint64_t)s, SL_PC, 0);
	return T.sem_post(s);
}

/* ---- barriers ---- */

static int
wait_barrier(pthread_barrier_t *b)
{
	int answer;

	noise();
	sl_lane_ticketed(SL_BARRIER_WAIT, (uint64_t)b, SL_PC, 0);
	answer = T.pthread_barrier_wait(b);
	sl_lane_ticketed(SL_BARRIER_LEAVE, (uint64_t)b, SL_PC, 0);
	return answer;
}

/* ---- once ---- */

static __thread struct {
	void (*function)(void);
	uint64_t once, pc;
	bool ran;
} once_now;

static void
once_left(const bool *unused)
{
	(void)unused;
	sl_lane_mark(); /* what it did is before whoever finds it done */
}

static void
once_runs(void)
{
	bool left __attribute__((cleanup(once_left))) = false;

	(void)left;
	once_now.ran = true;
	sl_lane_ticketed(SL_ONCE, once_now.once, once_now.pc, 0);
	once_now.function();
}

static int
once(pthread_once_t *o, void (*function)(void))
{
	__typeof__(once_now) before = once_now;
	int answer;

	noise();
	once_now.function = function;
	once_now.once = (uint64_t)o;
	once_now.pc = SL_PC;
	once_now.ran = false;
	answer = T.pthread_once(o, once_runs);
	if (!once_now.ran)
		sl_lane_ticketed(SL_ONCE, (uint64_t)o, SL_PC, 1);
	once_now = before;
	return answer;
}

/* As under control: the lock is beside the byte that the program reads itself. */
static int
guard_acquire(char *guard)
{
	int answer;

	noise();
	answer = T.__cxa_guard_acquire(guard);
	sl_lane_ticketed(SL_ONCE, (uint64_t)guard + 1, SL_PC, !answer);
	return answer;
}

static void
guard_release(char *guard)
{
	sl_lane_ticketed_access(SL_ATOMIC_STORE, 1, (uint64_t)guard, SL_PC);
	T.__cxa_guard_release(guard);
}

static void
guard_abort(char *guard)
{
	sl_lane_mark();
	T.__cxa_guard_abort(guard);
}

void
sl_lane_waits_install(struct sl_real *table)
{
#define INSTALL(real, ours) table->real = ours;
	SL_INSTEAD_OF_CONDITIONS(INSTALL)
	table->sem_wait = wait_sem;
	table->sem_timedwait = wait_sem_until;
	table->sem_clockwait = wait_sem_clock;
	table->sem_trywait = try_sem;
	table->sem_post = post_sem;
	table->pthread_barrier_wait = wait_barrier;
	table->pthread_once = once;
	if (table->__cxa_guard_acquire) { /* of C++ */
		table->__cxa_guard_acquire = guard_acquire;
		table->__cxa_guard_release = guard_release;
		table->__cxa_guard_abort = guard_abort;
	}
}
