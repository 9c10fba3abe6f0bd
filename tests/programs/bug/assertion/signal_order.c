/*
 * Assumes that a signal wakes the thread that waited first. It may wake any waiter.
 */
/* expect: seen == 1 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static int queued, woken, next;

static void *
waiter(void *arg)
{
	int ticket;

	pthread_mutex_lock(&lock);
	ticket = ++queued;
	pthread_cond_wait(&go, &lock);
	next = ticket;
	woken++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int
main(void)
{
	pthread_t a, b;
	int all = 0, seen = 0;

	pthread_create(&a, NULL, waiter, NULL);
	pthread_create(&b, NULL, waiter, NULL);
	for (; all < 2; pthread_mutex_unlock(&lock)) {
		pthread_mutex_lock(&lock);
		all = queued;
	}
	pthread_cond_signal(&go);
	for (all = 0; all < 1; pthread_mutex_unlock(&lock)) {
		pthread_mutex_lock(&lock);
		all = woken;
		seen = next;
	}
	assert(seen == 1);
	pthread_cond_signal(&go);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
