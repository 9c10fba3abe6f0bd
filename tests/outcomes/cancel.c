/*
 * Cancellation: acts at cancellation points of its target, before or after anything else that happens there, and ends
 * waits; handlers run, then destructors of keys; the result is PTHREAD_CANCELED.
 */
#include "outcome.h"
#include <stdatomic.h>

static atomic_int x ALONE;
static sem_t s ALONE;
static pthread_mutex_t m ALONE = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c ALONE = PTHREAD_COND_INITIALIZER;
static char order[32] ALONE;
static unsigned length ALONE;

static void letter(void *l) { order[length++] = *(const char *)l; }
static const char *end_of(pthread_t t)
{
	void *result = NULL;

	pthread_join(t, &result);
	return result == PTHREAD_CANCELED ? "cancelled" : "done";
}

/* ---- pthread_testcancel ---- */

static void *tests_twice(void *a)
{
	pthread_testcancel();
	atomic_store(&x, 1);
	pthread_testcancel();
	atomic_store(&x, 2);
	return a;
}
/* T S T S, the request before the first T, before the second (x is 1, whether it came before or after the store), or
 * later: 1 + 2 + 2 = 5 orders; after the last T it comes too late. */
static void testcancel(void)
{
	pthread_t t;
	int answer;
	const char *end;

	pthread_create(&t, NULL, tests_twice, NULL);
	answer = pthread_cancel(t);
	end = end_of(t);
	OUTCOME("%d %s x=%d", answer, end, atomic_load(&x));
}

/* A loop that waits to be cancelled. */
static void *tests_for_ever(void *a)
{
	for (;;)
		pthread_testcancel();
	return a;
}
static void testcancel_loop(void)
{
	pthread_t t;

	pthread_create(&t, NULL, tests_for_ever, NULL);
	pthread_cancel(t);
	OUTCOME("%s", end_of(t));
}

/* ---- waits ---- */

static void *waits(void *a)
{
	sem_wait(&s);
	atomic_store(&x, 1);
	return a;
}
/* Post and cancel: what comes first. If the post is first the waiter may still be cancelled before it goes on, and
 * then the semaphore has not been taken. */
static void semaphore(void)
{
	pthread_t t;
	int value;
	const char *end;

	sem_init(&s, 0, 0);
	pthread_create(&t, NULL, waits, NULL);
	sem_post(&s);
	pthread_cancel(t);
	end = end_of(t);
	sem_getvalue(&s, &value);
	OUTCOME("%s x=%d value=%d", end, atomic_load(&x), value);
}
/* It is asleep at once: for ever, but for the request. */
static void semaphore_alone(void)
{
	pthread_t t;

	sem_init(&s, 0, 0);
	pthread_create(&t, NULL, waits, NULL);
	pthread_cancel(t);
	OUTCOME("%s", end_of(t));
}

static void unlock(void *l) { pthread_mutex_unlock(l); }
static void *waits_cond(void *a)
{
	pthread_mutex_lock(&m);
	pthread_cleanup_push(unlock, &m);
	while (!atomic_load(&x))
		pthread_cond_wait(&c, &m);
	pthread_cleanup_pop(1);
	return a;
}
/* The mutex is taken again before the handler runs: it can be locked afterwards. */
static void condition(void)
{
	pthread_t t;
	const char *end;

	pthread_create(&t, NULL, waits_cond, NULL);
	pthread_cancel(t);
	end = end_of(t);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	OUTCOME("%s", end);
}
/* Signalled and cancelled: both ends are possible. */
static void condition_signalled(void)
{
	pthread_t t;

	pthread_create(&t, NULL, waits_cond, NULL);
	pthread_mutex_lock(&m);
	atomic_store(&x, 1);
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	pthread_cancel(t);
	OUTCOME("%s", end_of(t));
}
/* Two wait, one is cancelled, then one signal: it must not be lost on the cancelled one. */
static int waiting ALONE, woken ALONE;
static void *counted(void *a)
{
	pthread_mutex_lock(&m);
	pthread_cleanup_push(unlock, &m);
	waiting++;
	pthread_cond_signal(&c + 0);
	pthread_cond_wait((pthread_cond_t *)a, &m);
	woken++;
	pthread_cleanup_pop(1);
	return NULL;
}
static pthread_cond_t d ALONE = PTHREAD_COND_INITIALIZER;
static void signal_is_not_lost(void)
{
	pthread_t t, u;
	const char *first, *second;

	pthread_mutex_lock(&m);
	pthread_create(&t, NULL, counted, &d);
	pthread_create(&u, NULL, counted, &d);
	while (waiting < 2)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	pthread_cancel(t);
	pthread_cond_signal(&d);
	first = end_of(t);
	second = end_of(u);
	OUTCOME("%s %s %d", first, second, woken);
}

static void *joins(void *a)
{
	pthread_join(*(pthread_t *)a, NULL);
	atomic_store(&x, 1);
	return NULL;
}
/* A thread whose joiner was cancelled can be joined by another one afterwards. */
static void join(void)
{
	static pthread_t w;
	pthread_t t;
	const char *end;

	sem_init(&s, 0, 0);
	pthread_create(&w, NULL, waits, NULL);
	pthread_create(&t, NULL, joins, &w);
	pthread_cancel(t);
	end = end_of(t);
	sem_post(&s);
	OUTCOME("%s %d", end, pthread_join(w, NULL));
}

static void *sleeps(void *a)
{
	sleep(100);
	atomic_store(&x, 1);
	return a;
}
static void sleeping(void)
{
	struct timespec before, after;
	pthread_t t;
	const char *end;

	clock_gettime(CLOCK_MONOTONIC, &before);
	pthread_create(&t, NULL, sleeps, NULL);
	pthread_cancel(t);
	end = end_of(t);
	clock_gettime(CLOCK_MONOTONIC, &after);
	OUTCOME("%s %s", end, after.tv_sec - before.tv_sec >= 100 ? "late" : "early");
}

static int fds[2];
static void *reads(void *a)
{
	char byte;

	if (read(fds[0], &byte, 1) == 1)
		atomic_store(&x, 1);
	return a;
}
/* Data that was not read is still there. */
static void reading(void)
{
	char byte = 0;
	pthread_t t;
	const char *end;

	if (pipe(fds))
		return;
	pthread_create(&t, NULL, reads, NULL);
	if (write(fds[1], "x", 1) != 1)
		return;
	pthread_cancel(t);
	end = end_of(t);
	if (!atomic_load(&x) && read(fds[0], &byte, 1) != 1)
		return;
	OUTCOME("%s %d", end, byte == 'x');
}

/* ---- functions that are no cancellation points ---- */

static void *locks(void *a)
{
	pthread_mutex_lock(&m);
	atomic_store(&x, 1);
	pthread_mutex_unlock(&m);
	return a;
}
static void mutex_is_none(void)
{
	pthread_t t;
	const char *end;

	pthread_mutex_lock(&m);
	pthread_create(&t, NULL, locks, NULL);
	pthread_cancel(t);
	pthread_mutex_unlock(&m);
	end = end_of(t);
	OUTCOME("%s x=%d", end, atomic_load(&x));
}

/* ---- state and type ---- */

static void *disabled(void *a)
{
	int old;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	pthread_testcancel();
	atomic_store(&x, 1);
	pthread_setcancelstate(old, NULL);
	pthread_testcancel();
	atomic_store(&x, 2);
	return a;
}
static void state(void)
{
	pthread_t t;
	const char *end;

	pthread_create(&t, NULL, disabled, NULL);
	pthread_cancel(t);
	end = end_of(t);
	OUTCOME("%s x=%d", end, atomic_load(&x));
}

static void *anywhere(void *a)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	atomic_store(&x, 1);
	atomic_store(&x, 2);
	return a;
}
static void asynchronous(void)
{
	pthread_t t;
	const char *end;

	pthread_create(&t, NULL, anywhere, NULL);
	pthread_cancel(t);
	end = end_of(t);
	OUTCOME("%s x=%d", end, atomic_load(&x));
}
static void *anywhere_locks(void *a)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	pthread_mutex_lock(&m);
	return a;
}
/* Not even a mutex holds it up. */
static void asynchronous_in_mutex(void)
{
	pthread_t t;

	pthread_mutex_lock(&m);
	pthread_create(&t, NULL, anywhere_locks, NULL);
	pthread_cancel(t);
	OUTCOME("%s", end_of(t));
}

static void *cancels_itself(void *a)
{
	pthread_cancel(pthread_self());
	atomic_store(&x, 1);
	pthread_testcancel();
	atomic_store(&x, 2);
	return a;
}
static void itself(void)
{
	pthread_t t;
	const char *end;

	pthread_create(&t, NULL, cancels_itself, NULL);
	end = end_of(t);
	OUTCOME("%s x=%d", end, atomic_load(&x));
}
static void *cancels_itself_now(void *a)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	pthread_cancel(pthread_self());
	atomic_store(&x, 1);
	return a;
}
static void itself_now(void)
{
	pthread_t t;
	const char *end;

	pthread_create(&t, NULL, cancels_itself_now, NULL);
	end = end_of(t);
	OUTCOME("%s x=%d", end, atomic_load(&x));
}

/* ---- the end ---- */

static void key_end(void *value) { letter(value); }
static pthread_key_t key;
static void *ends_with_all(void *a)
{
	pthread_setspecific(key, "k");
	pthread_cleanup_push(letter, "a");
	pthread_cleanup_push(letter, "b");
	sem_wait(&s);
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return a;
}
/* Handlers, the last one first; then keys. */
static void order_of_the_end(void)
{
	pthread_t t;
	const char *end;

	sem_init(&s, 0, 0);
	pthread_key_create(&key, key_end);
	pthread_create(&t, NULL, ends_with_all, NULL);
	pthread_cancel(t);
	end = end_of(t);
	OUTCOME("%s %s", end, order);
}
/* A handler is not cancelled by what it does. */
static void waits_in_handler(void *a)
{
	sem_wait(&s);
	letter(a);
}
static void *handled_slowly(void *a)
{
	pthread_cleanup_push(waits_in_handler, "h");
	pthread_testcancel();
	sleep(1);
	pthread_cleanup_pop(0);
	return a;
}
static void handler_is_safe(void)
{
	pthread_t t;
	const char *end;

	sem_init(&s, 0, 0);
	pthread_create(&t, NULL, handled_slowly, NULL);
	pthread_cancel(t);
	pthread_cancel(t);
	sem_post(&s);
	end = end_of(t);
	OUTCOME("%s %s", end, order);
}
static void *deferred_part(void *a)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	pthread_cleanup_push_defer_np(letter, "d");
	atomic_store(&x, 1);
	atomic_store(&x, 2);
	pthread_cleanup_pop_restore_np(0);
	return a;
}
/* Between push and pop nothing is cancelled: x is 0 (before) or 2 (after). */
static void deferred_by_handler(void)
{
	pthread_t t;
	const char *end;

	pthread_create(&t, NULL, deferred_part, NULL);
	pthread_cancel(t);
	end = end_of(t);
	OUTCOME("%s x=%d %s", end, atomic_load(&x), order);
}

static pthread_t first;
static void *cancels_first(void *a)
{
	pthread_cancel(first);
	OUTCOME("%s", end_of(first));
	return a;
}
static void cancelled_main(void)
{
	pthread_t t;

	first = pthread_self();
	sem_init(&s, 0, 0);
	pthread_create(&t, NULL, cancels_first, NULL);
	sem_wait(&s);
}

static void *ends(void *a) { return a; }
static void errors(void)
{
	pthread_t t;
	int ended, old;

	pthread_create(&t, NULL, ends, NULL);
	ended = pthread_cancel(t);
	pthread_join(t, NULL);
	OUTCOME("%d %d %d %d", ended, pthread_setcancelstate(77, &old) == EINVAL, pthread_setcanceltype(77, &old) == EINVAL,
		pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old) == 0 && old == PTHREAD_CANCEL_ENABLE);
}

/* Cancelled while it holds a mutex that no handler unlocks. */
static void *keeps(void *a)
{
	pthread_mutex_lock(&m);
	sleep(1);
	pthread_mutex_unlock(&m);
	return a;
}
static void lock_is_left(void)
{
	pthread_t t;

	pthread_create(&t, NULL, keeps, NULL);
	pthread_cancel(t);
	pthread_join(t, NULL);
	pthread_mutex_lock(&m);
	OUTCOME("locked");
}

int main(void)
{
	EXPECT_N(testcancel, 5, "0 cancelled x=0", "0 cancelled x=1", "0 done x=2");
	EXPECT(testcancel_loop, "cancelled");
	EXPECT(semaphore, "cancelled x=0 value=1", "done x=1 value=0");
	EXPECT_N(semaphore_alone, 1, "cancelled");
	EXPECT(condition, "cancelled");
	EXPECT(condition_signalled, "cancelled", "done");
	EXPECT(signal_is_not_lost, "cancelled done 1");
	EXPECT(join, "cancelled 0");
	EXPECT(sleeping, "cancelled early", "done late");
	EXPECT(reading, "cancelled 1", "done 0");
	EXPECT(mutex_is_none, "done x=1");
	EXPECT(state, "cancelled x=1", "done x=2");
	EXPECT(asynchronous, "cancelled x=0", "cancelled x=1", "cancelled x=2", "done x=2");
	EXPECT(asynchronous_in_mutex, "cancelled");
	EXPECT(itself, "cancelled x=1");
	EXPECT(itself_now, "cancelled x=0");
	EXPECT(order_of_the_end, "cancelled bak");
	EXPECT(handler_is_safe, "cancelled h", "done ");
	EXPECT(deferred_by_handler, "cancelled x=0 ", "cancelled x=2 ", "done x=2 ");
	EXPECT(cancelled_main, "cancelled");
	EXPECT(errors, "0 1 1 1");
	EXPECT_FINDING(lock_is_left, "deadlock", "locked");
	return done();
}
