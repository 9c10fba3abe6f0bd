/*
 * `sleave predict`: violations of atomicity that the trace of one execution makes possible, each of them tried.
 */
#include "cli/change/change.h"
#include "cli/change/mapping.h"
#include "cli/command/commands.h"
#include "cli/result/exploration.h"
#include "predict/predict.h"
#include "report/quote.h"
#include "report/words.h"

#include "base/rng.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRIES 20 /* directed executions of a violation */

static void
help(void)
{
	puts("usage: sleave predict [OPTION…] [--] PROGRAM [ARGUMENT…]\n"
	     "       sleave predict [OPTION…] --old-program FILE -- PROGRAM [ARGUMENT…]\n"
	     "\n"
	     "Runs the program once, looks for orders of its accesses in which one unit of work (a function) is disturbed by\n"
	     "another thread, and steers executions into each of them. With two versions: only what the change made possible.\n"
	     "\n"
	     "options:");
	sl_options_print(stdout, SL_FOR_PREDICT);
	puts("\nExit status: 0 nothing found, 1 a finding, 2 wrong usage, 3 Sleave could not do its job.");
}

/* What became of a violation. */
enum fate { RULED_OUT, NOT_REACHED, HAPPENS, FAILS };

struct predict {
	const struct sl_settings *settings;
	struct sl_exploration e; /* of the execution that is recorded, then of each violation */
	struct sl_style style;
	FILE *out;
	char **argv;
	char **command;
	const struct sl_program_change *change; /* NULL: there is one version */
	char tape[64];
	uint64_t executions;
	size_t fates[FAILS + 1];
	struct sl_op_order order;
	char *story; /* what is told of the violation that is being tried */
	size_t story_size;
};

/* ---- the execution that is recorded ---- */

static void
settle(struct sl_exploration *e, const struct predict *p, const char *path, const char *directory)
{
	*e = (struct sl_exploration){.settings = *p->settings,
				     .self = "predict",
				     .argv = p->argv,
				     .path = path,
				     .directory = directory,
				     .file = {.fd = -1}};
	e->settings.jobs = 1;
	e->settings.quiet = 1;
	e->settings.limit.preemptions = UINT64_MAX;
	e->settings.output = p->settings->output;
}

static int
only_record(struct sl_arena *arena, void *data, struct sl_err *err)
{
	(void)data;
	(void)err;
	arena->config.record_only = 1;
	arena->workers[0].phase = SL_PHASE_EXPLORE;
	return 0;
}

/* One calm execution, into a trace file. The names are of its addresses. Negative: it could not be recorded. */
static int
record(struct predict *p, const char *path, const char *directory, const char *file, struct sl_names **names,
       struct sl_summary *summary, struct sl_err *err)
{
	struct sl_exploration *e = &p->e;

	settle(e, p, path, directory);
	e->settings.strategy = sl_strategy_icb.name;
	e->settings.limit.schedules = 1;
	e->settings.keep_going = 0;
	e->settings.tape = file;
	e->settings.compare = SL_COMPARE_OFF;
	e->settings.races = e->settings.memory = e->settings.misuse = SL_RACES_OFF; /* they are found by what is tried */
	e->prepare = only_record;
	e->out = p->out;
	if (sl_exploration_find(e, err) < 0 || sl_exploration_run(e, err) < 0)
		return -1;
	sl_exploration_judge(e, summary);
	p->executions += summary->executions;
	*names = sl_names_new(e->session.arena->modules.items, e->session.arena->modules.count, err);
	if (!*names) {
		sl_exploration_release(e);
		return -1;
	}
	return 0;
}

/* ---- one violation ---- */

/* "0.2" -> as the engine computes it (engine/core/roster.c). */
static uint64_t
path_of(const char *text)
{
	uint64_t path = 1;

	for (text = strchr(text, '.'); text; text = strchr(text + 1, '.'))
		path = sl_mix(path + strtoull(text + 1, NULL, 10));
	return path;
}

static void
order_of(const struct sl_violation *v, struct sl_op_order *order)
{
	*order = (struct sl_op_order){.count = v->step_count};
	for (unsigned i = 0; i < v->step_count; i++)
		order->steps[i] = (struct sl_op_order_step){.thread = path_of(v->steps[i].thread_path),
							 .pc = v->steps[i].pc,
							 .address = v->steps[i].address,
							 .size = v->steps[i].size,
							 .occurrence = (uint32_t)v->steps[i].occurrence};
}

static int
prepare(struct sl_arena *arena, void *data, struct sl_err *err)
{
	const struct predict *p = data;

	(void)err;
	arena->order = p->order;
	arena->workers[0].phase = SL_PHASE_EXPLORE; /* what there is to learn is in the order */
	arena->config.violations = p->settings->predict.violations == SL_RACES_ON;
	return 0;
}

static void
print_step(FILE *out, const struct sl_violation *v, unsigned i)
{
	const struct sl_violation_step *s = &v->steps[i];
	const char *unit = s->other ? v->other_unit : v->unit;

	fprintf(out, "  T%" PRIu32 "%s%s %s %s", s->thread, *unit ? " in " : "", unit,
		s->access & SL_OP_WRITES ? "writes" : "reads", *s->object ? s->object : "memory");
	if (s->place.line)
		fprintf(out, " at %s:%d", s->place.file, s->place.line);
	fputs(s->impacted ? " (impacted)\n" : "\n", out);
}

static void
print_violation(const struct predict *p, const struct sl_violation *v, size_t number)
{
	const struct sl_pattern_words *words = &sl_pattern_words[v->pattern];

	fprintf(p->out, "%spredicted %zu%s: %s on %s: %s\n", sl_ink(&p->style, SL_INK_BOLD), number,
		sl_ink(&p->style, SL_INK_NONE), words->shape, v->set, words->means);
	for (unsigned i = 0; i < v->step_count; i++)
		print_step(p->out, v, i);
	if (v->alike)
		fprintf(p->out, "  … and %" PRIu64 " alike\n", v->alike);
}

/* Steers into it. */
static enum fate
try(struct predict *p, const struct sl_violation *v, struct sl_summary *summary, struct sl_err *err)
{
	struct sl_exploration *e = &p->e;

	order_of(v, &p->order);
	settle(e, p, p->change ? p->change->new : NULL, p->change ? p->change->cwd : NULL);
	e->settings.strategy = sl_strategy_directed.name;
	e->settings.limit.schedules = p->settings->predict.tries ? p->settings->predict.tries : TRIES;
	e->settings.compare = SL_COMPARE_OFF;
	e->settings.keep_going = 0;
	e->prepare = prepare;
	e->data = p;
	e->out = open_memstream(&p->story, &p->story_size);
	if (!e->out)
		abort();
	if (sl_exploration_find(e, err) < 0 || sl_exploration_run(e, err) < 0) {
		fclose(e->out);
		return NOT_REACHED;
	}
	sl_exploration_judge(e, summary);
	fclose(e->out);
	p->executions += summary->executions;
	p->order = e->session.arena->order;
	if (summary->finding_count)
		return FAILS;
	return p->order.followed ? HAPPENS : NOT_REACHED;
}

static enum fate
explore(struct predict *p, const struct sl_violation *v)
{
	struct sl_summary summary = {0};
	struct sl_err err = {""};
	enum fate fate;

	if (v->verdict == SL_PREDICTED_INFEASIBLE) {
		fprintf(p->out, "  infeasible: %s\n", v->reason);
		return RULED_OUT;
	}
	fate = try(p, v, &summary, &err);
	if (*err.text) {
		fprintf(p->out, "  not tried: %s\n", err.text);
		return fate;
	}
	switch (fate) {
	case NOT_REACHED:
		fprintf(p->out, "  not reached: %" PRIu32 " of %u operations in %" PRIu32 " executions\n", p->order.done,
			v->step_count, p->order.executions);
		break;
	case HAPPENS:
		fprintf(p->out, "  confirmed: it happens, and the program does not fail (%" PRIu32 " of %" PRIu32 " executions)\n",
			p->order.followed, p->order.executions);
		for (size_t i = 0; i < summary.warning_count; i++)
			if (*summary.warnings[i].replay)
				fprintf(p->out, "  See it again with:  sleave replay %s\n", summary.warnings[i].replay);
		break;
	case FAILS:
		fprintf(p->out, "  confirmed: %s\n\n", summary.findings[0].message);
		fwrite(p->story, 1, p->story_size, p->out);
		break;
	case RULED_OUT:
		break;
	}
	sl_exploration_release(&p->e);
	free(p->story);
	p->story = NULL;
	return fate;
}

/* ---- two versions ---- */

/* RECONTEST's relation ~. */
static bool
map_place(void *data, const struct sl_place *place, struct sl_place *old)
{
	const struct predict *p = data;

	*old = *place;
	return place->line && sl_mapping_line(p->change, SL_MAPPING_TO_OLD, place->file, place->line, &old->stable, &old->line);
}

/* An execution whose places have the names of files that the alignment has. */
struct renamed {
	struct sl_observed inner;
	const struct sl_binaries *files;
};

static int
renamed_rewind(void *data, struct sl_err *err)
{
	const struct renamed *r = data;

	return r->inner.rewind(r->inner.data, err);
}

static int
renamed_next(void *data, struct sl_item *item, struct sl_err *err)
{
	const struct renamed *r = data;

	return r->inner.next(r->inner.data, item, err);
}

static bool
renamed_place(void *data, uint64_t pc, struct sl_place *place)
{
	const struct renamed *r = data;

	if (!r->inner.place(r->inner.data, pc, place))
		return false;
	if (place->path)
		place->stable = sl_binaries_name(r->files, place->path);
	return true;
}

static const struct sl_site *
renamed_site(void *data, uint64_t pc, bool writes)
{
	const struct renamed *r = data;

	return r->inner.site ? r->inner.site(r->inner.data, pc, writes) : NULL;
}

static const char *
renamed_variable(void *data, uint64_t address, uint32_t size, char *text, size_t room)
{
	const struct renamed *r = data;

	return r->inner.variable(r->inner.data, address, size, text, room);
}

static const char *
renamed_function(void *data, uint64_t address)
{
	const struct renamed *r = data;

	return r->inner.function(r->inner.data, address);
}

static const char *
renamed_thread_path(void *data, uint32_t thread)
{
	const struct renamed *r = data;

	return r->inner.thread_path(r->inner.data, thread);
}

static struct sl_observed
rename_of(struct renamed *renamed)
{
	return (struct sl_observed){.data = renamed,
				    .rewind = renamed_rewind,
				    .next = renamed_next,
				    .place = renamed_place,
				    .site = renamed_site,
				    .variable = renamed_variable,
				    .function = renamed_function,
				    .thread_path = renamed_thread_path};
}

/* What the old version did, in one execution. */
static int
collect_old(struct predict *p, struct sl_contexts *contexts, struct sl_err *err)
{
	struct sl_summary summary = {0};
	struct sl_names *names = NULL;
	struct renamed renamed = {.files = &p->change->old_files};
	struct sl_observed observed;
	int result;

	if (record(p, p->change->old, p->change->old_cwd, p->tape, &names, &summary, err) < 0)
		return -1;
	if (summary.finding_count)
		fprintf(p->out, "note: the old version fails in the execution that was recorded: %s\n",
			summary.findings[0].message);
	sl_exploration_release(&p->e);
	result = sl_observed_open(&renamed.inner, p->tape, 0, names, err);
	if (result == 0) {
		observed = rename_of(&renamed);
		result = sl_contexts_collect(contexts, &observed, SL_CALLS_ALL, err);
		sl_observed_close(&renamed.inner);
	}
	sl_names_free(names);
	return result;
}

/* ---- all of them ---- */

static int
predict(struct predict *p, struct sl_names *names, const struct sl_contexts *old, struct sl_err *err)
{
	struct sl_predict_options options = {.infeasible = p->settings->verbose > 0};
	const struct sl_place_map map = {p, map_place};
	struct sl_impact_set impact = {0};
	struct sl_violations violations = {0};
	struct sl_observed observed;
	int result;

	if (sl_observed_open(&observed, p->tape, 0, names, err) < 0)
		return -1;
	result = old ? sl_impact_find(&impact, old, &observed, &map, SL_CALLS_ALL, err) : 0;
	if (result == 0 && old) {
		options.impact = &impact;
		fprintf(p->out, "impacted: %" PRIu64 " of %" PRIu64 " accesses\n", impact.impacted, impact.accesses);
		for (size_t i = 0; i < impact.count && p->settings->verbose; i++)
			fprintf(p->out, "  %s:%" PRIu32 ": %s %s %s\n", impact.items[i].place.file, impact.items[i].place.line,
				impact.items[i].access & SL_OP_WRITES ? "write of" : "read of", impact.items[i].object,
				impact.items[i].why);
	}
	if (result == 0)
		result = sl_predict(&violations, &observed, &options, err);
	for (size_t i = 0; result == 0 && i < violations.count; i++) {
		enum fate fate;

		print_violation(p, &violations.items[i], i + 1);
		fflush(p->out);
		fate = explore(p, &violations.items[i]);
		p->fates[fate]++;
		if (fate == FAILS && !p->settings->keep_going)
			break;
	}
	if (result == 0)
		fprintf(p->out,
			"%" PRIu64 " violations are predicted from %" PRIu64 " accesses (%" PRIu64 " more are infeasible): %zu fail%s, %zu "
			"happen%s and do no harm, %zu not reached; %" PRIu64 " executions\n",
			violations.certain + violations.possible, violations.shared, violations.infeasible, p->fates[FAILS],
			p->fates[FAILS] == 1 ? "s" : "", p->fates[HAPPENS], p->fates[HAPPENS] == 1 ? "s" : "",
			p->fates[NOT_REACHED], p->executions);
	sl_violations_release(&violations);
	sl_impact_set_release(&impact);
	sl_observed_close(&observed);
	return result;
}

int
sl_command_predict(int argc, char **argv)
{
	static struct sl_settings settings;
	static struct predict p;
	struct sl_summary summary = {0};
	struct sl_names *names = NULL;
	struct sl_contexts *contexts = NULL;
	struct sl_change change;
	struct sl_program_change program;
	struct sl_err err = {""};
	int first = sl_options_parse(&settings, SL_FOR_PREDICT, argc, argv, &err), status, fd;

	if (first == 0) {
		help();
		return SL_EXIT_CLEAN;
	}
	if (first > 0 && first == argc)
		first = sl_err_set(&err, "no program is given");
	if (first < 0) {
		fprintf(stderr, "sleave predict: %s (sleave predict --help)\n", err.text);
		return SL_EXIT_USAGE;
	}
	p = (struct predict){.settings = &settings, .argv = argv + first, .command = argv};
	p.out = settings.json ? stderr : stdout;
	p.style = sl_style_for(p.out, settings.colour);
	snprintf(p.tape, sizeof(p.tape), "/tmp/sleave-predict-XXXXXX");
	fd = mkstemp(p.tape);
	if (fd >= 0)
		close(fd);
	status = fd < 0 ? sl_err_set(&err, "cannot make a file in /tmp") : 0;
	if (status == 0 && (settings.change.old_program || settings.change.old_tree || settings.change.old_revision)) {
		status = sl_change_open(&change, "predict", &settings, argv + first, &err);
		if (status)
			return status;
		if (sl_program_change_find(&program, &change, 0, &err) < 0)
			status = -1;
		p.change = &program;
		if (status == 0 && !program.old)
			fputs("note: the old version has no such program: all is new\n", stderr);
		contexts = program.old ? sl_contexts_new() : NULL;
		if (status == 0 && contexts)
			status = collect_old(&p, contexts, &err);
	}
	if (status == 0)
		status = record(&p, p.change ? program.new : NULL, p.change ? program.cwd : NULL, p.tape, &names, &summary, &err);
	if (status == 0 && summary.finding_count) {
		sl_verdict_print(p.out, &p.style, &summary);
		sl_exploration_release(&p.e);
		unlink(p.tape);
		return SL_EXIT_FINDING;
	}
	if (status == 0) {
		sl_exploration_release(&p.e);
		status = predict(&p, names, contexts, &err);
	}
	sl_names_free(names);
	unlink(p.tape);
	if (status < 0) {
		fprintf(stderr, "sleave predict: %s\n", err.text);
		return SL_EXIT_UNDECIDED;
	}
	return p.fates[FAILS] ? SL_EXIT_FINDING : SL_EXIT_CLEAN;
}
