#include "cli/predict/forecast.h"

#include "base/room.h"
#include "cli/change/renamed.h"
#include "cli/predict/declared.h"

#include <stdlib.h>
#include <string.h>

static uint64_t
executions_of(const struct sl_tried_program *program)
{
	uint64_t count = program->settings->predict.executions;

	return count ? count : 1;
}

static unsigned
calls_of(const struct sl_tried_program *program)
{
	return (unsigned)program->settings->predict.k;
}

/* The first of several sentences is kept. */
static void
say_once(char *text, size_t room, const char *sentence)
{
	if (!*text)
		snprintf(text, room, "%s", sentence);
}

/* ---- one execution ---- */

/* What the old version did. */
static int
collect_old(struct sl_forecast *p, struct sl_tried_program *old, const struct sl_program_change *change,
	    uint64_t number, struct sl_contexts *contexts, struct sl_err *err)
{
	/* what a kept execution has shared is not known any more */
	const char *root = executions_of(old) > 1 ? NULL : change->old_root;
	struct sl_renamed renamed = {.files = &change->old_files};
	struct sl_recorded recorded;
	struct sl_observed observed;
	struct sl_err why = {""};
	char note[600];
	int result;

	result = sl_recorded_old(&recorded, old, number, root, note, sizeof(note), err);
	say_once(p->old_note, sizeof(p->old_note), note);
	if (result == 0) {
		say_once(p->old_failed, sizeof(p->old_failed), recorded.failed);
		renamed.inner = recorded.observed;
		observed = sl_renamed_observed(&renamed);
		/* What the part of an execution shows counts: the rest of the old version then counts as new. */
		if (sl_contexts_collect(contexts, &observed, calls_of(old), &why) < 0 || *recorded.lacking) {
			snprintf(note, sizeof(note), "not all of the old version's execution is known: %s",
				 *recorded.lacking ? recorded.lacking : why.text);
			say_once(p->old_note, sizeof(p->old_note), note);
		}
	}
	sl_recorded_release(&recorded);
	return result;
}

static int
collect_all_old(struct sl_forecast *p, struct sl_tried_program *program, const struct sl_program_change *change,
		struct sl_contexts *contexts, struct sl_err *err)
{
	struct sl_tried_program old = *program;
	int result = 0;

	old.path = change->old;
	old.directory = change->old_cwd;
	old.marks = NULL;
	old.mark_count = 0;
	for (uint64_t i = 0; i < executions_of(program) && result == 0 && !old.interrupted; i++)
		result = collect_old(p, &old, change, i, contexts, err);
	program->executions = old.executions;
	program->interrupted = old.interrupted;
	free(old.marks);
	return result;
}

/* The new version, or the only one. */
static int
find(struct sl_forecast *p, struct sl_tried_program *program, const struct sl_program_change *change,
     uint64_t number, const struct sl_contexts *old, struct sl_declared *declared,
     const struct sl_forecast_wish *wish, struct sl_err *err)
{
	struct sl_predict_options options = {.infeasible = wish->infeasible,
					     .unmerged = program->settings->predict.unmerged};
	struct sl_forecast_part *part = &p->parts[p->part_count++];
	struct sl_err why = {""};
	int partly = 0;

	if (sl_recorded_make(&part->recorded, program, number, err) < 0)
		return -1;
	say_once(p->failed, sizeof(p->failed), part->recorded.failed);
	say_once(p->lacking, sizeof(p->lacking), part->recorded.lacking);
	if (sl_declared_bind(declared, part->recorded.modules, part->recorded.module_count, &options, err) < 0)
		return -1;
	if (old) {
		const struct sl_place_map map = sl_renamed_map(change);

		p->impacted = true;
		options.impact = &part->impact;
		partly = sl_impact_find(&part->impact, old, &part->recorded.observed, &map, calls_of(program),
					&why);
	}
	if (!wish->only_impact && sl_predict(&part->violations, &part->recorded.observed, &options, &why) < 0)
		partly = -1;
	if (options.types.count && !wish->only_impact && !part->violations.declared)
		say_once(
			p->note, sizeof(p->note),
			"no access to a member of a type that --sets declares is known: none was recorded, or the program was "
			"compiled without the plugin of `sleave cc`, which names members");
	if (partly < 0)
		say_once(p->lacking, sizeof(p->lacking), why.text);
	return 0;
}

/* ---- all of them ---- */

static bool
same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool
same_place(const struct sl_place *a, const struct sl_place *b)
{
	return a->line == b->line && a->column == b->column && same_text(a->stable, b->stable) &&
	       same_text(a->function, b->function);
}

static bool
same_step(const struct sl_violation_step *a, const struct sl_violation_step *b)
{
	if (a->access != b->access || !same_place(&a->place, &b->place) || !same_text(a->object, b->object) ||
	    (!a->place.line && a->pc != b->pc) || a->lock_count != b->lock_count)
		return false;
	for (size_t i = 0; i < a->lock_count; i++)
		if (a->locks[i].shared != b->locks[i].shared || !same_text(a->locks[i].name, b->locks[i].name))
			return false;
	return true;
}

static bool
same_violation(const struct sl_violation *a, const struct sl_violation *b)
{
	if (a->pattern != b->pattern || !same_text(a->set, b->set) || !same_text(a->unit, b->unit) ||
	    !same_text(a->other_unit, b->other_unit))
		return false;
	for (unsigned i = 0; i < a->step_count; i++)
		if (!same_step(&a->steps[i], &b->steps[i]))
			return false;
	return true;
}

/* If the execution could not be read once more, not all steps of its violations are known. */
static bool
is_known(const struct sl_violation *v)
{
	for (unsigned i = 0; i < v->step_count; i++)
		if (!v->steps[i].place.stable)
			return false;
	return true;
}

/* Another execution may show that what seemed to be ruled out is possible. */
static void
merge_violation(struct sl_violations *all, const struct sl_violation *v)
{
	for (size_t i = 0; i < all->count; i++) {
		struct sl_violation *known = &all->items[i];
		uint64_t alike = known->alike + v->alike + 1;

		if (!same_violation(known, v))
			continue;
		if (v->verdict < known->verdict)
			*known = *v;
		known->alike = alike;
		return;
	}
	all->items[all->count++] = *v;
}

static int
by_verdict(const void *a, const void *b)
{
	const struct sl_violation *const *x = a, *const *y = b;

	if ((*x)->verdict != (*y)->verdict)
		return (*x)->verdict < (*y)->verdict ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

/* The most promising first, as in each execution: what is ruled out comes last. */
static void
sort(struct sl_violations *all)
{
	const struct sl_violation **order = sl_room_zeroed(all->count, sizeof(struct sl_violation *));
	struct sl_violation *items = sl_room_zeroed(all->count, sizeof(*items));

	for (size_t i = 0; i < all->count; i++)
		order[i] = &all->items[i];
	qsort(order, all->count, sizeof(*order), by_verdict);
	for (size_t i = 0; i < all->count; i++)
		items[i] = *order[i];
	free(order);
	free(all->items);
	all->items = items;
}

/* If only those that are possible are returned, those that are ruled out are only counted: in the execution that has most. */
static void
merge_violations(struct sl_forecast *p, bool infeasible)
{
	struct sl_violations *all = &p->violations;
	size_t count = 0;

	for (size_t i = 0; i < p->part_count; i++)
		count += p->parts[i].violations.count;
	all->items = sl_room_zeroed(count, sizeof(*all->items));
	for (size_t i = 0; i < p->part_count; i++) {
		const struct sl_violations *v = &p->parts[i].violations;

		for (size_t n = 0; n < v->count; n++)
			if (is_known(&v->items[n]))
				merge_violation(all, &v->items[n]);
		all->infeasible = v->infeasible > all->infeasible ? v->infeasible : all->infeasible;
		all->accesses += v->accesses;
		all->shared += v->shared;
		all->classes += v->classes;
		all->pairs += v->pairs;
		all->compared += v->compared;
		all->unmerged += v->unmerged;
		all->nanoseconds += v->nanoseconds;
	}
	if (p->part_count > 1)
		sort(all);
	for (size_t i = 0; i < all->count; i++) {
		all->certain += all->items[i].verdict == SL_PREDICTED_CERTAIN;
		all->possible += all->items[i].verdict == SL_PREDICTED_POSSIBLE;
	}
	if (infeasible)
		all->infeasible = all->count - all->certain - all->possible;
}

static bool
same_impacted(const struct sl_impacted *a, const struct sl_impacted *b)
{
	return a->access == b->access && a->new == b->new && same_place(&a->place, &b->place) &&
	       (a->place.line || a->pc == b->pc) && same_text(a->object, b->object) && same_text(a->why, b->why);
}

static void
merge_impacts(struct sl_forecast *p)
{
	struct sl_impact_set *all = &p->impact;
	size_t count = 0;

	for (size_t i = 0; i < p->part_count; i++)
		count += p->parts[i].impact.count;
	all->items = sl_room_zeroed(count, sizeof(*all->items));
	for (size_t i = 0; i < p->part_count; i++) {
		const struct sl_impact_set *one = &p->parts[i].impact;

		all->impacted += one->impacted;
		all->accesses += one->accesses;
		all->nanoseconds += one->nanoseconds;
		for (size_t n = 0; n < one->count; n++) {
			size_t at = 0;

			/* of one execution they differ: in thread or context */
			while (at < all->count && (!i || !same_impacted(&all->items[at], &one->items[n])))
				at++;
			if (at == all->count)
				all->items[all->count++] = one->items[n];
			else
				all->items[at].count += one->items[n].count;
		}
	}
}

int
sl_forecast_find(struct sl_forecast *p, struct sl_tried_program *program, const struct sl_program_change *change,
		 const struct sl_forecast_wish *wish, struct sl_err *err)
{
	uint64_t executions = executions_of(program);
	struct sl_declared declared = {0};
	struct sl_contexts *contexts = NULL;
	int result = 0;

	*p = (struct sl_forecast){.parts = sl_room_zeroed(executions, sizeof(*p->parts))};
	if (program->settings->predict.sets)
		result = sl_declared_read(&declared, program->settings->predict.sets, err);
	if (change && !wish->all && (change->old || wish->only_impact))
		contexts = sl_contexts_new();
	if (contexts && change->old && result == 0)
		result = collect_all_old(p, program, change, contexts, err);
	for (uint64_t i = 0; i < executions && result == 0 && !program->interrupted; i++)
		result = find(p, program, change, i, contexts, &declared, wish, err);
	if (result == 0) {
		merge_violations(p, wish->infeasible);
		merge_impacts(p);
	}
	sl_contexts_free(contexts);
	sl_declared_release(&declared);
	return result;
}

#define GATES_OF 8 /* violations: the places of the others are not worth as much as those that the search finds */

static void
gate_add(struct sl_foreseen *f, uint64_t place, const char *thread)
{
	for (uint32_t i = 0; i < f->gate_count; i++)
		if (f->gates[i].pc == place)
			return;
	if (f->gate_count < SL_FORESEEN_GATES)
		f->gates[f->gate_count++] = (struct sl_foreseen_gate){place, sl_tried_thread(thread)};
}

/* Every violation has a gap, and so has the context of most impacted accesses. */
void
sl_forecast_foresee(const struct sl_forecast *p, struct sl_foreseen *foreseen)
{
	*foreseen = (struct sl_foreseen){0};
	for (size_t i = 0; i < p->part_count; i++) {
		const struct sl_observed *of = &p->parts[i].recorded.observed;
		const struct sl_impact_set *impact = &p->parts[i].impact;

		for (size_t n = 0; n < impact->count; n++)
			if (impact->items[n].released)
				gate_add(foreseen, impact->items[n].gate,
					 of->thread_path(of->data, impact->items[n].thread));
	}
	foreseen->lost = foreseen->gate_count;
	for (size_t i = 0; i < p->violations.count; i++) {
		const struct sl_violation *v = &p->violations.items[i];

		if (v->verdict == SL_PREDICTED_INFEASIBLE)
			continue;
		if (foreseen->order_count < GATES_OF)
			gate_add(foreseen, v->steps[v->step_count - 1].gate, v->steps[0].thread_path);
		if (foreseen->order_count < SL_FORESEEN_ORDERS)
			foreseen->orders[foreseen->order_count++] = sl_tried_order(v);
	}
}

void
sl_forecast_release(struct sl_forecast *p)
{
	sl_violations_release(&p->violations);
	sl_impact_set_release(&p->impact);
	for (size_t i = 0; i < p->part_count; i++) {
		sl_violations_release(&p->parts[i].violations);
		sl_impact_set_release(&p->parts[i].impact);
		sl_recorded_release(&p->parts[i].recorded);
	}
	free(p->parts);
	*p = (struct sl_forecast){0};
}
