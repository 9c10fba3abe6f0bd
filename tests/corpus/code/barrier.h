/*
 * A reusable barrier: a number of threads meet, the last one
 * performs an action for all of them, and then all continue.
 */
#ifndef BARRIER_H
#define BARRIER_H

#include <pthread.h>
#include <stdbool.h>

struct barrier {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned parties, arrived, round;
	bool broken;
	void (*action)(void *arg);
	void *arg;
};

enum barrier_result { BARRIER_PASSED, BARRIER_LAST, BARRIER_BROKEN };

/* `action` may be NULL. It is called without a lock, while all other threads wait. */
void barrier_init(struct barrier *b, unsigned parties, void (*action)(void *arg), void *arg);
void barrier_release(struct barrier *b);

enum barrier_result barrier_wait(struct barrier *b);
/* Waiting and later threads get the result that it is broken, … */
void barrier_break(struct barrier *b);
/* … until it is reset. No thread waits then. */
void barrier_mend(struct barrier *b);
/* The number of waiting threads. */
unsigned barrier_waiting(struct barrier *b);

#endif
