/*
 * `sleave report`: sleave_explore() starts it from inside a test when its search is over, because sentences are made
 * outside the program under test. Users do not call it. The stories go to standard error, the result into the arena.
 */
#include "cli/command/commands.h"
#include "cli/result/results.h"
#include "cli/session/recording.h"
#include "cli/session/session.h"
#include "trace/replay/replay_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int
read_link(uint64_t pid, const char *name, char *text, struct sl_err *err)
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%lu/%s", (unsigned long)pid, name);
	n = readlink(path, text, PATH_MAX - 1);
	if (n < 0)
		return sl_err_set(err, "cannot read %s: %s", path, strerror(errno));
	text[n] = '\0';
	return 0;
}

/* The arguments of a process ("cmdline") or the environment with which it was started ("environ"), NULL-terminated; to be freed. */
static char **
read_strings(uint64_t pid, const char *name, char *text, size_t room, struct sl_err *err)
{
	char path[64], **list;
	size_t count = 0, used = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%lu/%s", (unsigned long)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && used < room - 1 && (n = read(fd, text + used, room - 1 - used)) > 0)
		used += (size_t)n;
	if (fd >= 0)
		close(fd);
	if (!used) {
		sl_err_set(err, "cannot read %s", path);
		return NULL;
	}
	list = calloc(used + 1, sizeof(*list));
	for (size_t at = 0; list && at < used; at += strlen(text + at) + 1)
		list[count++] = text + at;
	return list;
}

/* Finds the program's name, for its replay files. */
static int
identify(struct sl_results *results, uint64_t pid, struct sl_err *err)
{
	static char program[PATH_MAX], cwd[PATH_MAX], arguments[1 << 21], variables[1 << 21];

	results->argv = read_strings(pid, "cmdline", arguments, sizeof(arguments), err);
	results->environment = read_strings(pid, "environ", variables, sizeof(variables),
					    err); /* otherwise the environment that this process inherited */
	results->program = program;
	results->cwd = cwd;
	if (!results->argv || read_link(pid, "exe", program, err) < 0 || read_link(pid, "cwd", cwd, err) < 0)
		return -1;
	return sl_build_id(program, results->build_id, sizeof(results->build_id), err);
}

static void
store(struct sl_arena *a, const struct sl_summary *summary)
{
	const char *message = summary->reason ? summary->reason : "", *file = "";

	if (summary->finding_count) {
		message = summary->findings[0].message;
		file = summary->findings[0].replay;
	}
	a->result.verdict =
		(uint32_t)sl_verdict_status(summary->verdict); /* enum sleave_verdict has the same numbers */
	a->result.findings = (uint32_t)summary->finding_count;
	sl_text_cut(a->result.message, sizeof(a->result.message), message);
	sl_text_cut(a->result.file, sizeof(a->result.file), file);
}

static int
report(struct sl_arena *a, const struct sl_settings *settings, struct sl_err *err)
{
	struct sl_results results;
	struct sl_summary summary;
	int status = -1;

	sl_results_init(&results, a);
	if (identify(&results, settings->report.pid, err) == 0) {
		results.style = sl_style_for(stderr, SL_COLOUR_AUTO);
		results.out = a->config.quiet ? NULL : stderr;
		results.output =
			a->config.quiet ? NULL : sl_output_here(getenv("SLEAVE_OUTPUT"), settings->output);
		results.only_early = settings->report.early;
		results.explore_call = a->config.explore_call ? a->config.explore_call : a->program.explore_calls;
		if (settings->report.early) {
			sl_results_write_early(&results);
		} else {
			sl_results_tell(&results, true);
			sl_results_judge(&results, &summary, NULL, false);
			if (results.out && (summary.verdict != SL_VERDICT_CLEAN || summary.warning_count ||
					    summary.unaided || summary.not_seen_count))
				sl_verdict_print(stderr, &results.style, &summary);
			store(a, &summary);
		}
		status = SL_EXIT_CLEAN; /* the finding was reported; the result is in the arena */
	}
	free(results.argv);
	free(results.environment);
	sl_results_release(&results);
	return status;
}

/* ---- the trace of an exploration ---- */

/* Waits until the exploration is over, or the program has ended: an explored program may end in any way. */
static void
wait_for_end(const struct sl_arena *a, int process)
{
	struct pollfd poll_for = {.fd = process, .events = POLLIN};

	while (!__atomic_load_n(&a->trace.over, __ATOMIC_ACQUIRE) && poll(&poll_for, 1, 1) <= 0)
		;
}

/* Writes the trace, in a separate process that the program does not know. */
static _Noreturn void
trace(struct sl_arena *a, const struct sl_settings *settings, int told)
{
	struct sl_results results = {0};
	struct sl_recording recording = {.file = settings->tape};
	struct sl_err err = {""};
	int process = (int)syscall(SYS_pidfd_open, (pid_t)settings->report.pid, 0);
	bool good;

	setpgid(0, 0); /* the program's process group may be killed */
	good = process >= 0 && identify(&results, settings->report.pid, &err) == 0;
	if (process < 0)
		sl_err_set(&err, "cannot watch process %d: %s", (int)settings->report.pid, strerror(errno));
	recording.program = results.program;
	recording.cwd = results.cwd;
	recording.build_id = results.build_id;
	recording.argv = results.argv;
	a->trace.by = getpid();
	good = good && sl_recording_begin(&recording, a, &err) == 0;
	if (!good)
		fprintf(stderr, "sleave report: %s\n", err.text);
	if (!good || write(told, "", 1) != 1)
		_exit(SL_EXIT_UNDECIDED);
	close(told);
	wait_for_end(a, process);
	good = sl_recording_end(&recording, a->trace.over ? "the search ended" : "the program ended", &err) == 0;
	if (good)
		sl_recording_print(&recording, stderr);
	else
		fprintf(stderr, "sleave report: %s\n", err.text);
	__atomic_store_n(&a->trace.done, good ? 1 : 2, __ATOMIC_RELEASE);
	_exit(SL_EXIT_CLEAN);
}

/* Returns when the trace is ready for items. */
static int
begin_trace(struct sl_arena *a, const struct sl_settings *settings, struct sl_err *err)
{
	int told[2];
	pid_t child;
	char byte;

	if (pipe2(told, O_CLOEXEC) < 0 || (child = fork()) < 0)
		return sl_err_set(err, "cannot start a process: %s", strerror(errno));
	if (!child) {
		close(told[0]);
		trace(a, settings, told[1]);
	}
	close(told[1]);
	return read(told[0], &byte, 1) == 1 ? SL_EXIT_CLEAN
					    : SL_EXIT_UNDECIDED; /* the other process has printed why */
}

int
sl_command_report(int argc, char **argv)
{
	struct sl_settings settings;
	struct sl_err err = {""};
	struct sl_arena *arena;
	int first = sl_options_parse(&settings, SL_FOR_REPORT, argc, argv, &err), status;

	if (first <= 0 || !settings.report.arena || !settings.report.pid) {
		fprintf(stderr,
			"sleave report: only sleave_explore() starts this command: --arena PATH --pid PID\n");
		return SL_EXIT_USAGE;
	}
	arena = sl_arena_open(settings.report.arena, &err);
	if (arena && settings.tape)
		status = begin_trace(arena, &settings, &err);
	else
		status = arena ? report(arena, &settings, &err) : -1;
	if (status < 0) {
		fprintf(stderr, "sleave report: %s\n", err.text);
		return SL_EXIT_UNDECIDED;
	}
	return status;
}
