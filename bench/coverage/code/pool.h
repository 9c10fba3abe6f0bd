/*
 * A pool of objects that are costly to create: borrowed, returned, created when there are too few, destroyed when there
 * are too many; and a pool of several kinds, by key. A factory creates and destroys objects while no pool's mutex is held.
 */
#ifndef POOL_H
#define POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct pooled {
	struct pooled *next; /* of the idle ones */
	unsigned long number;
	unsigned uses;
	unsigned key; /* of a pool by key */
};

struct factory {
	pthread_mutex_t mutex;
	unsigned long made, destroyed;
	unsigned most_uses; /* an object that was used more often is not valid any more */
};

void factory_init(struct factory *, unsigned most_uses);
void factory_release(struct factory *);
struct pooled *factory_make(struct factory *);
void factory_destroy(struct factory *, struct pooled *);
bool factory_is_valid(struct factory *, const struct pooled *);
unsigned long factory_alive(struct factory *);

/* X(type, name): what can be set while a pool is in use. Each has two methods, both of which take the mutex. */
#define POOL_SETTINGS(X) \
	X(unsigned, most_active) \
	X(unsigned, most_idle) \
	X(unsigned, least_idle) \
	X(unsigned, patience) \
	X(bool, last_first) \
	X(bool, test_on_borrow) \
	X(bool, test_on_return) \
	X(bool, test_while_idle) \
	X(unsigned, tests_in_a_round) \
	X(unsigned, rest_between_rounds) \
	X(unsigned, least_idle_time) \
	X(bool, blocks_when_exhausted) \
	X(bool, fair) \
	X(unsigned, least_evictable) \
	X(unsigned, soft_least_idle_time) \
	X(bool, test_on_create) \
	X(bool, logs_abandoned) \
	X(unsigned, abandoned_after) \
	X(bool, removes_abandoned) \
	X(bool, counts_uses) \
	X(unsigned, most_uses) \
	X(unsigned, growth) \
	X(bool, clears_on_close) \
	X(unsigned, priority)

struct pool {
	pthread_mutex_t mutex;
	pthread_cond_t returned;
	struct factory *factory;
	struct pooled *idle;
	unsigned idle_count, active, waiting;
	unsigned long borrowed_ever, returned_ever, evicted_ever, waited_ever;
	bool closed;
#define X(type, name) type name;
	POOL_SETTINGS(X)
#undef X
};

void pool_init(struct pool *, struct factory *);
void pool_release(struct pool *);
struct pooled *pool_borrow(struct pool *);     /* waits until there is one; NULL when the pool is closed */
struct pooled *pool_try_borrow(struct pool *); /* NULL if there is none */
void pool_return(struct pool *, struct pooled *);
void pool_invalidate(struct pool *, struct pooled *); /* it is broken */
void pool_add(struct pool *);                         /* one more idle object */
void pool_prepare(struct pool *);                     /* creates idle objects up to the minimum */
unsigned pool_evict(struct pool *);
unsigned pool_clear(struct pool *);
void pool_close(struct pool *);
bool pool_is_closed(struct pool *);
unsigned pool_active(struct pool *);
unsigned pool_idle(struct pool *);
unsigned pool_waiting(struct pool *);
unsigned long pool_borrowed_ever(struct pool *);
unsigned long pool_returned_ever(struct pool *);
unsigned long pool_evicted_ever(struct pool *);
unsigned long pool_waited_ever(struct pool *);
void pool_reset_counts(struct pool *);
size_t pool_format(struct pool *, char *text, size_t size);
bool pool_check(struct pool *);

#define X(type, name) \
	type pool_##name(struct pool *); \
	void pool_set_##name(struct pool *, type);
POOL_SETTINGS(X)
#undef X

enum { POOL_KEYS = 3 };

struct keyed_pool {
	pthread_mutex_t mutex;
	pthread_cond_t returned;
	struct factory *factory;
	struct pooled *idle[POOL_KEYS];
	unsigned idle_count[POOL_KEYS], active[POOL_KEYS];
	unsigned most_of_a_key, most_of_all;
	unsigned long borrowed_ever;
};

void keyed_pool_init(struct keyed_pool *, struct factory *);
void keyed_pool_release(struct keyed_pool *);
struct pooled *keyed_pool_borrow(struct keyed_pool *, unsigned key);
void keyed_pool_return(struct keyed_pool *, struct pooled *);
void keyed_pool_invalidate(struct keyed_pool *, struct pooled *);
void keyed_pool_add(struct keyed_pool *, unsigned key);
unsigned keyed_pool_clear(struct keyed_pool *, unsigned key);
unsigned keyed_pool_clear_all(struct keyed_pool *);
unsigned keyed_pool_clear_oldest(struct keyed_pool *);
unsigned keyed_pool_active(struct keyed_pool *, unsigned key);
unsigned keyed_pool_idle(struct keyed_pool *, unsigned key);
unsigned keyed_pool_active_of_all(struct keyed_pool *);
unsigned keyed_pool_idle_of_all(struct keyed_pool *);
unsigned keyed_pool_keys(struct keyed_pool *);
unsigned long keyed_pool_borrowed_ever(struct keyed_pool *);
unsigned keyed_pool_most_of_a_key(struct keyed_pool *);
void keyed_pool_set_most_of_a_key(struct keyed_pool *, unsigned);
unsigned keyed_pool_most_of_all(struct keyed_pool *);
void keyed_pool_set_most_of_all(struct keyed_pool *, unsigned);
bool keyed_pool_check(struct keyed_pool *);

#endif
