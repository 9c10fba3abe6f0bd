/*
 * `sleave run`: explores the interleavings of a program.
 */
#include "base/trust.h"
#include "cli/command/commands.h"
#include "cli/result/results.h"
#include "cli/result/visit.h"
#include "cli/session/impacted.h"
#include "cli/session/live.h"
#include "cli/session/recording.h"
#include "cli/session/resume.h"
#include "cli/session/session.h"
#include "cli/session/target.h"
#include "report/quote.h"
#include "schedule/schedule.h"
#include "trace/replay/replay_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
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
	struct sl_recording recording;
	struct sl_live live;
	FILE *out;
	bool other_world; /* this world does not restore the state */
	char build_id[72];
	uint64_t began;
	char **command;           /* the command line of this run */
	struct sl_run_file file;  /* of the run to resume; fd -1: none */
	struct sl_origin *origin; /* of that run */
	struct sl_suppressions *suppressions;
	uint64_t earlier;       /* executions in worlds that did not restore the state */
	uint64_t searching;     /* since when, in the first of them (CLOCK_MONOTONIC, ns) */
	bool complete;          /* everything has been run */
	struct sl_config visit; /* only its members about one run of a section, if only that is explored */
};

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
	puts("\nCtrl-C ends the search and keeps what was found; a second Ctrl-C ends `sleave run` at once.\n"
	     "Exit status: 0 nothing found, 1 a finding, 2 wrong usage, 3 Sleave could not do its job.");
}

static int
check_seen(const struct sl_settings *settings, struct sl_err *err)
{
	if (!settings->sync_only || !sl_strategy_find(settings->strategy)->traits.needs_accesses)
		return 0;
	return sl_err_set(
		err, "%s needs to see accesses to memory, and with --sync-only they are not seen: use icb or dfs",
		settings->strategy);
}

static int
check_preemptions(const struct sl_settings *settings, struct sl_err *err)
{
	const struct sl_strategy *strategy = sl_strategy_find(settings->strategy);

	if (settings->limit.preemptions == UINT64_MAX)
		return 0;
	if (strategy->traits.shares && settings->jobs > 1)
		return sl_err_set(err, "%s with --preemptions searches in one process only: leave --jobs out",
				  strategy->name);
	if (strategy->traits.bounded)
		return 0;
	return sl_err_set(err, "--preemptions is for --strategy=dpor and --strategy=icb; %s has no such bound",
			  settings->strategy);
}

/* --stateful has two orders, and needs an engine that can go back to the middle of an execution. */
static int
check_stateful(struct sl_settings *s, struct sl_err *err)
{
	const char *order = s->strategy == sl_options_default_strategy ? NULL : s->strategy;
	const struct sl_strategy *through = sl_strategy_find_stateful(order);

	if (!s->stateful)
		return through && order && !sl_strategy_find(order)
			       ? sl_err_set(err, "%s searches through states: use --stateful --strategy=%s", order,
					    order)
			       : 0;
	if (!through)
		return sl_err_set(err, "--stateful is for --strategy=dfs and --strategy=bfs, not for %s",
				  s->strategy);
	if (s->jobs > 1)
		return sl_err_set(err, "--stateful searches in one process only: leave --jobs out");
	if (s->carrier != SL_CARRIER_FIBER || (s->world != SL_WORLD_AUTO && s->world != SL_WORLD_MEMORY))
		return sl_err_set(err, "--stateful needs --carrier=fiber and --world=memory");
	s->strategy = through->name;
	s->world = SL_WORLD_MEMORY;
	return 0;
}

static bool
tick(void *data)
{
	struct run *run = data;

	if (sl_results_is_world_wrong(&run->results, run->settings.world)) {
		run->other_world = true;
		return false;
	}
	if (sl_results_wait(&run->results)) {
		sl_live_wipe(&run->live);
		sl_results_tell(&run->results, false);
	}
	sl_results_write_early(&run->results);
	sl_live_draw(&run->live, run->session.arena);
	return true;
}

/* A new arena, or that of the run to resume. */
static int
open_session(struct run *run, uint32_t world, struct sl_err *err)
{
	struct sl_run_name name = {.program = run->program,
				   .cwd = run->cwd,
				   .build_id = run->build_id,
				   .command = run->command,
				   .argv = run->argv,
				   .input = run->input};
	struct sl_session *s = &run->session;
	uint64_t left = 0;
	char number[32];
	int result;

	if (run->file.fd >= 0) {
		result = sl_session_resume(s, &run->settings, &run->file, err);
		if (result == 0)
			s->environment = sl_origin_environment(run->origin);
		if (result == 0 && !run->settings.quiet)
			fprintf(stderr, "note: resuming after %s execution%s\n",
				sl_count_format(s->arena->total, number), s->arena->total == 1 ? "" : "s");
		run->file.fd = -1;
		return result;
	}
	result = run->visit.visit.number ? sl_session_init(s, &run->settings, err)
					 : sl_session_init_lasting(s, &run->settings, &name, &left, err);
	if (result < 0)
		return -1;
	s->arena->config.visit.number = run->visit.visit.number;
	s->arena->config.visit.schedule = run->visit.visit.schedule;
	s->arena->config.visit.line = run->visit.visit.line;
	s->arena->config.world = world;
	s->arena->config.renews = 1;
	sl_impacted_prioritise(&s->arena->impact, &run->settings);
	if (run->settings.change.impacted &&
	    sl_impacted_read(&s->arena->impact, run->settings.change.impacted, run->program, err) < 0) {
		sl_session_release(s);
		return -1;
	}
	if (left && !run->settings.quiet)
		fprintf(stderr,
			"note: this is a new run; an earlier run of the same command was killed after %s execution%s and can be "
			"resumed: sleave run --resume\n",
			sl_count_format(left, number), left == 1 ? "" : "s");
	return 0;
}

/* One search in one world. The session and the results are to be released unless it failed. */
static int
search(struct run *run, uint32_t world, struct sl_err *err)
{
	struct sl_session *s = &run->session;
	struct sl_results *r = &run->results;

	if (open_session(run, world, err) < 0)
		return -1;
	s->program = run->program; /* by the name that a replay has: it lies on the program's stack */
	s->argv = run->argv;
	s->input = run->input;
	s->tick = tick;
	s->data = run;
	s->arena->config.limit.in_time = sl_options_given(&run->settings, SL_FOR_RUN, "time");
	if (!run->searching)
		run->searching = s->arena->started;
	else if (s->arena->config.limit.in_time)
		sl_session_began(s, run->searching);
	sl_results_init(r, s->arena);
	r->out = run->out;
	r->style = sl_style_for(run->out, run->settings.colour);
	r->program = run->program;
	r->argv = run->argv;
	r->cwd = run->cwd;
	r->environment = s->environment;
	r->output = run->settings.output;
	r->suppressions = run->suppressions;
	r->earlier = run->earlier;
	r->first_only = !run->settings.keep_going;
	run->other_world = false;
	sl_text_cut(r->build_id, sizeof(r->build_id), run->build_id);
	run->recording = (struct sl_recording){.file = run->settings.tape,
					       .program = run->program,
					       .cwd = run->cwd,
					       .build_id = run->build_id,
					       .argv = run->argv};
	if ((!run->target.linked && sl_session_preload(s, err) < 0) ||
	    sl_recording_begin(&run->recording, s->arena, err) < 0 || sl_session_run(s, err) < 0 ||
	    sl_recording_end_search(&run->recording, s, err) < 0) {
		sl_recording_end(&run->recording, err->text, &(struct sl_err){""});
		sl_results_release(r);
		sl_session_release(s);
		return -1;
	}
	sl_live_wipe(&run->live);
	s->environment = NULL;
	run->other_world = !s->interrupts &&
			   (run->other_world || sl_results_is_world_wrong(&run->results, run->settings.world));
	return 0;
}

/* Returns whether a run that ends now can be resumed with more to do. */
static bool
is_unfinished(const struct run *run)
{
	const struct sl_arena *a = run->session.arena;
	bool more = false;

	if (!a->origin.resumable || run->complete || (run->results.first_only && run->results.finding_count))
		return false;
	for (uint32_t i = 0; i < a->case_count && i < SL_FINDINGS_MAX; i++)
		if (sl_case_ends_search(a, &a->cases[i]))
			return false;
	for (uint32_t i = 0; i < a->config.workers; i++) {
		const struct sl_worker *w = &a->workers[i];

		if (w->compare.diverged || (w->trouble.kind && w->trouble.kind != SL_TROUBLE_KILLED))
			return false;
		if (!a->program.has_control && !w->trouble.kind)
			return false;
		more = more || !w->progress.over || w->marks.search != a->marks.count;
	}
	return more;
}

static void
tell_how_to_go_on(const struct run *run)
{
	const struct sl_arena *a = run->session.arena;

	fputs("to resume: sleave run --resume", run->out);
	if (a->config.limit.executions && a->total >= a->config.limit.executions)
		fprintf(run->out, " -n %" PRIu64, 2 * a->config.limit.executions);
	fputc(' ', run->out);
	sl_words_put(run->out, run->argv);
	fputc('\n', run->out);
}

static int
finish(struct run *run)
{
	struct sl_summary summary;
	const char *reason = NULL;

	if (!run->session.arena->program.has_control && run->session.said[0])
		reason = run->session.said;
	else
		sl_results_tell(&run->results, true);
	run->results.given_up = run->session.given_up;
	run->results.stuck_pc = run->session.stuck_pc;
	sl_results_judge(&run->results, &summary, reason, run->session.interrupts > 0);
	run->complete = summary.search.complete;
	summary.verbose = run->settings.verbose;
	summary.hint = !summary.verbose && summary.executions != summary.interleavings && !run->visit.visit.number;
	if (!run->visit.visit.number || summary.verdict != SL_VERDICT_CLEAN || summary.warning_count ||
	    summary.unaided || summary.not_seen_count)
		sl_verdict_print(run->out, &run->results.style, &summary);
	if (run->visit.visit.number)
		sl_visit_report(&summary, sl_nanoseconds() - run->began);
	if (run->suppressions)
		sl_suppressions_print(run->out, &run->results.style, run->suppressions);
	if (summary.verdict == SL_VERDICT_FINDING && run->results.troubled)
		sl_say(run->out, "note: the search ended early: %s\n", run->results.reason);
	if (run->session.arena->program.no_dispatch)
		fputs("note: this kernel cannot intercept system calls that do not go through libc (Linux 5.11 can): if the "
		      "program makes any, they were not noticed\n",
		      run->out);
	if (is_unfinished(run) && !run->settings.quiet)
		tell_how_to_go_on(run);
	if (run->settings.tape && !run->settings.quiet)
		sl_recording_print(&run->recording, run->out);
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
		world = run->results.world;
		if (!run->other_world)
			break;
		if (!run->settings.quiet)
			fprintf(stderr,
				"note: %s does not restore the program's initial state (did it change files or start processes?); "
				"starting over with --world=%s\n",
				world == SL_WORLD_MEMORY ? "restoring memory" : "forking",
				world == SL_WORLD_MEMORY ? "fork" : "exec");
		for (uint32_t i = 0; i < run->session.arena->config.workers; i++)
			run->earlier += sl_counters_runs(&run->session.arena->workers[i].counters);
		sl_results_release(&run->results);
		sl_session_release(&run->session);
	}
	status = finish(run);
	sl_results_release(&run->results);
	if (is_unfinished(run))
		sl_session_keep(&run->session);
	else
		sl_session_release(&run->session);
	return status;
}

static int
check_origin(struct run *run, struct sl_err *err)
{
	struct sl_run_name name = {.program = run->program,
				   .cwd = run->cwd,
				   .build_id = run->build_id,
				   .input = run->input};
	struct sl_err why = {""};

	if (sl_build_id(run->program, run->build_id, sizeof(run->build_id), err) < 0)
		return -1;
	if (run->origin && sl_origin_check(run->origin, &name, &why) < 0)
		return sl_err_set(err, "%s cannot be resumed: %s", run->file.path, why.text);
	return 0;
}

/* Reads the limits of the run to resume. */
static int
limits_read(struct run *run, struct sl_settings *before, struct sl_err *err)
{
	struct sl_config config;
	uint64_t total;

	if (pread(run->file.fd, &config, sizeof(config), offsetof(struct sl_arena, config)) != sizeof(config) ||
	    pread(run->file.fd, &total, sizeof(total), offsetof(struct sl_arena, total)) != sizeof(total))
		return sl_err_set(err, "cannot read %s: %s", run->file.path, strerror(errno));
	before->limit.schedules = config.limit.executions;
	if (!before->limit.time && run->settings.limit.schedules) /* the user did not give it: it was the default */
		return 0;
	before->limit.time = config.limit.nanoseconds;
	if (run->origin->ended && config.limit.executions && total >= config.limit.executions &&
	    run->settings.limit.schedules <= total)
		return sl_err_set(err,
				  "that run has done its %" PRIu64
				  " executions: raise the limit with -n (executions in all)",
				  total);
	return 0;
}

/* Finds the run to resume, and takes over its settings, its program and its arguments. Negative: not possible; 0: fine;
 * positive: wrong usage. */
static int
take_over(struct run *run, struct sl_err *err)
{
	/* the file's own setting of trust does not count */
	struct sl_run_name name = {.program = run->program,
				   .cwd = run->cwd,
				   .argv = run->argv,
				   .trust = run->settings.trust};
	struct sl_settings before;
	struct sl_err why;
	int count = 0, first;
	char **command;

	if (!getcwd(run->cwd, sizeof(run->cwd)))
		return sl_err_set(err, "cannot determine the current folder: %s", strerror(errno));
	if (run->argv[0] && (sl_target_check(run->argv[0], true, &run->target, err) < 0))
		return -1;
	if (run->argv[0] && !realpath(run->target.path, run->program))
		return sl_err_set(err, "cannot resolve the path of %s: %s", run->target.path, strerror(errno));
	if (sl_run_file_find(&run->file, run->settings.resume, &name, &run->origin, err) < 0)
		return -1;
	if (!name.trust && (sl_origin_trust(run->origin, &why) < 0 ||
			    (!run->argv[0] && sl_trust_path(run->origin->program, &why) < 0)))
		return sl_err_set(err, "%s is not trusted: %s", run->file.path, why.text);
	command = sl_origin_arguments(run->origin);
	while (command[count])
		count++;
	first = sl_options_parse(&before, SL_FOR_RUN, count, command, err);
	if (first <= 0 || first >= count)
		return sl_err_set(err, "%s is damaged", run->file.path);
	if (run->argv[0] && *run->settings.resume && strcmp(run->origin->program, run->program) != 0)
		return sl_err_set(err, "%s is a run of another program: %s", run->file.path, run->origin->program);
	for (int i = 1; run->argv[0] && (command[first + i] || run->argv[i]); i++)
		if (!command[first + i] || !run->argv[i] || strcmp(command[first + i], run->argv[i]) != 0)
			return sl_err_set(err, "%s is a run of %s with other arguments", run->file.path,
					  run->program);
	if (limits_read(run, &before, err) < 0)
		return -1;
	if (sl_options_merge(&run->settings, &before, err) < 0)
		return 1;
	if (before.tape == run->settings.tape) /* the trace of the earlier run was not asked for now */
		run->settings.tape = NULL;
	run->command = command;
	run->argv = command + first;
	return 0;
}

int
sl_command_run(int argc, char **argv)
{
	static struct run run = {.file = {.fd = -1}};
	struct sl_err err = {""};
	int first = sl_options_parse(&run.settings, SL_FOR_RUN, argc, argv, &err), status;

	if (first == 0) {
		help();
		return SL_EXIT_CLEAN;
	}
	run.began = sl_nanoseconds();
	sl_visit_take(&run.visit);
	if (first > 0 && first == argc && !run.settings.resume)
		first = sl_err_set(&err, "no program is given");
	run.command = argv;
	run.argv = argv + (first > 0 ? first : 0);
	status = first > 0 && run.settings.resume ? take_over(&run, &err) : 0;
	if (status < 0) {
		fprintf(stderr, "sleave run: %s\n", err.text);
		return SL_EXIT_UNDECIDED;
	}
	if (first < 0 || status > 0 || check_stateful(&run.settings, &err) < 0 ||
	    sl_settings_check_strategy(run.settings.strategy, NULL, &err) < 0 ||
	    check_seen(&run.settings, &err) < 0 || check_preemptions(&run.settings, &err) < 0 ||
	    sl_settings_read_schedule(&run.settings, &err) < 0 ||
	    (run.settings.suppressions &&
	     sl_suppressions_read(run.settings.suppressions, &run.suppressions, &err) < 0)) {
		fprintf(stderr, "sleave run: %s (sleave run --help)\n", err.text);
		return SL_EXIT_USAGE;
	}
	if (!run.settings.limit.time && !run.settings.limit.schedules)
		run.settings.limit.time = TIME_DEFAULT;
	run.out = run.settings.json ? stderr : stdout;
	if (sl_target_check(run.argv[0], run.settings.sync_only, &run.target, &err) < 0) {
		status = -1;
	} else if (run.settings.sync_only && run.target.instrumented) {
		status = sl_err_set(
			&err,
			"%s was built with `sleave cc`, so its accesses to memory can be seen: leave --sync-only out",
			run.target.path);
	} else if (!realpath(run.target.path, run.program) || !getcwd(run.cwd, sizeof(run.cwd))) {
		status = sl_err_set(&err, "cannot resolve the path of %s: %s", run.target.path, strerror(errno));
	} else {
		mkdir(run.settings.output, 0777); /* if that fails, so will writing to it, with a message */
		run.input = sl_input_copy(run.settings.quiet);
		status = check_origin(&run, &err);
		if (status == 0)
			status = explore(&run, &err);
	}
	sl_suppressions_free(run.suppressions);
	if (status < 0) {
		fprintf(stderr, "sleave run: %s\n", err.text);
		if (run.settings.json) {
			struct sl_summary summary = {.verdict = SL_VERDICT_UNDECIDED,
						     .search.bound = -1,
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
