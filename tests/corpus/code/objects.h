/* An object pool: at most so many objects of a kind that is expensive to make, handed out one thread at a time. */
#ifndef OBJECTS_H
#define OBJECTS_H

#include <stdbool.h>
#include <stddef.h>

struct objects;

/* `make` and `destroy` are called without a lock: they may take their time. `make` may fail with NULL. */
struct objects *objects_new(size_t most, void *(*make)(void *arg), void (*destroy)(void *arg, void *object), void *arg);
/* All objects have been given back. */
void objects_free(struct objects *pool);

/* An idle object, or a new one, or waits until one is given back. NULL: the pool is closed, or none could be made. */
void *objects_acquire(struct objects *pool);
/* Without waiting for others; NULL also if all are in use. */
void *objects_try_acquire(struct objects *pool);
/* Gives it back; `broken` ones are destroyed instead, which leaves room for a new one. */
void objects_release(struct objects *pool, void *object, bool broken);

/* No thread gets an object any more; waiters continue. */
void objects_close(struct objects *pool);
size_t objects_idle(struct objects *pool);
size_t objects_alive(struct objects *pool);

#endif
