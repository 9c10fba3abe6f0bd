/*
 * random, walk, pct and pos against toy programs: what they promise, counted over many executions. Seeds are fixed, so
 * a test that passes always does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model.h"

static const struct sl_strategy *const samplers[] = {&sl_strategy_random, &sl_strategy_pct, &sl_strategy_pos,
						     &sl_strategy_walk};

/* The n-th execution of a worker is one of those that a single process would run, so it can be repeated. */
static void
samples_can_be_had_again(void **unused)
{
	struct model m = model_random(5, 7);

	(void)unused;
	for (unsigned i = 0; i < 4; i += 1 + !i) { /* pct learns the length, so only its random numbers are the same */
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
	for (unsigned i = 0; i < 4; i++) {
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
	/* Depth 1 has no change point: it can't find it. */
	assert_int_equal(count_findings(&m, &sl_strategy_pct, 1, runs), 0);
}

/*
 * Nine steps of thread 0 that conflict with nothing, then a write; thread 1 reads once. That the
 * read comes last is one of two partial orders: pos gives it 1/11 or more, a uniform choice 2^-10.
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
 * Ten steps of thread 0 before the one of thread 1: by half the first choice, and by nine times that thread 0 goes on, with
 * all probabilities from 0 to 1: 1/2 times the integral of q^9, which is 1/20. A uniform choice has 2^-10.
 */
static void
walk_is_more_or_less_restless(void **unused)
{
	struct model m = {.threads = 2, .steps = {{{0}}, {{GET, 0, 0}, {CHECK, 0, 0}}}};

	(void)unused;
	for (unsigned i = 0; i < 9; i++)
		m.steps[0][i] = (struct step){SET, 1, 0};
	m.steps[0][9] = (struct step){SET, 0, 1};
	assert_in_range(count_findings(&m, &sl_strategy_walk, 0, 40000), 2000 - 150, 2000 + 150);
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

/* Every execution of a small program comes up in time, and no other. */
static void
samplers_reach_everything(void **unused)
{
	struct model m;

	(void)unused;
	for (unsigned seed = 0; seed < 30; seed++) {
		struct bag all = {0};

		m = model_random(seed, 3);
		if (model_brute(&m, false, &all, 50)) {
			for (unsigned i = 0; i < 4; i += 1 + !i) {
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
 * pct with and without being told that only the current thread has changed: five threads of eight operations each; one
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
		unsigned count = THREADS, current = THREADS;

		for (unsigned i = 0; i < THREADS; i++) {
			ops[i] = (struct sl_op){.kind = SL_WRITE, .thread = i, .index = 1};
			enabled[i] = &ops[i];
		}
		sl_strategy_pct.begin(told);
		sl_strategy_pct.begin(untold);
		while (count > 1) {
			uint32_t changed[] = {current < count ? enabled[current]->thread : 0, 1, 2, 3, 4};
			struct sl_choice c = {.count = count,
					      .prompt = count,
					      .current = current,
					      .ops = enabled,
					      .changed = changed,
					      .changed_count = THREADS};
			unsigned plain = sl_strategy_pct.choose(untold, &c), answer;

			c.changed_count = current < count ? 1 : 2;
			answer = sl_strategy_pct.choose(told, &c);
			assert_int_equal(answer, plain);
			same += answer == current;
			remembered++;
			current = answer;
			if (++ops[enabled[answer]->thread].index > LENGTH) {
				enabled[answer] = enabled[--count];
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

/* ---- pos against itself, as the paper has it ---- */

/* Every operation has its priority, and all are looked at for every choice. */
struct plain {
	struct sl_rng rng;
	uint64_t execution;
	struct {
		uint64_t execution, index, priority;
	} slots[64];
};

static int
plain_start(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	(void)err;
	((struct plain *)state)->rng = sl_rng_derive(options->seed, 12345);
	return 0;
}

static bool
plain_begin(void *state)
{
	((struct plain *)state)->execution++;
	return true;
}

static void
plain_draw(struct plain *s, const struct sl_op *op)
{
	uint64_t r = sl_rng_next(&s->rng);

	s->slots[op->thread].execution = s->execution;
	s->slots[op->thread].index = op->index;
	s->slots[op->thread].priority = (op->flags & SL_OP_LATE) && (r & 7) ? r >> 40 : r;
}

static unsigned
plain_choose(void *state, const struct sl_choice *c)
{
	struct plain *s = state;
	unsigned best = 0;

	if (c->kind != SL_CHOOSE_THREAD)
		return sl_rng_below(&s->rng, c->count);
	for (unsigned i = 0; i < c->count; i++) {
		const struct sl_op *op = c->ops[i];

		if (s->slots[op->thread].execution != s->execution || s->slots[op->thread].index != op->index)
			plain_draw(s, op);
		if (s->slots[op->thread].priority > s->slots[c->ops[best]->thread].priority)
			best = i;
	}
	for (unsigned i = 0; i < c->count; i++)
		if (i != best &&
		    (sl_op_conflicts(c->ops[best], c->ops[i]) || (best >= c->prompt && i >= c->prompt)))
			plain_draw(s, c->ops[i]);
	return best;
}

static void
plain_end(void *state, const struct sl_execution *execution)
{
	(void)state;
	(void)execution;
}

static const struct sl_strategy plain_pos = {
	.name = "plain pos",
	.state_size = sizeof(struct plain),
	.start = plain_start,
	.begin = plain_begin,
	.choose = plain_choose,
	.end = plain_end,
};

static int
compare_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Two samples of n: could they be of the same distribution? Chi squared, up to five times its deviation. */
static bool
look_alike(uint64_t *a, uint64_t *b, size_t n)
{
	double chi = 0, cells = 0;

	qsort(a, n, sizeof(*a), compare_numbers);
	qsort(b, n, sizeof(*b), compare_numbers);
	for (size_t i = 0, k = 0; i < n || k < n;) {
		uint64_t value = k == n || (i < n && a[i] < b[k]) ? a[i] : b[k];
		double x = 0, y = 0;

		for (; i < n && a[i] == value; i++)
			x++;
		for (; k < n && b[k] == value; k++)
			y++;
		if (x + y >= 20) {
			chi += (x - y) * (x - y) / (x + y);
			cells++;
		}
	}
	if (cells < 2)
		return true;
	return chi < cells || (chi - cells) * (chi - cells) < 25 * 2 * cells;
}

/* Threads that can always go, each with a list of operations of any kind. */
struct lists {
	unsigned threads, length;
	struct sl_op ops[64][4];
};

/* One execution: a digest of the order, and the thread that went in the middle of it. */
static uint64_t
drive(const struct lists *l, const struct sl_strategy *strategy, void *state, uint64_t *middle)
{
	struct sl_op now[64];
	const struct sl_op *ops[64];
	uint32_t changed[64], places[64];
	uint64_t digest = 0;
	unsigned last = UINT32_MAX, steps = 0;

	strategy->begin(state);
	for (unsigned t = 0; t < l->threads; t++)
		now[t] = l->ops[t][0];
	for (;; steps++) {
		struct sl_choice c = {.ops = ops, .changed = changed, .places = places, .step = steps};

		for (unsigned late = 0; late < 2; late++) {
			for (unsigned t = 0; t < l->threads; t++)
				if (now[t].index <= l->length && !(now[t].flags & SL_OP_LATE) == !late) {
					places[t] = c.count;
					ops[c.count++] = &now[t];
				}
			c.prompt = late ? c.prompt : c.count;
		}
		if (c.count < 2)
			break;
		for (unsigned t = 0; t < l->threads; t++) {
			if (now[t].index > l->length)
				places[t] = UINT32_MAX;
			if (steps == 0 || t == last)
				changed[c.changed_count++] = t;
		}
		c.current = last < l->threads && places[last] < c.count ? places[last] : c.count;
		unsigned answer = strategy->choose(state, &c);

		assert_true(answer < c.count);
		last = ops[answer]->thread;
		if (steps == l->threads * l->length / 2 && middle)
			*middle = last;
		digest = sl_mix(digest + last + 1);
		uint64_t done = now[last].index;

		if (done < l->length)
			now[last] = l->ops[last][done];
		else
			now[last].index = done + 1;
	}
	strategy->end(state, &(struct sl_execution){0});
	assert_true(steps + l->length >= l->threads * l->length);
	return digest;
}

/* Anything from a nap to the end of the program, on sixteen bytes in two lines of memory. */
static struct lists
lists_random(uint64_t seed)
{
	struct sl_rng r = sl_rng_derive(seed, 4);
	struct lists l = {.threads = 3 + sl_rng_below(&r, 3)};

	l.length = l.threads > 3 ? 1 + (l.threads == 4) : 3;
	for (unsigned t = 0; t < l.threads; t++)
		for (unsigned i = 0; i < l.length; i++) {
			unsigned what = sl_rng_below(&r, 16);
			struct sl_op op = {.kind = SL_UPDATE, .thread = t, .index = i + 1};

			if (what > 0) {
				op.size = (uint8_t)(1 << sl_rng_below(&r, 5) >> 1);
				op.object = 4096 - 6 + sl_rng_below(&r, 10);
				op.flags = sl_rng_below(&r, 2) ? SL_OP_WRITES : SL_OP_READS;
			}
			if (what == 1)
				op.kind = SL_EXIT;
			if (what < 4)
				op.flags |= SL_OP_LATE;
			l.ops[t][i] = op;
		}
	return l;
}

static void
pos_draws_as_the_paper_says(void **unused)
{
	enum { RUNS = 40000 };
	static uint64_t a[RUNS], b[RUNS];
	void *pos = state_simple(&sl_strategy_pos), *plain = state_simple(&plain_pos);

	(void)unused;
	for (unsigned seed = 0; seed < 16; seed++) {
		struct lists l = lists_random(seed);

		for (size_t i = 0; i < RUNS; i++) {
			a[i] = drive(&l, &sl_strategy_pos, pos, NULL);
			b[i] = drive(&l, &plain_pos, plain, NULL);
		}
		assert_true(look_alike(a, b, RUNS));
	}
	for (unsigned seed = 0; seed < 16; seed++) { /* operations that can't go for a while */
		struct model m = model_random(seed, 4);
		struct outcome o;

		for (size_t i = 0; i < RUNS / 2; i++) {
			model_run(&m, &sl_strategy_pos, pos, &o);
			a[i] = o.trace;
			model_run(&m, &plain_pos, plain, &o);
			b[i] = o.trace;
		}
		assert_true(look_alike(a, b, RUNS / 2));
	}
	/* The measure can tell: a uniform choice does not look like pos. */
	struct lists l = {.threads = 3, .length = 3};
	void *uniform = state_simple(&sl_strategy_random);

	for (unsigned t = 0; t < 3; t++)
		for (unsigned i = 0; i < 3; i++)
			l.ops[t][i] = (struct sl_op){.kind = SL_READ, .thread = t, .index = i + 1, .object = 64};
	for (size_t i = 0; i < RUNS; i++) {
		a[i] = drive(&l, &sl_strategy_pos, pos, NULL);
		b[i] = drive(&l, &sl_strategy_random, uniform, NULL);
	}
	assert_false(look_alike(a, b, RUNS));
	state_free(&sl_strategy_pos, pos);
	state_free(&plain_pos, plain);
	state_free(&sl_strategy_random, uniform);
}

/*
 * 50 threads that go from object to object: the groups grow and shrink. The thread that goes
 * in the middle is distributed as with the plain one; drive() checks that none is forgotten.
 */
static void
pos_among_many_threads(void **unused)
{
	enum { RUNS = 6000 };
	static struct lists l = {.threads = 50, .length = 4};
	static uint64_t a[RUNS], b[RUNS];
	void *pos = state_simple(&sl_strategy_pos), *plain = state_simple(&plain_pos);

	(void)unused;
	for (unsigned t = 0; t < l.threads; t++)
		for (unsigned i = 0; i < l.length; i++)
			l.ops[t][i] = (struct sl_op){
				.kind = SL_UPDATE,
				.thread = t,
				.index = i + 1,
				.object = 4096 + (i < 2 ? i : i == 2 ? t % 7 : t) * 8,
				.flags = (t + i) % 3 ? SL_OP_WRITES : SL_OP_READS,
			};
	for (size_t i = 0; i < RUNS; i++) {
		drive(&l, &sl_strategy_pos, pos, &a[i]);
		drive(&l, &plain_pos, plain, &b[i]);
	}
	assert_true(look_alike(a, b, RUNS));
	state_free(&sl_strategy_pos, pos);
	state_free(&plain_pos, plain);
}

/* Quarters of an exponential distribution: ln(4/3), ln 2, ln 4; and its mean. */
static void
exponential_is_exponential(void **unused)
{
	struct sl_rng r = sl_rng_derive(1, 1);
	double one = (double)(1ull << 48), mean = 0;
	unsigned quarters[4] = {0}, runs = 400000;

	(void)unused;
	for (unsigned i = 0; i < runs; i++) {
		double x = (double)sl_rng_exponential(&r) / one;

		mean += x / runs;
		quarters[(x > 0.2876820724517809) + (x > 0.6931471805599453) + (x > 1.3862943611198906)]++;
	}
	assert_true(mean > 0.995 && mean < 1.005);
	for (unsigned i = 0; i < 4; i++)
		assert_in_range(quarters[i], runs / 4 - 1200, runs / 4 + 1200);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_can_be_had_again), cmocka_unit_test(random_is_uniform),
		cmocka_unit_test(pct_keeps_its_promise),    cmocka_unit_test(pos_is_even_over_partial_orders),
		cmocka_unit_test(sleepers_may_overtake),    cmocka_unit_test(samplers_reach_everything),
		cmocka_unit_test(pct_does_not_starve),      cmocka_unit_test(pct_remembers_the_highest),
		cmocka_unit_test(pos_draws_as_the_paper_says), cmocka_unit_test(pos_among_many_threads),
		cmocka_unit_test(exponential_is_exponential),  cmocka_unit_test(walk_is_more_or_less_restless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
