/*
 * Threads: create, join, detach, exit, once, keys, thread-local variables. None of these is a choice by
 * itself: only what the threads do to shared memory is.
 */
#include "outcome.h"
#include <stdatomic.h>
#include <stdbool.h>

static atomic_int x ALONE, y ALONE;
static char order[64] ALONE; /* what happened, as letters */
static int at;

static void letter(char c) { order[at++] = c; }

/* ---- create and join ---- */

static void *double_it(void *p) { return (void *)((uintptr_t)p * 2); }
static void return_values(void)
{
	pthread_t t[3];
	void *r[3];

	for (uintptr_t i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, double_it, (void *)(i + 1));
	for (int i = 2; i >= 0; i--)
		pthread_join(t[i], &r[i]);
	OUTCOME("%d %d %d", (int)(uintptr_t)r[0], (int)(uintptr_t)r[1], (int)(uintptr_t)r[2]);
}

/* What a thread wrote is there after the join; what was written before the creation is there in the thread. */
static int plain = 1;
static void *add_plain(void *p) { plain += (int)(uintptr_t)p; return NULL; }
static void join_orders(void)
{
	pthread_t t;

	plain = 5;
	pthread_create(&t, NULL, add_plain, (void *)10);
	pthread_join(t, NULL);
	plain *= 2;
	pthread_create(&t, NULL, add_plain, (void *)100);
	pthread_join(t, NULL);
	OUTCOME("%d", plain);
}

/* Created between two operations of the creator: c reads x in any state from then on.
 * main: x=1 (alone), create, x=2, x=3, join; thread: load. 3 interleavings. */
static void *load_x(void *p) { *(int *)p = atomic_load(&x); return NULL; }
static void creator_goes_on(void)
{
	pthread_t t;
	int seen;

	atomic_store(&x, 1);
	pthread_create(&t, NULL, load_x, &seen);
	atomic_store(&x, 2);
	atomic_store(&x, 3);
	pthread_join(t, NULL);
	OUTCOME("%d", seen);
}

/* Grandchildren; the child joins them. Their two increments are in any order: 2, the sum is 3. */
static void *grandchild(void *p) { return (void *)(uintptr_t)(atomic_fetch_add(&x, 1) == 0 ? (uintptr_t)p : 0); }
static void *child(__attribute__((unused)) void *p)
{
	pthread_t a, b;
	void *ra, *rb;

	pthread_create(&a, NULL, grandchild, (void *)1);
	pthread_create(&b, NULL, grandchild, (void *)2);
	pthread_join(a, &ra);
	pthread_join(b, &rb);
	return (void *)((uintptr_t)ra + (uintptr_t)rb);
}
static void grandchildren(void)
{
	pthread_t t;
	void *first;

	pthread_create(&t, NULL, child, NULL);
	pthread_join(t, &first);
	OUTCOME("first %d, sum %d", (int)(uintptr_t)first, atomic_load(&x));
}

static void *nothing(void *p) { return p; }
static void many_threads(void)
{
	pthread_t t[100];
	uintptr_t sum = 0;

	for (uintptr_t i = 0; i < 100; i++)
		pthread_create(&t[i], NULL, nothing, (void *)i);
	for (int i = 0; i < 100; i++) {
		void *r;

		pthread_join(t[i], &r);
		sum += (uintptr_t)r;
	}
	OUTCOME("%d", (int)sum);
}

static void *join_self(__attribute__((unused)) void *p) { return (void *)(uintptr_t)pthread_join(pthread_self(), NULL); }
static void errors(void)
{
	pthread_t t;
	pthread_attr_t a;
	void *r;
	int e1, e2, same;

	pthread_create(&t, NULL, join_self, NULL);
	same = pthread_equal(t, pthread_self());
	pthread_join(t, &r);
	pthread_attr_init(&a);
	pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
	pthread_create(&t, &a, nothing, NULL);
	e1 = pthread_join(t, NULL);
	pthread_create(&t, NULL, nothing, NULL);
	pthread_detach(t);
	e2 = pthread_join(t, NULL);
	OUTCOME("%d %d %d %d", (int)(uintptr_t)r == EDEADLK, e1 == EINVAL || e1 == ESRCH, e2 == EINVAL || e2 == ESRCH, same);
}

/* ---- detach: the body may end before the thread has done anything ---- */

/* The body: load x, load y, end; the thread: store x, store y. With 0, 1, 2 stores before the end there are
 * 1 + 3 + 6 = 10 interleavings. */
static void *detached(__attribute__((unused)) void *p)
{
	atomic_store(&x, 1);
	atomic_store(&y, 1);
	return NULL;
}
static void detach(void)
{
	pthread_t t;

	pthread_create(&t, NULL, detached, NULL);
	pthread_detach(t);
	int seen_x = atomic_load(&x), seen_y = atomic_load(&y);

	OUTCOME("x=%d y=%d", seen_x, seen_y);
}

static void *detaches_itself(__attribute__((unused)) void *p)
{
	pthread_detach(pthread_self());
	atomic_store(&x, 1);
	return NULL;
}
static void detach_itself(void)
{
	pthread_t t;

	pthread_create(&t, NULL, detaches_itself, NULL);
	while (!atomic_load(&x))
		sched_yield();
	OUTCOME("%d", atomic_load(&x));
}

/* The first thread may end by pthread_exit; the others continue, and the last one ends the process. */
static void *last_one(void *p)
{
	if (atomic_fetch_add(&x, 1) == 1)
		OUTCOME("last %d", (int)(uintptr_t)p);
	return NULL;
}
static void first_exits(void)
{
	pthread_t t;

	pthread_create(&t, NULL, last_one, (void *)1);
	pthread_create(&t, NULL, last_one, (void *)2);
	pthread_exit(NULL);
}

/* ---- pthread_exit ---- */

static void cleanup(void *p) { letter((char)(uintptr_t)p); }
static volatile int deepest;
static __attribute__((noinline)) void leave_from_deep(int depth)
{
	pthread_cleanup_push(cleanup, (void *)(uintptr_t)('0' + depth));
	if (depth == deepest)
		pthread_exit((void *)77);
	if (depth > deepest)
		leave_from_deep(depth - 1);
	pthread_cleanup_pop(0);
	letter('!');
}
static void *exits(__attribute__((unused)) void *p)
{
	pthread_cleanup_push(cleanup, (void *)'a');
	pthread_cleanup_push(cleanup, (void *)'b');
	pthread_cleanup_pop(1); /* b at once */
	pthread_cleanup_push(cleanup, (void *)'c');
	pthread_cleanup_pop(0); /* never c */
	leave_from_deep(3);
	pthread_cleanup_pop(0);
	return NULL;
}
static void exit_cleans_up(void)
{
	pthread_t t;
	void *r;

	pthread_create(&t, NULL, exits, NULL);
	pthread_join(t, &r);
	OUTCOME("%s %d", order, (int)(uintptr_t)r);
}

/* A cleanup handler may wait for other threads: m is released before the second thread gets it. 2 interleavings. */
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void unlock(void *p) { pthread_mutex_unlock(p); }
static void *exits_with_lock(void *p)
{
	pthread_mutex_lock(&m);
	pthread_cleanup_push(unlock, &m);
	letter((char)(uintptr_t)p);
	pthread_exit(NULL);
	pthread_cleanup_pop(0);
	return NULL;
}
static void exit_unlocks(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, exits_with_lock, (void *)'a');
	pthread_create(&b, NULL, exits_with_lock, (void *)'b');
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	OUTCOME("%s", order);
}

/* ---- keys ---- */

static pthread_key_t k1, k2;
static int calls;

static void destroy_letter(void *p) { letter((char)(uintptr_t)p); }
static void *sets_keys(__attribute__((unused)) void *p)
{
	bool clean = !pthread_getspecific(k1) && !pthread_getspecific(k2);

	pthread_setspecific(k1, (void *)'1');
	pthread_setspecific(k2, (void *)'2');
	return (void *)(uintptr_t)clean;
}
static void keys(void)
{
	pthread_t t;
	void *clean;

	pthread_key_create(&k1, destroy_letter);
	pthread_key_create(&k2, NULL);
	pthread_setspecific(k1, (void *)'m'); /* the first thread's own: not destroyed, since it does not exit */
	pthread_create(&t, NULL, sets_keys, NULL);
	pthread_join(t, &clean);
	letter((char)(uintptr_t)pthread_getspecific(k1));
	pthread_create(&t, NULL, sets_keys, NULL); /* perhaps on the same stack: its keys are empty all the same */
	pthread_join(t, &clean);
	pthread_key_delete(k1);
	pthread_create(&t, NULL, nothing, NULL);
	pthread_join(t, NULL);
	pthread_key_delete(k2);
	OUTCOME("%s %d", order, (int)(uintptr_t)clean);
}

/* A destructor that sets its key again is called again, PTHREAD_DESTRUCTOR_ITERATIONS (4) times in all. */
static void destroy_again(void *p)
{
	calls++;
	pthread_setspecific(k1, p);
}
static void *sets_key(void *p) { pthread_setspecific(k1, p); return NULL; }
static void keys_again(void)
{
	pthread_t t;

	pthread_key_create(&k1, destroy_again);
	pthread_create(&t, NULL, sets_key, &k1);
	pthread_join(t, NULL);
	OUTCOME("%d", calls);
}

/* Cleanup handlers come before destructors, destructors before the join is done. */
static void *exits_with_key(__attribute__((unused)) void *p)
{
	pthread_setspecific(k1, (void *)'k');
	pthread_cleanup_push(cleanup, (void *)'c');
	pthread_exit(NULL);
	pthread_cleanup_pop(0);
	return NULL;
}
static void cleanup_then_keys(void)
{
	pthread_t t;

	pthread_key_create(&k1, destroy_letter);
	pthread_create(&t, NULL, exits_with_key, NULL);
	pthread_join(t, NULL);
	letter('j');
	OUTCOME("%s", order);
}

/* A destructor's accesses are operations like any other: store in the destructor | load: 2. */
static void destroy_stores(__attribute__((unused)) void *p) { atomic_store(&x, 1); }
static void key_destructor_is_seen(void)
{
	pthread_t a, b;
	int seen;

	pthread_key_create(&k1, destroy_stores);
	pthread_create(&a, NULL, sets_key, &k1);
	pthread_create(&b, NULL, load_x, &seen);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	OUTCOME("%d", seen);
}

/* ---- thread-local variables ---- */

static __thread int local = 5;
static __thread char local_zero[1000];
static void *uses_locals(void *p)
{
	int bad = local != 5 || local_zero[999] != 0;

	local += (int)(uintptr_t)p;
	local_zero[999] = 1;
	atomic_fetch_add(&x, 1); /* a switch may come here */
	return (void *)(uintptr_t)(bad ? 1000 : local);
}
static void thread_local_variables(void)
{
	pthread_t a, b;
	void *ra, *rb, *rc;

	local = 50;
	pthread_create(&a, NULL, uses_locals, (void *)1);
	pthread_create(&b, NULL, uses_locals, (void *)2);
	pthread_join(a, &ra);
	pthread_join(b, &rb);
	pthread_create(&a, NULL, uses_locals, (void *)3); /* after others have ended */
	pthread_join(a, &rc);
	OUTCOME("%d %d %d %d", (int)(uintptr_t)ra, (int)(uintptr_t)rb, (int)(uintptr_t)rc, local);
}

static void *fails_a_call(void *p)
{
	errno = (int)(uintptr_t)p;
	atomic_fetch_add(&x, 1);
	return (void *)(uintptr_t)errno;
}
static void errno_is_local(void)
{
	pthread_t a, b;
	void *ra, *rb;

	errno = 1;
	pthread_create(&a, NULL, fails_a_call, (void *)2);
	pthread_create(&b, NULL, fails_a_call, (void *)3);
	pthread_join(a, &ra);
	pthread_join(b, &rb);
	OUTCOME("%d %d %d", errno, (int)(uintptr_t)ra, (int)(uintptr_t)rb);
}

/* ---- once: one operation for each call that comes before it is done; so the order of three is 3! = 6 ---- */

static pthread_once_t once ALONE = PTHREAD_ONCE_INIT;
static int made ALONE;
static void make_it(void) { made++; }
static void *uses_once(void *p)
{
	pthread_once(&once, make_it);
	return (void *)((uintptr_t)p + (uintptr_t)made);
}
static void once_by_three(void)
{
	pthread_t t[3];
	int sum = 0;

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, uses_once, (void *)10);
	for (int i = 0; i < 3; i++) {
		void *r;

		pthread_join(t[i], &r);
		sum += (int)(uintptr_t)r;
	}
	pthread_once(&once, make_it);
	OUTCOME("%d %d", sum, made);
}

/* The second thread waits until the first is through, wherever that is: it never sees half
 * of it. Which is first 2, then its load against the once and the load of the other 3: 6. */
static void make_slowly(void)
{
	atomic_store(&x, 1);
	atomic_store(&x, 2);
}
static void *uses_slow_once(void *p)
{
	pthread_once(&once, make_slowly);
	*(int *)p = atomic_load(&x);
	return NULL;
}
static void once_is_waited_for(void)
{
	pthread_t a, b;
	int ra, rb;

	pthread_create(&a, NULL, uses_slow_once, &ra);
	pthread_create(&b, NULL, uses_slow_once, &rb);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	OUTCOME("%d %d", ra, rb);
}

/* But a thread that reads without it does. */
static void once_seen_from_outside(void)
{
	pthread_t a, b;
	int ra, rb;

	pthread_create(&a, NULL, uses_slow_once, &ra);
	pthread_create(&b, NULL, load_x, &rb);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	OUTCOME("%d %d", ra, rb);
}

int main(void)
{
	EXPECT_N(return_values, 1, "2 4 6");
	EXPECT_N(join_orders, 1, "130");
	EXPECT_N(creator_goes_on, 3, "1", "2", "3");
	EXPECT_N(grandchildren, 2, "first 1, sum 2", "first 2, sum 2");
	EXPECT_N(many_threads, 1, "4950");
	EXPECT_WITH(errors, 0, NULL, OPTIONS(.misuse = SLEAVE_RACES_OFF), "1 1 1 0");
	/* that a thread still runs at the end is a warning, and would be run again after the search */
	EXPECT_WITH(detach, 10, NULL, OPTIONS(.misuse = SLEAVE_RACES_OFF), "x=0 y=0", "x=0 y=1", "x=1 y=0", "x=1 y=1");
	EXPECT(detach_itself, "1");
	EXPECT_N(first_exits, 2, "last 1", "last 2");
	EXPECT_N(exit_cleans_up, 1, "b0123a 77");
	EXPECT_N(exit_unlocks, 2, "ab", "ba");
	EXPECT_N(keys, 1, "1m1 1");
	EXPECT_N(keys_again, 1, "4");
	EXPECT_N(cleanup_then_keys, 1, "ckj");
	EXPECT_N(key_destructor_is_seen, 2, "0", "1");
	EXPECT_N(thread_local_variables, 2, "6 7 8 50");
	EXPECT_N(errno_is_local, 2, "1 2 3");
	EXPECT_N(once_by_three, 6, "33 1");
	EXPECT_N(once_is_waited_for, 6, "2 2");
	EXPECT_N(once_seen_from_outside, 4, "2 0", "2 1", "2 2");
	return done();
}
