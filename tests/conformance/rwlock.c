/* Read-write locks: every kind, in every state, seen by the owner and by another thread. */
#include "conformance.h"

ANY(pthread_rwlock_rdlock, pthread_rwlock_t)
ANY(pthread_rwlock_wrlock, pthread_rwlock_t)
ANY(pthread_rwlock_unlock, pthread_rwlock_t)

static int
try_read(void *l)
{
	int result = pthread_rwlock_tryrdlock(l);

	return result ? result : pthread_rwlock_unlock(l);
}

static int
try_write(void *l)
{
	int result = pthread_rwlock_trywrlock(l);

	return result ? result : pthread_rwlock_unlock(l);
}

/* What other threads can do. */
static void
others(pthread_rwlock_t *l)
{
	returns(other(try_read, l));
	returns(other(try_write, l));
}

static void
free_lock(pthread_rwlock_t *l)
{
	others(l);
	returns(try_read(l));
	returns(try_write(l));
}

static void
one_reader(pthread_rwlock_t *l)
{
	returns(pthread_rwlock_rdlock(l));
	others(l);
	returns(pthread_rwlock_unlock(l));
	others(l);
}

static void
reads_twice(pthread_rwlock_t *l)
{
	returns(pthread_rwlock_rdlock(l));
	returns(pthread_rwlock_rdlock(l));
	returns(pthread_rwlock_unlock(l));
	others(l);
	returns(pthread_rwlock_unlock(l));
	others(l);
}

static void
reader_tries(pthread_rwlock_t *l)
{
	returns(pthread_rwlock_tryrdlock(l));
	returns(try_read(l));
	returns(try_write(l));
	returns(pthread_rwlock_unlock(l));
}

static int
read_and_try(void *l)
{
	int result = pthread_rwlock_rdlock(l);
	int write = other(try_write, l);

	return result ? result : pthread_rwlock_unlock(l) ? -1 : write;
}

static void
two_readers(pthread_rwlock_t *l)
{
	returns(pthread_rwlock_rdlock(l));
	returns(other(read_and_try, l));
	others(l);
	returns(pthread_rwlock_unlock(l));
	returns(other(read_and_try, l));
	others(l);
}

static void
one_writer(pthread_rwlock_t *l)
{
	returns(pthread_rwlock_wrlock(l));
	others(l);
	returns(pthread_rwlock_unlock(l));
	others(l);
}

static void
writer_again(pthread_rwlock_t *l)
{
	returns(pthread_rwlock_wrlock(l));
	returns(pthread_rwlock_rdlock(l));
	returns(pthread_rwlock_wrlock(l));
	returns(try_read(l));
	returns(try_write(l));
	returns(pthread_rwlock_unlock(l));
	others(l);
}

static void
writer_by_try(pthread_rwlock_t *l)
{
	returns(pthread_rwlock_trywrlock(l));
	returns(pthread_rwlock_trywrlock(l));
	returns(pthread_rwlock_tryrdlock(l));
	returns(pthread_rwlock_rdlock(l));
	others(l);
	returns(pthread_rwlock_unlock(l));
}

static void
writer_timed_again(pthread_rwlock_t *l)
{
	struct timespec later = far_away(CLOCK_REALTIME);

	returns(pthread_rwlock_timedwrlock(l, &later));
	returns(pthread_rwlock_timedrdlock(l, &later));
	returns(pthread_rwlock_timedwrlock(l, &later));
	returns(pthread_rwlock_clockrdlock(l, CLOCK_REALTIME, &later));
	returns(pthread_rwlock_clockwrlock(l, CLOCK_REALTIME, &later));
	returns(pthread_rwlock_unlock(l));
}

struct timed {
	pthread_rwlock_t *lock;
	const struct timespec *limit;
	clockid_t clock;
};

static int
timed_read(void *argument)
{
	struct timed *t = argument;
	int result = pthread_rwlock_timedrdlock(t->lock, t->limit);

	return result ? result : pthread_rwlock_unlock(t->lock);
}

static int
timed_write(void *argument)
{
	struct timed *t = argument;
	int result = pthread_rwlock_timedwrlock(t->lock, t->limit);

	return result ? result : pthread_rwlock_unlock(t->lock);
}

static int
clock_read(void *argument)
{
	struct timed *t = argument;
	int result = pthread_rwlock_clockrdlock(t->lock, t->clock, t->limit);

	return result ? result : pthread_rwlock_unlock(t->lock);
}

static int
clock_write(void *argument)
{
	struct timed *t = argument;
	int result = pthread_rwlock_clockwrlock(t->lock, t->clock, t->limit);

	return result ? result : pthread_rwlock_unlock(t->lock);
}

static void
timed(pthread_rwlock_t *l)
{
	for (unsigned i = 0; i < LIMITS; i++) {
		struct timed t = {l, &limits[i].time, CLOCK_REALTIME};

		returns(other(timed_read, &t));
		returns(other(timed_write, &t));
	}
}

static void
timed_when_free(pthread_rwlock_t *l)
{
	timed(l);
}

static void
timed_when_read(pthread_rwlock_t *l)
{
	returns(pthread_rwlock_rdlock(l));
	timed(l);
	returns(pthread_rwlock_unlock(l));
}

static void
timed_when_written(pthread_rwlock_t *l)
{
	returns(pthread_rwlock_wrlock(l));
	timed(l);
	returns(pthread_rwlock_unlock(l));
}

static void
upgrade_with_limit(pthread_rwlock_t *l)
{
	returns(pthread_rwlock_rdlock(l));
	returns(pthread_rwlock_timedwrlock(l, &limits[0].time));
	returns(pthread_rwlock_clockwrlock(l, CLOCK_MONOTONIC, &limits[0].time));
	returns(pthread_rwlock_unlock(l));
	others(l);
}

static void
reuse_after_destroy(pthread_rwlock_t *l)
{
	returns(pthread_rwlock_wrlock(l));
	returns(pthread_rwlock_unlock(l));
	returns(pthread_rwlock_destroy(l));
	returns(pthread_rwlock_init(l, NULL));
	free_lock(l);
	returns(pthread_rwlock_rdlock(l));
	others(l);
	returns(pthread_rwlock_unlock(l));
}

static pthread_rwlock_t *counted;
static int counter;

static void *
count(void *unused)
{
	for (int i = 0; i < 3; i++) {
		pthread_rwlock_wrlock(counted);
		counter++;
		pthread_rwlock_unlock(counted);
		pthread_rwlock_rdlock(counted);
		int now = counter;
		pthread_rwlock_unlock(counted);
		if (now <= i)
			return &counter;
	}
	return unused;
}

static void
exclusion(pthread_rwlock_t *l)
{
	pthread_t t[3];
	void *result;

	counted = l;
	counter = 0;
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, count, NULL);
	for (int i = 0; i < 3; i++) {
		pthread_join(t[i], &result);
		value(result != NULL);
	}
	value(counter);
}

static const struct scenario {
	const char *name;
	void (*run)(pthread_rwlock_t *l);
} scenarios[] = {
	{"free", free_lock},
	{"one_reader", one_reader},
	{"reads_twice", reads_twice},
	{"reader_tries", reader_tries},
	{"two_readers", two_readers},
	{"one_writer", one_writer},
	{"writer_again", writer_again},
	{"writer_by_try", writer_by_try},
	{"writer_timed_again", writer_timed_again},
	{"timed_when_free", timed_when_free},
	{"timed_when_read", timed_when_read},
	{"timed_when_written", timed_when_written},
	{"upgrade_with_limit", upgrade_with_limit},
	{"reuse_after_destroy", reuse_after_destroy},
	{"exclusion", exclusion},
};

static const struct kind {
	const char *name;
	int kind, shared;
} kinds[] = {
	{"prefer_reader", PTHREAD_RWLOCK_PREFER_READER_NP, 0},
	{"prefer_writer", PTHREAD_RWLOCK_PREFER_WRITER_NP, 0},
	{"prefer_writer_nonrecursive", PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP, 0},
	{"shared", PTHREAD_RWLOCK_PREFER_READER_NP, PTHREAD_PROCESS_SHARED},
};

CASE(every_kind)
{
	for (unsigned k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		for (unsigned s = 0; s < sizeof(scenarios) / sizeof(*scenarios); s++) {
			pthread_rwlockattr_t a;
			pthread_rwlock_t l;

			begin("%s.%s", kinds[k].name, scenarios[s].name);
			pthread_rwlockattr_init(&a);
			returns(pthread_rwlockattr_setkind_np(&a, kinds[k].kind));
			returns(pthread_rwlockattr_setpshared(&a, kinds[k].shared));
			returns(pthread_rwlock_init(&l, &a));
			pthread_rwlockattr_destroy(&a);
			scenarios[s].run(&l);
			returns(pthread_rwlock_destroy(&l));
		}
	}
}

CASE(static_initialiser)
{
	static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

	free_lock(&l);
	one_reader(&l);
	one_writer(&l);
	returns(pthread_rwlock_destroy(&l));
}

CASE(static_writer_nonrecursive)
{
	static pthread_rwlock_t l = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

	free_lock(&l);
	one_reader(&l);
	one_writer(&l);
	returns(pthread_rwlock_destroy(&l));
}

CASE(null_attributes)
{
	pthread_rwlock_t l;

	returns(pthread_rwlock_init(&l, NULL));
	one_writer(&l);
	returns(pthread_rwlock_destroy(&l));
}

static void
clocks_and_limits(const char *state, pthread_rwlock_t *l)
{
	for (unsigned c = 0; c < CLOCKS; c++) {
		for (unsigned i = 0; i < LIMITS; i++) {
			struct timed t = {l, &limits[i].time, clocks[c].clock};

			begin("clock.%s.%s.%s", state, clocks[c].name, limits[i].name);
			returns(other(clock_read, &t));
			returns(other(clock_write, &t));
		}
	}
}

CASE(every_clock)
{
	pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

	clocks_and_limits("free", &l);
	pthread_rwlock_rdlock(&l);
	clocks_and_limits("read", &l);
	pthread_rwlock_unlock(&l);
	pthread_rwlock_wrlock(&l);
	clocks_and_limits("written", &l);
	pthread_rwlock_unlock(&l);
}

CASE(writer_ends)
{
	static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

	returns(other(pthread_rwlock_wrlock_, &l));
	returns(try_read(&l));
	returns(try_write(&l));
	returns(pthread_rwlock_timedrdlock(&l, &limits[0].time));
}
