/*
 * Schedules on real threads: records of threads, the lock, queues of waiters, and sleeping.
 */
#include "engine/realtime/rt.h"
#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/entry/record.h"
#include "engine/under/poison.h"

struct sl_rt sl_rt;
struct sl_real sl_true;

__thread struct sl_runner *sl_runner_self;
__thread bool sl_runner_inside, sl_runner_gone;
#define self sl_runner_self
#define gone sl_runner_gone
#define inside sl_runner_inside

/* ---- system calls; not through sl_gate, whose frame a cancellation could not unwind ---- */

static long
futex(uint32_t *word, int operation, uint32_t value, const struct timespec *limit, uint32_t bits)
{
	register const struct timespec *r10 __asm__("r10") = limit;
	register long r8 __asm__("r8") = 0;
	register long r9 __asm__("r9") = bits;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_futex), "D"(word), "S"(operation), "d"((long)value), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

/* The compiler believes that this call may throw, so cleanups run when a cancellation unwinds out of it. */
static long (*volatile doze)(uint32_t *, int, uint32_t, const struct timespec *, uint32_t) = futex;

/* ---- the lock ---- */

void
sl_rt_lock(void)
{
	uint32_t free = 0;

	inside = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (likely(__atomic_compare_exchange_n(&F.lock, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)))
		return;
	for (int i = 0; i < 100; i++) {
		__builtin_ia32_pause();
		free = 0;
		if (!__atomic_load_n(&F.lock, __ATOMIC_RELAXED) &&
		    __atomic_compare_exchange_n(&F.lock, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return;
	}
	while (__atomic_exchange_n(&F.lock, 2, __ATOMIC_ACQUIRE))
		futex(&F.lock, FUTEX_WAIT_PRIVATE, 2, NULL, 0);
}

void
sl_rt_unlock(void)
{
	struct sl_runner *woken;

	if (unlikely(F.recheck)) {
		F.recheck = false;
		for (uint32_t i = 0; i < F.runner_count; i++)
			if (F.runners[i].waits.queued && F.runners[i].waits.kind == SL_WAITS_SEM)
				sl_rt_unblock(&F.runners[i]);
	}
	if (unlikely(F.ending && F.monitor))
		sl_rt_rest();
	else if (unlikely(!F.moving && F.monitor))
		sl_rt_quiet();
	woken = F.woken;
	F.woken = NULL;
	/* a thread that sees its word set may be gone before it is woken: the superfluous wake-up does no harm */
	struct sl_runner *next;
	uint32_t *words[64];
	unsigned count = 0;

	for (; woken; woken = next) {
		next = woken->next_woken;
		woken->to_wake = false;
		__atomic_store_n(&woken->word, 1, __ATOMIC_RELEASE);
		if (count == 64)
			futex(&woken->word, FUTEX_WAKE_PRIVATE, 1, NULL, 0);
		else
			words[count++] = &woken->word;
	}
	if (__atomic_exchange_n(&F.lock, 0, __ATOMIC_RELEASE) == 2)
		futex(&F.lock, FUTEX_WAKE_PRIVATE, 1, NULL, 0);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	inside = false;
	for (unsigned i = 0; i < count; i++)
		futex(words[i], FUTEX_WAKE_PRIVATE, 1, NULL, 0);
}

/* ---- records ---- */

struct sl_runner *
sl_rt_runner_new(void)
{
	struct sl_runner *r = F.used.first;

	/* recent records stay: the kernel may still show their threads */
	if (r && (r->epoch + 1 < F.epoch || (!F.section && F.used.count > 128))) {
		F.used.first = r->waits.next;
		if (!F.used.first)
			F.used.last = NULL;
		F.used.count--;
		sl_memset(r, 0, sizeof(*r));
	} else {
		sl_check(F.runner_count < SL_RUNNERS_MAX);
		r = &F.runners[F.runner_count++];
	}
	r->known = &F.known[(size_t)(r - F.runners) * SL_KNOWN_MATCHES];
	for (int i = 0; i < SL_KNOWN_MATCHES; i++)
		if (r->known[i].at) /* of the record's previous thread */
			r->known[i].at = NULL;
	sl_rt_code_forget(r);
	r->number = ++F.numbers;
	r->created.epoch = F.monitor ? F.epoch : 0;
	F.moving++;
	return r;
}

struct sl_runner *
sl_rt_new_self(void)
{
	if (gone)
		return NULL;
	sl_rt_lock();
	struct sl_runner *r = sl_rt_runner_new();

	r->handle = sl_rt_me();
	r->tid = (int)sl_raw(SYS_gettid);
	if (r->tid == (int)sl_raw(SYS_getpid)) {
		r->number = 0;
		F.numbers--;
	}
	sl_rt_unlock();
	self = r;
	return r;
}

/* A handle of an ended thread may have been given to a new one, so living threads are preferred. */
struct sl_runner *
sl_rt_find(pthread_t handle)
{
	struct sl_runner *ended = NULL;

	for (uint32_t i = 0; i < F.runner_count; i++) {
		struct sl_runner *r = &F.runners[i];

		if (r->handle != handle || !handle)
			continue;
		if (r->doing != SL_ENDED)
			return r;
		ended = r;
	}
	return ended;
}

struct sl_runner *
sl_rt_by_tid(int tid)
{
	for (uint32_t i = 0; i < F.runner_count; i++)
		if (F.runners[i].tid == tid && F.runners[i].doing != SL_ENDED)
			return &F.runners[i];
	return NULL;
}

void
sl_rt_become(struct sl_runner *r, enum sl_doing doing, bool moves)
{
	F.moving -= r->doing == SL_RUNS || (r->doing != SL_ENDED && r->moves);
	r->doing = doing;
	r->moves = (moves && !r->aside) || (r->cancelled && !r->created.starting);
	F.moving += doing == SL_RUNS || (doing != SL_ENDED && r->moves);
}

/* ---- queues of waiters ---- */

static unsigned
bucket(const void *object)
{
	return (unsigned)(((uintptr_t)object * 0x9e3779b97f4a7c15u) >> 56) % SL_BUCKETS;
}

void
sl_rt_queue(struct sl_runner *r, enum sl_waits waits, const void *object, bool first)
{
	unsigned b = bucket(object);

	r->waits.kind = waits;
	r->waits.object = object;
	r->waits.queued = true;
	r->word = 0;
	if (first) {
		r->waits.previous = NULL;
		r->waits.next = F.buckets[b].first;
		*(r->waits.next ? &r->waits.next->waits.previous : &F.buckets[b].last) = r;
		F.buckets[b].first = r;
	} else {
		r->waits.next = NULL;
		r->waits.previous = F.buckets[b].last;
		*(r->waits.previous ? &r->waits.previous->waits.next : &F.buckets[b].first) = r;
		F.buckets[b].last = r;
	}
	/* a thread that releases something looks here afterwards, without the lock */
	__atomic_fetch_add(&F.waiting, 1, __ATOMIC_SEQ_CST);
}

void
sl_rt_unqueue(struct sl_runner *r)
{
	unsigned b = bucket(r->waits.object);

	if (!r->waits.queued)
		return;
	*(r->waits.previous ? &r->waits.previous->waits.next : &F.buckets[b].first) = r->waits.next;
	*(r->waits.next ? &r->waits.next->waits.previous : &F.buckets[b].last) = r->waits.previous;
	r->waits.next = r->waits.previous = NULL;
	r->waits.queued = false;
	__atomic_fetch_sub(&F.waiting, 1, __ATOMIC_SEQ_CST);
}

struct sl_runner *
sl_rt_next_waiter(const struct sl_runner *after)
{
	struct sl_runner *r = after->waits.next;

	while (r && r->waits.object != after->waits.object)
		r = r->waits.next;
	return r;
}

struct sl_runner *
sl_rt_waiter(const void *object)
{
	struct sl_runner *r = F.buckets[bucket(object)].first;

	while (r && r->waits.object != object)
		r = r->waits.next;
	return r;
}

static void
rouse(struct sl_runner *r)
{
	if (r->to_wake)
		return;
	r->to_wake = true;
	r->next_woken = F.woken;
	F.woken = r;
}

bool
sl_rt_hesitates(struct sl_runner *r)
{
	if (likely(!F.monitor || !(F.plan->kinds & 1u << SL_EVENT_BLOCK)) || sl_rt_may(r, SL_EVENT_BLOCK))
		return false;
	if (r->event.forced) { /* no other thread can move */
		r->event.forced = false;
		return false;
	}
	sl_rt_unqueue(r);
	struct sl_event event = {.kind = SL_EVENT_BLOCK,
				 .thread = r->number,
				 .thread_name = r->named ? r->name : NULL};
	struct sl_match match;

	sl_monitor_match(F.monitor, &event, &match);
	sl_rt_hold(r, &event, &match);
	return true;
}

void
sl_rt_block(struct sl_runner *r, bool moves)
{
	if (unlikely(r->event.performs)) /* blocking is what the operation came to */
		sl_rt_performed(r);
	sl_rt_note_place(r);
	sl_rt_become(r, SL_BLOCKED, moves);
	if (unlikely(F.held && r->waits.kind == SL_WAITS_WRITE))
		sl_rt_taken(r->waits.object); /* a writer that waits may keep readers out */
	sl_rt_tell(r, SL_EVENT_BLOCK);
}

void
sl_rt_blocks(struct sl_runner *r, bool moves)
{
	sl_rt_note_place(r);
	sl_rt_become(r, SL_BLOCKED, moves);
}

/* The thread has been held, or need not be: it runs from now on. */
static void
resume(struct sl_runner *r)
{
	sl_rt_become(r, SL_RUNS, false);
	rouse(r);
}

void
sl_rt_unblock(struct sl_runner *r)
{
	sl_rt_unqueue(r);
	if (unlikely(F.monitor && !F.checking && F.plan->kinds & 1u << SL_EVENT_UNBLOCK) &&
	    !sl_rt_may(r, SL_EVENT_UNBLOCK)) {
		r->event.what = (struct sl_event){.kind = SL_EVENT_UNBLOCK,
						  .thread = r->number,
						  .thread_name = r->named ? r->name : NULL};
		sl_monitor_match(F.monitor, &r->event.what, &r->event.match);
		r->blocked_too = true;
		sl_rt_become(r, SL_HELD, false);
		sl_rt_hold_more(r);
		return;
	}
	/* before the monitor is told: the threads that the event releases must find this one running */
	resume(r);
	sl_rt_tell(r, SL_EVENT_UNBLOCK);
}

void
sl_rt_wake(const void *object)
{
	struct sl_runner *r;

	if (inside) {
		F.recheck = true;
		return;
	}
	sl_rt_lock();
	r = sl_rt_waiter(object);
	if (r)
		sl_rt_unblock(r);
	sl_rt_unlock();
}

/* ---- holding: the part of rt_event.c that changes the state of a thread ---- */

void
sl_rt_hold_more(struct sl_runner *r)
{
	r->next_held = NULL;
	r->in_held = true;
	*F.held_last = r;
	F.held_last = &r->next_held;
}

/* A signal handler has waited for something meanwhile; the wake-up was the handler's. */
static bool
is_held_still(struct sl_runner *r)
{
	bool still;

	if (likely(!r->in_held)) /* cleared before the thread is woken */
		return false;
	sl_rt_lock();
	still = r->in_held;
	if (still) {
		r->word = 0;
		sl_rt_become(r, SL_HELD, false);
		sl_rt_grant();
	}
	sl_rt_unlock();
	return still;
}

void
sl_rt_unhold(struct sl_runner *r)
{
	struct sl_runner **at = &F.held;

	while (*at && *at != r)
		at = &(*at)->next_held;
	if (!*at)
		return;
	r->in_held = false;
	*at = r->next_held;
	if (F.held_last == &r->next_held)
		F.held_last = at;
	r->next_held = NULL;
	r->blocked_too = r->quiet = false;
	resume(r);
}

/* ---- sleeping ---- */

struct asleep {
	struct sl_runner *runner;
	bool cancellable, awake;
	int type;
};

/* A cancellation: the thread is no longer a waiter. A caller that needs more has a cleanup of its own. */
static void
leave(struct asleep *a)
{
	struct sl_runner *r = a->runner;

	if (a->awake)
		return;
	sl_rt_lock();
	sl_rt_unqueue(r);
	sl_rt_unhold(r);
	if (r->doing == SL_BLOCKED) {
		sl_rt_become(r, SL_RUNS, false);
		sl_rt_tell(r, SL_EVENT_UNBLOCK);
	}
	sl_rt_unlock();
}

/* A signal handler has run, and the wait continues: can some thread move? */
static void
calm(struct sl_runner *r, bool moves)
{
	sl_rt_lock();
	if (r->stirred && r->doing != SL_RUNS)
		sl_rt_become(r, r->doing, moves);
	r->stirred = false;
	sl_rt_unlock();
}

const struct timespec sl_never = {.tv_sec = 1ll << 33};

enum sl_woken
sl_rt_sleep(struct sl_runner *r, const struct timespec *limit, clockid_t clock, bool cancellable)
{
	struct asleep a __attribute__((cleanup(leave))) = {.runner = r, .cancellable = cancellable};
	int operation = FUTEX_WAIT_BITSET_PRIVATE | (clock == CLOCK_REALTIME ? FUTEX_CLOCK_REALTIME : 0);
	enum sl_woken how = SL_WOKEN;

	if (limit && limit->tv_sec < 0) /* an error for the kernel; for libc a time long past */
		how = SL_TIMED_OUT;
	if (cancellable)
		sl_true.pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &a.type);
	while (!__atomic_load_n(&r->word, __ATOMIC_ACQUIRE) && how == SL_WOKEN) {
		long result = doze(&r->word, operation, 0, limit, FUTEX_BITSET_MATCH_ANY);

		if (result == -ETIMEDOUT)
			how = SL_TIMED_OUT;
		else if (result == -EINTR)
			how = SL_INTERRUPTED;
		if (unlikely(result == -EINTR))
			calm(r, limit && limit != &sl_never);
	}
	if (cancellable)
		sl_true.pthread_setcanceltype(a.type, NULL);
	a.awake = true;
	return __atomic_load_n(&r->word, __ATOMIC_ACQUIRE) ? SL_WOKEN : how;
}

void
sl_rt_hold(struct sl_runner *r, const struct sl_event *event, const struct sl_match *match)
{
	r->event.what = *event;
	r->event.match = *match;
	r->word = 0;
	sl_rt_become(r, SL_HELD, false);
	sl_rt_hold_more(r);
	/* a thread may have counted meanwhile, without seeing that this one is held */
	if (F.swift.count && !F.performer) {
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		sl_rt_grant();
	}
	sl_rt_unlock();
	while (sl_rt_sleep(r, &sl_never, CLOCK_MONOTONIC, true) != SL_WOKEN || is_held_still(r))
		;
}

bool
sl_rt_wait_once(struct sl_runner *r, const struct sl_attempt *a, int *answer)
{
	enum sl_woken how;

	sl_rt_block(r, a->limit != NULL);
	sl_rt_unlock();
	do
		how = sl_rt_sleep(r, a->limit || a->interruptible ? a->limit : &sl_never, a->clock,
				  a->cancellable);
	while (how == SL_INTERRUPTED && !a->interruptible);
	if (how == SL_WOKEN)
		return false;
	sl_rt_lock();
	if (r->waits.queued)
		sl_rt_unblock(r);
	sl_rt_unlock();
	sl_rt_awake(r);
	sl_rt_lock();
	*answer = a->attempt(a->object); /* the thread may have been woken at the same time */
	if (*answer == EBUSY) {
		*answer = how == SL_TIMED_OUT ? ETIMEDOUT : EINTR;
		if (a->gave_up)
			a->gave_up(a->object);
	}
	sl_rt_unlock();
	return true;
}

int
sl_rt_wait(struct sl_runner *r, const struct sl_attempt *a)
{
	bool again = false;

	if (sl_bad_time(a->limit))
		return EINVAL;
	for (;;) {
		int answer;

		sl_rt_lock();
		sl_rt_queue(r, a->waits, a->object, again);
		answer = a->attempt(a->object);
		if (answer != EBUSY) {
			sl_rt_unqueue(r);
			sl_rt_unlock();
			return answer;
		}
		if (sl_rt_hesitates(r))
			continue;
		again = true;
		if (sl_rt_wait_once(r, a, &answer))
			return answer;
	}
}

/* The thread has stopped waiting by itself; the schedule may hold it back. */
void
sl_rt_awake(struct sl_runner *r)
{
	while (unlikely(!__atomic_load_n(&r->word, __ATOMIC_ACQUIRE)))
		sl_rt_sleep(r, &sl_never, CLOCK_MONOTONIC, true);
}

/* ---- waiting in the kernel ---- */

void
sl_rt_outside(struct sl_runner *r, enum sl_waits waits, const void *object)
{
	do {
		sl_rt_lock();
		sl_rt_queue(r, waits, object, false);
	} while (sl_rt_hesitates(r));
	sl_rt_block(r, true);
	sl_rt_unlock();
}

void
sl_rt_back(struct sl_runner *r)
{
	sl_rt_lock();
	if (r->doing == SL_BLOCKED)
		sl_rt_unblock(r);
	sl_rt_unlock();
	sl_rt_awake(r);
}
