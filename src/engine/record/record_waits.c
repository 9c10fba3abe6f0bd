/*
 * Recording on real threads: condition variables, semaphores, barriers, and one-time initialisation.
 *
 * An operation that may wake a thread is published before it, the end of a wait after it.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include "engine/entry/record.h"
#include "engine/under/poison.h"

/* ---- condition variables ---- */

struct relock {
	pthread_mutex_t *mutex;
	uint64_t pc;
	bool done;
};

/* The thread was cancelled: libc has taken the mutex again before this is called. */
static void
cancelled(struct relock *r)
{
	if (!r->done)
		sl_lane_ticketed(SL_COND_RELOCK, (uint64_t)r->mutex, r->pc, 0);
}

int
sl_lane_cond_wait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *limit, clockid_t clock,
		  uint64_t pc)
{
	struct relock r __attribute__((cleanup(cancelled))) = {.mutex = m, .pc = pc, .done = true};
	int answer;

	sl_lane_before();
	sl_lane_ticketed(SL_COND_WAIT, (uint64_t)c, pc, (uint64_t)m);
	r.done = false;
	answer = SL_LANE_UNDER(cond_wait, c, m, limit, clock);
	r.done = true;
	if (answer == ETIMEDOUT)
		sl_lane_item(SL_TIMEOUT, SL_OP_READS | SL_OP_WRITES, (uint64_t)c, pc, ETIMEDOUT);
	/*
	 * after an error (an invalid time, a mutex that is not held) the mutex was not released: recorded as taken
	 * again at once
	 */
	sl_lane_ticketed(SL_COND_RELOCK, (uint64_t)m, pc, answer == ETIMEDOUT ? 0 : (uint64_t)answer);
	return answer;
}

int
sl_lane_cond_signal(pthread_cond_t *c, uint64_t pc)
{
	sl_lane_before();
	sl_lane_ticketed(SL_COND_SIGNAL, (uint64_t)c, pc, SL_ITEM_UNKNOWN);
	return SL_LANE_UNDER(cond_signal, c);
}

int
sl_lane_cond_broadcast(pthread_cond_t *c, uint64_t pc)
{
	sl_lane_before();
	sl_lane_ticketed(SL_COND_BROADCAST, (uint64_t)c, pc, SL_ITEM_UNKNOWN);
	return SL_LANE_UNDER(cond_broadcast, c);
}

/* ---- semaphores ---- */

int
sl_lane_sem_wait(sem_t *s, const struct timespec *limit, clockid_t clock, uint64_t pc)
{
	sl_lane_before();
	return sl_lane_waited(SL_SEM_WAIT, s, pc, SL_LANE_UNDER(sem_wait, s, limit, clock));
}

int
sl_lane_sem_trywait(sem_t *s, uint64_t pc)
{
	int answer;

	sl_lane_before();
	answer = SL_LANE_UNDER(sem_trywait, s);
	sl_lane_ticketed(SL_SEM_TRYWAIT, (uint64_t)s, pc, (uint64_t)answer);
	return answer;
}

int
sl_lane_sem_post(sem_t *s, uint64_t pc)
{
	sl_lane_before();
	sl_lane_ticketed(SL_SEM_POST, (uint64_t)s, pc, 0);
	return SL_LANE_UNDER(sem_post, s);
}

/* ---- System V's sets of semaphores ---- */

static char semaphore_set
	[128]; /* its addresses stand for sets; the low bits of the kernel's number are the index of the set */

static uint64_t
set_of(int id)
{
	return (uint64_t)&semaphore_set[(unsigned)id % sizeof(semaphore_set)];
}

/* The item is published before the operation can enable other threads. */
int
sl_lane_set_operate(int id, void *operations, size_t count, const struct timespec *limit, uint64_t pc)
{
	const struct sembuf *o = operations;
	bool posts = false, waits = false, tries = true;
	int answer;

	for (size_t i = 0; i < count && i < 500; i++) {
		posts |= o[i].sem_op > 0;
		waits |= o[i].sem_op <= 0;
		tries &= o[i].sem_op > 0 || o[i].sem_flg & IPC_NOWAIT;
	}
	sl_lane_before();
	if (posts)
		sl_lane_ticketed(SL_SET_POST, set_of(id), pc, 0);
	answer = SL_LANE_UNDER(set_operate, id, operations, count, limit);
	if (waits && tries)
		sl_lane_ticketed(SL_SET_TRY, set_of(id), pc, (uint64_t)answer);
	else if (waits && !answer)
		sl_lane_ticketed(SL_SET_WAIT, set_of(id), pc, 0);
	else if (limit && answer == EAGAIN)
		sl_lane_ticketed(SL_TIMEOUT, set_of(id), pc, ETIMEDOUT);
	return answer;
}

int
sl_lane_set_control(int id, int number, int command, void *argument, uint64_t pc)
{
	bool changes = command == SETVAL || command == SETALL || command == IPC_RMID;
	int answer;

	sl_lane_before();
	if (changes)
		sl_lane_ticketed(SL_SET_CHANGE, set_of(id), pc, 0);
	answer = SL_LANE_UNDER(set_control, id, number, command, argument);
	if (!changes)
		sl_lane_ticketed(SL_SET_LOOK, set_of(id), pc, (uint64_t)answer);
	return answer;
}

/* ---- barriers ---- */

int
sl_lane_barrier_wait(pthread_barrier_t *b, uint64_t pc)
{
	int answer;

	sl_lane_before();
	sl_lane_ticketed(SL_BARRIER_WAIT, (uint64_t)b, pc, 0);
	answer = SL_LANE_UNDER(barrier_wait, b);
	sl_lane_ticketed(SL_BARRIER_LEAVE, (uint64_t)b, pc, 0);
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
	sl_lane_mark(); /* the function happens before the return of other threads */
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

int
sl_lane_once(pthread_once_t *o, void (*function)(void), uint64_t pc)
{
	__typeof__(once_now) before = once_now;
	int answer;

	sl_lane_before();
	once_now.function = function;
	once_now.once = (uint64_t)o;
	once_now.pc = pc;
	once_now.ran = false;
	answer = SL_LANE_UNDER(once, o, once_runs);
	if (!once_now.ran)
		sl_lane_ticketed(SL_ONCE, (uint64_t)o, pc, 1);
	once_now = before;
	return answer;
}

/* As under control: the lock's address differs from the byte that the program reads. */
int
sl_lane_guard_acquire(char *guard, uint64_t pc)
{
	int answer;

	sl_lane_before();
	answer = SL_LANE_UNDER(guard_acquire, guard);
	sl_lane_ticketed(SL_ONCE, (uint64_t)guard + 1, pc, !answer);
	return answer;
}

int
sl_lane_guard_release(char *guard, uint64_t pc)
{
	sl_lane_ticketed_access(SL_ATOMIC_STORE, 1, (uint64_t)guard, pc);
	return SL_LANE_UNDER(guard_release, guard);
}

int
sl_lane_guard_abort(char *guard, uint64_t pc)
{
	sl_lane_mark();
	return SL_LANE_UNDER(guard_abort, guard);
}
