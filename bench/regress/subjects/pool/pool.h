/*
 * A pool of resources that are expensive to make, such as connections. Resources have keys: a borrower asks for one
 * with a certain key, and waits while there is none and no room for another. Waiting requests are served in the order
 * of their arrival; a request for a key that is exhausted does not hold up requests for other keys.
 *
 * All functions may be called by any thread, but for pool_free().
 */
#ifndef POOL_H
#define POOL_H

#include <stddef.h>

enum pool_result {
	POOL_OK,
	POOL_CLOSED,    /* the pool is closed, or was closed while the caller waited */
	POOL_EXHAUSTED, /* there is no room, and the pool is told not to wait */
	POOL_BROKEN,    /* the factory could not make a resource, or made one that is of no use */
	POOL_UNKNOWN,   /* the resource has not been borrowed from this pool with this key */
	POOL_INVALID    /* a configuration that makes no sense */
};

/* Makes the resources. No function is called with a lock of the pool held. */
struct pool_factory {
	void *context;
	void *(*make)(void *context, const char *key); /* NULL: not possible */
	void (*destroy)(void *context, void *resource);
	/* These may be NULL. 0: the resource is of no use and is destroyed. */
	int (*activate)(void *context, void *resource);  /* before it is lent */
	int (*passivate)(void *context, void *resource); /* when it has been returned */
	int (*validate)(void *context, void *resource);
};

enum pool_exhausted { POOL_WAIT, POOL_FAIL };

struct pool_config {
	int max_total;        /* resources of all keys, idle or not */
	int max_per_key;      /* resources of one key */
	int max_idle_per_key; /* more than these are destroyed when they are returned */
	int min_idle_per_key; /* pool_prepare() makes as many */
	unsigned long
		max_idle_time; /* in ticks; pool_evict() destroys what has been idle for longer; 0: nothing */
	enum pool_exhausted when_exhausted;
	int last_in_first_out; /* lend what was returned last */
	int test_on_borrow, test_on_return, test_while_idle;
};

#define POOL_DEFAULTS                                                                                             \
	{                                                                                                         \
		.max_total = 8, .max_per_key = 8, .max_idle_per_key = 8, .last_in_first_out = 1,                  \
	}

struct pool;

struct pool *pool_new(const struct pool_config *config, const struct pool_factory *factory);
enum pool_result pool_configure(struct pool *pool, const struct pool_config *config);
void pool_close(struct pool *pool); /* destroys what is idle, and wakes all that wait */
void pool_free(struct pool *pool);  /* closed, and nothing is borrowed */

enum pool_result pool_borrow(struct pool *pool, const char *key, void **resource);
enum pool_result pool_return(struct pool *pool, const char *key, void *resource);
enum pool_result pool_invalidate(struct pool *pool, const char *key, void *resource); /* instead of returning it */

enum pool_result pool_add(struct pool *pool, const char *key); /* makes an idle resource */
int pool_prepare(struct pool *pool, const char *key);          /* up to min_idle_per_key; how many it has made */
int pool_clear(struct pool *pool, const char *key); /* destroys what is idle; NULL: of all keys; how many */

/* Time passes when the pool is told so. */
void pool_advance(struct pool *pool, unsigned long ticks);
int pool_evict(struct pool *pool, int tests); /* looks at as many idle resources; how many it has destroyed */
int pool_overdue(struct pool *pool, unsigned long ticks); /* how many were borrowed longer ago */

int pool_active(struct pool *pool, const char *key); /* NULL: of all keys */
int pool_idle(struct pool *pool, const char *key);
int pool_waiting(struct pool *pool);

struct pool_totals {
	unsigned long borrowed, returned, invalidated, made, destroyed, evicted, waited, refused;
};

void pool_totals(struct pool *pool, struct pool_totals *totals);

/* Text for people, as snprintf() writes it: the length that the whole text would have. */
size_t pool_describe(struct pool *pool, char *text, size_t size);
size_t pool_history(struct pool *pool, char *text, size_t size); /* the last events */
const char *pool_result_text(enum pool_result result);

/* A resource that is borrowed for a while: what lease_end() needs to know. */
struct lease {
	struct pool *pool;
	const char *key;
	void *resource;
	int is_broken; /* set by its user: the resource must not be lent again */
};

enum pool_result lease_begin(struct lease *lease, struct pool *pool, const char *key);
enum pool_result lease_end(struct lease *lease);

#endif
