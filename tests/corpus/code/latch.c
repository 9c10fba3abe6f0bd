#include "latch.h"

#include <errno.h>
#include <time.h>

void
latch_init(struct latch *latch, unsigned count)
{
	*latch = (struct latch){.count = count};
	pthread_mutex_init(&latch->lock, NULL);
	pthread_cond_init(&latch->open, NULL);
}

void
latch_release(struct latch *latch)
{
	pthread_mutex_lock(&latch->lock);
	while (latch->waiting)
		pthread_cond_wait(&latch->open, &latch->lock);
	pthread_mutex_unlock(&latch->lock);
	pthread_mutex_destroy(&latch->lock);
	pthread_cond_destroy(&latch->open);
}

static void
down(struct latch *latch)
{
	if (latch->count && !--latch->count) {
#ifdef BUG
		/* Enough for one waiter; a second one waits for ever. */
		pthread_cond_signal(&latch->open);
#else
		pthread_cond_broadcast(&latch->open);
#endif
	}
}

/* With the lock. The last thread that leaves notifies the one that wants to destroy the latch. */
static bool
wait_until(struct latch *latch, const struct timespec *until)
{
	int error = 0;

	latch->waiting++;
	while (latch->count && error != ETIMEDOUT)
		error = until ? pthread_cond_timedwait(&latch->open, &latch->lock, until)
			      : pthread_cond_wait(&latch->open, &latch->lock);
	if (!--latch->waiting)
		pthread_cond_broadcast(&latch->open);
	return !latch->count;
}

void
latch_count_down(struct latch *latch)
{
	pthread_mutex_lock(&latch->lock);
	down(latch);
	pthread_mutex_unlock(&latch->lock);
}

bool
latch_add(struct latch *latch, unsigned count)
{
	pthread_mutex_lock(&latch->lock);
	bool closed = latch->count > 0;
	if (closed)
		latch->count += count;
	pthread_mutex_unlock(&latch->lock);
	return closed;
}

void
latch_wait(struct latch *latch)
{
	pthread_mutex_lock(&latch->lock);
	wait_until(latch, NULL);
	pthread_mutex_unlock(&latch->lock);
}

void
latch_arrive(struct latch *latch)
{
	pthread_mutex_lock(&latch->lock);
	down(latch);
	wait_until(latch, NULL);
	pthread_mutex_unlock(&latch->lock);
}

bool
latch_wait_within(struct latch *latch, unsigned milliseconds)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += milliseconds / 1000;
	until.tv_nsec += milliseconds % 1000 * 1000000L;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	pthread_mutex_lock(&latch->lock);
	bool opened = wait_until(latch, &until);
	pthread_mutex_unlock(&latch->lock);
	return opened;
}

unsigned
latch_count(struct latch *latch)
{
	pthread_mutex_lock(&latch->lock);
	unsigned count = latch->count;
	pthread_mutex_unlock(&latch->lock);
	return count;
}
