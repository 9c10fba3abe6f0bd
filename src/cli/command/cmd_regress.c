/*
 * `sleave regress`: after a change of a program, explores first what the change can have broken.
 */
#include "base/raw.h"
#include "base/room.h"
#include "cli/change/change.h"
#include "cli/change/earlier.h"
#include "cli/change/since.h"
#include "cli/command/commands.h"
#include "cli/predict/forecast.h"
#include "cli/result/exploration.h"
#include "cli/session/impacted.h"
#include "report/quote.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TIME_DEFAULT 10000000000u
#define UNREACHED_LIMIT                                                                                           \
	100 /* executions after which a program that has come to no impacted point is taken for not impacted */

static void
help(void)
{
	puts("usage: sleave regress [OPTION…] -- PROGRAM [ARGUMENT…]\n"
	     "       sleave regress [OPTION…] -- 'PATTERN'…\n"
	     "\n"
	     "Builds two versions of a program and explores the new one as `sleave run` does, but first what the change impacts\n"
	     "(see `sleave impact`). A finding is tried on the old version, too: is it new? A test that never reaches an\n"
	     "impacted point is not explored any further. With patterns each program that matches is tested.\n"
	     "\n"
	     "    sleave regress -- ./test                          in a git checkout: HEAD against the working tree\n"
	     "    sleave regress --old v1.4 --new HEAD --build 'make test-queue' -- ./test-queue\n"
	     "    sleave regress --old-tree a/ --new-tree b/ --build make -- ./test\n"
	     "    sleave regress --old-program ./test.old -- ./test\n"
	     "\n"
	     "options:");
	sl_options_print(stdout, SL_FOR_REGRESS);
	puts("\nstrategies:\n  regress                  hold, directed, rf, surw, and icb with LOA, MA and FA at what is impacted, and the portfolio, in turns");
	for (const struct sl_strategy *const *s = sl_strategies; *s; s++)
		printf("  %-24s %s\n", (*s)->name, (*s)->summary);
	puts("\nVersions are built in .sleave/versions of the checkout; nothing else in it is touched.\n"
	     "Ctrl-C ends the search and keeps what was found; a second Ctrl-C ends `sleave regress` at once.\n"
	     "Exit status: 0 nothing found, or nothing impacted, 1 a finding, 2 wrong usage, 3 Sleave could not do its job.");
}

/* One program of the change. */
struct tested {
	struct sl_program_change program;
	const struct sl_settings *settings;
	const struct sl_replay *earlier; /* whose schedule is tried; NULL: none */
	enum sl_mapping_to to;
	struct sl_mapping *mapping;
	struct sl_tried_program recorded; /* its execution of the new version */
	struct sl_foreseen foreseen;
	bool predicted; /* these two are known */
};

static int
prepare(struct sl_arena *arena, void *data, struct sl_err *err)
{
	struct tested *test = data;

	if (sl_program_change_fill(&test->program, &arena->impact, err) < 0)
		return -1;
	sl_impacted_prioritise(&arena->impact, test->settings);
	if (test->earlier) {
		sl_mapping_make(test->mapping, &arena->guide, test->earlier, &test->program, test->to);
		return 0;
	}
	if (test->predicted) {
		arena->foreseen = test->foreseen;
		sl_tried_share(&test->recorded, arena);
	}
	if (!test->program.blind)
		arena->impact.unreached_limit = UNREACHED_LIMIT;
	return 0;
}

/* What the command line leaves open. */
static int
settle(struct sl_settings *s, struct sl_err *err)
{
	if (sl_change_check(s, err) < 0)
		return -1;
	if (s->stateful && !sl_options_given(s, SL_FOR_REGRESS, "strategy"))
		s->strategy = sl_options_default_strategy;
	if (!s->limit.time && !s->limit.schedules)
		s->limit.time = TIME_DEFAULT;
	return sl_exploration_check(s, SL_FOR_REGRESS, err);
}

static void
tell(struct sl_exploration *e, struct tested *test, const struct sl_change *change,
     const struct sl_summary *summary)
{
	if (change->built->new.program_count > 1)
		sl_say(e->out, "%s: ", test->program.name);
	sl_verdict_print(e->out, &e->results.style, summary);
	if (summary->executions)
		sl_exploration_notes(e, summary);
	fflush(e->out);
	if (e->settings.json)
		sl_json_print(stdout, summary);
	fflush(stdout);
}

static void
told_init(struct sl_change_told *told, const struct tested *test, const struct sl_change *change, char *lacks,
	  char *others, size_t room)
{
	*told = (struct sl_change_told){.old = change->versions->old.label,
					.new = change->versions->new.label,
					.lines = test->program.points.line_count,
					.fields = test->program.points.field_count,
					.with_code = sl_program_change_with_code(&test->program, NULL),
					.blind = test->program.blind,
					.all_new = !test->program.old,
					.identical = change->versions->identical &&
						     change->versions->old.kind != SL_VERSION_PROGRAM};
	if (sl_program_change_lacks(&test->program, lacks, room))
		told->lacks = lacks;
	if (sl_change_others(change, others, room))
		told->others = others;
}

/*
 * --resume: takes over the options of the run, and the words of its program. The build command is not among them: what a folder says that
 * was cloned is not executed. Negative: not possible; positive: wrong usage.
 */
static int
take_over(struct sl_exploration *e, struct sl_settings *settings, char ***words, struct sl_err *err)
{
	struct sl_err why;
	char *runs = sl_change_runs(settings);
	int status = -1;

	for (int elsewhere = runs != NULL; elsewhere >= 0 && status < 0; elsewhere--) {
		*e = (struct sl_exploration){.settings = *settings,
					     .self = "regress",
					     .argv = *words,
					     .runs = elsewhere ? runs : NULL,
					     .elsewhere = elsewhere,
					     .file = {.fd = -1}};
		why.text[0] = '\0';
		status = sl_exploration_take_over(e, SL_FOR_REGRESS, &why);
		if (status >= 0 || (runs && elsewhere) || !runs)
			*err = why;
	}
	if (status == 0) {
		const char *build = settings->change.build;

		*settings = e->settings;
		settings->change.build = build;
		*words = e->argv;
	}
	return status;
}

/* On standard output there is an object in any case. */
static void
print_undecided(const struct sl_settings *settings, const char *program, const char *reason)
{
	struct sl_summary summary = {.verdict = SL_VERDICT_UNDECIDED,
				     .search.bound = -1,
				     .program = program,
				     .strategy = settings->strategy,
				     .reason = reason,
				     .world = "memory",
				     .carrier = "fiber",
				     .seed = settings->seed};

	sl_json_print(stdout, &summary);
}

/* There is nothing to explore. */
static int
tell_unimpacted(struct sl_exploration *e, struct tested *test, const struct sl_change *change,
		struct sl_change_told *told)
{
	struct sl_summary summary = {.verdict = SL_VERDICT_CLEAN,
				     .change = told,
				     .search.bound = -1,
				     .program = test->program.name,
				     .strategy = e->settings.strategy,
				     .world = "memory",
				     .carrier = "fiber",
				     .seed = e->settings.seed};

	told->unreached = true;
	e->results.style = sl_style_for(e->out, e->settings.colour);
	tell(e, test, change, &summary);
	return SL_EXIT_CLEAN;
}

/* A finding is worse than no answer, and that is worse than nothing found. */
static int
worse(int a, int b)
{
	static const int order[] = {SL_EXIT_CLEAN, SL_EXIT_UNDECIDED, SL_EXIT_FINDING};

	for (size_t i = sizeof(order) / sizeof(*order); i-- > 0;)
		if (a == order[i] || b == order[i])
			return order[i];
	return a;
}

/* What is told of one program. */
struct telling {
	struct sl_change_told told;
	char lacks[512], others[512];
	struct sl_earlier_told earlier[SL_EARLIER_MAX];
	enum sl_since since[SL_FINDINGS_MAX];
	char why[SL_FINDINGS_MAX][512];
	char unpredicted[512];
};

/* -v: the points that the search has not reached; groups of lines in one. */
static void
list_missed(struct sl_change_told *told, const struct tested *test, const struct sl_impact *impact)
{
	const struct sl_points *points = &test->program.points;
	bool *reached = sl_room_zeroed(points->count, sizeof(*reached));
	bool *has_code = sl_room_zeroed(points->count, sizeof(*has_code));
	size_t capacity = 0;

	sl_program_change_reached(&test->program, impact, reached);
	sl_program_change_with_code(&test->program, has_code);
	for (size_t i = 0; i < points->count; i++)
		reached[i] |= !has_code[i];
	for (size_t i = 0, end; i < points->count; i = end) {
		const struct sl_point *p = &points->items[i];

		for (end = i + 1; end < points->count && !p->field && !points->items[end].field &&
				  reached[end] == reached[i] && strcmp(points->items[end].file, p->file) == 0 &&
				  strcmp(points->items[end].function, p->function) == 0;
		     end++)
			;
		if (reached[i])
			continue;
		told->missed = sl_room_for(told->missed, told->missed_count, &capacity, sizeof(*told->missed));
		told->missed[told->missed_count++] =
			p->field       ? sl_line_new("%s", p->name)
			: end == i + 1 ? sl_line_new("%s:%u (%s)", sl_point_path(p->file, test->program.cwd),
						     p->line, p->function)
				       : sl_line_new("%s:%u-%u (%s)", sl_point_path(p->file, test->program.cwd),
						     p->line, points->items[end - 1].line, p->function);
	}
	free(has_code);
	free(reached);
}

static void
forget_missed(struct sl_change_told *told)
{
	for (size_t i = 0; i < told->missed_count; i++)
		free(told->missed[i]);
	free(told->missed);
	told->missed = NULL;
	told->missed_count = 0;
}

/* After an exploration: what was found, and whether the old version has it. Returns the exit status. */
static int
conclude(struct sl_exploration *e, struct tested *test, const struct sl_change *change, struct telling *t)
{
	struct sl_change_told *told = &t->told;
	const struct sl_impact *impact = &e->session.arena->impact;
	struct sl_summary summary;

	sl_exploration_judge(e, &summary);
	told->reached = sl_program_change_reached(&test->program, impact, NULL);
	told->unreached = summary.verdict == SL_VERDICT_CLEAN && impact->unreached_limit && !impact->reached &&
			  !e->session.interrupts;
	if (e->settings.verbose)
		list_missed(told, test, impact);
	told->tried = e->session.arena->foreseen.tried;
	told->since = t->since;
	told->why = t->why;
	summary.change = told;
	summary.program = test->program.name;
	if (summary.finding_count) {
		sl_live_say(&e->live, "the old version is searched for the finding");
		sl_since_find(e, &summary, &test->program, t->since, t->why);
		sl_live_wipe(&e->live);
	}
	tell(e, test, change, &summary);
	forget_missed(told);
	return sl_verdict_status(summary.verdict);
}

/* ---- what is predicted ---- */

/* By a strategy that the user names the program is searched from the beginning. */
static bool
predicts(const struct tested *test, const struct sl_settings *settings)
{
	return test->program.old && !*test->program.points.without_sites && !settings->sync_only &&
	       !settings->stateful && settings->change.prioritise == SL_HEURISTIC_BASIC && !settings->schedule &&
	       !settings->tape && !sl_options_given(settings, SL_FOR_REGRESS, "strategy");
}

/* Records an execution of each version, and finds violations of atomicity that the change made possible: the search tries them. */
static void
predict(struct sl_exploration *e, struct tested *test, struct telling *t)
{
	static struct sl_forecast forecast;
	struct sl_err err = {""};
	struct sl_live live;

	test->recorded = (struct sl_tried_program){.settings = &e->settings,
						   .argv = e->argv,
						   .path = e->path,
						   .directory = e->directory,
						   .self = "regress"};
	sl_live_init(&live, e->settings.quiet);
	sl_live_say(&live, "an execution of each version is recorded, to predict violations of atomicity");
	e->begun = sl_nanoseconds();
	if (sl_forecast_find(&forecast, &test->recorded, &test->program, &(struct sl_forecast_wish){0}, &err) < 0) {
		snprintf(t->unpredicted, sizeof(t->unpredicted), "%s", err.text);
		t->told.unpredicted = t->unpredicted;
	} else {
		sl_forecast_foresee(&forecast, &test->foreseen);
		test->predicted = !*forecast.failed; /* else the search begins with that execution */
	}
	sl_live_wipe(&live);
	t->told.predicted = test->foreseen.order_count;
	e->before = test->recorded.executions;
	sl_forecast_release(&forecast);
}

/* The schedule of a replay file. Returns the exit status, or -1. */
static int
try_earlier(struct sl_exploration *e, struct tested *test, const struct sl_change *change,
	    const struct sl_earlier *earlier, size_t i, struct telling *t, struct sl_err *err)
{
	struct sl_earlier_told *told = &t->earlier[t->told.earlier_count];
	static struct sl_mapping mapping;
	int status = SL_EXIT_CLEAN;

	mapping = (struct sl_mapping){0};
	test->earlier = &earlier->replays[i];
	test->to = earlier->to[i];
	test->mapping = &mapping;
	e->settings.strategy = sl_strategy_guided.name;
	e->settings.stateful = 0;
	e->settings.jobs = 1;
	e->settings.limit.schedules = 1;
	e->settings.compare = SL_COMPARE_OFF; /* it is asked at operations that are no points of choice */
	e->settings.tape = NULL;
	e->argv = earlier->replays[i].argv;
	if (sl_exploration_find(e, err) < 0 || sl_exploration_run(e, err) < 0)
		return -1;
	*told = (struct sl_earlier_told){.path = earlier->paths[i], .fails = e->session.arena->case_count > 0};
	t->told.earlier_count++;
	if (mapping.lost)
		snprintf(told->lost, sizeof(told->lost), "%s", mapping.first);
	if (told->fails)
		status = conclude(e, test, change, t);
	sl_exploration_release(e);
	test->earlier = NULL;
	test->mapping = NULL;
	return status;
}

static int
try_all_earlier(const struct sl_exploration *template, struct tested *test, const struct sl_change *change,
		struct telling *t, struct sl_err *err)
{
	static struct sl_exploration e;
	struct sl_earlier earlier;
	int status = SL_EXIT_CLEAN;

	sl_earlier_find(&earlier, change, &test->program, template->argv);
	for (size_t i = 0; i < earlier.count && !sl_session_was_interrupted() &&
			   (status == SL_EXIT_CLEAN || template->settings.keep_going);
	     i++) {
		int one;

		e = *template;
		e.command = NULL;
		one = try_earlier(&e, test, change, &earlier, i, t, err);
		if (one < 0) {
			status = -1;
			break;
		}
		status = worse(status, one);
	}
	if (earlier.others && !template->settings.quiet)
		fprintf(stderr, "note: %zu replay file%s of this program with other arguments %s not tried\n",
			earlier.others, earlier.others == 1 ? "" : "s", earlier.others == 1 ? "was" : "were");
	if (earlier.more && !template->settings.quiet)
		fprintf(stderr,
			"note: there are more than %d replay files of this program; the others were not tried\n",
			SL_EARLIER_MAX);
	for (size_t i = 0; i < t->told.earlier_count; i++) { /* the files are forgotten now */
		t->earlier[i].path = strdup(t->earlier[i].path);
		if (!t->earlier[i].path)
			abort();
	}
	sl_earlier_release(&earlier);
	return status;
}

/* What is the same for all programs. */
struct regression {
	struct sl_change change;
	struct sl_settings settings;
	struct sl_suppressions *suppressions;
	char **command, **words;        /* all of the command line; the program and its arguments, or patterns */
	char *runs;                     /* the folder for files of runs */
	struct sl_exploration *resumed; /* the run that is resumed; NULL: it is a new one */
};

/* Explores one program; returns the exit status, or -1. */
static int
explore(const struct regression *r, size_t number, struct sl_err *err)
{
	const struct sl_change *change = &r->change;
	const struct sl_settings *settings = &r->settings;
	static struct sl_exploration e;
	static struct telling t;
	char *alone[] = {change->built->new.names[number], NULL};
	struct tested test = {.settings = settings};
	char lacks[512];
	int status;

	if (sl_program_change_find(&test.program, change, number, err) < 0)
		return -1;
	e = (struct sl_exploration){.settings = *settings,
				    .self = "regress",
				    .argv = change->arguments ? r->words : alone,
				    .path = test.program.new,
				    .directory = test.program.cwd,
				    .out = settings->json ? stderr : stdout,
				    .suppressions = r->suppressions,
				    .runs = r->runs,
				    .file = {.fd = -1},
				    .prepare = prepare,
				    .data = &test};
	if (sl_program_change_lacks(&test.program, lacks, sizeof(lacks)) &&
	    (settings->change.prioritise == SL_HEURISTIC_FA || settings->change.prioritise == SL_HEURISTIC_FS)) {
		sl_program_change_release(&test.program);
		return sl_err_set(err, "--prioritise=%s needs the members and variables that are impacted: %s",
				  settings->change.prioritise == SL_HEURISTIC_FA ? "FA" : "FS", lacks);
	}
	if (test.program.strange && !settings->quiet)
		sl_say(e.out,
		       "note: %s and %s have no file and no function but main() in common: are they versions of one program?\n",
		       sl_point_path(test.program.old, test.program.cwd), test.program.name);
	t.told = (struct sl_change_told){0};
	told_init(&t.told, &test, change, t.lacks, t.others, sizeof(t.lacks));
	t.told.earlier = t.earlier;
	if (!test.program.points.count && r->resumed) {
		sl_program_change_release(&test.program);
		return sl_err_set(err, "the versions have changed since: start a new run, without --resume");
	}
	if (!test.program.points.count && !*test.program.points.without_sites) {
		status = tell_unimpacted(&e, &test, change, &t.told);
		sl_program_change_release(&test.program);
		return status;
	}
	if (change->arguments)
		e.command = r->command;
	if (r->resumed) { /* what was found by replay files was told then */
		e.file = r->resumed->file;
		e.origin = r->resumed->origin;
		status = SL_EXIT_CLEAN;
	} else {
		status = try_all_earlier(&e, &test, change, &t, err);
		if (status == SL_EXIT_CLEAN && predicts(&test, settings))
			predict(&e, &test, &t);
	}
	if (status == SL_EXIT_CLEAN || (status > 0 && settings->keep_going)) {
		int one = -1;

		if (sl_exploration_find(&e, err) == 0 && sl_exploration_run(&e, err) == 0) {
			one = conclude(&e, &test, change, &t);
			sl_exploration_release(&e);
		}
		status = one < 0 ? -1 : worse(status, one);
	}
	for (size_t i = 0; i < t.told.earlier_count; i++)
		free((char *)(uintptr_t)t.earlier[i].path);
	free(test.recorded.marks);
	sl_program_change_release(&test.program);
	return status;
}

/* The versions, and what was done about each program. Returns the exit status. */
static int
test_all(struct regression *r)
{
	const struct sl_settings *settings = &r->settings;
	struct sl_err err = {""};
	int status = sl_change_open(&r->change, "regress", settings, r->words, &err);

	if (status) {
		if (settings->json)
			print_undecided(settings, r->words[0], err.text);
		return status;
	}
	if (!settings->quiet) {
		char text[512];

		sl_change_format(&r->change, text, sizeof(text));
		sl_say(settings->json ? stderr : stdout, "change: %s\n", text);
		fflush(stdout);
	}
	for (size_t i = 0; i < r->change.built->new.program_count && !sl_session_was_interrupted(); i++) {
		int one = explore(r, i, &err);

		if (one < 0) {
			sl_say(stderr, "sleave regress: %s: %s\n", r->change.built->new.names[i], err.text);
			if (settings->json)
				print_undecided(settings, r->change.built->new.names[i], err.text);
			one = SL_EXIT_UNDECIDED;
		}
		status = worse(status, one);
	}
	sl_change_release(&r->change);
	return status;
}

int
sl_command_regress(int argc, char **argv)
{
	static struct regression r;
	static struct sl_exploration resumed;
	struct sl_settings *settings = &r.settings;
	struct sl_err err = {""};
	int first = sl_options_parse(settings, SL_FOR_REGRESS, argc, argv, &err), status = 0;

	if (first == 0) {
		help();
		return SL_EXIT_CLEAN;
	}
	if (first > 0 && settings->change.clean)
		return sl_change_clean("regress", settings);
	if (first > 0 && first == argc && !settings->resume)
		first = sl_err_set(&err, "no program is given");
	else if (first > 0 && first < argc && settings->resume && strpbrk(argv[first], "*?["))
		first = sl_err_set(&err, "--resume is for one program, not for a pattern");
	r.command = argv;
	r.words = argv + (first > 0 ? first : 0);
	if (first > 0 && settings->resume) {
		status = take_over(&resumed, settings, &r.words, &err);
		r.resumed = &resumed;
		r.command = resumed.command;
	}
	if (status < 0) {
		sl_say(stderr, "sleave regress: %s\n", err.text);
		if (settings->json)
			print_undecided(settings, r.words[0], err.text);
		return SL_EXIT_UNDECIDED;
	}
	if (first < 0 || status > 0 || settle(settings, &err) < 0 ||
	    sl_settings_read_schedule(settings, &err) < 0 ||
	    (settings->suppressions && sl_suppressions_read(settings->suppressions, &r.suppressions, &err) < 0)) {
		sl_say(stderr, "sleave regress: %s (sleave regress --help)\n", err.text);
		return SL_EXIT_USAGE;
	}
	r.runs = sl_change_runs(settings);
	status = test_all(&r);
	free(r.runs);
	sl_suppressions_free(r.suppressions);
	return status;
}
