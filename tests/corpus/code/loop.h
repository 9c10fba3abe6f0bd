/*
 * An event loop: one thread runs it, waits for descriptors, and calls functions. Other threads post functions to it; a
 * pipe wakes the loop up.
 */
#ifndef LOOP_H
#define LOOP_H

#include <stdbool.h>

struct loop;

struct loop *loop_new(void);
/* It does not run any more. */
void loop_free(struct loop *loop);

/* Runs until it is stopped; what was posted before is done then. Returns how many posted functions were called. */
unsigned loop_run(struct loop *loop);
void loop_stop(struct loop *loop);

/* From any thread: the loop calls it, in the order of posting. */
bool loop_post(struct loop *loop, void (*call)(void *arg), void *arg);
/* Calls the function whenever there is something to read. Before the loop runs, or by the loop itself. */
bool loop_watch(struct loop *loop, int fd, void (*call)(void *arg, int fd), void *arg);

#endif
