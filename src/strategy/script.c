/*
 * Follows a script (base/script_steps.h), one for each execution: which thread runs, up to which of its operations. Where the script cannot be
 * followed, and after its end, the answers are those of a calm and fair machine.
 *
 * The scripts come from another process. begin() looks for the next one for a few microseconds; then it returns false, and the
 * search asks again after a pause.
 *
 * A thread runs on without a question as long as no other is enabled, and it may perform operations as a consequence of another thread's: it
 * starts, leaves a barrier, ends a join. So a step is done when the thread has come further, whichever thread's turn it was.
 */
#include "base/script_steps.h"

#include "base/undo.h"
#include "strategy/strategy.h"

#define SPINS 2000 /* about 50 µs */

struct script {
	struct sl_scripts *all;
	uint64_t taken;     /* how many scripts were begun */
	uint32_t at;        /* the step that is to be done */
	uint32_t looked_up; /* 1 + the step whose thread has the number `thread`; 0: none */
	uint32_t thread;
	bool strayed;
};

static int
start(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	struct script *s = state;

	if (!options->scripts || !options->scripts->attended)
		return sl_err_set(err, "script needs a process that writes scripts");
	if (options->workers > 1)
		return sl_err_set(err, "script runs in one process only");
	s->all = options->scripts;
	return 0;
}

/* The script that the execution follows. */
static struct sl_script *
running(const struct script *s)
{
	return &s->all->scripts[s->taken % SL_SCRIPTS];
}

static bool
is_there(const struct script *s)
{
	return __atomic_load_n(&s->all->issued, __ATOMIC_ACQUIRE) > s->taken;
}

static bool
begin(void *state)
{
	struct script *s = state;

	for (unsigned i = 0; i < SPINS && !is_there(s) && !__atomic_load_n(&s->all->over, __ATOMIC_ACQUIRE); i++)
		__builtin_ia32_pause();
	if (!is_there(s)) {
		s->all->waited++;
		return false;
	}
	SL_SAVE(*s);
	s->taken++;
	s->at = s->looked_up = 0;
	s->strayed = false;
	running(s)->grown = s->all->grown;
	__atomic_store_n(&s->all->begun, s->taken, __ATOMIC_RELEASE);
	return true;
}

/* The number of the thread of the step that is to be done; the count of threads: it does not exist yet. */
static uint32_t
thread_of(struct script *s, const struct sl_choice *c)
{
	uint64_t path = running(s)->steps[s->at].thread;
	uint32_t thread = 0;

	if (s->looked_up == s->at + 1)
		return s->thread;
	while (thread < c->thread_count && c->kin[thread].path != path)
		thread++;
	if (thread < c->thread_count) {
		s->looked_up = s->at + 1;
		s->thread = thread;
	}
	return thread;
}

/* Is the step done, to run a thread? */
static bool
is_done(struct script *s, const struct sl_choice *c)
{
	uint64_t index = running(s)->steps[s->at].index;
	uint32_t thread = thread_of(s, c);
	const struct sl_op *op;

	if (thread == c->thread_count)
		return false;
	op = c->announced(thread);
	if (!op)
		return true; /* it has ended */
	/* a waiter or a value is chosen while the operation is performed */
	return op->index > index || (op->index == index && c->kind != SL_CHOOSE_THREAD && thread == c->asking);
}

/* The step that is to be done; NULL: there is none. */
static const struct sl_script_step *
step_of(struct script *s, const struct sl_choice *c)
{
	const struct sl_script *script = running(s);

	if (s->strayed)
		return NULL;
	while (s->at < script->count && script->steps[s->at].kind == SL_SCRIPT_RUN && is_done(s, c))
		s->at++;
	return s->at < script->count ? &script->steps[s->at] : NULL;
}

static unsigned
thread_to_run(struct script *s, const struct sl_choice *c, const struct sl_script_step *step)
{
	uint32_t thread;

	if (step->kind != SL_SCRIPT_RUN)
		return c->count;
	thread = thread_of(s, c);
	return thread < c->thread_count ? c->places[thread] : c->count;
}

static unsigned
thread_to_wake(const struct sl_choice *c, const struct sl_script_step *step)
{
	unsigned i = 0;

	while (i < c->count && c->kin[c->ops[i]->thread].path != step->thread)
		i++;
	return i;
}

static unsigned
answer_of(struct script *s, const struct sl_choice *c, const struct sl_script_step *step)
{
	unsigned answer;

	if (c->kind == SL_CHOOSE_THREAD)
		return thread_to_run(s, c, step);
	if (step->kind == SL_SCRIPT_RUN)
		return sl_choice_default(c); /* the script leaves it open */
	if (c->kind == SL_CHOOSE_WAITER)
		answer = step->kind == SL_SCRIPT_WAKE ? thread_to_wake(c, step) : c->count;
	else
		answer =
			step->kind == SL_SCRIPT_VALUE && step->index < c->count ? (unsigned)step->index : c->count;
	s->at += answer < c->count;
	return answer;
}

static unsigned
choose(void *state, const struct sl_choice *c)
{
	struct script *s = state;
	const struct sl_script_step *step = step_of(s, c);
	unsigned answer;

	if (!step)
		return sl_choice_default(c);
	answer = answer_of(s, c, step);
	if (answer < c->count)
		return answer;
	s->strayed = true;
	return sl_choice_default(c);
}

static void
end(void *state, const struct sl_execution *execution)
{
	struct script *s = state;
	struct sl_script *script = running(s);

	script->found = execution->finding ? 1 + execution->kind : 0;
	script->cut = execution->cut;
	script->reached = s->at;
	script->strayed = s->strayed;
	__atomic_store_n(&s->all->ended, s->taken, __ATOMIC_RELEASE);
}

static void
grown(void *state)
{
	struct script *s = state;

	s->all->grown++;
}

/* What has been run, and whether it is all, is known by the process that writes the scripts. */
static void
progress(const void *state, struct sl_progress *p)
{
	const struct script *s = state;

	p->bound = -1;
	p->over = s->all->over;
}

static bool
waits(const void *state)
{
	const struct script *s = state;

	return !__atomic_load_n(&s->all->over, __ATOMIC_ACQUIRE) || is_there(s);
}

static const struct sl_strategy_search search = {
	.grown = grown,
	.progress = progress,
	.waits = waits,
};

const struct sl_strategy sl_strategy_script = {
	.name = "script",
	.summary = "follows the schedules that another process computes",
	.state_size = sizeof(struct script),
	.traits = {.every_operation = true, .counts = true, .heeds = true},
	.start = start,
	.begin = begin,
	.choose = choose,
	.end = end,
	.search = &search,
};
