/*
 * A thread releases what another is blocked in, and blocks itself in the same call, or between two events: the other is not
 * blocked from then on, even if it has not been woken yet. So both are never blocked before the second has had its turn.
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

static void
take_mutex(void)
{
	pthread_mutex_lock(&mutex);
}

static void
give_mutex(void)
{
	pthread_mutex_unlock(&mutex);
}

static void
take_to_write(void)
{
	pthread_rwlock_wrlock(&lock);
}

static void
take_to_read(void)
{
	pthread_rwlock_rdlock(&lock);
}

static void
give_lock(void)
{
	pthread_rwlock_unlock(&lock);
}

static void
pass(void)
{
	sem_wait(&ready);
}

static void
let_pass(void)
{
	sem_post(&ready);
}

static void
nothing(void)
{
}

/* What the first thread takes and releases, and what the next then takes and returns. */
struct kind {
	void (*first)(void), (*gives_up)(void), (*next)(void), (*gives_back)(void);
};
static const struct kind mutexes = {take_mutex, give_mutex, take_mutex, give_mutex},
			 locks = {take_to_write, give_lock, take_to_read, give_lock},
			 semaphores = {nothing, let_pass, pass, nothing};

static void *
gives_up(void *argument)
{
	const struct kind *kind = argument;

	kind->first();
	sleave_event("has");
	sleave_event("gives");
	kind->gives_up();
	sem_wait(&more);
	return NULL;
}

static void *
takes(void *argument)
{
	const struct kind *kind = argument;

	sleave_event("locks");
	kind->next();
	__atomic_fetch_add(&turns, 1, __ATOMIC_SEQ_CST);
	sem_wait(&more);
	kind->gives_back();
	return NULL;
}

static void
in_two(const struct kind *kind)
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
		in_two(&mutexes);
		in_two(&locks);
		in_two(&semaphores);
	}
	return 0;
}
