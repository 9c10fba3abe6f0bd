/* Attributes: a value that was set is returned; an invalid value is refused and changes nothing. */
#include "conformance.h"
#include <signal.h>

/* ---- tables: attribute objects with integer attributes ---- */

#define TABLE(object, attribute, type)                                                                            \
	static int set_##object##_##attribute(void *a, int v) { return pthread_##object##_set##attribute(a, (type)v); } \
	static int get_##object##_##attribute(void *a, int *v)                                                    \
	{                                                                                                         \
		type now = 0;                                                                                     \
		int result = pthread_##object##_get##attribute(a, &now);                                          \
		*v = (int)now;                                                                                    \
		return result;                                                                                    \
	}
TABLE(mutexattr, type, int)
TABLE(mutexattr, pshared, int)
TABLE(mutexattr, protocol, int)
TABLE(mutexattr, robust, int)
TABLE(mutexattr, prioceiling, int)
TABLE(condattr, pshared, int)
TABLE(condattr, clock, clockid_t)
TABLE(rwlockattr, pshared, int)
TABLE(rwlockattr, kind_np, int)
TABLE(barrierattr, pshared, int)
TABLE(attr, detachstate, int)
TABLE(attr, inheritsched, int)
TABLE(attr, schedpolicy, int)
TABLE(attr, scope, int)
TABLE(attr, guardsize, size_t)
TABLE(attr, stacksize, size_t)

static int init_mutexattr(void *a) { return pthread_mutexattr_init(a); }
static int init_condattr(void *a) { return pthread_condattr_init(a); }
static int init_rwlockattr(void *a) { return pthread_rwlockattr_init(a); }
static int init_barrierattr(void *a) { return pthread_barrierattr_init(a); }
static int init_attr(void *a) { return pthread_attr_init(a); }
static int destroy_mutexattr(void *a) { return pthread_mutexattr_destroy(a); }
static int destroy_condattr(void *a) { return pthread_condattr_destroy(a); }
static int destroy_rwlockattr(void *a) { return pthread_rwlockattr_destroy(a); }
static int destroy_barrierattr(void *a) { return pthread_barrierattr_destroy(a); }
static int destroy_attr(void *a) { return pthread_attr_destroy(a); }

#define ROW(object, attribute) #object "." #attribute, init_##object, destroy_##object, set_##object##_##attribute, \
	get_##object##_##attribute
static const struct {
	const char *name;
	int (*init)(void *), (*destroy)(void *);
	int (*set)(void *, int), (*get)(void *, int *);
	int values[8]; /* to the first 0 after the first */
} rows[] = {
	{ROW(mutexattr, type),
	 {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP, 4, -1, 99}},
	{ROW(mutexattr, pshared), {PTHREAD_PROCESS_PRIVATE, PTHREAD_PROCESS_SHARED, 2, -1, 77}},
	{ROW(mutexattr, protocol), {PTHREAD_PRIO_NONE, PTHREAD_PRIO_INHERIT, PTHREAD_PRIO_PROTECT, 3, -1, 50}},
	{ROW(mutexattr, robust), {PTHREAD_MUTEX_STALLED, PTHREAD_MUTEX_ROBUST, 2, -1, 16}},
	{ROW(mutexattr, prioceiling), {0, 1, 50, 99, 100, -1, 4096}},
	{ROW(condattr, pshared), {PTHREAD_PROCESS_PRIVATE, PTHREAD_PROCESS_SHARED, 2, -1, 77}},
	{ROW(condattr, clock),
	 {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID, CLOCK_BOOTTIME, -1, 99}},
	{ROW(rwlockattr, pshared), {PTHREAD_PROCESS_PRIVATE, PTHREAD_PROCESS_SHARED, 2, -1, 77}},
	{ROW(rwlockattr, kind_np),
	 {PTHREAD_RWLOCK_PREFER_READER_NP, PTHREAD_RWLOCK_PREFER_WRITER_NP, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP,
	  3, -1, 9}},
	{ROW(barrierattr, pshared), {PTHREAD_PROCESS_PRIVATE, PTHREAD_PROCESS_SHARED, 2, -1, 77}},
	{ROW(attr, detachstate), {PTHREAD_CREATE_JOINABLE, PTHREAD_CREATE_DETACHED, 2, -1, 77}},
	{ROW(attr, inheritsched), {PTHREAD_INHERIT_SCHED, PTHREAD_EXPLICIT_SCHED, 2, -1, 77}},
	{ROW(attr, schedpolicy), {SCHED_OTHER, SCHED_FIFO, SCHED_RR, SCHED_BATCH, SCHED_IDLE, -1, 77}},
	{ROW(attr, scope), {PTHREAD_SCOPE_SYSTEM, PTHREAD_SCOPE_PROCESS, 2, -1, 77}},
	{ROW(attr, guardsize), {0, 1, 4096, 4097, 65536, 1000000}},
	{ROW(attr, stacksize), {0, 1, 16383, 16384, 65536, 1048577, 16777216}},
};

CASE(tables)
{
	for (unsigned r = 0; r < sizeof(rows) / sizeof(*rows); r++) {
		for (unsigned i = 0; i == 0 || (i < 8 && rows[r].values[i]); i++) {
			long long a[16]; /* any of the objects */
			int v = -77;

			begin("%s.%d", rows[r].name, rows[r].values[i]);
			returns(rows[r].init(a));
			if (i == 0) { /* the default */
				returns(rows[r].get(a, &v));
				value(v);
			}
			returns(rows[r].set(a, rows[r].values[i]));
			v = -77;
			returns(rows[r].get(a, &v));
			value(v);
			returns(rows[r].destroy(a));
		}
	}
}

/* ---- attributes of threads that are not one number ---- */

CASE(schedparam)
{
	pthread_attr_t a;
	struct sched_param p = {.sched_priority = -5};

	returns(pthread_attr_init(&a));
	returns(pthread_attr_getschedparam(&a, &p));
	value(p.sched_priority);
	p.sched_priority = 1;
	returns(pthread_attr_setschedparam(&a, &p));
	returns(pthread_attr_setschedpolicy(&a, SCHED_FIFO));
	p.sched_priority = 10;
	returns(pthread_attr_setschedparam(&a, &p));
	p.sched_priority = 0;
	returns(pthread_attr_getschedparam(&a, &p));
	value(p.sched_priority);
	p.sched_priority = 1000;
	returns(pthread_attr_setschedparam(&a, &p));
	p.sched_priority = -1;
	returns(pthread_attr_setschedparam(&a, &p));
	returns(pthread_attr_destroy(&a));
}

static char stack[1 << 20] __attribute__((aligned(4096)));

CASE(stack_of_attributes)
{
	pthread_attr_t a;
	void *at;
	size_t size = 0;

	returns(pthread_attr_init(&a));
	returns(pthread_attr_setstack(&a, stack, sizeof(stack)));
	returns(pthread_attr_getstack(&a, &at, &size));
	value(at == stack);
	value((long)size);
	returns(pthread_attr_setstack(&a, stack, 100));
	returns(pthread_attr_setstack(&a, stack + 4096, sizeof(stack) - 4096));
	returns(pthread_attr_getstack(&a, &at, &size));
	value((char *)at - stack);
	value((long)size);
	returns(pthread_attr_getstacksize(&a, &size));
	value((long)size);
	returns(pthread_attr_destroy(&a));
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
CASE(stack_address)
{
	pthread_attr_t a;
	void *at = NULL;

	returns(pthread_attr_init(&a));
	returns(pthread_attr_setstackaddr(&a, stack + sizeof(stack)));
	returns(pthread_attr_getstackaddr(&a, &at));
	value(at == stack + sizeof(stack));
	returns(pthread_attr_destroy(&a));
}
#pragma GCC diagnostic pop

static void *
where_am_i(void *unused)
{
	char here;
	char *volatile at = &here;

	(void)unused;
	return at >= stack && at < stack + sizeof(stack) ? stack : NULL;
}

CASE(thread_on_given_stack)
{
	pthread_attr_t a;
	pthread_t t;
	void *result;

	returns(pthread_attr_init(&a));
	returns(pthread_attr_setstack(&a, stack, sizeof(stack)));
	returns(pthread_create(&t, &a, where_am_i, NULL));
	returns(pthread_join(t, &result));
	value(result == stack);
	returns(pthread_attr_destroy(&a));
}

static void *
detach_state(void *unused)
{
	pthread_attr_t a;
	int state = -1;

	(void)unused;
	if (pthread_getattr_np(pthread_self(), &a) || pthread_attr_getdetachstate(&a, &state))
		state = -2;
	pthread_attr_destroy(&a);
	return (void *)(intptr_t)state;
}

CASE(getattr_detach_state)
{
	pthread_t t;
	void *result;

	returns(pthread_create(&t, NULL, detach_state, NULL));
	returns(pthread_join(t, &result));
	value((intptr_t)result);
}

static void *
detach_state_after_detach(void *unused)
{
	pthread_detach(pthread_self());
	intptr_t state = (intptr_t)detach_state(unused);
	sem_post(((sem_t **)unused)[0]);
	((intptr_t *)unused)[1] = state;
	sem_post(((sem_t **)unused)[2]);
	return NULL;
}

CASE(getattr_detached)
{
	pthread_t t;
	sem_t first, second;
	void *shared[3] = {&first, NULL, &second};

	sem_init(&first, 0, 0);
	sem_init(&second, 0, 0);
	returns(pthread_create(&t, NULL, detach_state_after_detach, shared));
	sem_wait(&first);
	sem_wait(&second);
	value((intptr_t)shared[1]);
}

struct stack_seen {
	size_t size, guard;
	int inside, result;
};

static void *
look_at_stack(void *argument)
{
	struct stack_seen *seen = argument;
	pthread_attr_t a;
	void *low;
	char here;
	char *volatile at = &here;

	seen->result = pthread_getattr_np(pthread_self(), &a);
	pthread_attr_getstack(&a, &low, &seen->size);
	pthread_attr_getguardsize(&a, &seen->guard);
	seen->inside = at >= (char *)low && at < (char *)low + seen->size;
	pthread_attr_destroy(&a);
	return NULL;
}

/* The stack of a thread is at least as large as requested, and the thread's variables are on it. */
CASE(getattr_stack)
{
	static const size_t sizes[] = {0, 65536, 1 << 20, 32 << 20};

	for (unsigned i = 0; i < 4; i++) {
		struct stack_seen seen = {0};
		pthread_attr_t a;
		pthread_t t;

		begin("getattr_stack.%zu", sizes[i]);
		returns(pthread_attr_init(&a));
		if (sizes[i])
			returns(pthread_attr_setstacksize(&a, sizes[i]));
		returns(pthread_create(&t, &a, look_at_stack, &seen));
		returns(pthread_join(t, NULL));
		returns(seen.result);
		value(seen.inside);
		value(seen.size >= sizes[i]);
		returns(pthread_attr_destroy(&a));
	}
}

CASE(getattr_guard)
{
	static const size_t sizes[] = {0, 4096, 65536};

	for (unsigned i = 0; i < 3; i++) {
		struct stack_seen seen = {0};
		pthread_attr_t a;
		pthread_t t;

		begin("getattr_guard.%zu", sizes[i]);
		returns(pthread_attr_init(&a));
		returns(pthread_attr_setguardsize(&a, sizes[i]));
		returns(pthread_create(&t, &a, look_at_stack, &seen));
		returns(pthread_join(t, NULL));
		value((long)seen.guard);
		returns(pthread_attr_destroy(&a));
	}
}

CASE(getattr_of_main)
{
	struct stack_seen seen = {0};

	look_at_stack(&seen);
	returns(seen.result);
	value(seen.inside);
	value(seen.size > 65536);
}

CASE(affinity_of_attributes)
{
	pthread_attr_t a;
	cpu_set_t set, got;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	returns(pthread_attr_init(&a));
	returns(pthread_attr_getaffinity_np(&a, sizeof(got), &got));
	value(CPU_COUNT(&got) == CPU_SETSIZE); /* none given: all */
	returns(pthread_attr_setaffinity_np(&a, sizeof(set), &set));
	returns(pthread_attr_getaffinity_np(&a, sizeof(got), &got));
	value(CPU_COUNT(&got));
	value(CPU_ISSET(0, &got));
	returns(pthread_attr_setaffinity_np(&a, 0, &set));
	returns(pthread_attr_getaffinity_np(&a, sizeof(got), &got));
	value(CPU_COUNT(&got) == CPU_SETSIZE);
	returns(pthread_attr_destroy(&a));
}

CASE(affinity_of_attributes_too_small)
{
	pthread_attr_t a;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(1000, &set);
	returns(pthread_attr_init(&a));
	returns(pthread_attr_setaffinity_np(&a, sizeof(set), &set));
	returns(pthread_attr_getaffinity_np(&a, 8, &set));
	returns(pthread_attr_destroy(&a));
}

CASE(sigmask_of_attributes)
{
	pthread_attr_t a;
	sigset_t set, got;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigemptyset(&got);
	returns(pthread_attr_init(&a));
	value(pthread_attr_getsigmask_np(&a, &got) == PTHREAD_ATTR_NO_SIGMASK_NP);
	returns(pthread_attr_setsigmask_np(&a, &set));
	returns(pthread_attr_getsigmask_np(&a, &got));
	value(sigismember(&got, SIGUSR1));
	value(sigismember(&got, SIGUSR2));
	returns(pthread_attr_setsigmask_np(&a, NULL));
	value(pthread_attr_getsigmask_np(&a, &got) == PTHREAD_ATTR_NO_SIGMASK_NP);
	returns(pthread_attr_destroy(&a));
}

CASE(default_attributes)
{
	pthread_attr_t a;
	size_t before = 0, size = 0;
	int state = -1;

	returns(pthread_getattr_default_np(&a));
	returns(pthread_attr_getstacksize(&a, &before));
	returns(pthread_attr_getdetachstate(&a, &state));
	value(state);
	returns(pthread_attr_setstacksize(&a, 1 << 20));
	returns(pthread_setattr_default_np(&a));
	returns(pthread_attr_destroy(&a));
	returns(pthread_getattr_default_np(&a));
	returns(pthread_attr_getstacksize(&a, &size));
	value((long)size);
	returns(pthread_attr_setstacksize(&a, before));
	returns(pthread_setattr_default_np(&a));
	returns(pthread_attr_destroy(&a));
}

CASE(default_attributes_with_stack)
{
	pthread_attr_t a;

	returns(pthread_attr_init(&a));
	returns(pthread_attr_setstack(&a, stack, sizeof(stack)));
	returns(pthread_setattr_default_np(&a));
	returns(pthread_attr_destroy(&a));
}

/* Used for one object, then changed: the object does not change. */
CASE(mutex_keeps_its_type)
{
	pthread_mutexattr_t a;
	pthread_mutex_t m;

	returns(pthread_mutexattr_init(&a));
	returns(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK));
	returns(pthread_mutex_init(&m, &a));
	returns(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE));
	returns(pthread_mutexattr_destroy(&a));
	returns(pthread_mutex_lock(&m));
	returns(pthread_mutex_lock(&m));
	returns(pthread_mutex_unlock(&m));
	returns(pthread_mutex_destroy(&m));
}

CASE(mutex_with_everything)
{
	pthread_mutexattr_t a;
	int v = -1;

	returns(pthread_mutexattr_init(&a));
	returns(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE));
	returns(pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
	returns(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT));
	returns(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST));
	returns(pthread_mutexattr_setprioceiling(&a, 33));
	pthread_mutexattr_gettype(&a, &v);
	value(v);
	pthread_mutexattr_getpshared(&a, &v);
	value(v);
	pthread_mutexattr_getprotocol(&a, &v);
	value(v);
	pthread_mutexattr_getrobust(&a, &v);
	value(v);
	pthread_mutexattr_getprioceiling(&a, &v);
	value(v);
	returns(pthread_mutexattr_destroy(&a));
}

CASE(reuse_after_destroy)
{
	pthread_mutexattr_t a;
	int v = -1;

	for (int i = 0; i < 2; i++) {
		returns(pthread_mutexattr_init(&a));
		pthread_mutexattr_gettype(&a, &v);
		value(v);
		returns(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE));
		returns(pthread_mutexattr_destroy(&a));
	}
}

static int
is_detached(void *unused)
{
	pthread_attr_t a;
	size_t guard = 0;
	int state = -1;

	(void)unused;
	pthread_getattr_np(pthread_self(), &a);
	pthread_attr_getdetachstate(&a, &state);
	pthread_attr_getguardsize(&a, &guard);
	pthread_attr_destroy(&a);
	return (state == PTHREAD_CREATE_DETACHED) | (guard == 8 * 4096) << 1;
}

static sem_t seen;
static int state_seen;

static void *
note_state(void *unused)
{
	state_seen = is_detached(NULL);
	sem_post(&seen);
	return unused;
}

/* The attributes of threads that are created without any. */
CASE(default_attributes_of_threads)
{
	pthread_attr_t before, a;
	pthread_t t;

	sem_init(&seen, 0, 0);
	returns(pthread_getattr_default_np(&before));
	pthread_attr_init(&a);
	pthread_attr_setguardsize(&a, 8 * 4096);
	pthread_attr_setstacksize(&a, 1 << 20);
	returns(pthread_setattr_default_np(&a));
	value(other(is_detached, NULL));
	pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
	returns(pthread_setattr_default_np(&a));
	returns(pthread_create(&t, NULL, note_state, NULL));
	sem_wait(&seen);
	value(state_seen);
	returns(pthread_setattr_default_np(&before));
	value(other(is_detached, NULL));
	pthread_attr_destroy(&a);
	pthread_attr_destroy(&before);
}
