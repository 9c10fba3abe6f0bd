/*
 * What a pool is made of. Each function here says whether it is called with the pool's lock.
 */
#ifndef POOL_PARTS_H
#define POOL_PARTS_H

#include "journal.h"
#include "list.h"
#include "pool.h"

#include <pthread.h>

enum object_state {
	OBJECT_IDLE,   /* in shelf->idle */
	OBJECT_BUSY,   /* in shelf->busy: borrowed */
	OBJECT_MOVING, /* in no list: a thread makes, tests or destroys it */
};

/* A resource, and what the pool knows of it. */
struct object {
	struct list link;
	struct shelf *shelf;
	void *resource;
	enum object_state state;
	unsigned serial; /* the pool's first is 1 */
	unsigned uses;
	unsigned long since; /* when it came into this state */
};

/* The objects of a key. A shelf stays until the pool is freed. */
struct shelf {
	struct list link;
	char *key;
	struct list idle; /* the object that was returned last is the first */
	struct list busy;
	int idle_count, active, moving; /* moving: also what room has been reserved for */
};

/* A thread that borrows. It is on that thread's stack. */
struct request {
	struct list link; /* in pool->requests until it is served */
	struct shelf *shelf;
	struct object *object; /* that is lent; or … */
	int may_make;          /* … room has been reserved to make one, … */
	struct object *victim; /* … for which this object has to be destroyed first */
	int is_served;
	pthread_cond_t served;
};

struct pool {
	pthread_mutex_t lock;
	struct pool_config config;
	struct pool_factory factory;
	struct list shelves;
	struct list requests; /* in the order of their arrival */
	int total;            /* all objects, and those for which room has been reserved */
	int waiting;
	unsigned next_serial;
	unsigned long now;
	int closed;

	pthread_mutex_t totals_lock;
	struct pool_totals totals;
	struct journal journal;
};

/* shelf.c: all with the lock */
struct shelf *shelf_find(struct pool *pool, const char *key); /* NULL: there is none */
struct shelf *shelf_get(struct pool *pool, const char *key);  /* made if need be; NULL: no memory */
void shelf_free(struct shelf *shelf);
int shelf_count(const struct shelf *shelf);
int shelf_has_room(const struct pool *pool, const struct shelf *shelf);
void shelf_reserve(struct pool *pool, struct shelf *shelf);
void shelf_release(struct pool *pool, struct shelf *shelf);
struct object *shelf_next_idle(const struct pool *pool, const struct shelf *shelf);
struct object *shelf_oldest_idle(const struct shelf *shelf);
struct object *shelf_find_busy(const struct shelf *shelf, const void *resource);
void shelf_put_idle(struct pool *pool, struct object *object);
void shelf_put_back(struct object *object); /* as the oldest, as if it had not been away */
void shelf_put_busy(struct pool *pool, struct object *object);
void shelf_take(struct object *object); /* it moves now */
struct object *pool_oldest_idle(const struct pool *pool);

/* object.c: without the lock */
struct object *object_make(struct pool *pool, struct shelf *shelf); /* for reserved room; NULL: not possible */
void object_destroy(struct pool *pool, struct object *object);      /* moving; its room stays reserved */
int object_activate(struct pool *pool, struct object *object);
int object_passivate(struct pool *pool, struct object *object);
int object_is_valid(struct pool *pool, struct object *object);

/* allocate.c: with the lock */
void pool_allocate(struct pool *pool); /* serves the requests that can be served now */

/* totals.c: without the lock */
void pool_count(struct pool *pool, unsigned long *total); /* one of pool->totals */

#endif
