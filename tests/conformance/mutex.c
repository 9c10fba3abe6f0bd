/* Mutexes: every kind, in every state, seen by the owner and by another thread. */
#include "conformance.h"

ANY(pthread_mutex_lock, pthread_mutex_t)
ANY(pthread_mutex_trylock, pthread_mutex_t)
ANY(pthread_mutex_unlock, pthread_mutex_t)
ANY(pthread_mutex_destroy, pthread_mutex_t)

struct kind {
	const char *name;
	int type; /* -1: no attributes at all */
	int protocol, shared;
	int knows_owner; /* relocking, and unlocking by another thread, are defined */
};

static const struct kind kinds[] = {
	{"null", -1, 0, 0, 0},
	{"default", PTHREAD_MUTEX_DEFAULT, 0, 0, 0},
	{"normal", PTHREAD_MUTEX_NORMAL, 0, 0, 0},
	{"recursive", PTHREAD_MUTEX_RECURSIVE, 0, 0, 1},
	{"errorcheck", PTHREAD_MUTEX_ERRORCHECK, 0, 0, 1},
	{"adaptive", PTHREAD_MUTEX_ADAPTIVE_NP, 0, 0, 0},
	{"inherit_normal", PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT, 0, 0},
	{"inherit_recursive", PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_INHERIT, 0, 1},
	{"inherit_errorcheck", PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_INHERIT, 0, 1},
	{"shared_normal", PTHREAD_MUTEX_NORMAL, 0, PTHREAD_PROCESS_SHARED, 0},
	{"shared_recursive", PTHREAD_MUTEX_RECURSIVE, 0, PTHREAD_PROCESS_SHARED, 1},
	{"shared_errorcheck", PTHREAD_MUTEX_ERRORCHECK, 0, PTHREAD_PROCESS_SHARED, 1},
};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

static int
make(pthread_mutex_t *m, const struct kind *kind)
{
	pthread_mutexattr_t a;
	int result;

	if (kind->type < 0)
		return pthread_mutex_init(m, NULL);
	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, kind->type);
	pthread_mutexattr_setprotocol(&a, kind->protocol);
	pthread_mutexattr_setpshared(&a, kind->shared);
	result = pthread_mutex_init(m, &a);
	pthread_mutexattr_destroy(&a);
	return result;
}

static void
lock_and_unlock(pthread_mutex_t *m)
{
	returns(pthread_mutex_lock(m));
	returns(pthread_mutex_unlock(m));
	returns(pthread_mutex_lock(m));
	returns(pthread_mutex_unlock(m));
}

static void
trylock_free(pthread_mutex_t *m)
{
	returns(pthread_mutex_trylock(m));
	returns(pthread_mutex_unlock(m));
}

static int
try_and_unlock(void *m)
{
	int result = pthread_mutex_trylock(m);

	return result ? result : pthread_mutex_unlock(m);
}

static void
trylock_by_other(pthread_mutex_t *m)
{
	returns(other(try_and_unlock, m));
	returns(pthread_mutex_lock(m));
	returns(other(try_and_unlock, m));
	returns(pthread_mutex_unlock(m));
	returns(other(try_and_unlock, m));
}

static void
trylock_by_owner(pthread_mutex_t *m)
{
	returns(pthread_mutex_lock(m));
	int again = pthread_mutex_trylock(m);
	returns(again);
	if (!again)
		returns(pthread_mutex_unlock(m));
	returns(other(try_and_unlock, m));
	returns(pthread_mutex_unlock(m));
	returns(other(try_and_unlock, m));
}

static void
relock(pthread_mutex_t *m)
{
	returns(pthread_mutex_lock(m));
	int again = pthread_mutex_lock(m);
	returns(again);
	if (!again)
		returns(pthread_mutex_unlock(m));
	returns(pthread_mutex_unlock(m));
}

static void
unlock_when_free(pthread_mutex_t *m)
{
	returns(pthread_mutex_unlock(m));
	returns(pthread_mutex_lock(m));
	returns(pthread_mutex_unlock(m));
	returns(pthread_mutex_unlock(m));
}

static void
unlock_by_other(pthread_mutex_t *m)
{
	returns(pthread_mutex_lock(m));
	returns(other(pthread_mutex_unlock_, m));
	returns(other(pthread_mutex_trylock_, m));
	returns(pthread_mutex_unlock(m));
	returns(other(pthread_mutex_unlock_, m));
}

static void
destroy_when_locked(pthread_mutex_t *m)
{
	returns(pthread_mutex_lock(m));
	returns(pthread_mutex_destroy(m));
	returns(pthread_mutex_unlock(m));
}

static void
timedlock_free(pthread_mutex_t *m)
{
	for (unsigned i = 0; i < LIMITS; i++) {
		returns(pthread_mutex_timedlock(m, &limits[i].time));
		returns(pthread_mutex_unlock(m));
	}
	struct timespec later = far_away(CLOCK_REALTIME);
	returns(pthread_mutex_timedlock(m, &later));
	returns(pthread_mutex_unlock(m));
}

struct timed {
	pthread_mutex_t *mutex;
	const struct timespec *limit;
	clockid_t clock;
};

static int
timedlock(void *argument)
{
	struct timed *t = argument;

	return pthread_mutex_timedlock(t->mutex, t->limit);
}

static int
clocklock(void *argument)
{
	struct timed *t = argument;

	return pthread_mutex_clocklock(t->mutex, t->clock, t->limit);
}

static void
timedlock_by_other(pthread_mutex_t *m)
{
	returns(pthread_mutex_lock(m));
	for (unsigned i = 0; i < LIMITS; i++) {
		struct timed t = {m, &limits[i].time, 0};

		returns(other(timedlock, &t));
	}
	returns(pthread_mutex_unlock(m));
}

static void
timedlock_by_owner(pthread_mutex_t *m)
{
	returns(pthread_mutex_lock(m));
	for (unsigned i = 0; i < LIMITS; i++) {
		int again = pthread_mutex_timedlock(m, &limits[i].time);

		returns(again);
		if (!again)
			returns(pthread_mutex_unlock(m));
	}
	returns(pthread_mutex_unlock(m));
}

static void
clocklock_free(pthread_mutex_t *m)
{
	for (unsigned i = 0; i < CLOCKS; i++) {
		int result = pthread_mutex_clocklock(m, clocks[i].clock, &limits[0].time);

		returns(result);
		if (!result)
			returns(pthread_mutex_unlock(m));
	}
}

static void
clocklock_by_other(pthread_mutex_t *m)
{
	returns(pthread_mutex_lock(m));
	for (unsigned i = 0; i < LIMITS; i++) {
		struct timed t = {m, &limits[i].time, CLOCK_MONOTONIC};

		returns(other(clocklock, &t));
	}
	returns(pthread_mutex_unlock(m));
}

static void
reuse_after_destroy(pthread_mutex_t *m)
{
	returns(pthread_mutex_lock(m));
	returns(pthread_mutex_unlock(m));
	returns(pthread_mutex_destroy(m));
	returns(pthread_mutex_init(m, NULL));
	returns(pthread_mutex_lock(m));
	returns(other(pthread_mutex_trylock_, m));
	returns(pthread_mutex_trylock(m));
	returns(pthread_mutex_unlock(m));
}

static int
lock_count_unlock(void *argument)
{
	static int counter; /* under the mutex */

	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(argument);
		counter++;
		pthread_mutex_unlock(argument);
	}
	pthread_mutex_lock(argument);
	int now = counter;
	pthread_mutex_unlock(argument);
	return now;
}

static void *
count_main(void *m)
{
	lock_count_unlock(m);
	return NULL;
}

static void
exclusion(pthread_mutex_t *m)
{
	pthread_t t[3];
	int before = lock_count_unlock(m);

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, count_main, m);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	value(lock_count_unlock(m) - before);
}

static const struct scenario {
	const char *name;
	void (*run)(pthread_mutex_t *m);
	int needs_owner; /* undefined for the kinds that do not record their owner */
} scenarios[] = {
	{"lock_and_unlock", lock_and_unlock, 0},
	{"trylock_free", trylock_free, 0},
	{"trylock_by_other", trylock_by_other, 0},
	{"trylock_by_owner", trylock_by_owner, 0},
	{"relock", relock, 1},
	{"unlock_when_free", unlock_when_free, 1},
	{"unlock_by_other", unlock_by_other, 1},
	{"destroy_when_locked", destroy_when_locked, 0},
	{"timedlock_free", timedlock_free, 0},
	{"timedlock_by_other", timedlock_by_other, 0},
	{"timedlock_by_owner", timedlock_by_owner, 0},
	{"clocklock_free", clocklock_free, 0},
	{"clocklock_by_other", clocklock_by_other, 0},
	{"reuse_after_destroy", reuse_after_destroy, 0},
	{"exclusion", exclusion, 0},
};
#define SCENARIOS (sizeof(scenarios) / sizeof(*scenarios))

CASE(every_kind)
{
	for (unsigned k = 0; k < KINDS; k++) {
		for (unsigned s = 0; s < SCENARIOS; s++) {
			pthread_mutex_t m;

			if (scenarios[s].needs_owner && !kinds[k].knows_owner)
				continue;
			/* a priority-inheriting lock knows realtime only, an error that depends on the kernel */
			if (kinds[k].protocol && scenarios[s].run == clocklock_by_other)
				continue;
			if (kinds[k].protocol && scenarios[s].run == clocklock_free)
				continue;
			begin("%s.%s", kinds[k].name, scenarios[s].name);
			returns(make(&m, &kinds[k]));
			scenarios[s].run(&m);
			returns(pthread_mutex_destroy(&m));
		}
	}
}

/* ---- static initialisers ---- */

CASE(static_normal)
{
	static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

	returns(pthread_mutex_trylock(&m));
	returns(pthread_mutex_trylock(&m));
	returns(other(try_and_unlock, &m));
	returns(pthread_mutex_unlock(&m));
	returns(pthread_mutex_destroy(&m));
}

CASE(static_recursive)
{
	static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

	returns(pthread_mutex_lock(&m));
	returns(pthread_mutex_lock(&m));
	returns(other(try_and_unlock, &m));
	returns(pthread_mutex_unlock(&m));
	returns(other(try_and_unlock, &m));
	returns(pthread_mutex_unlock(&m));
	returns(pthread_mutex_unlock(&m));
	returns(other(try_and_unlock, &m));
}

CASE(static_errorcheck)
{
	static pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

	returns(pthread_mutex_unlock(&m));
	returns(pthread_mutex_lock(&m));
	returns(pthread_mutex_lock(&m));
	returns(other(pthread_mutex_unlock_, &m));
	returns(pthread_mutex_unlock(&m));
}

CASE(static_adaptive)
{
	static pthread_mutex_t m = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;

	returns(pthread_mutex_lock(&m));
	returns(pthread_mutex_trylock(&m));
	returns(other(try_and_unlock, &m));
	returns(pthread_mutex_unlock(&m));
}

CASE(zero_is_an_initialiser)
{
	static pthread_mutex_t m;

	returns(pthread_mutex_lock(&m));
	returns(other(try_and_unlock, &m));
	returns(pthread_mutex_unlock(&m));
}

CASE(static_again_after_use)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

	returns(pthread_mutex_lock(&m));
	returns(pthread_mutex_unlock(&m));
	returns(pthread_mutex_destroy(&m));
	m = (pthread_mutex_t)PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
	returns(pthread_mutex_lock(&m));
	returns(pthread_mutex_lock(&m));
	returns(pthread_mutex_unlock(&m));
}

/* ---- counts ---- */

CASE(recursive_count)
{
	pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
	int failed = 0;

	for (int i = 0; i < 100; i++)
		failed |= pthread_mutex_lock(&m);
	for (int i = 0; i < 99; i++)
		failed |= pthread_mutex_unlock(&m);
	value(failed);
	returns(other(try_and_unlock, &m));
	returns(pthread_mutex_unlock(&m));
	returns(other(try_and_unlock, &m));
}

CASE(recursive_all_ways)
{
	pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
	struct timespec later = far_away(CLOCK_MONOTONIC);

	returns(pthread_mutex_lock(&m));
	returns(pthread_mutex_trylock(&m));
	returns(pthread_mutex_timedlock(&m, &limits[0].time));
	returns(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &later));
	for (int i = 0; i < 4; i++) {
		returns(other(try_and_unlock, &m));
		returns(pthread_mutex_unlock(&m));
	}
	returns(other(try_and_unlock, &m));
	returns(pthread_mutex_unlock(&m));
}

CASE(recursive_destroy_at_depth)
{
	pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

	returns(pthread_mutex_lock(&m));
	returns(pthread_mutex_lock(&m));
	returns(pthread_mutex_destroy(&m));
	returns(pthread_mutex_unlock(&m));
	returns(pthread_mutex_destroy(&m));
	returns(pthread_mutex_unlock(&m));
	returns(pthread_mutex_destroy(&m));
}

CASE(destroy_locked_by_other)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

	returns(pthread_mutex_lock(&m));
	returns(other(pthread_mutex_destroy_, &m));
	returns(pthread_mutex_unlock(&m));
	returns(other(pthread_mutex_destroy_, &m));
}

/* The lock's owner ends; an ordinary mutex stays locked. */
CASE(owner_ends)
{
	static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; /* its memory is not used again */

	returns(other(pthread_mutex_lock_, &m));
	returns(pthread_mutex_trylock(&m));
	returns(pthread_mutex_timedlock(&m, &limits[0].time));
	returns(pthread_mutex_destroy(&m));
}

CASE(owner_ends_errorcheck)
{
	static pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP; /* its memory is not used again */

	returns(other(pthread_mutex_lock_, &m));
	returns(pthread_mutex_trylock(&m));
	returns(pthread_mutex_unlock(&m));
	returns(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &limits[0].time));
}

/* ---- initialising an object again at the same address, in other memory ---- */

CASE(many_kinds_at_one_address)
{
	pthread_mutex_t m;

	for (unsigned k = 0; k < KINDS; k++) {
		begin("one_address.%s", kinds[k].name);
		returns(make(&m, &kinds[k]));
		returns(pthread_mutex_lock(&m));
		returns(kinds[k].knows_owner ? pthread_mutex_lock(&m) : pthread_mutex_trylock(&m));
		returns(pthread_mutex_unlock(&m));
		if (kinds[k].type == PTHREAD_MUTEX_RECURSIVE)
			returns(pthread_mutex_unlock(&m));
		returns(pthread_mutex_destroy(&m));
	}
}

/* Each clock with each limit, while another thread holds the mutex: the first error that glibc sees. */
CASE(clocklock_clocks_and_limits)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&m);
	for (unsigned c = 0; c < CLOCKS; c++) {
		for (unsigned i = 0; i < LIMITS; i++) {
			struct timed t = {&m, &limits[i].time, clocks[c].clock};

			begin("clocklock.%s.%s", clocks[c].name, limits[i].name);
			returns(other(clocklock, &t));
		}
	}
	pthread_mutex_unlock(&m);
}

/* ---- priority ceilings ---- */

CASE(ceiling_without_protection)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	int ceiling = -7;

	returns(pthread_mutex_getprioceiling(&m, &ceiling));
	value(ceiling);
	returns(pthread_mutex_setprioceiling(&m, 1, &ceiling));
	value(ceiling);
}

CASE(ceiling_of_protected)
{
	pthread_mutexattr_t a;
	pthread_mutex_t m;
	int ceiling = -7;

	returns(pthread_mutexattr_init(&a));
	returns(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_PROTECT));
	returns(pthread_mutexattr_setprioceiling(&a, 7));
	returns(pthread_mutex_init(&m, &a));
	returns(pthread_mutex_getprioceiling(&m, &ceiling));
	value(ceiling);
	returns(pthread_mutex_setprioceiling(&m, 0, &ceiling));
	returns(pthread_mutex_setprioceiling(&m, 1000, &ceiling));
	value(ceiling);
	returns(pthread_mutex_destroy(&m));
}

static pthread_mutex_t waited = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int waits, may_go;

static void *
wait_with(void *unused)
{
	pthread_mutex_lock(&waited);
	waits = 1;
	while (!may_go)
		pthread_cond_wait(&condition, &waited);
	pthread_mutex_unlock(&waited);
	return unused;
}

/* A thread that waits for a condition will take the mutex again. */
CASE(destroy_while_waited_with)
{
	pthread_t t;
	int seen = 0;

	pthread_create(&t, NULL, wait_with, NULL);
	while (!seen) {
		pthread_mutex_lock(&waited);
		seen = waits;
		pthread_mutex_unlock(&waited);
		sched_yield();
	}
	returns(pthread_mutex_destroy(&waited));
	pthread_mutex_lock(&waited);
	may_go = 1;
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&waited);
	pthread_join(t, NULL);
	returns(pthread_mutex_destroy(&waited));
}

CASE(ceiling)
{
	pthread_mutexattr_t a;
	pthread_mutex_t m;
	int v = -1;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_PROTECT);
	returns(pthread_mutexattr_setprioceiling(&a, 6));
	returns(pthread_mutex_init(&m, &a));
	returns(pthread_mutex_getprioceiling(&m, &v));
	value(v);
	returns(pthread_mutex_init(&m, NULL));
	returns(pthread_mutex_getprioceiling(&m, &v));
	pthread_mutexattr_destroy(&a);
}
