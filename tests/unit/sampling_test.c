/*
 * random, pct and pos against toy programs: what they promise, counted over many executions. Seeds are fixed, so
 * a test that passes always does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model.h"

static const struct sl_strategy *const samplers[] = {&sl_strategy_random, &sl_strategy_pct, &sl_strategy_pos};

/* The n-th execution of a worker is one of those that a single process would do, so it can be had again. */
static void
samples_can_be_had_again(void **unused)
{
	struct model m = model_random(5, 7);

	(void)unused;
	for (unsigned i = 0; i < 3; i += 2) { /* pct learns the length, so only its dice are the same */
		void *one = state_start(samplers[i], &(struct sl_strategy_options){.seed = 9, .workers = 1});
		void *of_three[3];
		struct outcome o[300], again;

		for (unsigned w = 0; w < 3; w++)
			of_three[w] =
				state_start(samplers[i],
					    &(struct sl_strategy_options){.seed = 9, .worker = w, .workers = 3});
		for (unsigned n = 0; n < 300; n++)
			assert_true(model_run(&m, samplers[i], one, &o[n]));
		for (unsigned n = 0; n < 100; n++)
			for (unsigned w = 0; w < 3; w++) {
				assert_true(model_run(&m, samplers[i], of_three[w], &again));
				assert_int_equal(again.trace, o[n * 3 + w].trace);
			}
		state_free(samplers[i], one);
		for (unsigned w = 0; w < 3; w++)
			state_free(samplers[i], of_three[w]);
	}
	for (unsigned i = 0; i < 3; i++) {
		void *a = state_simple(samplers[i]), *b = state_simple(samplers[i]);
		struct outcome x, y;

		for (unsigned n = 0; n < 200; n++) {
			model_run(&m, samplers[i], a, &x);
			model_run(&m, samplers[i], b, &y);
			assert_int_equal(x.trace, y.trace);
		}
		state_free(samplers[i], a);
		state_free(samplers[i], b);
	}
}

static unsigned
count_findings(const struct model *m, const struct sl_strategy *strategy, unsigned depth, unsigned runs)
{
	void *state =
		state_start(strategy, &(struct sl_strategy_options){.seed = 3, .depth = depth, .workers = 1});
	struct outcome o;
	unsigned found = 0;

	for (unsigned i = 0; i < runs; i++) {
		assert_true(model_run(m, strategy, state, &o));
		found += o.finding;
	}
	state_free(strategy, state);
	return found;
}

static void
random_is_uniform(void **unused)
{
	/* The first choice among three: each is first in a third of the executions. */
	struct model m = {.threads = 3, .steps = {{{SET, 0, 1}}, {{SET, 0, 2}}, {{GET, 0, 0}, {CHECK, 0, 0}}}};
	unsigned found = count_findings(&m, &sl_strategy_random, 0, 30000);

	(void)unused;
	assert_in_range(found, 20000 - 500, 20000 + 500);
}

/*
 * A bug of depth 2: thread 1 must go, with both of its operations, between the last two of thread 0's twelve;
 * earlier it sees that it is too early. With n = 2 threads and k = 13 choices at most, pct promises 1/(n k); a
 * uniform choice has less than 2^-12.
 */
static void
pct_keeps_its_promise(void **unused)
{
	struct model m = {.threads = 2, .steps = {{{0}}, {{GET, 2, 0}, {SKIP, 0, 1}, {SET, 0, 1}}}};

	(void)unused;
	for (unsigned i = 0; i < 10; i++)
		m.steps[0][i] = (struct step){SET, 1, 0};
	m.steps[0][10] = (struct step){SET, 2, 1};
	m.steps[0][11] = (struct step){GET, 0, 0};
	m.steps[0][12] = (struct step){CHECK, 0, 0};
	unsigned runs = 20000, pct = count_findings(&m, &sl_strategy_pct, 2, runs);
	unsigned uniform = count_findings(&m, &sl_strategy_random, 0, runs);

	print_message("depth 2: pct %u, random %u of %u\n", pct, uniform, runs);
	assert_true(pct >= runs / (2 * 13));
	assert_true(pct > 4 * uniform);
	/* Depth 1 has no change point: it can't. */
	assert_int_equal(count_findings(&m, &sl_strategy_pct, 1, runs), 0);
}

/*
 * Nine steps of thread 0 that concern nobody, then a write; thread 1 reads once. That the read comes last is
 * one of two partial orders: pos gives it 1/11 or more, a uniform choice 2^-10.
 */
static void
pos_is_even_over_partial_orders(void **unused)
{
	struct model m = {.threads = 2, .steps = {{{0}}, {{GET, 0, 0}, {CHECK, 0, 0}}}};

	(void)unused;
	for (unsigned i = 0; i < 9; i++)
		m.steps[0][i] = (struct step){SET, 1, 0};
	m.steps[0][9] = (struct step){SET, 0, 1};
	unsigned runs = 20000, pos = count_findings(&m, &sl_strategy_pos, 0, runs);
	unsigned uniform = count_findings(&m, &sl_strategy_random, 0, runs);

	print_message("late read: pos %u, random %u of %u\n", pos, uniform, runs);
	assert_true(pos >= runs / 11 * 9 / 10);
	assert_true(uniform < runs / 500);
}

/*
 * The finding needs a sleeper to wake before thread 0 is through. To random that is like anything else, by
 * symmetry 1/2; pct never does it without a change point; pos does it less than for an operation that is not late.
 */
static void
sleepers_may_overtake(void **unused)
{
	struct model m = {.threads = 2,
			  .steps = {{{SET, 0, 1}, {GET, 1, 0}, {CHECK, 0, 0}}, {{NAP, 0, 0}, {SET, 1, 1}}}};
	struct model awake = m;

	(void)unused;
	awake.steps[1][0] = (struct step){SET, 2, 0};
	assert_in_range(count_findings(&m, &sl_strategy_random, 0, 4000), 2000 - 150, 2000 + 150);
	assert_int_equal(count_findings(&m, &sl_strategy_pct, 1, 4000), 0);
	assert_true(count_findings(&awake, &sl_strategy_pct, 1, 4000) > 1000);
	assert_true(count_findings(&m, &sl_strategy_pct, 3, 4000) > 400);
	unsigned late = count_findings(&m, &sl_strategy_pos, 0, 4000);
	unsigned ordinary = count_findings(&awake, &sl_strategy_pos, 0, 4000);

	print_message("pos: late %u, ordinary %u of 4000\n", late, ordinary);
	assert_true(late > 40 && late < ordinary / 2);
}

/* Every execution of a small program comes up in time, and none that is not one. */
static void
samplers_reach_everything(void **unused)
{
	struct model m;

	(void)unused;
	for (unsigned seed = 0; seed < 30; seed++) {
		struct bag all = {0};

		m = model_random(seed, 3);
		if (model_brute(&m, false, &all, 50)) {
			for (unsigned i = 0; i < 3; i += 2) {
				void *state = state_simple(samplers[i]);
				struct outcome o;

				bag_sort(&all);
				for (size_t k = 0; k < all.count; k++)
					all.entries[k].finding = false;
				for (unsigned n = 0; n < 20000; n++) {
					model_run(&m, samplers[i], state, &o);
					struct bag_entry key = {.trace = o.trace}, *hit;

					hit = bsearch(&key, all.entries, all.count, sizeof(key), bag_compare);
					assert_non_null(hit);
					hit->finding = true;
				}
				for (size_t k = 0; k < all.count; k++)
					assert_true(all.entries[k].finding);
				state_free(samplers[i], state);
			}
		}
		bag_release(&all);
	}
}

/* A thread that polls with naps must not keep a lowered one from ever going. */
static void
pct_does_not_starve(void **unused)
{
	struct sl_op poller = {.thread = 1, .flags = SL_OP_LATE, .kind = SL_SLEEP};
	struct sl_op worker = {.thread = 0, .index = 1, .kind = SL_WRITE, .object = 64, .flags = SL_OP_WRITES};
	const struct sl_op *ops[] = {&worker, &poller};

	(void)unused;
	for (unsigned yields = 0; yields < 2; yields++) {
		void *state = state_simple(&sl_strategy_pct);

		poller.flags = yields ? SL_OP_YIELDED : SL_OP_LATE;
		for (unsigned n = 0; n < 2000; n++) {
			struct sl_choice c = {.kind = SL_CHOOSE_THREAD,
					      .count = 2,
					      .prompt = 1 + yields,
					      .ops = ops};
			unsigned polls = 0;

			sl_strategy_pct.begin(state);
			for (worker.index = 1; worker.index < 20;) {
				c.current = sl_strategy_pct.choose(state, &c);
				if (c.current == 0) {
					worker.index++;
				} else {
					poller.index++;
					assert_true(++polls < 1000);
				}
			}
			sl_strategy_pct.end(state, &(struct sl_execution){0});
		}
		state_free(&sl_strategy_pct, state);
	}
}

/*
 * pct with and without being told that the list of threads is the same: five threads of eight operations each; one
 * that has done its last is gone. The same seed must give the same answers.
 */
static void
pct_remembers_the_highest(void **unused)
{
	enum { THREADS = 5, LENGTH = 8 };
	void *told = state_simple(&sl_strategy_pct), *untold = state_simple(&sl_strategy_pct);
	unsigned same = 0, remembered = 0;

	(void)unused;
	for (int execution = 0; execution < 500; execution++) {
		struct sl_op ops[THREADS];
		const struct sl_op *enabled[THREADS];
		uint64_t version = 1;
		unsigned count = THREADS, current = THREADS;

		for (unsigned i = 0; i < THREADS; i++) {
			ops[i] = (struct sl_op){.kind = SL_WRITE, .thread = i, .index = 1};
			enabled[i] = &ops[i];
		}
		sl_strategy_pct.begin(told);
		sl_strategy_pct.begin(untold);
		while (count > 1) {
			struct sl_choice c = {.count = count, .prompt = count, .current = current, .ops = enabled};
			unsigned plain = sl_strategy_pct.choose(untold, &c), answer;

			c.version = version;
			answer = sl_strategy_pct.choose(told, &c);
			assert_int_equal(answer, plain);
			same += answer == current;
			remembered++;
			current = answer;
			if (++ops[enabled[answer]->thread].index > LENGTH) {
				enabled[answer] = enabled[--count];
				version++;
				current = count;
			}
		}
		sl_strategy_pct.end(told, &(struct sl_execution){0});
		sl_strategy_pct.end(untold, &(struct sl_execution){0});
	}
	assert_true(same > remembered / 2); /* most choices go on with the same thread */
	state_free(&sl_strategy_pct, told);
	state_free(&sl_strategy_pct, untold);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_can_be_had_again), cmocka_unit_test(random_is_uniform),
		cmocka_unit_test(pct_keeps_its_promise),    cmocka_unit_test(pos_is_even_over_partial_orders),
		cmocka_unit_test(sleepers_may_overtake),    cmocka_unit_test(samplers_reach_everything),
		cmocka_unit_test(pct_does_not_starve),      cmocka_unit_test(pct_remembers_the_highest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
