/* Robust mutexes: the whole protocol of an owner that ends. */
#include "conformance.h"

ANY(pthread_mutex_lock, pthread_mutex_t)
ANY(pthread_mutex_unlock, pthread_mutex_t)

struct kind {
	const char *name;
	int type, protocol, shared;
};

static const struct kind kinds[] = {
	{"normal", PTHREAD_MUTEX_NORMAL, 0, 0},
	{"recursive", PTHREAD_MUTEX_RECURSIVE, 0, 0},
	{"errorcheck", PTHREAD_MUTEX_ERRORCHECK, 0, 0},
	{"inherit_normal", PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT, 0},
	{"inherit_errorcheck", PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_INHERIT, 0},
	{"shared_normal", PTHREAD_MUTEX_NORMAL, 0, PTHREAD_PROCESS_SHARED},
};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

static int
make(pthread_mutex_t *m, const struct kind *kind)
{
	pthread_mutexattr_t a;
	int result;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, kind->type);
	pthread_mutexattr_setprotocol(&a, kind->protocol);
	pthread_mutexattr_setpshared(&a, kind->shared);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	result = pthread_mutex_init(m, &a);
	pthread_mutexattr_destroy(&a);
	return result;
}

static int
try_and_unlock(void *m)
{
	int result = pthread_mutex_trylock(m);

	return result ? result : pthread_mutex_unlock(m);
}

static int
exit_with_lock(void *m)
{
	if (pthread_mutex_lock(m))
		return -1;
	pthread_exit(NULL);
}

static void
owner_lives(pthread_mutex_t *m)
{
	returns(pthread_mutex_lock(m));
	returns(other(try_and_unlock, m));
	returns(pthread_mutex_unlock(m));
	returns(other(try_and_unlock, m));
}

static void
lock_after_death(pthread_mutex_t *m)
{
	returns(other(pthread_mutex_lock_, m));
	returns(pthread_mutex_lock(m));
	returns(pthread_mutex_consistent(m));
	returns(pthread_mutex_unlock(m));
	returns(pthread_mutex_lock(m));
	returns(pthread_mutex_unlock(m));
}

static void
lock_after_exit(pthread_mutex_t *m)
{
	returns(other(exit_with_lock, m));
	returns(pthread_mutex_lock(m));
	returns(pthread_mutex_consistent(m));
	returns(pthread_mutex_unlock(m));
}

static void
trylock_after_death(pthread_mutex_t *m)
{
	returns(other(pthread_mutex_lock_, m));
	returns(pthread_mutex_trylock(m));
	returns(other(try_and_unlock, m));
	returns(pthread_mutex_consistent(m));
	returns(pthread_mutex_unlock(m));
	returns(other(try_and_unlock, m));
}

static void
timedlock_after_death(pthread_mutex_t *m)
{
	returns(other(pthread_mutex_lock_, m));
	returns(pthread_mutex_timedlock(m, &limits[0].time));
	returns(pthread_mutex_consistent(m));
	returns(pthread_mutex_unlock(m));
}

static void
not_made_consistent(pthread_mutex_t *m)
{
	returns(other(pthread_mutex_lock_, m));
	returns(pthread_mutex_lock(m));
	returns(pthread_mutex_unlock(m));
	returns(pthread_mutex_lock(m));
	returns(pthread_mutex_timedlock(m, &limits[0].time));
	returns(other(pthread_mutex_lock_, m));
	returns(pthread_mutex_consistent(m));
	returns(pthread_mutex_trylock(m)); /* the last: glibc's leaves it locked */
	returns(pthread_mutex_destroy(m));
	returns(pthread_mutex_init(m, NULL));
	returns(pthread_mutex_lock(m));
	returns(pthread_mutex_unlock(m));
}

static void
heir_dies_too(pthread_mutex_t *m)
{
	returns(other(pthread_mutex_lock_, m));
	returns(other(pthread_mutex_lock_, m));
	returns(pthread_mutex_lock(m));
	returns(pthread_mutex_consistent(m));
	returns(pthread_mutex_unlock(m));
	returns(other(pthread_mutex_lock_, m));
	returns(pthread_mutex_lock(m));
	returns(pthread_mutex_consistent(m));
	returns(pthread_mutex_unlock(m));
}

static void
consistent_when_free(pthread_mutex_t *m)
{
	returns(pthread_mutex_consistent(m));
}

static void
consistent_when_locked(pthread_mutex_t *m)
{
	returns(pthread_mutex_lock(m));
	returns(pthread_mutex_consistent(m));
	returns(pthread_mutex_unlock(m));
}

static void
consistent_twice(pthread_mutex_t *m)
{
	returns(other(pthread_mutex_lock_, m));
	returns(pthread_mutex_lock(m));
	returns(pthread_mutex_consistent(m));
	returns(pthread_mutex_consistent(m));
	returns(pthread_mutex_unlock(m));
	returns(pthread_mutex_consistent(m));
}

/* Several locks of one thread that ends. */
static void
unlocked_before_death(pthread_mutex_t *m)
{
	returns(other(try_and_unlock, m));
	returns(pthread_mutex_lock(m));
	returns(pthread_mutex_unlock(m));
}

static void
unlock_by_other(pthread_mutex_t *m)
{
	returns(pthread_mutex_lock(m));
	returns(other(pthread_mutex_unlock_, m));
	returns(pthread_mutex_unlock(m));
	returns(pthread_mutex_unlock(m));
}

/* While the new owner repairs, other threads find it locked. */
static void
others_while_inconsistent(pthread_mutex_t *m)
{
	returns(other(pthread_mutex_lock_, m));
	returns(pthread_mutex_lock(m));
	returns(other(try_and_unlock, m));
	returns(other(pthread_mutex_unlock_, m));
	returns(pthread_mutex_consistent(m));
	returns(other(try_and_unlock, m));
	returns(pthread_mutex_unlock(m));
}

static const struct scenario {
	const char *name;
	void (*run)(pthread_mutex_t *m);
} scenarios[] = {
	{"owner_lives", owner_lives},
	{"lock_after_death", lock_after_death},
	{"lock_after_exit", lock_after_exit},
	{"trylock_after_death", trylock_after_death},
	{"timedlock_after_death", timedlock_after_death},
	{"not_made_consistent", not_made_consistent},
	{"heir_dies_too", heir_dies_too},
	{"consistent_when_free", consistent_when_free},
	{"consistent_when_locked", consistent_when_locked},
	{"consistent_twice", consistent_twice},
	{"unlocked_before_death", unlocked_before_death},
	{"unlock_by_other", unlock_by_other},
	{"others_while_inconsistent", others_while_inconsistent},
};

CASE(every_kind)
{
	for (unsigned k = 0; k < KINDS; k++) {
		for (unsigned s = 0; s < sizeof(scenarios) / sizeof(*scenarios); s++) {
			pthread_mutex_t m;

			begin("%s.%s", kinds[k].name, scenarios[s].name);
			returns(make(&m, &kinds[k]));
			scenarios[s].run(&m);
			returns(pthread_mutex_destroy(&m));
		}
	}
}

CASE(consistent_of_ordinary)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

	returns(pthread_mutex_consistent(&m));
	pthread_mutex_lock(&m);
	returns(pthread_mutex_consistent(&m));
	pthread_mutex_unlock(&m);
}

CASE(relock)
{
	pthread_mutex_t m;

	returns(make(&m, &kinds[2]));
	returns(pthread_mutex_lock(&m));
	returns(pthread_mutex_lock(&m));
	returns(pthread_mutex_trylock(&m));
	returns(pthread_mutex_timedlock(&m, &limits[0].time));
	returns(pthread_mutex_unlock(&m));
	returns(make(&m, &kinds[1]));
	returns(pthread_mutex_lock(&m));
	returns(pthread_mutex_lock(&m));
	returns(pthread_mutex_trylock(&m));
	for (int i = 0; i < 4; i++)
		returns(pthread_mutex_unlock(&m));
}

/* The dead owner had locked it several times: the new owner has it once. */
static int
lock_thrice(void *m)
{
	return pthread_mutex_lock(m) | pthread_mutex_lock(m) | pthread_mutex_lock(m);
}

CASE(recursive_depth_of_the_dead)
{
	pthread_mutex_t m;

	returns(make(&m, &kinds[1]));
	returns(other(lock_thrice, &m));
	returns(pthread_mutex_lock(&m));
	returns(pthread_mutex_consistent(&m));
	returns(pthread_mutex_unlock(&m));
	returns(pthread_mutex_unlock(&m));
	returns(other(try_and_unlock, &m));
}

static pthread_mutex_t several[4];

static int
lock_several(void *unused)
{
	int result = 0;

	(void)unused;
	for (int i = 0; i < 4; i++)
		result |= pthread_mutex_lock(&several[i]);
	result |= pthread_mutex_unlock(&several[2]);
	return result;
}

CASE(several_of_one_owner)
{
	for (int i = 0; i < 4; i++)
		returns(make(&several[i], &kinds[0]));
	returns(other(lock_several, NULL));
	for (int i = 0; i < 4; i++)
		returns(pthread_mutex_trylock(&several[i]));
}

/* A waiter inherits it when the owner ends while others wait. */
static pthread_mutex_t waited;
static sem_t locked;

static void *
lock_and_end(void *unused)
{
	pthread_mutex_lock(&waited);
	sem_post(&locked);
	return unused;
}

static int
lock_repair(void *m)
{
	int result = pthread_mutex_lock(m);

	if (result == EOWNERDEAD)
		pthread_mutex_consistent(m);
	pthread_mutex_unlock(m);
	return result;
}

static struct other_call repairing = {lock_repair, &waited};

CASE(waiters_inherit)
{
	pthread_t owner, t[2];
	void *result;
	int dead = 0, fine = 0;

	sem_init(&locked, 0, 0);
	returns(make(&waited, &kinds[0]));
	pthread_create(&owner, NULL, lock_and_end, NULL);
	sem_wait(&locked);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, other_main, &repairing);
	for (int i = 0; i < 2; i++) {
		pthread_join(t[i], &result);
		dead += (intptr_t)result == EOWNERDEAD;
		fine += (intptr_t)result == 0;
	}
	pthread_join(owner, NULL);
	value(dead);
	value(fine);
}

static struct other_call giving_up = {pthread_mutex_lock_, &waited};

static int
lock_and_unlock(void *m)
{
	int result = pthread_mutex_lock(m);

	if (result == 0 || result == EOWNERDEAD)
		pthread_mutex_unlock(m);
	return result;
}

/* The new owner releases it unrepaired: the other waiter is told. (glibc 2.36 may leave the second of two asleep for ever.) */
CASE(waiters_are_told)
{
	pthread_t owner, t[2];
	void *result;
	int dead = 0, lost = 0;

	giving_up.function = lock_and_unlock;
	sem_init(&locked, 0, 0);
	returns(make(&waited, &kinds[0]));
	pthread_create(&owner, NULL, lock_and_end, NULL);
	sem_wait(&locked);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, other_main, &giving_up);
	for (int i = 0; i < 2; i++) {
		pthread_join(t[i], &result);
		dead += (intptr_t)result == EOWNERDEAD;
		lost += (intptr_t)result == ENOTRECOVERABLE;
	}
	pthread_join(owner, NULL);
	value(dead);
	value(lost);
}

/* ---- with condition variables ---- */

static struct {
	pthread_mutex_t m;
	pthread_cond_t c;
} pair = {.c = PTHREAD_COND_INITIALIZER};

CASE(timedwait_on_robust)
{
	returns(make(&pair.m, &kinds[0]));
	returns(pthread_mutex_lock(&pair.m));
	returns(pthread_cond_timedwait(&pair.c, &pair.m, &limits[0].time));
	returns(pthread_mutex_unlock(&pair.m));
}

CASE(timedwait_with_inherited)
{
	returns(make(&pair.m, &kinds[0]));
	returns(other(pthread_mutex_lock_, &pair.m));
	returns(pthread_mutex_lock(&pair.m));
	returns(pthread_mutex_consistent(&pair.m));
	returns(pthread_cond_timedwait(&pair.c, &pair.m, &limits[0].time));
	returns(pthread_mutex_unlock(&pair.m));
}
