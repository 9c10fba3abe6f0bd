/*
 * `sleave test`: runs each test program once, by its own framework, and reports each schedule of each section. The
 * programs define the tests, with the macros of sleave.h.
 */
#include "cli/command/commands.h"
#include "cli/result/results.h"
#include "cli/result/trial.h"
#include "cli/session/options.h"
#include "cli/signal_set.h"
#include "report/quote.h"
#include "report/words.h"
#include "search/arena.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TICK_NS 100000000l
#define GRACE_NS 2000000000ul /* for the running programs to end, after Ctrl-C */
#define TIME_DEFAULT 10000000000u

struct testing {
	struct sl_settings settings;
	struct sl_gathering gathering;
	struct sl_trial *trials;
	size_t count, started, told, running;
	char output[PATH_MAX]; /* folder for replay files */
	char traces[PATH_MAX]; /* … and for traces; empty: none */
	FILE *out;             /* for text; NULL: TAP is written */
	FILE *junit;
	struct sl_style style;
	struct sl_test_counts counts;
	size_t tap_number;
	size_t selected; /* by the filter */
	time_t begin;
	uint64_t interrupted; /* the time of the first Ctrl-C; 0: none */
	unsigned interrupts;
	bool terminal, drawn;
};

static void
help(void)
{
	puts("usage: sleave test [OPTION…] PATH…\n"
	     "\n"
	     "Runs test programs. In a folder, these are the programs that link libsleave. Each program is run once. Each\n"
	     "schedule of each of its sections (SLEAVE_SCHEDULES and the like in sleave.h) is a test; a program without\n"
	     "sections is one test. In a program that was built with `sleave cc`, all interleavings that a schedule allows\n"
	     "are explored.\n"
	     "\n"
	     "options:");
	sl_options_print(stdout, SL_FOR_TEST);
	puts("\nCtrl-C ends the running programs and reports the results so far; a second Ctrl-C ends `sleave test` at once.\n"
	     "Exit status: 0 all tests passed, 1 a test failed, 2 wrong usage, 3 Sleave could not do its job in a test.");
}

/* ---- reporting ---- */

static void
wipe(struct testing *t)
{
	if (t->drawn)
		fputs("\r\033[K", stderr);
	fflush(stderr);
	t->drawn = false;
}

static void
draw(struct testing *t)
{
	const struct sl_trial *longest = NULL;
	struct winsize size;
	char line[512];
	size_t width, over = 0;

	if (!t->terminal || t->settings.quiet)
		return;
	for (size_t i = 0; i < t->started; i++) {
		over += t->trials[i].over;
		if (!t->trials[i].over && !longest)
			longest = &t->trials[i];
	}
	if (!longest)
		return;
	snprintf(line, sizeof(line), "%zu of %zu programs, %zu failed; %s, %.1f s", over, t->count,
		 t->counts.of[SL_TEST_FAILED], longest->candidate->name,
		 (double)(sl_nanoseconds() - longest->started) / 1e9);
	width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
	if (strlen(line) >= width && width < sizeof(line))
		line[width - 1] = '\0'; /* a wrapped line could not be wiped */
	fprintf(stderr, "\r%s\033[K", line);
	fflush(stderr);
	t->drawn = true;
}

static void
tell(struct testing *t, struct sl_trial *trial)
{
	struct sl_tested *tested = &trial->tested;

	if (t->settings.test.filter)
		t->selected += sl_tested_filter(tested, t->settings.test.filter);
	wipe(t);
	sl_tested_count(tested, &t->counts);
	if (t->settings.test.tap)
		sl_tap_print(stdout, tested, &t->tap_number, t->settings.show_output);
	if (t->out)
		sl_tested_print(t->out, &t->style, tested, t->settings.show_output);
	fflush(t->out ? t->out : stdout);
}

/* In the order of the list, not in the order in which programs end: the report depends on the tests alone. */
static void
tell_those_over(struct testing *t)
{
	while (t->told < t->started && t->trials[t->told].over)
		tell(t, &t->trials[t->told++]);
}

static bool
write_junit(struct testing *t, const struct sl_tested *const *tested)
{
	struct stat info;
	bool good;

	sl_junit_print(t->junit, tested, t->started, t->begin);
	good = fflush(t->junit) == 0 && !ferror(t->junit);
	if (!good)
		sl_say(stderr, "sleave test: cannot write %s: %s\n", t->settings.test.junit, strerror(errno));
	/* a reader would take half a file for a damaged one, or for a run with fewer tests */
	if (!good && fstat(fileno(t->junit), &info) == 0 && S_ISREG(info.st_mode))
		unlink(t->settings.test.junit);
	fclose(t->junit);
	return good;
}

static int
conclude(struct testing *t)
{
	const struct sl_tested **tested = sl_must(calloc(t->started + 1, sizeof(*tested)));
	const size_t *of = t->counts.of;
	bool good = !of[SL_TEST_UNDECIDED] && !t->interrupts;

	for (size_t i = 0; i < t->started; i++)
		tested[i] = &t->trials[i].tested;
	if (t->settings.test.tap)
		sl_tap_end(stdout, t->tap_number, t->interrupts ? "interrupted" : NULL);
	if (t->out && t->interrupts)
		fprintf(t->out, "interrupted: %zu of %zu programs were not run\n", t->count - t->started,
			t->count);
	if (t->out)
		sl_test_counts_print(t->out, &t->style, &t->counts);
	if (t->settings.json)
		sl_tests_json_print(stdout, tested, t->started, t->interrupts);
	if (t->junit && !write_junit(t, tested))
		good = false;
	if (t->settings.test.filter && !t->selected &&
	    !t->interrupts) { /* a failed program may have been reported although no test matches */
		sl_say(stderr, "sleave test: no test matches '%s'\n", t->settings.test.filter);
		good = false;
	}
	free(tested);
	return of[SL_TEST_FAILED] ? SL_EXIT_FINDING : good ? SL_EXIT_CLEAN : SL_EXIT_UNDECIDED;
}

/* ---- running ---- */

static void
interrupt(struct testing *t, uint64_t now)
{
	t->interrupts++;
	if (!t->interrupted)
		t->interrupted = now;
	for (size_t i = 0; i < t->started; i++)
		if (!t->trials[i].over)
			sl_trial_interrupt(&t->trials[i], t->interrupts > 1);
}

static void
look(struct testing *t)
{
	uint64_t now = sl_nanoseconds();

	if (t->interrupts == 1 && now - t->interrupted > GRACE_NS)
		interrupt(t, now);
	t->running = 0;
	for (size_t i = t->told; i < t->started; i++) {
		sl_trial_look(&t->trials[i], &t->settings, t->output, now);
		t->running += !t->trials[i].over;
	}
}

static void
start_more(struct testing *t)
{
	while (t->started < t->count && t->running < t->settings.jobs && !t->interrupts) {
		struct sl_trial *trial = &t->trials[t->started++];

		sl_trial_start(trial, &t->settings, t->output);
		t->running += !trial->over;
	}
}

static void
run_all(struct testing *t)
{
	const struct timespec tick = {.tv_nsec = TICK_NS};
	sigset_t signals = sl_signals_taken(), before;

	sigprocmask(SIG_BLOCK, &signals, &before);
	for (;;) {
		int signal;

		start_more(t);
		tell_those_over(t);
		if (!t->running && (t->started == t->count || t->interrupts))
			break;
		signal = t->running ? sigtimedwait(&signals, NULL, &tick) : 0;
		if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP)
			interrupt(t, sl_nanoseconds());
		look(t);
		draw(t);
	}
	wipe(t);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

/* ---- settings ---- */

static int
check_settings(struct sl_settings *s, struct sl_err *err)
{
	if (sl_settings_check_strategy(s->strategy, NULL, err) < 0)
		return -1;
	if (s->test.tap && s->json)
		return sl_err_set(err, "--tap and --json both write to standard output: leave one out");
	if (s->check && s->test.mode != SL_MODE_AUTO && s->test.mode != SL_MODE_CHECK)
		return sl_err_set(err, "--check means --mode=check: leave the other --mode out");
	if (s->check)
		s->test.mode = SL_MODE_CHECK;
	if (s->tape && s->test.mode != SL_MODE_AUTO && s->test.mode != SL_MODE_EXPLORE)
		return sl_err_set(err, "--trace records explored executions, and --mode=%s explores none",
				  s->test.mode == SL_MODE_CHECK ? "check" : "free");
	if (!s->limit.time && !s->limit.schedules)
		s->limit.time = TIME_DEFAULT;
	return 0;
}

static void
tell_skipped(const struct testing *t)
{
	const struct sl_gathering *g = &t->gathering;

	for (size_t i = 0; t->settings.verbose && i < g->skipped_count; i++)
		sl_say(stderr, "note: %s is not a test for Sleave (it does not link libsleave.so)\n",
		       g->skipped[i]);
	if (!t->settings.verbose && !t->settings.quiet && g->skipped_count)
		fprintf(stderr, "note: %zu %s for Sleave (-v names them)\n", g->skipped_count,
			g->skipped_count == 1 ? "program is not a test" : "programs are not tests");
}

static int
gather(struct testing *t, char **paths, struct sl_err *err)
{
	struct sl_gathering *g = &t->gathering;
	bool some = false;

	for (char **path = paths; *path; path++)
		if (sl_gathering_add(g, *path, err) < 0)
			return -1;
	sl_gathering_name(g);
	tell_skipped(t);
	if (!g->count)
		return sl_err_set(err, "no program in %s links libsleave.so", paths[0]);
	t->trials = sl_must(calloc(g->count, sizeof(*t->trials)));
	for (size_t i = 0; i < g->count; i++)
		some = some || (t->settings.test.filter &&
				sl_filter_may_match(t->settings.test.filter, g->candidates[i].name));
	if (t->settings.test.filter && !some) /* the filter then selects tests in the programs */
		sl_say(stderr,
		       "note: no program's name matches '%s': looking for matching tests in %s%zu program%s\n",
		       t->settings.test.filter, g->count == 1 ? "" : "all ", g->count, g->count == 1 ? "" : "s");
	for (size_t i = 0; i < g->count; i++)
		if (!some || sl_filter_may_match(t->settings.test.filter, g->candidates[i].name))
			sl_trial_init(&t->trials[t->count++], &g->candidates[i], &t->settings);
	return 0;
}

/* Uses full names, since a program may change its folder. */
static int
open_files(struct testing *t, struct sl_err *err)
{
	mkdir(t->settings.output, 0777);
	if (!realpath(t->settings.output, t->output))
		return sl_err_set(err, "cannot make the folder %s for replay files: %s", t->settings.output,
				  strerror(errno));
	if (t->settings.tape) {
		mkdir(t->settings.tape, 0777);
		if (!realpath(t->settings.tape, t->traces))
			return sl_err_set(err, "cannot make the folder %s for traces: %s", t->settings.tape,
					  strerror(errno));
		t->settings.tape = t->traces;
	}
	if (!t->settings.test.junit)
		return 0;
	t->junit = fopen(t->settings.test.junit, "we");
	return t->junit ? 0 : sl_err_set(err, "cannot write %s: %s", t->settings.test.junit, strerror(errno));
}

int
sl_command_test(int argc, char **argv)
{
	static struct testing t;
	struct sl_err err = {""};
	const char *term = getenv("TERM");
	int first = sl_options_parse(&t.settings, SL_FOR_TEST, argc, argv, &err), status = SL_EXIT_UNDECIDED;

	if (first == 0) {
		help();
		return SL_EXIT_CLEAN;
	}
	if (first > 0 && first == argc)
		first = sl_err_set(&err, "no program and no folder is given");
	if (first < 0 || check_settings(&t.settings, &err) < 0) {
		fprintf(stderr, "sleave test: %s (sleave test --help)\n", err.text);
		return SL_EXIT_USAGE;
	}
	t.out = t.settings.json ? stderr : t.settings.test.tap ? NULL : stdout;
	t.style = sl_style_for(t.out ? t.out : stdout, t.settings.colour);
	t.terminal = isatty(STDERR_FILENO) && !(term && strcmp(term, "dumb") == 0);
	t.begin = time(NULL);
	if (gather(&t, argv + first, &err) == 0 && open_files(&t, &err) == 0) {
		if (t.settings.test.tap)
			sl_tap_begin(stdout);
		run_all(&t);
		status = conclude(&t);
	} else {
		fprintf(stderr, "sleave test: %s\n", err.text);
	}
	for (size_t i = 0; i < t.count; i++)
		sl_trial_release(&t.trials[i]);
	free(t.trials);
	sl_gathering_release(&t.gathering);
	return status;
}
