#include "future.h"

#include <pthread.h>
#include <stdlib.h>

struct call {
	void (*call)(void *arg, int value);
	void *arg;
	struct call *next;
};

struct future {
	pthread_mutex_t lock;
	pthread_cond_t settled;
	enum future_state state;
	bool setting; /* a thread calls the functions left for it; the value is known, the state is still pending */
	int value;
	struct call *calls, **end;
};

struct future *
future_new(void)
{
	struct future *f = calloc(1, sizeof *f);

	if (!f)
		return NULL;
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->settled, NULL);
	f->end = &f->calls;
	return f;
}

static struct call *
all_calls(struct future *f)
{
	struct call *calls = f->calls;

	f->calls = NULL;
	f->end = &f->calls;
	return calls;
}

void
future_free(struct future *f)
{
	for (struct call *call = all_calls(f), *next; call; call = next) {
		next = call->next;
		free(call);
	}
	pthread_mutex_destroy(&f->lock);
	pthread_cond_destroy(&f->settled);
	free(f);
}

/* Calls the functions left for it, without the lock: a function may use the future. Returns with the lock. */
static void
call_all(struct future *f)
{
	struct call *calls = all_calls(f);

	pthread_mutex_unlock(&f->lock);
	for (struct call *next; calls; calls = next) {
		next = calls->next;
		calls->call(calls->arg, f->value);
		free(calls);
	}
	pthread_mutex_lock(&f->lock);
}

bool
future_set(struct future *f, int value)
{
	pthread_mutex_lock(&f->lock);
	bool first = f->state == FUTURE_PENDING && !f->setting;
	if (first) {
		f->setting = true;
		f->value = value;
#ifdef BUG
		/* A function that is left while the others are called is never called: once is not enough. */
		call_all(f);
#else
		while (f->calls)
			call_all(f);
#endif
		f->state = FUTURE_READY;
		pthread_cond_broadcast(&f->settled);
	}
	pthread_mutex_unlock(&f->lock);
	return first;
}

bool
future_cancel(struct future *f)
{
	pthread_mutex_lock(&f->lock);
	bool first = f->state == FUTURE_PENDING && !f->setting;
	if (first) {
		f->state = FUTURE_CANCELLED;
		pthread_cond_broadcast(&f->settled);
	}
	pthread_mutex_unlock(&f->lock);
	return first;
}

bool
future_get(struct future *f, int *value)
{
	pthread_mutex_lock(&f->lock);
	while (f->state == FUTURE_PENDING)
		pthread_cond_wait(&f->settled, &f->lock);
	bool ready = f->state == FUTURE_READY;
	if (ready)
		*value = f->value;
	pthread_mutex_unlock(&f->lock);
	return ready;
}

enum future_state
future_state(struct future *f)
{
	pthread_mutex_lock(&f->lock);
	enum future_state state = f->state;
	pthread_mutex_unlock(&f->lock);
	return state;
}

bool
future_then(struct future *f, void (*function)(void *, int), void *arg)
{
	struct call *call = malloc(sizeof *call);

	if (!call)
		return false;
	*call = (struct call){function, arg, NULL};
	pthread_mutex_lock(&f->lock);
	enum future_state state = f->state;
	if (state == FUTURE_PENDING) {
		*f->end = call;
		f->end = &call->next;
	}
	pthread_mutex_unlock(&f->lock);
	if (state == FUTURE_PENDING)
		return true;
	free(call);
	if (state == FUTURE_READY)
		function(arg, f->value);
	return true;
}
