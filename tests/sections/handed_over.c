/*
 * A thread gives up what another is blocked in, and blocks itself in the same call, or between two events: the other is not blocked
 * from then on, even if it has not been woken yet. So both are never blocked before the second has had its turn.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <sleave.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t ready, more;
static int turns, open;

static void *
waits_first(void *unused)
{
	pthread_mutex_lock(&mutex);
	sleave_event("has");
	sleave_event("waits");
	while (!open)
		pthread_cond_wait(&go, &mutex);
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void *
waits_next(void *unused)
{
	sleave_event("locks");
	pthread_mutex_lock(&mutex);
	__atomic_fetch_add(&turns, 1, __ATOMIC_SEQ_CST);
	while (!open)
		pthread_cond_wait(&go, &mutex);
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void
in_one_call(void)
{
	SLEAVE_SCHEDULE("has -> locks, [locks] -> waits, [waits] && [locks] -> looks") {
		pthread_t a, b;

		turns = open = 0;
		pthread_create(&a, NULL, waits_first, NULL);
		pthread_create(&b, NULL, waits_next, NULL);
		sleave_event("looks");
		assert(__atomic_load_n(&turns, __ATOMIC_SEQ_CST) == 1);
		pthread_mutex_lock(&mutex);
		open = 1;
		pthread_cond_broadcast(&go);
		pthread_mutex_unlock(&mutex);
		pthread_join(a, NULL);
		pthread_join(b, NULL);
	}
}

static void *
gives_up(void *kind)
{
	switch (*(const char *)kind) {
	case 'm':
		pthread_mutex_lock(&mutex);
		break;
	case 'w':
		pthread_rwlock_wrlock(&lock);
		break;
	default:
		break;
	}
	sleave_event("has");
	sleave_event("gives");
	switch (*(const char *)kind) {
	case 'm':
		pthread_mutex_unlock(&mutex);
		break;
	case 'w':
		pthread_rwlock_unlock(&lock);
		break;
	default:
		sem_post(&ready);
		break;
	}
	sem_wait(&more);
	return NULL;
}

static void *
takes(void *kind)
{
	sleave_event("locks");
	switch (*(const char *)kind) {
	case 'm':
		pthread_mutex_lock(&mutex);
		break;
	case 'w':
		pthread_rwlock_rdlock(&lock);
		break;
	default:
		sem_wait(&ready);
		break;
	}
	__atomic_fetch_add(&turns, 1, __ATOMIC_SEQ_CST);
	sem_wait(&more);
	switch (*(const char *)kind) {
	case 'm':
		pthread_mutex_unlock(&mutex);
		break;
	case 'w':
		pthread_rwlock_unlock(&lock);
		break;
	default:
		break;
	}
	return NULL;
}

static void
in_two(const char *kind)
{
	SLEAVE_SCHEDULE("has -> locks, [locks] -> gives, [gives] && [locks] -> looks") {
		pthread_t a, b;

		turns = 0;
		pthread_create(&a, NULL, gives_up, (void *)kind);
		pthread_create(&b, NULL, takes, (void *)kind);
		sleave_event("looks");
		assert(__atomic_load_n(&turns, __ATOMIC_SEQ_CST) == 1);
		sem_post(&more);
		sem_post(&more);
		pthread_join(a, NULL);
		pthread_join(b, NULL);
	}
}

int
main(void)
{
	sem_init(&ready, 0, 0);
	sem_init(&more, 0, 0);
	for (int i = 0; i < 50; i++) {
		in_one_call();
		in_two("mutex");
		in_two("write lock");
		in_two("semaphore");
	}
	return 0;
}
