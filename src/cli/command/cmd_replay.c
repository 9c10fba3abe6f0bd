/*
 * `sleave replay`: shows a finding again, from its file.
 */
#include "trace/replay/replay_file.h"

#include "base/trust.h"
#include "cli/command/commands.h"
#include "cli/result/as_schedule.h"
#include "cli/result/results.h"
#include "cli/session/gdb.h"
#include "cli/session/heavy.h"
#include "cli/session/session.h"
#include "cli/session/target.h"
#include "report/quote.h"
#include "trace/replay/environment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
help(void)
{
	puts("usage: sleave replay [OPTION…] FILE\n"
	     "\n"
	     "Runs the program of a finding once more, with the schedule that made it fail, and tells the same story.\n"
	     "\n"
	     "options:");
	sl_options_print(stdout, SL_FOR_REPLAY);
	puts("\nExit status: 1 it happened again, 2 wrong usage, 3 it did not, or Sleave could not do its job.");
}

static int
check_program(const struct sl_replay *replay, const struct sl_settings *settings, struct sl_target *target,
	      struct sl_err *err)
{
	struct sl_err why = replay->stranger;
	char now[72];

	/* the file says which program is started, and with which arguments */
	if (!settings->trust && (*why.text || (access(replay->program, F_OK) == 0 &&
					       sl_trust_path(replay->program, &why) < 0)))
		return sl_err_set(err, "%s: it would start %s in %s (--trust does)", why.text, replay->program,
				  replay->cwd);

	/* whether it was searched with --sync-only can be seen from the program: it has not changed */
	if (sl_target_check(replay->program, true, target, err) < 0 ||
	    sl_build_id(target->path, now, sizeof(now), err) < 0)
		return -1;
	if (access(replay->cwd, X_OK) < 0)
		return sl_err_set(err, "cannot go to %s, where the program was run: %s", replay->cwd,
				  strerror(errno));
	if (strcmp(now, replay->build_id) == 0)
		return 0;
	if (!settings->force)
		return sl_err_set(
			err,
			"%s has changed since the failure was recorded, so that its schedule may mean something "
			"else (--force tries)",
			replay->program);
	if (!settings->quiet)
		sl_say(stderr, "note: %s has changed since the failure was recorded\n", replay->program);
	return 0;
}

/* The arena as if the search had just found it. */
static int
fill(struct sl_arena *a, const struct sl_replay *replay, const struct sl_settings *settings, struct sl_err *err)
{
	struct sl_case *c = &a->cases[0];
	struct sl_worker *w = &a->workers[0];

	if (replay->schedule.count > SL_ITEMS_MAX || replay->mark_count > SL_MARKS_MAX)
		return sl_err_set(err, "the schedule is too long for this version of Sleave");
	a->config.races = replay->races == SL_RACES_OFF ? SL_RACES_OFF : SL_RACES_ON;
	a->config.memory = SL_RACES_ON;
	a->config.misuse = SL_RACES_ON; /* only what the file is about ends it */
	a->config.spurious = replay->spurious;
	a->config.again = replay->again;
	a->config.volatiles = replay->volatiles;
	if (replay->follows && strlen(replay->follows) >= sizeof(a->config.plan))
		return sl_err_set(err, "the schedule to follow is too long for this version of Sleave");
	sl_text_cut(a->config.plan, sizeof(a->config.plan), replay->follows ? replay->follows : "");
	a->config.check_plan = replay->checked;
	a->config.seed = replay->seed;
	a->config.explore_call = replay->explore_call;
	a->config.visit = replay->visit[0];
	a->config.visit_schedule = replay->visit[1];
	a->config.visit_line = replay->visit[2];
	memcpy(a->config.strategy, replay->strategy, sizeof(a->config.strategy));
	a->config.trace_only = 1;
	a->config.trace_repeats = 1;
	a->config.trace_all = settings->trace || settings->as_schedule;
	a->config.show_output = 1;
	a->config.workers = 1;

	c->finding.kind = replay->kind;
	c->finding.signature = replay->signature;
	memcpy(c->finding.message, replay->message, sizeof(c->finding.message));
	c->preemptions = replay->preemptions;
	c->steps = replay->operations;
	c->hash = replay->hash;
	c->marks_used = replay->mark_count;
	c->schedule.count = replay->schedule.count;
	if (replay->schedule.count)
		memcpy(c->schedule.items, replay->schedule.items,
		       replay->schedule.count * sizeof(c->schedule.items[0]));
	if (replay->mark_count)
		memcpy(a->marks, replay->marks, replay->mark_count * sizeof(a->marks[0]));
	a->mark_count = replay->mark_count;
	a->case_count = 1;
	w->phase = SL_PHASE_TRACE;
	w->subject = 0;
	return 0;
}

static bool
is_late(const struct sl_session *session)
{
	return session->arena->cases[0].given_up || session->late;
}

/* Where the execution took another path than the one in the file, and the likely cause; empty: nothing is known of that. */
static void
parting_format(struct sl_results *results, const struct sl_session *session, const struct sl_replay *replay,
	       const struct sl_settings *settings, char *text, size_t room)
{
	struct sl_case *c = &session->arena->cases[0];
	const struct sl_escape *escaped = &session->arena->escapes[0];
	struct sl_steps steps = {0};
	char why[512] = "", build[72];
	struct sl_err err;
	bool differ, rebuilt = sl_build_id(session->program, build, sizeof(build), &err) == 0 &&
			       strcmp(build, replay->build_id) != 0;

	if (rebuilt)
		snprintf(why, sizeof(why), "the program was rebuilt (%s, then %s)", replay->build_id, build);
	else if (!sl_environment_differs(replay, session->environment ? session->environment : environ, why, sizeof(why)) &&
		 escaped->name[0])
		snprintf(why, sizeof(why), "an uncontrolled call: %s", escaped->name);
	if (!settings->trace) /* else there are accesses in it that the file has not */
		sl_results_steps(results, c, &steps);
	differ = steps.path_count && sl_steps_differ(&replay->steps, &steps, rebuilt, why[0] ? why : NULL, text, room);
	if (!differ)
		snprintf(text, room, "%s%s%s",
			 steps.path_count && replay->steps.path_count ? "its operations were the recorded ones"
								      : "",
			 steps.path_count && replay->steps.path_count && why[0] ? "; " : "", why[0] ? "likely cause: " : "");
	if (!differ && why[0])
		strncat(text, why, room - strlen(text) - 1);
	sl_steps_release(&steps);
}

/* What stuck threads look at is in the trace; who changes that is known to the file, in addresses of the program as it was. */
static void
enablers_fill(const struct sl_session *session, struct sl_case *c, const struct sl_replay *replay)
{
	const struct sl_ring ring = {c->records, c->record_count, SL_RECORDS_MAX};
	struct sl_err err;
	char build[72];

	if (!replay->enabler_count || sl_build_id(session->program, build, sizeof(build), &err) < 0 ||
	    strcmp(build, replay->build_id) != 0)
		return;
	sl_enablers_begin(&c->enablers, c->finding.kind, c->finding.culprits, c->finding.culprit_count, &ring, c->threads,
			  c->thread_count);
	for (size_t i = 0; i < replay->enabler_count; i++) {
		const struct sl_enabler *from = &replay->enablers[i];
		struct sl_enabler *e = sl_enabler_get(&c->enablers, from->address, from->path, from->pcs[0]);

		if (!e)
			continue;
		e->kind = from->kind;
		e->most = e->here + 1;
		e->after = 1;
		memcpy(e->pcs, from->pcs, sizeof(e->pcs));
	}
}

/* Prints what came of it; returns the exit status. */
static int
finish(struct sl_session *session, const struct sl_replay *replay, const struct sl_settings *settings,
       const char *file)
{
	FILE *out = settings->json ? stderr : stdout;
	struct sl_case *c = &session->arena->cases[0];
	struct sl_worker *w = &session->arena->workers[0];
	struct sl_results results;
	struct sl_summary summary;
	char reason[2048] = "", other[640], parting[1300] = "";

	sl_results_init(&results, session->arena);
	results.out = out;
	results.style = sl_style_for(out, settings->colour);
	results.program = replay->program;
	results.argv = replay->argv;
	results.cwd = replay->cwd;
	results.explore_call = replay->explore_call;
	results.replay = file;
	results.trace = settings->trace;
	if (c->confirmed) {
		enablers_fill(session, c, replay);
		sl_results_tell(&results, true);
	}
	if (session->said[0] && !session->arena->has_control) {
		snprintf(reason, sizeof(reason), "%s", session->said);
	} else if (is_late(session)) {
		sl_text_cut(reason, sizeof(reason),
			    "the execution had not come to its end when the time was over (--time)");
		sl_heavy_format(w, sl_results_names(&results), reason + strlen(reason),
				sizeof(reason) - strlen(reason));
	} else if (!c->confirmed && !w->trouble && session->arena->has_control && !session->interrupts) {
		if (c->other.signature)
			sl_results_headline(&results, &c->other, other, sizeof(other));
		parting_format(&results, session, replay, settings, parting, sizeof(parting));
		snprintf(reason, sizeof(reason), "it did not happen again: %s%s%s%s",
			 c->other.signature ? "this happened instead: "
			 : w->counters.cut  ? "the execution was cut at the limit of operations"
					    : "the program ran to its end and nothing was wrong",
			 c->other.signature ? other : "", parting[0] ? "; " : "", parting);
	}
	sl_results_judge(&results, &summary, reason[0] ? reason : NULL, session->interrupts > 0);
	summary.complete = false;
	if (summary.verdict != SL_VERDICT_FINDING)
		sl_verdict_print(out, &results.style, &summary);
	else if (c->hash != replay->hash && replay->hash && !replay->explore_call && !settings->quiet) {
		parting_format(&results, session, replay, settings, parting, sizeof(parting));
		sl_say(stderr, "note: the same failure, but the execution was not the same operation by operation%s%s\n",
			parting[0] ? "; " : "", parting);
	}
	fflush(out);
	if (settings->json)
		sl_json_print(stdout, &summary);
	sl_results_release(&results);
	return summary.verdict == SL_VERDICT_FINDING ? SL_EXIT_FINDING : SL_EXIT_UNDECIDED;
}

static bool
has_sections(const struct sl_arena *arena)
{
	for (size_t i = 0; i < SL_TALLIES_MAX && arena->tallies[i].signature; i++)
		if (arena->tallies[i].file[0])
			return true;
	return false;
}

/* What was seen, before the arena makes room for those of other executions. */
static int
collect_orderings(struct sl_session *session, struct sl_orderings *orderings, struct sl_err *err)
{
	struct sl_results results;

	if (is_late(session))
		return sl_err_set(err, "the execution had not come to its end when the time was over (--time)");
	if (!session->arena->cases[0].confirmed)
		return sl_err_set(err,
				  "it did not happen again (sleave replay without --as-schedule says what did)");
	if (session->arena->cases[0].finding.kind == SL_FINDING_SCHEDULE)
		return sl_err_set(err,
				  "it is that a schedule was not followed: what the program did is in the story, and "
				  "there is no other schedule for it");
	if (has_sections(session->arena) && !session->arena->cases[0].setting.signature)
		return sl_err_set(err,
				  "it is outside of the program's sections, which have schedules of their own: "
				  "put what leads to it into a section, too");
	orderings->setting = session->arena->cases[0].setting;
	sl_results_init(&results, session->arena);
	orderings->count =
		sl_results_orderings(&results, &session->arena->cases[0], orderings->items, SL_ORDERINGS_MAX,
				     orderings->unordered, sizeof(orderings->unordered));
	sl_results_release(&results);
	return 0;
}

static int
show(const struct sl_replay *replay, struct sl_settings *settings, const char *file, struct sl_err *err)
{
	static struct sl_orderings orderings;
	struct sl_session session;
	struct sl_target target = {0};
	char **theirs = environ;
	uint64_t until = settings->time ? sl_nanoseconds() + settings->time : 0;
	int status, input;

	if (check_program(replay, settings, &target, err) < 0 || sl_session_init(&session, settings, err) < 0)
		return -1;
	session.program = target.path;
	session.argv = replay->argv;
	session.directory = replay->cwd;
	session.arena->config.in_time = 1; /* there is no other limit than the user's */
	if (settings->environment == SL_ENVIRONMENT_RECORDED)
		session.environment = theirs = sl_environment_restore(replay, environ);
	session.show_output = !settings->as_schedule;
	session.input = input = settings->gdb ? -1 : sl_input_copy(settings->quiet);
	status = target.linked ? 0 : sl_session_preload(&session, err);
	session.arena->config.sync_only = !target.instrumented;
	if (status == 0)
		status = fill(session.arena, replay, settings, err);
	if (status == 0 && settings->gdb)
		status = sl_gdb_run(&session, settings->until, replay->message, err);
	else if (status < 0 || sl_session_run(&session, err) < 0)
		status = -1;
	else if (settings->as_schedule)
		status = collect_orderings(&session, &orderings, err);
	else
		status = finish(&session, replay, settings, file);
	sl_session_release(&session);
	environ = theirs; /* the executions that follow have it, too */
	if (status == 0 && settings->as_schedule)
		status = sl_as_schedule(stdout, &orderings, replay, &target, input, until, err) < 0 ? -1 : SL_EXIT_CLEAN;
	return status;
}

int
sl_command_replay(int argc, char **argv)
{
	struct sl_settings settings;
	struct sl_err err = {""};
	struct sl_replay replay;
	int first = sl_options_parse(&settings, SL_FOR_REPLAY, argc, argv, &err), status;

	if (first == 0) {
		help();
		return SL_EXIT_CLEAN;
	}
	if (first > 0 && first == argc)
		first = sl_err_set(&err, "which file?");
	else if (first > 0 && first + 1 < argc)
		first = sl_err_set(&err, "one file is enough: '%s' is one too many", argv[first + 1]);
	if (first > 0 && settings.until && !settings.gdb)
		first = sl_err_set(&err, "--until is for --gdb");
	if (first < 0) {
		fprintf(stderr, "sleave replay: %s (sleave replay --help)\n", err.text);
		return SL_EXIT_USAGE;
	}
	status = sl_replay_read(argv[first], &replay, &err);
	if (status == 0) {
		status = show(&replay, &settings, argv[first], &err);
		sl_replay_release(&replay);
	}
	if (status < 0) {
		fprintf(stderr, "sleave replay: %s\n", err.text);
		return SL_EXIT_UNDECIDED;
	}
	return status;
}
