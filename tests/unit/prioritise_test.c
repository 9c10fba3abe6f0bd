/*
 * Prioritisation (strategy/prioritise.h, path.c) against a literal twin of the paper's algorithm (Fig. 4.2 of the
 * dissertation): sets of transitions to explore now and next, on random toy programs with random impacted places.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <malloc.h>

#include "model.h"

#ifndef RANDOM_PROGRAMS
#define RANDOM_PROGRAMS 300
#endif
#define LIMIT 4000     /* executions of a program that is tried */
#define ITERATIONS 128 /* more than a program of that size has */

static uint64_t
random_places(struct sl_rng *rng, unsigned threads)
{
	uint64_t one = (uint64_t)sl_rng_below(rng, 1u << 30) << 30 | sl_rng_below(rng, 1u << 30);
	uint64_t other = (uint64_t)sl_rng_below(rng, 1u << 30) << 30 | sl_rng_below(rng, 1u << 30);

	(void)threads;
	switch (sl_rng_below(rng, 4)) {
	case 0:
		return 0;
	case 1:
		return ~0ull;
	case 2:
		return one & other; /* a quarter */
	default:
		return one;
	}
}

/* ---- the twin ---- */

struct transition {
	struct world state;
	unsigned answer;
};

struct set {
	struct transition *list;
	size_t count, capacity;
};

static void
set_add(struct set *s, const struct world *w, unsigned answer)
{
	if (s->count == s->capacity) {
		s->capacity = s->capacity ? 2 * s->capacity : 64;
		s->list = realloc(s->list, s->capacity * sizeof(*s->list));
		if (!s->list)
			abort();
	}
	s->list[s->count++] = (struct transition){*w, answer};
}

struct twin {
	enum sl_prioritise mode;
	unsigned bound; /* on preemptions */
	struct set now, next;
	struct bag leaves[ITERATIONS];
	unsigned iteration;
	size_t executions;
};

/* Lines 32 to 40. `in`: answers; the result in place: those that are prioritised. */
static unsigned
partition(enum sl_prioritise mode, const struct sl_choice *c, unsigned *in, unsigned count)
{
	unsigned stays = sl_choice_default(c), others = 0, prompt = 0, first = 0;
	bool contains = false, some = false, all = true, stays_is_other = false;

	if (mode == SL_PRIORITISE_NOTHING || c->kind != SL_CHOOSE_THREAD)
		return count;
	for (unsigned i = 0; i < count; i++) {
		if (in[i] == c->current && in[i] < c->prompt)
			contains = true;
		if (in[i] >= c->prompt)
			continue;
		prompt++;
		if (c->ops[in[i]]->flags & SL_OP_IMPACTED_LINE) {
			some = true;
			continue;
		}
		all = false;
		if (!others++)
			first = in[i];
		stays_is_other |= in[i] == stays;
	}
	if (c->current >= c->prompt)
		return count;
	/* a thread that has yielded may be beyond what is explored; it could go on all the same */
	(void)contains;
	if (mode == SL_PRIORITISE_ALL) {
		if (all)
			return count;
		in[0] = stays_is_other ? stays : first;
		return 1;
	}
	if (some)
		return count;
	in[0] = stays;
	return 1;
}

static void
twin_expand(struct twin *t, const struct world *from)
{
	struct world w = *from;
	unsigned enabled[MODEL_THREADS + 8] = {0}, prioritised[MODEL_THREADS + 8], count = 0, now;

	if (!model_advance(&w)) {
		struct outcome o;

		model_outcome(&w, &o);
		if (t->iteration >= ITERATIONS)
			abort();
		bag_add(&t->leaves[t->iteration], &o);
		t->executions++;
		return;
	}
	for (unsigned i = 0; i < w.choice.count; i++)
		if (w.preemptions + sl_choice_cost(&w.choice, i) <= t->bound)
			enabled[count++] = i;
	memcpy(prioritised, enabled, sizeof(enabled));
	now = partition(t->mode, &w.choice, prioritised, count);
	for (unsigned i = 0; i < count; i++) {
		bool is_now = false;

		for (unsigned k = 0; k < now; k++)
			is_now |= prioritised[k] == enabled[i];
		set_add(is_now ? &t->now : &t->next, &w, enabled[i]);
	}
}

/* False: too many. */
static bool
twin_explore(struct twin *t, const struct model *m)
{
	struct world w;

	model_init(&w, m, false);
	twin_expand(t, &w);
	while (t->now.count || t->next.count) {
		if (!t->now.count) {
			struct set empty = t->now;

			t->now = t->next;
			t->next = empty;
			t->iteration++;
			continue;
		}
		struct transition current = t->now.list[--t->now.count];

		current.state.choice.ops = current.state.op_ptrs;
		for (unsigned k = 0; k < MODEL_THREADS; k++)
			current.state.op_ptrs[k] = &current.state.ops[k];
		model_answer(&current.state, current.answer);
		twin_expand(t, &current.state);
		if (t->executions > LIMIT)
			return false;
	}
	return true;
}

static void
twin_release(struct twin *t)
{
	free(t->now.list);
	free(t->next.list);
	for (unsigned i = 0; i < ITERATIONS; i++)
		bag_release(&t->leaves[i]);
	free(t);
}

/* ---- the searches ---- */

struct tried {
	size_t programs, executions, dead, iterations, repeated;
};

/* One program: the same executions in the same iteration. */
static void
compare(const struct model *m, const struct sl_strategy *strategy, const struct sl_strategy_options *options,
	struct tried *tried)
{
	struct twin *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	t->mode = options->prioritise;
	t->bound = options->preemptions ? options->preemptions - 1 : UINT32_MAX - 8;
	if (!twin_explore(t, m)) {
		twin_release(t);
		return;
	}
	void *state = state_start(strategy, options);
	struct bag found[ITERATIONS] = {0};
	struct outcome o;
	size_t runs = 0;
	uint64_t skipped = 0;

	for (; model_run(m, strategy, state, &o); runs++) {
		struct sl_progress p = progress_of(strategy, state);
		/* progress after the end: of the last of an iteration it says the next one */
		static uint32_t before;
		uint32_t iteration = runs ? before : 0;

		if (p.skipped == skipped) {
			assert_in_range(iteration, 0, ITERATIONS - 1);
			bag_add(&found[iteration], &o);
		}
		skipped = p.skipped;
		before = p.iterations;
		assert_in_range(runs, 0, 40 * LIMIT);
	}
	for (unsigned i = 0; i < ITERATIONS; i++)
		assert_true(bag_same(&found[i], &t->leaves[i]));
	if (!options->preemptions)
		assert_true(progress_of(strategy, state).complete);
	tried->programs++;
	tried->executions += t->executions;
	tried->iterations += t->iteration + 1;
	tried->repeated += runs - t->executions;
	for (unsigned i = 0; i < ITERATIONS; i++)
		bag_release(&found[i]);
	state_free(strategy, state);
	twin_release(t);
}

static void
equals_the_twin(void **unused)
{
	static const struct sl_strategy *const both[] = {&sl_strategy_dfs, &sl_strategy_icb};

	(void)unused;
	for (unsigned s = 0; s < 2; s++)
		for (unsigned mode = SL_PRIORITISE_ALL; mode <= SL_PRIORITISE_SOME; mode++)
			for (unsigned bound = 0; bound < (s ? 3 : 1); bound++) {
				struct tried tried = {0};

				for (unsigned seed = 0; seed < RANDOM_PROGRAMS; seed++) {
					struct sl_rng rng = sl_rng_derive(seed, 99);
					struct model m = model_random(seed, 5);

					m.impacted = random_places(&rng, m.threads);
					compare(&m, both[s],
						&(struct sl_strategy_options){.workers = 1,
									      .seed = seed,
									      .prioritise = mode,
									      .impacted = SL_OP_IMPACTED_LINE,
									      .shuffled = seed & 1,
									      .preemptions =
										      bound ? bound + 1 : 0},
						&tried);
				}
				print_message(
					"%s, %s, bound %u: %zu programs, %zu executions in %zu iterations, and %zu "
					"dead ends\n",
					both[s]->name, mode == SL_PRIORITISE_ALL ? "all" : "some", bound,
					tried.programs, tried.executions, tried.iterations, tried.repeated);
				assert_true(tried.programs > RANDOM_PROGRAMS / 2);
			}
}

/* ---- through states ---- */

static const struct world *identified; /* the world whose choice it is */

static uint64_t
digest(const struct world *w)
{
	uint64_t h = model_digest(w);

	for (unsigned i = 0; i < MODEL_OBJECTS; i++)
		h = sl_mix(h + (uint64_t)w->owner[i] + 1);
	for (unsigned t = 0; t < w->model->threads; t++)
		h = sl_mix(h + w->t[t].at + ((uint64_t)(uint32_t)w->t[t].reg << 8) +
			   ((uint64_t)w->t[t].waits << 40) + ((uint64_t)w->t[t].woken << 50) +
			   ((uint64_t)w->t[t].yielded << 51));
	return sl_mix(h + (uint64_t)(w->last + 1) + ((uint64_t)w->pending << 32) + ((uint64_t)w->object << 40));
}

static bool
identify(uint64_t id[2])
{
	id[0] = digest(identified);
	id[1] = sl_mix(id[0]);
	return true;
}

/* What was done, one state after the other: new (1) or seen (0), in which iteration. */
struct log {
	struct {
		uint64_t id;
		unsigned iteration;
		bool is_new;
	} * list;
	size_t count;
};

static void
log_add(struct log *l, uint64_t id, unsigned iteration, bool is_new)
{
	if (!(l->count & (l->count + 1))) {
		l->list = realloc(l->list, 2 * (l->count + 1) * sizeof(*l->list));
		if (!l->list)
			abort();
	}
	l->list[l->count].id = id;
	l->list[l->count].iteration = iteration;
	l->list[l->count++].is_new = is_new;
}

static bool
log_knows(const struct log *l, uint64_t id)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->list[i].id == id)
			return true;
	return false;
}

struct state_twin {
	enum sl_prioritise mode;
	bool breadth;
	struct set now, next;
	size_t first; /* breadth: of now */
	unsigned iteration;
	struct log log;
};

static void
state_expand(struct state_twin *t, const struct world *from)
{
	struct world w = *from;
	unsigned answers[MODEL_THREADS + 8] = {0}, prioritised[MODEL_THREADS + 8], count = 0, now;
	bool ended = !model_advance(&w), known;
	uint64_t id = ended ? ~digest(&w) : digest(&w);

	known = log_knows(&t->log, id);
	log_add(&t->log, id, t->iteration, !known);
	if (ended || known)
		return;
	/* in the order of the search: the default answer, then the others */
	answers[count++] = sl_choice_default(&w.choice);
	for (unsigned i = 0; i < w.choice.count; i++)
		if (i != answers[0])
			answers[count++] = i;
	memcpy(prioritised, answers, sizeof(answers));
	now = partition(t->mode, &w.choice, prioritised, count);
	/* which of several goes now is the first by number */
	if (t->mode == SL_PRIORITISE_ALL && now == 1)
		for (unsigned i = 0; i < w.choice.prompt; i++)
			if (!(w.choice.ops[i]->flags & SL_OP_IMPACTED_LINE) && prioritised[0] != answers[0]) {
				prioritised[0] = i;
				break;
			}
	for (unsigned k = 0; k < count; k++) {
		unsigned i = t->breadth ? k : count - 1 - k; /* the last one added is the first one taken */
		bool is_now = false;

		for (unsigned n = 0; n < now; n++)
			is_now |= prioritised[n] == answers[i];
		set_add(is_now ? &t->now : &t->next, &w, answers[i]);
	}
}

static bool
state_explore(struct state_twin *t, const struct model *m)
{
	struct world w;

	model_init(&w, m, false);
	state_expand(t, &w);
	while (t->now.count > t->first || t->next.count) {
		if (t->now.count == t->first) {
			struct set other = t->now;

			t->now = t->next;
			other.count = t->first = 0;
			t->next = other;
			t->iteration++;
			continue;
		}
		struct transition current = t->breadth ? t->now.list[t->first++] : t->now.list[--t->now.count];

		current.state.choice.ops = current.state.op_ptrs;
		for (unsigned k = 0; k < MODEL_THREADS; k++)
			current.state.op_ptrs[k] = &current.state.ops[k];
		model_answer(&current.state, current.answer);
		state_expand(t, &current.state);
		if (t->log.count > 1500)
			return false;
	}
	return true;
}

static bool
keeps_nothing(uint64_t name)
{
	(void)name;
	return false;
}

static void
drops_nothing(uint64_t name)
{
	(void)name;
}

/* Runs to the next new or known state; false: there is none left. */
static bool
state_run(const struct model *m, const struct sl_strategy *strategy, void *state)
{
	struct world w;
	bool abandoned = false;

	if (!strategy->begin(state))
		return false;
	strategy->search->from(state, keeps_nothing, drops_nothing);
	model_init(&w, m, false);
	while (!abandoned && model_advance(&w)) {
		unsigned answer;

		if (w.choice.kind == SL_CHOOSE_THREAD)
			model_tell(&w);
		w.choice.identify = identify;
		identified = &w;
		answer = strategy->choose(state, &w.choice);
		abandoned = answer == SL_CHOICE_ABANDON;
		if (!abandoned)
			model_answer(&w, answer);
	}
	if (!abandoned) {
		uint64_t id[2] = {digest(&w), 0};

		id[1] = sl_mix(id[0]);
		strategy->search->ended(state, id);
	}
	strategy->end(state, &(struct sl_execution){.steps = w.steps, .abandoned = abandoned});
	return true;
}

static void
states_equal_the_twin(void **unused)
{
	static const char *const orders[] = {"dfs", "bfs"};

	(void)unused;
	for (unsigned breadth = 0; breadth < 2; breadth++)
		for (unsigned mode = SL_PRIORITISE_NOTHING; mode <= SL_PRIORITISE_SOME; mode++) {
			const struct sl_strategy *strategy = sl_strategy_find_stateful(orders[breadth]);
			size_t programs = 0, states = 0, iterations = 0;

			for (unsigned seed = 0; seed < RANDOM_PROGRAMS; seed++) {
				struct sl_rng rng = sl_rng_derive(seed, 98);
				struct model m = model_random(seed, 4);
				struct state_twin t = {.mode = mode, .breadth = breadth};

				m.impacted = random_places(&rng, m.threads);
				if (state_explore(&t, &m)) {
					void *state = state_start(
						strategy,
						&(struct sl_strategy_options){.workers = 1,
									      .prioritise = mode,
									      .impacted = SL_OP_IMPACTED_LINE});
					size_t fresh = 0, visited = 0;
					struct sl_progress p;

					for (size_t i = 0; i < t.log.count; i++) {
						fresh += t.log.list[i].is_new;
						visited += !t.log.list[i].is_new;
						/* on a path, the choices of an execution are one run */
						if (mode) {
							assert_true(state_run(&m, strategy, state));
							p = progress_of(strategy, state);
							assert_int_equal(p.states, fresh);
							assert_int_equal(p.visited, visited);
							if (i + 1 < t.log.count)
								assert_int_equal(p.iterations,
										 t.log.list[i + 1].iteration);
						}
					}
					while (!mode && state_run(&m, strategy, state))
						;
					assert_false(state_run(&m, strategy, state));
					p = progress_of(strategy, state);
					assert_true(p.complete);
					assert_int_equal(p.states, fresh);
					assert_int_equal(p.visited, visited);
					state_free(strategy, state);
					programs++;
					states += fresh;
					iterations += t.iteration + 1;
				}
				free(t.now.list);
				free(t.next.list);
				free(t.log.list);
			}
			print_message("%s, %s: %zu programs, %zu states, %zu iterations\n", strategy->name,
				      mode == SL_PRIORITISE_ALL    ? "all"
				      : mode == SL_PRIORITISE_SOME ? "some"
								   : "basic",
				      programs, states, iterations);
			assert_true(programs > RANDOM_PROGRAMS / 2);
		}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_the_twin),
		cmocka_unit_test(states_equal_the_twin),
	};

	/* the twin's sets grow and go for each program: their pages stay */
	mallopt(M_MMAP_THRESHOLD, 1 << 25);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
