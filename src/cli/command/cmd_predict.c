/*
 * `sleave predict`: violations of atomicity that the trace of one execution makes possible, each of them tried.
 */
#include "base/raw.h"
#include "cli/command/commands.h"
#include "cli/predict/before.h"
#include "cli/predict/declared.h"
#include "cli/predict/forecast.h"
#include "cli/predict/impact_told.h"
#include "report/quote.h"
#include "report/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TIME_DEFAULT 10000000000u

static void
help(void)
{
	puts("usage: sleave predict [OPTION…] [--] PROGRAM [ARGUMENT…]\n"
	     "       sleave predict [OPTION…] --old-program FILE -- PROGRAM [ARGUMENT…]\n"
	     "\n"
	     "Runs the program once, and looks for other orders of its accesses in which one thread comes between accesses of\n"
	     "another that belong together: those of one function to the members of one object. Then it steers executions into\n"
	     "each of these orders. With two versions of the program: only into those with an access that the change impacts; what\n"
	     "happens in the old version, too, is said to be not new.\n"
	     "\n"
	     "options:");
	sl_options_print(stdout, SL_FOR_PREDICT);
	puts("\nA program may say what belongs together: sleave_atomic_set(), sleave_unit_begin() and sleave_unit_end() of sleave.h.\n"
	     "What happens and does no harm is told with a replay file, and is no finding, unless --violations=on is given.\n"
	     "Exit status: 0 nothing found, 1 a finding, 2 wrong usage, 3 Sleave could not do its job.");
}

struct predict {
	const struct sl_settings *settings;
	struct sl_tried_program program;
	FILE *out;
	struct sl_style style;
	size_t fates[SL_FATE_COUNT];
	size_t harmless;         /* of those that fail: it is only --violations=on that makes them findings */
	size_t old;              /* of those that happen or fail: the old version has them, too */
	struct sl_before before; /* with two versions, unless all is asked for */
	bool compared;           /* … it is there */
	const char *failed;      /* how an execution failed that was recorded; empty: none did */
	int status;              /* what these two alone amount to */
	const char *lacking;     /* why not all of an execution is known; empty: all is */
};

/* ---- in words ---- */

static void
print_violation(const struct predict *p, const struct sl_violation *v, size_t number)
{
	const struct sl_pattern_words *words = &sl_pattern_words[v->pattern];
	char label[32];

	fprintf(p->out, "%spredicted%s %zu: ", sl_ink(&p->style, SL_INK_BOLD), sl_ink(&p->style, SL_INK_NONE),
		number);
	sl_text_put(p->out, v->set, strlen(v->set));
	fprintf(p->out, ": ");
	sl_text_put(p->out, *v->unit ? v->unit : "the thread", strlen(*v->unit ? v->unit : "the thread"));
	fprintf(p->out, " %s\n", words->means);
	for (unsigned i = 0; i < v->step_count; i++) {
		const struct sl_violation_step *s = &v->steps[i];

		fprintf(p->out, "  %-4s ", sl_thread_short(s->thread, label, sizeof(label)));
		fputs(s->access & SL_OP_WRITES ? "writes " : "reads ", p->out);
		sl_text_put(p->out, *s->object ? s->object : "memory", strlen(*s->object ? s->object : "memory"));
		if (s->place.line) {
			fputs(" at ", p->out);
			sl_text_put(p->out, s->place.file, strlen(s->place.file));
			fprintf(p->out, ":%" PRIu32 " (", s->place.line);
			sl_text_put(p->out, s->place.function, strlen(s->place.function));
			fputc(')', p->out);
		}
		fputs(s->impacted ? ", impacted" : "", p->out);
		fputs(s->other ? "  <- in between\n" : "\n", p->out);
	}
	if (v->verdict == SL_PREDICTED_CERTAIN)
		fputs("  certain to be possible: each access before it can read what it has read, and no lock is in the way\n",
		      p->out);
}

static void
print_tried(const struct predict *p, const struct sl_violation *v, const struct sl_tried *tried)
{
	switch (tried->fate) {
	case SL_FATE_INFEASIBLE:
		fputs("  infeasible: ", p->out);
		break;
	case SL_FATE_NOT_TRIED:
		fputs("  not tried: ", p->out);
		break;
	case SL_FATE_NOT_REACHED:
		fprintf(p->out,
			"  not reached: %" PRIu32 " of %u accesses in their order, in %" PRIu32 " execution%s",
			tried->done, v->step_count, tried->executions, tried->executions == 1 ? "" : "s");
		break;
	case SL_FATE_HAPPENS:
		fputs("  confirmed: it happens, and the program does not fail", p->out);
		break;
	case SL_FATE_FAILS:
		fprintf(p->out, "  %sconfirmed%s: ", sl_ink(&p->style, SL_INK_RED),
			sl_ink(&p->style, SL_INK_NONE));
		break;
	case SL_FATE_COUNT:
		break;
	}
	sl_text_put(p->out, tried->message, strlen(tried->message));
	fputs(tried->others ? " (by other threads at the same places)\n" : "\n", p->out);
	if (tried->fate == SL_FATE_FAILS)
		fprintf(p->out, "\n%s\n", tried->story);
	else if (*tried->replay) {
		fputs("  See it again with:  sleave replay ", p->out);
		sl_path_put(p->out, tried->replay);
		fputc('\n', p->out);
	}
}

static void
print_impact(const struct predict *p, const struct sl_impact_set *impact)
{
	fprintf(p->out, "impacted: %" PRIu64 " of %" PRIu64 " accesses\n", impact->impacted, impact->accesses);
	if (p->settings->verbose)
		sl_impact_told_lines(p->out, impact);
}

static void
print_end(const struct predict *p, const struct sl_violations *violations)
{
	const size_t *fates = p->fates;
	bool found = fates[SL_FATE_FAILS] || *p->failed;

	if (*p->failed)
		sl_say(p->out,
		       "finding: the program fails in an execution that was only recorded: %s; `sleave run` tells how\n",
		       p->failed);
	fprintf(p->out, "%s: %" PRIu64 " predicted",
		found                                   ? "finding"
		: *p->lacking || p->program.interrupted ? "undecided"
		: fates[SL_FATE_NOT_TRIED]              ? "no finding so far"
							: "no finding",
		violations->certain + violations->possible);
	if (fates[SL_FATE_FAILS] > p->harmless)
		fprintf(p->out, ", %zu made the program fail", fates[SL_FATE_FAILS] - p->harmless);
	if (p->harmless)
		fprintf(p->out, ", %zu happened, which --violations=on calls a finding", p->harmless);
	if (fates[SL_FATE_HAPPENS])
		fprintf(p->out, ", %zu happened and did no harm", fates[SL_FATE_HAPPENS]);
	if (p->old)
		fprintf(p->out, ", %zu of which the old version shows, too", p->old);
	if (fates[SL_FATE_NOT_REACHED])
		fprintf(p->out, ", %zu %s not reached", fates[SL_FATE_NOT_REACHED],
			fates[SL_FATE_NOT_REACHED] == 1 ? "was" : "were");
	if (fates[SL_FATE_NOT_TRIED])
		fprintf(p->out, ", %zu %s not tried", fates[SL_FATE_NOT_TRIED],
			fates[SL_FATE_NOT_TRIED] == 1 ? "was" : "were");
	if (violations->infeasible)
		fprintf(p->out, "; %" PRIu64 " more %s infeasible", violations->infeasible,
			violations->infeasible == 1 ? "is" : "are");
	fputc('\n', p->out);
	if (*p->lacking)
		sl_say(p->out, "not all of the recorded execution is known: %s\n", p->lacking);
	fprintf(p->out,
		"recorded: %" PRIu64 " accesses, %" PRIu64 " to shared memory, in %" PRIu64 " classes; %" PRIu64
		" execution%s in all\n",
		violations->accesses, violations->shared, violations->classes, p->program.executions,
		p->program.executions == 1 ? "" : "s");
}

/* ---- as JSON ---- */

static void
put_field(FILE *out, const char *name, const char *text)
{
	fprintf(out, "\"%s\": ", name);
	sl_json_put_string(out, text, strlen(text));
}

static void
put_violation(FILE *out, const struct sl_violation *v, const struct sl_tried *tried, const char *old)
{
	static const char *const fates[] = {"infeasible", "not tried", "not reached", "happens", "fails"};

	fputc('{', out);
	put_field(out, "pattern", sl_pattern_words[v->pattern].shape);
	fputs(", ", out);
	put_field(out, "set", v->set);
	fputs(", ", out);
	put_field(out, "unit", v->unit);
	fputs(", ", out);
	put_field(out, "other_unit", v->other_unit);
	fputs(", ", out);
	put_field(out, "result", tried->fate < SL_FATE_COUNT ? fates[tried->fate] : "");
	fputs(", ", out);
	put_field(out, "message", tried->message);
	fputs(", ", out);
	put_field(out, "replay", tried->replay);
	fprintf(out, ", \"certain\": %s, \"in_old\": %s", v->verdict == SL_PREDICTED_CERTAIN ? "true" : "false",
		old);
	fprintf(out, ", \"done\": %" PRIu32 ", \"executions\": %" PRIu32 ", \"alike\": %" PRIu64 ", \"steps\": [",
		tried->done, tried->executions, v->alike);
	for (unsigned i = 0; i < v->step_count; i++) {
		const struct sl_violation_step *s = &v->steps[i];

		fprintf(out, "%s{\"thread\": %" PRIu32 ", ", i ? ", " : "", s->thread);
		put_field(out, "access", s->access & SL_OP_WRITES ? "write" : "read");
		fputs(", ", out);
		put_field(out, "object", s->object);
		fputs(", ", out);
		put_field(out, "file", s->place.file);
		fprintf(out, ", \"line\": %" PRIu32 ", \"impacted\": %s}", s->place.line,
			s->impacted ? "true" : "false");
	}
	fputs("]}", out);
}

/* ---- what is done ---- */

/* The others are counted: one after the other they would all say the same. */
static void
leave_others(struct predict *p, const struct sl_violations *violations, size_t from)
{
	size_t count = 0;

	for (size_t i = from; i < violations->count; i++)
		count += violations->items[i].verdict != SL_PREDICTED_INFEASIBLE;
	if (count)
		fprintf(p->out, "%zu %s not tried: %s\n", count, count == 1 ? "violation is" : "violations are",
			p->program.interrupted ? "interrupted" : "the time is over (--time)");
	p->fates[SL_FATE_NOT_TRIED] += count;
}

static void
leave_untried(const struct sl_violation *v, struct sl_tried *tried)
{
	bool infeasible = v->verdict == SL_PREDICTED_INFEASIBLE;

	*tried = (struct sl_tried){.fate = infeasible ? SL_FATE_INFEASIBLE : SL_FATE_NOT_TRIED};
	snprintf(tried->message, sizeof(tried->message), "%s", infeasible ? v->reason : "--tries=0");
}

static void
try_all(struct predict *p, const struct sl_impact_set *impact, const struct sl_violations *violations)
{
	if (p->settings->json)
		fputs("{\"violations\": [", stdout);
	if (!p->program.until) /* recording and analysis are not cut */
		p->program.until = sl_nanoseconds() + TIME_DEFAULT;
	for (size_t i = 0; i < violations->count; i++) {
		const struct sl_violation *v = &violations->items[i];
		struct sl_tried tried = {0};
		bool old;

		if (p->settings->predict.tries &&
		    (p->program.interrupted || sl_nanoseconds() >= p->program.until)) {
			leave_others(p, violations, i);
			break;
		}
		print_violation(p, v, i + 1);
		fflush(p->out);
		if (p->settings->predict.tries)
			sl_tried_try(&p->program, v, &tried);
		else
			leave_untried(v, &tried);
		p->fates[tried.fate]++;
		p->harmless += tried.fate == SL_FATE_FAILS && tried.harmless;
		print_tried(p, v, &tried);
		old = p->compared && (tried.fate == SL_FATE_FAILS || tried.fate == SL_FATE_HAPPENS) &&
		      sl_before_has(&p->before, v);
		p->old += old;
		if (old)
			fputs("  not new: the old version shows it, too\n", p->out);
		if (p->settings->json) {
			fputs(i ? ", " : "", stdout);
			put_violation(stdout, v, &tried, !p->compared ? "null" : old ? "true" : "false");
		}
		free(tried.story);
		if (tried.fate == SL_FATE_FAILS && !p->settings->keep_going)
			break;
	}
	print_end(p, violations);
	if (p->settings->json) {
		char unmerged[24] = "null";

		if (p->settings->predict.unmerged)
			snprintf(unmerged, sizeof(unmerged), "%" PRIu64, violations->unmerged);
		fputs("], ", stdout);
		put_field(stdout, "failed", p->failed);
		fputs(", ", stdout);
		put_field(stdout, "lacking", p->lacking);
		printf(", \"predicted\": %" PRIu64 ", \"certain\": %" PRIu64 ", \"infeasible\": %" PRIu64
		       ", \"fail\": %zu, \"happen\": %zu, \"not_reached\": %zu, \"not_tried\": %zu, "
		       "\"accesses\": %" PRIu64 ", \"shared\": %" PRIu64 ", \"impacted\": %" PRIu64
		       ", \"classes\": %" PRIu64 ", \"pairs\": %" PRIu64 ", \"compared\": %" PRIu64
		       ", \"unmerged\": %s, \"phase_1\": %.6f, \"phase_2\": %.6f, \"executions\": %" PRIu64 "}\n",
		       violations->certain + violations->possible, violations->certain, violations->infeasible,
		       p->fates[SL_FATE_FAILS], p->fates[SL_FATE_HAPPENS], p->fates[SL_FATE_NOT_REACHED],
		       p->fates[SL_FATE_NOT_TRIED], violations->accesses, violations->shared, impact->impacted,
		       violations->classes, violations->pairs, violations->compared, unmerged,
		       (double)impact->nanoseconds / 1e9, (double)violations->nanoseconds / 1e9,
		       p->program.executions);
	}
}

/* change: NULL: there is one version. */
static int
predict(struct predict *p, const struct sl_program_change *change, struct sl_err *err)
{
	const struct sl_forecast_wish wish = {.all = p->settings->predict.all,
					      .infeasible = p->settings->verbose > 0};
	struct sl_forecast predicted;
	int result = sl_forecast_find(&predicted, &p->program, change, &wish, err);

	if (*predicted.old_note && !p->settings->quiet)
		sl_say(stderr, "note: %s\n", predicted.old_note);
	if (*predicted.note && !p->settings->quiet)
		sl_say(stderr, "note: %s\n", predicted.note);
	if (*predicted.old_failed && !p->settings->quiet)
		sl_say(stderr, "note: the old version failed in the execution that was recorded: %s\n",
		       predicted.old_failed);
	p->failed = predicted.failed;
	p->lacking = predicted.lacking;
	p->status = *p->failed ? SL_EXIT_FINDING : *p->lacking ? SL_EXIT_UNDECIDED : SL_EXIT_CLEAN;
	if (result == 0 && predicted.impacted)
		print_impact(p, &predicted.impact);
	p->compared = change && change->old && !wish.all;
	if (p->compared)
		sl_before_init(&p->before, change, &p->program);
	if (result == 0)
		try_all(p, &predicted.impact, &predicted.violations);
	sl_before_release(&p->before);
	sl_forecast_release(&predicted);
	return result;
}

/* What is wrong in the file itself is wrong usage. */
static int
check_sets(const struct sl_settings *s, struct sl_err *err)
{
	struct sl_declared declared = {0};
	int result = s->predict.sets ? sl_declared_read(&declared, s->predict.sets, err) : 0;

	sl_declared_release(&declared);
	return result;
}

static bool
has_versions(const struct sl_settings *s)
{
	return s->change.old_program || s->change.old_tree || s->change.new_tree || s->change.old_revision ||
	       s->change.new_revision;
}

/* Returns the exit status of what could not be built, or as predict(). */
static int
of_two_versions(struct predict *p, char **words, struct sl_err *err)
{
	struct sl_program_change program;
	struct sl_change change;
	int result = sl_change_open(&change, "predict", p->settings, words, err);

	if (result)
		return result;
	result = sl_program_change_find(&program, &change, 0, err);
	if (result == 0) {
		if (!program.old)
			fputs("note: the old version has no such program: all of it counts as new\n", stderr);
		p->program.path = program.new;
		p->program.directory = program.cwd;
		result = predict(p, &program, err);
		sl_program_change_release(&program);
	}
	sl_change_release(&change);
	return result;
}

int
sl_command_predict(int argc, char **argv)
{
	static struct sl_settings settings;
	static struct predict p;
	struct sl_err err = {""};
	int first = sl_options_parse(&settings, SL_FOR_PREDICT, argc, argv, &err), status;

	if (first == 0) {
		help();
		return SL_EXIT_CLEAN;
	}
	if (first > 0 && settings.change.clean)
		return sl_change_clean("predict", &settings);
	if (first > 0 && first == argc)
		first = sl_err_set(&err, "no program is given");
	if (first < 0 || sl_change_check(&settings, &err) < 0 || check_sets(&settings, &err) < 0 ||
	    sl_settings_read_schedule(&settings, &err) < 0) {
		fprintf(stderr, "sleave predict: %s (sleave predict --help)\n", err.text);
		return SL_EXIT_USAGE;
	}
	p = (struct predict){.settings = &settings,
			     .program = {.settings = &settings,
					 .argv = argv + first,
					 .violations = settings.predict.violations},
			     .out = settings.json ? stderr : stdout};
	p.style = sl_style_for(p.out, settings.colour);
	if (settings.limit.time)
		p.program.until = sl_nanoseconds() + settings.limit.time;
	status = has_versions(&settings) ? of_two_versions(&p, argv + first, &err) : predict(&p, NULL, &err);
	free(p.program.marks);
	if (status < 0) {
		sl_say(stderr, "sleave predict: %s\n", err.text);
		return SL_EXIT_UNDECIDED;
	}
	if (status > 0)
		return status;
	return p.fates[SL_FATE_FAILS]                               ? SL_EXIT_FINDING
	       : p.status == SL_EXIT_CLEAN && p.program.interrupted ? SL_EXIT_UNDECIDED
								    : p.status;
}
