/*
 * The strategies that learn from one execution to the next: surw, rf, rare, portfolio. Seeds are fixed, so a test that passes
 * always does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model.h"

#include "strategy/sampling/rare.h"
#include "strategy/sampling/rf.h"
#include "strategy/sampling/seen.h"

/* ---- threads with lists of operations; some are created only when another thread has got so far ---- */

enum { THREADS = 5, LENGTH = 64, CLASSES = 4096, ONE = 4096, OTHER = 8192 };

struct lists {
	unsigned threads;
	struct {
		unsigned parent, born; /* when the parent has done so many; 0: from the beginning */
		uint64_t objects[LENGTH];
	} t[THREADS];
};

/* One execution; the order in which threads touched ONE, as a number to the base of THREADS. */
static uint64_t
drive(const struct lists *l, const struct sl_strategy *strategy, void *state)
{
	struct sl_op now[THREADS] = {0};
	const struct sl_op *ops[THREADS];
	uint32_t changed[THREADS], places[THREADS], told[THREADS] = {0}, done[THREADS] = {0};
	struct sl_kin kin[THREADS];
	uint64_t order = 1;

	for (unsigned t = 0; t < l->threads; t++)
		kin[t] = (struct sl_kin){.path = 77 * t + 1, .parent = l->t[t].parent};
	assert_true(strategy->begin(state));
	for (;;) {
		struct sl_choice c =
			{.ops = ops, .changed = changed, .places = places, .kin = kin, .current = THREADS};
		unsigned answer = 0;

		for (unsigned t = 0; t < l->threads; t++) {
			bool there = done[t] < LENGTH && l->t[t].objects[done[t]] &&
				     done[l->t[t].parent] >= l->t[t].born;

			places[t] = UINT32_MAX;
			if (there) {
				now[t] = (struct sl_op){.kind = SL_ATOMIC_UPDATE,
							.thread = t,
							.index = done[t] + 1,
							.flags = SL_OP_READS | SL_OP_WRITES,
							.object = l->t[t].objects[done[t]]};
				places[t] = c.count;
				ops[c.count++] = &now[t];
			}
			if (told[t] != (there ? done[t] + 1 : 0))
				changed[c.changed_count++] = t;
		}
		if (!c.count)
			break;
		c.prompt = c.count;
		if (c.count > 1) { /* a thread that runs alone is not asked */
			answer = strategy->choose(state, &c);
			assert_true(answer < c.count);
			for (unsigned t = 0; t < l->threads; t++)
				told[t] = places[t] < c.count ? done[t] + 1 : 0;
		}
		if (ops[answer]->object == ONE)
			order = order * THREADS + ops[answer]->thread;
		done[ops[answer]->thread]++;
	}
	strategy->end(state, &(struct sl_execution){0});
	return order;
}

static void *
select_one(const struct sl_strategy *strategy)
{
	static const uint64_t one = ONE;

	return state_start(strategy,
			   &(struct sl_strategy_options){.seed = 3, .objects = &one, .object_count = 1});
}

/* Chi squared against so many equally likely orders, per degree of freedom; 1 is pure chance. */
static double
unevenness(const struct lists *l, const struct sl_strategy *strategy, unsigned orders)
{
	static uint64_t names[CLASSES];
	static double counts[CLASSES];
	void *state = select_one(strategy);
	unsigned known = 0, runs = 0;
	double chi = 0;

	memset(counts, 0, sizeof(counts));
	for (unsigned n = 1; n <= 400 * orders; n++) {
		uint64_t order = drive(l, strategy, state);
		unsigned at = 0;

		if (n < 64 || n % 8 == 0) /* surw learns, and every eighth is a plain walk */
			continue;
		while (at < known && names[at] != order)
			at++;
		assert_true(at < CLASSES);
		names[at] = order;
		known += at == known;
		counts[at]++;
		runs++;
	}
	assert_true(known <= orders && (known == orders || strategy != &sl_strategy_surw));
	for (unsigned i = 0; i < orders; i++) {
		double expected = (double)runs / orders;

		chi += (counts[i] - expected) * (counts[i] - expected) / expected;
	}
	state_free(strategy, state);
	return chi / (orders - 1);
}

static void
surw_is_uniform(void **unused)
{
	/* Four, two and one: 7! / (4! 2! 1!) orders. What else the threads do must not matter. */
	struct lists l = {.threads = 3,
			  .t = {{.objects = {ONE, ONE, OTHER, ONE, ONE}},
				{.objects = {OTHER, OTHER, OTHER, ONE, OTHER, ONE}},
				{.objects = {ONE, OTHER, OTHER}}}};
	double surw, random;

	(void)unused;
	surw = unevenness(&l, &sl_strategy_surw, 105);
	random = unevenness(&l, &sl_strategy_random, 105);
	print_message("chi squared per degree of freedom: surw %.2f, random %.2f\n", surw, random);
	assert_true(surw < 1.7); /* 1 and five times the deviation, which is sqrt(2 / 104) */
	assert_true(random > 10);
}

/* The first thread does one operation, creates a second with three, and does another; a third has two of its own. After
 * the first of 5 there are 4 orders of what it does and what its child does; and C(7, 2) ways to insert the other two.
 * One more does something else all the time: a thread that runs alone is not asked, and what it does then is not counted. */
static void
surw_counts_children_for_their_parents(void **unused)
{
	struct lists l = {.threads = 4,
			  .t = {{.objects = {ONE, ONE}},
				{.objects = {ONE, ONE}},
				{.objects = {OTHER}},
				{.parent = 0, .born = 1, .objects = {ONE, ONE, ONE}}}};
	double surw, random;

	(void)unused;
	for (unsigned i = 0; i < LENGTH; i++)
		l.t[2].objects[i] = OTHER;
	surw = unevenness(&l, &sl_strategy_surw, 84);
	random = unevenness(&l, &sl_strategy_random, 84);
	print_message("chi squared per degree of freedom: surw %.2f, random %.2f\n", surw, random);
	assert_true(surw < 1.8);
	assert_true(random > 3);
}

/* By itself it takes another object each time: then no order of either is rare. */
static void
surw_selects_by_itself(void **unused)
{
	struct lists l = {.threads = 2,
			  .t = {{.objects = {ONE, ONE, ONE, ONE, OTHER}},
				{.objects = {OTHER, OTHER, OTHER, OTHER, ONE}}}};
	void *state = state_simple(&sl_strategy_surw);
	unsigned before_all = 0;

	(void)unused;
	for (unsigned n = 0; n < 3000; n++) {
		uint64_t order = drive(&l, &sl_strategy_surw, state);

		before_all += order == ((((1 * THREADS + 1) * THREADS) * THREADS) * THREADS) * THREADS;
	}
	/* 1 in 5 when ONE is selected, 1 in 126 when everything is; a uniform choice has it 1 time in 32 */
	print_message("the last of one thread before the first of the other: %u of 3000\n", before_all);
	assert_in_range(before_all, 150, 450);
	state_free(&sl_strategy_surw, state);
}

static void
surw_refuses_too_large_a_selection(void **unused)
{
	static uint64_t many[257];
	struct sl_err err = {0};
	void *state = state_simple(&sl_strategy_surw);

	(void)unused;
	assert_true(sl_strategy_surw.start(state,
					   &(struct sl_strategy_options){.places = many, .place_count = 257},
					   &err) < 0);
	state_free(&sl_strategy_surw, state);
}

/* ---- rf ---- */

/* Plain recursion has no record of its own: dfs with one. */
static struct sl_seen everything;

static unsigned
noting_choose(void *state, const struct sl_choice *c)
{
	unsigned answer = sl_strategy_dfs.choose(state, c);

	if (c->kind == SL_CHOOSE_THREAD)
		sl_seen_note(&everything, c->ops[answer]);
	return answer;
}

static bool
noting_begin(void *state)
{
	sl_seen_begin(&everything);
	return sl_strategy_dfs.begin(state);
}

static void
noting_end(void *state, const struct sl_execution *execution)
{
	sl_seen_end(&everything);
	sl_strategy_dfs.end(state, execution);
}

static uint32_t
pair_find(const struct sl_seen *s, const struct sl_seen_pair *p)
{
	for (uint32_t i = 1; i <= s->pair_count; i++)
		if (s->pairs[i].write == p->write && s->pairs[i].read == p->read && s->pairs[i].count)
			return i;
	return 0;
}

static void
rf_reaches_every_pair(void **unused)
{
	unsigned programs = 0, pairs = 0, missing = 0;

	(void)unused;
	for (unsigned seed = 0; seed < 60; seed++) {
		struct model m = model_random(seed, 5);
		struct sl_strategy noting = sl_strategy_dfs;
		struct bag all = {0};
		struct outcome o;

		if (!model_brute(&m, false, &all, 3000) || all.count < 20) {
			bag_release(&all);
			continue;
		}
		memset(&everything, 0, sizeof(everything));
		noting.begin = noting_begin;
		noting.choose = noting_choose;
		noting.end = noting_end;

		void *dfs = state_simple(&noting), *rf = state_simple(&sl_strategy_rf);
		const struct sl_seen *seen = &((struct sl_rf *)rf)->seen;

		while (model_run(&m, &noting, dfs, &o))
			continue;
		for (unsigned n = 0; n < 200; n++)
			model_run(&m, &sl_strategy_rf, rf, &o);
		for (uint32_t i = 1; i <= everything.pair_count; i++)
			if (everything.pairs[i].count) {
				pairs++;
				missing += !pair_find(seen, &everything.pairs[i]);
			}
		for (uint32_t i = 1; i <= seen->pair_count; i++) /* and each pair that it recorded is possible */
			assert_true(!seen->pairs[i].count || pair_find(&everything, &seen->pairs[i]));
		programs++;
		state_free(&noting, dfs);
		state_free(&sl_strategy_rf, rf);
		bag_release(&all);
	}
	print_message("%u pairs of %u programs, %u not reached in 200 executions\n", pairs, programs, missing);
	assert_true(programs > 10);
	assert_int_equal(missing, 0);
}

/* Seven setters and a checker that must see the first store of one of them before the second of any. */
static double
until_found(const struct sl_strategy *strategy)
{
	struct model m = {.threads = 8};
	double sum = 0;

	for (unsigned t = 0; t < 7; t++) {
		m.steps[t][0] = (struct step){SET, 0, 1};
		m.steps[t][1] = (struct step){SET, 1, 1};
	}
	m.steps[7][0] = (struct step){GET, 0, 0};
	m.steps[7][1] = (struct step){SKIP, 0, 2};
	m.steps[7][2] = (struct step){GET, 1, 0};
	m.steps[7][3] = (struct step){CHECK, 0, 1};
	for (unsigned seed = 0; seed < 20; seed++) {
		void *state = state_start(strategy, &(struct sl_strategy_options){.seed = seed});
		struct outcome o = {0};

		while (!o.finding) {
			model_run(&m, strategy, state, &o);
			sum++;
		}
		state_free(strategy, state);
	}
	return sum / 20;
}

static void
steered_is_sooner(void **unused)
{
	double rf = until_found(&sl_strategy_rf), portfolio = until_found(&sl_strategy_portfolio),
	       pct = until_found(&sl_strategy_pct);

	(void)unused;
	print_message("schedules to the finding: rf %.1f, portfolio %.1f, pct %.1f\n", rf, portfolio, pct);
	assert_true(rf < 10 && portfolio < 12 && pct > 3 * rf);
}

/* ---- rare ---- */

/* Seven windows in a row, each open for one operation; a thread that misses one is out. One schedule in 2^20 or so has them all. */
static struct model
windows(void)
{
	struct model m = {.threads = 2};

	for (unsigned i = 0; i < 7; i++) {
		m.steps[0][2 * i] = (struct step){SET, i, 1};
		m.steps[0][2 * i + 1] = (struct step){SET, i, 0};
		m.steps[1][2 * i] = (struct step){GET, i, 0};
		m.steps[1][2 * i + 1] = (struct step){SKIP, 0, (int)(13 - 2 * i)};
	}
	m.steps[1][14] = (struct step){CHECK, 0, 2};
	return m;
}

static unsigned
through_all(const struct sl_strategy *strategy, uint64_t seed, unsigned most)
{
	struct model m = windows();
	void *state = state_start(strategy, &(struct sl_strategy_options){.seed = seed});
	struct outcome o = {0};
	unsigned n = 0;

	while (!o.finding && n < most) {
		model_run(&m, strategy, state, &o);
		n++;
	}
	state_free(strategy, state);
	return n;
}

static void
rare_keeps_what_it_has_won(void **unused)
{
	enum { MOST = 4000 };

	(void)unused;
	for (uint64_t seed = 0; seed < 10; seed++) {
		unsigned rare = through_all(&sl_strategy_rare, seed, MOST);

		print_message("%u ", rare);
		assert_true(rare < MOST);
		assert_int_equal(through_all(&sl_strategy_random, seed, MOST), MOST);
		assert_int_equal(through_all(&sl_strategy_pos, seed, MOST), MOST);
	}
	print_message("executions\n");
}

/* A start that no longer fits, because there are other choices now, is dropped and does no harm. */
static void
rare_forgets_what_has_changed(void **unused)
{
	struct model m = windows();
	void *state = state_simple(&sl_strategy_rare);
	struct sl_rare *rare = state;
	struct outcome o = {0};

	(void)unused;
	for (unsigned n = 0; n < 200; n++)
		model_run(&m, &sl_strategy_rare, state, &o);
	assert_true(rare->start_count > 20);
	m.steps[0][3].act = STOP; /* not told: answers that lead nowhere */
	for (unsigned n = 0; n < 200; n++)
		model_run(&m, &sl_strategy_rare, state, &o);
	sl_strategy_rare.search->grown(state);
	assert_int_equal(rare->start_count, 0);
	m = windows();
	for (unsigned n = 0; n < 4000 && !o.finding; n++)
		model_run(&m, &sl_strategy_rare, state, &o);
	assert_true(o.finding);
	state_free(&sl_strategy_rare, state);
}

/* ---- portfolio ---- */

static void
portfolio_is_the_same_for_a_seed(void **unused)
{
	struct model m = {.threads = 3};
	unsigned same_as_other = 0;
	void *a = state_start(&sl_strategy_portfolio, &(struct sl_strategy_options){.seed = 1});
	void *b = state_start(&sl_strategy_portfolio, &(struct sl_strategy_options){.seed = 1});
	void *c = state_start(&sl_strategy_portfolio, &(struct sl_strategy_options){.seed = 2});
	struct outcome x, y, z;

	(void)unused;
	for (unsigned t = 0; t < 3; t++)
		for (unsigned k = 0; k < 6; k++)
			m.steps[t][k] = (struct step){(t + k) % 3 ? PUT : GET, k % 2, 1};
	for (unsigned n = 0; n < 300; n++) {
		assert_true(model_run(&m, &sl_strategy_portfolio, a, &x));
		model_run(&m, &sl_strategy_portfolio, b, &y);
		model_run(&m, &sl_strategy_portfolio, c, &z);
		assert_int_equal(x.trace, y.trace);
		same_as_other += x.trace == z.trace;
	}
	assert_true(same_as_other < 150); /* the bounded search draws no random numbers */
	state_free(&sl_strategy_portfolio, a);
	state_free(&sl_strategy_portfolio, b);
	state_free(&sl_strategy_portfolio, c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(surw_is_uniform),
		cmocka_unit_test(surw_counts_children_for_their_parents),
		cmocka_unit_test(surw_selects_by_itself),
		cmocka_unit_test(surw_refuses_too_large_a_selection),
		cmocka_unit_test(rf_reaches_every_pair),
		cmocka_unit_test(steered_is_sooner),
		cmocka_unit_test(rare_keeps_what_it_has_won),
		cmocka_unit_test(rare_forgets_what_has_changed),
		cmocka_unit_test(portfolio_is_the_same_for_a_seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
