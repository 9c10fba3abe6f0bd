/*
 * A thread ends with a robust mutex locked. The next owner is told, repairs what the mutex protects and goes on;
 * the owner after it notices nothing. A mutex that is not repaired cannot be used any more. Nothing is to be found.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock, lost;
static int half, told;

static void
take(void)
{
	int answer = pthread_mutex_lock(&lock);

	if (answer == EOWNERDEAD) {
		told++;
		half = 0;
		assert(pthread_mutex_consistent(&lock) == 0);
	} else {
		assert(answer == 0);
	}
}

static void *
die(void *unused)
{
	take();
	half = 1;
	return unused;
}

static void *
work(void *unused)
{
	take();
	assert(!half);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *
lose(void *unused)
{
	pthread_mutex_lock(&lost);
	return unused;
}

int
main(void)
{
	pthread_mutexattr_t robust;
	pthread_t threads[3];

	pthread_mutexattr_init(&robust);
	pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&lock, &robust);
	pthread_mutex_init(&lost, &robust);
	pthread_create(&threads[0], NULL, die, NULL);
	pthread_create(&threads[1], NULL, work, NULL);
	pthread_create(&threads[2], NULL, lose, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	take();
	assert(told == 1);
	assert(pthread_mutex_consistent(&lock) == EINVAL);
	pthread_mutex_unlock(&lock);
	assert(pthread_mutex_trylock(&lost) == EOWNERDEAD);
	assert(pthread_mutex_unlock(&lost) == 0);
	assert(pthread_mutex_lock(&lost) == ENOTRECOVERABLE);
	assert(pthread_mutex_trylock(&lost) == ENOTRECOVERABLE);
	assert(pthread_mutex_unlock(&lost) == EPERM);
	return 0;
}
