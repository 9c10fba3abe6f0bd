/*
 * `sleave replay`: shows a finding again, from its file.
 */
#include "trace/replay/replay_file.h"

#include "base/trust.h"
#include "cli/args.h"
#include "cli/command/commands.h"
#include "cli/result/as_schedule.h"
#include "cli/result/results.h"
#include "cli/session/heavy.h"
#include "cli/session/session.h"
#include "cli/session/target.h"
#include "report/quote.h"
#include "trace/replay/environment.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

/* ---- gdb ---- */

/*
 * For a gdb with Python: frames of the engine, and of libc below it, are left out of backtraces; the frame of the program in
 * which it stopped is selected; threads are listed with where in the program each of them is.
 */
static const char python[] =
	"import gdb, os\n"
	"def sleave_library(frame):\n"
	"    return os.path.basename(gdb.solib_name(frame.pc()) or '')\n"
	"def sleave_is_engine(frame):\n"
	"    return sleave_library(frame).startswith('libsleave')\n"
	"def sleave_is_system(frame):\n"
	"    name = sleave_library(frame)\n"
	"    return name.startswith(('libc.', 'libc-', 'libpthread', 'ld-linux')) or frame.type() == gdb.SIGTRAMP_FRAME\n"
	"class SleaveFrames:\n"
	"    def __init__(self):\n"
	"        self.name, self.priority, self.enabled = 'sleave', 100, True\n"
	"        gdb.frame_filters[self.name] = self\n"
	"    def filter(self, frames):\n"
	"        first, seen, shown = [], False, False\n"
	"        for each in frames:\n"
	"            frame = each.inferior_frame()\n"
	"            if not seen and (sleave_is_engine(frame) or sleave_is_system(frame)):\n"
	"                first.append(each)\n"
	"                continue\n"
	"            if not seen and not any(sleave_is_engine(f.inferior_frame()) for f in first):\n"
	"                yield from first\n"
	"            seen = True\n"
	"            if not sleave_is_engine(frame):\n"
	"                yield each\n"
	"        if not seen:\n"
	"            yield from first[-1:]\n"
	"SleaveFrames()\n"
	"def sleave_own(frame):\n"
	"    while frame and (sleave_is_engine(frame) or sleave_is_system(frame)):\n"
	"        frame = frame.older()\n"
	"    return frame\n"
	"def sleave_place():\n"
	"    try:\n"
	"        return int(gdb.parse_and_eval('*(unsigned long *)&sleave_stop_place'))\n"
	"    except gdb.error:\n"
	"        return 0\n"
	"def sleave_show():\n"
	"    chosen, place = gdb.selected_thread(), sleave_place()\n"
	"    if not chosen:\n"
	"        return\n"
	"    for thread in sorted(gdb.selected_inferior().threads(), key=lambda t: t.num):\n"
	"        thread.switch()\n"
	"        frame = sleave_own(gdb.newest_frame())\n"
	"        where = 'has ended, or not begun'\n"
	"        if frame:\n"
	"            line = frame.find_sal()\n"
	"            where = '%s ()' % (frame.name() or '0x%x' % frame.pc())\n"
	"            if line.symtab:\n"
	"                where += ' at %s:%d' % (line.symtab.filename, line.line)\n"
	"        print('%s thread %d %s: %s' % ('*' if thread.num == chosen.num else ' ', thread.num, thread.name, where))\n"
	"    chosen.switch()\n"
	"    frame = gdb.newest_frame()\n"
	"    while frame and frame.pc() != place and frame.pc() + 1 != place:\n"
	"        frame = frame.older()\n"
	"    (frame or sleave_own(gdb.newest_frame()) or gdb.newest_frame()).select()\n";

/* For one without: the frames are all there, and the program's is selected by its address. */
static const char no_python[] = "define sleave_show\n"
				"info threads\n"
				"set $sleave_left = 64\n"
				"set $sleave_place = *(unsigned long *)&sleave_stop_place\n"
				"while $sleave_place && $pc != $sleave_place && $pc + 1 != $sleave_place && $sleave_left-- > 0\n"
				"up-silently\n"
				"end\n"
				"end\n";

static bool
gdb_has_python(void)
{
	return system("gdb -nx -batch -ex 'python import sys; sys.stdout.write(\"sleave\")' 2>/dev/null | grep -q sleave") == 0;
}

/* As an argument of gdb's echo: a backslash would begin an escape, and a line must end in one. */
static void
put_echo(FILE *out, const char *text)
{
	for (; *text; text++)
		if (*text == '\\')
			fputs("\\\\", out);
		else if ((unsigned char)*text >= ' ')
			fputc(*text, out);
}

/* The commands for gdb, in a file of which only its number is known; -1: none can be had. */
static int
write_commands(const char *wrapper, const char *why, bool has_python)
{
	int fd = memfd_create("sleave gdb commands", 0), script = memfd_create("sleave gdb python", 0);
	FILE *out = fd < 0 ? NULL : fdopen(dup(fd), "w");

	if (!out || script < 0 || write(script, python, sizeof(python) - 1) != sizeof(python) - 1)
		return -1;
	/* the engine looks at memory that may not be there, and a crash of the program's comes to sleave_stop() as well */
	fprintf(out,
		"set breakpoint pending on\nset startup-with-shell on\nset exec-wrapper %s\n"
		"handle SIGSYS SIGSEGV SIGBUS SIGFPE SIGILL nostop noprint pass\nskip -gfi */src/engine/*/*\nskip -gfi */src/engine/*/*/*\nskip -gfi */src/search/*\nbreak sleave_stop\n",
		wrapper);
	if (has_python)
		fprintf(out, "python exec(open('/proc/%d/fd/%d').read())\n", getpid(), script);
	else
		fprintf(out, "%secho this gdb has no Python: frames of Sleave's own are shown as well\\n\n", no_python);
	fputs("run\nif $_thread != 0\necho \\nstopped: ", out);
	put_echo(out, why);
	fputs("\\n\nend\n", out);
	fclose(out);
	return fd;
}

/* Inside gdb, with kernel threads that it can see, up to the failure. */
static int
debug(struct sl_session *session, uint64_t until, const char *message, struct sl_err *err)
{
	struct sl_config *config = &session->arena->config;
	bool batch = !isatty(STDIN_FILENO), has_python = gdb_has_python();
	char wrapper[3 * PATH_MAX], commands[64], why[512];
	struct sl_args args = {0};
	int status, fd;

	config->carrier = SL_CARRIER_THREAD;
	config->world = SL_WORLD_EXEC;
	config->stop_at_failure = 1;
	config->until = until;
	config->trace_all |= until != 0; /* as --trace numbers operations */
	if (sl_session_debug_prepare(session, wrapper, sizeof(wrapper), err) < 0)
		return -1;
	if (until)
		snprintf(why, sizeof(why), "before operation %llu (continue goes on to the failure: %.300s)",
			 (unsigned long long)until, message);
	else
		snprintf(why, sizeof(why), "%.500s", message);
	fd = write_commands(wrapper, why, has_python);
	if (fd < 0)
		return sl_err_set(err, "cannot make a file in memory: %s", strerror(errno));
	snprintf(commands, sizeof(commands), "/proc/%d/fd/%d", getpid(), fd);
	sl_args_add_each(&args, "gdb", "-q", NULL);
	if (batch)
		sl_args_add_each(&args, "-nx", "-batch", NULL);
	sl_args_add_each(&args, "-x", commands, "-ex", has_python ? "python sleave_show()" : "sleave_show", "-ex", "frame",
			 NULL);
	if (batch)
		sl_args_add_each(&args, "-ex", "thread apply all bt", NULL);
	sl_args_add_each(&args, "--args", session->program, NULL);
	for (char **argument = session->argv + 1; *argument; argument++)
		sl_args_add(&args, *argument);
	status = sl_session_debug(session, args.items, err);
	free(args.items);
	if (status != 0 || !session->arena->has_control)
		return status < 0 ? -1 : sl_err_set(err, "gdb could not show it (is gdb installed?)");
	/* at the failure the execution was under way, and gdb ended it there */
	return session->arena->workers[0].running || session->arena->cases[0].confirmed ? SL_EXIT_FINDING
											: SL_EXIT_UNDECIDED;
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
		status = debug(&session, settings->until, replay->message, err);
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
