/*
 * The exhaustive strategies, alone and with several workers, against toy programs (model.h): exact numbers of
 * executions where they can be counted by hand, the brute-force twin where not. Then portfolio, the list, and the
 * example of docs/strategies.md.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model.h"
#include "strategy/claim.h"

extern const struct sl_strategy deviate;
#include "example_strategy.c"

#ifndef SL_SOURCE_ROOT
#define SL_SOURCE_ROOT "."
#endif

#ifndef RANDOM_PROGRAMS
#define RANDOM_PROGRAMS 300 /* fewer under sanitizers, which look for something else */
#endif
#define BRUTE_LIMIT 6000

/* Runs to the end, collects what the strategy calls new; the result is the number of executions. */
static size_t
run_all(const struct model *m, const struct sl_strategy *strategy, void *state, struct bag *fresh)
{
	struct outcome o;
	size_t runs = 0;
	uint64_t skipped = 0;

	for (; model_run(m, strategy, state, &o); runs++) {
		struct sl_progress p = progress_of(strategy, state);

		if (p.skipped == skipped)
			bag_add(fresh, &o);
		skipped = p.skipped;
		assert_true(runs < 2000000);
	}
	return runs;
}

/* ---- exhaustive searches ---- */

static void
dfs_counts_are_exact(void **unused)
{
	static const struct {
		unsigned threads, ops, executions;
	} cases[] = {
		{2, 1, 2},  {2, 2, 6},    {2, 3, 20},   {2, 4, 70}, {2, 5, 252}, {2, 6, 924}, /* C(2k, k) */
		{3, 1, 6},  {3, 2, 90},   {3, 3, 1680},                                       /* (3k)! / k!^3 */
		{4, 1, 24}, {4, 2, 2520}, {1, 5, 1},
	};

	(void)unused;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct model m = writers(cases[i].threads, cases[i].ops);
		void *state = state_simple(&sl_strategy_dfs);
		struct bag seen = {0}, all = {0};

		assert_int_equal(run_all(&m, &sl_strategy_dfs, state, &seen), cases[i].executions);
		assert_true(model_brute(&m, false, &all, 10000));
		assert_true(bag_same(&seen, &all));
		assert_true(progress_of(&sl_strategy_dfs, state).complete);
		assert_int_equal(progress_of(&sl_strategy_dfs, state).estimate, cases[i].executions);
		bag_release(&seen);
		bag_release(&all);
		state_free(&sl_strategy_dfs, state);
	}
}

/* Two threads, two operations each, default first: 0011 0101 0110 1001 1010 1100 in the order of the search. */
static void
dfs_goes_depth_first(void **unused)
{
	static const unsigned expected[][3] = {{0, 0, 9}, {0, 1, 1}, {0, 1, 0}, {1, 1, 9}, {1, 0, 0}, {1, 0, 1}};
	struct model m = writers(2, 2);
	void *state = state_simple(&sl_strategy_dfs);

	(void)unused;
	for (unsigned e = 0; e < 6; e++) {
		struct world w;
		unsigned i = 0;

		assert_true(sl_strategy_dfs.begin(state));
		model_init(&w, &m, false);
		while (model_advance(&w)) {
			unsigned answer = sl_strategy_dfs.choose(state, &w.choice);

			assert_int_equal(answer, expected[e][i++]);
			model_answer(&w, answer);
		}
		assert_true(i == 3 || expected[e][i] == 9);
		sl_strategy_dfs.end(state, &(struct sl_execution){.choices = i});
	}
	assert_false(sl_strategy_dfs.begin(state));
	state_free(&sl_strategy_dfs, state);
}

static void
exhaustive_equals_brute_force(void **unused)
{
	size_t programs = 0, repeated = 0, total = 0;

	(void)unused;
	for (unsigned seed = 0; seed < RANDOM_PROGRAMS; seed++) {
		struct model m = model_random(seed, 5);
		struct bag all = {0};

		if (model_brute(&m, false, &all, BRUTE_LIMIT)) {
			static const struct sl_strategy *const both[] = {&sl_strategy_dfs, &sl_strategy_icb};

			for (unsigned i = 0; i < 2; i++) {
				void *state = state_simple(both[i]);
				struct bag seen = {0};
				size_t runs = run_all(&m, both[i], state, &seen);

				assert_true(bag_same(&seen, &all));
				assert_true(progress_of(both[i], state).complete);
				if (i == 0)
					assert_int_equal(runs, all.count);
				else
					repeated += runs - all.count;
				bag_release(&seen);
				state_free(both[i], state);
			}
			programs++;
			total += all.count;
		}
		bag_release(&all);
	}
	print_message("%zu programs, %zu executions; icb repeated %zu\n", programs, total, repeated);
	assert_true(programs > RANDOM_PROGRAMS / 2);
	assert_int_equal(repeated, 0); /* as long as path.c's cache holds, and these are small */
}

/* Every execution comes under the bound that it costs, and a bound is reported when all of its executions are done. */
static void
icb_goes_by_bounds(void **unused)
{
	(void)unused;
	for (unsigned seed = 0; seed < 100; seed++) {
		struct model m = seed < 3 ? writers(2, 2 + seed) : model_random(seed, 5);
		struct bag all = {0};
		size_t by_cost[64] = {0}, done[64] = {0};

		if (!model_brute(&m, false, &all, BRUTE_LIMIT)) {
			bag_release(&all);
			continue;
		}
		for (size_t i = 0; i < all.count; i++)
			by_cost[all.entries[i].preemptions]++;
		void *state = state_simple(&sl_strategy_icb);
		struct outcome o;
		struct sl_progress before = progress_of(&sl_strategy_icb, state);
		int highest = 0;

		assert_int_equal(before.bound, -1);
		while (model_run(&m, &sl_strategy_icb, state, &o)) {
			struct sl_progress now = progress_of(&sl_strategy_icb, state);

			assert_in_range(o.preemptions, 0, before.bound + 1);
			if (now.skipped == before.skipped) {
				assert_int_equal(o.preemptions, before.bound + 1);
				done[o.preemptions]++;
				highest = (int)o.preemptions;
			}
			if (now.bound > before.bound)
				assert_int_equal(done[now.bound], by_cost[now.bound]);
			before = now;
		}
		assert_memory_equal(done, by_cost, sizeof(done));
		assert_in_range(before.bound, highest, 64);
		assert_true(before.complete);
		bag_release(&all);
		state_free(&sl_strategy_icb, state);
	}
}

/* By hand: 0011 1100 cost nothing, 0110 1001 one, 0101 1010 two. */
static void
icb_two_by_two(void **unused)
{
	struct model m = writers(2, 2);
	void *state = state_simple(&sl_strategy_icb);
	struct bag fresh = {0};
	size_t by_cost[3] = {0};

	(void)unused;
	run_all(&m, &sl_strategy_icb, state, &fresh);
	for (size_t i = 0; i < fresh.count; i++)
		by_cost[fresh.entries[i].preemptions]++;
	assert_int_equal(fresh.count, 6);
	assert_int_equal(by_cost[0], 2);
	assert_int_equal(by_cost[1], 2);
	assert_int_equal(by_cost[2], 2);
	bag_release(&fresh);
	state_free(&sl_strategy_icb, state);
}

/* More than the cache of path.c can hold: a few executions are repeated then, and none is lost. */
static void
icb_forgets_without_harm(void **unused)
{
	struct model m = writers(2, 11); /* C(22, 11) */
	void *state = state_simple(&sl_strategy_icb);
	struct outcome o;
	uint64_t runs = 0;

	(void)unused;
	while (model_run(&m, &sl_strategy_icb, state, &o))
		runs++;
	print_message("705432 executions in %lu\n", (unsigned long)runs);
	assert_int_equal(runs - progress_of(&sl_strategy_icb, state).skipped, 705432);
	assert_true(runs < 705432 * 11 / 10);
	assert_true(progress_of(&sl_strategy_icb, state).complete);
	state_free(&sl_strategy_icb, state);
}

static void
estimate_is_fair(void **unused)
{
	struct model m = writers(2, 6); /* 924 */
	void *state = state_simple(&sl_strategy_dfs);
	struct outcome o;

	(void)unused;
	for (unsigned i = 0; i < 462; i++)
		model_run(&m, &sl_strategy_dfs, state, &o);
	assert_in_range(progress_of(&sl_strategy_dfs, state).estimate, 924 / 3, 924 * 3);
	state_free(&sl_strategy_dfs, state);
}

static void
growth_starts_over(void **unused)
{
	static const struct sl_strategy *const all[] = {&sl_strategy_dfs, &sl_strategy_icb,
							&sl_strategy_portfolio};
	struct model hidden = {.threads = 2, .hidden = 2};
	struct model open;
	static const uint64_t generation = 7;

	(void)unused;
	for (unsigned k = 0; k < 5; k++) /* five against four, the last three and two of them hidden at first */
		hidden.steps[0][k] = hidden.steps[1][k] = (struct step){SET, k >= 2, 1};
	hidden.steps[1][4].act = STOP;
	open = hidden;
	open.hidden = 0;
	for (unsigned i = 0; i < 3; i++)
		for (unsigned before = 0; before < 16; before++) {
			/* At worst the number of the generation is seen before grown() is called: the same then. */
			void *state =
				state_start(all[i], &(struct sl_strategy_options){.generation = &generation});
			struct outcome o;
			struct bag fresh = {0}, brute = {0};

			for (unsigned n = 0; n < before; n++)
				model_run(&hidden, all[i], state, &o);
			all[i]->search->grown(state);
			assert_false(progress_of(all[i], state).complete);
			assert_int_equal(progress_of(all[i], state).bound, -1);
			uint64_t skipped = progress_of(all[i], state).skipped;

			while (model_run(&open, all[i], state, &o)) {
				if (progress_of(all[i], state).skipped == skipped)
					bag_add(&fresh, &o);
				skipped = progress_of(all[i], state).skipped;
			}
			assert_true(progress_of(all[i], state).complete);
			assert_true(model_brute(&open, false, &brute, 1000));
			assert_int_equal(brute.count, 126); /* C(9, 4) */
			if (all[i] == &sl_strategy_portfolio)
				bag_once(&fresh); /* its samplers repeat what its search does */
			assert_true(bag_same(&fresh, &brute));
			bag_release(&fresh);
			bag_release(&brute);
			state_free(all[i], state);
		}
}

static void
cut_is_never_complete(void **unused)
{
	static const struct sl_strategy *const all[] = {&sl_strategy_dfs, &sl_strategy_icb,
							&sl_strategy_portfolio};
	struct model m = writers(2, 4);

	(void)unused;
	m.cut_at = 6;
	for (unsigned i = 0; i < 3; i++) {
		void *state = state_simple(all[i]);
		struct outcome o;

		while (model_run(&m, all[i], state, &o))
			assert_false(progress_of(all[i], state).complete);
		assert_false(progress_of(all[i], state).complete);
		assert_int_equal(progress_of(all[i], state).bound, -1);
		/* A bigger tree may be searched to its end. */
		m.cut_at = 0;
		all[i]->search->grown(state);
		while (model_run(&m, all[i], state, &o))
			continue;
		assert_true(progress_of(all[i], state).complete);
		m.cut_at = 6;
		state_free(all[i], state);
	}
}

/* A program that is not deterministic: the search ends, and claims nothing. */
static void
divergence_is_never_complete(void **unused)
{
	/* What portfolio reports is what icb in it reports; which of the programs that one meets depends on the turns. */
	static const struct sl_strategy *const all[] = {&sl_strategy_dfs, &sl_strategy_icb};
	struct model a = writers(2, 3), b = writers(3, 2), c = writers(2, 1);

	(void)unused;
	for (unsigned i = 0; i < 2; i++)
		for (unsigned k = 0; k < 2; k++) {
			void *state = state_simple(all[i]);
			struct outcome o;
			unsigned n = 0;

			while (model_run(n % 3 ? &a : k ? &b : &c, all[i], state, &o)) {
				assert_false(progress_of(all[i], state).complete);
				assert_true(++n < 100000);
			}
			assert_false(progress_of(all[i], state).complete);
			state_free(all[i], state);
		}
}

/* More choices than can be recorded can't be had here; an interrupted execution can. */
static void
begin_without_end_repeats(void **unused)
{
	struct model m = writers(2, 3);
	void *state = state_simple(&sl_strategy_dfs);
	struct bag seen = {0}, all = {0};
	struct outcome o;

	(void)unused;
	for (;;) {
		struct world w;

		if (!sl_strategy_dfs.begin(state)) /* dies after two choices */
			break;
		model_init(&w, &m, false);
		for (unsigned i = 0; i < 2 && model_advance(&w); i++)
			model_answer(&w, sl_strategy_dfs.choose(state, &w.choice));
		assert_true(model_run(&m, &sl_strategy_dfs, state, &o));
		bag_add(&seen, &o);
	}
	assert_true(model_brute(&m, false, &all, 1000));
	assert_true(bag_same(&seen, &all));
	assert_true(progress_of(&sl_strategy_dfs, state).complete);
	bag_release(&seen);
	bag_release(&all);
	state_free(&sl_strategy_dfs, state);
}

/* ---- several workers ---- */

static uint64_t claims[SL_CLAIM_SLOTS];

/* Turns are irregular, so that workers get ahead of each other. `grow_at`: all start over there, one by one. */
static void
share(const struct model *m, const struct sl_strategy *strategy, unsigned workers, uint64_t seed, bool grow)
{
	uint64_t generation = 1, skipped[4] = {0};
	void *states[4];
	struct bag fresh = {0}, all = {0};
	struct sl_rng r = {seed};
	unsigned live = workers, turn = 0;
	bool ended[4] = {false};

	memset(claims, 0, sizeof(claims));
	for (unsigned i = 0; i < workers; i++)
		states[i] = state_start(strategy, &(struct sl_strategy_options){.seed = 1,
										.worker = i,
										.workers = workers,
										.claims = claims,
										.generation = &generation});
	if (grow) { /* some continue in the old tree for a while; nothing of that counts */
		struct outcome o;
		struct model old = writers(2, 3);

		for (unsigned k = 0; k < 5; k++)
			for (unsigned i = 0; i < workers; i++)
				model_run(&old, strategy, states[i], &o);
		generation++;
		for (unsigned i = 0; i < workers; i++) {
			strategy->search->grown(states[i]);
			model_run(m, strategy, states[i], &o); /* grown() once more, in the same generation */
			strategy->search->grown(states[i]);
			skipped[i] = progress_of(strategy, states[i]).skipped;
		}
	}
	while (live) {
		unsigned i = sl_rng_below(&r, workers), burst = 1 + sl_rng_below(&r, 9);
		struct outcome o;

		for (; !ended[i] && burst; burst--) {
			if (!model_run(m, strategy, states[i], &o)) {
				ended[i] = true;
				live--;
				break;
			}
			uint64_t now = progress_of(strategy, states[i]).skipped;

			if (now == skipped[i])
				bag_add(&fresh, &o);
			skipped[i] = now;
			assert_true(++turn < 3000000);
		}
	}
	for (unsigned i = 0; i < workers; i++) {
		assert_true(progress_of(strategy, states[i]).complete);
		state_free(strategy, states[i]);
	}
	assert_true(model_brute(m, false, &all, 100000));
	assert_true(bag_same(&fresh, &all)); /* all of them, and none twice */
	bag_release(&fresh);
	bag_release(&all);
}

static void
workers_share_exactly(void **unused)
{
	static const struct sl_strategy *const both[] = {&sl_strategy_dfs, &sl_strategy_icb};

	(void)unused;
	for (unsigned i = 0; i < 2; i++)
		for (unsigned workers = 2; workers <= 4; workers++) {
			struct model m = writers(2, 6), three = writers(3, 2), small = writers(2, 1);

			share(&m, both[i], workers, 1, false);
			share(&m, both[i], workers, 2, true);
			share(&three, both[i], workers, 3, false);
			share(&small, both[i], workers, 4, true);
			for (unsigned seed = 0; seed < 12; seed++) {
				struct bag all = {0};

				m = model_random(seed, 5);
				if (model_brute(&m, false, &all, 2000))
					share(&m, both[i], workers, seed, seed & 1);
				bag_release(&all);
			}
		}
}

/* The work of a bound is spread, although nearly all of its executions begin alike. */
static void
workers_share_evenly(void **unused)
{
	struct model m = writers(2, 12);
	void *states[2];
	uint64_t runs[2] = {0}, skipped = 0;

	(void)unused;
	memset(claims, 0, sizeof(claims));
	for (unsigned i = 0; i < 2; i++)
		states[i] =
			state_start(&sl_strategy_icb,
				    &(struct sl_strategy_options){.worker = i, .workers = 2, .claims = claims});
	for (unsigned n = 0; progress_of(&sl_strategy_icb, states[0]).bound < 3; n++) {
		struct outcome o;

		assert_true(model_run(&m, &sl_strategy_icb, states[n & 1], &o));
		runs[n & 1]++;
	}
	for (unsigned i = 0; i < 2; i++) {
		uint64_t s = progress_of(&sl_strategy_icb, states[i]).skipped;

		print_message("worker %u: %lu executions, %lu not new\n", i, (unsigned long)runs[i],
			      (unsigned long)s);
		skipped += s;
		state_free(&sl_strategy_icb, states[i]);
	}
	assert_true(skipped < (runs[0] + runs[1]) / 3);
}

static void
claims_know_their_owner(void **unused)
{
	(void)unused;
	memset(claims, 0, sizeof(claims));
	assert_true(sl_claim_take(claims, 0, 0));
	assert_true(sl_claim_take(claims, 0, 0));
	assert_false(sl_claim_take(claims, 0, 1));
	assert_true(sl_claim_find(claims, 0));
	assert_false(sl_claim_find(claims, 1u << 20));
	for (uint64_t i = 0; i < SL_CLAIM_PROBES; i++) /* same place, other names */
		assert_true(sl_claim_take(claims, (i + 1) << 8, 3));
	/* Full: every worker may. */
	assert_true(sl_claim_take(claims, 4711 << 8, 1));
	assert_true(sl_claim_take(claims, 4711 << 8, 2));
}

/* ---- the rest ---- */

static void
portfolio_completes(void **unused)
{
	struct model small = writers(2, 3), large = writers(2, 7); /* 20 and 3432 */
	struct outcome o;
	struct bag seen = {0}, all = {0};
	void *state = state_simple(&sl_strategy_portfolio);
	unsigned runs = 0, improper = 0;

	(void)unused;
	assert_true(run_all(&small, &sl_strategy_portfolio, state, &seen) < 80); /* the opening, and what is left */
	assert_true(model_brute(&small, false, &all, 100));
	bag_once(&seen);
	assert_true(bag_same(&seen, &all));
	assert_true(progress_of(&sl_strategy_portfolio, state).complete);
	state_free(&sl_strategy_portfolio, state);
	bag_release(&seen);
	bag_release(&all);

	state = state_simple(&sl_strategy_portfolio);
	while (model_run(&large, &sl_strategy_portfolio, state, &o)) {
		struct sl_progress p = progress_of(&sl_strategy_portfolio, state);

		improper += (int)o.preemptions > p.bound + 1; /* not icb's */
		assert_true(++runs < 2 * 3432); /* a member that shows nothing new must not delay the others for long */
	}
	assert_true(improper > 100);
	assert_true(progress_of(&sl_strategy_portfolio, state).complete);
	state_free(&sl_strategy_portfolio, state);
}

static void
the_list_is_in_order(void **unused)
{
	const struct sl_strategy *const internal[] = {&sl_strategy_replay, &sl_strategy_minimise, NULL};
	const struct sl_strategy *const *lists[] = {sl_strategies, internal};

	(void)unused;
	assert_ptr_equal(sl_strategies[0], &sl_strategy_portfolio);
	for (unsigned l = 0; l < 2; l++)
		for (const struct sl_strategy *const *s = lists[l]; *s; s++) {
			assert_true((*s)->state_size <= 3ul << 30);
			assert_non_null((*s)->summary);
			assert_ptr_equal(sl_strategy_find((*s)->name), l == 0 ? *s : NULL);
		}
	assert_null(sl_strategy_find(""));
	assert_null(sl_strategy_find("df"));
	assert_null(sl_strategy_find("dfsx"));
}

static void
wrong_options_are_told(void **unused)
{
	static const struct {
		const struct sl_strategy *strategy;
		struct sl_strategy_options options;
		const char *word;
	} cases[] = {
		{&sl_strategy_pct, {.depth = 65}, "65"},
		{&sl_strategy_portfolio, {.depth = 65}, "65"},
		{&sl_strategy_dfs, {.workers = 65}, "65"},
		{&sl_strategy_icb, {.worker = 3, .workers = 2}, "3"},
		{&sl_strategy_replay, {.workers = 1}, "schedule"},
		{&sl_strategy_minimise, {.workers = 1}, "schedule"},
	};

	(void)unused;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		void *state = state_new(cases[i].strategy);
		struct sl_err err = {""};

		assert_true(cases[i].strategy->start(state, &cases[i].options, &err) < 0);
		assert_non_null(strstr(err.text, cases[i].word));
		state_free(cases[i].strategy, state);
	}
}

static void
example_works(void **unused)
{
	struct model m = writers(2, 3);
	void *state = state_simple(&deviate);
	struct bag seen = {0};
	struct outcome o;

	(void)unused;
	while (model_run(&m, &deviate, state, &o))
		bag_add(&seen, &o);
	assert_int_equal(seen.count, 4); /* three choices while thread 0 goes, and the default */
	assert_true(bag_same(&seen, &seen));
	bag_release(&seen);
	state_free(&deviate, state);
}

static char *
read_all(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = calloc(1, 1 << 16);

	if (!f)
		fail_msg("%s: can't be opened (is SL_SOURCE_ROOT right?)", path);
	assert_non_null(text);
	assert_true(fread(text, 1, (1 << 16) - 1, f) > 0);
	fclose(f);
	return text;
}

static void
example_is_the_documented_one(void **unused)
{
	char *doc = read_all(SL_SOURCE_ROOT "/docs/strategies.md");
	char *code = read_all(SL_SOURCE_ROOT "/tests/unit/example_strategy.c");

	(void)unused;
	assert_non_null(strstr(doc, code));
	free(doc);
	free(code);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dfs_counts_are_exact),
		cmocka_unit_test(dfs_goes_depth_first),
		cmocka_unit_test(exhaustive_equals_brute_force),
		cmocka_unit_test(icb_goes_by_bounds),
		cmocka_unit_test(icb_two_by_two),
		cmocka_unit_test(icb_forgets_without_harm),
		cmocka_unit_test(estimate_is_fair),
		cmocka_unit_test(growth_starts_over),
		cmocka_unit_test(cut_is_never_complete),
		cmocka_unit_test(divergence_is_never_complete),
		cmocka_unit_test(begin_without_end_repeats),
		cmocka_unit_test(workers_share_exactly),
		cmocka_unit_test(workers_share_evenly),
		cmocka_unit_test(claims_know_their_owner),
		cmocka_unit_test(portfolio_completes),
		cmocka_unit_test(the_list_is_in_order),
		cmocka_unit_test(wrong_options_are_told),
		cmocka_unit_test(example_works),
		cmocka_unit_test(example_is_the_documented_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
