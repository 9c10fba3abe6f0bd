/* Functions that return their error leave errno alone, whether they succeed or fail; so do other functions that succeed. */
#include "conformance.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static pthread_t thread;
static sem_t semaphore;
static struct timespec now, nothing;
static int number, ignored;
static const struct timespec past = {1, 0}, bad = {1, 1000000000};

static void none(void) {}
static void *echo(void *v) { return v; }

#define CALL(call)                                                                                                \
	do {                                                                                                      \
		errno = 777;                                                                                      \
		int result = (int)(call);                                                                         \
		int after = errno;                                                                                \
		begin("after.%d", ++number);                                                                      \
		returns(result);                                                                                  \
		value(after);                                                                                     \
	} while (0)

CASE(kept)
{
	CALL(pthread_mutex_lock(&mutex));
	CALL(pthread_mutex_trylock(&mutex));
	CALL(pthread_mutex_timedlock(&mutex, &past));
	CALL(pthread_mutex_timedlock(&mutex, &bad));
	CALL(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &past));
	CALL(pthread_cond_timedwait(&condition, &mutex, &past));
	CALL(pthread_cond_timedwait(&condition, &mutex, &bad));
	CALL(pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &past));
	CALL(pthread_cond_signal(&condition));
	CALL(pthread_cond_broadcast(&condition));
	CALL(pthread_mutex_unlock(&mutex));
	CALL(pthread_mutex_unlock(&checked));
	CALL(pthread_mutex_lock(&checked));
	CALL(pthread_mutex_lock(&checked));
	CALL(pthread_mutex_unlock(&checked));
	CALL(pthread_rwlock_rdlock(&lock));
	CALL(pthread_rwlock_trywrlock(&lock));
	CALL(pthread_rwlock_timedwrlock(&lock, &past));
	CALL(pthread_rwlock_unlock(&lock));
	CALL(pthread_rwlock_wrlock(&lock));
	CALL(pthread_rwlock_rdlock(&lock));
	CALL(pthread_rwlock_tryrdlock(&lock));
	CALL(pthread_rwlock_unlock(&lock));
	CALL(pthread_spin_init(&spin, 0));
	CALL(pthread_spin_lock(&spin));
	CALL(pthread_spin_trylock(&spin));
	CALL(pthread_spin_unlock(&spin));
	CALL(pthread_barrier_init(&barrier, NULL, 1));
	CALL(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
	CALL(pthread_barrier_destroy(&barrier));
	CALL(pthread_once(&once, none));
	CALL(pthread_once(&once, none));
	CALL(pthread_key_create(&key, NULL));
	CALL(pthread_setspecific(key, &key));
	CALL(pthread_getspecific(key) == &key);
	CALL(pthread_key_delete(key));
	CALL(pthread_key_delete(key));
	CALL(pthread_create(&thread, NULL, echo, NULL));
	CALL(pthread_join(thread, NULL));
	CALL(pthread_join(pthread_self(), NULL));
	CALL(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL));
	CALL(pthread_setcancelstate(77, NULL));
	CALL(sem_init(&semaphore, 0, 1));
	CALL(sem_wait(&semaphore));
	CALL(sem_post(&semaphore));
	CALL(sem_trywait(&semaphore));
	CALL(sem_getvalue(&semaphore, &ignored));
	CALL(sem_destroy(&semaphore));
	CALL(sched_yield());
	CALL(clock_gettime(CLOCK_MONOTONIC, &now));
	CALL(nanosleep(&nothing, NULL));
	CALL(clock_nanosleep(CLOCK_MONOTONIC, 0, &nothing, NULL));
	CALL(clock_nanosleep(12345, 0, &nothing, NULL));
	CALL(usleep(1));
	CALL(pthread_setname_np(pthread_self(), "much too long a name"));
	CALL(pthread_mutex_destroy(&mutex));
	CALL(pthread_cond_destroy(&condition));
	CALL(pthread_rwlock_destroy(&lock));
}

static int
fails_elsewhere(void *unused)
{
	(void)unused;
	errno = 0;
	sem_trywait(&semaphore);
	return errno;
}

/* Another thread's failure is its own, also when it happens while this one waits. */
CASE(of_each_thread)
{
	sem_init(&semaphore, 0, 0);
	errno = 777;
	int theirs = other(fails_elsewhere, NULL);
	int mine = errno;
	returns(theirs);
	value(mine);
}
