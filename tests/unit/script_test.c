/*
 * Following scripts (strategy/script.c), on random toy programs: the script of a random execution leads to the same execution, whether the
 * strategy is asked at every operation or only where there are two answers; and one that is wrong is left at the first step that is impossible.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "model.h"

#include "base/script_steps.h"

#define RANDOM_PROGRAMS 3000

static struct sl_scripts *scripts;
static struct world *running;

/* Two threads wait, and a third wakes them: the random programs seldom do. */
static struct model
model_of_waits(void)
{
	return (struct model){.threads = 3,
			      .steps = {{{WAIT, 0, 0}, {SET, 0, 1}},
					{{WAIT, 0, 0}, {SET, 0, 2}},
					{{SIGNAL, 0, 0}, {GET, 0, 0}, {SIGNAL, 0, 0}, {PUT, 1, 0}}}};
}

static const struct sl_op *
announced(uint32_t thread)
{
	static struct sl_op op;

	if (model_step(running, thread)->act == STOP)
		return NULL;
	model_describe(running, thread, &op);
	return &op;
}

/* The next choice with all that the engine tells; false: the execution is over. */
static bool
advance(struct world *w)
{
	struct sl_choice *c = &w->choice;

	running = w;
	if (!model_advance(w))
		return false;
	if (c->kind == SL_CHOOSE_THREAD)
		model_tell(w);
	c->kin = w->kin;
	c->announced = announced;
	c->asking = w->last < 0 ? 0 : (uint32_t)w->last;
	c->thread_count = w->model->threads;
	return true;
}

static void
add(struct sl_script *script, enum sl_script_kind kind, uint64_t thread, uint64_t index)
{
	struct sl_script_step *last = script->count ? &script->steps[script->count - 1] : NULL;

	if (last && last->kind == SL_SCRIPT_RUN && kind == SL_SCRIPT_RUN && last->thread == thread)
		last->index = index;
	else
		script->steps[script->count++] =
			(struct sl_script_step){.thread = thread, .index = index, .kind = kind};
}

/* A random execution, and its script. */
static void
draw(struct world *w, const struct model *m, struct sl_rng *rng, struct sl_script *script)
{
	script->count = 0;
	model_init(w, m, true);
	w->counts = true;
	while (advance(w)) {
		const struct sl_choice *c = &w->choice;
		unsigned answer = sl_rng_below(rng, c->count);

		if (c->kind == SL_CHOOSE_THREAD)
			add(script, SL_SCRIPT_RUN, model_path(c->ops[answer]->thread), c->ops[answer]->index);
		else if (c->kind == SL_CHOOSE_WAITER)
			add(script, SL_SCRIPT_WAKE, model_path(c->ops[answer]->thread), 0);
		else
			add(script, SL_SCRIPT_VALUE, 0, answer);
		model_answer(w, answer);
	}
}

static struct sl_script *
follow(struct world *w, const struct model *m, void *state, bool counts)
{
	struct sl_script *script;

	assert_true(sl_strategy_script.begin(state));
	script = &scripts->scripts[scripts->begun % SL_SCRIPTS];
	model_init(w, m, true);
	w->counts = counts;
	while (advance(w))
		model_answer(w, sl_strategy_script.choose(state, &w->choice));
	sl_strategy_script.end(state, &(struct sl_execution){.steps = w->steps, .finding = w->finding});
	assert_int_equal(scripts->ended, scripts->begun);
	return script;
}

static struct sl_script *
next_script(void)
{
	return &scripts->scripts[(scripts->issued + 1) % SL_SCRIPTS];
}

static void *
begin(void)
{
	scripts = mmap(NULL, sizeof(*scripts), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		       -1, 0);
	assert_ptr_not_equal(scripts, MAP_FAILED);
	scripts->attended = 1;
	return state_start(&sl_strategy_script, &(struct sl_strategy_options){.workers = 1, .scripts = scripts});
}

static void
finish(void *state)
{
	state_free(&sl_strategy_script, state);
	munmap(scripts, sizeof(*scripts));
}

static void
repeats_executions(void **unused)
{
	void *state = begin();
	unsigned wakes = 0, values = 0;

	(void)unused;
	for (unsigned seed = 0; seed < RANDOM_PROGRAMS; seed++) {
		struct sl_rng rng = sl_rng_derive(seed, 6);
		struct model m = seed % 8 < 7 ? model_random(seed, 8) : model_of_waits();
		struct world drawn, followed;
		struct sl_script *script;

		draw(&drawn, &m, &rng, next_script());
		scripts->issued++;
		script = follow(&followed, &m, state, seed & 1);
		for (uint32_t i = 0; i < script->count; i++) {
			wakes += script->steps[i].kind == SL_SCRIPT_WAKE;
			values += script->steps[i].kind == SL_SCRIPT_VALUE;
		}
		assert_int_equal(drawn.trace, followed.trace);
		assert_false(script->strayed);
		assert_int_equal(script->found, drawn.finding);
		/* what comes after the last question is not seen; if each operation is asked for, it is at most the last step */
		assert_true(!(seed & 1) || script->reached + 1 >= script->count);
	}
	print_message("%u wake-ups and %u values were chosen\n", wakes, values);
	assert_true(wakes > 10 && values > 100);
	finish(state);
}

static void
leaves_what_is_impossible(void **unused)
{
	void *state = begin();
	unsigned strayed = 0;

	(void)unused;
	for (unsigned seed = 0; seed < RANDOM_PROGRAMS; seed++) {
		struct sl_rng rng = sl_rng_derive(seed, 7);
		struct model m = model_random(seed, 8);
		struct world drawn, followed;
		struct sl_script *script = next_script();
		uint32_t at;

		draw(&drawn, &m, &rng, script);
		if (!script->count)
			continue;
		at = sl_rng_below(&rng, script->count);
		script->steps[at] = (struct sl_script_step){.thread = model_path(MODEL_THREADS + 3), .index = 1};
		scripts->issued++;
		script = follow(&followed, &m, state, true);
		assert_true(script->reached <= at);
		assert_true(!script->strayed || script->reached == at);
		strayed += script->strayed;
	}
	assert_true(strayed > RANDOM_PROGRAMS / 2);
	finish(state);
}

static void
waits_for_scripts(void **unused)
{
	void *state = begin();
	const struct sl_strategy_search *search = sl_strategy_script.search;

	(void)unused;
	assert_false(sl_strategy_script.begin(state));
	assert_true(search->waits(state));
	assert_int_equal(scripts->waited, 1);
	scripts->issued = 2;
	assert_true(sl_strategy_script.begin(state));
	sl_strategy_script.end(state, &(struct sl_execution){.cut = true});
	assert_true(scripts->scripts[1].cut);
	search->grown(state);
	scripts->over = 1; /* what was issued before is still run */
	assert_true(search->waits(state));
	assert_true(sl_strategy_script.begin(state));
	assert_int_equal(scripts->scripts[2].grown, 1);
	sl_strategy_script.end(state, &(struct sl_execution){.steps = 1});
	assert_false(sl_strategy_script.begin(state));
	assert_false(search->waits(state));
	assert_true(progress_of(&sl_strategy_script, state).over);
	assert_false(progress_of(&sl_strategy_script, state).complete);
	finish(state);
}

static void
needs_a_writer(void **unused)
{
	struct sl_strategy_options options = {.workers = 1};
	void *state = state_new(&sl_strategy_script);
	struct sl_err err;

	(void)unused;
	assert_true(sl_strategy_script.start(state, &options, &err) < 0);
	state_free(&sl_strategy_script, state);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(repeats_executions),
		cmocka_unit_test(leaves_what_is_impossible),
		cmocka_unit_test(waits_for_scripts),
		cmocka_unit_test(needs_a_writer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
