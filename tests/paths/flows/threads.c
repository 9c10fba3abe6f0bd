/* Between threads: arguments, results, atomics, tries to lock, which lock it is, local variables that are shared. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

int start, result, which, plain, in_lock, held, not_tested, by_local;
volatile int sum;
atomic_int counter, ready, quiet;
pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *
begins(void *arg)
{
	if ((intptr_t)arg > 2)
		sum = 1;
	atomic_fetch_add(&counter, 1); // counter
	atomic_store(&ready, plain); // plain
	atomic_fetch_add(&quiet, 1);
	return (void *)(intptr_t)result; // result
}

static void *
shares(void *arg)
{
	*(int *)arg = by_local; // by_local
	return 0;
}

int
main(void)
{
	pthread_t t, u;
	void *value = 0;
	int local = 0;

	pthread_create(&t, 0, begins, (void *)(intptr_t)start); // start
	pthread_join(t, &value); // t
	if (value) // value
		sum = 2;
	pthread_create(&u, 0, shares, &local);
	pthread_join(u, 0); // u
	if (local) // local
		sum = 3;
	if (atomic_load(&counter) == 1) // counter
		sum = 4;
	while (!atomic_load(&ready)) // ready
		if (sum++ > 1) // sum
			break;
	pthread_mutex_lock(&locks[which]); // which
	held = in_lock;
	pthread_mutex_unlock(&locks[which]); // which
	if (pthread_mutex_trylock(&locks[1]) == 0) // MUTEX_TRYLOCK
		pthread_mutex_unlock(&locks[1]);
	sum = not_tested;
	return 0;
}
