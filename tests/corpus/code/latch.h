/* A latch: threads wait until a counter has reached zero; from then on no thread waits. */
#ifndef LATCH_H
#define LATCH_H

#include <pthread.h>
#include <stdbool.h>

struct latch {
	pthread_mutex_t lock;
	pthread_cond_t open;
	unsigned count, waiting;
};

void latch_init(struct latch *latch, unsigned count);
/* Waits until the released threads have left. */
void latch_release(struct latch *latch);

void latch_count_down(struct latch *latch);
/* Counts up, unless it is open already: then false. */
bool latch_add(struct latch *latch, unsigned count);

void latch_wait(struct latch *latch);
/* Counts down and waits for the others. */
void latch_arrive(struct latch *latch);
/* For at most so many milliseconds; false: it is still closed. */
bool latch_wait_within(struct latch *latch, unsigned milliseconds);
unsigned latch_count(struct latch *latch);

#endif
