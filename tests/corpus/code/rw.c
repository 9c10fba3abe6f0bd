#include "rw.h"

void
rw_init(struct rw *rw)
{
	*rw = (struct rw){0};
	pthread_mutex_init(&rw->lock, NULL);
	pthread_cond_init(&rw->can_read, NULL);
	pthread_cond_init(&rw->can_write, NULL);
}

void
rw_release(struct rw *rw)
{
	pthread_mutex_destroy(&rw->lock);
	pthread_cond_destroy(&rw->can_read);
	pthread_cond_destroy(&rw->can_write);
}

static bool
may_read(const struct rw *rw)
{
	return !rw->writing && !rw->writers_waiting;
}

static bool
may_write(const struct rw *rw)
{
	return !rw->writing && !rw->readers;
}

void
rw_read(struct rw *rw)
{
	pthread_mutex_lock(&rw->lock);
	while (!may_read(rw))
		pthread_cond_wait(&rw->can_read, &rw->lock);
	rw->readers++;
	pthread_mutex_unlock(&rw->lock);
}

bool
rw_try_read(struct rw *rw)
{
	pthread_mutex_lock(&rw->lock);
	bool may = may_read(rw);
	if (may)
		rw->readers++;
	pthread_mutex_unlock(&rw->lock);
	return may;
}

void
rw_write(struct rw *rw)
{
	pthread_mutex_lock(&rw->lock);
	rw->writers_waiting++;
	while (!may_write(rw))
		pthread_cond_wait(&rw->can_write, &rw->lock);
	rw->writers_waiting--;
	rw->writing = true;
	pthread_mutex_unlock(&rw->lock);
}

bool
rw_try_write(struct rw *rw)
{
	pthread_mutex_lock(&rw->lock);
	bool may = may_write(rw);
	if (may)
		rw->writing = true;
	pthread_mutex_unlock(&rw->lock);
	return may;
}

/* Wakes the waiters that may go now. */
static void
wake(struct rw *rw)
{
	if (rw->writers_waiting) {
		if (may_write(rw))
			pthread_cond_signal(&rw->can_write);
	} else if (may_read(rw)) {
		pthread_cond_broadcast(&rw->can_read);
	}
}

void
rw_unlock(struct rw *rw)
{
	pthread_mutex_lock(&rw->lock);
	if (rw->writing)
		rw->writing = false;
	else
		rw->readers--;
	wake(rw);
	pthread_mutex_unlock(&rw->lock);
}

void
rw_downgrade(struct rw *rw)
{
	pthread_mutex_lock(&rw->lock);
	rw->writing = false;
	rw->readers++;
#ifdef BUG
	/* No thread is woken. Waiting readers stay outside, beside a thread that reads, until that one unlocks. */
#else
	wake(rw);
#endif
	pthread_mutex_unlock(&rw->lock);
}
