#include "steal.h"

#include <pthread.h>
#include <stdlib.h>

#define MOST_TASKS 64

struct task {
	void (*run)(void *arg, unsigned worker);
	void *arg;
};

/* oldest … newest - 1, modulo the size */
struct worker {
	struct stealers *all;
	pthread_t thread;
	pthread_mutex_t lock;
	unsigned number, oldest, newest;
	struct task tasks[MOST_TASKS];
};

struct stealers {
	pthread_mutex_t lock;
	pthread_cond_t pushed, finished;
	unsigned unfinished; /* tasks: pushed and not done */
	unsigned waiting;    /* tasks: pushed and not begun */
	unsigned stolen;
	bool stopping;
	void (*idle)(void *arg, unsigned worker);
	void *arg;
	unsigned count;
	struct worker workers[];
};

static bool
take(struct worker *from, bool steal, struct task *task)
{
	pthread_mutex_lock(&from->lock);
	bool any = from->oldest != from->newest;
	if (any)
		*task = from->tasks[(steal ? from->oldest++ : --from->newest) % MOST_TASKS];
	pthread_mutex_unlock(&from->lock);
	return any;
}

static bool
find_task(struct worker *w, struct task *task)
{
	struct stealers *all = w->all;
	unsigned i = 0;
	bool any = take(w, false, task);

	while (!any && ++i < all->count)
		any = take(&all->workers[(w->number + i) % all->count], true, task);
	if (any) {
		pthread_mutex_lock(&all->lock);
		all->waiting--;
		all->stolen += i > 0;
		pthread_mutex_unlock(&all->lock);
	}
	return any;
}

/* Waits for something to do. False: there will be nothing any more. */
static bool
park(struct worker *w)
{
	struct stealers *all = w->all;

	if (all->idle)
		all->idle(all->arg, w->number);
	pthread_mutex_lock(&all->lock);
#ifdef BUG
	/* Nothing was there a moment ago; but something may have been pushed since then, and is not pushed again. */
	if (!all->stopping)
		pthread_cond_wait(&all->pushed, &all->lock);
#else
	while (!all->waiting && !all->stopping)
		pthread_cond_wait(&all->pushed, &all->lock);
#endif
	bool more = all->waiting || !all->stopping;
	pthread_mutex_unlock(&all->lock);
	return more;
}

static void *
work(void *arg)
{
	struct worker *w = arg;
	struct task task;

	do
		while (find_task(w, &task)) {
			task.run(task.arg, w->number);
			pthread_mutex_lock(&w->all->lock);
			if (!--w->all->unfinished)
				pthread_cond_broadcast(&w->all->finished);
			pthread_mutex_unlock(&w->all->lock);
		}
	while (park(w));
	return NULL;
}

struct stealers *
stealers_new(unsigned workers, void (*idle)(void *, unsigned), void *arg)
{
	struct stealers *all = calloc(1, sizeof *all + workers * sizeof *all->workers);

	if (!all)
		return NULL;
	pthread_mutex_init(&all->lock, NULL);
	pthread_cond_init(&all->pushed, NULL);
	pthread_cond_init(&all->finished, NULL);
	all->idle = idle;
	all->arg = arg;
	all->count = workers;
	for (unsigned i = 0; i < workers; i++) {
		all->workers[i].all = all;
		all->workers[i].number = i;
		pthread_mutex_init(&all->workers[i].lock, NULL);
	}
	for (unsigned i = 0; i < workers; i++)
		if (pthread_create(&all->workers[i].thread, NULL, work, &all->workers[i]))
			abort();
	return all;
}

bool
stealers_push(struct stealers *all, unsigned worker, void (*run)(void *, unsigned), void *arg)
{
	struct worker *w = &all->workers[worker];

	pthread_mutex_lock(&all->lock);
	pthread_mutex_lock(&w->lock);
	bool room = w->newest - w->oldest < MOST_TASKS;
	if (room)
		w->tasks[w->newest++ % MOST_TASKS] = (struct task){run, arg};
	pthread_mutex_unlock(&w->lock);
	if (room) {
		all->unfinished++;
		all->waiting++;
		pthread_cond_signal(&all->pushed);
	}
	pthread_mutex_unlock(&all->lock);
	return room;
}

void
stealers_wait(struct stealers *all)
{
	pthread_mutex_lock(&all->lock);
	while (all->unfinished)
		pthread_cond_wait(&all->finished, &all->lock);
	pthread_mutex_unlock(&all->lock);
}

unsigned
stealers_stolen(struct stealers *all)
{
	pthread_mutex_lock(&all->lock);
	unsigned stolen = all->stolen;
	pthread_mutex_unlock(&all->lock);
	return stolen;
}

void
stealers_stop(struct stealers *all)
{
	stealers_wait(all);
	pthread_mutex_lock(&all->lock);
	all->stopping = true;
	pthread_cond_broadcast(&all->pushed);
	pthread_mutex_unlock(&all->lock);
	/* All threads must have ended: each looks into the lists of the others. */
	for (unsigned i = 0; i < all->count; i++)
		pthread_join(all->workers[i].thread, NULL);
	for (unsigned i = 0; i < all->count; i++)
		pthread_mutex_destroy(&all->workers[i].lock);
	pthread_mutex_destroy(&all->lock);
	pthread_cond_destroy(&all->pushed);
	pthread_cond_destroy(&all->finished);
	free(all);
}
