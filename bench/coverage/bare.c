/*
 * A subject without Sleave: only a log of lock acquisitions, and an occasional yield before one. Linked with --wrap, so that the
 * program's calls come here. BARE_LOG is the file, BARE_CHANCE the probability of a yield in 1/1000, BARE_SEED a number.
 *
 * The log has two words for each acquisition, in order: the lock, and the place in the code; a place of 0 is its initialisation.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 1 << 20 };

static struct {
	uint64_t lock, place;
} taken[MOST];
static atomic_uint count, threads;
static unsigned chance;
static uint64_t seed;
static _Thread_local uint64_t state;

int __real_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr);
int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __real_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex);
int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex);

static uint64_t
number_of(const char *name)
{
	const char *text = getenv(name);
	return text ? strtoull(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void
begin(void)
{
	chance = (unsigned)number_of("BARE_CHANCE");
	seed = number_of("BARE_SEED");
}

__attribute__((destructor)) static void
end(void)
{
	const char *path = getenv("BARE_LOG");
	int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	size_t size = count * sizeof(*taken);
	if (count > MOST || file < 0 || write(file, taken, size) != (ssize_t)size)
		_exit(125);
	close(file);
}

static void
note(pthread_mutex_t *mutex, void *place)
{
	unsigned at = atomic_fetch_add(&count, 1);
	if (at < MOST) {
		taken[at].lock = (uintptr_t)mutex;
		taken[at].place = (uintptr_t)place;
	}
}

static void
yield(void)
{
	if (!chance)
		return;
	if (!state)
		state = (seed * 1000003 + atomic_fetch_add(&threads, 1) + 1) * 0x9e3779b97f4a7c15u | 1;
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	if ((state >> 33) % 1000 < chance)
		sched_yield();
}

int
__wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr)
{
	note(mutex, NULL);
	return __real_pthread_mutex_init(mutex, attr);
}

int
__wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
	yield();
	int error = __real_pthread_mutex_lock(mutex);
	note(mutex, __builtin_return_address(0));
	return error;
}

int
__wrap_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	yield();
	int error = __real_pthread_cond_wait(cond, mutex);
	note(mutex, __builtin_return_address(0));
	return error;
}
