/*
 * An execution that is taken back leaves no trace in a strategy (base/undo.h): those that follow are the same as if it had
 * never begun. Executions are torn after any of their choices, and after their end. (dpor needs more than the model has:
 * tests/resume.sh kills it.)
 */
#include "model.h"

#include "base/undo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define EXECUTIONS 300

/* An execution that is undone: `choices` of it, and then maybe its end. */
static void
tear(const struct model *m, const struct sl_strategy *strategy, void *state, unsigned choices)
{
	struct outcome o;
	struct world w;

	if (!strategy->begin(state))
		return;
	model_init(&w, m, strategy->traits.every_operation);
	for (; model_advance(&w); choices--) {
		if (!choices)
			return;
		if (w.choice.kind == SL_CHOOSE_THREAD)
			model_tell(&w);
		model_answer(&w, strategy->choose(state, &w.choice));
	}
	model_outcome(&w, &o);
	o.schedule.items = o.items;
	strategy->end(state, &(struct sl_execution){.steps = o.steps,
						    .choices = o.choices,
						    .threads = m->threads,
						    .finding = o.finding,
						    .preemptions = o.preemptions,
						    .schedule = &o.schedule});
	if (strategy->search && choices % 2)
		strategy->search->grown(state);
}

/* The traces of the executions, one after the other; 0 when there are no more. */
static void
run(const struct sl_strategy *strategy, const struct model *m, const struct sl_strategy_options *options, uint64_t seed,
    uint64_t *traces)
{
	struct sl_rng dice = sl_rng_derive(seed, 99);
	void *state = state_start(strategy, options);
	struct outcome o;

	sl_undo_commit(sl_undo);
	memset(traces, 0, EXECUTIONS * sizeof(*traces));
	for (unsigned i = 0; i < EXECUTIONS; i++) {
		while (sl_undo && sl_rng_below(&dice, 3)) {
			tear(m, strategy, state, sl_rng_below(&dice, 40));
			assert_true(sl_undo_all(sl_undo, state, (char *)state + strategy->state_size));
			if (strategy->search && strategy->search->recover)
				strategy->search->recover(state);
		}
		if (!model_run(m, strategy, state, &o))
			break;
		sl_undo_commit(sl_undo);
		traces[i] = o.trace;
	}
	state_free(strategy, state);
}

static void
compare(const struct sl_strategy *strategy, const struct model *m, const struct sl_strategy_options *options,
	uint64_t seed, struct sl_undo *undo)
{
	static uint64_t calm[EXECUTIONS], torn[EXECUTIONS];

	sl_undo = NULL;
	run(strategy, m, options, seed, calm);
	sl_undo = undo;
	run(strategy, m, options, seed, torn);
	sl_undo = NULL;
	for (unsigned i = 0; i < EXECUTIONS; i++)
		if (calm[i] != torn[i])
			fail_msg("%s, program %lu: execution %u is another one", strategy->name, (unsigned long)seed, i);
}

static struct sl_undo *
undo_new(void)
{
	void *memory = mmap(NULL, sizeof(struct sl_undo), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	return memory;
}

static void
torn_executions_leave_no_trace(void **unused)
{
	static const struct sl_strategy *const tested[] = {
		&sl_strategy_dfs, &sl_strategy_icb, &sl_strategy_random, &sl_strategy_pct, &sl_strategy_pos,
		&sl_strategy_surw, &sl_strategy_rf, &sl_strategy_rare, &sl_strategy_portfolio, &sl_strategy_lockstep,
	};
	struct sl_undo *undo = undo_new();

	(void)unused;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct model m = model_random(seed, 5);
		struct sl_strategy_options options = {.seed = seed, .workers = 1};

		for (size_t i = 0; i < sizeof(tested) / sizeof(tested[0]); i++)
			compare(tested[i], &m, &options, seed, undo);
	}
}

/* The finding to be shown with fewer preemptions is the end of any execution. */
static void
minimising_too(void **unused)
{
	struct sl_undo *undo = undo_new();

	(void)unused;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct model m = model_random(seed, 5);
		struct sl_strategy_options random = {.seed = seed, .workers = 1}, options = {.workers = 1};
		void *state = state_start(&sl_strategy_random, &random);
		struct outcome o;

		assert_true(model_run(&m, &sl_strategy_random, state, &o));
		state_free(&sl_strategy_random, state);
		m.bad = o.vars;
		o.schedule.items = o.items;
		options.schedule = &o.schedule;
		compare(&sl_strategy_minimise, &m, &options, seed, undo);
	}
}

/* A file may contain anything. */
static void
nonsense_is_refused(void **unused)
{
	struct sl_undo *undo = undo_new();
	uint64_t memory[4] = {1, 2, 3, 4};

	(void)unused;
	sl_undo = undo;
	sl_undo_save(&memory[1], 12);
	sl_undo = NULL;
	memory[1] = memory[2] = 9;
	assert_false(sl_undo_all(undo, memory, &memory[2]));
	assert_false(sl_undo_all(undo, &memory[2], &memory[4]));
	undo->used--;
	assert_false(sl_undo_all(undo, memory, &memory[4]));
	undo->used = SL_UNDO_WORDS + 1;
	assert_false(sl_undo_all(undo, memory, &memory[4]));
	undo->used = 4;
	assert_int_equal(memory[1], 9);
	assert_true(sl_undo_all(undo, memory, &memory[4]));
	assert_int_equal(memory[1], 2);
	assert_int_equal(memory[2], 3);
	undo->full = 1;
	assert_false(sl_undo_all(undo, memory, &memory[4]));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(torn_executions_leave_no_trace),
		cmocka_unit_test(minimising_too),
		cmocka_unit_test(nonsense_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
