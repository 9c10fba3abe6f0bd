/*
 * A robust mutex whose owner has died is marked as consistent, but what it protects is not repaired:
 * in the orders in which the thread that died came first, the next owner finds half of a change.
 */
/* expect: !half */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock;
static int half;

static void *
die(void *unused)
{
	pthread_mutex_lock(&lock);
	half = 1;
	return unused;
}

static void *
work(void *unused)
{
	if (pthread_mutex_lock(&lock) == EOWNERDEAD)
		pthread_mutex_consistent(&lock);
	assert(!half);
	pthread_mutex_unlock(&lock);
	return unused;
}

int
main(void)
{
	pthread_mutexattr_t robust;
	pthread_t a, b;

	pthread_mutexattr_init(&robust);
	pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&lock, &robust);
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, die, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
