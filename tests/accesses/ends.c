/*
 * The end of a mutex and its like: the thread that destroys it, frees its memory or writes over it comes after the last use
 * in every interleaving, because it waits for a flag. Of a relaxed flag, nothing puts the use before the end: a race. With
 * "lock" the flag releases and acquires. not_…: what programs do that know that an object may be destroyed as soon as it is
 * unlocked.
 */
#define _GNU_SOURCE
#include "accesses.h"
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

char shared[64];
volatile long sink;

struct all {
	long before;
	pthread_mutex_t mutex, recursive;
	pthread_rwlock_t rwlock;
	pthread_cond_t cond;
	pthread_barrier_t barrier;
	sem_t sem;
	pthread_spinlock_t spin;
	int count;
};

static struct all still, blank;
static struct all *volatile object;
static atomic_int used, references;

static void
make(struct all *a)
{
	static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

	a->mutex = fresh;
	pthread_mutex_init(&a->recursive, NULL);
	pthread_rwlock_init(&a->rwlock, NULL);
	pthread_cond_init(&a->cond, NULL);
	pthread_barrier_init(&a->barrier, NULL, 1);
	sem_init(&a->sem, 0, 1);
	pthread_spin_init(&a->spin, 0);
	object = a;
}

static void (*use)(struct all *a);

static void *
user(void *arg)
{
	use(object);
	atomic_store_explicit(&used, 1, locked ? memory_order_release : memory_order_relaxed);
	return arg;
}

/* The thread is not joined before the end: what is after it is not needed. */
static void
end(struct all *a, void (*uses)(struct all *a), void (*ends)(struct all *a))
{
	pthread_t thread;

	use = uses;
	make(a);
	pthread_create(&thread, NULL, user, NULL);
	while (!atomic_load_explicit(&used, locked ? memory_order_acquire : memory_order_relaxed))
		;
	ends(a);
	pthread_join(thread, NULL);
}

static struct all *
heap(void)
{
	return malloc(sizeof(struct all));
}

#define USE(name, ...)                                                                                            \
	static void use_##name(struct all *a)                                                                     \
	{                                                                                                         \
		__VA_ARGS__;                                                                                      \
	}
USE(mutex, pthread_mutex_lock(&a->mutex); pthread_mutex_unlock(&a->mutex))
USE(trylock, if (!pthread_mutex_trylock(&a->recursive)) pthread_mutex_unlock(&a->recursive))
USE(read, pthread_rwlock_rdlock(&a->rwlock); pthread_rwlock_unlock(&a->rwlock))
USE(write, pthread_rwlock_wrlock(&a->rwlock); pthread_rwlock_unlock(&a->rwlock))
USE(signal, pthread_cond_signal(&a->cond))
USE(broadcast, pthread_cond_broadcast(&a->cond))
USE(barrier, pthread_barrier_wait(&a->barrier))
USE(post, sem_post(&a->sem))
USE(trywait, sem_trywait(&a->sem))
USE(spin, pthread_spin_lock(&a->spin); pthread_spin_unlock(&a->spin))
#undef USE

#define END(name, ...)                                                                                            \
	static void end_##name(struct all *a)                                                                     \
	{                                                                                                         \
		__VA_ARGS__;                                                                                      \
	}
END(mutex, pthread_mutex_destroy(&a->mutex))
END(recursive, pthread_mutex_destroy(&a->recursive))
END(rwlock, pthread_rwlock_destroy(&a->rwlock))
END(cond, pthread_cond_destroy(&a->cond))
END(barrier, pthread_barrier_destroy(&a->barrier))
END(sem, sem_destroy(&a->sem))
END(spin, pthread_spin_destroy(&a->spin))
END(free, free(a))
END(shrink, sink = (long)realloc(a, 0))
END(assign, a->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER)
END(clear, memset(a, 0, sizeof(*a)))
END(copy, *a = blank)
END(spin_assign, a->spin = 1)
#undef END

/* ---- correct programs ---- */

/* The last thread to unlock it destroys it: only the mutex itself orders that. */
static void *
leaves(void *arg)
{
	struct all *a = object;
	int last;

	pthread_mutex_lock(&a->mutex);
	last = --a->count == 0;
	pthread_mutex_unlock(&a->mutex);
	if (last) {
		pthread_mutex_destroy(&a->mutex);
		free(a);
	}
	return arg;
}

static void *
drops(void *arg)
{
	struct all *a = object;

	pthread_rwlock_rdlock(&a->rwlock);
	pthread_rwlock_unlock(&a->rwlock);
	if (atomic_fetch_sub(&references, 1) == 1) {
		pthread_rwlock_destroy(&a->rwlock);
		free(a);
	}
	return arg;
}

static void *
completes(void *arg)
{
	struct all *a = object;

	pthread_mutex_lock(&a->mutex);
	a->count = 1;
	pthread_cond_signal(&a->cond);
	pthread_mutex_unlock(&a->mutex);
	return arg;
}

static void *
posts(void *arg)
{
	sem_post(&object->sem);
	return arg;
}

static void *
meets(void *arg)
{
	pthread_barrier_wait(&object->barrier);
	return arg;
}

static void *
waits(void *arg)
{
	struct all *a = object;

	pthread_mutex_lock(&a->mutex);
	while (!a->count)
		pthread_cond_wait(&a->cond, &a->mutex);
	a->count++;
	pthread_mutex_unlock(&a->mutex);
	return arg;
}

static void
last_one(void)
{
	pthread_t thread;
	struct all *a = heap();

	make(a);
	a->count = 2;
	pthread_create(&thread, NULL, leaves, NULL);
	leaves(NULL);
	pthread_join(thread, NULL);
}

static void
counted(void)
{
	pthread_t thread;

	make(heap());
	references = 2;
	pthread_create(&thread, NULL, drops, NULL);
	drops(NULL);
	pthread_join(thread, NULL);
}

/* On the stack of the thread that waits: gone when it returns, and its memory is written by the next call. */
static __attribute__((noinline)) void
complete_once(void)
{
	pthread_t thread;
	struct all a;

	make(&a);
	a.count = 0;
	pthread_create(&thread, NULL, completes, NULL);
	pthread_mutex_lock(&a.mutex);
	while (!a.count)
		pthread_cond_wait(&a.cond, &a.mutex);
	pthread_mutex_unlock(&a.mutex);
	pthread_cond_destroy(&a.cond);
	pthread_mutex_destroy(&a.mutex);
	pthread_detach(thread);
}

static void
post_once(void)
{
	pthread_t thread;
	struct all *a = heap();

	make(a);
	pthread_create(&thread, NULL, posts, NULL);
	sem_wait(&a->sem);
	sem_wait(&a->sem);
	sem_destroy(&a->sem);
	free(a);
	pthread_detach(thread);
}

static void
meet_once(void)
{
	pthread_t thread;
	struct all *a = heap();

	make(a);
	pthread_barrier_init(&a->barrier, NULL, 2);
	pthread_create(&thread, NULL, meets, NULL);
	pthread_barrier_wait(&a->barrier);
	pthread_barrier_destroy(&a->barrier);
	free(a);
	pthread_detach(thread);
}

/* A condition variable may be destroyed when all that waited have been woken. */
static void
woken(void)
{
	pthread_t thread;

	make(&still);
	still.count = 0;
	pthread_create(&thread, NULL, waits, NULL);
	pthread_mutex_lock(&still.mutex);
	still.count = 1;
	pthread_cond_broadcast(&still.cond);
	pthread_mutex_unlock(&still.mutex);
	pthread_join(thread, NULL);
	pthread_cond_destroy(&still.cond);
}

/* The stack of a thread that has ended is that of the next one, which knows nothing of the first. */
static void *
has_a_mutex(void *arg)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&mutex);
	atomic_store_explicit(&references, (int)(intptr_t)&mutex, memory_order_relaxed);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void
stacks(void)
{
	pthread_t thread;

	for (int i = 0; i < 2; i++) {
		pthread_create(&thread, NULL, has_a_mutex, NULL);
		pthread_detach(thread);
	}
}

#define EACH                                                                                                      \
	SEEN(mutex_destroy, 2, end(&still, use_mutex, end_mutex))                                                 \
	SEEN(trylock_destroy, 2, end(&still, use_trylock, end_recursive))                                         \
	SEEN(read_destroy, 2, end(&still, use_read, end_rwlock))                                                  \
	SEEN(write_destroy, 2, end(&still, use_write, end_rwlock))                                                \
	SEEN(signal_destroy, 2, end(&still, use_signal, end_cond))                                                \
	SEEN(broadcast_destroy, 2, end(&still, use_broadcast, end_cond))                                          \
	SEEN(barrier_destroy, 2, end(&still, use_barrier, end_barrier))                                           \
	SEEN(post_destroy, 2, end(&still, use_post, end_sem))                                                     \
	SEEN(trywait_destroy, 2, end(&still, use_trywait, end_sem))                                               \
	SEEN(spin_destroy, 2, end(&still, use_spin, end_spin))                                                    \
	SEEN(mutex_free, 2, end(heap(), use_mutex, end_free))                                                     \
	SEEN(read_free, 2, end(heap(), use_read, end_free))                                                       \
	SEEN(signal_free, 2, end(heap(), use_signal, end_free))                                                   \
	SEEN(barrier_free, 2, end(heap(), use_barrier, end_free))                                                 \
	SEEN(post_free, 2, end(heap(), use_post, end_free))                                                       \
	SEEN(spin_realloc, 2, end(heap(), use_spin, end_shrink))                                                  \
	SEEN(mutex_assign, 2, end(&still, use_mutex, end_assign))                                                 \
	SEEN(mutex_clear, 2, end(&still, use_mutex, end_clear))                                                   \
	SEEN(trylock_copy, 2, end(&still, use_trylock, end_copy))                                                 \
	SEEN(read_clear, 2, end(heap(), use_read, end_clear))                                                     \
	SEEN(signal_copy, 2, end(heap(), use_signal, end_copy))                                                   \
	SEEN(barrier_clear, 2, end(&still, use_barrier, end_clear))                                               \
	SEEN(post_copy, 2, end(&still, use_post, end_copy))                                                       \
	SEEN(spin_assign, 2, end(&still, use_spin, end_spin_assign))                                              \
	SEEN(assign_lock, 2, end(&still, end_assign, use_mutex))                                                  \
	SEEN(clear_read, 2, end(heap(), end_clear, use_read))                                                     \
	SEEN(copy_signal, 2, end(&still, end_copy, use_signal))                                                   \
	SEEN(not_last_one, 2, last_one())                                                                         \
	SEEN(not_counted, 2, counted())                                                                           \
	SEEN(not_completed, 2, complete_once(); complete_once())                                                  \
	SEEN(not_posted, 2, post_once(); post_once())                                                             \
	SEEN(not_met, 2, meet_once())                                                                             \
	SEEN(not_woken, 2, woken())                                                                               \
	SEEN(not_stacks, 2, stacks())

#define SEEN(name, writes, statement)                                                                             \
	static void act_##name(void)                                                                              \
	{                                                                                                         \
		statement;                                                                                        \
	}
EACH
#undef SEEN
#define SEEN(name, writes, statement) {#name, writes, act_##name},
const struct action actions[] = {EACH{NULL, 0, NULL}};
