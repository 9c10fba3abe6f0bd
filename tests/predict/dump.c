/*
 * Prints what the predictive analysis says of recorded executions, for tests and for looking at it.
 *
 *     predict_dump TRACE PROGRAM
 *     predict_dump TRACE PROGRAM SOURCE OLD_TRACE OLD_PROGRAM OLD_SOURCE
 *
 * The programs are one file each, and not position-independent. The second form prints the accesses that are impacted by the change,
 * a line each; then the violations that contain one of them. The first prints all violations.
 */
#include "predict/predict.h"
#include "trace/name/source_path.h"
#include "version/align.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
give_up(const char *what)
{
	fprintf(stderr, "predict_dump: %s\n", what);
	exit(2);
}

struct version {
	struct sl_observed execution;
	struct sl_names *names;
	struct sl_text text;
};

static void
open_version(struct version *v, const char *trace, const char *program, const char *source)
{
	struct sl_module module = {.low = 0x400000, .high = 0x800000};
	struct sl_err err;
	FILE *file;
	char *bytes;

	snprintf(module.path, sizeof(module.path), "%s", program);
	v->names = sl_names_new(&module, 1, &err);
	if (!v->names || sl_observed_open(&v->execution, trace, 0, v->names, &err) < 0)
		give_up(err.text);
	if (!source)
		return;
	file = fopen(source, "r");
	bytes = calloc(1, 1 << 20);
	if (!file || !bytes)
		give_up(source);
	v->text = (struct sl_text){"program.c", bytes, fread(bytes, 1, (1 << 20) - 1, file)};
	fclose(file);
	/* cppcheck-suppress memleak ; close_version() frees them */
}

static void
close_version(struct version *v)
{
	sl_observed_close(&v->execution);
	sl_names_free(v->names);
	free((char *)v->text.bytes);
}

static bool
map(void *data, const struct sl_place *place, struct sl_place *old)
{
	const char *path;

	*old = *place;
	old->stable = "program.c";
	if (!sl_alignment_back(data, "program.c", place->line, &path, &old->line))
		return false;
	return ((struct sl_alignment *)data)->files[0].lines[place->line].change != SL_LINE_CHANGED;
}

/* The old version's places are named as the map names them. */
static bool (*place_of)(void *data, uint64_t pc, struct sl_place *place);

static bool
old_place(void *data, uint64_t pc, struct sl_place *place)
{
	bool known = place_of(data, pc, place);

	place->stable = "program.c";
	return known;
}

static void
print_violations(const struct sl_violations *v)
{
	for (size_t i = 0; i < v->count; i++) {
		const struct sl_violation *x = &v->items[i];

		printf("%s of %s in %s", sl_pattern_words[x->pattern].shape, x->set, x->unit);
		if (*x->other_unit)
			printf(" and %s", x->other_unit);
		printf("%s%s\n", x->verdict == SL_PREDICTED_INFEASIBLE ? ": " : "", x->reason);
		for (unsigned s = 0; s < x->step_count; s++) {
			const struct sl_violation_step *p = &x->steps[s];

			printf("  T%" PRIu32 " %s %s at %s:%" PRIu32 ", occurrence %" PRIu64, p->thread,
			       p->access & SL_OP_WRITES ? "writes" : "reads", p->object,
			       sl_path_file(p->place.file), p->place.line, p->occurrence);
			for (size_t n = 0; n < p->lock_count; n++)
				printf("%s%s", n ? ", " : ", with ", p->locks[n].name);
			puts(p->impacted ? ", impacted" : "");
		}
	}
	printf("%" PRIu64 " accesses, %" PRIu64 " shared, %" PRIu64 " possible, %" PRIu64 " infeasible\n",
	       v->accesses, v->shared, v->possible, v->infeasible);
}

int
main(int argc, char **argv)
{
	struct version new = {0}, old = {0};
	struct sl_predict_options options = {.infeasible = getenv("INFEASIBLE") != NULL};
	struct sl_impact_set impact = {0};
	struct sl_contexts *contexts = sl_contexts_new();
	struct sl_alignment *alignment = NULL;
	struct sl_violations violations;
	uint32_t pair = 0;
	struct sl_err err;

	if (argc != 3 && argc != 7)
		give_up("TRACE PROGRAM [SOURCE OLD_TRACE OLD_PROGRAM OLD_SOURCE]");
	open_version(&new, argv[1], argv[2], argv[3]);
	if (argc == 7) {
		open_version(&old, argv[4], argv[5], argv[6]);
		alignment = sl_align(&old.text, 1, &new.text, 1, &pair);
		place_of = old.execution.place;
		old.execution.place = old_place;
		if (sl_contexts_collect(contexts, &old.execution, SL_CALLS_ALL, &err) < 0 ||
		    sl_impact_find(&impact, contexts, &new.execution, &(struct sl_place_map){alignment, map},
				   SL_CALLS_ALL, &err) < 0)
			give_up(err.text);
		for (size_t i = 0; i < impact.count; i++)
			printf("%s:%" PRIu32 " %s %s\n", sl_path_file(impact.items[i].place.file),
			       impact.items[i].place.line, impact.items[i].object, impact.items[i].why);
		printf("%" PRIu64 " of %" PRIu64 " accesses are impacted\n", impact.impacted, impact.accesses);
		options.impact = &impact;
	}
	if (sl_predict(&violations, &new.execution, &options, &err) < 0)
		give_up(err.text);
	print_violations(&violations);
	sl_violations_release(&violations);
	sl_impact_set_release(&impact);
	sl_contexts_free(contexts);
	sl_alignment_free(alignment);
	close_version(&new);
	if (argc == 7)
		close_version(&old);
	return 0;
}
