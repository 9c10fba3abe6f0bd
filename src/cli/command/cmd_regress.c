/*
 * `sleave regress`: after a change of a program, explores first what the change can have broken.
 */
#include "cli/change/change.h"
#include "cli/change/since.h"
#include "cli/command/commands.h"
#include "cli/result/exploration.h"
#include "cli/session/impacted.h"
#include "report/quote.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TIME_DEFAULT 10000000000u
#define UNREACHED_LIMIT                                                                                           \
	100 /* executions after which a program that has come to no impacted point is taken for not impacted */
#define PREEMPTIONS 2 /* of --prioritise, as in the paper */

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
	puts("\nstrategies:\n  regress                  rf, surw, and icb with LOA, MA and FA at impacted operations, and the portfolio, in turns");
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
};

static int
prepare(struct sl_arena *arena, void *data, struct sl_err *err)
{
	const struct tested *test = data;

	if (sl_program_change_fill(&test->program, &arena->impact, err) < 0)
		return -1;
	sl_impacted_prioritise(&arena->impact, test->settings);
	if (!test->program.blind)
		arena->impact.unreached_limit = UNREACHED_LIMIT;
	return 0;
}

/* What the command line leaves open. */
static int
settle(struct sl_settings *s, struct sl_err *err)
{
	bool named = sl_options_given(s, SL_FOR_REGRESS, "strategy");
	bool prioritised = s->change.prioritise != SL_HEURISTIC_BASIC;

	if (sl_change_check(s, err) < 0)
		return -1;
	if (s->stateful && !named)
		s->strategy = sl_options_default_strategy;
	else if (prioritised && !named) {
		s->strategy = sl_strategy_icb.name;
		if (!sl_options_given(s, SL_FOR_REGRESS, "preemptions"))
			s->limit.preemptions = PREEMPTIONS;
	}
	if (s->change.iterations && !prioritised)
		return sl_err_set(err, "--iterations needs --prioritise");
	if (!s->limit.time && !s->limit.schedules)
		s->limit.time = TIME_DEFAULT;
	return sl_exploration_check(s, err);
}

static void
tell(struct sl_exploration *e, struct tested *test, const struct sl_change *change, const struct sl_summary *summary)
{
	if (summary->finding_count > 1 || change->built->new.program_count > 1)
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
	  size_t room)
{
	*told = (struct sl_change_told){.old = change->versions->old.label,
					.new = change->versions->new.label,
					.lines = test->program.points.line_count,
					.fields = test->program.points.field_count,
					.blind = test->program.blind,
					.all_new = !test->program.old};
	if (sl_program_change_lacks(&test->program, lacks, room))
		told->lacks = lacks;
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

/* Explores one program; returns the exit status, or -1. */
static int
explore(const struct sl_change *change, size_t number, const struct sl_settings *settings, char **words,
	struct sl_suppressions *suppressions, struct sl_err *err)
{
	static struct sl_exploration e;
	static enum sl_since since[SL_FINDINGS_MAX];
	static char why[SL_FINDINGS_MAX][512];
	char *alone[] = {change->built->new.names[number], NULL}, lacks[512];
	struct sl_change_told told;
	struct sl_summary summary;
	struct tested test = {.settings = settings};
	int status;

	e = (struct sl_exploration){.settings = *settings,
				    .self = "regress",
				    .argv = change->arguments ? words : alone,
				    .out = settings->json ? stderr : stdout,
				    .suppressions = suppressions,
				    .file = {.fd = -1},
				    .prepare = prepare,
				    .data = &test};
	if (sl_program_change_find(&test.program, change, number, err) < 0)
		return -1;
	told_init(&told, &test, change, lacks, sizeof(lacks));
	if (!test.program.points.count && !test.program.points.without_sites) {
		status = tell_unimpacted(&e, &test, change, &told);
		sl_program_change_release(&test.program);
		return status;
	}
	e.path = test.program.new;
	e.directory = test.program.cwd;
	if (sl_exploration_find(&e, err) < 0 || sl_exploration_run(&e, err) < 0) {
		sl_program_change_release(&test.program);
		return -1;
	}
	sl_exploration_judge(&e, &summary);
	told.reached = sl_program_change_reached(&test.program, &e.session.arena->impact, NULL);
	told.unreached = summary.verdict == SL_VERDICT_CLEAN && !summary.search.complete && !test.program.blind &&
			 !e.session.arena->impact.reached && !e.session.interrupts;
	told.iterations = e.session.arena->workers[0].progress.iterations;
	told.since = since;
	told.why = why;
	summary.change = &told;
	summary.program = test.program.name;
	if (summary.finding_count)
		sl_since_find(&e, &summary, &test.program, since, why);
	tell(&e, &test, change, &summary);
	status = sl_verdict_status(summary.verdict);
	sl_exploration_release(&e);
	sl_program_change_release(&test.program);
	return status;
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

int
sl_command_regress(int argc, char **argv)
{
	static struct sl_settings settings;
	struct sl_suppressions *suppressions = NULL;
	struct sl_change change;
	struct sl_err err = {""};
	int first = sl_options_parse(&settings, SL_FOR_REGRESS, argc, argv, &err), status;

	if (first == 0) {
		help();
		return SL_EXIT_CLEAN;
	}
	if (first > 0 && settings.change.clean)
		return sl_change_clean("regress", &settings);
	if (first > 0 && first == argc)
		first = sl_err_set(&err, "no program is given");
	if (first < 0 || settle(&settings, &err) < 0 || sl_settings_read_schedule(&settings, &err) < 0 ||
	    (settings.suppressions && sl_suppressions_read(settings.suppressions, &suppressions, &err) < 0)) {
		fprintf(stderr, "sleave regress: %s (sleave regress --help)\n", err.text);
		return SL_EXIT_USAGE;
	}
	status = sl_change_open(&change, "regress", &settings, argv + first);
	if (status)
		return status;
	if (!settings.quiet) {
		char text[512];

		sl_change_format(&change, text, sizeof(text));
		sl_say(settings.json ? stderr : stdout, "change: %s\n", text);
	}
	for (size_t i = 0; i < change.built->new.program_count; i++) {
		int one = explore(&change, i, &settings, argv + first, suppressions, &err);

		if (one < 0) {
			sl_say(stderr, "sleave regress: %s: %s\n", change.built->new.names[i], err.text);
			one = SL_EXIT_UNDECIDED;
		}
		status = worse(status, one);
	}
	sl_suppressions_free(suppressions);
	sl_change_release(&change);
	return status;
}
