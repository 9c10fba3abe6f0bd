/*
 * Every lock: normal, recursive and error-checking mutexes, trylock and timedlock, read-write locks, spin locks. More
 * interleavings than can be run; no finding.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static int a, b, c;
static atomic_int misses;

static void *
work(void *arg)
{
	struct timespec limit;

	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_nsec = limit.tv_nsec / 2 + 1000;
	if (pthread_mutex_timedlock(&normal, &limit) == 0) {
		a++;
		pthread_mutex_unlock(&normal);
	}
	pthread_mutex_lock(&recursive);
	pthread_mutex_lock(&recursive);
	b++;
	pthread_mutex_unlock(&recursive);
	pthread_mutex_unlock(&recursive);
	if (pthread_mutex_trylock(&checking) == 0)
		pthread_mutex_unlock(&checking);
	pthread_rwlock_rdlock(&rwlock);
	misses += c & 1;
	pthread_rwlock_unlock(&rwlock);
	pthread_rwlock_wrlock(&rwlock);
	c++;
	pthread_rwlock_unlock(&rwlock);
	pthread_spin_lock(&spin);
	pthread_spin_unlock(&spin);
	return arg;
}

int
main(void)
{
	pthread_t threads[3];

	pthread_spin_init(&spin, 0);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
