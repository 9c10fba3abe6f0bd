/*
 * Two methods for each setting. They are spelt out by one macro with the name of the setting in it, but each is a
 * function of its own with a lock statement of its own: a line for each is what tells them apart in a report.
 */
#include "pool.h"

#define GET(type, name) \
	type pool_##name(struct pool *p) \
	{ \
		pthread_mutex_lock(&p->mutex); \
		type value = p->name; \
		pthread_mutex_unlock(&p->mutex); \
		return value; \
	}

/* Waiters look whether they can continue. */
#define SET(type, name) \
	void pool_set_##name(struct pool *p, type value) \
	{ \
		pthread_mutex_lock(&p->mutex); \
		p->name = value; \
		pthread_cond_broadcast(&p->returned); \
		pthread_mutex_unlock(&p->mutex); \
	}

GET(unsigned, most_active)
SET(unsigned, most_active)
GET(unsigned, most_idle)
SET(unsigned, most_idle)
GET(unsigned, least_idle)
SET(unsigned, least_idle)
GET(unsigned, patience)
SET(unsigned, patience)
GET(bool, last_first)
SET(bool, last_first)
GET(bool, test_on_borrow)
SET(bool, test_on_borrow)
GET(bool, test_on_return)
SET(bool, test_on_return)
GET(bool, test_while_idle)
SET(bool, test_while_idle)
GET(unsigned, tests_in_a_round)
SET(unsigned, tests_in_a_round)
GET(unsigned, rest_between_rounds)
SET(unsigned, rest_between_rounds)
GET(unsigned, least_idle_time)
SET(unsigned, least_idle_time)
GET(bool, blocks_when_exhausted)
SET(bool, blocks_when_exhausted)
GET(bool, fair)
SET(bool, fair)
GET(unsigned, least_evictable)
SET(unsigned, least_evictable)
GET(unsigned, soft_least_idle_time)
SET(unsigned, soft_least_idle_time)
GET(bool, test_on_create)
SET(bool, test_on_create)
GET(bool, logs_abandoned)
SET(bool, logs_abandoned)
GET(unsigned, abandoned_after)
SET(unsigned, abandoned_after)
GET(bool, removes_abandoned)
SET(bool, removes_abandoned)
GET(bool, counts_uses)
SET(bool, counts_uses)
GET(unsigned, most_uses)
SET(unsigned, most_uses)
GET(unsigned, growth)
SET(unsigned, growth)
GET(bool, clears_on_close)
SET(bool, clears_on_close)
GET(unsigned, priority)
SET(unsigned, priority)
