/*
 * Raw futexes: the comparison and going to sleep are one operation, a wake that
 * comes too early is lost, which waiter it wakes is open; requeueing, bit sets, time
 * limits, errors. Unless noted otherwise, the words are only accessed atomically.
 */
#include "outcome.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>

static atomic_uint a ALONE, b ALONE;
static int r1 ALONE, r2 ALONE, r3 ALONE;

static long futex(atomic_uint *word, int op, unsigned value, const void *limit, atomic_uint *word2, unsigned value3)
{
	return syscall(SYS_futex, word, op, value, limit, word2, value3);
}
/* 0, or the error */
static int wait_on(atomic_uint *word, unsigned value)
{
	return futex(word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0) ? errno : 0;
}
static int wake(atomic_uint *word, int count)
{
	return (int)futex(word, FUTEX_WAKE_PRIVATE, (unsigned)count, NULL, NULL, 0);
}

/* ---- one waits, one wakes ---- */

THREAD(waits) { r1 = wait_on(&a, 0); }
THREAD(sets_and_wakes) { atomic_store(&a, 1); r2 = wake(&a, 1); }
/* W | S K: WSK sleeps and is woken; SWK and SKW see the change. 3 */
static void wait_and_wake(void) { RUN(waits, sets_and_wakes); OUTCOME("%s woken=%d", r1 == EAGAIN ? "again" : r1 ? "?" : "slept", r2); }

/* Without the store a wake that comes first is lost: a deadlock in one of two. */
THREAD(wakes) { r2 = wake(&a, 1); }
static void early_wake(void) { RUN(waits, wakes); OUTCOME("%d %d", r1, r2); }

/* ---- a lock as in "Futexes are tricky": 0 free, 1 taken, 2 taken and there may be waiters ---- */

static int counter ALONE;
static void lock(void)
{
	unsigned c = 0;

	if (atomic_compare_exchange_strong(&a, &c, 1))
		return;
	if (c != 2)
		c = atomic_exchange(&a, 2);
	while (c) {
		wait_on(&a, 2);
		c = atomic_exchange(&a, 2);
	}
}
static void unlock(void)
{
	if (atomic_fetch_sub(&a, 1) != 1) {
		atomic_store(&a, 0);
		wake(&a, 1);
	}
}
THREAD(adds)
{
	lock();
	counter++;
	unlock();
}
static void mutual_exclusion(void) { RUN(adds, adds); OUTCOME("%d", counter); }
static void three_adders(void) { RUN(adds, adds, adds); OUTCOME("%d", counter); }
/* forgets that there may be a waiter, which then waits for ever */
THREAD(adds_and_forgets)
{
	lock();
	counter++;
	atomic_store(&a, 0);
}
static void forgets_to_wake(void) { RUN(adds, adds_and_forgets); OUTCOME("%d", counter); }

/* ---- which waiter a wake wakes ---- */

/* Moves one sleeper from a to b, which shows that there is one, and sleeps behind it; then a thread wakes one on
 * b: the second may be the first. (If there was none, it changes a, so that the other does not sleep for ever.) */
static atomic_uint first ALONE;
THREAD(sleeps_first)
{
	unsigned none = 0;

	if (wait_on(&a, 0) == 0)
		atomic_compare_exchange_strong(&first, &none, (unsigned)self);
}
THREAD(sleeps_behind)
{
	unsigned none = 0;

	r2 = (int)futex(&a, FUTEX_CMP_REQUEUE, 0, (void *)1, &b, 0);
	atomic_store(&a, 1);
	if (r2 == 1 && wait_on(&b, 0) == 0)
		atomic_compare_exchange_strong(&first, &none, (unsigned)self);
	wake(&a, 1);
}
THREAD(wakes_twice)
{
	r1 = wake(&b, 1);
	atomic_store(&b, 1);
	r3 = wake(&b, 9);
}
static void any_waiter(void)
{
	RUN(sleeps_first, sleeps_behind, wakes_twice);
	if (r2 == 1 && r1 == 1 && r3 == 1) /* both slept on b, or one after the other */
		OUTCOME("first %u", atomic_load(&first));
}

/* Any two of three sleepers: the two that continued before b was set. */
static int set ALONE;
static void *sleeps(void *n)
{
	if (wait_on(&a, 0) == 0 && !atomic_load(&b))
		__atomic_fetch_or(&set, 1 << (uintptr_t)n, __ATOMIC_SEQ_CST);
	return NULL;
}
static void two_of_three(void)
{
	pthread_t t[3];

	for (uintptr_t i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, sleeps, (void *)i);
	r1 = wake(&a, 2);
	atomic_store(&b, 1);
	atomic_store(&a, 1);
	wake(&a, 9);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	if (r1 == 2 && __builtin_popcount((unsigned)set) == 2)
		OUTCOME("%d", set);
	else
		OUTCOME("fewer");
}

/* ---- bit sets ---- */

THREAD(waits_for_bit) { r1 = futex(&a, FUTEX_WAIT_BITSET, 0, NULL, NULL, (unsigned)self) ? errno : 0; }
THREAD(wakes_other_bit) { r2 = (int)futex(&a, FUTEX_WAKE_BITSET, INT_MAX, NULL, NULL, 2); }
THREAD(wakes_all_bits) { atomic_store(&a, 1); r3 = (int)futex(&a, FUTEX_WAKE_BITSET, INT_MAX, NULL, NULL, 3); }
static void bits(void)
{
	RUN(waits_for_bit, wakes_other_bit, wakes_all_bits);
	OUTCOME("%s other=%d all=%d", r1 ? "again" : "slept", r2, r3);
}

/* ---- requeueing: a wait on a becomes a wait on b ---- */

THREAD(moves)
{
	r2 = (int)futex(&a, FUTEX_CMP_REQUEUE_PRIVATE, 0, (void *)1, &b, 0);
	atomic_store(&a, 1);
	r3 = wake(&a, 9) * 10 + wake(&b, 9);
}
static void requeues(void) { RUN(waits, moves); OUTCOME("%s moved=%d woken=%d", r1 ? "again" : "slept", r2, r3); }
/* two sleep, one is woken and one moved: which is open */
THREAD(waits_2) { r2 = wait_on(&a, 0) ? 8 : 1; }
THREAD(waits_1) { r1 = wait_on(&a, 0) ? 8 : 1; }
THREAD(requeues_plainly)
{
	int moved = (int)futex(&a, FUTEX_REQUEUE_PRIVATE, 1, (void *)1, &b, 0);

	atomic_store(&a, 1);
	r3 = moved * 100 + wake(&a, 9) * 10 + wake(&b, 9);
}
static void requeues_two(void) { RUN(waits_1, waits_2, requeues_plainly); OUTCOME("%d %d %d", r1, r2, r3); }
THREAD(do_compares_first)
{
	atomic_store(&a, 7);
	r1 = (int)futex(&a, FUTEX_CMP_REQUEUE, 1, (void *)1, &b, 6);
	r2 = errno == EAGAIN;
	r3 = (int)futex(&a, FUTEX_CMP_REQUEUE, 1, (void *)1, &b, 7);
	OUTCOME("%d %d %d", r1, r2, r3);
}
static void compares_first(void) { RUN(do_compares_first); }

/* ---- FUTEX_WAKE_OP ---- */

static atomic_int c ALONE;
THREAD(do_operations)
{
	static const struct {
		int op, argument, cmp, compared, before, after;
	} cases[] = {
		{FUTEX_OP_SET, 5, FUTEX_OP_CMP_EQ, 0, 3, 5},
		{FUTEX_OP_ADD, -2, FUTEX_OP_CMP_EQ, 0, 3, 1},
		{FUTEX_OP_OR, 12, FUTEX_OP_CMP_EQ, 0, 5, 13},
		{FUTEX_OP_ANDN, 4, FUTEX_OP_CMP_EQ, 0, 7, 3},
		{FUTEX_OP_XOR, 6, FUTEX_OP_CMP_EQ, 0, 3, 5},
		{FUTEX_OP_OR | FUTEX_OP_OPARG_SHIFT, 4, FUTEX_OP_CMP_EQ, 0, 1, 17},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		atomic_store(&c, cases[i].before);
		r1 += syscall(SYS_futex, &a, FUTEX_WAKE_OP, 1, (void *)1, &c,
			      FUTEX_OP(cases[i].op, cases[i].argument, cases[i].cmp, cases[i].compared)) == 0 &&
		      atomic_load(&c) == cases[i].after;
	}
	OUTCOME("%d", r1);
}
static void operations(void) { RUN(do_operations); }
/* releases the "lock" b and wakes on a; on b only if it was 2 */
THREAD(wakes_both) { r3 = (int)futex(&a, FUTEX_WAKE_OP_PRIVATE, 1, (void *)1, &b, FUTEX_OP(FUTEX_OP_SET, 0, FUTEX_OP_CMP_GT, 1)); }
THREAD(waits_b) { r2 = wait_on(&b, 2) ? 8 : 1; }
static void wakes_op(void)
{
	atomic_store(&b, 2);
	RUN(waits_b, wakes_both);
	OUTCOME("%d %d", r2, r3);
}

/* ---- time limits ---- */

static int64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec;
}
THREAD(waits_5_s)
{
	struct timespec limit = {5, 0};
	int64_t start = now(CLOCK_MONOTONIC);

	r1 = futex(&a, FUTEX_WAIT, 0, &limit, NULL, 0) ? errno : 0;
	if (r1 == ETIMEDOUT && now(CLOCK_MONOTONIC) - start < 5)
		r1 = -1;
}
static const char *how(int r) { return r == ETIMEDOUT ? "late" : r == EAGAIN ? "again" : r ? "?" : "slept"; }
static void time_limit(void) { RUN(waits_5_s, sets_and_wakes); OUTCOME("%s woken=%d", how(r1), r2); }
static void only_time(void) { RUN(waits_5_s); OUTCOME("%s", how(r1)); }
THREAD(do_absolute)
{
	struct timespec limit;
	int64_t start = now(CLOCK_MONOTONIC);

	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += 7;
	r1 = futex(&a, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &limit, NULL, FUTEX_BITSET_MATCH_ANY) ? errno : 0;
	r2 = now(CLOCK_MONOTONIC) - start >= 7;
	clock_gettime(CLOCK_MONOTONIC, &limit);
	limit.tv_sec += 9;
	start = now(CLOCK_MONOTONIC);
	r3 = futex(&a, FUTEX_WAIT_BITSET, 0, &limit, NULL, FUTEX_BITSET_MATCH_ANY) ? errno : 0;
	OUTCOME("%s %d, %s %d", how(r1), r2, how(r3), now(CLOCK_MONOTONIC) - start >= 9);
}
static void absolute(void) { RUN(do_absolute); }

/* ---- errors ---- */

static int error_of(long result) { return result == -1 ? errno : 0; }
THREAD(do_errors)
{
	struct timespec bad = {0, 1000000000}, zero = {0, 0};
	char *odd = (char *)&a + 1;

	r1 = error_of(syscall(SYS_futex, &a, FUTEX_WAIT, 0, &bad, NULL, 0)) == EINVAL;
	r1 += error_of(syscall(SYS_futex, odd, FUTEX_WAIT, 0, &zero, NULL, 0)) == EINVAL;
	r1 += error_of(syscall(SYS_futex, &a, FUTEX_WAIT_BITSET, 0, &zero, NULL, 0)) == EINVAL;
	r1 += error_of(syscall(SYS_futex, &a, FUTEX_WAKE_BITSET, 1, NULL, NULL, 0)) == EINVAL;
	r1 += error_of(syscall(SYS_futex, NULL, FUTEX_WAIT, 0, &zero, NULL, 0)) == EFAULT;
	r1 += error_of(syscall(SYS_futex, &a, FUTEX_WAKE | FUTEX_CLOCK_REALTIME, 1, NULL, NULL, 0)) == ENOSYS;
	r1 += error_of(syscall(SYS_futex, &a, 99, 1, NULL, NULL, 0)) == ENOSYS;
	r1 += error_of(syscall(SYS_futex, &a, FUTEX_WAIT, 0, &zero, NULL, 0)) == ETIMEDOUT;
	r1 += error_of(syscall(SYS_futex, &a, FUTEX_WAIT, 1, &zero, NULL, 0)) == EAGAIN;
	OUTCOME("%d", r1);
}
static void errors(void) { RUN(do_errors); }

/* ---- by itself ---- */

static void spurious(void) { RUN(waits, sets_and_wakes); OUTCOME("%s woken=%d", r1 ? "again" : "slept", r2); }
static void no_end(void) { RUN(adds, adds); OUTCOME("%d", counter); }

/* A wake alone orders nothing: data before it and after the wait races, unless the word orders it. */
static int data ALONE;
THREAD(reads_data)
{
	while (!atomic_load_explicit(&a, memory_order_relaxed))
		wait_on(&a, 0);
	r1 = data;
}
THREAD(writes_data)
{
	data = 1;
	atomic_store_explicit(&a, 1, memory_order_relaxed);
	wake(&a, 1);
}
static void wake_orders_nothing(void) { RUN(reads_data, writes_data); OUTCOME("%d", r1); }
THREAD(reads_data_properly)
{
	while (!atomic_load(&a))
		wait_on(&a, 0);
	r1 = data;
}
THREAD(writes_data_properly)
{
	data = 1;
	atomic_store(&a, 1);
	wake(&a, 1);
}
static void word_orders(void) { RUN(reads_data_properly, writes_data_properly); OUTCOME("%d", r1); }

int main(void)
{
	EXPECT_N(wait_and_wake, 3, "slept woken=1", "again woken=0");
	EXPECT_FINDING(early_wake, "deadlock", "0 1");
	EXPECT(mutual_exclusion, "2");
	EXPECT_SOME(three_adders, 20000, "3");
	EXPECT_FINDING(forgets_to_wake, "deadlock", "2");
	EXPECT_FINDING(any_waiter, "deadlock", "first 1", "first 2"); /* moved to b after the last wake on b */
	EXPECT(two_of_three, "3", "5", "6", "fewer");
	EXPECT(bits, "slept other=0 all=1", "again other=0 all=0");
	EXPECT(requeues, "slept moved=1 woken=1", "slept moved=0 woken=10", "again moved=0 woken=0");
	EXPECT(requeues_two, "1 1 101", "1 1 110", "1 1 20", "1 8 100", "8 1 100", "1 8 10", "8 1 10", "8 8 0");
	EXPECT(compares_first, "-1 1 0");
	EXPECT(operations, "6");
	EXPECT(wakes_op, "1 1", "8 0");
	EXPECT(time_limit, "slept woken=1", "again woken=0", "late woken=0");
	EXPECT_N(only_time, 1, "late");
	EXPECT_N(absolute, 1, "late 1, late 1");
	EXPECT_N(errors, 1, "9");
	/* not woken: the wake finds no waiter then */
	EXPECT_SPURIOUS(spurious, 4, "slept woken=1", "slept woken=0", "again woken=0");
	EXPECT_SPURIOUS(no_end, 0, "2");
	EXPECT_WITH(wake_orders_nothing, 0, "race", OPTIONS(.races = SLEAVE_RACES_FIND, .keep_going = 1), "1");
	EXPECT(word_orders, "1");
	return done();
}
