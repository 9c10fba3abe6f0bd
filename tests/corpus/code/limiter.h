/*
 * A rate limiter: threads take tokens out of a bucket that is filled up from time to time, and wait, in the order in
 * which they came, if there are too few. Filling up is up to the caller (a timer's callback, say).
 */
#ifndef LIMITER_H
#define LIMITER_H

#include <pthread.h>
#include <stdbool.h>

struct limiter;

/* The bucket is full at first. */
struct limiter *limiter_new(unsigned capacity);
/* No thread waits any more. */
void limiter_free(struct limiter *limiter);

/* A waiter. */
struct ticket {
	pthread_cond_t turn; /* it is the first, and something has changed; or it is cancelled */
	bool cancelled;
	struct ticket *next;
};

/* Takes tokens, or waits until there are enough; false: cancelled. `ticket` is the caller's, for cancelling. */
bool limiter_take(struct limiter *limiter, unsigned tokens, struct ticket *ticket);
/* False also if there are too few now, or others wait. */
bool limiter_try_take(struct limiter *limiter, unsigned tokens);
/* The waiter with this ticket gives up. It does not matter if there is none. */
void limiter_cancel(struct limiter *limiter, struct ticket *ticket);

void limiter_fill(struct limiter *limiter, unsigned tokens);
unsigned limiter_tokens(struct limiter *limiter);

#endif
