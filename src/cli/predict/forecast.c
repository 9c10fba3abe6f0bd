#include "cli/predict/forecast.h"

#include "cli/change/renamed.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the old version did, in one execution. */
static int
collect_old(struct sl_forecast *p, struct sl_tried_program *program, const struct sl_program_change *change,
	    struct sl_contexts *contexts, struct sl_err *err)
{
	struct sl_tried_program old = *program;
	struct sl_renamed renamed = {.files = &change->old_files};
	struct sl_names *names = NULL;
	struct sl_observed observed;
	int result;

	old.path = change->old;
	old.directory = change->old_cwd;
	old.marks = NULL;
	result = sl_tried_record(&old, p->tape, &names, p->old_failed, sizeof(p->old_failed), err);
	program->executions = old.executions;
	program->interrupted = old.interrupted;
	free(old.marks);
	if (result < 0)
		return -1;
	result = sl_observed_open(&renamed.inner, p->tape, 0, names, err);
	if (result == 0) {
		observed = sl_renamed_observed(&renamed);
		result = sl_contexts_collect(contexts, &observed, (unsigned)program->settings->predict.k, err);
		sl_observed_close(&renamed.inner);
	}
	sl_names_free(names);
	return result;
}

/* The new version, or the only one. */
static int
find(struct sl_forecast *p, struct sl_tried_program *program, const struct sl_program_change *change,
     const struct sl_contexts *old, bool infeasible, struct sl_err *err)
{
	struct sl_predict_options options = {.infeasible = infeasible};

	if (sl_tried_record(program, p->tape, &p->names, p->failed, sizeof(p->failed), err) < 0 ||
	    sl_observed_open(&p->observed, p->tape, 0, p->names, err) < 0)
		return -1;
	p->open = true;
	if (old) {
		const struct sl_place_map map = sl_renamed_map(change);

		p->impacted = true;
		options.impact = &p->impact;
		if (sl_impact_find(&p->impact, old, &p->observed, &map, (unsigned)program->settings->predict.k,
				   err) < 0)
			return -1;
	}
	return sl_predict(&p->violations, &p->observed, &options, err);
}

int
sl_forecast_find(struct sl_forecast *p, struct sl_tried_program *program, const struct sl_program_change *change,
		 bool all, bool infeasible, struct sl_err *err)
{
	struct sl_contexts *contexts = NULL;
	int fd, result = 0;

	*p = (struct sl_forecast){.tape = "/tmp/sleave-predict-XXXXXX"};
	fd = mkstemp(p->tape);
	if (fd < 0) {
		p->tape[0] = '\0';
		return sl_err_set(err, "cannot make a file for the trace in /tmp");
	}
	close(fd);
	if (change && change->old && !all) {
		contexts = sl_contexts_new();
		result = collect_old(p, program, change, contexts, err);
	}
	if (result == 0)
		result = find(p, program, change, contexts, infeasible, err);
	sl_contexts_free(contexts);
	return result;
}

#define GATES_OF 8 /* violations: the places of the others are not worth as much as those that the search finds */

static void
gate_add(const struct sl_forecast *p, struct sl_foreseen *f, uint64_t place, uint32_t thread)
{
	for (uint32_t i = 0; i < f->gate_count; i++)
		if (f->gates[i].pc == place)
			return;
	if (f->gate_count < SL_FORESEEN_GATES)
		f->gates[f->gate_count++] =
			(struct sl_foreseen_gate){place, sl_tried_thread(p->observed.thread_path(p->observed.data,
												 thread))};
}

/* Every violation has a gap, and so has the context of most impacted accesses. */
void
sl_forecast_foresee(const struct sl_forecast *p, struct sl_foreseen *foreseen)
{
	*foreseen = (struct sl_foreseen){0};
	for (size_t i = 0; i < p->impact.count; i++)
		if (p->impact.items[i].released)
			gate_add(p, foreseen, p->impact.items[i].gate, p->impact.items[i].thread);
	foreseen->lost = foreseen->gate_count;
	for (size_t i = 0; i < p->violations.count; i++) {
		const struct sl_violation *v = &p->violations.items[i];

		if (v->verdict == SL_PREDICTED_INFEASIBLE)
			continue;
		if (foreseen->order_count < GATES_OF)
			gate_add(p, foreseen, v->steps[v->step_count - 1].gate, v->steps[0].thread);
		if (foreseen->order_count < SL_FORESEEN_ORDERS)
			foreseen->orders[foreseen->order_count++] = sl_tried_order(v);
	}
}

void
sl_forecast_release(struct sl_forecast *p)
{
	sl_violations_release(&p->violations);
	sl_impact_set_release(&p->impact);
	if (p->open)
		sl_observed_close(&p->observed);
	sl_names_free(p->names);
	if (p->tape[0])
		unlink(p->tape);
	*p = (struct sl_forecast){0};
}
