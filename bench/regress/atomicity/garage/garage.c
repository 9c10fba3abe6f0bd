/*
 * A garage: mechanics take the jobs that a manager has written down. After the published subject "garage".
 */
#include "garage.h"

#include <stdlib.h>

void
garage_init(struct garage *g)
{
	*g = (struct garage){.count = 0};
	pthread_mutex_init(&g->lock, NULL);
}

/* ---- with the lock ---- */

static struct job *
get(struct garage *g, int job)
{
	if (job < 0 || job >= g->count)
		abort();
	return &g->jobs[job];
}

/* Urgent ones first. */
static int
choose(const struct garage *g)
{
	int best = -1;

	for (int i = 0; i < g->count; i++) {
		const struct job *j = &g->jobs[i];

		if (j->state == JOB_WAITS && (best < 0 || j->urgent > g->jobs[best].urgent))
			best = i;
	}
	return best;
}

static void
begin(struct garage *g, struct job *job, int mechanic)
{
	job->state = JOB_RUNS;
	job->mechanic = mechanic;
	job->starts++;
	g->running++;
	g->hours[mechanic] += job->hours;
}

/* ---- for all ---- */

int
garage_add(struct garage *g, int part, int hours, int urgent)
{
	int number = -1;

	pthread_mutex_lock(&g->lock);
	if (g->count < JOBS) {
		number = g->count++;
		g->jobs[number] = (struct job){.number = number, .part = part, .hours = hours, .urgent = urgent};
	}
	pthread_mutex_unlock(&g->lock);
	return number;
}

int
garage_next(struct garage *g)
{
	int job;

	pthread_mutex_lock(&g->lock);
	job = choose(g);
	pthread_mutex_unlock(&g->lock);
	return job;
}

void
garage_start(struct garage *g, int job, int mechanic)
{
	pthread_mutex_lock(&g->lock);
	begin(g, get(g, job), mechanic);
	pthread_mutex_unlock(&g->lock);
}

int
garage_take(struct garage *g, int mechanic)
{
	int job;

	pthread_mutex_lock(&g->lock);
	job = choose(g);
	if (job >= 0)
		begin(g, get(g, job), mechanic);
	else
		g->idle_looks++;
	pthread_mutex_unlock(&g->lock);
	return job;
}

void
garage_finish(struct garage *g, int job)
{
	pthread_mutex_lock(&g->lock);
	get(g, job)->state = JOB_DONE;
	g->running--;
	g->done++;
	pthread_mutex_unlock(&g->lock);
}

int
garage_part(struct garage *g, int job)
{
	int part;

	pthread_mutex_lock(&g->lock);
	part = get(g, job)->part;
	pthread_mutex_unlock(&g->lock);
	return part;
}

int
garage_waiting(struct garage *g)
{
	int count = 0;

	pthread_mutex_lock(&g->lock);
	for (int i = 0; i < g->count; i++)
		count += g->jobs[i].state == JOB_WAITS;
	pthread_mutex_unlock(&g->lock);
	return count;
}

int
garage_running(struct garage *g)
{
	int running;

	pthread_mutex_lock(&g->lock);
	running = g->running;
	pthread_mutex_unlock(&g->lock);
	return running;
}

int
garage_done(struct garage *g)
{
	int done;

	pthread_mutex_lock(&g->lock);
	done = g->done;
	pthread_mutex_unlock(&g->lock);
	return done;
}

int
garage_hours(struct garage *g, int mechanic)
{
	int hours;

	pthread_mutex_lock(&g->lock);
	hours = g->hours[mechanic];
	pthread_mutex_unlock(&g->lock);
	return hours;
}

int
garage_starts(struct garage *g, int job)
{
	int starts;

	pthread_mutex_lock(&g->lock);
	starts = get(g, job)->starts;
	pthread_mutex_unlock(&g->lock);
	return starts;
}

int
garage_is_urgent(struct garage *g, int job)
{
	int urgent;

	pthread_mutex_lock(&g->lock);
	urgent = get(g, job)->urgent;
	pthread_mutex_unlock(&g->lock);
	return urgent;
}

int
garage_oldest(struct garage *g)
{
	int oldest = -1;

	pthread_mutex_lock(&g->lock);
	for (int i = 0; i < g->count && oldest < 0; i++)
		if (g->jobs[i].state == JOB_RUNS)
			oldest = i;
	pthread_mutex_unlock(&g->lock);
	return oldest;
}
