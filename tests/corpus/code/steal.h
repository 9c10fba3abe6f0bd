/*
 * Workers that steal: each has a list of tasks of its own, takes the newest of them, and if it has
 * none, the oldest of another worker. A worker that finds nothing parks until there is something.
 */
#ifndef STEAL_H
#define STEAL_H

#include <stdbool.h>

struct stealers;

/* `idle`, if not NULL, is called by a worker that has found nothing, before it parks (for statistics, say). */
struct stealers *stealers_new(unsigned workers, void (*idle)(void *arg, unsigned worker), void *arg);
/* Waits until all tasks are done, stops and frees everything. */
void stealers_stop(struct stealers *stealers);

/* A task for this worker, unless another one steals it. Tasks may push tasks. */
bool stealers_push(struct stealers *stealers, unsigned worker, void (*run)(void *arg, unsigned worker), void *arg);
/* Waits until all tasks are done. */
void stealers_wait(struct stealers *stealers);
unsigned stealers_stolen(struct stealers *stealers);

#endif
