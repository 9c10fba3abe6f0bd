/*
 * Schedules on real threads: futexes that the program uses directly, as C++20 atomics and guards of static
 * variables do.
 */
#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/realtime/rt.h"
#include "engine/under/poison.h"

static long
wait_futex(struct sl_runner *self, uint32_t *word, uint32_t value, const struct timespec *limit, clockid_t clock,
	   uint32_t bits)
{
	static const struct timespec at_once;
	enum sl_woken how;
	long answer;

	if (!bits || sl_bad_time(limit) || (limit && limit->tv_sec < 0))
		return -EINVAL;
	/* is the address valid, and of a futex word? */
	answer = sl_raw(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &at_once, NULL, 0);
	if (answer != -ETIMEDOUT && answer != -EINTR)
		return answer;
	do {
		sl_rt_lock();
		if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != value) {
			sl_rt_unlock();
			return -EAGAIN;
		}
		sl_rt_queue(self, SL_WAITS_FUTEX, word, false);
	} while (sl_rt_hesitates(self));
	self->waits.bits = bits;
	sl_rt_block(self, limit != NULL);
	sl_rt_unlock();
	how = sl_rt_sleep(self, limit, clock, false);
	if (how == SL_WOKEN)
		return 0;
	sl_rt_lock();
	bool woken = !self->waits.queued;

	if (!woken)
		sl_rt_unblock(self);
	sl_rt_unlock();
	sl_rt_awake(self);
	return woken ? 0 : how == SL_TIMED_OUT ? -ETIMEDOUT : -EINTR;
}

/* Under the lock. Returns the number of waiters that were woken, or moved to another futex after that. */
static long
wake_futex(uint32_t *word, long count, uint32_t bits, uint32_t *to, long more)
{
	struct sl_runner *next;
	long done = 0;

	for (struct sl_runner *r = sl_rt_waiter(word); r && (done < count || more > 0); r = next) {
		next = sl_rt_next_waiter(r);
		if (r->waits.kind != SL_WAITS_FUTEX || !(r->waits.bits & bits))
			continue;
		if (done < count) {
			sl_rt_unblock(r);
		} else {
			sl_rt_unqueue(r);
			sl_rt_queue(r, SL_WAITS_FUTEX, to, false);
			more--;
		}
		done++;
	}
	return done;
}

long
sl_rt_futex(const long a[6])
{
	uint32_t *word = (uint32_t *)a[0], *other = (uint32_t *)a[4];
	int operation = (int)a[1], command = operation & FUTEX_CMD_MASK;
	struct sl_runner *self = sl_rt_self();
	bool is_wait = command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET;
	long done = 0;

	if (!self || sl_rt_inside())
		return sl_raw6(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (is_wait) {
		const struct timespec *limit = (const struct timespec *)a[3];
		struct timespec end = {0};
		clockid_t clock = operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;

		if (limit && command == FUTEX_WAIT && !sl_bad_time(limit) && limit->tv_sec >= 0) { /* relative */
			sl_raw(SYS_clock_gettime, clock, &end);
			end.tv_sec += limit->tv_sec;
			end.tv_nsec += limit->tv_nsec;
			if (end.tv_nsec >= 1000000000) {
				end.tv_nsec -= 1000000000;
				end.tv_sec++;
			}
			limit = &end;
		}
		/*
		 * libstdc++ does not set the private flag where it could: a word that no other process maps looks
		 * the same
		 */
		return wait_futex(self, word, (uint32_t)a[2], limit, clock,
				  command == FUTEX_WAIT ? FUTEX_BITSET_MATCH_ANY : (uint32_t)a[5]);
	}
	if (command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET) {
		sl_rt_lock();
		done = wake_futex(word, (int)a[2], command == FUTEX_WAKE ? FUTEX_BITSET_MATCH_ANY : (uint32_t)a[5],
				  NULL, 0);
		sl_rt_unlock();
		if (done >= (int)a[2])
			return done;
		long rest = sl_raw6(SYS_futex, a[0], a[1], a[2] - done, a[3], a[4], a[5]);

		return rest < 0 ? rest : done + rest;
	}
	if (command == FUTEX_REQUEUE || command == FUTEX_CMP_REQUEUE) {
		sl_rt_lock();
		if (command == FUTEX_CMP_REQUEUE && *word != (uint32_t)a[5])
			done = -EAGAIN;
		else
			done = wake_futex(word, (int)a[2], FUTEX_BITSET_MATCH_ANY, other, (int)a[3]);
		sl_rt_unlock();
		return done;
	}
	if (command == FUTEX_WAKE_OP) { /* the kernel does the operation on the second word */
		long rest = sl_raw6(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]);

		sl_rt_lock();
		done = wake_futex(word, (int)a[2], FUTEX_BITSET_MATCH_ANY, NULL, 0);
		done += wake_futex(other, (int)a[3], FUTEX_BITSET_MATCH_ANY, NULL, 0);
		sl_rt_unlock();
		return rest < 0 ? rest : rest + done;
	}
	sl_rt_outside(self, SL_WAITS_FUTEX, word);
	done = sl_raw6(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]);
	sl_rt_back(self);
	return done;
}
