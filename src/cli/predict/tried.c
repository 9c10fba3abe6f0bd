#include "cli/predict/tried.h"

#include "base/raw.h"
#include "base/rng.h"
#include "base/room.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TRIES 20 /* executions that are steered into a violation */

struct sl_exploration
sl_tried_exploration(const struct sl_tried_program *p)
{
	struct sl_exploration e = {.settings = *p->settings,
				   .self = p->self ? p->self : "predict",
				   .argv = p->argv,
				   .path = p->path,
				   .directory = p->directory,
				   .file = {.fd = -1}};

	e.settings.jobs = 1;
	e.settings.quiet = 1;
	e.settings.keep_going = 0;
	e.settings.limit.preemptions = UINT64_MAX;
	e.settings.compare = SL_COMPARE_OFF;
	return e;
}

/* ---- a violation ---- */

/* "0.2" -> as the engine computes it (engine/core/roster.c). */
uint64_t
sl_tried_thread(const char *text)
{
	uint64_t path = 1;

	if (!text)
		return 0;
	for (text = strchr(text, '.'); text; text = strchr(text + 1, '.'))
		path = sl_mix(path + strtoull(text + 1, NULL, 10));
	return path;
}

struct sl_op_order
sl_tried_order(const struct sl_violation *v)
{
	struct sl_op_order order = {.count = v->step_count};

	for (unsigned i = 0; i < v->step_count; i++)
		order.steps[i] = (struct sl_op_order_step){.thread = sl_tried_thread(v->steps[i].thread_path),
							   .pc = v->steps[i].pc,
							   .address = v->steps[i].address,
							   .size = v->steps[i].size,
							   .occurrence = (uint32_t)v->steps[i].occurrence};
	return order;
}

void
sl_tried_share(const struct sl_tried_program *p, struct sl_arena *arena)
{
	for (size_t i = 0; i < p->mark_count && i < SL_MARKS_MAX; i++) {
		arena->marks.table[i] = p->marks[i];
		arena->marks.sum += sl_mix(p->marks[i] + 1);
		arena->marks.count++;
	}
	arena->config.warm = 1;
}

struct steered {
	const struct sl_tried_program *program;
	struct sl_op_order order;
};

static int
steer(struct sl_arena *arena, void *data, struct sl_err *err)
{
	const struct steered *s = data;

	(void)err;
	arena->order = s->order;
	sl_tried_share(s->program, arena); /* a warm-up would show other orders */
	arena->workers[0].phase = SL_PHASE_EXPLORE;
	arena->config.violations = (uint32_t)s->program->violations;
	return 0;
}

static bool
is_late(const struct sl_tried_program *p)
{
	return p->until && sl_nanoseconds() >= p->until;
}

static void
try_one(struct sl_tried_program *p, const struct sl_violation *v, struct sl_tried *tried)
{
	static struct sl_exploration e;
	struct steered steered = {p, sl_tried_order(v)};
	struct sl_summary summary;
	struct sl_err err = {""};
	size_t size = 0;

	*tried = (struct sl_tried){.fate = SL_FATE_NOT_TRIED};
	if (v->verdict == SL_PREDICTED_INFEASIBLE) {
		tried->fate = SL_FATE_INFEASIBLE;
		snprintf(tried->message, sizeof(tried->message), "%s", v->reason);
		return;
	}
	if (p->interrupted || is_late(p)) {
		snprintf(tried->message, sizeof(tried->message), "%s",
			 p->interrupted ? "interrupted" : "the time is over");
		return;
	}
	e = sl_tried_exploration(p);
	e.settings.strategy = sl_strategy_directed.name;
	e.settings.limit.schedules = p->settings->predict.tries ? p->settings->predict.tries : TRIES;
	e.settings.limit.time = p->until ? p->until - sl_nanoseconds() : 0;
	e.prepare = steer;
	e.data = &steered;
	e.out = open_memstream(&tried->story, &size);
	if (!e.out)
		abort();
	if (sl_exploration_find(&e, &err) < 0 || sl_exploration_run(&e, &err) < 0) {
		fclose(e.out);
		snprintf(tried->message, sizeof(tried->message), "%s", err.text);
		return;
	}
	p->interrupted = p->interrupted || e.session.interrupts;
	sl_exploration_judge(&e, &summary);
	fclose(e.out);
	p->executions += summary.executions;
	tried->done = e.session.arena->order.done;
	tried->followed = e.session.arena->order.followed;
	tried->executions = (uint32_t)summary.spent.search;
	if (summary.finding_count) {
		tried->fate = SL_FATE_FAILS;
		snprintf(tried->message, sizeof(tried->message), "%s", summary.findings[0].message);
		snprintf(tried->replay, sizeof(tried->replay), "%s", summary.findings[0].replay);
		tried->harmless = strcmp(summary.findings[0].kind, "atomicity") == 0;
	} else if (tried->followed) {
		tried->fate = SL_FATE_HAPPENS;
		for (size_t i = 0; i < summary.warning_count && !*tried->replay; i++)
			if (strcmp(summary.warnings[i].kind, "atomicity") == 0)
				snprintf(tried->replay, sizeof(tried->replay), "%s", summary.warnings[i].replay);
	} else if (tried->executions < e.settings.limit.schedules && (p->interrupted || is_late(p))) {
		snprintf(tried->message, sizeof(tried->message), "%s after %" PRIu32 " execution%s",
			 p->interrupted ? "interrupted" : "the time is over", tried->executions,
			 tried->executions == 1 ? "" : "s");
	} else {
		tried->fate = SL_FATE_NOT_REACHED;
	}
	sl_exploration_release(&e);
}

static bool
is_better(const struct sl_tried *a, const struct sl_tried *b)
{
	return a->fate != SL_FATE_NOT_TRIED && (a->fate != SL_FATE_NOT_REACHED || a->done > b->done);
}

void
sl_tried_try(struct sl_tried_program *p, const struct sl_violation *v, struct sl_tried *tried)
{
	struct sl_violation one = *v;
	struct sl_tried best;

	try_one(p, v, &best);
	for (size_t i = 0; i < v->other_count && best.fate == SL_FATE_NOT_REACHED; i++) {
		uint32_t executions = best.executions;
		char *story = best.story;
		struct sl_tried other;

		memcpy(one.steps, v->others[i], sizeof(one.steps));
		try_one(p, &one, &other);
		other.others = true;
		executions += other.executions;
		if (is_better(&other, &best))
			best = other;
		else
			story = other.story;
		best.executions = executions;
		free(story);
	}
	*tried = best;
}
