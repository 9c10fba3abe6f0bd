/*
 * Coverage: the paper's example, the acceptance conditions one by one, and two brute-force twins that share no code with
 * what they check. One evaluates the definitions of the criteria on random traces. The other runs all interleavings of
 * small random programs: what any of them covers must not be ruled out by an estimate from one of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/rng.h"
#include "coverage/coverage.h"
#include "trace/records.h"

#define MOST 256

static struct sl_coverage *coverage;

static void
fresh(const struct sl_criterion *criterion)
{
	if (coverage)
		munmap(coverage, sizeof(*coverage));
	coverage = mmap(NULL, sizeof(*coverage), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_true(coverage != MAP_FAILED);
	sl_coverage_use(coverage, criterion);
}

static void
feed(const struct sl_item *items, size_t count, bool counting)
{
	sl_coverage_begin(coverage, counting);
	for (size_t i = 0; i < count; i++)
		sl_coverage_item(coverage, &items[i]);
	sl_coverage_end(coverage, coverage->execution);
}

static unsigned
state_of(uint64_t first, uint64_t second)
{
	uint32_t a = sl_coverage_place_find(coverage, first), b = sl_coverage_place_find(coverage, second);
	struct sl_requirement *r = a && b ? sl_coverage_find(coverage, a, b) : NULL;

	return r ? r->state : 0;
}

static unsigned
reason_of(uint64_t first, uint64_t second)
{
	uint32_t a = sl_coverage_place_find(coverage, first), b = sl_coverage_place_find(coverage, second);
	struct sl_requirement *r = a && b ? sl_coverage_find(coverage, a, b) : NULL;

	return r ? r->reason : SL_REASON_NONE;
}

static bool
is_estimated(uint64_t first, uint64_t second)
{
	return state_of(first, second) & SL_COVER_ESTIMATED;
}

static struct sl_item
does(uint32_t thread, unsigned kind, uint64_t object, uint64_t pc, uint64_t value)
{
	return (struct sl_item){.kind = (uint8_t)kind, .thread = thread, .object = object, .pc = pc, .value = value};
}

#define M 0x1000
#define L 0x2000
#define S 0x3000
#define LOCK(t, m, pc) does(t, SL_MUTEX_LOCK, m, pc, 0)
#define UNLOCK(t, m) does(t, SL_MUTEX_UNLOCK, m, 9000, 0)
#define CREATE(t, other) does(t, SL_CREATE, 0, 9001, other)
#define JOIN(t, other) does(t, SL_JOIN, 0, 9002, other)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- the paper ---- */

static void
two_threads_have_ten_requirements(void **unused)
{
	const uint64_t a2 = 12, a4 = 14, b2 = 22, b4 = 24;
	const struct sl_item trace[] = {CREATE(0, 1),   CREATE(0, 2), LOCK(1, M, a2), UNLOCK(1, M),   LOCK(1, M, a4),
					UNLOCK(1, M),   LOCK(2, M, b2), UNLOCK(2, M), LOCK(2, M, b4), UNLOCK(2, M),
					JOIN(0, 1),     JOIN(0, 2)};
	const uint64_t wanted[][2] = {{a2, a4}, {a2, b2}, {a2, b4}, {a4, b2}, {a4, b4},
				      {b2, b4}, {b2, a2}, {b2, a4}, {b4, a2}, {b4, a4}};

	(void)unused;
	fresh(&sl_criterion_sync_pair);
	feed(trace, COUNT(trace), false);
	assert_int_equal(coverage->estimated, 10);
	assert_int_equal(coverage->first, 10);
	assert_int_equal(coverage->covered, 0);
	for (size_t i = 0; i < COUNT(wanted); i++)
		assert_true(is_estimated(wanted[i][0], wanted[i][1]));
	assert_int_equal(coverage->ruled_out, 2);
	assert_int_equal(reason_of(a4, a2), SL_REASON_NOT_NEXT);
	assert_int_equal(reason_of(b4, b2), SL_REASON_NOT_NEXT);
	feed(trace, COUNT(trace), true);
	assert_int_equal(coverage->covered, 3);
	assert_int_equal(coverage->estimated, 10);
	assert_int_equal(coverage->unforeseen, 0);
	assert_int_equal(coverage->places[sl_coverage_place_find(coverage, a2)].open, 4);
}

/* ---- the acceptance conditions ---- */

static void
locks_held_without_a_break_exclude(void **unused)
{
	/* T1 holds L from 11 to 12; T2 needs it at 21 */
	const struct sl_item held[] = {CREATE(0, 1),    CREATE(0, 2), LOCK(1, L, 10),  LOCK(1, M, 11), UNLOCK(1, M),
				       LOCK(1, M, 12),  UNLOCK(1, M), UNLOCK(1, L),    LOCK(2, L, 20), LOCK(2, M, 21),
				       UNLOCK(2, M),    UNLOCK(2, L)};
	/* the same, but L is released and taken again in between */
	const struct sl_item broken[] = {CREATE(0, 1),   CREATE(0, 2),   LOCK(1, L, 10), LOCK(1, M, 11), UNLOCK(1, M),
					 UNLOCK(1, L),   LOCK(1, L, 13), LOCK(1, M, 12), UNLOCK(1, M),   UNLOCK(1, L),
					 LOCK(2, L, 20), LOCK(2, M, 21), UNLOCK(2, M),   UNLOCK(2, L)};

	(void)unused;
	fresh(&sl_criterion_sync_pair);
	feed(held, COUNT(held), false);
	assert_int_equal(reason_of(11, 21), SL_REASON_HELD_ON);
	assert_int_equal(reason_of(21, 12), SL_REASON_HELD_FROM);
	assert_true(is_estimated(12, 21));
	assert_true(is_estimated(21, 11));
	fresh(&sl_criterion_sync_pair);
	feed(broken, COUNT(broken), false);
	assert_true(is_estimated(11, 21));
	assert_true(is_estimated(21, 12));
}

static void
read_locks_do_not_exclude_each_other(void **unused)
{
	struct sl_item trace[] = {CREATE(0, 1),   CREATE(0, 2),   does(1, SL_RW_RDLOCK, L, 10, 0), LOCK(1, M, 11),
				  UNLOCK(1, M),   LOCK(1, M, 12), UNLOCK(1, M),                    does(1, SL_RW_UNLOCK, L, 9, 0),
				  does(2, SL_RW_RDLOCK, L, 20, 0), LOCK(2, M, 21), UNLOCK(2, M),   does(2, SL_RW_UNLOCK, L, 9, 0)};

	(void)unused;
	fresh(&sl_criterion_sync_pair);
	feed(trace, COUNT(trace), false);
	assert_true(is_estimated(11, 21));
	trace[8].kind = SL_RW_WRLOCK;
	fresh(&sl_criterion_sync_pair);
	feed(trace, COUNT(trace), false);
	assert_int_equal(reason_of(11, 21), SL_REASON_HELD_ON);
}

static void
order_excludes(void **unused)
{
	const struct sl_item trace[] = {LOCK(0, M, 1),  UNLOCK(0, M),  LOCK(0, M, 2), UNLOCK(0, M), CREATE(0, 1),
					LOCK(1, M, 10), UNLOCK(1, M),  JOIN(0, 1),    LOCK(0, M, 3), UNLOCK(0, M)};

	(void)unused;
	fresh(&sl_criterion_sync_pair);
	feed(trace, COUNT(trace), false);
	assert_int_equal(reason_of(10, 2), SL_REASON_BEFORE); /* AC4 */
	assert_int_equal(reason_of(3, 10), SL_REASON_BEFORE); /* the join */
	assert_int_equal(reason_of(1, 10), SL_REASON_BETWEEN);
	assert_int_equal(reason_of(2, 3), SL_REASON_BETWEEN); /* AC1 alone would accept it */
	assert_true(is_estimated(1, 2) && is_estimated(2, 10) && is_estimated(10, 3));
	assert_int_equal(coverage->estimated, 3);
}

static void
barriers_and_semaphores_order(void **unused)
{
	const struct sl_item barrier[] = {CREATE(0, 1),   CREATE(0, 2),
					  LOCK(1, M, 10), UNLOCK(1, M),
					  does(1, SL_BARRIER_WAIT, S, 8, 0), does(2, SL_BARRIER_WAIT, S, 8, 1),
					  LOCK(2, M, 20), UNLOCK(2, M)};
	const struct sl_item three[] = {CREATE(0, 1),   CREATE(0, 2), CREATE(0, 3),
					LOCK(1, M, 10), UNLOCK(1, M),
					does(1, SL_BARRIER_WAIT, S, 8, 0), does(2, SL_BARRIER_WAIT, S, 8, 1),
					LOCK(2, M, 20), UNLOCK(2, M),
					does(3, SL_BARRIER_WAIT, S, 8, 0), does(1, SL_BARRIER_WAIT, S, 8, 1)};
	struct sl_item semaphore[] = {CREATE(0, 1),   CREATE(0, 2), CREATE(0, 3),
				      LOCK(1, M, 10), UNLOCK(1, M), does(1, SL_SEM_POST, S, 8, 0),
				      does(2, SL_SEM_WAIT, S, 8, 1), LOCK(2, M, 20), UNLOCK(2, M),
				      does(3, SL_YIELD, 0, 8, 0)};

	(void)unused;
	fresh(&sl_criterion_sync_pair);
	feed(barrier, COUNT(barrier), false);
	assert_int_equal(reason_of(20, 10), SL_REASON_BEFORE);
	assert_true(is_estimated(10, 20));
	fresh(&sl_criterion_sync_pair); /* two of three: which threads meet is up to the schedule */
	feed(three, COUNT(three), false);
	assert_true(is_estimated(20, 10));
	fresh(&sl_criterion_sync_pair);
	feed(semaphore, COUNT(semaphore), false);
	assert_int_equal(reason_of(20, 10), SL_REASON_BEFORE);
	semaphore[9] = does(3, SL_SEM_POST, S, 8, 0); /* the semaphore may have been taken because of that post */
	fresh(&sl_criterion_sync_pair);
	feed(semaphore, COUNT(semaphore), false);
	assert_true(is_estimated(20, 10));
}

static void
who_signals_takes_the_mutex(void **unused)
{
	struct sl_item trace[] = {CREATE(0, 1),  LOCK(0, M, 1),   does(0, SL_COND_WAIT, S, 2, M), LOCK(1, M, 10),
				  does(1, SL_COND_SIGNAL, S, 11, 1), UNLOCK(1, M), does(0, SL_COND_RELOCK, M, 2, 0),
				  UNLOCK(0, M)};

	(void)unused;
	fresh(&sl_criterion_sync_pair);
	feed(trace, COUNT(trace), false);
	assert_int_equal(reason_of(1, 2), SL_REASON_SIGNAL);
	assert_true(is_estimated(10, 2) && is_estimated(1, 10));
	assert_int_equal(reason_of(2, 10), SL_REASON_BEFORE); /* no other thread signals */
	struct sl_item swap = trace[4];

	trace[4] = trace[5];
	trace[5] = swap; /* the thread signals after it has released the mutex */
	fresh(&sl_criterion_sync_pair);
	feed(trace, COUNT(trace), false);
	assert_true(is_estimated(1, 2));
}

/* The wait may end by itself; then no thread need have held the mutex in between. */
static void
a_wait_with_a_time_limit_needs_nobody(void **unused)
{
	const struct sl_item trace[] = {CREATE(0, 1), LOCK(0, M, 1), does(0, SL_COND_WAIT, S, 2, M), LOCK(1, M, 10),
					does(1, SL_COND_SIGNAL, S, 11, 1), UNLOCK(1, M), does(0, SL_COND_RELOCK, M, 2, 0),
					does(0, SL_COND_WAIT, S, 3, M), does(0, SL_TIMEOUT, S, 3, 0),
					does(0, SL_COND_RELOCK, M, 3, 0), UNLOCK(0, M)};

	(void)unused;
	fresh(&sl_criterion_sync_pair);
	feed(trace, COUNT(trace), false);
	assert_true(is_estimated(1, 2));
}

static void
an_initialised_mutex_is_another_one(void **unused)
{
	const struct sl_item trace[] = {LOCK(0, M, 1), UNLOCK(0, M), does(0, SL_INIT, M, 5, 0), LOCK(0, M, 2),
					UNLOCK(0, M)};

	(void)unused;
	fresh(&sl_criterion_sync_pair);
	feed(trace, COUNT(trace), false);
	feed(trace, COUNT(trace), true);
	assert_int_equal(coverage->estimated, 0);
}

/* A std::mutex is neither initialised nor destroyed by anything that could be seen. */
static void
a_lock_in_memory_that_was_freed_is_another_one(void **unused)
{
	struct sl_item trace[] = {LOCK(0, M, 1), UNLOCK(0, M), does(0, SL_FREE, M - 16, 5, 40), LOCK(0, M, 2),
				  UNLOCK(0, M)};
	const struct sl_criterion *const criteria[] = {&sl_criterion_sync_pair, &sl_criterion_blocked};

	(void)unused;
	for (unsigned i = 0; i < 2; i++) {
		fresh(criteria[i]);
		feed(trace, COUNT(trace), false);
		assert_int_equal(coverage->log_count, 5); /* as if it had been destroyed */
		feed(trace, COUNT(trace), true);
		assert_int_equal(coverage->estimated, 0);
	}
	trace[2].value = 16; /* the block before it */
	fresh(&sl_criterion_sync_pair);
	feed(trace, COUNT(trace), false);
	assert_true(is_estimated(1, 2));
	feed(trace, COUNT(trace), true);
	assert_int_equal(coverage->covered, 1);
}

/* Two places, each of which occurred before, but never both: the first execution that has both is used for the estimate. */
static void
places_that_meet_late_are_estimated(void **unused)
{
	const struct sl_item one[] = {CREATE(0, 1),   CREATE(0, 2),   LOCK(1, M, 10), UNLOCK(1, M),
				      LOCK(2, M, 20), UNLOCK(2, M),   LOCK(2, M, 25), UNLOCK(2, M)};
	const struct sl_item other[] = {CREATE(0, 1),   CREATE(0, 2),   LOCK(1, M, 15), UNLOCK(1, M),
					LOCK(2, M, 20), UNLOCK(2, M),   LOCK(2, M, 21), UNLOCK(2, M)};
	const struct sl_item both[] = {CREATE(0, 1),   CREATE(0, 2),   LOCK(1, M, 10), UNLOCK(1, M),
				       LOCK(2, M, 20), UNLOCK(2, M),   LOCK(2, M, 21), UNLOCK(2, M)};

	(void)unused;
	fresh(&sl_criterion_sync_pair);
	feed(one, COUNT(one), false);
	feed(one, COUNT(one), true);
	feed(other, COUNT(other), true);
	assert_int_equal(coverage->estimates, 2);
	assert_int_equal(state_of(10, 21), 0);
	feed(both, COUNT(both), true);
	assert_int_equal(coverage->estimates, 3);
	assert_true(is_estimated(10, 21));
	assert_true(is_estimated(21, 10));
	feed(both, COUNT(both), true); /* that is known now */
	assert_int_equal(coverage->estimates, 3);
}

static void
the_nearest_attempt_is_kept(void **unused)
{
	const struct sl_item first[] = {CREATE(0, 1), CREATE(0, 2), LOCK(1, M, 10), UNLOCK(1, M), LOCK(2, M, 20),
					UNLOCK(2, M), LOCK(2, M, 21), UNLOCK(2, M)};
	struct sl_requirement *r;

	(void)unused;
	fresh(&sl_criterion_sync_pair);
	feed(first, COUNT(first), false);
	feed(first, COUNT(first), true);
	r = sl_coverage_find(coverage, sl_coverage_place_find(coverage, 10), sl_coverage_place_find(coverage, 21));
	assert_int_equal(r->state, SL_COVER_ESTIMATED | SL_COVER_FIRST);
	assert_int_equal(r->near, 1);
	assert_int_equal(coverage->places[r->near_place].pc, 20);
	assert_int_equal(r->near_thread, 2);
	assert_int_equal(r->near_execution, 1);
}

/* ---- the definitions, on random traces ---- */

struct trace {
	struct sl_item items[MOST];
	size_t count;
};

/* Of threads 0 … 3 and locks M, M + 64, … that are mutexes (recursive), or read-write locks from the third on. */
static struct trace
random_trace(struct sl_rng *rng)
{
	struct trace t = {.count = 0};
	int depth[4][5] = {{0}}, waits[4] = {0}; /* depth: of a thread's hold; waits: a lock plus one, for a condition */
	bool asked[4] = {false}, shared[4][5] = {{false}};
	size_t length = 10 + sl_rng_below(rng, MOST - 30);

	while (t.count < length) {
		uint32_t who = sl_rng_below(rng, 4), l = sl_rng_below(rng, 5), at = sl_rng_below(rng, 6);
		uint64_t lock = M + 64 * l, pc = 100 + 10 * l + at;
		bool rw = l >= 3, read = rw && sl_rng_below(rng, 2), free = true, mine = depth[who][l] > 0;
		unsigned what = sl_rng_below(rng, 12);

		if (waits[who]) { /* all that it can do is wake up, if it gets the mutex */
			l = (uint32_t)waits[who] - 1;
			lock = M + 64 * l;
			pc = 700 + l;
			for (int k = 0; k < 4; k++)
				free &= (uint32_t)k == who || !depth[k][l];
			if (!free)
				continue;
			t.items[t.count++] = does(who, SL_COND_RELOCK, lock, pc, 0);
			depth[who][l]++;
			waits[who] = 0;
			asked[who] = false;
			continue;
		}
		for (int k = 0; k < 4; k++)
			free &= (uint32_t)k == who || !depth[k][l] || (read && shared[k][l]);
		if (rw && mine && !(read && shared[who][l]))
			free = false;
		if (what < 5) {
			unsigned kind = rw ? read ? SL_RW_RDLOCK : SL_RW_WRLOCK : SL_MUTEX_LOCK;

			if (!mine && !asked[who]) {
				t.items[t.count++] = does(who, SL_ITEM_REQUEST, lock, pc, 0);
				t.items[t.count - 1].size = (uint8_t)kind;
				asked[who] = true;
			}
			/* a thread that has requested the lock and does not get it continues as after a time limit */
			if (free) {
				t.items[t.count++] = does(who, kind, lock, pc, sl_rng_below(rng, 20) ? 0 : EDEADLK);
				if (!t.items[t.count - 1].value && !depth[who][l]++)
					shared[who][l] = read;
			} else if (asked[who] && sl_rng_below(rng, 2)) {
				t.items[t.count++] = does(who, SL_TIMEOUT, lock, pc, ETIMEDOUT);
				asked[who] = false;
			}
			if (free && !t.items[t.count - 1].value)
				asked[who] = false;
		} else if (what < 9 && mine) {
			t.items[t.count++] = does(who, rw ? SL_RW_UNLOCK : SL_MUTEX_UNLOCK, lock, 900, 0);
			depth[who][l]--;
		} else if (what == 9 && mine && !rw && depth[who][l] == 1) {
			t.items[t.count++] = does(who, SL_COND_WAIT, S, 700 + l, lock);
			depth[who][l] = 0;
			waits[who] = (int)l + 1;
		} else if (what == 10) {
			static const uint16_t flags[] = {SL_OP_READS, SL_OP_WRITES, SL_OP_READS | SL_OP_WRITES};
			static const uint8_t kinds[] = {SL_READ, SL_WRITE, SL_ATOMIC_UPDATE};
			unsigned how = sl_rng_below(rng, 3);
			struct sl_item *i = &t.items[t.count++];

			*i = does(who, kinds[how], 0x8000 + sl_rng_below(rng, 40), 800 + sl_rng_below(rng, 9), 0);
			i->flags = flags[how];
			i->size = (uint8_t)(1u << sl_rng_below(rng, 4));
			if (how < 2 && sl_rng_below(rng, 4) == 0) {
				i->flags |= SL_OP_RANGE;
				i->size = 0;
				i->value = 1 + sl_rng_below(rng, 30);
			}
		} else if (what == 11 && sl_rng_below(rng, 4) == 0) {
			bool used = false;

			for (int k = 0; k < 4; k++)
				used |= depth[k][l] || waits[k] == (int)l + 1 || asked[k];
			if (sl_rng_below(rng, 2))
				t.items[t.count++] = does(who, SL_ALLOC, 0x8000 + 8 * sl_rng_below(rng, 4), 901,
							  8 + 8 * sl_rng_below(rng, 2));
			else if (!used && sl_rng_below(rng, 2))
				t.items[t.count++] = does(who, SL_INIT, lock, 902, 0);
			else if (!used)
				t.items[t.count++] = does(who, SL_FREE, lock - 8 * sl_rng_below(rng, 2), 902,
							  sl_rng_below(rng, 2) ? 16 : 48);
		}
	}
	return t;
}

/* How deep the thread is in the lock before item n: from the beginning, each time. */
static int
depth_before(const struct trace *t, size_t n, uint32_t thread, uint64_t lock)
{
	int depth = 0;

	for (size_t i = 0; i < n; i++) {
		const struct sl_item *x = &t->items[i];

		if (x->thread != thread)
			continue;
		if (x->kind == SL_COND_WAIT && x->value == lock)
			depth--;
		if (x->object != lock || x->value)
			continue;
		if (x->kind == SL_MUTEX_LOCK || x->kind == SL_RW_RDLOCK || x->kind == SL_RW_WRLOCK || x->kind == SL_COND_RELOCK)
			depth++;
		if (x->kind == SL_MUTEX_UNLOCK || x->kind == SL_RW_UNLOCK)
			depth--;
	}
	return depth;
}

static bool
is_lock_action(const struct trace *t, size_t n)
{
	const struct sl_item *x = &t->items[n];

	if (x->kind != SL_MUTEX_LOCK && x->kind != SL_RW_RDLOCK && x->kind != SL_RW_WRLOCK && x->kind != SL_COND_RELOCK)
		return false;
	return !x->value && depth_before(t, n, x->thread, x->object) == 0;
}

typedef bool matrix[1024][1024]; /* by pc */

/* Definition 2, literally. */
static void
twin_sync_pair(const struct trace *t, matrix *covered)
{
	for (size_t i = 0; i < t->count; i++)
		for (size_t j = i + 1; j < t->count && is_lock_action(t, i); j++) {
			bool between = false;

			if (t->items[i].object != t->items[j].object || !is_lock_action(t, j))
				continue;
			for (size_t k = i + 1; k < j; k++)
				between |= (t->items[k].object == t->items[i].object &&
					    (is_lock_action(t, k) || t->items[k].kind == SL_INIT)) ||
					   (t->items[k].kind == SL_FREE &&
					    t->items[i].object - t->items[k].object < t->items[k].value);
			if (!between)
				(*covered)[t->items[i].pc][t->items[j].pc] = true;
		}
}

/* A request at i is pending until its thread takes that lock or gives up; which thread holds the lock meanwhile, and how? */
static void
twin_blocked(const struct trace *t, matrix *covered)
{
	for (size_t i = 0; i < t->count; i++) {
		const struct sl_item *r = &t->items[i];

		for (size_t n = i + 1; n <= t->count && r->kind == SL_ITEM_REQUEST; n++) {
			for (size_t h = 0; h < n; h++) { /* taken at h, and still held after item n - 1 */
				const struct sl_item *x = &t->items[h];

				if (x->object != r->object || x->thread == r->thread || !is_lock_action(t, h) ||
				    (x->kind == SL_RW_RDLOCK && r->size == SL_RW_RDLOCK))
					continue;
				bool held = true;

				for (size_t k = h + 1; k <= n && held; k++)
					held = depth_before(t, k, x->thread, x->object) > 0;
				if (held)
					(*covered)[r->pc][x->pc] = true;
			}
			if (n < t->count && t->items[n].thread == r->thread &&
			    (t->items[n].kind == SL_TIMEOUT || is_lock_action(t, n) || t->items[n].kind == SL_ITEM_REQUEST))
				break;
		}
	}
}

static uint64_t
extent(const struct sl_item *x)
{
	if (x->kind == SL_ALLOC)
		return (x->value + 7) & ~7ul;
	return x->kind > SL_ATOMIC_UPDATE ? 0 : x->flags & SL_OP_RANGE ? x->value : x->size;
}

/* For each byte that is read: backwards to the last write or allocation. */
static void
twin_def_use(const struct trace *t, matrix *covered)
{
	for (size_t j = 0; j < t->count; j++) {
		const struct sl_item *r = &t->items[j];

		if (r->kind > SL_ATOMIC_UPDATE || !(r->flags & SL_OP_READS))
			continue;
		for (uint64_t byte = r->object; byte < r->object + extent(r); byte++)
			for (size_t i = j; i-- > 0;) {
				const struct sl_item *w = &t->items[i];

				if (byte - w->object >= extent(w) || (w->kind != SL_ALLOC && !(w->flags & SL_OP_WRITES)))
					continue;
				if (w->kind != SL_ALLOC && w->thread != r->thread)
					(*covered)[w->pc][r->pc] = true;
				break;
			}
	}
}

static void
criteria_equal_their_definitions(void **unused)
{
	static const struct {
		const struct sl_criterion *criterion;
		void (*twin)(const struct trace *, matrix *);
	} cases[] = {{&sl_criterion_sync_pair, twin_sync_pair},
		     {&sl_criterion_blocked, twin_blocked},
		     {&sl_criterion_def_use, twin_def_use}};
	static matrix wanted;
	size_t pairs[3] = {0};

	(void)unused;
	for (uint64_t seed = 0; seed < 1500; seed++)
		for (size_t n = 0; n < COUNT(cases); n++) {
			struct sl_rng rng = {seed};
			uint32_t count = 0;

			memset(wanted, 0, sizeof(wanted));
			fresh(cases[n].criterion);
			for (int execution = 0; execution < 2; execution++) {
				struct trace t = random_trace(&rng);

				cases[n].twin(&t, &wanted);
				feed(t.items, t.count, true);
			}
			for (bool *at = wanted[0]; (at = memchr(at, 1, sizeof(wanted) - (size_t)(at - wanted[0]))); at++) {
				size_t a = (size_t)(at - wanted[0]) / 1024, b = (size_t)(at - wanted[0]) % 1024;

				if (!(state_of(a, b) & SL_COVER_COVERED))
					fail_msg("seed %lu, %s: <%zu, %zu> is not covered", seed, cases[n].criterion->name, a, b);
				count++;
			}
			for (uint32_t r = 1; r <= coverage->requirement_count; r++) {
				uint64_t a = coverage->places[coverage->requirements[r].first].pc;
				uint64_t b = coverage->places[coverage->requirements[r].second].pc;

				if ((coverage->requirements[r].state & SL_COVER_COVERED) && !wanted[a][b])
					fail_msg("seed %lu, %s: <%lu, %lu> is covered", seed, cases[n].criterion->name, a, b);
			}
			assert_int_equal(coverage->covered, count);
			assert_int_equal(coverage->lost, 0);
			pairs[n] += count;
		}
	for (size_t n = 0; n < COUNT(cases); n++)
		assert_true(pairs[n] > 1500); /* the comparison had something to compare */
}

/* ---- all interleavings of small programs ---- */

#define THREADS 4
#define STEPS 20
#define PLAIN_STEPS 14 /* without accesses */
#define OBJECTS 4

enum act { STOP, TAKE, GIVE, START, AWAIT, POST, PASS, MEET, WAIT, SIGNAL, LOAD, STORE, UPDATE };

struct program {
	struct {
		enum act act;
		unsigned object, pc;
	} steps[THREADS][STEPS];
	unsigned limit; /* of the barrier */
	bool set;       /* its semaphore is one of a System V set */
};

struct state {
	uint8_t at[THREADS], owner[OBJECTS], value, met, rounds; /* owner: plus one */
	uint8_t asleep[THREADS];                                  /* 1: waits for a signal, 2: wants its mutex; 3: at the barrier */
	uint8_t started[THREADS];
	uint16_t last[OBJECTS];
	uint16_t wrote[2]; /* which thread wrote the two halves of eight bytes, and where: place << 2 | thread */
};

static const unsigned address[OBJECTS] = {M, M + 64, M + 128, M + 192};

static struct program
random_program(struct sl_rng *rng)
{
	struct program p = {.limit = 2};
	unsigned threads = 2 + sl_rng_below(rng, 2), extras = sl_rng_below(rng, 4), pc = 1, posts = 0;
	bool same = sl_rng_below(rng, 3) == 0;

	for (unsigned t = 0; t <= threads; t++) {
		unsigned n = 0, created = 0, joined = 0, blocks = t ? 1 + sl_rng_below(rng, 2) : sl_rng_below(rng, 3);

		for (unsigned b = 0; b <= blocks || (t == 0 && joined < threads); b++) {
			if (n + 6 >= PLAIN_STEPS)
				break;
			if (t == 0 && created < threads && (b >= blocks || sl_rng_below(rng, 2))) {
				while (created < threads && (b >= blocks || sl_rng_below(rng, 2)))
					p.steps[t][n].act = START, p.steps[t][n++].object = ++created;
			} else if (t == 0 && joined < created && (b >= blocks || sl_rng_below(rng, 3) == 0)) {
				p.steps[t][n].act = AWAIT, p.steps[t][n++].object = ++joined;
			}
			if (b == blocks && t)
				break;
			if (t == 0 && b >= blocks)
				continue;
			unsigned x = sl_rng_below(rng, 3), y = (x + 1 + sl_rng_below(rng, 2)) % 3, shape = sl_rng_below(rng, 5);

			p.steps[t][n].act = TAKE, p.steps[t][n].object = x, p.steps[t][n++].pc = same ? 1 + pc++ % 4 : pc++;
			if (shape >= 2) {
				p.steps[t][n].act = TAKE, p.steps[t][n].object = y, p.steps[t][n++].pc = same ? 1 + pc++ % 4 : pc++;
				if (shape == 3)
					p.steps[t][n].act = GIVE, p.steps[t][n++].object = x;
				else if (shape == 4 && n + 5 < PLAIN_STEPS) { /* the inner one twice under the outer */
					p.steps[t][n].act = GIVE, p.steps[t][n++].object = y;
					p.steps[t][n].act = TAKE, p.steps[t][n].object = y, p.steps[t][n++].pc = pc++;
				}
				p.steps[t][n].act = GIVE, p.steps[t][n++].object = y;
			}
			if (shape != 3) {
				if (extras == 3 && t == 1 && n + 3 < PLAIN_STEPS)
					p.steps[t][n].act = WAIT, p.steps[t][n].object = x, p.steps[t][n++].pc = pc++;
				p.steps[t][n].act = GIVE, p.steps[t][n++].object = x;
			}
			if (extras == 3 && t == 2)
				p.steps[t][n++].act = SIGNAL;
			if (extras == 1 && t && n + 2 < PLAIN_STEPS && sl_rng_below(rng, 2)) {
				bool pass = posts && sl_rng_below(rng, 2);

				p.steps[t][n++].act = pass ? PASS : POST;
				posts += pass ? 0u - 1 : 1;
			}
			if (extras == 2 && t && t <= 2 && b == 0)
				p.steps[t][n++].act = MEET;
		}
	}
	return p;
}

static struct sl_item
access_of(unsigned t, enum act act, unsigned object, unsigned pc)
{
	unsigned kind = act == LOAD ? SL_READ : act == STORE ? SL_WRITE : SL_UPDATE;
	struct sl_item item = does(t, kind, 0x8000 + (object == 1 ? 4 : 0), pc, 0);

	item.size = object == 2 ? 8 : 4;
	item.flags = (uint16_t)((act != STORE ? SL_OP_READS : 0) | (act != LOAD ? SL_OP_WRITES : 0));
	return item;
}

/* The same with a few accesses to eight bytes: object 0, 1: a half of them; 2: all. */
static void
add_accesses(struct program *p, struct sl_rng *rng)
{
	unsigned pc = 1;

	for (unsigned t = 0; t < THREADS; t++) {
		unsigned count = 0, more = 1 + sl_rng_below(rng, 3);

		while (p->steps[t][count].act != STOP)
			count++;
		for (; count && more && count + 1 < STEPS; more--, count++) {
			unsigned at = sl_rng_below(rng, count + 1);

			memmove(&p->steps[t][at + 1], &p->steps[t][at], (count - at) * sizeof(p->steps[t][at]));
			p->steps[t][at].act = LOAD + sl_rng_below(rng, 3);
			p->steps[t][at].object = sl_rng_below(rng, 3);
			p->steps[t][at].pc = pc++;
		}
	}
}

/* The same, but some locks are released only after later ones have been. */
static void
give_later(struct program *p, struct sl_rng *rng)
{
	for (unsigned t = 0; t < THREADS; t++)
		for (unsigned n = 0; n + 1 < STEPS; n++)
			if (p->steps[t][n].act == GIVE && (p->steps[t][n + 1].act == START || p->steps[t][n + 1].act == POST) &&
			    sl_rng_below(rng, 3)) {
				unsigned object = p->steps[t][n].object;

				p->steps[t][n] = p->steps[t][n + 1];
				p->steps[t][n + 1].act = GIVE;
				p->steps[t][n + 1].object = object;
			}
}

/* Performs the thread's next step if possible; the lock that it took, in *item. */
static bool
step(const struct program *p, struct state *s, unsigned t, struct sl_item *item)
{
	unsigned object = p->steps[t][s->at[t]].object, pc = p->steps[t][s->at[t]].pc;

	*item = does(t, SL_YIELD, 0, pc, 0);
	if (t && !s->started[t])
		return false;
	if (s->asleep[t] == 1 || s->asleep[t] == 3)
		return false;
	switch (p->steps[t][s->at[t]].act) {
	case STOP:
		return false;
	case TAKE:
		if (s->owner[object])
			return false;
		s->owner[object] = (uint8_t)(t + 1);
		*item = does(t, SL_MUTEX_LOCK, address[object], pc, 0);
		break;
	case GIVE:
		s->owner[object] = 0;
		*item = does(t, SL_MUTEX_UNLOCK, address[object], 900, 0);
		break;
	case START:
		s->started[object] = 1;
		*item = does(t, SL_CREATE, 0, 901, object);
		break;
	case AWAIT:
		if (!s->started[object] || p->steps[object][s->at[object]].act != STOP || s->asleep[object])
			return false;
		*item = does(t, SL_JOIN, 0, 902, object);
		break;
	case POST:
		*item = does(t, p->set ? SL_SET_POST : SL_SEM_POST, S, 903, p->set ? 0 : s->value);
		s->value++;
		break;
	case PASS:
		if (!s->value)
			return false;
		*item = does(t, p->set ? SL_SET_WAIT : SL_SEM_WAIT, S, 904, p->set ? 0 : s->value);
		s->value--;
		break;
	case MEET:
		*item = does(t, SL_BARRIER_WAIT, S + 64, 905, s->met);
		if (++s->met < p->limit) {
			s->asleep[t] = 3;
			return true;
		}
		s->met = 0;
		for (unsigned k = 0; k < THREADS; k++)
			if (s->asleep[k] == 3)
				s->asleep[k] = 0, s->at[k]++;
		break;
	case WAIT:
		if (!s->asleep[t]) {
			s->owner[object] = 0;
			s->asleep[t] = 1;
			*item = does(t, SL_COND_WAIT, S + 128, pc, address[object]);
			return true;
		}
		if (s->owner[object])
			return false;
		s->owner[object] = (uint8_t)(t + 1);
		s->asleep[t] = 0;
		*item = does(t, SL_COND_RELOCK, address[object], pc, 0);
		break;
	case SIGNAL:
		for (unsigned k = 0; k < THREADS; k++)
			if (s->asleep[k] == 1) {
				s->asleep[k] = 2;
				break; /* at most one thread waits in these programs */
			}
		*item = does(t, SL_COND_SIGNAL, S + 128, 906, 0);
		break;
	case LOAD:
	case STORE:
	case UPDATE:
		*item = access_of(t, p->steps[t][s->at[t]].act, object, pc);
		break;
	}
	s->at[t]++;
	return true;
}

static bool
is_over(const struct program *p, const struct state *s)
{
	for (unsigned t = 0; t < THREADS; t++)
		if ((t == 0 || s->started[t]) && (p->steps[t][s->at[t]].act != STOP || s->asleep[t]))
			return false;
	return true;
}

static bool possible[1024][1024];
#define SEEN (1u << 20)
static struct state *seen;
static uint32_t *seen_used; /* number of the program */
static uint32_t seen_program;
static size_t seen_count;

static bool
remember(const struct state *s)
{
	uint64_t hash = 0;
	const uint8_t *bytes = (const uint8_t *)s;

	for (size_t i = 0; i < sizeof(*s); i++)
		hash = sl_mix(hash + bytes[i]);
	for (size_t at = hash;; at++) {
		size_t slot = at % SEEN;

		if (seen_used[slot] == seen_program && memcmp(&seen[slot], s, sizeof(*s)) == 0)
			return false;
		if (seen_used[slot] == seen_program)
			continue;
		seen_used[slot] = seen_program;
		seen[slot] = *s;
		return ++seen_count < SEEN / 2;
	}
}

/* What it sees of the writes of others, and what it leaves. */
static void
access_half(struct state *s, const struct sl_item *item, unsigned half)
{
	if ((item->flags & SL_OP_READS) && s->wrote[half] && (s->wrote[half] & 3) != item->thread)
		possible[s->wrote[half] >> 2][item->pc] = true;
	if (item->flags & SL_OP_WRITES)
		s->wrote[half] = (uint16_t)(item->pc << 2 | item->thread);
}

/* Does the thread want a lock that another thread has? */
static bool
is_kept_waiting(const struct program *p, const struct state *s, unsigned t)
{
	enum act act = p->steps[t][s->at[t]].act;
	uint8_t owner = s->owner[p->steps[t][s->at[t]].object];

	return (!t || s->started[t]) && ((act == TAKE && !s->asleep[t]) || (act == WAIT && s->asleep[t] == 2)) && owner &&
	       owner != t + 1;
}

/* The pairs that the criterion is about. */
static void
all_from(const struct program *p, const struct state *s, const struct sl_criterion *criterion)
{
	if (!remember(s))
		return;
	for (unsigned t = 0; t < THREADS; t++) {
		struct state next = *s;
		struct sl_item item;

		if (criterion == &sl_criterion_blocked && is_kept_waiting(p, s, t))
			possible[p->steps[t][s->at[t]].pc][s->last[p->steps[t][s->at[t]].object]] = true;
		if (!step(p, &next, t, &item))
			continue;
		for (unsigned half = 0; half < 2 && item.size; half++)
			if (item.object == 0x8000 + 4 * half || item.size == 8)
				access_half(&next, &item, half);
		if (!criterion->accesses && (item.kind == SL_MUTEX_LOCK || item.kind == SL_COND_RELOCK)) {
			unsigned l = (unsigned)(item.object - M) / 64;

			if (next.last[l] && criterion == &sl_criterion_sync_pair)
				possible[next.last[l]][item.pc] = true;
			next.last[l] = (uint16_t)item.pc;
		}
		all_from(p, &next, criterion);
	}
}

/* One execution, at random; false if it deadlocks. */
static bool
run_one(const struct program *p, struct sl_rng *rng, struct trace *trace)
{
	struct state s;
	unsigned idle = 0;

	memset(&s, 0, sizeof(s));
	for (trace->count = 0; !is_over(p, &s) && idle < 200; idle++)
		if (step(p, &s, sl_rng_below(rng, THREADS), &trace->items[trace->count])) {
			trace->count++;
			idle = 0;
		}
	return is_over(p, &s);
}

static void
check_all(const struct sl_criterion *criterion, bool set, size_t most, double share)
{
	size_t programs = 0, feasible = 0, estimated = 0, ruled_out = 0, ordered = 0;

	seen = malloc(SEEN * sizeof(*seen));
	seen_used = calloc(SEEN, sizeof(*seen_used));
	for (uint64_t seed = 0; programs < most; seed++) {
		struct sl_rng rng = {seed};
		struct program p = random_program(&rng);
		struct trace trace = {.count = 0};
		struct state s;
		bool complete = false;

		p.set = set;
		if (criterion->accesses)
			add_accesses(&p, &rng);
		if (criterion == &sl_criterion_blocked)
			give_later(&p, &rng);
		for (int tries = 0; tries < 50 && !complete; tries++)
			complete = run_one(&p, &rng, &trace);
		if (!complete)
			continue;
		seen_program++;
		seen_count = 0;
		memset(possible, 0, sizeof(possible));
		memset(&s, 0, sizeof(s));
		all_from(&p, &s, criterion);
		assert_true(seen_count < SEEN / 2);
		fresh(criterion);
		feed(trace.items, trace.count, false);
		for (unsigned a = 0; a < 64; a++)
			for (unsigned b = 0; b < 64; b++) {
				if (possible[a][b] && !is_estimated(a, b))
					fail_msg("seed %lu: <%u, %u> can be covered, and was ruled out for reason %u", seed, a, b,
						 reason_of(a, b));
				feasible += possible[a][b];
			}
		for (uint32_t n = 1; n <= coverage->requirement_count; n++)
			ordered += coverage->requirements[n].reason >= SL_REASON_BEFORE;
		estimated += coverage->estimated;
		ruled_out += coverage->ruled_out;
		programs++;
	}
	printf("%s: of %zu estimated requirements of %zu programs %zu are infeasible (%.1f %%); %zu were ruled out, %zu of them by "
	       "order\n",
	       criterion->name, estimated, programs, estimated - feasible, 100.0 * (double)(estimated - feasible) / (double)estimated,
	       ruled_out, ordered);
	assert_true(ruled_out > estimated / 50);
	assert_true((double)(estimated - feasible) < share * (double)estimated);
	free(seen);
	free(seen_used);
}

static void
nothing_possible_is_ruled_out(void **unused)
{
	(void)unused;
	check_all(&sl_criterion_sync_pair, false, 2000, 0.03);
}

static void
no_use_is_ruled_out(void **unused)
{
	(void)unused;
	check_all(&sl_criterion_def_use, false, 1000, 0.1);
}

static void
no_wait_is_ruled_out(void **unused)
{
	(void)unused;
	check_all(&sl_criterion_blocked, false, 2000, 0.1);
}

/* The estimate does not know which orders semop() makes: then it rules out less, and nothing that can be covered. */
static void
nothing_possible_is_ruled_out_beside_semaphore_sets(void **unused)
{
	(void)unused;
	check_all(&sl_criterion_sync_pair, true, 2000, 0.1);
	check_all(&sl_criterion_def_use, true, 1000, 0.1);
	check_all(&sl_criterion_blocked, true, 2000, 0.1);
}

/* A thread that creates another while it holds the lock can keep it waiting; one that has released the lock before can't. */
static void
who_still_has_the_lock_keeps_others_waiting(void **unused)
{
	const struct sl_item trace[] = {LOCK(0, L, 1),  UNLOCK(0, L),  LOCK(0, M, 2), CREATE(0, 1),   UNLOCK(0, M),
					LOCK(1, M, 10), UNLOCK(1, M),  LOCK(1, L, 11), UNLOCK(1, L),  JOIN(0, 1)};

	(void)unused;
	fresh(&sl_criterion_blocked);
	feed(trace, COUNT(trace), false);
	assert_true(is_estimated(10, 2));
	assert_int_equal(reason_of(2, 10), SL_REASON_AFTER);
	assert_int_equal(reason_of(11, 1), SL_REASON_AFTER);
	assert_int_equal(reason_of(1, 11), SL_REASON_AFTER);
	assert_int_equal(coverage->estimated, 1);
}

/* A thread that only tries to take a lock may have it when another one comes, but never waits for it. */
static void
who_only_tries_does_not_wait(void **unused)
{
	const struct sl_item trace[] = {
		CREATE(0, 1),
		{.kind = SL_MUTEX_TRYLOCK, .object = L, .pc = 1},
		UNLOCK(0, L),
		{.kind = SL_RW_WRLOCK, .flags = SL_ITEM_TRIED, .object = M, .pc = 2}, /* trywrlock */
		{.kind = SL_RW_UNLOCK, .object = M},
		LOCK(1, L, 11),
		UNLOCK(1, L),
		{.kind = SL_RW_WRLOCK, .thread = 1, .object = M, .pc = 12},
		{.kind = SL_RW_UNLOCK, .thread = 1, .object = M},
		JOIN(0, 1),
	};

	(void)unused;
	fresh(&sl_criterion_blocked);
	feed(trace, COUNT(trace), false);
	assert_true(is_estimated(11, 1));
	assert_true(is_estimated(12, 2));
	assert_int_equal(reason_of(1, 11), SL_REASON_TRIES);
	assert_int_equal(reason_of(2, 12), SL_REASON_TRIES);
	assert_int_equal(coverage->estimated, 2);
}

/* Readers hold a lock together, each as often as it has taken it; a writer waits for all that have it, and no other. */
static void
who_writes_waits_for_all_readers(void **unused)
{
	enum { READERS = 100, PLACE = 100, WRITER = 500 };
	struct sl_item trace[4 * READERS];
	size_t n = 0;

	(void)unused;
	for (uint32_t t = 1; t <= READERS; t++) {
		trace[n++] = does(t, SL_RW_RDLOCK, L, PLACE + t, 0);
		if (t % 3 == 0) /* a further level */
			trace[n++] = does(t, SL_RW_RDLOCK, L, PLACE + READERS + t, 0);
	}
	for (uint32_t t = 1; t <= READERS; t++)
		if (t % 2)
			trace[n++] = does(t, SL_RW_UNLOCK, L, 900, 0);
	trace[n++] = (struct sl_item){.kind = SL_ITEM_REQUEST, .size = SL_RW_WRLOCK, .object = L, .pc = WRITER};
	fresh(&sl_criterion_blocked);
	feed(trace, n, true);
	for (uint32_t t = 1; t <= READERS; t++) /* an odd one has given a level back: it still reads if it had two */
		assert_int_equal(!!(state_of(WRITER, PLACE + t) & SL_COVER_COVERED), t % 2 == 0 || t % 3 == 0);
	assert_int_equal(coverage->covered, READERS / 2 + 17);
	assert_int_equal(coverage->lost, 0);
}

/* ---- saturation ---- */

/* It stops where coverage grows by chance only, and not where it grows linearly, or has not had the time. */
static void
it_is_saturated_when_nothing_grows(void **unused)
{
	enum { WINDOW = 160 };

	(void)unused;
	fresh(&sl_criterion_sync_pair);
	for (unsigned i = 0; i < 40; i++)
		coverage->growth[i] = (struct sl_growth){.execution = 10 * i + 1, .covered = i + 1, .nanoseconds = 1000 * i + 500};
	coverage->growth_count = 40; /* each tenth execution up to 391 covers one more */
	for (coverage->execution = 0; coverage->execution <= 391; coverage->execution++)
		assert_false(sl_coverage_is_saturated(coverage, WINDOW, 0, 0, 0.1));
	assert_int_equal(coverage->saturated, 0);
	coverage->execution = 561; /* nothing new in the window: looked at every 11th */
	assert_true(sl_coverage_is_saturated(coverage, WINDOW, 0, 0, 0.1));
	assert_int_equal(coverage->saturated, 561);
	coverage->execution = 562;
	assert_false(sl_coverage_is_saturated(coverage, WINDOW, 0, 0, 0.1));
	/* by time: a window that is not over yet, one that grows, one that does not */
	coverage->execution = 5 * 100;
	assert_false(sl_coverage_is_saturated(coverage, 0, 20000, 20499, 0.1));
	assert_false(sl_coverage_is_saturated(coverage, 0, 20000, 30000, 0.1));
	assert_true(sl_coverage_is_saturated(coverage, 0, 20000, 60000, 0.1));
	/* before the first execution there is nothing to say */
	coverage->execution = 0;
	assert_false(sl_coverage_is_saturated(coverage, 0, 20000, 60000, 0.1));
}


static void
saturation_equals_regression(void **unused)
{
	struct sl_rng rng = {7};

	(void)unused;
	for (int n = 0; n < 200; n++) {
		struct sl_growth growth[20];
		unsigned count = sl_rng_below(&rng, 20), y = 0, window = 100 + sl_rng_below(&rng, 900);
		uint64_t x = 0, to;
		double sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0, points = 0, r2, slope;

		for (unsigned i = 0; i < count; i++)
			growth[i] = (struct sl_growth){.execution = x += 1 + sl_rng_below(&rng, 80),
						       .covered = y += 1 + sl_rng_below(&rng, 9)};
		to = x + sl_rng_below(&rng, window);
		for (double at = (double)to - window + 0.01; at < (double)to; at += 0.02) {
			double value = 0;

			for (unsigned i = 0; i < count && (double)growth[i].execution <= at; i++)
				value = growth[i].covered;
			points++, sx += at, sy += value, sxx += at * at, sxy += at * value, syy += value * value;
		}
		slope = (sxy - sx * sy / points) / (sxx - sx * sx / points);
		r2 = syy - sy * sy / points < 1e-6 ? 0
						   : slope * slope * (sxx - sx * sx / points) / (syy - sy * sy / points);
		assert_true(r2 - sl_saturation(growth, count, (double)to - window, (double)to, false) < 0.01);
		assert_true(r2 - sl_saturation(growth, count, (double)to - window, (double)to, false) > -0.01);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_threads_have_ten_requirements),
		cmocka_unit_test(locks_held_without_a_break_exclude),
		cmocka_unit_test(read_locks_do_not_exclude_each_other),
		cmocka_unit_test(order_excludes),
		cmocka_unit_test(barriers_and_semaphores_order),
		cmocka_unit_test(who_signals_takes_the_mutex),
		cmocka_unit_test(a_wait_with_a_time_limit_needs_nobody),
		cmocka_unit_test(an_initialised_mutex_is_another_one),
		cmocka_unit_test(a_lock_in_memory_that_was_freed_is_another_one),
		cmocka_unit_test(places_that_meet_late_are_estimated),
		cmocka_unit_test(the_nearest_attempt_is_kept),
		cmocka_unit_test(criteria_equal_their_definitions),
		cmocka_unit_test(nothing_possible_is_ruled_out),
		cmocka_unit_test(no_use_is_ruled_out),
		cmocka_unit_test(no_wait_is_ruled_out),
		cmocka_unit_test(who_still_has_the_lock_keeps_others_waiting),
		cmocka_unit_test(nothing_possible_is_ruled_out_beside_semaphore_sets),
		cmocka_unit_test(who_only_tries_does_not_wait),
		cmocka_unit_test(who_writes_waits_for_all_readers),
		cmocka_unit_test(it_is_saturated_when_nothing_grows),
		cmocka_unit_test(saturation_equals_regression),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
