/*
 * Steering into an order of operations (strategy/directed.c), on random toy programs with random orders: an order that it reports to
 * have followed is among those of all executions, and one that some execution has is nearly always followed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model.h"

#include "base/op_order.h"

#define RANDOM_PROGRAMS 4000
#define LIMIT 20000 /* choices of a program that is tried */
#define EXECUTIONS 40

/* ---- the twin ---- */

static unsigned left;

/* Does some execution have the steps from `next` on, in this order? */
static bool
is_possible(const struct world *from, const struct sl_op_order *order, uint32_t next)
{
	struct world w = *from;

	if (next == order->count)
		return true;
	w.choice.ops = w.op_ptrs;
	if (!left || !model_advance(&w))
		return false;
	left--;
	for (unsigned i = 0; i < w.choice.count; i++) {
		struct world then = w;
		const struct sl_op *op = &w.ops[i];
		uint32_t step = next;

		then.choice.ops = then.op_ptrs;
		for (unsigned k = 0; k < MODEL_THREADS; k++)
			then.op_ptrs[k] = &then.ops[k];
		if (w.choice.kind == SL_CHOOSE_THREAD)
			while (step < order->count && order->steps[step].pc != op->pc)
				step++;
		model_answer(&then, i);
		if (w.choice.kind == SL_CHOOSE_THREAD && step < order->count && step != next)
			continue; /* one of the later ones has come too early */
		if (is_possible(&then, order, next + (w.choice.kind == SL_CHOOSE_THREAD && step == next)))
			return true;
	}
	return false;
}

/* Two threads in turns, places in the order of their programs, as violations of atomicity have it. */
static bool
random_order(struct sl_rng *rng, const struct model *m, struct sl_op_order *order)
{
	unsigned count = 2 + sl_rng_below(rng, 3), at[MODEL_THREADS] = {0};
	unsigned first = sl_rng_below(rng, m->threads),
		 second = (first + 1 + sl_rng_below(rng, m->threads - 1)) % m->threads;

	*order = (struct sl_op_order){.count = count};
	for (unsigned i = 0; i < count; i++) {
		unsigned t = i == 0 || i == 3 || (i == 2 && (count == 3 || sl_rng_below(rng, 2))) ? first : second;

		at[t] += sl_rng_below(rng, 3);
		if (at[t] >= MODEL_STEPS || m->steps[t][at[t]].act == STOP)
			return false;
		if (m->steps[t][at[t]].act != GET && m->steps[t][at[t]].act != PUT &&
		    m->steps[t][at[t]].act != SET && m->steps[t][at[t]].act != LOCK &&
		    m->steps[t][at[t]].act != UNLOCK)
			return false; /* not performed in one step, or not by all strategies alike */
		order->steps[i] = (struct sl_op_order_step){.thread = model_path(t),
							    .pc = 1 + t * MODEL_STEPS + at[t],
							    .occurrence = 1};
		at[t]++;
	}
	return true;
}

/* One execution; here the test keeps what is done of the order. */
static void
run(const struct model *m, void *state, struct sl_op_order *order)
{
	struct world w;

	assert_true(sl_strategy_directed.begin(state));
	sl_op_order_begin(order);
	model_init(&w, m, true);
	w.counts = true;
	while (model_advance(&w)) {
		bool thread = w.choice.kind == SL_CHOOSE_THREAD;

		if (thread)
			model_tell(&w);
		unsigned answer = sl_strategy_directed.choose(state, &w.choice);

		assert_true(answer < w.choice.count);
		if (thread)
			sl_op_order_perform(order, w.choice.ops[answer], model_path(w.choice.ops[answer]->thread));
		model_answer(&w, answer);
	}
	sl_strategy_directed.end(state, &(struct sl_execution){.steps = w.steps});
}

static void
follows_what_is_possible(void **unused)
{
	unsigned tried = 0, possible = 0, followed = 0, at_once = 0;

	(void)unused;
	for (unsigned seed = 0; seed < RANDOM_PROGRAMS; seed++) {
		struct sl_rng rng = sl_rng_derive(seed, 5);
		struct model m = model_random(seed, 7);
		struct sl_op_order order;
		struct world w;
		bool is;

		if (!random_order(&rng, &m, &order))
			continue;
		model_init(&w, &m, true);
		w.counts = true;
		left = LIMIT;
		is = is_possible(&w, &order, 0);
		if (!left && !is)
			continue;
		void *state =
			state_start(&sl_strategy_directed,
				    &(struct sl_strategy_options){.workers = 1, .seed = seed, .order = &order});

		unsigned executions = 0;

		for (; executions < EXECUTIONS && !order.followed; executions++)
			run(&m, state, &order);
		assert_true(order.done <= order.count);
		assert_int_equal(order.followed > 0, order.done == order.count);
		if (order.followed && !is)
			print_message("program %u: an order was followed that is none\n", seed);
		assert_true(is || !order.followed);
		tried++;
		possible += is;
		followed += order.followed > 0;
		at_once += order.followed && executions == 1;
		if (is && !order.followed)
			print_message("program %u: an order was missed, %u of %u steps\n", seed, order.done,
				      order.count);
		state_free(&sl_strategy_directed, state);
	}
	print_message("%u orders, %u possible, %u followed, %u of them by the first execution\n", tried, possible,
		      followed, at_once);
	assert_true(tried > RANDOM_PROGRAMS / 8);
	assert_true(possible > tried / 4 && possible < tried);
	assert_true(followed * 100 >= possible * 98);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(follows_what_is_possible)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
