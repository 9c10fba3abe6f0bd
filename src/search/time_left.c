/*
 * The remaining time, for the search and for each phase. Works on the arena alone (arena.h).
 */
#include "search/phase.h"

#include "base/raw.h"

#include <time.h>

#define SHARE_MIN 1000000000ul
#define CLOCK_TICKS 200000 /* less than a tenth of a millisecond on any processor */

uint64_t
sl_nanoseconds(void)
{
	struct timespec now = {0};

	sl_raw(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Asking the kernel for the time takes as long as a few operations: it is not asked before the processor's counter has advanced. */
bool
sl_may_go_on(struct sl_arena *a)
{
	static uint64_t asked;
	uint64_t ticks = __builtin_ia32_rdtsc();

	if (__atomic_load_n(&a->stop, __ATOMIC_RELAXED))
		return false;
	if (!a->config.limit.nanoseconds || (asked && ticks - asked < CLOCK_TICKS))
		return true;
	if (sl_nanoseconds() - a->started >= a->config.limit.nanoseconds)
		return false;
	asked = ticks;
	return true;
}

/*
 * Shortening the schedule has a share of the given time: the rest of it, but not more than a quarter, and at least a
 * second. Then the shortest schedule so far is reported.
 */
uint64_t
sl_share_of_time(const struct sl_arena *a, uint64_t from)
{
	uint64_t share = a->config.limit.nanoseconds / 4, end = a->started + a->config.limit.nanoseconds;

	if (from + share > end)
		share = end > from ? end - from : 0;
	return share < SHARE_MIN ? SHARE_MIN : share;
}

/*
 * The search ends when the time is over. The phases after it have a second more: the last checks, and the trace of a
 * finding. If only the default limit was reached, a running execution may end.
 */
uint64_t
sl_worker_deadline(const struct sl_arena *a, const struct sl_worker *w)
{
	uint64_t hurry = __atomic_load_n(&a->hurry, __ATOMIC_RELAXED), deadline = UINT64_MAX, end, shortened;
	enum sl_until until = sl_phase_of(w)->until;

	if (hurry)
		hurry += until == SL_UNTIL_SHORTENED ? 0 : SHARE_MIN;
	if (a->config.limit.nanoseconds && (until == SL_UNTIL_SHORTENED || a->config.limit.in_time)) {
		end = a->started + a->config.limit.nanoseconds;
		shortened = w->shorten.from + sl_share_of_time(a, w->shorten.from);
		switch (until) {
		case SL_UNTIL_SHORTENED:
			deadline = shortened;
			break;
		case SL_UNTIL_END:
			deadline = end;
			break;
		case SL_UNTIL_TRACED:
			deadline = a->config.trace.only ? end : (shortened > end ? shortened : end) + SHARE_MIN;
			break;
		case SL_UNTIL_AFTER:
			deadline = end + SHARE_MIN;
		}
	}
	return hurry && hurry < deadline ? hurry : deadline;
}

bool
sl_is_in_time(const struct sl_arena *a, const struct sl_worker *w)
{
	uint64_t deadline = sl_worker_deadline(a, w);

	return deadline == UINT64_MAX || sl_nanoseconds() < deadline;
}
