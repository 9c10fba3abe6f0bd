/* Spin locks. */
#include "conformance.h"

ANY(pthread_spin_lock, pthread_spinlock_t)
ANY(pthread_spin_unlock, pthread_spinlock_t)

static int
try_and_unlock(void *s)
{
	int result = pthread_spin_trylock(s);

	return result ? result : pthread_spin_unlock(s);
}

static void
all_ways(int shared)
{
	pthread_spinlock_t s;

	returns(pthread_spin_init(&s, shared));
	returns(pthread_spin_lock(&s));
	returns(pthread_spin_trylock(&s));
	returns(other(try_and_unlock, (void *)&s));
	returns(pthread_spin_unlock(&s));
	returns(other(try_and_unlock, (void *)&s));
	returns(pthread_spin_trylock(&s));
	returns(other(try_and_unlock, (void *)&s));
	returns(pthread_spin_unlock(&s));
	returns(pthread_spin_destroy(&s));
}

CASE(private_lock) { all_ways(PTHREAD_PROCESS_PRIVATE); }
CASE(shared_lock) { all_ways(PTHREAD_PROCESS_SHARED); }

CASE(reuse_after_destroy)
{
	pthread_spinlock_t s;

	for (int i = 0; i < 3; i++) {
		returns(pthread_spin_init(&s, 0));
		returns(pthread_spin_trylock(&s));
		returns(pthread_spin_trylock(&s));
		returns(pthread_spin_unlock(&s));
		returns(pthread_spin_destroy(&s));
	}
}

/* Unlike a mutex it has no owner: another thread may unlock it. */
CASE(owner_ends)
{
	pthread_spinlock_t s;

	returns(pthread_spin_init(&s, 0));
	returns(other(pthread_spin_lock_, (void *)&s));
	returns(pthread_spin_trylock(&s));
}

static pthread_spinlock_t counted;
static int counter;

static void *
count(void *unused)
{
	for (int i = 0; i < 4; i++) {
		pthread_spin_lock(&counted);
		counter++;
		pthread_spin_unlock(&counted);
	}
	return unused;
}

CASE(exclusion)
{
	pthread_t t[3];

	returns(pthread_spin_init(&counted, 0));
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, count, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	value(counter);
	returns(pthread_spin_destroy(&counted));
}
