/*
 * Holding a thread back between two impacted operations (strategy/sampling/hold.c): what breaks only if others come between is found
 * sooner than at random; a predicted place is the first that is tried, and there another thread is stopped half way; and every execution
 * is one of those that the program has.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model.h"

#include "base/op_order.h"
#include "strategy/sampling/hold.h"

#define SEEDS 200
#define MOST 400

enum { DATA, NOISE, MORE, EXCESS, ALIVE }; /* objects */

#define PLACE(thread, at) (1 + (thread)*MODEL_STEPS + (at))

/*
 * Thread 0 reads the data in one region of the lock, and writes it back in the next: the update of thread 1 between them is lost. The
 * other threads have much to do with other locks.
 */
static struct model
lost_update(void)
{
	static const struct step writer[] = {{LOCK, DATA, 0},  {GET, DATA, 0},  {UNLOCK, DATA, 0},
					     {LOCK, DATA, 0},  {PUT, DATA, 1},  {UNLOCK, DATA, 0},
					     {LOCK, NOISE, 0}, {GET, NOISE, 0}, {UNLOCK, NOISE, 0}};
	static const struct step other[] = {{LOCK, NOISE, 0},  {PUT, NOISE, 1}, {UNLOCK, NOISE, 0},
					    {LOCK, DATA, 0},   {GET, DATA, 0},  {PUT, DATA, 1},
					    {UNLOCK, DATA, 0}, {LOCK, MORE, 0}, {GET, MORE, 0},
					    {UNLOCK, MORE, 0}};
	struct model m = {.threads = 3};

	memcpy(m.steps[0], writer, sizeof(writer));
	memcpy(m.steps[1], other, sizeof(other));
	memcpy(m.steps[2], other, sizeof(other));
	m.impacted = 0x3f; /* the first six steps of thread 0 */
	return m;
}

/* Thread 1 puts the data back before it ends, so only an execution in which thread 0 goes on before that shows anything. */
static struct model
put_back(void)
{
	static const struct step look[] = {{LOCK, DATA, 0}, {GET, DATA, 0},    {UNLOCK, DATA, 0}, {LOCK, DATA, 0},
					   {GET, DATA, 0},  {UNLOCK, DATA, 0}, {CHECK, 0, 0}};
	static const struct step borrow[] = {{LOCK, DATA, 0},  {SET, DATA, 1},  {UNLOCK, DATA, 0},
					     {LOCK, NOISE, 0}, {PUT, NOISE, 1}, {UNLOCK, NOISE, 0},
					     {LOCK, DATA, 0},  {SET, DATA, 0},  {UNLOCK, DATA, 0},
					     {LOCK, MORE, 0},  {PUT, MORE, 1},  {UNLOCK, MORE, 0}};
	struct model m = {.threads = 2};

	memcpy(m.steps[0], look, sizeof(look));
	memcpy(m.steps[1], borrow, sizeof(borrow));
	m.impacted = 0x3f;
	return m;
}

/* Thread 0 looks whether there is room, and takes it later; that is wrong only if both others have taken and not yet given back. */
static struct model
limit(void)
{
	static const struct step keeper[] = {{LOCK, DATA, 0}, {GET, DATA, 0},    {UNLOCK, DATA, 0},
					     {LOCK, DATA, 0}, {GET, DATA, 0},    {UNLOCK, DATA, 0},
					     {SKIP, 0, 3},    {PUT, EXCESS, -1}, {GET, EXCESS, 0},
					     {CHECK, 0, 0}};
	static const struct step client[] = {{LOCK, DATA, 0},    {GET, DATA, 0},   {PUT, DATA, 1},
					     {UNLOCK, DATA, 0},  {LOCK, NOISE, 0}, {GET, NOISE, 0},
					     {UNLOCK, NOISE, 0}, {LOCK, DATA, 0},  {GET, DATA, 0},
					     {PUT, DATA, -1},    {UNLOCK, DATA, 0}};
	struct model m = {.threads = 3, .impacted = 0x3f};

	memcpy(m.steps[0], keeper, sizeof(keeper));
	memcpy(m.steps[1], client, sizeof(client));
	memcpy(m.steps[2], client, sizeof(client));
	return m;
}

/*
 * Thread 0 sets the data to 0, then marks it as dead under a lock; thread 1 finds it alive under the lock, and uses it twice without
 * the lock. Thread 2 uses the lock alone.
 */
static struct model
last_reference(void)
{
	static const struct step drop[] = {{SET, ALIVE, 1},
					   {SET, DATA, 0},
					   {LOCK, MORE, 0},
					   {SET, ALIVE, 0},
					   {UNLOCK, MORE, 0}};
	static const struct step find[] = {{LOCK, MORE, 0}, {GET, ALIVE, 0}, {UNLOCK, MORE, 0}, {SKIP, 0, 4},
					   {SET, DATA, 1},  {GET, DATA, 0},  {GET, ALIVE, 0},   {CHECK, 0, 1}};
	static const struct step watch[] = {{LOCK, MORE, 0},
					    {UNLOCK, MORE, 0},
					    {LOCK, MORE, 0},
					    {UNLOCK, MORE, 0}};
	struct model m = {.threads = 3, .impacted = 0x1e};

	memcpy(m.steps[0], drop, sizeof(drop));
	memcpy(m.steps[1], find, sizeof(find));
	memcpy(m.steps[2], watch, sizeof(watch));
	return m;
}

/* The other thread uses the data twice while it has the lock that thread 0 wants. */
static struct model
stopped_with_lock(void)
{
	static const struct step wants[] = {{GET, DATA, 0}, {LOCK, MORE, 0}, {GET, DATA, 0}, {UNLOCK, MORE, 0}};
	static const struct step has[] = {{LOCK, MORE, 0}, {SET, DATA, 1}, {SET, DATA, 2}, {UNLOCK, MORE, 0}};
	static const struct step uses[] = {{SET, DATA, 3}, {SET, DATA, 4}};
	struct model m = {.threads = 3, .impacted = 0xf};

	memcpy(m.steps[0], wants, sizeof(wants));
	memcpy(m.steps[1], has, sizeof(has));
	memcpy(m.steps[2], uses, sizeof(uses));
	return m;
}

/* Is the sum of all updates of lost_update() less than their number? The others fail by themselves. */
static bool
fails(const struct model *m, const struct outcome *o, const struct world *w)
{
	return o->finding || (m->steps[0][4].act == PUT && w->vars[DATA] < 3);
}

/* One execution, and the final state of the program. */
static void
run(const struct model *m, const struct sl_strategy *strategy, void *state, struct outcome *o, struct world *w)
{
	assert_true(strategy->begin(state));
	model_init(w, m, false);
	while (model_advance(w)) {
		unsigned answer;

		if (w->choice.kind == SL_CHOOSE_THREAD)
			model_tell(w);
		answer = strategy->choose(state, &w->choice);
		assert_true(answer < w->choice.count);
		model_answer(w, answer);
	}
	model_outcome(w, o);
	strategy->end(state, &(struct sl_execution){.steps = o->steps, .choices = o->choices});
}

/* The mean number of executions until one fails, in tenths. */
static unsigned
needed(const struct model *m, const struct sl_strategy *strategy, struct sl_foreseen *foreseen)
{
	unsigned sum = 0;

	for (unsigned seed = 0; seed < SEEDS; seed++) {
		void *state = state_start(strategy, &(struct sl_strategy_options){.workers = 1,
										  .seed = seed,
										  .foreseen = foreseen,
										  .impacted = SL_OP_IMPACTED});
		struct outcome o;
		struct world w;
		unsigned executions = 0;

		do {
			run(m, strategy, state, &o, &w);
			executions++;
		} while (!fails(m, &o, &w) && executions < MOST);
		sum += executions;
		state_free(strategy, state);
	}
	return sum * 10 / SEEDS;
}

static void
finds_what_comes_between(void **unused)
{
	struct model m = lost_update();
	unsigned hold = needed(&m, &sl_strategy_hold, NULL), walk = needed(&m, &sl_strategy_walk, NULL);

	(void)unused;
	print_message("a lost update: hold needs %u.%u executions, walk %u.%u\n", hold / 10, hold % 10, walk / 10,
		      walk % 10);
	assert_true(hold <= 20);
	assert_true(hold < walk);
}

/* At a predicted place at which a lock is now released, the thread goes on as soon as another one has used that lock. */
static void
a_predicted_place_comes_first(void **unused)
{
	struct sl_foreseen foreseen = {.gate_count = 1, .lost = 1, .gates = {{PLACE(0, 3), model_path(0)}}};
	struct model m = put_back();
	unsigned hold;

	(void)unused;
	hold = needed(&m, &sl_strategy_hold, &foreseen);
	print_message("what is put back, predicted: %u.%u executions\n", hold / 10, hold % 10);
	assert_int_equal(hold, 10);
}

/* All other threads are stopped after their first use of the lock that the held thread has released. */
static void
others_are_stopped_half_way(void **unused)
{
	struct sl_foreseen foreseen = {.gate_count = 1, .lost = 1, .gates = {{PLACE(0, 3), model_path(0)}}};
	struct model m = limit();
	unsigned hold = needed(&m, &sl_strategy_hold, &foreseen), walk = needed(&m, &sl_strategy_walk, NULL);

	(void)unused;
	print_message("a limit that is checked too early: hold needs %u.%u executions, walk %u.%u\n", hold / 10,
		      hold % 10, walk / 10, walk % 10);
	assert_int_equal(hold, 10);
	assert_true(walk > 20);
}

/* Others are stopped by what the held thread has used before, not by the lock that it is about to take. */
static void
what_was_used_last_is_watched(void **unused)
{
	struct sl_foreseen foreseen = {.gate_count = 1, .lost = 1, .gates = {{PLACE(0, 2), model_path(0)}}};
	struct model m = last_reference();
	unsigned hold = needed(&m, &sl_strategy_hold, &foreseen);

	(void)unused;
	print_message("a last reference that is found again: %u.%u executions\n", hold / 10, hold % 10);
	assert_int_equal(hold, 10);
}

/* A thread is stopped with the lock that the held one waits for: it goes on. */
static void
not_all_are_stopped(void **unused)
{
	struct sl_foreseen foreseen = {.gate_count = 1, .lost = 1, .gates = {{PLACE(0, 1), model_path(0)}}};
	struct model m = stopped_with_lock();

	(void)unused;
	for (unsigned seed = 0; seed < 20; seed++) {
		void *state =
			state_start(&sl_strategy_hold, &(struct sl_strategy_options){.workers = 1,
										     .seed = seed,
										     .foreseen = &foreseen,
										     .impacted = SL_OP_IMPACTED});
		struct outcome o;
		struct world w;

		for (unsigned i = 0; i < 10; i++) {
			run(&m, &sl_strategy_hold, state, &o, &w);
			assert_int_equal(o.steps, 10);
		}
		state_free(&sl_strategy_hold, state);
	}
}

/* A place that no thread comes to does not keep others from being tried. */
static void
a_place_that_is_not_reached_is_left(void **unused)
{
	struct sl_foreseen foreseen = {.gate_count = 1, .lost = 1, .gates = {{PLACE(7, 3), 1}}};
	struct model m = lost_update();
	unsigned hold;

	(void)unused;
	hold = needed(&m, &sl_strategy_hold, &foreseen);
	print_message("with a place that is not reached: %u.%u executions\n", hold / 10, hold % 10);
	assert_true(hold <= 40);
}

/* On random programs, against the list of all executions. */
static void
runs_executions_of_the_program(void **unused)
{
	unsigned compared = 0, different = 0;

	(void)unused;
	for (unsigned seed = 0; seed < 300; seed++) {
		struct model m = model_random(seed, 6);
		struct bag all = {0}, ours = {0};
		struct outcome o;
		void *state;

		m.impacted = sl_mix(seed) & sl_mix(seed + 1000);
		if (!model_brute(&m, false, &all, 20000)) {
			bag_release(&all);
			continue;
		}
		bag_once(&all);
		state = state_start(&sl_strategy_hold, &(struct sl_strategy_options){.workers = 1,
										     .seed = seed,
										     .impacted = SL_OP_IMPACTED});
		for (unsigned i = 0; i < 100; i++) {
			assert_true(model_run(&m, &sl_strategy_hold, state, &o));
			bag_add(&ours, &o);
		}
		bag_once(&ours);
		for (size_t i = 0; i < ours.count; i++)
			assert_non_null(bsearch(&ours.entries[i], all.entries, all.count, sizeof(*all.entries),
						bag_compare));
		compared++;
		different += ours.count > 1;
		bag_release(&all);
		bag_release(&ours);
		state_free(&sl_strategy_hold, state);
	}
	print_message("%u programs, %u with more than one execution\n", compared, different);
	assert_true(compared > 200 && different > 150);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_comes_between),
		cmocka_unit_test(a_predicted_place_comes_first),
		cmocka_unit_test(others_are_stopped_half_way),
		cmocka_unit_test(what_was_used_last_is_watched),
		cmocka_unit_test(not_all_are_stopped),
		cmocka_unit_test(a_place_that_is_not_reached_is_left),
		cmocka_unit_test(runs_executions_of_the_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
