/*
 * `sleave paths`: one execution for each combination of paths that the schedule can lead the threads into.
 */
#include "cli/command/commands.h"
#include "cli/paths/pathfinder.h"
#include "cli/result/exploration.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TIME_DEFAULT 10000000000u

static void
help(void)
{
	puts("usage: sleave paths [OPTION…] PROGRAM [ARGUMENT…]\n"
	     "\n"
	     "Runs the program once for each combination of paths that the schedule can lead its threads into. From each execution\n"
	     "it learns what the threads do, and computes which other schedules would let a thread observe something that affects a\n"
	     "branch; these are run, and no others.\n"
	     "\n"
	     "options:");
	sl_options_print(stdout, SL_FOR_PATHS);
	puts("\nExit status: 0 nothing found, 1 a finding, 2 wrong usage, 3 Sleave could not do its job.");
}

static int
finish(struct sl_exploration *e, struct sl_pathfinder *p)
{
	struct sl_summary summary;

	sl_exploration_judge(e, &summary);
	summary.paths = sl_pathfinder_tell(p);
	summary.strategy = "paths";
	if (p->flow)
		sl_path_branches_print(&p->branches, p->names, e->out, &e->results.style);
	sl_verdict_print(e->out, &e->results.style, &summary);
	return sl_exploration_end(e, &summary);
}

int
sl_command_paths(int argc, char **argv)
{
	static struct sl_exploration e = {.self = "paths", .file = {.fd = -1}};
	static struct sl_pathfinder p;
	struct sl_err err = {""};
	int first = sl_options_parse(&e.settings, SL_FOR_PATHS, argc, argv, &err), status;

	if (first == 0) {
		help();
		return SL_EXIT_CLEAN;
	}
	if (first > 0 && first == argc)
		first = sl_err_set(&err, "no program is given");
	e.argv = argv + (first > 0 ? first : 0);
	e.settings.strategy = sl_strategy_script.name;
	e.settings.jobs = 1;
	e.settings.keep_going = 1;
	if (first < 0 || (e.settings.suppressions &&
			  sl_suppressions_read(e.settings.suppressions, &e.suppressions, &err) < 0)) {
		fprintf(stderr, "sleave paths: %s (sleave paths --help)\n", err.text);
		return SL_EXIT_USAGE;
	}
	if (!e.settings.limit.time && !e.settings.limit.schedules)
		e.settings.limit.time = TIME_DEFAULT;
	e.out = e.settings.json ? stderr : stdout;
	sl_pathfinder_init(&p, (enum sl_path_method)e.settings.paths.method);
	p.table = true;
	p.options.states = e.settings.paths.states;
	e.scout = &p.scout;
	status = sl_exploration_find(&e, &err);
	if (status == 0)
		status = sl_exploration_run(&e, &err);
	if (status == 0)
		status = finish(&e, &p);
	sl_pathfinder_release(&p);
	sl_suppressions_free(e.suppressions);
	if (status < 0) {
		fprintf(stderr, "sleave paths: %s\n", err.text);
		return SL_EXIT_UNDECIDED;
	}
	return status;
}
