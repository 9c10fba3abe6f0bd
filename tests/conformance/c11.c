/* C11 threads. */
#include "conformance.h"
#include <threads.h>

/* By name: the numbers are up to the library. */
static void
thrd(int result)
{
	word(result == thrd_success	 ? "success"
	     : result == thrd_busy	 ? "busy"
	     : result == thrd_error	 ? "error"
	     : result == thrd_nomem	 ? "nomem"
	     : result == thrd_timedout ? "timedout"
				       : "other");
}

/* The result of a function in another thread. */
static int
elsewhere(int (*function)(void *), void *argument)
{
	thrd_t t;
	int result = -1;

	if (thrd_create(&t, function, argument) != thrd_success || thrd_join(t, &result) != thrd_success)
		abort();
	return result;
}

static int
echo(void *v)
{
	return (int)(intptr_t)v;
}

static int
leave(void *v)
{
	thrd_exit((int)(intptr_t)v);
}

CASE(results)
{
	static const int values[] = {0, 1, -1, 42, INT_MAX, INT_MIN};

	for (unsigned i = 0; i < sizeof(values) / sizeof(*values); i++) {
		thrd_t t;
		int result = 7;

		begin("returns.%d", values[i]);
		thrd(thrd_create(&t, echo, (void *)(intptr_t)values[i]));
		thrd(thrd_join(t, &result));
		value(result);
		begin("exits.%d", values[i]);
		result = 7;
		thrd(thrd_create(&t, leave, (void *)(intptr_t)values[i]));
		thrd(thrd_join(t, &result));
		value(result);
	}
}

CASE(join_without_result)
{
	thrd_t t;

	thrd(thrd_create(&t, echo, NULL));
	thrd(thrd_join(t, NULL));
}

static thrd_t seen;

static int
who(void *unused)
{
	(void)unused;
	seen = thrd_current();
	return 0;
}

CASE(identity)
{
	thrd_t t;

	thrd(thrd_create(&t, who, NULL));
	thrd(thrd_join(t, NULL));
	value(thrd_equal(t, seen) != 0);
	value(thrd_equal(t, thrd_current()) != 0);
	value(thrd_equal(thrd_current(), thrd_current()) != 0);
}

static mtx_t detach_mutex;
static cnd_t detach_condition;
static int detach_state;

static int
stay_detached(void *unused)
{
	(void)unused;
	mtx_lock(&detach_mutex);
	while (detach_state != 1)
		cnd_wait(&detach_condition, &detach_mutex);
	detach_state = 2;
	cnd_broadcast(&detach_condition);
	mtx_unlock(&detach_mutex);
	return 0;
}

CASE(detach)
{
	thrd_t t;

	thrd(mtx_init(&detach_mutex, mtx_plain));
	thrd(cnd_init(&detach_condition));
	thrd(thrd_create(&t, stay_detached, NULL));
	thrd(thrd_detach(t));
	thrd(thrd_detach(t));
	thrd(thrd_join(t, NULL));
	mtx_lock(&detach_mutex);
	detach_state = 1;
	thrd(cnd_broadcast(&detach_condition));
	while (detach_state != 2)
		cnd_wait(&detach_condition, &detach_mutex);
	mtx_unlock(&detach_mutex);
}

CASE(join_itself)
{
	thrd(thrd_join(thrd_current(), NULL));
}

CASE(sleeping)
{
	struct timespec nothing = {0, 0}, little = {0, 1000}, bad = {0, 1000000000}, negative = {-1, 0}, rest = {7, 7};

	value(thrd_sleep(&nothing, NULL));
	value(thrd_sleep(&little, &rest));
	value(rest.tv_sec);
	value(thrd_sleep(&bad, NULL) < 0);
	value(thrd_sleep(&negative, NULL) < 0);
	thrd_yield();
}

/* ---- mutexes ---- */

ANY(mtx_lock, mtx_t)

static int
try_and_unlock(void *m)
{
	int result = mtx_trylock(m);

	return result == thrd_success ? mtx_unlock(m) : result;
}

static const struct {
	const char *name;
	int type, recursive, timed;
} types[] = {
	{"plain", mtx_plain, 0, 0},
	{"timed", mtx_timed, 0, 1},
	{"plain_recursive", mtx_plain | mtx_recursive, 1, 0},
	{"timed_recursive", mtx_timed | mtx_recursive, 1, 1},
};

CASE(mutex_types)
{
	for (unsigned i = 0; i < 4; i++) {
		mtx_t m;

		begin("mutex.%s.lock", types[i].name);
		thrd(mtx_init(&m, types[i].type));
		thrd(mtx_lock(&m));
		thrd(elsewhere(try_and_unlock, &m));
		thrd(mtx_unlock(&m));
		thrd(elsewhere(try_and_unlock, &m));
		begin("mutex.%s.trylock", types[i].name);
		thrd(mtx_trylock(&m));
		thrd(elsewhere(try_and_unlock, &m));
		int again = mtx_trylock(&m);
		thrd(again);
		if (again == thrd_success)
			thrd(mtx_unlock(&m));
		thrd(mtx_unlock(&m));
		thrd(elsewhere(try_and_unlock, &m));
		if (types[i].recursive) {
			begin("mutex.%s.relock", types[i].name);
			thrd(mtx_lock(&m));
			thrd(mtx_lock(&m));
			thrd(mtx_unlock(&m));
			thrd(elsewhere(try_and_unlock, &m));
			thrd(mtx_unlock(&m));
			thrd(elsewhere(try_and_unlock, &m));
		}
		mtx_destroy(&m);
	}
}

struct timed {
	mtx_t *mutex;
	const struct timespec *limit;
};

static int
timedlock(void *argument)
{
	struct timed *t = argument;
	int result = mtx_timedlock(t->mutex, t->limit);

	return result == thrd_success ? mtx_unlock(t->mutex) : result;
}

CASE(mutex_limits)
{
	for (unsigned k = 0; k < 4; k++) {
		if (!types[k].timed)
			continue;
		for (unsigned i = 0; i < LIMITS; i++) {
			mtx_t m;
			struct timed t = {&m, &limits[i].time};

			begin("mutex.%s.timedlock.%s", types[k].name, limits[i].name);
			thrd(mtx_init(&m, types[k].type));
			thrd(elsewhere(timedlock, &t));
			thrd(mtx_lock(&m));
			thrd(elsewhere(timedlock, &t));
			thrd(mtx_unlock(&m));
			mtx_destroy(&m);
		}
	}
}

static mtx_t counted;
static int counter;

static int
count(void *unused)
{
	(void)unused;
	for (int i = 0; i < 3; i++) {
		mtx_lock(&counted);
		counter++;
		mtx_unlock(&counted);
	}
	return 0;
}

CASE(exclusion)
{
	thrd_t t[3];

	thrd(mtx_init(&counted, mtx_plain));
	for (int i = 0; i < 3; i++)
		thrd(thrd_create(&t[i], count, NULL));
	for (int i = 0; i < 3; i++)
		thrd(thrd_join(t[i], NULL));
	value(counter);
	mtx_destroy(&counted);
}

CASE(reuse_after_destroy)
{
	mtx_t m;

	for (int i = 0; i < 3; i++) {
		thrd(mtx_init(&m, i == 1 ? mtx_plain | mtx_recursive : mtx_plain));
		thrd(mtx_lock(&m));
		thrd(elsewhere(try_and_unlock, &m));
		thrd(mtx_unlock(&m));
		mtx_destroy(&m);
	}
}

/* ---- condition variables ---- */

CASE(condition_nobody_waits)
{
	cnd_t c;

	thrd(cnd_init(&c));
	thrd(cnd_signal(&c));
	thrd(cnd_broadcast(&c));
	cnd_destroy(&c);
}

CASE(condition_limits)
{
	for (unsigned i = 0; i < LIMITS; i++) {
		mtx_t m;
		cnd_t c;

		begin("condition.timedwait.%s", limits[i].name);
		thrd(mtx_init(&m, mtx_plain));
		thrd(cnd_init(&c));
		thrd(mtx_lock(&m));
		thrd(cnd_timedwait(&c, &m, &limits[i].time));
		thrd(elsewhere(try_and_unlock, &m));
		thrd(mtx_unlock(&m));
		cnd_destroy(&c);
		mtx_destroy(&m);
	}
}

static struct {
	mtx_t m;
	cnd_t c, back;
	int ready, waiting, woken;
} s;

static int
waiter(void *unused)
{
	(void)unused;
	mtx_lock(&s.m);
	s.waiting++;
	cnd_signal(&s.back);
	while (!s.ready)
		cnd_wait(&s.c, &s.m);
	s.ready--;
	s.woken++;
	mtx_unlock(&s.m);
	return 0;
}

static void
wake(int count_of, int broadcast)
{
	thrd_t t[3];

	thrd(mtx_init(&s.m, mtx_plain));
	thrd(cnd_init(&s.c));
	thrd(cnd_init(&s.back));
	s.ready = s.waiting = s.woken = 0;
	for (int i = 0; i < count_of; i++)
		thrd_create(&t[i], waiter, NULL);
	mtx_lock(&s.m);
	while (s.waiting < count_of)
		cnd_wait(&s.back, &s.m);
	s.ready = count_of;
	for (int i = 0; i < (broadcast ? 1 : count_of); i++)
		thrd(broadcast ? cnd_broadcast(&s.c) : cnd_signal(&s.c));
	mtx_unlock(&s.m);
	for (int i = 0; i < count_of; i++)
		thrd(thrd_join(t[i], NULL));
	value(s.woken);
	cnd_destroy(&s.c);
	cnd_destroy(&s.back);
	mtx_destroy(&s.m);
}

CASE(condition_waking)
{
	for (int n = 1; n <= 3; n++) {
		begin("condition.signal.%d", n);
		wake(n, 0);
		begin("condition.broadcast.%d", n);
		wake(n, 1);
	}
}

/* ---- once ---- */

static once_flag flag = ONCE_FLAG_INIT, crowd_flag = ONCE_FLAG_INIT;
static int calls;

static void
call(void)
{
	calls++;
}

CASE(once)
{
	call_once(&flag, call);
	call_once(&flag, call);
	value(calls);
}

static int
once_in_crowd(void *unused)
{
	(void)unused;
	call_once(&crowd_flag, call);
	return calls;
}

CASE(once_by_many)
{
	thrd_t t[3];
	int result;

	calls = 0;
	for (int i = 0; i < 3; i++)
		thrd_create(&t[i], once_in_crowd, NULL);
	for (int i = 0; i < 3; i++) {
		thrd_join(t[i], &result);
		value(result);
	}
}

/* ---- thread-specific storage ---- */

static tss_t key;
static int destroyed, one = 1;

static void
destroy(void *v)
{
	destroyed += *(int *)v;
}

static void
destroy_again(void *v)
{
	destroyed++;
	tss_set(key, v);
}

static int
set_key(void *v)
{
	int before = tss_get(key) != NULL;

	tss_set(key, v);
	return before * 10 + (tss_get(key) == v);
}

static int
set_key_and_exit(void *v)
{
	tss_set(key, v);
	thrd_exit(5);
}

CASE(storage)
{
	destroyed = 0;
	thrd(tss_create(&key, destroy));
	value(tss_get(key) == NULL);
	thrd(tss_set(key, &one));
	value(tss_get(key) == &one);
	value(elsewhere(set_key, &one));
	value(destroyed);
	value(elsewhere(set_key_and_exit, &one));
	value(destroyed);
	value(elsewhere(set_key, NULL));
	value(destroyed);
	thrd(tss_set(key, NULL));
	tss_delete(key);
}

CASE(storage_iterations)
{
	destroyed = 0;
	thrd(tss_create(&key, destroy_again));
	value(elsewhere(set_key, &one));
	value(destroyed == TSS_DTOR_ITERATIONS);
	tss_delete(key);
}

CASE(storage_without_destructor)
{
	destroyed = 0;
	thrd(tss_create(&key, NULL));
	value(elsewhere(set_key, &one));
	value(destroyed);
	tss_delete(key);
}

CASE(storage_deleted)
{
	thrd(tss_create(&key, NULL));
	thrd(tss_set(key, &one));
	tss_delete(key);
	thrd(tss_set(key, &one));
}

static thread_local int local = 3;

static int
change_local(void *unused)
{
	(void)unused;
	local++;
	return local;
}

CASE(thread_local_variable)
{
	value(elsewhere(change_local, NULL));
	value(elsewhere(change_local, NULL));
	value(local);
}
