/*
 * Locks of all kinds, by four threads, so often that they are in each other's way.
 * counts: START 5 END 4 CREATE 4 JOIN 4 MUTEX_LOCK 8000 MUTEX_TIMEDLOCK 4000 RW_RDLOCK 4000 RW_WRLOCK 4000
 * counts: MUTEX_UNLOCK 12000 RW_UNLOCK 8000 SPIN_LOCK 4000 SPIN_UNLOCK 4000 EXIT 1 TIMEOUT 0
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define TIMES 1000
static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, checked, recursive;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static long sum;

static void *
run(void *unused)
{
	struct timespec late;

	clock_gettime(CLOCK_REALTIME, &late);
	late.tv_sec += 1000;
	for (int i = 0; i < TIMES; i++) {
		pthread_mutex_lock(&plain);
		sum++;
		pthread_mutex_unlock(&plain);
		pthread_mutex_timedlock(&checked, &late);
		if (pthread_mutex_lock(&checked) != EDEADLK)
			abort();
		sum++;
		pthread_mutex_unlock(&checked);
		if (pthread_mutex_unlock(&checked) != EPERM)
			abort();
		pthread_mutex_lock(&recursive);
		pthread_mutex_unlock(&recursive);
		pthread_rwlock_rdlock(&rw);
		pthread_rwlock_unlock(&rw);
		pthread_rwlock_wrlock(&rw);
		sum++;
		pthread_rwlock_unlock(&rw);
		pthread_spin_lock(&spin);
		pthread_spin_unlock(&spin);
	}
	return unused;
}

int
main(void)
{
	pthread_t threads[4];
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&checked, &attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&recursive, &attr);
	pthread_spin_init(&spin, 0);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
