/*
 * `sleave record`: records one execution of a program.
 */
#include "base/trust.h"
#include "cli/cc/library.h"
#include "cli/command/commands.h"
#include "cli/result/results.h"
#include "cli/session/native.h"
#include "cli/session/recording.h"
#include "cli/session/session.h"
#include "cli/target/target.h"
#include "report/quote.h"
#include "trace/replay/replay_file.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* the ring of a real thread: 1 MiB, so that the thread seldom waits for the reader */
#define LANE_WORDS (1u << 17)

struct record {
	struct sl_settings settings;
	struct sl_target target;
	char program[PATH_MAX], cwd[PATH_MAX], file[PATH_MAX];
	char build_id[72];
	char **argv;
	struct sl_session session;
	struct sl_recording recording;
};

static void
help(void)
{
	puts("usage: sleave record [OPTION…] [--] PROGRAM [ARGUMENT…]\n"
	     "\n"
	     "Runs the program (built with `sleave cc`) once and writes to a trace what its threads do: accesses to memory,\n"
	     "locks, waits and signals, threads, allocations, calls, events. `sleave trace` shows the trace. The program\n"
	     "runs on real threads, unless --controlled is given; most of the other options need --controlled.\n"
	     "\n"
	     "options:");
	sl_options_print(stdout, SL_FOR_RECORD);
	puts("\nExit status: 0 the program succeeded, 1 the program failed, 2 wrong usage, 3 Sleave could not do its job.");
}

/* Configures a single execution of the strategy: its finding is reported, but not confirmed or shortened. */
static void
configure(struct sl_arena *a)
{
	a->config.limit.executions = 1;
	a->config.compare = SL_COMPARE_OFF;
	a->config.races = SL_RACES_OFF;
	a->config.memory = SL_RACES_OFF;
	a->config.misuse = SL_RACES_OFF;
	a->config.record_only = 1;
	a->config.show_output = 1;
	a->workers[0].phase = SL_PHASE_EXPLORE;
}

/* Describes the end: a finding, trouble, or success. Returns the exit status. */
static int
judge(struct record *r, char *how, size_t room)
{
	struct sl_arena *a = r->session.arena;
	struct sl_results results;
	struct sl_summary summary;
	int status = SL_EXIT_CLEAN;

	sl_results_init(&results, a);
	results.program = r->program;
	results.argv = r->argv;
	results.cwd = r->cwd;
	sl_results_judge(&results, &summary,
			 !a->program.has_control && r->session.said[0] ? r->session.said : NULL,
			 r->session.interrupts > 0);
	if (a->case_count) {
		sl_results_headline(&results, &a->cases[0].finding, how, room);
		status = SL_EXIT_FINDING;
	} else if (results.troubled || r->session.interrupts || !a->workers[0].counters.executions) {
		snprintf(how, room, "%s", summary.reason ? summary.reason : "interrupted");
		status = SL_EXIT_UNDECIDED;
	} else if (a->workers[0].counters.cut) {
		snprintf(how, room, "cut at the limit of operations (--operations)");
		status = SL_EXIT_UNDECIDED;
	} else {
		snprintf(how, room, "exit status 0");
	}
	sl_results_release(&results);
	return status;
}

#define BECAME ", of the program that took its place by execve()"

/* Prints what the trace lacks. */
static void
note_processes(const struct sl_reel *reel)
{
	if (reel->forked)
		fprintf(stderr, "note: %" PRIu32 " process%s that the program started %s not recorded\n",
			reel->forked, reel->forked == 1 ? "" : "es", reel->forked == 1 ? "was" : "were");
	if (reel->replaced)
		fprintf(stderr, "note: another program took its place by execve(), and was not recorded\n");
}

static struct sl_recording
recording_of(const struct record *r)
{
	return (struct sl_recording){.file = r->file,
				     .program = r->program,
				     .cwd = r->cwd,
				     .build_id = r->build_id,
				     .argv = r->argv};
}

static int
run(struct record *r, struct sl_err *err)
{
	char how[1024];
	int status;

	r->recording = recording_of(r);
	if (sl_recording_begin(&r->recording, r->session.arena, err) < 0)
		return -1;
	if (sl_session_run(&r->session, err) < 0) {
		sl_recording_end(&r->recording, err->text, &(struct sl_err){""});
		return -1;
	}
	status = judge(r, how, sizeof(how));
	if (sl_drain_reel(r->recording.drain)->replaced)
		strncat(how, BECAME, sizeof(how) - strlen(how) - 1);
	if (!r->settings.quiet)
		note_processes(sl_drain_reel(r->recording.drain));
	if (sl_recording_end(&r->recording, how, err) < 0)
		return -1;
	if (status != SL_EXIT_CLEAN)
		sl_say(stderr, "sleave record: the program failed: %s\n", how);
	if (!r->settings.quiet)
		sl_recording_print(&r->recording, stderr);
	return r->recording.end.missing ? SL_EXIT_UNDECIDED : status;
}

/* ---- on real threads ---- */

static volatile sig_atomic_t child;

/* Ctrl-C reaches the program, too; the file must have everything up to its end. */
static void
pass_on(int signal)
{
	if ((signal == SIGTERM || signal == SIGHUP) && child)
		kill((pid_t)child, signal);
}

static int
describe(int status, bool replaced, char *how, size_t room)
{
	const char *whose = replaced ? BECAME : "";

	if (WIFSIGNALED(status))
		snprintf(how, room, "killed by SIG%s%s", sigabbrev_np(WTERMSIG(status)), whose);
	else
		snprintf(how, room, "exit status %d%s", WEXITSTATUS(status), whose);
	return WIFEXITED(status) && !WEXITSTATUS(status) ? SL_EXIT_CLEAN : SL_EXIT_FINDING;
}

static void
note(const struct record *r, const struct sl_reel *reel)
{
	const char *mode = getenv("SLEAVE_MODE");

	if (mode && !strcmp(mode, "explore"))
		fprintf(stderr, "note: SLEAVE_MODE=explore: sections were not explored, but run on real threads; "
				"`sleave test --trace` records explored executions\n");
	if (!r->target.instrumented)
		fprintf(stderr,
			"note: the program was not built with `sleave cc`: accesses to memory are not seen\n");
	note_processes(reel);
	if (reel->explored)
		fprintf(stderr,
			"note: sleave_explore() was called %" PRIu32
			" time%s, and ran its function once each time, on real threads; "
			"`sleave test --trace` records explored executions\n",
			reel->explored, reel->explored == 1 ? "" : "s");
	if (reel->unrecorded)
		sl_say(stderr, "note: %s: there were more than %d at the same time\n", r->recording.end.missing,
		       SL_REEL_LANES);
}

static int
record_free(struct record *r, struct sl_err *err)
{
	char library[PATH_MAX], how[160], missing[64];
	struct sl_native_program program = {.path = r->program, .argv = r->argv};
	struct sigaction action = {.sa_handler = pass_on, .sa_flags = SA_RESTART}, hangup;
	int status = 0, answer;
	pid_t pid = 0;

	if (!r->target.linked) {
		if (sl_library_find(library, sizeof(library), err) < 0)
			return -1;
		program.library = library;
	}
	r->recording = recording_of(r);
	if (sl_recording_begin_free(&r->recording, LANE_WORDS, NULL, 0, err) < 0)
		return -1;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGQUIT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, NULL, &hangup);
	if (hangup.sa_handler != SIG_IGN) /* otherwise the program must ignore it, too: nohup(1) */
		sigaction(SIGHUP, &action, NULL);
	if (sl_drain_start(r->recording.drain, err) < 0 ||
	    sl_native_start(&program, sl_drain_fd(r->recording.drain), &pid, err) < 0) {
		sl_recording_end(&r->recording, err->text, &(struct sl_err){""});
		return -1;
	}
	child = pid;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	answer = describe(status, sl_drain_reel(r->recording.drain)->replaced, how, sizeof(how));
	/* the end of the trace says so, too */
	sl_recording_miss(&r->recording, sl_drain_reel(r->recording.drain)->unrecorded, missing, sizeof(missing));
	if (!r->settings.quiet)
		note(r, sl_drain_reel(r->recording.drain));
	if (sl_recording_end(&r->recording, how, err) < 0)
		return -1;
	if (answer != SL_EXIT_CLEAN)
		sl_say(stderr, "sleave record: the program failed: %s\n", how);
	if (!r->settings.quiet)
		sl_recording_print(&r->recording, stderr);
	return r->recording.end.missing ? SL_EXIT_UNDECIDED : answer;
}

static int
record(struct record *r, struct sl_err *err)
{
	const char *slash;
	int status;

	if (sl_target_check(r->argv[0], r->settings.sync_only, &r->target, err) < 0)
		return -1;
	if (!realpath(r->target.path, r->program) || !getcwd(r->cwd, sizeof(r->cwd)))
		return sl_err_set(err, "cannot resolve the path of %s: %s", r->target.path, strerror(errno));
	if (sl_build_id(r->program, r->build_id, sizeof(r->build_id), err) < 0)
		return -1;
	slash = strrchr(r->program, '/');
	if (r->settings.record.file)
		snprintf(r->file, sizeof(r->file), "%s", r->settings.record.file);
	else
		snprintf(r->file, sizeof(r->file), "%.*s.trace", PATH_MAX - 8, slash ? slash + 1 : r->program);
	if (!r->settings.record.file && sl_trust_output(r->file, err) < 0)
		return -1;
	if (!r->settings.record.controlled)
		return record_free(r, err);
	if (sl_session_init(&r->session, &r->settings, err) < 0)
		return -1;
	r->session.program = r->program;
	r->session.argv = r->argv;
	r->session.show_output = true;
	r->session.input = sl_input_copy(r->settings.quiet);
	configure(r->session.arena);
	status = r->target.linked ? 0 : sl_session_preload(&r->session, err);
	if (status == 0)
		status = run(r, err);
	sl_session_release(&r->session);
	return status;
}

/* A user who asks for an interleaving must not get an arbitrary one. */
static int
check_free(const struct sl_settings *settings, struct sl_err *err)
{
	static const char *const names[] = {"strategy",   "seed",  "depth",   "schedule", "spurious",
					    "operations", "world", "carrier", "watchdog"};

	for (size_t i = 0; !settings->record.controlled && i < sizeof(names) / sizeof(*names); i++)
		if (sl_options_given(settings, SL_FOR_RECORD, names[i]))
			return sl_err_set(err, "--%s needs --controlled: the kernel schedules real threads",
					  names[i]);
	return 0;
}

int
sl_command_record(int argc, char **argv)
{
	static struct record r;
	struct sl_err err = {""};
	int first = sl_options_parse(&r.settings, SL_FOR_RECORD, argc, argv, &err), status;

	if (first == 0) {
		help();
		return SL_EXIT_CLEAN;
	}
	if (first > 0 && first == argc)
		first = sl_err_set(&err, "no program is given");
	if (first > 0 && check_free(&r.settings, &err) < 0)
		first = -1;
	if (!r.settings.strategy)
		r.settings.strategy = "random";
	if (first < 0 || sl_settings_check_strategy(r.settings.strategy, NULL, &err) < 0 ||
	    sl_settings_read_schedule(&r.settings, &err) < 0) {
		fprintf(stderr, "sleave record: %s (sleave record --help)\n", err.text);
		return SL_EXIT_USAGE;
	}
	r.argv = argv + first;
	r.settings.limit.preemptions = UINT64_MAX;
	r.settings.jobs = 1;
	status = record(&r, &err);
	if (status < 0) {
		fprintf(stderr, "sleave record: %s\n", err.text);
		return SL_EXIT_UNDECIDED;
	}
	return status;
}
