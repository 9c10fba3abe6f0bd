/*
 * replay and minimise: following a schedule, and finding one with fewer preemptions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model.h"

#ifndef RANDOM_PROGRAMS
#define RANDOM_PROGRAMS 300 /* fewer under sanitizers, which look for something else */
#endif

static void
replay_reproduces(void **unused)
{
	(void)unused;
	for (unsigned seed = 0; seed < RANDOM_PROGRAMS; seed++) {
		struct model m = model_random(seed, 7);
		void *random = state_simple(&sl_strategy_random);
		struct outcome first, again;

		for (unsigned n = 0; n < 10; n++) {
			model_run(&m, &sl_strategy_random, random, &first);
			first.schedule.items = first.items;
			void *replay = state_start(&sl_strategy_replay,
						   &(struct sl_strategy_options){.schedule = &first.schedule});

			for (unsigned twice = 0; twice < 2; twice++) {
				assert_true(model_run(&m, &sl_strategy_replay, replay, &again));
				assert_int_equal(again.trace, first.trace);
				assert_int_equal(again.preemptions, first.preemptions);
				assert_int_equal(again.schedule.count, first.schedule.count);
				assert_memory_equal(again.items, first.items,
						    first.schedule.count * sizeof(*first.items));
				assert_false(sl_replay_diverged(replay));
			}
			state_free(&sl_strategy_replay, replay);
		}
		state_free(&sl_strategy_random, random);
	}
}

/* A schedule recorded with only some operations as points gives the same execution where all operations are points. */
static void
replay_sees_every_operation(void **unused)
{
	(void)unused;
	for (unsigned seed = 0; seed < RANDOM_PROGRAMS; seed++) {
		struct model m = model_random(seed, 7);
		struct outcome first, again;
		void *random = state_simple(&sl_strategy_random);

		m.hidden = 1 + seed % 2;
		model_run(&m, &sl_strategy_random, random, &first);
		first.schedule.items = first.items;
		void *replay = state_start(&sl_strategy_replay,
					   &(struct sl_strategy_options){.schedule = &first.schedule});

		model_run(&m, &sl_strategy_replay, replay, &again);
		assert_int_equal(again.trace, first.trace);
		assert_false(sl_replay_diverged(replay));
		state_free(&sl_strategy_random, random);
		state_free(&sl_strategy_replay, replay);
	}
}

static void
replay_tells_divergence(void **unused)
{
	/* Thread 1 waits for the mutex that thread 0 has: it can't go where the schedule says. */
	struct model m = {.threads = 3,
			  .steps = {{{LOCK, 0, 0}, {SET, 0, 1}, {UNLOCK, 0, 0}},
				    {{LOCK, 0, 0}, {SET, 0, 2}, {UNLOCK, 0, 0}},
				    {{SET, 1, 1}, {SET, 1, 2}, {PICK, 0, 2}}}};
	struct sl_pick stuck[] = {{SL_PICK_RUN, 0, 2},
				  {SL_PICK_RUN, 1, 3},
				  {SL_PICK_RUN, 0, 4},
				  {SL_PICK_RUN, 2, 4}};
	struct sl_pick value[] = {{SL_PICK_VALUE, 5, 0}};
	struct sl_pick kind[] = {{SL_PICK_WAITER, 0, 0}};
	struct sl_pick nobody[] = {{SL_PICK_RUN, 77, 4}}; /* perhaps it ran alone: not certain */
	const struct {
		struct sl_schedule schedule;
		bool diverged;
	} cases[] = {{{4, 4, stuck}, true},
		     {{1, 1, value}, true},
		     {{1, 1, kind}, true},
		     {{1, 1, nobody}, false},
		     {{0, 0, NULL}, false}};

	(void)unused;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		void *replay = state_start(&sl_strategy_replay,
					   &(struct sl_strategy_options){.schedule = &cases[i].schedule});
		struct outcome o;

		assert_true(model_run(&m, &sl_strategy_replay, replay, &o));
		assert_int_equal(sl_replay_diverged(replay), cases[i].diverged);
		state_free(&sl_strategy_replay, replay);
	}
}

/* Runs minimise to its end; the result is the number of executions. */
static unsigned
minimise(const struct model *m, const struct outcome *from, struct outcome *best, unsigned *preemptions)
{
	struct sl_schedule schedule = from->schedule;

	schedule.items = (struct sl_pick *)from->items;
	void *state = state_start(&sl_strategy_minimise, &(struct sl_strategy_options){.schedule = &schedule});
	unsigned runs = 0;

	*preemptions = 12345;
	while (model_run(m, &sl_strategy_minimise, state, best))
		assert_true(++runs <= 400 + 2000 + 400);
	const struct sl_schedule *result = sl_minimise_best(state, preemptions);
	void *replay = state_start(&sl_strategy_replay, &(struct sl_strategy_options){.schedule = result});

	model_run(m, &sl_strategy_replay, replay, best);
	assert_false(sl_replay_diverged(replay));
	state_free(&sl_strategy_replay, replay);
	state_free(&sl_strategy_minimise, state);
	return runs;
}

static void
minimise_finds_the_minimum(void **unused)
{
	unsigned tried = 0, least = 0, improved = 0, executions = 0;

	(void)unused;
	for (unsigned seed = 0; seed < RANDOM_PROGRAMS; seed++) {
		struct model m = model_random(seed, 6);
		struct bag all = {0};
		struct outcome first, best;
		void *random = state_simple(&sl_strategy_random);
		unsigned truth = UINT32_MAX, got;

		for (unsigned n = 0; n <= seed % 5; n++)
			model_run(&m, &sl_strategy_random, random, &first);
		m.bad = first.vars; /* the finding: the variables end up just so */
		if (model_brute(&m, true, &all, 20000)) {
			for (size_t i = 0; i < all.count; i++)
				if (all.entries[i].finding && all.entries[i].preemptions < truth)
					truth = all.entries[i].preemptions;
			executions += minimise(&m, &first, &best, &got);
			assert_true(best.finding);
			assert_int_equal(best.preemptions, got);
			assert_true(got <= first.preemptions);
			assert_true(got >= truth);
			tried++;
			least += got == truth;
			improved += got < first.preemptions;
		}
		bag_release(&all);
		state_free(&sl_strategy_random, random);
	}
	print_message("minimise: %u programs, %u the true minimum, %u improved, %u executions each\n", tried,
		      least, improved, executions / tried);
	assert_true(tried > RANDOM_PROGRAMS / 2);
	assert_true(least * 100 >= tried * 98);
}

/* Out of reach of the search: 3 threads of 15, a schedule with dozens of runs. */
static void
minimise_long_schedules(void **unused)
{
	struct model m = {.threads = 3};
	void *random = state_simple(&sl_strategy_random);
	struct outcome first, best;
	unsigned got;

	(void)unused;
	for (unsigned t = 0; t < 3; t++)
		for (unsigned i = 0; i < 14; i++)
			m.steps[t][i] = (struct step){i & 1 ? PUT : GET, i / 2 % 4, i & 1 ? 1 : 0};
	model_run(&m, &sl_strategy_random, random, &first);
	m.bad = first.vars;
	unsigned runs = minimise(&m, &first, &best, &got);

	print_message("long: %u preemptions, %u runs; now %u, %u; %u executions\n", first.preemptions,
		      (unsigned)first.schedule.count, got, (unsigned)best.schedule.count, runs);
	assert_true(best.finding);
	assert_true(got < first.preemptions);
	state_free(&sl_strategy_random, random);
}

static void
minimise_believes_only_what_it_sees(void **unused)
{
	struct model m = writers(2, 3);
	void *random = state_simple(&sl_strategy_random);
	struct outcome first, best;
	unsigned preemptions;

	(void)unused;
	model_run(&m, &sl_strategy_random, random, &first);
	m.bad = 1; /* never */
	assert_int_equal(minimise(&m, &first, &best, &preemptions), 1);
	assert_int_equal(preemptions, 12345);
	assert_int_equal(best.trace, first.trace);
	state_free(&sl_strategy_random, random);
}

/* An answer other than 0 that is not needed disappears. */
static void
minimise_calms_values(void **unused)
{
	struct model m = {.threads = 2,
			  .steps = {{{PICK, 0, 3}, {PICK, 0, 3}, {PUT, 0, 0}, {SET, 1, 1}},
				    {{PICK, 0, 2}, {GET, 1, 0}}}};
	struct sl_pick items[] = {{SL_PICK_RUN, 1, 2},   {SL_PICK_VALUE, 1, 0}, {SL_PICK_RUN, 0, 2},
				  {SL_PICK_VALUE, 2, 0}, {SL_PICK_RUN, 0, 3},   {SL_PICK_VALUE, 2, 0}};
	struct outcome first = {.schedule = {6, 6, items}}, best;
	unsigned preemptions, odd = 0;

	(void)unused;
	memcpy(first.items, items, sizeof(items));
	struct world w = {.vars = {2, 1}};

	m.bad = model_digest(&w); /* only the second PICK matters */
	minimise(&m, &first, &best, &preemptions);
	assert_true(best.finding);
	assert_int_equal(preemptions, 0);
	for (unsigned i = 0; i < best.schedule.count; i++)
		odd += best.items[i].kind == SL_PICK_VALUE && best.items[i].who != 0;
	assert_int_equal(odd, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replay_reproduces),       cmocka_unit_test(replay_sees_every_operation),
		cmocka_unit_test(replay_tells_divergence), cmocka_unit_test(minimise_finds_the_minimum),
		cmocka_unit_test(minimise_long_schedules), cmocka_unit_test(minimise_believes_only_what_it_sees),
		cmocka_unit_test(minimise_calms_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
