/* An object pool and a keyed one: ten threads that call all of their functions. */
#include "../code/pool.h"
#include "crew.h"

static struct factory factory;
static struct pool pool;
static struct keyed_pool keyed;

static void
use(void)
{
	struct pooled *object = pool_borrow(&pool);
	MUST(object && object->uses);
	pool_return(&pool, object);
}

static void
use_and_break(void)
{
	struct pooled *object = pool_borrow(&pool);
	MUST(object && pool_active(&pool) > 0);
	pool_invalidate(&pool, object);
}

static void
try_to_use(void)
{
	struct pooled *object = pool_try_borrow(&pool);
	if (object)
		pool_return(&pool, object);
}

static void
use_keyed(void)
{
	struct pooled *object = keyed_pool_borrow(&keyed, 1);
	MUST(object->key == 1);
	keyed_pool_return(&keyed, object);
}

static void
use_and_break_keyed(void)
{
	struct pooled *object = keyed_pool_borrow(&keyed, 2);
	MUST(keyed_pool_active_of_all(&keyed) > 0);
	keyed_pool_invalidate(&keyed, object);
}

static void
format(void)
{
	char text[80];
	MUST(pool_format(&pool, text, sizeof text) < sizeof text);
}

#define CALL(name, expression) \
	static void name(void) \
	{ \
		(void)(expression); \
	}
#define QUIET(name, expression) \
	static void name(void) \
	{ \
		expression; \
	}

QUIET(add, pool_add(&pool))
QUIET(prepare, pool_prepare(&pool))
CALL(evict, pool_evict(&pool))
CALL(clear, pool_clear(&pool))
CALL(is_closed, pool_is_closed(&pool))
CALL(active, pool_active(&pool))
CALL(idle, pool_idle(&pool))
CALL(waiting, pool_waiting(&pool))
CALL(borrowed_ever, pool_borrowed_ever(&pool))
CALL(returned_ever, pool_returned_ever(&pool))
CALL(evicted_ever, pool_evicted_ever(&pool))
CALL(waited_ever, pool_waited_ever(&pool))
QUIET(reset_counts, pool_reset_counts(&pool))
CALL(check, pool_check(&pool))
CALL(most_active, pool_most_active(&pool))
QUIET(set_most_active, pool_set_most_active(&pool, 5))
CALL(most_idle, pool_most_idle(&pool))
QUIET(set_most_idle, pool_set_most_idle(&pool, 2))
CALL(least_idle, pool_least_idle(&pool))
QUIET(set_least_idle, pool_set_least_idle(&pool, 1))
CALL(patience, pool_patience(&pool))
QUIET(set_patience, pool_set_patience(&pool, 100))
CALL(last_first, pool_last_first(&pool))
QUIET(set_last_first, pool_set_last_first(&pool, true))
CALL(test_on_borrow, pool_test_on_borrow(&pool))
QUIET(set_test_on_borrow, pool_set_test_on_borrow(&pool, true))
CALL(test_on_return, pool_test_on_return(&pool))
QUIET(set_test_on_return, pool_set_test_on_return(&pool, false))
CALL(test_while_idle, pool_test_while_idle(&pool))
QUIET(set_test_while_idle, pool_set_test_while_idle(&pool, true))
CALL(tests_in_a_round, pool_tests_in_a_round(&pool))
QUIET(set_tests_in_a_round, pool_set_tests_in_a_round(&pool, 3))
CALL(rest_between_rounds, pool_rest_between_rounds(&pool))
QUIET(set_rest_between_rounds, pool_set_rest_between_rounds(&pool, 10))
CALL(least_idle_time, pool_least_idle_time(&pool))
QUIET(set_least_idle_time, pool_set_least_idle_time(&pool, 10))
CALL(blocks_when_exhausted, pool_blocks_when_exhausted(&pool))
QUIET(set_blocks_when_exhausted, pool_set_blocks_when_exhausted(&pool, true))
CALL(fair, pool_fair(&pool))
QUIET(set_fair, pool_set_fair(&pool, true))
CALL(least_evictable, pool_least_evictable(&pool))
QUIET(set_least_evictable, pool_set_least_evictable(&pool, 7))
CALL(soft_least_idle_time, pool_soft_least_idle_time(&pool))
QUIET(set_soft_least_idle_time, pool_set_soft_least_idle_time(&pool, 7))
CALL(test_on_create, pool_test_on_create(&pool))
QUIET(set_test_on_create, pool_set_test_on_create(&pool, true))
CALL(logs_abandoned, pool_logs_abandoned(&pool))
QUIET(set_logs_abandoned, pool_set_logs_abandoned(&pool, true))
CALL(abandoned_after, pool_abandoned_after(&pool))
QUIET(set_abandoned_after, pool_set_abandoned_after(&pool, 7))
CALL(removes_abandoned, pool_removes_abandoned(&pool))
QUIET(set_removes_abandoned, pool_set_removes_abandoned(&pool, true))
CALL(counts_uses, pool_counts_uses(&pool))
QUIET(set_counts_uses, pool_set_counts_uses(&pool, true))
CALL(most_uses, pool_most_uses(&pool))
QUIET(set_most_uses, pool_set_most_uses(&pool, 7))
CALL(growth, pool_growth(&pool))
QUIET(set_growth, pool_set_growth(&pool, 7))
CALL(clears_on_close, pool_clears_on_close(&pool))
QUIET(set_clears_on_close, pool_set_clears_on_close(&pool, true))
CALL(priority, pool_priority(&pool))
QUIET(set_priority, pool_set_priority(&pool, 7))
QUIET(keyed_add, keyed_pool_add(&keyed, 0))
CALL(keyed_clear, keyed_pool_clear(&keyed, 0))
CALL(keyed_clear_all, keyed_pool_clear_all(&keyed))
CALL(keyed_clear_oldest, keyed_pool_clear_oldest(&keyed))
CALL(keyed_active, keyed_pool_active(&keyed, 1))
CALL(keyed_idle, keyed_pool_idle(&keyed, 0))
CALL(keyed_idle_of_all, keyed_pool_idle_of_all(&keyed))
CALL(keyed_keys, keyed_pool_keys(&keyed))
CALL(keyed_borrowed_ever, keyed_pool_borrowed_ever(&keyed))
CALL(keyed_most_of_a_key, keyed_pool_most_of_a_key(&keyed))
QUIET(keyed_set_most_of_a_key, keyed_pool_set_most_of_a_key(&keyed, 4))
CALL(keyed_most_of_all, keyed_pool_most_of_all(&keyed))
QUIET(keyed_set_most_of_all, keyed_pool_set_most_of_all(&keyed, 6))
CALL(keyed_check, keyed_pool_check(&keyed))
CALL(alive, factory_alive(&factory))

static void (*const calls[])(void) = {
	use, fair, most_active, add, set_fair, keyed_add, is_closed, least_evictable, set_most_idle, use_keyed,
	set_least_evictable, active, evict, soft_least_idle_time, least_idle, keyed_idle, set_soft_least_idle_time,
	set_patience, try_to_use, test_on_create, idle, last_first, set_test_on_create, keyed_clear, prepare,
	logs_abandoned, set_test_on_borrow, waiting, set_logs_abandoned, most_idle, keyed_keys, abandoned_after,
	borrowed_ever, use_and_break, set_abandoned_after, set_least_idle, test_on_return, removes_abandoned,
	keyed_active, returned_ever, set_removes_abandoned, clear, patience, counts_uses, set_most_active,
	keyed_clear_oldest, set_counts_uses, evicted_ever, format, most_uses, test_on_borrow, set_last_first,
	set_most_uses, keyed_idle_of_all, waited_ever, growth, test_while_idle, use_and_break_keyed, set_growth,
	set_test_on_return, check, clears_on_close, tests_in_a_round, keyed_borrowed_ever, set_clears_on_close,
	set_test_while_idle, rest_between_rounds, priority, reset_counts, keyed_most_of_a_key, set_priority,
	set_tests_in_a_round, least_idle_time, keyed_set_most_of_all, set_rest_between_rounds,
	blocks_when_exhausted, keyed_check, set_least_idle_time, keyed_clear_all, set_blocks_when_exhausted,
	keyed_most_of_all, alive, keyed_set_most_of_a_key,
};
enum { CALLS = sizeof calls / sizeof *calls };

static void
work(unsigned number)
{
	(void)number;
	for (unsigned i = 0; i < CALLS; i++)
		calls[i]();
}

int
main(void)
{
	factory_init(&factory, 3);
	pool_init(&pool, &factory);
	keyed_pool_init(&keyed, &factory);
	crew_run_together(10, work);
	MUST(pool_check(&pool) && pool_active(&pool) == 0);
	MUST(keyed_pool_check(&keyed) && keyed_pool_active_of_all(&keyed) == 0);
	pool_close(&pool);
	pool_release(&pool);
	keyed_pool_release(&keyed);
	MUST(factory_alive(&factory) == 0);
	factory_release(&factory);
	return 0;
}
