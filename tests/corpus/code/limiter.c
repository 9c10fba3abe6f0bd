#include "limiter.h"

#include <stdlib.h>

struct limiter {
	pthread_mutex_t lock;
	unsigned capacity, tokens;
	struct ticket *first; /* the waiters, in the order in which they came */
};

struct limiter *
limiter_new(unsigned capacity)
{
	struct limiter *l = calloc(1, sizeof *l);

	if (!l)
		return NULL;
	pthread_mutex_init(&l->lock, NULL);
	l->capacity = l->tokens = capacity;
	return l;
}

void
limiter_free(struct limiter *l)
{
	pthread_mutex_destroy(&l->lock);
	free(l);
}

static struct ticket **
link_of(struct limiter *l, struct ticket *ticket)
{
	struct ticket **link = &l->first;

	while (*link && *link != ticket)
		link = &(*link)->next;
	return link;
}

/* Only the first one can go; waking the others would be pointless. */
static void
wake_first(struct limiter *l)
{
	if (l->first)
		pthread_cond_signal(&l->first->turn);
}

bool
limiter_take(struct limiter *l, unsigned tokens, struct ticket *ticket)
{
	*ticket = (struct ticket){0};
	pthread_cond_init(&ticket->turn, NULL);
	pthread_mutex_lock(&l->lock);
	*link_of(l, NULL) = ticket;
	while (!ticket->cancelled && (l->first != ticket || l->tokens < tokens))
		pthread_cond_wait(&ticket->turn, &l->lock);
	bool cancelled = ticket->cancelled;
	if (!cancelled)
		l->tokens -= tokens;
	*link_of(l, ticket) = ticket->next;
#ifdef BUG
	/* A waiter that gives up has taken nothing, so nothing has changed? There may be enough for the next one. */
	if (!cancelled)
		wake_first(l);
#else
	wake_first(l);
#endif
	pthread_mutex_unlock(&l->lock);
	pthread_cond_destroy(&ticket->turn);
	return !cancelled;
}

bool
limiter_try_take(struct limiter *l, unsigned tokens)
{
	pthread_mutex_lock(&l->lock);
	bool enough = !l->first && l->tokens >= tokens;
	if (enough)
		l->tokens -= tokens;
	pthread_mutex_unlock(&l->lock);
	return enough;
}

void
limiter_cancel(struct limiter *l, struct ticket *ticket)
{
	pthread_mutex_lock(&l->lock);
	if (*link_of(l, ticket)) {
		ticket->cancelled = true;
		pthread_cond_signal(&ticket->turn);
	}
	pthread_mutex_unlock(&l->lock);
}

void
limiter_fill(struct limiter *l, unsigned tokens)
{
	pthread_mutex_lock(&l->lock);
	l->tokens = tokens < l->capacity - l->tokens ? l->tokens + tokens : l->capacity;
	wake_first(l);
	pthread_mutex_unlock(&l->lock);
}

unsigned
limiter_tokens(struct limiter *l)
{
	pthread_mutex_lock(&l->lock);
	unsigned tokens = l->tokens;
	pthread_mutex_unlock(&l->lock);
	return tokens;
}
