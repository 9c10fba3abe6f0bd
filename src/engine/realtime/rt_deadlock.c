/*
 * Schedules on real threads: no thread can move. Finds out whether that is a deadlock of the program, or caused by
 * the schedule.
 */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/realtime/rt.h"
#include "engine/under/poison.h"

static bool stuck[SL_RUNNERS_MAX];

/* The only thread that can end the wait of r; NULL: any thread may. */
static const struct sl_runner *
helper(const struct sl_runner *r)
{
	switch (r->waits.kind) {
	case SL_WAITS_MUTEX:
		return sl_rt_by_tid(((const pthread_mutex_t *)r->waits.object)->__data.__owner);
	case SL_WAITS_READ:
	case SL_WAITS_WRITE:
		return sl_rt_by_tid((int)((const pthread_rwlock_t *)r->waits.object)->__data.__cur_writer);
	case SL_WAITS_JOIN:
		return r->waits.object;
	default:
		return NULL;
	}
}

static bool
counts(const struct sl_runner *r)
{
	return r->doing != SL_ENDED && !sl_rt_is_apart(r);
}

/*
 * Marks the threads that only wait for each other, and counts them. any_thread: assume that every wait which any
 * thread may end does end.
 */
static uint32_t
find(bool any_thread)
{
	uint32_t left = 0, others, before;

	for (uint32_t i = 0; i < F.runner_count; i++)
		left += stuck[i] = F.runners[i].doing == SL_BLOCKED && counts(&F.runners[i]);
	do {
		before = left;
		others = 0;
		for (uint32_t i = 0; i < F.runner_count; i++)
			others += counts(&F.runners[i]) && !stuck[i];
		for (uint32_t i = 0; i < F.runner_count; i++) {
			const struct sl_runner *by = stuck[i] ? helper(&F.runners[i]) : NULL;

			if (stuck[i] && (by ? !stuck[by - F.runners] : others || any_thread)) {
				stuck[i] = false;
				left--;
			}
		}
	} while (left != before);
	return left;
}

bool
sl_rt_is_deadlock(void)
{
	return find(false) != 0;
}

/* A signal handler may post a semaphore or write to a pipe, but it unlocks no mutex and ends no thread. */
bool
sl_rt_is_for_ever(void)
{
	uint32_t left = find(true), all = 0;

	for (uint32_t i = 0; i < F.runner_count; i++)
		all += counts(&F.runners[i]);
	return left && left == all;
}
