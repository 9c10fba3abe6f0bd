/* A value that is set later: threads wait for it, or leave a function that is called with it. */
#ifndef FUTURE_H
#define FUTURE_H

#include <stdbool.h>

enum future_state { FUTURE_PENDING, FUTURE_READY, FUTURE_CANCELLED };

struct future;

struct future *future_new(void);
/* No thread may wait for it any more. */
void future_free(struct future *f);

/* Sets the value, once; then calls what was left for it. False: it is set or cancelled already. */
bool future_set(struct future *f, int value);
/* Ends all waits for it, and calls none of the functions left for it. False: it is set already. */
bool future_cancel(struct future *f);

/* Waits; true and the value, or false if it was cancelled. */
bool future_get(struct future *f, int *value);
enum future_state future_state(struct future *f);

/* Calls the function with the value: when it is set, by the thread that sets it; at once if it is set already. */
bool future_then(struct future *f, void (*call)(void *arg, int value), void *arg);

#endif
