/*
 * `sleave run`: explores the interleavings of a program.
 */
#include "base/trust.h"
#include "cli/command/commands.h"
#include "cli/paths/pathfinder.h"
#include "cli/result/exploration.h"
#include "cli/result/visit.h"
#include "cli/session/impacted.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TIME_DEFAULT 10000000000u
#define PATHS "paths" /* this search is led from outside of the program */

static void
help(void)
{
	puts("usage: sleave run [OPTION…] PROGRAM [ARGUMENT…]\n"
	     "       sleave run --resume[=FILE] [OPTION…] [PROGRAM [ARGUMENT…]]\n"
	     "\n"
	     "Runs the program (built with `sleave cc`) again and again, each time with another interleaving of its\n"
	     "threads, until something goes wrong: a failed assertion, a crash, a deadlock, a data race, an exit status\n"
	     "that is not 0. Then it reports the finding and writes PROGRAM-N.sleave for `sleave replay`.\n"
	     "\n"
	     "options:");
	sl_options_print(stdout, SL_FOR_RUN);
	puts("\nstrategies:");
	for (const struct sl_strategy *const *s = sl_strategies; *s; s++)
		printf("  %-24s %s\n", (*s)->name, (*s)->summary);
	printf("  %-24s %s\n", PATHS,
	       "one execution for each way the schedule can steer the branches, as `sleave paths`");
	puts("\nCtrl-C ends the search and keeps what was found; a second Ctrl-C ends `sleave run` at once.\n"
	     "Exit status: 0 nothing found, 1 a finding, 2 wrong usage, 3 Sleave could not do its job.");
}

static int
impacted(struct sl_arena *arena, void *data, struct sl_err *err)
{
	const struct sl_exploration *e = data;

	sl_impacted_prioritise(&arena->impact, &e->settings);
	if (!e->settings.change.impacted)
		return 0;
	return sl_impacted_read(&arena->impact, e->settings.change.impacted, e->program, err);
}

static int
finish(struct sl_exploration *e, uint64_t began)
{
	struct sl_summary summary;
	bool visit = e->visit.visit.number;

	sl_exploration_judge(e, &summary);
	if (e->scout) {
		summary.paths = sl_pathfinder_tell(e->scout->data);
		summary.strategy = PATHS;
	}
	summary.hint = summary.hint && !visit;
	if (!visit || summary.verdict != SL_VERDICT_CLEAN || summary.warning_count || summary.unaided ||
	    summary.not_seen_count)
		sl_verdict_print(e->out, &e->results.style, &summary);
	if (visit)
		sl_visit_report(&summary, sl_nanoseconds() - began);
	return sl_exploration_end(e, &summary);
}

int
sl_command_run(int argc, char **argv)
{
	static struct sl_exploration e = {.self = "run", .file = {.fd = -1}, .prepare = impacted, .data = &e};
	static struct sl_pathfinder pathfinder;
	struct sl_err err = {""};
	uint64_t began = sl_nanoseconds();
	int first = sl_options_parse(&e.settings, SL_FOR_RUN, argc, argv, &err), status;

	if (first == 0) {
		help();
		return SL_EXIT_CLEAN;
	}
	sl_visit_take(&e.visit);
	if (first > 0 && first == argc && !e.settings.resume)
		first = sl_err_set(&err, "no program is given");
	e.command = argv;
	e.argv = argv + (first > 0 ? first : 0);
	status = first > 0 && e.settings.resume ? sl_exploration_take_over(&e, SL_FOR_RUN, &err) : 0;
	if (status < 0) {
		fprintf(stderr, "sleave run: %s\n", err.text);
		return SL_EXIT_UNDECIDED;
	}
	if (first > 0 && strcmp(e.settings.strategy, PATHS) == 0) {
		sl_pathfinder_init(&pathfinder, SL_PATH_BRANCH);
		e.scout = &pathfinder.scout;
		e.settings.strategy = sl_strategy_script.name;
		e.command = NULL; /* it can't be resumed */
	}
	if (first < 0 || status > 0 || sl_exploration_check(&e.settings, SL_FOR_RUN, &err) < 0 ||
	    sl_settings_read_schedule(&e.settings, &err) < 0 ||
	    (e.settings.suppressions &&
	     sl_suppressions_read(e.settings.suppressions, &e.suppressions, &err) < 0)) {
		fprintf(stderr, "sleave run: %s (sleave run --help)\n", err.text);
		return SL_EXIT_USAGE;
	}
	if (!e.settings.limit.time && !e.settings.limit.schedules)
		e.settings.limit.time = TIME_DEFAULT;
	e.out = e.settings.json ? stderr : stdout;
	status = sl_exploration_find(&e, &err);
	if (status == 0)
		status = sl_exploration_run(&e, &err);
	if (status == 0)
		status = finish(&e, began);
	sl_suppressions_free(e.suppressions);
	sl_pathfinder_release(&pathfinder);
	if (status < 0) {
		fprintf(stderr, "sleave run: %s\n", err.text);
		if (e.settings.json) {
			struct sl_summary summary = {.verdict = SL_VERDICT_UNDECIDED,
						     .search.bound = -1,
						     .program = e.argv[0],
						     .strategy = e.settings.strategy,
						     .reason = err.text,
						     .seed = e.settings.seed};

			sl_json_print(stdout, &summary);
		}
		return SL_EXIT_UNDECIDED;
	}
	return status;
}
