/*
 * C11 threads: the same as POSIX threads under other names, with thrd_… results.
 */
#include "outcome.h"

#include <stdatomic.h>
#include <threads.h>

static mtx_t m ALONE, n ALONE;
static cnd_t c ALONE;
static once_flag once ALONE = ONCE_FLAG_INIT;
static tss_t key ALONE;
static int x ALONE, r1 ALONE, r2 ALONE;
static char order[8] ALONE;
static int at ALONE;

#define RUN2(f, g)                                                                                           \
	do {                                                                                                 \
		thrd_t t_, u_;                                                                               \
		if (thrd_create(&t_, f, (void *)1) != thrd_success || thrd_create(&u_, g, (void *)2) != thrd_success) \
			abort();                                                                             \
		if (thrd_join(t_, &r1) != thrd_success || thrd_join(u_, &r2) != thrd_success)                \
			abort();                                                                             \
	} while (0)

/* ---- results of threads ---- */

static int returns(void *self) { return -(int)(intptr_t)self; }
static int leaves(void *self) { thrd_exit(40 + (int)(intptr_t)self); }
static void results(void) { RUN2(returns, leaves); OUTCOME("%d %d", r1, r2); }
static int who(void *other) { return thrd_equal(thrd_current(), *(thrd_t *)other); }
static void identity(void)
{
	thrd_t me = thrd_current(), t;
	int same;

	thrd_create(&t, who, &me);
	thrd_join(t, &same);
	OUTCOME("%d %d", same, thrd_equal(thrd_current(), me) != 0);
}
static atomic_int gone ALONE;
static int detached(void *a) { (void)a; atomic_store(&gone, 1); return 0; }
static void detach(void)
{
	thrd_t t;

	thrd_create(&t, detached, NULL);
	r1 = thrd_detach(t) == thrd_success;
	while (!atomic_load(&gone))
		thrd_yield();
	OUTCOME("%d", r1);
}

/* ---- mutexes ---- */

static int adds(void *self)
{
	mtx_lock(&m);
	order[at++] = (char)('0' + (int)(intptr_t)self);
	mtx_unlock(&m);
	return 0;
}
/* L | L: 2 */
static void locked(void)
{
	mtx_init(&m, mtx_plain);
	RUN2(adds, adds);
	mtx_destroy(&m);
	OUTCOME("%s", order);
}
static int holds(void *a) { (void)a; mtx_lock(&m); mtx_unlock(&m); return 0; }
static int tries(void *a)
{
	int r = mtx_trylock(&m);

	(void)a;
	if (r == thrd_success)
		mtx_unlock(&m);
	return r == thrd_busy ? 1 : r == thrd_success ? 0 : 2;
}
static void trylock(void) { mtx_init(&m, mtx_plain); RUN2(holds, tries); OUTCOME("busy=%d", r2); }
static int recurses(void *a)
{
	int good = mtx_lock(&n) == thrd_success;

	(void)a;
	good += mtx_lock(&n) == thrd_success;
	good += mtx_trylock(&n) == thrd_success;
	x++;
	for (int i = 0; i < 3; i++)
		good += mtx_unlock(&n) == thrd_success;
	return good;
}
static void recursive(void) { mtx_init(&n, mtx_plain | mtx_recursive); RUN2(recurses, recurses); OUTCOME("%d %d %d", r1, r2, x); }
static int waits_long(void *a)
{
	struct timespec limit;
	int r;

	(void)a;
	timespec_get(&limit, TIME_UTC);
	limit.tv_sec += 3;
	r = mtx_timedlock(&m, &limit);
	if (r == thrd_success)
		mtx_unlock(&m);
	return r == thrd_timedout ? 1 : r == thrd_success ? 0 : 2;
}
static void timed(void) { mtx_init(&m, mtx_timed); RUN2(holds, waits_long); OUTCOME("late=%d", r2); }
static int locks_mn(void *a) { (void)a; mtx_lock(&m); mtx_lock(&n); mtx_unlock(&n); mtx_unlock(&m); return 0; }
static int locks_nm(void *a) { (void)a; mtx_lock(&n); mtx_lock(&m); mtx_unlock(&m); mtx_unlock(&n); return 0; }
static void abba(void) { mtx_init(&m, mtx_plain); mtx_init(&n, mtx_plain); RUN2(locks_mn, locks_nm); OUTCOME("both"); }
static int kinds(void *a) { (void)a; return mtx_init(&m, 77) == thrd_error; }
static void bad_kind(void) { RUN2(kinds, kinds); OUTCOME("%d%d", r1, r2); }

/* ---- condition variables ---- */

static int waits(void *a)
{
	(void)a;
	mtx_lock(&m);
	while (!x)
		cnd_wait(&c, &m);
	mtx_unlock(&m);
	return x;
}
static int signals(void *a)
{
	(void)a;
	mtx_lock(&m);
	x = 1;
	cnd_signal(&c);
	mtx_unlock(&m);
	return 0;
}
/* which thread locks first: 2 */
static void signalled(void) { mtx_init(&m, mtx_plain); cnd_init(&c); RUN2(waits, signals); cnd_destroy(&c); OUTCOME("%d", r1); }
static int waits_once(void *a)
{
	(void)a;
	mtx_lock(&m);
	cnd_wait(&c, &m);
	mtx_unlock(&m);
	return 0;
}
static void lost_signal(void) { mtx_init(&m, mtx_plain); cnd_init(&c); RUN2(waits_once, signals); OUTCOME("woken"); }
static int waits_limited(void *a)
{
	struct timespec limit;
	int r = thrd_success;

	(void)a;
	timespec_get(&limit, TIME_UTC);
	limit.tv_sec += 3;
	mtx_lock(&m);
	while (!x && r == thrd_success)
		r = cnd_timedwait(&c, &m, &limit);
	mtx_unlock(&m);
	return r == thrd_timedout ? 1 : r == thrd_success ? 0 : 2;
}
static void limited(void) { mtx_init(&m, mtx_plain); cnd_init(&c); RUN2(waits_limited, signals); OUTCOME("late=%d", r1); }
static int broadcasts(void *a) { (void)a; mtx_lock(&m); x = 1; mtx_unlock(&m); cnd_broadcast(&c); return 0; }
static void to_all(void)
{
	thrd_t t;

	mtx_init(&m, mtx_plain);
	cnd_init(&c);
	thrd_create(&t, broadcasts, NULL);
	RUN2(waits, waits);
	thrd_join(t, NULL);
	OUTCOME("%d%d", r1, r2);
}

/* ---- once, keys, sleep ---- */

static void count(void) { x++; }
static int once_only(void *a) { (void)a; call_once(&once, count); return x; }
static void called_once(void) { RUN2(once_only, once_only); OUTCOME("%d %d", r1, r2); }
static int destroyed ALONE;
static void destroy(void *p) { __atomic_fetch_add(&destroyed, (int)(intptr_t)p, __ATOMIC_SEQ_CST); }
static int keeps(void *self) { tss_set(key, self); return (int)(intptr_t)tss_get(key); }
static void keys(void)
{
	r1 = tss_create(&key, destroy) == thrd_success;
	RUN2(keeps, keeps);
	OUTCOME("%d %d destroyed=%d main=%d", r1, r2, destroyed, tss_get(key) != NULL);
	tss_delete(key);
}
static int sleeps(void *a)
{
	struct timespec from, to, time = {5, 0}, bad = {0, -1};

	(void)a;
	timespec_get(&from, TIME_UTC);
	x = thrd_sleep(&time, NULL);
	timespec_get(&to, TIME_UTC);
	return x == 0 && to.tv_sec - from.tv_sec >= 5 && thrd_sleep(&bad, NULL) == -2;
}
static int nothing(void *a) { (void)a; return 0; }
static void slept(void) { RUN2(sleeps, nothing); OUTCOME("%d", r1); }

int main(void)
{
	EXPECT_N(results, 1, "-1 42");
	EXPECT_N(identity, 1, "0 1");
	EXPECT(detach, "1");
	EXPECT_N(locked, 2, "12", "21");
	EXPECT(trylock, "busy=0", "busy=1");
	EXPECT_N(recursive, 2, "6 6 2");
	EXPECT(timed, "late=0", "late=1");
	EXPECT_FINDING(abba, "deadlock", "both");
	EXPECT_N(bad_kind, 1, "11");
	EXPECT_N(signalled, 2, "1");
	EXPECT_FINDING(lost_signal, "lost wake-up", "woken");
	EXPECT(limited, "late=0", "late=1");
	EXPECT(to_all, "11");
	EXPECT_N(called_once, 2, "1 1");
	EXPECT_N(keys, 2, "1 2 destroyed=3 main=0");
	EXPECT_N(slept, 1, "1");
	return done();
}
