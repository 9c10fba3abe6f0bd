/*
 * One exploration of a program.
 */
#include "cli/result/exploration.h"

#include "base/trust.h"
#include "cli/result/visit.h"
#include "cli/session/impacted.h"
#include "report/quote.h"
#include "trace/replay/replay_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int
check_seen(const struct sl_settings *settings, struct sl_err *err)
{
	if (!settings->sync_only || !sl_strategy_find(settings->strategy)->traits.needs_accesses)
		return 0;
	return sl_err_set(
		err, "%s needs to see accesses to memory, and with --sync-only they are not seen: use icb or dfs",
		settings->strategy);
}

#define PREEMPTIONS 2 /* with --prioritise, as in the paper */

/* --prioritise is for searches that walk a tree of choices; without --strategy it is icb. */
static int
check_prioritise(struct sl_settings *s, unsigned command, struct sl_err *err)
{
	const struct sl_strategy *strategy;

	if (s->change.prioritise == SL_HEURISTIC_BASIC)
		return s->change.iterations ? sl_err_set(err, "--iterations needs --prioritise") : 0;
	if (!s->stateful && !sl_options_given(s, command, "strategy")) {
		s->strategy = sl_strategy_icb.name;
		if (!sl_options_given(s, command, "preemptions"))
			s->limit.preemptions = PREEMPTIONS;
	}
	strategy = sl_strategy_find(s->strategy);
	if (!strategy || strategy->traits.prioritises)
		return 0;
	return sl_err_set(
		err, "--prioritise is for --strategy=icb, dfs and dpor, and for --stateful; %s has no such order",
		s->strategy);
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

int
sl_exploration_check(struct sl_settings *settings, unsigned command, struct sl_err *err)
{
	return check_stateful(settings, err) < 0 || check_prioritise(settings, command, err) < 0 ||
			       sl_settings_check_strategy(settings->strategy, NULL, err) < 0 ||
			       check_seen(settings, err) < 0 || check_preemptions(settings, err) < 0
		       ? -1
		       : 0;
}

static bool
tick(void *data)
{
	struct sl_exploration *e = data;

	if (sl_results_is_world_wrong(&e->results, e->settings.world)) {
		e->other_world = true;
		return false;
	}
	if (sl_results_wait(&e->results)) {
		sl_live_wipe(&e->live);
		sl_results_tell(&e->results, false);
	}
	sl_results_write_early(&e->results);
	sl_live_draw(&e->live, e->session.arena);
	return true;
}

/* A new arena, or that of the run to resume. */
static int
open_session(struct sl_exploration *e, uint32_t world, struct sl_err *err)
{
	struct sl_run_name name = {.folder = e->runs,
				   .program = e->program,
				   .cwd = e->cwd,
				   .build_id = e->build_id,
				   .command = e->command,
				   .argv = e->argv,
				   .input = e->input};
	struct sl_session *s = &e->session;
	uint64_t left = 0;
	char number[32];
	int result;

	if (e->file.fd >= 0) {
		result = sl_session_resume(s, &e->settings, &e->file, err);
		if (result == 0)
			s->environment = sl_origin_environment(e->origin);
		if (result == 0 && !e->settings.quiet)
			fprintf(stderr, "note: resuming after %s execution%s\n",
				sl_count_format(s->arena->total, number), s->arena->total == 1 ? "" : "s");
		e->file.fd = -1;
		return result;
	}
	result = e->visit.visit.number || !e->command
			 ? sl_session_init(s, &e->settings, err)
			 : sl_session_init_lasting(s, &e->settings, &name, &left, err);
	if (result < 0)
		return -1;
	s->arena->config.visit.number = e->visit.visit.number;
	s->arena->config.visit.schedule = e->visit.visit.schedule;
	s->arena->config.visit.line = e->visit.visit.line;
	s->arena->config.world = world;
	s->arena->config.renews = 1;
	if (e->prepare && e->prepare(s->arena, e->data, err) < 0) {
		sl_session_release(s);
		return -1;
	}
	if (left && !e->settings.quiet)
		fprintf(stderr,
			"note: this is a new run; an earlier run of the same command was killed after %s execution%s and can be "
			"resumed: sleave %s --resume\n",
			sl_count_format(left, number), left == 1 ? "" : "s", e->self);
	return 0;
}

static int
run_session(struct sl_exploration *e, struct sl_err *err)
{
	int result = sl_scouting_begin(&e->scouting, e->scout, e->session.arena, err);

	if (result == 0)
		result = sl_session_run(&e->session, err);
	sl_scouting_end(&e->scouting);
	return result;
}

/* One search in one world. The session and the results are to be released unless it failed. */
static int
search(struct sl_exploration *e, uint32_t world, struct sl_err *err)
{
	struct sl_session *s = &e->session;
	struct sl_results *r = &e->results;

	if (open_session(e, world, err) < 0)
		return -1;
	s->program = e->program; /* by the name that a replay has: it lies on the program's stack */
	s->argv = e->argv;
	s->directory = e->directory;
	s->input = e->input;
	s->tick = tick;
	s->data = e;
	s->arena->config.limit.in_time = sl_options_given(&e->settings, SL_FOR_RUN, "time");
	if (!e->searching)
		e->searching = s->arena->started;
	else if (s->arena->config.limit.in_time)
		sl_session_began(s, e->searching);
	sl_results_init(r, s->arena);
	r->out = e->out;
	if (e->out)
		r->style = sl_style_for(e->out, e->settings.colour);
	r->program = e->program;
	r->argv = e->argv;
	r->cwd = e->cwd;
	r->environment = s->environment;
	r->output = e->settings.output;
	r->suppressions = e->suppressions;
	r->earlier = e->earlier;
	r->before = e->before;
	r->first_only = !e->settings.keep_going;
	e->other_world = false;
	sl_text_cut(r->build_id, sizeof(r->build_id), e->build_id);
	e->recording = (struct sl_recording){.file = e->settings.tape,
					     .program = e->program,
					     .cwd = e->cwd,
					     .build_id = e->build_id,
					     .argv = e->argv};
	if ((!e->target.linked && sl_session_preload(s, err) < 0) ||
	    sl_recording_begin(&e->recording, s->arena, err) < 0 || run_session(e, err) < 0 ||
	    sl_recording_end_search(&e->recording, s, err) < 0) {
		sl_recording_end(&e->recording, err->text, &(struct sl_err){""});
		sl_results_release(r);
		sl_session_release(s);
		return -1;
	}
	sl_live_wipe(&e->live);
	s->environment = NULL;
	e->other_world =
		!s->interrupts && (e->other_world || sl_results_is_world_wrong(&e->results, e->settings.world));
	return 0;
}

uint64_t
sl_exploration_executions(const struct sl_exploration *e)
{
	const struct sl_arena *a = e->session.arena;
	uint64_t count = e->earlier + e->before;

	for (uint32_t i = 0; i < a->config.workers; i++)
		count += sl_counters_runs(&a->workers[i].counters);
	return count;
}

/* Returns whether a run that ends now can be resumed with more to do. */
static bool
is_unfinished(const struct sl_exploration *e)
{
	const struct sl_arena *a = e->session.arena;
	bool more = false;

	if (!a->origin.resumable || e->complete || (e->results.first_only && e->results.finding_count))
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
tell_how_to_go_on(const struct sl_exploration *e)
{
	const struct sl_arena *a = e->session.arena;

	fprintf(e->out, "to resume: sleave %s --resume", e->self);
	if (a->config.limit.executions && a->total >= a->config.limit.executions)
		fprintf(e->out, " -n %" PRIu64, 2 * a->config.limit.executions);
	fputs(e->path ? " -- " : " ", e->out);
	sl_words_put(e->out, e->argv);
	fputc('\n', e->out);
}

static int
check_origin(struct sl_exploration *e, struct sl_err *err)
{
	struct sl_run_name name = {.program = e->program,
				   .cwd = e->cwd,
				   .build_id = e->build_id,
				   .input = e->input};
	struct sl_err why = {""};

	if (sl_build_id(e->program, e->build_id, sizeof(e->build_id), err) < 0)
		return -1;
	if (e->origin && sl_origin_check(e->origin, &name, &why) < 0)
		return sl_err_set(err, "%s cannot be resumed: %s", e->file.path, why.text);
	return 0;
}

/* Reads the limits of the run to resume. */
static int
limits_read(struct sl_exploration *e, struct sl_settings *before, struct sl_err *err)
{
	struct sl_config config;
	uint64_t total;

	if (pread(e->file.fd, &config, sizeof(config), offsetof(struct sl_arena, config)) != sizeof(config) ||
	    pread(e->file.fd, &total, sizeof(total), offsetof(struct sl_arena, total)) != sizeof(total))
		return sl_err_set(err, "cannot read %s: %s", e->file.path, strerror(errno));
	before->limit.schedules = config.limit.executions;
	if (!before->limit.time && e->settings.limit.schedules) /* the user did not give it: it was the default */
		return 0;
	before->limit.time = config.limit.nanoseconds;
	if (e->origin->ended && config.limit.executions && total >= config.limit.executions &&
	    e->settings.limit.schedules <= total)
		return sl_err_set(err,
				  "that run has done its %" PRIu64
				  " executions: raise the limit with -n (executions in all)",
				  total);
	return 0;
}

int
sl_exploration_take_over(struct sl_exploration *e, unsigned command_bit, struct sl_err *err)
{
	/* the file's own setting of trust does not count */
	struct sl_run_name name = {.folder = e->runs,
				   .program = e->program,
				   .cwd = e->cwd,
				   .argv = e->argv,
				   .trust = e->settings.trust};
	const char *path = e->elsewhere ? NULL : e->argv[0], *slash;
	struct sl_settings before;
	struct sl_err why;
	int count = 0, first;
	char **command;

	if (e->elsewhere && e->argv[0]) {
		slash = strrchr(e->argv[0], '/');
		snprintf(e->program, sizeof(e->program), "%s", slash ? slash + 1 : e->argv[0]);
	}
	if (!(e->directory ? realpath(e->directory, e->cwd) : getcwd(e->cwd, sizeof(e->cwd))))
		return sl_err_set(err, "cannot determine the current folder: %s", strerror(errno));
	if (path && sl_target_check(path, true, &e->target, err) < 0)
		return -1;
	if (path && !realpath(e->target.path, e->program))
		return sl_err_set(err, "cannot resolve the path of %s: %s", e->target.path, strerror(errno));
	if (sl_run_file_find(&e->file, e->settings.resume, &name, &e->origin, err) < 0)
		return -1;
	if (!name.trust &&
	    (sl_origin_trust(e->origin, &why) < 0 || (!e->argv[0] && sl_trust_path(e->origin->program, &why) < 0)))
		return sl_err_set(err, "%s is not trusted: %s", e->file.path, why.text);
	command = sl_origin_arguments(e->origin);
	while (command[count])
		count++;
	first = sl_options_parse(&before, command_bit, count, command, err);
	if (first <= 0 || first >= count)
		return sl_err_set(err, "%s is damaged", e->file.path);
	if (path && *e->settings.resume && strcmp(e->origin->program, e->program) != 0)
		return sl_err_set(err, "%s is a run of another program: %s", e->file.path, e->origin->program);
	for (int i = 1; e->argv[0] && (command[first + i] || e->argv[i]); i++)
		if (!command[first + i] || !e->argv[i] || strcmp(command[first + i], e->argv[i]) != 0)
			return sl_err_set(err, "%s is a run of %s with other arguments", e->file.path, e->program);
	if (limits_read(e, &before, err) < 0)
		return -1;
	if (sl_options_merge(&e->settings, &before, command_bit, err) < 0)
		return 1;
	if (before.tape == e->settings.tape) /* the trace of the earlier run was not asked for now */
		e->settings.tape = NULL;
	e->command = command;
	e->argv = command + first;
	return 0;
}

int
sl_exploration_find(struct sl_exploration *e, struct sl_err *err)
{
	const char *path = e->path ? e->path : e->argv[0];

	if (sl_target_check(path, e->settings.sync_only, &e->target, err) < 0)
		return -1;
	if (e->settings.sync_only && e->target.instrumented)
		return sl_err_set(
			err,
			"%s was built with `sleave cc`, so its accesses to memory can be seen: leave --sync-only out",
			e->target.path);
	if (!realpath(e->target.path, e->program) ||
	    !(e->directory ? realpath(e->directory, e->cwd) : getcwd(e->cwd, sizeof(e->cwd))))
		return sl_err_set(err, "cannot resolve the path of %s: %s", e->target.path, strerror(errno));
	if (e->settings.output)
		mkdir(e->settings.output, 0777); /* if that fails, so will writing to it, with a message */
	e->input = sl_input_copy(e->settings.quiet);
	return check_origin(e, err);
}

int
sl_exploration_run(struct sl_exploration *e, struct sl_err *err)
{
	uint32_t world = e->settings.world == SL_WORLD_AUTO ? SL_WORLD_MEMORY : (uint32_t)e->settings.world;

	e->earlier = 0;
	e->searching = e->begun;
	sl_live_init(&e->live, e->settings.quiet || e->settings.show_output);
	for (;; world++) {
		if (search(e, world, err) < 0)
			return -1;
		world = e->results.world;
		if (!e->other_world)
			return 0;
		if (!e->settings.quiet)
			fprintf(stderr,
				"note: %s does not restore the program's initial state (did it change files or start processes?); "
				"starting over with --world=%s\n",
				world == SL_WORLD_MEMORY ? "restoring memory" : "forking",
				world == SL_WORLD_MEMORY ? "fork" : "exec");
		for (uint32_t i = 0; i < e->session.arena->config.workers; i++)
			e->earlier += sl_counters_runs(&e->session.arena->workers[i].counters);
		sl_results_release(&e->results);
		sl_session_release(&e->session);
	}
}

void
sl_exploration_judge(struct sl_exploration *e, struct sl_summary *summary)
{
	const char *reason = NULL;

	if (!e->session.arena->program.has_control && e->session.said[0])
		reason = e->session.said;
	else
		sl_results_tell(&e->results, true);
	e->results.given_up = e->session.given_up;
	e->results.stuck_pc = e->session.stuck_pc;
	sl_results_judge(&e->results, summary, reason, e->session.interrupts > 0);
	e->complete = summary->search.complete;
	summary->verbose = e->settings.verbose;
	summary->hint = !summary->verbose && summary->executions != summary->interleavings;
}

void
sl_exploration_notes(const struct sl_exploration *e, const struct sl_summary *summary)
{
	if (e->suppressions)
		sl_suppressions_print(e->out, &e->results.style, e->suppressions);
	if (summary->verdict == SL_VERDICT_FINDING && e->results.troubled)
		sl_say(e->out, "note: the search ended early: %s\n", e->results.reason);
	if (e->session.arena->program.no_dispatch)
		fputs("note: this kernel cannot intercept system calls that do not go through libc (Linux 5.11 can): if the "
		      "program makes any, they were not noticed\n",
		      e->out);
	if (is_unfinished(e) && !e->settings.quiet)
		tell_how_to_go_on(e);
	if (e->settings.tape && !e->settings.quiet)
		sl_recording_print(&e->recording, e->out);
}

void
sl_exploration_release(struct sl_exploration *e)
{
	sl_results_release(&e->results);
	if (is_unfinished(e))
		sl_session_keep(&e->session);
	else
		sl_session_release(&e->session);
}

int
sl_exploration_end(struct sl_exploration *e, const struct sl_summary *summary)
{
	sl_exploration_notes(e, summary);
	fflush(e->out);
	if (e->settings.json)
		sl_json_print(stdout, summary);
	fflush(stdout);
	sl_exploration_release(e);
	return sl_verdict_status(summary->verdict);
}
