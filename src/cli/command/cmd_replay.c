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
#include "cli/target/target.h"
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
	     "Runs the program of a finding once more, with the schedule that made it fail, and reports the finding again.\n"
	     "\n"
	     "options:");
	sl_options_print(stdout, SL_FOR_REPLAY);
	puts("\nExit status: 0 a schedule was printed (--as-schedule), 1 the finding happened again, 2 wrong usage, 3 it did not\n"
	     "happen again, or Sleave could not do its job.");
}

static int
check_program(const struct sl_replay *replay, const struct sl_settings *settings, struct sl_target *target,
	      struct sl_err *err)
{
	struct sl_err why = replay->stranger;
	char now[72];

	/* the file names the program to start, and its arguments */
	if (!settings->trust &&
	    (*why.text || (access(replay->program, F_OK) == 0 && sl_trust_path(replay->program, &why) < 0)))
		return sl_err_set(err, "%s: the file would start %s in %s (--trust starts it)", why.text,
				  replay->program, replay->cwd);

	/* the program is unchanged, so its instrumentation shows whether it was searched with --sync-only */
	if (sl_target_check(replay->program, true, target, err) < 0 ||
	    sl_build_id(target->path, now, sizeof(now), err) < 0)
		return -1;
	if (access(replay->cwd, X_OK) < 0)
		return sl_err_set(err, "cannot go to %s, where the program was run: %s", replay->cwd,
				  strerror(errno));
	if (strcmp(now, replay->build_id) == 0)
		return 0;
	if (!settings->replay.force)
		return sl_err_set(
			err,
			"%s has changed since the failure was recorded, so the schedule may not fit any more "
			"(--force tries it)",
			replay->program);
	if (!settings->quiet)
		sl_say(stderr, "note: %s has changed since the failure was recorded\n", replay->program);
	return 0;
}

/* Fills the arena as if the search had just found the finding. */
static int
fill(struct sl_arena *a, const struct sl_replay *replay, const struct sl_settings *settings, struct sl_err *err)
{
	struct sl_case *c = &a->cases[0];
	struct sl_worker *w = &a->workers[0];

	if (replay->schedule.count > SL_ITEMS_MAX || replay->mark_count > SL_MARKS_MAX)
		return sl_err_set(err, "the schedule is too long for this version of Sleave");
	a->config.races = replay->races == SL_RACES_OFF ? SL_RACES_OFF : SL_RACES_ON;
	a->config.memory = SL_RACES_ON;
	a->config.misuse = SL_RACES_ON; /* only the file's own finding ends the execution */
	a->config.spurious = replay->spurious;
	a->config.again = replay->again;
	a->config.volatiles = replay->volatiles;
	if (replay->follows && strlen(replay->follows) >= sizeof(a->config.plan))
		return sl_err_set(err, "the schedule to follow is too long for this version of Sleave");
	sl_text_cut(a->config.plan, sizeof(a->config.plan), replay->follows ? replay->follows : "");
	a->config.check_plan = replay->checked;
	a->config.seed = replay->seed;
	a->config.explore_call = replay->explore_call;
	a->config.visit.number = replay->visit[0];
	a->config.visit.schedule = replay->visit[1];
	a->config.visit.line = replay->visit[2];
	memcpy(a->config.strategy, replay->strategy, sizeof(a->config.strategy));
	a->config.trace.only = 1;
	a->config.trace.repeats = 1;
	a->config.trace.all = settings->replay.trace || settings->replay.as_schedule;
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
		memcpy(a->marks.table, replay->marks, replay->mark_count * sizeof(a->marks.table[0]));
	a->marks.count = replay->mark_count;
	a->order = replay->order;
	a->config.violations = SL_RACES_ON;
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

/* Describes where the execution took another path than the one in the file, and the likely cause; empty if nothing is known. */
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
	else if (!sl_environment_differs(replay, session->environment ? session->environment : environ, why,
					 sizeof(why)) &&
		 escaped->name[0])
		snprintf(why, sizeof(why), "a call that is not under control: %s", escaped->name);
	if (!settings->replay.trace) /* with --trace the execution has accesses that the file does not have */
		sl_results_steps(results, c, &steps);
	differ = steps.path_count &&
		 sl_steps_differ(&replay->steps, &steps, rebuilt, why[0] ? why : NULL, text, room);
	if (!differ)
		snprintf(text, room, "%s%s%s",
			 steps.path_count && replay->steps.path_count ? "its operations were the recorded ones"
								      : "",
			 steps.path_count && replay->steps.path_count && why[0] ? "; " : "",
			 why[0] ? "likely cause: " : "");
	if (!differ && why[0])
		strncat(text, why, room - strlen(text) - 1);
	sl_steps_release(&steps);
}

/* The trace has the objects that stuck threads poll; the file knows which operations change them, by addresses of the program at that time. */
static void
enablers_fill(const struct sl_session *session, struct sl_case *c, const struct sl_replay *replay)
{
	const struct sl_ring ring = {c->records, c->record_count, SL_RECORDS_MAX};
	struct sl_err err;
	char build[72];

	if (!replay->enabler_count || sl_build_id(session->program, build, sizeof(build), &err) < 0 ||
	    strcmp(build, replay->build_id) != 0)
		return;
	sl_enablers_begin(&c->enablers, c->finding.kind, c->finding.culprits, c->finding.culprit_count, &ring,
			  c->threads, c->thread_count);
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

/* Prints the result; returns the exit status. */
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
	results.trace = settings->replay.trace;
	if (c->confirmed) {
		enablers_fill(session, c, replay);
		sl_results_tell(&results, true);
	}
	if (session->said[0] && !session->arena->program.has_control) {
		snprintf(reason, sizeof(reason), "%s", session->said);
	} else if (is_late(session)) {
		sl_text_cut(reason, sizeof(reason),
			    "the execution had not ended when the time limit was reached (--time)");
		sl_heavy_format(w, sl_results_names(&results), reason + strlen(reason),
				sizeof(reason) - strlen(reason));
	} else if (!c->confirmed && !w->trouble.kind && session->arena->program.has_control &&
		   !session->interrupts) {
		if (c->other.signature)
			sl_results_headline(&results, &c->other, other, sizeof(other));
		parting_format(&results, session, replay, settings, parting, sizeof(parting));
		snprintf(reason, sizeof(reason), "the finding did not happen again: %s%s%s%s",
			 c->other.signature ? "this happened instead: "
			 : w->counters.cut  ? "the execution was cut at the limit of operations"
					    : "the program ran to its end and nothing went wrong",
			 c->other.signature ? other : "", parting[0] ? "; " : "", parting);
	}
	sl_results_judge(&results, &summary, reason[0] ? reason : NULL, session->interrupts > 0);
	summary.search.complete = false;
	if (summary.verdict != SL_VERDICT_FINDING)
		sl_verdict_print(out, &results.style, &summary);
	else if (c->hash != replay->hash && replay->hash && !replay->explore_call && !settings->quiet) {
		parting_format(&results, session, replay, settings, parting, sizeof(parting));
		sl_say(stderr, "note: the same finding, but the execution differed in its operations%s%s\n",
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

/* Collects the orderings before the arena is reused for other executions. */
static int
collect_orderings(struct sl_session *session, struct sl_orderings *orderings, struct sl_err *err)
{
	struct sl_results results;

	if (is_late(session))
		return sl_err_set(err, "the execution had not ended when the time limit was reached (--time)");
	if (!session->arena->cases[0].confirmed)
		return sl_err_set(
			err,
			"the finding did not happen again (sleave replay without --as-schedule says what did)");
	if (session->arena->cases[0].finding.kind == SL_FINDING_SCHEDULE)
		return sl_err_set(
			err,
			"the finding is that a schedule was not followed: the story shows what the program did, "
			"and there is no other schedule for it");
	if (has_sections(session->arena) && !session->arena->cases[0].setting.signature)
		return sl_err_set(
			err,
			"the finding is outside of the program's sections, which have schedules of their own: "
			"put the code that leads to it into a section, too");
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
	uint64_t until = settings->limit.time ? sl_nanoseconds() + settings->limit.time : 0;
	int status, input;

	if (check_program(replay, settings, &target, err) < 0 || sl_session_init(&session, settings, err) < 0)
		return -1;
	session.program = target.path;
	session.argv = replay->argv;
	session.directory = replay->cwd;
	session.arena->config.limit.in_time = 1; /* the user's limit is the only one */
	if (settings->replay.environment == SL_ENVIRONMENT_RECORDED)
		session.environment = theirs = sl_environment_restore(replay, environ);
	session.show_output = !settings->replay.as_schedule;
	session.input = input = settings->replay.gdb ? -1 : sl_input_copy(settings->quiet);
	status = target.linked ? 0 : sl_session_preload(&session, err);
	session.arena->config.sync_only = !target.instrumented;
	if (status == 0)
		status = fill(session.arena, replay, settings, err);
	if (status == 0 && settings->replay.gdb)
		status = sl_gdb_run(&session, settings->replay.until, replay->message, err);
	else if (status < 0 || sl_session_run(&session, err) < 0)
		status = -1;
	else if (settings->replay.as_schedule)
		status = collect_orderings(&session, &orderings, err);
	else
		status = finish(&session, replay, settings, file);
	sl_session_release(&session);
	environ = theirs; /* the trials use the same environment */
	if (status == 0 && settings->replay.as_schedule)
		status = sl_as_schedule(stdout, &orderings, replay, &target, input, until, err) < 0
				 ? -1
				 : SL_EXIT_CLEAN;
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
	first = sl_options_one_file(first, argc, argv, &err);
	if (first > 0 && settings.replay.until && !settings.replay.gdb)
		first = sl_err_set(&err, "--until needs --gdb");
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
