/*
 * Readers and writers: after the published subject of that name.
 */
#include "rw.h"

void
rw_init(struct rw *rw)
{
	pthread_mutex_init(&rw->lock, NULL);
	pthread_mutex_init(&rw->count_lock, NULL);
	pthread_cond_init(&rw->may_read, NULL);
	pthread_cond_init(&rw->may_write, NULL);
	rw->readers = rw->writing = rw->writers_waiting = rw->readers_waiting = 0;
	rw->reads = rw->writes = 0;
}

void
rw_release(struct rw *rw)
{
	pthread_cond_destroy(&rw->may_read);
	pthread_cond_destroy(&rw->may_write);
	pthread_mutex_destroy(&rw->lock);
	pthread_mutex_destroy(&rw->count_lock);
}

static void
count(struct rw *rw, int *what)
{
	pthread_mutex_lock(&rw->count_lock);
	++*what;
	pthread_mutex_unlock(&rw->count_lock);
}

void
rw_read_begin(struct rw *rw)
{
	pthread_mutex_lock(&rw->lock);
	rw->readers_waiting++;
	while (rw->writing || rw->writers_waiting)
		pthread_cond_wait(&rw->may_read, &rw->lock);
	rw->readers_waiting--;
	rw->readers++;
	pthread_mutex_unlock(&rw->lock);
}

void
rw_read_end(struct rw *rw)
{
	pthread_mutex_lock(&rw->lock);
	if (!--rw->readers)
		pthread_cond_signal(&rw->may_write);
	pthread_mutex_unlock(&rw->lock);
	count(rw, &rw->reads);
}

void
rw_write_begin(struct rw *rw)
{
	pthread_mutex_lock(&rw->lock);
	rw->writers_waiting++;
	while (rw->writing || rw->readers)
		pthread_cond_wait(&rw->may_write, &rw->lock);
	rw->writers_waiting--;
	rw->writing = 1;
	pthread_mutex_unlock(&rw->lock);
}

void
rw_write_end(struct rw *rw)
{
	pthread_mutex_lock(&rw->lock);
	rw->writing = 0;
	if (rw->writers_waiting)
		pthread_cond_signal(&rw->may_write);
	else
		pthread_cond_broadcast(&rw->may_read);
	pthread_mutex_unlock(&rw->lock);
	count(rw, &rw->writes);
}

int
rw_uses(struct rw *rw)
{
	int uses;

	pthread_mutex_lock(&rw->count_lock);
	uses = rw->reads + rw->writes;
	pthread_mutex_unlock(&rw->count_lock);
	return uses;
}
