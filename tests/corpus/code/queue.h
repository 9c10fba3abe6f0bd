/* A bounded queue of numbers for any number of threads: a put into a full one, and a take from an empty one, waits. */
#ifndef QUEUE_H
#define QUEUE_H

#include <stdbool.h>
#include <stddef.h>

struct queue;

struct queue *queue_new(size_t capacity);
void queue_free(struct queue *q);

/* False: the queue is closed, and nothing was put. */
bool queue_put(struct queue *q, int value);
/* False: closed and empty. What was put before it was closed can still be taken. */
bool queue_take(struct queue *q, int *value);

/* Without waiting, and for at most so many milliseconds: false also if there is no room, or nothing there. */
bool queue_try_put(struct queue *q, int value);
bool queue_try_take(struct queue *q, int *value);
bool queue_take_within(struct queue *q, int *value, unsigned milliseconds);

/* All waiters continue. */
void queue_close(struct queue *q);
size_t queue_size(struct queue *q);

#endif
