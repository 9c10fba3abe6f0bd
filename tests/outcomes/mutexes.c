/*
 * Mutexes and spin locks. A lock is a point of choice; an unlock only where a thread may look
 * without blocking (trylock, a time limit). Two sections of n and m locks have (n+m)!/(n!m!) orders.
 */
#include "outcome.h"

static pthread_mutex_t m ALONE = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t n ALONE = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive ALONE = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checking ALONE = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t held ALONE = PTHREAD_MUTEX_INITIALIZER; /* locked by main before exploring */
static pthread_spinlock_t spin ALONE;
static volatile int shared ALONE;
static int x ALONE, r1 ALONE, r2 ALONE, r3 ALONE;
static char order[16] ALONE;
static int at ALONE;

static void letter(int c) { order[at++] = (char)c; }

static struct timespec in(int seconds)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += seconds;
	return t;
}

/* ---- exclusion ---- */

THREAD(locked_add) { pthread_mutex_lock(&m); int v = x; x = v + 1; letter('0' + self); pthread_mutex_unlock(&m); }
static void exclusion_of_two(void) { RUN(locked_add, locked_add); OUTCOME("%d %s", x, order); }
static void exclusion_of_three(void) { RUN(locked_add, locked_add, locked_add); OUTCOME("%d %s", x, order); }

THREAD(locked_twice)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&m);
		letter('0' + self);
		pthread_mutex_unlock(&m);
	}
}
static void two_sections_each(void) { RUN(locked_twice, locked_twice); OUTCOME("%s", order); }

/* A thread that does not take the lock sees every stage: lock w w | r: 4 positions, 3 values. */
THREAD(two_stages) { pthread_mutex_lock(&m); shared = 1; shared = 2; pthread_mutex_unlock(&m); }
THREAD(looks) { r1 = shared; }
static void lock_does_not_bind_others(void) { RUN(two_stages, looks); OUTCOME("%d", r1); }

/* Different mutexes do not exclude each other: the update is lost. */
THREAD(add_under_m) { pthread_mutex_lock(&m); shared++; pthread_mutex_unlock(&m); }
THREAD(add_under_n) { pthread_mutex_lock(&n); shared++; pthread_mutex_unlock(&n); }
static void different_mutexes(void) { RUN(add_under_m, add_under_n); OUTCOME("%d", shared); }

/* ---- two mutexes ---- */

THREAD(m_then_n)
{
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&n);
	letter('0' + self);
	pthread_mutex_unlock(&n);
	pthread_mutex_unlock(&m);
}
THREAD(n_then_m)
{
	pthread_mutex_lock(&n);
	pthread_mutex_lock(&m);
	letter('0' + self);
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&n);
}
static void same_order(void) { RUN(m_then_n, m_then_n); OUTCOME("%s", order); }
static void opposite_orders(void) { RUN(m_then_n, n_then_m); OUTCOME("%s", order); }

/* ---- kinds ---- */

/* Nested locks of a recursive mutex are not visible to other threads: 2 orders. */
THREAD(nested)
{
	int bad = pthread_mutex_lock(&recursive) || pthread_mutex_lock(&recursive) || pthread_mutex_trylock(&recursive);

	letter('0' + self);
	bad |= pthread_mutex_unlock(&recursive) || pthread_mutex_unlock(&recursive);
	letter('0' + self);
	r1 += bad;
	bad = pthread_mutex_unlock(&recursive);
	*(self == 1 ? &r2 : &r3) = bad * 1000 + pthread_mutex_unlock(&recursive);
}
static void recursive_kind(void) { RUN(nested, nested); OUTCOME("%s %d %d %d", order, r1, r2 == EPERM, r3 == EPERM); }

/* An error-checking mutex returns an error instead of deadlocking with its owner, and other threads cannot unlock it. */
THREAD(checks)
{
	pthread_mutex_lock(&checking);
	r1 = pthread_mutex_lock(&checking);
	r2 = pthread_mutex_trylock(&checking);
	pthread_mutex_unlock(&checking);
	r3 = pthread_mutex_unlock(&checking);
}
static void errorcheck_kind(void)
{
	RUN(checks);
	OUTCOME("%d %d %d", r1 == EDEADLK, r2 == EBUSY, r3 == EPERM);
}

THREAD(stranger) { r1 = pthread_mutex_unlock(&checking); }
static void stranger_unlocks(void)
{
	pthread_mutex_lock(&checking);
	RUN(stranger);
	r2 = pthread_mutex_unlock(&checking);
	OUTCOME("%d %d", r1 == EPERM, r2);
}

/* A normal one deadlocks with its own owner. */
THREAD(waits_for_itself) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); }
static void normal_kind(void) { RUN(waits_for_itself); OUTCOME("not reached"); }

/* Made at run time, with attributes. */
static pthread_mutex_t *made;
static void *adds_twice(__attribute__((unused)) void *p)
{
	pthread_mutex_lock(made);
	pthread_mutex_lock(made);
	x++;
	pthread_mutex_unlock(made);
	pthread_mutex_unlock(made);
	return NULL;
}
static void made_at_run_time(void)
{
	pthread_mutexattr_t a;
	int answer;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
	made = malloc(sizeof(*made));
	pthread_mutex_init(made, &a);
	RUN(adds_twice, adds_twice);
	answer = pthread_mutex_destroy(made);
	free(made);
	OUTCOME("%d %d", x, answer);
}

/* ---- without blocking, and with a limit ---- */

/* T1: L U; T2: t (and u if it got it). t u L U, L t U, L U t u: between t and u T1 can't go. */
THREAD(lock_unlock) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }
THREAD(tries)
{
	r1 = pthread_mutex_trylock(&m);
	if (!r1)
		pthread_mutex_unlock(&m);
}
static void trylock(void) { RUN(lock_unlock, tries); OUTCOME("%s", r1 == 0 ? "got" : r1 == EBUSY ? "busy" : "?"); }

/* Both only try: they can both get it, one after the other, or one finds it busy; never both busy. */
THREAD(tries_2)
{
	r2 = pthread_mutex_trylock(&m);
	if (!r2)
		pthread_mutex_unlock(&m);
}
static void both_try(void) { RUN(tries, tries_2); OUTCOME("%d%d", r1 == EBUSY, r2 == EBUSY); }

THREAD(limited)
{
	struct timespec limit = in(1);

	r1 = pthread_mutex_timedlock(&m, &limit);
	if (!r1)
		pthread_mutex_unlock(&m);
}
static void timedlock(void)
{
	RUN(lock_unlock, limited);
	OUTCOME("%s", r1 == 0 ? "got" : r1 == ETIMEDOUT ? "late" : "?");
}

/* Never released: the limit is the only way out; an hour costs nothing and has passed. */
THREAD(limited_for_an_hour)
{
	struct timespec limit = in(3600), now;

	r1 = pthread_mutex_timedlock(&m, &limit);
	clock_gettime(CLOCK_REALTIME, &now);
	r2 = now.tv_sec > limit.tv_sec || (now.tv_sec == limit.tv_sec && now.tv_nsec >= limit.tv_nsec);
}
static void limit_is_the_way_out(void)
{
	pthread_mutex_lock(&m);
	RUN(limited_for_an_hour);
	pthread_mutex_unlock(&m);
	OUTCOME("%d %d", r1 == ETIMEDOUT, r2);
}

/* No other thread wants it: a limit, even one in the past, does not matter. */
THREAD(limited_in_the_past)
{
	struct timespec limit = in(-10);

	r1 = pthread_mutex_timedlock(&m, &limit);
	pthread_mutex_unlock(&m);
}
static void limit_does_not_matter(void) { RUN(limited_in_the_past); OUTCOME("%d", r1); }

/* Opposite orders with a time limit: no deadlock; at least one gets both, at most one gives up … or both do. */
#define WITH_LIMIT(name, first, second, result)                                                              \
	THREAD(name)                                                                                         \
	{                                                                                                    \
		struct timespec limit = in(1);                                                               \
		pthread_mutex_lock(&first);                                                                  \
		result = pthread_mutex_timedlock(&second, &limit);                                           \
		if (!result)                                                                                 \
			pthread_mutex_unlock(&second);                                                       \
		pthread_mutex_unlock(&first);                                                                \
	}
WITH_LIMIT(limit_1, m, n, r1)
WITH_LIMIT(limit_2, n, m, r2)
static void opposite_orders_with_limit(void)
{
	RUN(limit_1, limit_2);
	OUTCOME("%d%d", r1 == ETIMEDOUT, r2 == ETIMEDOUT);
}

/* Held since before the exploration: by the first thread, which releases it. */
THREAD(takes_held) { pthread_mutex_lock(&held); letter('t'); pthread_mutex_unlock(&held); }
static void held_from_before(void)
{
	pthread_t t;

	pthread_create(&t, NULL, takes_held, NULL);
	letter('m');
	pthread_mutex_unlock(&held);
	pthread_join(t, NULL);
	OUTCOME("%s", order);
}

/* ---- spin locks ---- */

THREAD(spin_add) { pthread_spin_lock(&spin); x++; letter('0' + self); pthread_spin_unlock(&spin); }
static void spin_locks(void)
{
	pthread_spin_init(&spin, 0);
	RUN(spin_add, spin_add, spin_add);
	OUTCOME("%d %s", x, order);
}

THREAD(spin_lock_unlock) { pthread_spin_lock(&spin); pthread_spin_unlock(&spin); }
THREAD(spin_tries)
{
	r1 = pthread_spin_trylock(&spin);
	if (!r1)
		pthread_spin_unlock(&spin);
}
static void spin_trylock(void)
{
	pthread_spin_init(&spin, 0);
	RUN(spin_lock_unlock, spin_tries);
	OUTCOME("%s", r1 == 0 ? "got" : r1 == EBUSY ? "busy" : "?");
}

int main(void)
{
	EXPECT_N(exclusion_of_two, 2, "2 12", "2 21");
	EXPECT_N(exclusion_of_three, 6, "3 123", "3 132", "3 213", "3 231", "3 312", "3 321");
	EXPECT_N(two_sections_each, 6, "1122", "1212", "1221", "2112", "2121", "2211");
	RACY_N(lock_does_not_bind_others, 3, "0", "1", "2");
	RACY(different_mutexes, "1", "2");
	EXPECT(same_order, "12", "21");
	EXPECT_FINDING(opposite_orders, "deadlock", "12", "21");
	EXPECT(recursive_kind, "1122 0 1 1", "2211 0 1 1");
	EXPECT_N(errorcheck_kind, 1, "1 1 1");
	EXPECT(stranger_unlocks, "1 0");
	EXPECT_FINDING(normal_kind, "deadlock", NULL);
	EXPECT_N(made_at_run_time, 2, "2 0");
	EXPECT_N(trylock, 3, "got", "busy");
	EXPECT(both_try, "00", "01", "10");
	EXPECT(timedlock, "got", "late");
	EXPECT(limit_is_the_way_out, "1 1");
	EXPECT(limit_does_not_matter, "0");
	EXPECT(opposite_orders_with_limit, "00", "01", "10", "11");
	pthread_mutex_lock(&held);
	EXPECT(held_from_before, "mt");
	pthread_mutex_unlock(&held);
	EXPECT_N(spin_locks, 6, "3 123", "3 132", "3 213", "3 231", "3 312", "3 321");
	EXPECT_N(spin_trylock, 3, "got", "busy");
	return done();
}
