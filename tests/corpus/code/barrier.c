#include "barrier.h"

void
barrier_init(struct barrier *b, unsigned parties, void (*action)(void *), void *arg)
{
	*b = (struct barrier){.parties = parties, .action = action, .arg = arg};
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->changed, NULL);
}

void
barrier_release(struct barrier *b)
{
	pthread_mutex_destroy(&b->lock);
	pthread_cond_destroy(&b->changed);
}

static void
act(struct barrier *b)
{
	if (!b->action)
		return;
	pthread_mutex_unlock(&b->lock);
	b->action(b->arg);
	pthread_mutex_lock(&b->lock);
}

/* All other threads may go; those that come from now on belong to the next round. */
static void
open_for_all(struct barrier *b)
{
	b->arrived = 0;
	b->round++;
	pthread_cond_broadcast(&b->changed);
}

enum barrier_result
barrier_wait(struct barrier *b)
{
	enum barrier_result result = BARRIER_PASSED;

	pthread_mutex_lock(&b->lock);
	unsigned round = b->round;
	if (b->broken) {
		result = BARRIER_BROKEN;
	} else if (++b->arrived == b->parties) {
		result = BARRIER_LAST;
#ifdef BUG
		/* The other threads are released first, and see what the action leaves half done. */
		open_for_all(b);
		act(b);
#else
		act(b);
		open_for_all(b);
#endif
	} else {
		while (b->round == round && !b->broken)
			pthread_cond_wait(&b->changed, &b->lock);
		if (b->round == round)
			result = BARRIER_BROKEN;
	}
	pthread_mutex_unlock(&b->lock);
	return result;
}

void
barrier_break(struct barrier *b)
{
	pthread_mutex_lock(&b->lock);
	b->broken = true;
	b->arrived = 0;
	pthread_cond_broadcast(&b->changed);
	pthread_mutex_unlock(&b->lock);
}

void
barrier_mend(struct barrier *b)
{
	pthread_mutex_lock(&b->lock);
	b->broken = false;
	b->arrived = 0;
	b->round++;
	pthread_mutex_unlock(&b->lock);
}

unsigned
barrier_waiting(struct barrier *b)
{
	pthread_mutex_lock(&b->lock);
	unsigned waiting = b->arrived;
	pthread_mutex_unlock(&b->lock);
	return waiting;
}
