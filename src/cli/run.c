/*
 * `sleave run`: explores the interleavings of a program.
 */
#include "cli/commands.h"
#include "cli/live.h"
#include "cli/results.h"
#include "cli/session.h"
#include "cli/target.h"
#include "trace/replay.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TIME_DEFAULT 10000000000u

/* One run; several sessions if the world has to change. */
struct run {
	struct sl_settings settings;
	struct sl_target target;
	char program[PATH_MAX], cwd[PATH_MAX];
	char **argv;
	int input;
	struct sl_session session;
	struct sl_results results;
	struct sl_live live;
	FILE *out;
	bool other_world; /* this world will not do */
	struct sl_suppressions *suppressions;
};

static void
help(void)
{
	puts("usage: sleave run [OPTION…] PROGRAM [ARGUMENT…]\n"
	     "\n"
	     "Runs the program (built with `sleave cc`) again and again, each time with another interleaving of its\n"
	     "threads, until something goes wrong: an assertion, a crash, a deadlock, a data race, an exit status that\n"
	     "is not 0. Then it tells the story and writes PROGRAM-N.sleave for `sleave replay`.\n"
	     "\n"
	     "options:");
	sl_options_print(stdout, SL_FOR_RUN);
	puts("\nstrategies:");
	for (const struct sl_strategy *const *s = sl_strategies; *s; s++)
		printf("  %-24s %s\n", (*s)->name, (*s)->summary);
	puts("\nCtrl-C ends the search and keeps what was found; twice: at once.\n"
	     "Exit status: 0 nothing found, 1 a finding, 2 wrong usage, 3 Sleave could not do its job.");
}

static int
check_preemptions(const struct sl_settings *settings, struct sl_err *err)
{
	if (settings->preemptions == UINT64_MAX || !strcmp(settings->strategy, "dpor") ||
	    !strcmp(settings->strategy, "icb"))
		return 0;
	return sl_err_set(err, "--preemptions is for --strategy=dpor and --strategy=icb; %s has no such bound",
			  settings->strategy);
}

static int
check_strategy(const char *name, struct sl_err *err)
{
	const char *names[32] = {0}, *near;
	char all[256] = "";
	size_t count = 0, used = 0;

	if (sl_strategy_find(name))
		return 0;
	for (; count < 31 && sl_strategies[count]; count++) {
		names[count] = sl_strategies[count]->name;
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s", count ? ", " : "", names[count]);
	}
	near = sl_nearest(name, names);
	if (near)
		return sl_err_set(err, "there is no strategy '%s'; did you mean '%s'? There are: %s", name, near,
				  all);
	return sl_err_set(err, "there is no strategy '%s'; there are: %s", name, all);
}

/* Equal schedules, different executions: then the state that they begin from is not restored as it should be. */
static bool
is_world_wrong(const struct run *run)
{
	const struct sl_arena *a = run->session.arena;

	if (run->settings.world != SL_WORLD_AUTO || run->results.world == SL_WORLD_EXEC ||
	    run->results.finding_count)
		return false;
	for (uint32_t i = 0; i < a->config.workers; i++)
		if (a->workers[i].diverged)
			return true;
	for (uint32_t i = 0; i < a->case_count && i < SL_FINDINGS_MAX; i++)
		if (__atomic_load_n(&a->cases[i].ready, __ATOMIC_ACQUIRE) && !a->cases[i].confirmed &&
		    !a->cases[i].warning)
			return true;
	return false;
}

static bool
tick(void *data)
{
	struct run *run = data;

	if (is_world_wrong(run)) {
		run->other_world = true;
		return false;
	}
	if (sl_results_wait(&run->results)) {
		sl_live_wipe(&run->live);
		sl_results_tell(&run->results, false);
	}
	sl_live_draw(&run->live, run->session.arena);
	return true;
}

/* One search in one world. The session and the results are to be released unless it failed. */
static int
search(struct run *run, uint32_t world, struct sl_err *err)
{
	struct sl_session *s = &run->session;
	struct sl_results *r = &run->results;

	if (sl_session_init(s, &run->settings, err) < 0)
		return -1;
	s->arena->config.world = world;
	s->program = run->target.path;
	s->argv = run->argv;
	s->input = run->input;
	s->tick = tick;
	s->data = run;
	sl_results_init(r, s->arena);
	r->out = run->out;
	r->style = sl_style_for(run->out, run->settings.colour);
	r->program = run->program;
	r->argv = run->argv;
	r->cwd = run->cwd;
	r->output = run->settings.output;
	r->suppressions = run->suppressions;
	r->first_only = !run->settings.keep_going;
	run->other_world = false;
	if ((!run->target.linked && sl_session_preload(s, err) < 0) ||
	    sl_build_id(run->program, r->build_id, sizeof(r->build_id), err) < 0 || sl_session_run(s, err) < 0) {
		sl_results_release(r);
		sl_session_release(s);
		return -1;
	}
	sl_live_wipe(&run->live);
	run->other_world = !s->interrupts && (run->other_world || is_world_wrong(run));
	return 0;
}

static int
finish(struct run *run)
{
	struct sl_summary summary;
	const char *reason = NULL;

	if (!run->session.arena->has_control && run->session.said[0])
		reason = run->session.said;
	else
		sl_results_tell(&run->results, true);
	sl_results_judge(&run->results, &summary, reason, run->session.interrupts > 0);
	sl_verdict_print(run->out, &run->results.style, &summary);
	if (run->suppressions)
		sl_suppressions_print(run->out, &run->results.style, run->suppressions);
	if (summary.verdict == SL_VERDICT_FINDING && run->results.troubled)
		fprintf(run->out, "note: the search ended early: %s\n", run->results.reason);
	if (run->session.arena->no_dispatch)
		fputs("note: this kernel can't catch system calls that do not come through libc (it takes Linux 5.11): if the "
		      "program makes any, they were not noticed\n",
		      run->out);
	fflush(run->out);
	if (run->settings.json)
		sl_json_print(stdout, &summary);
	fflush(stdout);
	return sl_verdict_status(summary.verdict);
}

static int
explore(struct run *run, struct sl_err *err)
{
	uint32_t world = run->settings.world == SL_WORLD_AUTO ? SL_WORLD_MEMORY : (uint32_t)run->settings.world;
	int status;

	sl_live_init(&run->live, run->settings.quiet || run->settings.show_output);
	for (;; world++) {
		if (search(run, world, err) < 0)
			return -1;
		if (!run->other_world)
			break;
		if (!run->settings.quiet)
			fprintf(stderr,
				"note: %s does not bring back the state that the program begins with (files? children?); "
				"starting over with --world=%s\n",
				world == SL_WORLD_MEMORY ? "restoring memory" : "forking",
				world == SL_WORLD_MEMORY ? "fork" : "exec");
		sl_results_release(&run->results);
		sl_session_release(&run->session);
	}
	status = finish(run);
	sl_results_release(&run->results);
	sl_session_release(&run->session);
	return status;
}

int
sl_command_run(int argc, char **argv)
{
	static struct run run;
	struct sl_err err = {""};
	int first = sl_options_parse(&run.settings, SL_FOR_RUN, argc, argv, &err), status;

	if (first == 0) {
		help();
		return SL_EXIT_CLEAN;
	}
	if (first > 0 && first == argc)
		first = sl_err_set(&err, "which program?");
	if (first < 0 || check_strategy(run.settings.strategy, &err) < 0 ||
	    check_preemptions(&run.settings, &err) < 0 ||
	    (run.settings.suppressions &&
	     sl_suppressions_read(run.settings.suppressions, &run.suppressions, &err) < 0)) {
		fprintf(stderr, "sleave run: %s (sleave run --help)\n", err.text);
		return SL_EXIT_USAGE;
	}
	if (!run.settings.time && !run.settings.schedules)
		run.settings.time = TIME_DEFAULT;
	run.argv = argv + first;
	run.out = run.settings.json ? stderr : stdout;
	if (sl_target_check(run.argv[0], run.settings.sync_only, &run.target, &err) < 0) {
		status = -1;
	} else if (run.settings.sync_only && run.target.instrumented) {
		status = sl_err_set(
			&err,
			"%s was built with `sleave cc`, so that its accesses can be seen: leave --sync-only out",
			run.target.path);
	} else if (!realpath(run.target.path, run.program) || !getcwd(run.cwd, sizeof(run.cwd))) {
		status = sl_err_set(&err, "cannot find out where %s is: %s", run.target.path, strerror(errno));
	} else {
		mkdir(run.settings.output, 0777); /* if that fails, so will writing to it, with a message */
		run.input = sl_input_copy(run.settings.quiet);
		status = explore(&run, &err);
	}
	sl_suppressions_free(run.suppressions);
	if (status < 0) {
		fprintf(stderr, "sleave run: %s\n", err.text);
		if (run.settings.json) {
			struct sl_summary summary = {.verdict = SL_VERDICT_UNDECIDED,
						     .bound = -1,
						     .program = run.argv[0],
						     .strategy = run.settings.strategy,
						     .reason = err.text,
						     .seed = run.settings.seed};

			sl_json_print(stdout, &summary);
		}
		return SL_EXIT_UNDECIDED;
	}
	return status;
}
