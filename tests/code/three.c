/*
 * Sections that name code, to be run in three ways: on real threads, explored, checked. Each test is one
 * word on the command line. The values read and written show that an operation and its event are one step.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <semaphore.h>
#include <sleave.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int x, y, seen;
static atomic_int flag;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
/* a waiting writer keeps readers out */
static pthread_rwlock_t rw = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static struct {
	char text[64];
} from, to;

static void check(int good)
{
	if (!good && !getenv("SLEAVE_MODE"))
		abort();
}
static void *writes(void *p)
{
	x = 1;
	return p;
}
static void *stores(void *p)
{
	atomic_store(&flag, 1);
	return p;
}
static void *copies(void *p)
{
	memcpy(&to, &from, sizeof(to));
	return p;
}
static void *locks(void *p)
{
	pthread_mutex_lock(&m);
	y = x;
	pthread_mutex_unlock(&m);
	return p;
}
static void *waits(void *p)
{
	pthread_mutex_lock(&m);
	while (!x)
		pthread_cond_wait(&ready, &m);
	pthread_mutex_unlock(&m);
	return p;
}
static void *both(void *p)
{
	pthread_mutex_lock(&n);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&n);
	return p;
}
static void *reads_locked(void *p)
{
	pthread_rwlock_rdlock(&rw);
	y = x;
	pthread_rwlock_unlock(&rw);
	return p;
}
static void *writes_locked(void *p)
{
	pthread_rwlock_wrlock(&rw);
	y = x;
	pthread_rwlock_unlock(&rw);
	return p;
}
static void *gives_up(void *p)
{
	struct timespec limit;
	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += (limit.tv_nsec + 50000000) / 1000000000;
	limit.tv_nsec = (limit.tv_nsec + 50000000) % 1000000000;
	if (!pthread_rwlock_timedwrlock(&rw, &limit))
		pthread_rwlock_unlock(&rw);
	return p;
}
static pthread_t start(void *(*f)(void *))
{
	pthread_t t;
	x = y = seen = 0;
	flag = 0;
	pthread_create(&t, NULL, f, NULL);
	return t;
}

int main(int argc, char **argv)
{
	const char *test = argc > 1 ? argv[1] : "";

	if (!strcmp(test, "access"))
		SLEAVE_SCHEDULES("after", "write:x@T1 -> read:x@main", "before", "read:x@main -> write:x@T1")
		{
			pthread_t t = start(writes);
			seen = x;
			check(seen == !strcmp(sleave_schedule_name(), "after"));
			pthread_join(t, NULL);
		}
	if (!strcmp(test, "atomic"))
		SLEAVE_SCHEDULES("after", "write:flag@T1 -> read:flag@main", "before", "read:flag@main -> write:flag@T1")
		{
			pthread_t t = start(stores);
			seen = atomic_load(&flag);
			check(seen == !strcmp(sleave_schedule_name(), "after"));
			pthread_join(t, NULL);
		}
	if (!strcmp(test, "copy"))
		SLEAVE_SCHEDULES("after", "write:to.text[0]@T1 -> read:to@main", "before", "read:to@main -> write:to@T1")
		{
			from.text[0] = 7;
			to.text[0] = 0;
			pthread_t t = start(copies);
			check((to.text[0] == 7) == !strcmp(sleave_schedule_name(), "after"));
			pthread_join(t, NULL);
		}
	if (!strcmp(test, "source"))
		SLEAVE_SCHEDULE("read:from@T1 -> write:from#2@main")
		{
			from.text[0] = 7;
			pthread_t t = start(copies);
			from.text[0] = 9;
			pthread_join(t, NULL);
			check(to.text[0] == 7);
		}
	if (!strcmp(test, "lock"))
		SLEAVE_SCHEDULES("T1 first", "unlock:m@T1 -> lock:m@main", "main first", "unlock:m@main -> lock:m@T1",
				 "tried", "lock:m@main -> enter:locks, [enter:locks] -> unlock:m@main")
		{
			pthread_t t = start(locks);
			pthread_mutex_lock(&m);
			x = 5;
			pthread_mutex_unlock(&m);
			pthread_join(t, NULL);
			check(y == (strcmp(sleave_schedule_name(), "T1 first") ? 5 : 0));
		}
	/* the thread that is woken first may not have it yet: the next one takes it */
	if (!strcmp(test, "turns"))
		SLEAVE_SCHEDULE("lock:m@main -> enter:locks@T1, [enter:locks@T1] -> enter:locks@T2, [enter:locks@T2] -> unlock:m@main,"
				"unlock:m@T2 -> lock:m@T1")
		{
			pthread_t t = start(locks), u = start(locks);
			pthread_mutex_lock(&m);
			pthread_mutex_unlock(&m);
			pthread_join(t, NULL);
			pthread_join(u, NULL);
		}
	if (!strcmp(test, "writer"))
		SLEAVE_SCHEDULES("T1 first", "unlock:rw@T1 -> lock:rw@main", "main first", "unlock:rw@main -> lock:rw@T1",
				 "waits", "lock:rw@main -> enter:writes_locked, [enter:writes_locked] -> unlock:rw@main")
		{
			pthread_t t = start(writes_locked);
			pthread_rwlock_rdlock(&rw);
			x = 5;
			pthread_rwlock_unlock(&rw);
			pthread_join(t, NULL);
			check(y == (strcmp(sleave_schedule_name(), "T1 first") ? 5 : 0));
		}
	if (!strcmp(test, "gives up"))
		SLEAVE_SCHEDULE("lock:rw@main -> enter:gives_up, [enter:gives_up] -> enter:reads_locked, exit:reads_locked -> unlock:rw@main")
		{
			pthread_t t = start(gives_up), u = start(reads_locked);
			pthread_rwlock_rdlock(&rw);
			pthread_join(u, NULL);
			pthread_rwlock_unlock(&rw);
			pthread_join(t, NULL);
		}
	/* a writer that has waited goes before readers, so this can't happen */
	if (!strcmp(test, "preferred"))
		SLEAVE_SCHEDULE("lock:rw@main -> enter:writes_locked, [enter:writes_locked] -> enter:reads_locked,"
				"[enter:reads_locked] -> unlock:rw@main, exit:reads_locked -> lock:rw@T1")
		{
			pthread_t t = start(writes_locked), u = start(reads_locked);
			pthread_rwlock_rdlock(&rw);
			pthread_rwlock_unlock(&rw);
			pthread_join(t, NULL);
			pthread_join(u, NULL);
		}
	/* the waiters: first a reader, then a writer */
	if (!strcmp(test, "both wait"))
		SLEAVE_SCHEDULE("lock:rw@main -> enter:reads_locked, [enter:reads_locked] -> enter:writes_locked,"
				"[enter:writes_locked] -> unlock:rw@main")
		{
			pthread_t t = start(writes_locked), u = start(reads_locked);
			pthread_rwlock_wrlock(&rw);
			pthread_rwlock_unlock(&rw);
			pthread_join(t, NULL);
			pthread_join(u, NULL);
		}
	if (!strcmp(test, "wait"))
		SLEAVE_SCHEDULE("wait:ready -> lock:m@main, exit:waits -> write:y#2")
		{
			pthread_t t = start(waits);
			pthread_mutex_lock(&m);
			x = 1;
			pthread_cond_signal(&ready);
			pthread_mutex_unlock(&m);
			pthread_join(t, NULL);
			y = 1;
		}
	if (!strcmp(test, "infeasible"))
		SLEAVE_SCHEDULE("unlock:m@T1 -> unlock:m@main, lock:m@main -> enter:locks")
		{
			pthread_t t = start(locks);
			pthread_mutex_lock(&m);
			pthread_mutex_unlock(&m);
			pthread_join(t, NULL);
		}
	if (!strcmp(test, "never"))
		SLEAVE_SCHEDULE("enter:locks -> write:x#9")
		{
			pthread_join(start(locks), NULL);
		}
	if (!strcmp(test, "unknown"))
		SLEAVE_SCHEDULE("enter:lokcs -> write:x")
		{
			pthread_join(start(locks), NULL);
		}
	if (!strcmp(test, "can't"))
		SLEAVE_INFEASIBLE("both at once", "lock:m@T1 -> lock:m@main, lock:m@main -> unlock:m@T1")
		{
			pthread_t t = start(both);
			pthread_mutex_lock(&m);
			pthread_mutex_unlock(&m);
			pthread_join(t, NULL);
		}
	if (!strcmp(test, "order"))
		SLEAVE_SCHEDULES("kept", "exit:locks@T1 -> enter:both@T2, lock:m@T1 -> lock:m@T2",
				 "broken", "exit:both@T2 -> enter:locks@T1")
		{
			pthread_join(start(locks), NULL);
			pthread_join(start(both), NULL);
		}
	return 0;
}
