#include "cli/session/options.h"
#include "report/words.h"
#include "schedule/schedule.h"

#include "search/arena.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* FLAG takes nothing; NUMBER digits; SIZE "512M", "2G", bytes; TIME "30s", "2m", "500ms"; WORD one of `words`, in
 * the order of its enum; WORD_OR_LAST without a value is the last of them; TEXT_OR_NONE without a value is empty. */
enum kind { FLAG, NUMBER, SIZE, TIME, WORD, WORD_OR_LAST, TEXT, TEXT_OR_NONE };

struct option_row {
	unsigned commands;
	enum kind kind;
	char letter; /* 0: none */
	const char *name, *words, *fallback;
	uint64_t low, high;
	size_t offset;
	const char *sentence;
};

#define AT(field) offsetof(struct sl_settings, field)
#define RUN SL_FOR_RUN
#define REPLAY SL_FOR_REPLAY
#define REPORT SL_FOR_REPORT
#define TEST SL_FOR_TEST
#define RECORD SL_FOR_RECORD
#define TRACE SL_FOR_TRACE
#define COVER SL_FOR_COVER
#define REGRESS SL_FOR_REGRESS
#define IMPACT SL_FOR_IMPACT
#define PREDICT SL_FOR_PREDICT
#define PATHS SL_FOR_PATHS
#define FREE 0x2000 /* may be different in a run that is resumed */

const char sl_options_default_strategy[] = "portfolio";

/* clang-format off */
static const struct option_row rows[] = {
	{RUN, TEXT, 's', "strategy", "NAME", sl_options_default_strategy, 0, 0, AT(strategy),
	 "how the interleavings are searched; see below"},
	{REGRESS | IMPACT | PREDICT, TEXT, 0, "old", "REV", NULL, 0, 0, AT(change.old_revision),
	 "the old version: a revision that git knows (HEAD)"},
	{REGRESS | IMPACT | PREDICT, TEXT, 0, "new", "REV", NULL, 0, 0, AT(change.new_revision),
	 "the new version (the working tree)"},
	{REGRESS | IMPACT | PREDICT, TEXT, 0, "old-tree", "DIR", NULL, 0, 0, AT(change.old_tree),
	 "the old version is this folder"},
	{REGRESS | IMPACT | PREDICT, TEXT, 0, "new-tree", "DIR", NULL, 0, 0, AT(change.new_tree),
	 "the new version is this folder"},
	{REGRESS | IMPACT | PREDICT, TEXT, 0, "old-program", "FILE", NULL, 0, 0, AT(change.old_program),
	 "the old program; both programs have been built with `sleave cc` already"},
	{REGRESS | IMPACT | PREDICT, TEXT, 0, "build", "COMMAND", NULL, 0, 0, AT(change.build),
	 "the command that builds a version (that of last time here, or `make PROGRAM`)"},
	{REGRESS | IMPACT | PREDICT, FLAG, 0, "clean", NULL, "0", 0, 0, AT(change.clean),
	 "remove the versions that were built aside, and do nothing else"},
	{PREDICT, WORD, 0, "violations", "off|warn|on", "warn", 0, 0, AT(predict.violations),
	 "a confirmed violation is a warning, unless the program fails; on: it is a finding"},
	{PREDICT, FLAG, 0, "all", NULL, "0", 0, 0, AT(predict.all),
	 "with two versions: also what the change did not make possible"},
	{PREDICT, FLAG, 0, "unmerged", NULL, "0", 0, 0, AT(predict.unmerged),
	 "with --json: count also the violations that there are if no accesses are merged, for measurements"},
	{IMPACT, FLAG, 0, "dynamic", NULL, "0", 0, 0, AT(predict.dynamic),
	 "run both versions, and print the accesses that are new or whose concurrency context has changed"},
	{REGRESS | IMPACT | PREDICT, NUMBER, 0, "executions", "N", "1", 1, 10000, AT(predict.executions),
	 "record N executions of each version: the first without preemptions, the others random, by --seed"},
	{REGRESS | IMPACT | PREDICT, NUMBER, 0, "k", "N", "0", 0, 1000, AT(predict.k),
	 "with two versions: N calls of an allocation's stack tell objects apart; 0: all of them"},
	{PREDICT, TEXT, 0, "sets", "FILE", NULL, 0, 0, AT(predict.sets),
	 "lines `set VARIABLE…`, `set struct TYPE.{MEMBER,…}`, `unit FUNCTION…`: what belongs together, and units of work"},
	{PREDICT, NUMBER, 0, "tries", "N", "20", 0, 1000000, AT(predict.tries),
	 "how many executions are steered into each violation; 0: none is tried"},
	{IMPACT, FLAG, 0, "diff", NULL, "0", 0, 0, AT(change.diff),
	 "show the sources with impacted points, changed lines marked, and the reasons beside them"},
	{PATHS, WORD, 0, "method", "branch|reach", "branch", 0, 0, AT(paths.method),
	 "branch: only what can affect a branch counts; reach: reachability testing, where all that threads share does"},
	{PATHS, NUMBER, 0, "states", "N", "4194304", 1, UINT64_MAX, AT(paths.states),
	 "give up after N states of what the threads were seen to do"},
	{REGRESS, TEXT, 's', "strategy", "NAME", "regress", 0, 0, AT(strategy),
	 "how the interleavings are searched: regress, or one of those below"},
	{TEST, WORD, 0, "mode", "auto|free|check|explore", "auto", 0, 0, AT(test.mode),
	 "free: real threads that wait for the schedule; check: real threads that are only checked; explore: all interleavings "
	 "that the schedules allow; auto: explore if built with `sleave cc`, else free"},
	{TEST, FLAG, 0, "check", NULL, "0", 0, 0, AT(check),
	 "the same as --mode=check: report whether the schedules were followed, without enforcing them"},
	{TEST, TEXT, 0, "filter", "GLOB", NULL, 0, 0, AT(test.filter),
	 "only tests whose \"program\", \"program function\" or \"program function schedule\" matches"},
	{TEST, TEXT, 's', "strategy", "NAME", sl_options_default_strategy, 0, 0, AT(strategy),
	 "explore: how the interleavings are searched, as for `sleave run`"},
	{RECORD, TEXT, 'o', "output", "FILE", NULL, 0, 0, AT(record.file),
	 "write the trace to FILE instead of PROGRAM.trace"},
	{RECORD, FLAG, 0, "controlled", NULL, "0", 0, 0, AT(record.controlled),
	 "run one execution under control, with the strategy and the seed"},
	{RECORD, TEXT, 's', "strategy", "NAME", NULL, 0, 0, AT(strategy),
	 "--controlled: how the threads are interleaved, as for `sleave run` (random)"},
	{RUN | REGRESS | IMPACT | PREDICT | COVER | TEST | RECORD, NUMBER, 0, "seed", "N", "0", 0, UINT64_MAX, AT(seed),
	 "seed of the random numbers: the same seed gives the same search"},
	{RUN | REGRESS, NUMBER, 0, "preemptions", "K", "18446744073709551615", 0, 1000000, AT(limit.preemptions),
	 "dpor, icb: explore only interleavings with at most K preemptions"},
	{RUN | REGRESS, FLAG, 0, "stateful", NULL, "0", 0, 0, AT(stateful),
	 "dfs, bfs: recognise states that were reached before, and do not search from them again"},
	{RUN, TEXT, 0, "impacted", "FILE", NULL, 0, 0, AT(change.impacted),
	 "what a change of the program impacts: a line `LOW-HIGH KINDS` for each range of its code"},
	{RUN | REGRESS, WORD, 0, "prioritise", "BASIC|CA|CS|COA|COS|MA|MS|MOA|MOS|LA|LS|LOA|LOS|FA|FS", "BASIC", 0, 0, AT(change.prioritise),
	 "icb, dfs, dpor, --stateful: explore impacted operations first; with --seed, in an order that the seed decides"},
	{RUN | REGRESS, NUMBER, 0, "iterations", "N", "0", 1, 1000000, AT(change.iterations),
	 "--prioritise: explore only the first N iterations"},
	{RUN | REGRESS, SIZE, 0, "state-memory", "SIZE", "1G", 1, UINT64_MAX, AT(limit.state_memory),
	 "--stateful: memory for saved states; with less, more operations are executed again"},
	{RUN | REGRESS | RECORD, NUMBER, 0, "depth", "D", "3", 1, 1000, AT(depth),
	 "pct: find bugs that need D ordered events"},
	{RUN | REGRESS | PATHS | FREE, NUMBER, 'n', "schedules", "N", "0", 1, UINT64_MAX, AT(limit.schedules),
	 "stop after N executions"},
	{RUN | REGRESS | PREDICT | PATHS | FREE, TIME, 't', "time", "T", "0", 1, UINT64_MAX, AT(limit.time),
	 "stop after T: 30s, 2m, 500ms (10s if neither --time nor --schedules is given)"},
	{REPLAY, TIME, 't', "time", "T", "0", 1, UINT64_MAX, AT(limit.time),
	 "give up after T (default for --as-schedule: 2m)"},
	{TEST, NUMBER, 'n', "schedules", "N", "0", 1, UINT64_MAX, AT(limit.schedules),
	 "explore: stop after N executions of each schedule"},
	{TEST, TIME, 't', "time", "T", "0", 1, UINT64_MAX, AT(limit.time),
	 "explore: stop after T for each schedule (10s if neither --time nor --schedules is given)"},
	{TEST, NUMBER, 'j', "jobs", "N", "1", 1, 4096, AT(jobs),
	 "run N programs at a time"},
	{RUN | REGRESS, NUMBER, 'j', "jobs", "N", "1", 1, SL_WORKERS_MAX, AT(jobs),
	 "search with N processes"},
	{RUN | REGRESS | FREE, TEXT_OR_NONE, 0, "resume", "FILE", NULL, 0, 0, AT(resume),
	 "resume a run that was killed, interrupted or at its limit, with its program and options"},
	{RUN | REGRESS | PREDICT | RECORD, TEXT, 0, "schedule", "TEXT", NULL, 0, 0, AT(schedule),
	 "explore only executions that follow this schedule, or the one in @FILE (sleave-schedule(1)), from the start of the program "
	 "to its end; it replaces the program's own schedules"},
	{RUN | REGRESS | PREDICT, FLAG, 0, "check", NULL, "0", 0, 0, AT(check),
	 "do not enforce schedules: an execution that does not follow them is a finding"},
	{RUN | REGRESS | PREDICT | PATHS | COVER, WORD, 0, "races", "off|warn|on", "on", 0, 0, AT(races),
	 "report data races: not at all, as warnings, or as findings"},
	{RUN | REGRESS | IMPACT | PREDICT | PATHS | COVER, WORD, 0, "volatile", "plain|atomic", "plain", 0, 0, AT(volatiles),
	 "treat volatile accesses as plain ones, or as atomic ones (as programs from before C11 mean them)"},
	{RUN | REGRESS | PREDICT | PATHS | COVER, TEXT, 0, "suppressions", "FILE", NULL, 0, 0, AT(suppressions),
	 "do not report the findings that FILE names, in ThreadSanitizer's format"},
	{RUN | REGRESS | PREDICT | PATHS | COVER, WORD, 0, "misuse", "off|warn|on", "on", 0, 0, AT(misuse),
	 "report misuse of mutexes, condition variables, threads, …: not at all, as warnings, or as findings"},
	{RUN | COVER | RECORD, FLAG, 0, "sync-only", NULL, "0", 0, 0, AT(sync_only),
	 "control a program that was not built with `sleave cc`: accesses to memory are not seen"},
	{RUN | REGRESS | PREDICT | PATHS | COVER, WORD, 0, "memory", "off|warn|on", "on", 0, 0, AT(memory),
	 "report use after free, double free, out of bounds: not at all, as warnings, or as findings"},
	{RUN | REGRESS | IMPACT | PREDICT | COVER | RECORD, FLAG, 0, "spurious", NULL, "0", 0, 0, AT(spurious),
	 "explore spurious wake-ups of condition variables and spurious failures of weak compare-and-swaps"},
	{RUN | REGRESS | PREDICT | PATHS, FLAG, 0, "realistic-time", NULL, "0", 0, 0, AT(realistic_time),
	 "report findings that need a runnable thread to be delayed for 0.1 s or more last"},
	{RUN | REGRESS | PREDICT, FLAG, 'k', "keep-going", NULL, "0", 0, 0, AT(keep_going),
	 "collect all distinct findings instead of stopping at the first"},
	{RUN | REGRESS | PREDICT | PATHS | COVER, WORD_OR_LAST, 0, "check-determinism", "off|sample|all", "sample", 0, 0, AT(compare),
	 "run some or all executions twice and compare their operations; without a value: all"},
	{RUN | REGRESS | IMPACT | PREDICT | PATHS | COVER, NUMBER, 0, "operations", "N", "20000000", 1, UINT64_MAX, AT(limit.operations),
	 "cut an execution after N operations"},
	{REPLAY | RECORD, NUMBER, 0, "operations", "N", "4000000000", 1, UINT64_MAX, AT(limit.operations),
	 "cut the execution after N operations"},
	{REPLAY, FLAG, 0, "trace", NULL, "0", 0, 0, AT(replay.trace),
	 "print every operation on a line of its own"},
	{REPLAY, FLAG, 0, "as-schedule", NULL, "0", 0, 0, AT(replay.as_schedule),
	 "print the finding as a schedule: the fewest orderings that lead to it in 100 of 100 executions"},
	{REPLAY, FLAG, 0, "gdb", NULL, "0", 0, 0, AT(replay.gdb),
	 "open the failure in gdb, with every thread visible"},
	{REPLAY, NUMBER, 0, "until", "N", "0", 1, UINT64_MAX, AT(replay.until),
	 "--gdb: stop before operation N (as --trace numbers them), and again at the failure"},
	{RUN | REGRESS | PREDICT | PATHS | REPLAY | FREE, FLAG, 0, "trust", NULL, "0", 0, 0, AT(trust),
	 "trust a replay file or a run's file that belongs to another user, names a program of another user, or changes how the "
	 "program is loaded"},
	{REPLAY, WORD, 0, "environment", "recorded|current", "recorded", 0, 0, AT(replay.environment),
	 "environment variables that the program reads: with their recorded or their current values"},
	{REPLAY, FLAG, 0, "force", NULL, "0", 0, 0, AT(replay.force),
	 "replay even though the program has changed"},
	{RUN | REGRESS | IMPACT | PREDICT | PATHS | COVER, WORD, 0, "world", "memory|fork|exec|auto", "auto", 0, 0, AT(world),
	 "how each execution gets the same initial state: restore memory, fork, or start a new process"},
	{REPLAY | RECORD, WORD, 0, "world", "memory|fork|exec|auto", "auto", 0, 0, AT(world),
	 "how the execution gets its initial state, as for `sleave run`"},
	{RUN | REGRESS | IMPACT | PREDICT | PATHS | COVER | REPLAY | RECORD, WORD, 0, "carrier", "fiber|thread", "fiber", 0, 0, AT(carrier),
	 "run the program's threads as fibers of one kernel thread, or as kernel threads"},
	{RUN | REGRESS | IMPACT | PREDICT | PATHS | COVER | REPLAY | RECORD | FREE, TIME, 0, "watchdog", "T", "30s", 1, UINT64_MAX, AT(watchdog),
	 "give up on a program that performs no operation for T"},
	{TEST, TIME, 0, "watchdog", "T", "60s", 1, UINT64_MAX, AT(watchdog),
	 "end a program that has no output, no result and no progress of a search for T"},
	{TEST, FLAG, 0, "show-output", NULL, "0", 0, 0, AT(show_output),
	 "show the output of all programs, not only of those with a failed test"},
	{TEST, FLAG, 0, "tap", NULL, "0", 0, 0, AT(test.tap),
	 "print the Test Anything Protocol on standard output"},
	{TEST, TEXT, 0, "junit", "FILE", NULL, 0, 0, AT(test.junit),
	 "also write JUnit XML to FILE"},
	{TEST, FLAG, 'v', "verbose", NULL, "0", 0, 0, AT(verbose),
	 "name the programs that are not tests"},
	{RUN | REGRESS | PREDICT | PATHS, FLAG, 'v', "verbose", NULL, "0", 0, 0, AT(verbose),
	 "say what the executions were for"},
	{IMPACT, FLAG, 'v', "verbose", NULL, "0", 0, 0, AT(verbose),
	 "name the files that are left out, and the versions that were built earlier"},
	{RUN | REGRESS | COVER | FREE, TEXT, 0, "trace", "FILE", NULL, 0, 0, AT(tape),
	 "record every execution of the search into FILE, for `sleave trace`"},
	{RUN | REGRESS | IMPACT | PREDICT | PATHS | COVER, FLAG, 0, "show-output", NULL, "0", 0, 0, AT(show_output),
	 "show what the program prints, in every execution"},
	{RUN | REGRESS | PREDICT | PATHS | COVER | REPORT | TEST, TEXT, 'o', "output", "DIR", ".", 0, 0, AT(output),
	 "write replay files to DIR"},
	{TRACE, FLAG, 0, "json", NULL, "0", 0, 0, AT(json),
	 "print one JSON object a line: what was recorded, each item, how it ended"},
	{TRACE, TEXT, 0, "perfetto", "OUT", NULL, 0, 0, AT(trace.perfetto),
	 "write a file for ui.perfetto.dev to OUT, with a track for each thread"},
	{TRACE, FLAG, 0, "summary", NULL, "0", 0, 0, AT(trace.summary),
	 "show only the number of items of each kind, and their size"},
	{TRACE, FLAG, 0, "locks", NULL, "0", 0, 0, AT(trace.locks),
	 "show with each item the locks that its thread holds"},
	{TRACE, TEXT, 0, "thread", "T", NULL, 0, 0, AT(trace.thread),
	 "show only items of this thread: its number, its name, or its path (0.2)"},
	{TRACE, TEXT, 0, "object", "GLOB", NULL, 0, 0, AT(trace.object),
	 "show only items on objects whose name matches"},
	{TRACE, TEXT, 0, "kind", "KINDS", NULL, 0, 0, AT(trace.kind),
	 "show only items of these kinds: MUTEX_LOCK,READ or ATOMIC_*"},
	{TRACE, NUMBER, 0, "part", "N", "0", 1, UINT32_MAX, AT(trace.part),
	 "show only the N-th execution in the file"},
	{RUN | REGRESS | IMPACT | PREDICT | PATHS | COVER | REPLAY | TEST | FREE, FLAG, 0, "json", NULL, "0", 0, 0, AT(json),
	 "print one JSON object on standard output; all other text goes to standard error"},
	{RUN | REGRESS | IMPACT | PREDICT | PATHS | COVER | REPLAY | TEST | RECORD | FREE, FLAG, 'q', "quiet", NULL, "0", 0, 0, AT(quiet),
	 "no progress lines and no notes"},
	{RUN | REGRESS | IMPACT | PREDICT | PATHS | COVER | REPLAY | TEST | FREE, WORD, 0, "color", "auto|always|never", "auto", 0, 0, AT(colour),
	 "colours; auto: on a terminal, unless NO_COLOR is set"},
	{COVER, TEXT, 0, "criterion", "NAME", "sync-pair", 0, 0, AT(cover.criterion),
	 "what coverage counts; see below"},
	{COVER, TEXT, 's', "strategy", "NAME", NULL, 0, 0, AT(strategy),
	 "how the interleavings are searched; see below (tsa for sync-pair, else portfolio)"},
	{COVER, FLAG, 0, "no-estimate-rule", NULL, "0", 0, 0, AT(cover.no_estimate_rule),
	 "tsa: without its third rule, which uses the estimate; implies --no-focus"},
	{COVER, FLAG, 0, "no-focus", NULL, "0", 0, 0, AT(cover.no_focus),
	 "tsa: the published algorithm alone; when nothing new is covered, do not aim executions at single pairs"},
	{COVER, TEXT, 0, "probability", "P", NULL, 0, 0, AT(cover.probability),
	 "rnd-y, rnd-s10, rnd-s100: probability that a thread yields or sleeps before an operation (0.1)"},
	{COVER, NUMBER, 'n', "schedules", "N", "0", 1, UINT64_MAX, AT(limit.schedules),
	 "stop after N executions"},
	{COVER, TIME, 't', "time", "T", "0", 1, UINT64_MAX, AT(limit.time),
	 "stop after T: 30s, 2m, 500ms (60s if neither --time nor --schedules is given)"},
	{COVER, TEXT, 0, "window", "N|T", "500", 0, 0, AT(cover.window),
	 "stop when coverage has not grown over the last N executions, or over a time: 120s; 0: never"},
	{COVER, TEXT, 0, "coefficient", "R", NULL, 0, 0, AT(cover.coefficient),
	 "coverage is saturated if the regression coefficient over the window is at most R (0.1)"},
	{COVER, TEXT, 0, "fail-under", "PERCENT", NULL, 0, 0, AT(cover.fail_under),
	 "exit with status 1 if less than this part of what can be covered was covered"},
	{COVER, TEXT, 0, "plot", "FILE", NULL, 0, 0, AT(cover.plot),
	 "plot coverage over executions and time to FILE (PROGRAM-coverage.svg, beside replay files)"},
	{COVER, FLAG, 0, "all", NULL, "0", 0, 0, AT(cover.all),
	 "also list covered pairs, and all infeasible ones"},
	{COVER, FLAG, 0, "show", NULL, "0", 0, 0, AT(cover.show),
	 "run nothing; show what all runs, or all runs of the program, have covered"},
	{COVER, TEXT, 0, "diff", "RUN|DATE", NULL, 0, 0, AT(cover.diff),
	 "run nothing; show what has changed since that run, or since the last run up to a date (2026-11-16, \"2026-11-16 12:30\")"},
	{COVER, FLAG, 0, "no-store", NULL, "0", 0, 0, AT(cover.no_store),
	 "do not store this run in .sleave/"},
	{TEST, TEXT, 0, "trace", "DIR", NULL, 0, 0, AT(tape),
	 "record every explored execution, to a file in DIR for each schedule"},
	{REPORT, TEXT, 0, "trace", "FILE", NULL, 0, 0, AT(tape), "write the trace of an exploration"},
	{REPORT, TEXT, 0, "arena", "PATH", NULL, 0, 0, AT(report.arena),
	 "the arena of a search inside a test"},
	{REPORT, FLAG, 0, "early", NULL, "0", 0, 0, AT(report.early),
	 "only write the replay files of unfinished findings"},
	{REPORT, NUMBER, 0, "pid", "PID", "0", 1, INT32_MAX, AT(report.pid),
	 "the test"},
};
/* clang-format on */

#define ROWS (sizeof(rows) / sizeof(rows[0]))
_Static_assert(ROWS <= 128, "settings.given has a bit for each");
#define HELP_CODE 1000 /* rows are 1001 … */

static void *
field(struct sl_settings *settings, const struct option_row *row)
{
	return (char *)settings + row->offset;
}

/* "2m" in nanoseconds. Fractions are allowed: "1.5s". */
static int
parse_time(const char *text, uint64_t *ns)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}};
	char *end;
	double number;

	if (strspn(text, "0123456789.") == 0)
		return -1;
	number = strtod(text, &end);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].unit) != 0)
			continue;
		number *= units[i].ns;
		if (!(number < 9e18))
			return -1;
		*ns = (uint64_t)number;
		return 0;
	}
	return -1;
}

static int
parse_number(const char *text, uint64_t *number)
{
	char *end;

	if (*text < '0' || *text > '9')
		return -1;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return errno || *end ? -1 : 0;
}

int
sl_options_number_or_time(const char *text, uint64_t *number, uint64_t *ns)
{
	*ns = 0;
	if (parse_number(text, number) == 0)
		return 0;
	*number = 0;
	return parse_time(text, ns);
}

/* "64K", "512M", "2G", or bytes. */
static int
parse_size(const char *text, uint64_t *bytes)
{
	char *end;
	int shift;

	if (*text < '0' || *text > '9')
		return -1;
	errno = 0;
	*bytes = strtoull(text, &end, 10);
	shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
	if (errno || end[shift != 0] || *bytes > UINT64_MAX >> shift)
		return -1;
	*bytes <<= shift;
	return 0;
}

static int
parse_word(const char *text, const char *words, uint64_t *number)
{
	size_t size = strlen(text);

	*number = 0;
	for (const char *word = words; size; word += strcspn(word, "|") + 1, ++*number) {
		if (strcspn(word, "|") == size && strncmp(word, text, size) == 0)
			return 0;
		if (!word[strcspn(word, "|")])
			break;
	}
	return -1;
}

static int
set(struct sl_settings *settings, const struct option_row *row, const char *text, struct sl_err *err)
{
	uint64_t *number = field(settings, row), most = row->high;

	switch (row->kind) {
	case FLAG:
		*number = 1;
		return 0;
	case TEXT_OR_NONE:
		*(const char **)field(settings, row) = text ? text : "";
		return 0;
	case TEXT:
		if (!*text)
			return sl_err_set(err, "--%s needs a %s", row->name, row->words);
		*(const char **)field(settings, row) = text;
		return 0;
	case WORD:
	case WORD_OR_LAST:
		if (!text)
			text = strrchr(row->words, '|') + 1;
		if (parse_word(text, row->words, number) < 0)
			return sl_err_set(err, "--%s is one of %s, not '%s'", row->name, row->words, text);
		return 0;
	case TIME:
		if (parse_time(text, number) < 0 || *number < row->low)
			return sl_err_set(err, "--%s takes a time like 30s, 2m or 500ms, not '%s'", row->name,
					  text);
		return 0;
	case SIZE:
		if (parse_size(text, number) < 0)
			return sl_err_set(err, "--%s takes a size like 64M or 2G, not '%s'", row->name, text);
		return 0;
	case NUMBER:
		break;
	}
	if (parse_number(text, number) < 0)
		return sl_err_set(err, "--%s takes a number, not '%s'", row->name, text);
	if (*number < row->low || *number > most) {
		if (most >= INT32_MAX)
			return sl_err_set(err, "--%s must be at least %" PRIu64, row->name, row->low);
		return sl_err_set(err, "--%s must be from %" PRIu64 " to %" PRIu64, row->name, row->low, most);
	}
	return 0;
}

static void
set_fallback(struct sl_settings *settings, const struct option_row *row)
{
	uint64_t *number = field(settings, row);

	switch (row->kind) {
	case TEXT:
	case TEXT_OR_NONE:
		*(const char **)field(settings, row) = row->fallback;
		break;
	case WORD:
	case WORD_OR_LAST:
		parse_word(row->fallback, row->words, number);
		break;
	case TIME:
		parse_time(row->fallback, number);
		break;
	case SIZE:
		parse_size(row->fallback, number);
		break;
	default:
		parse_number(row->fallback, number);
	}
}

/* Options of other commands that a user may try, and what to do instead. */
static const struct {
	unsigned command;
	char letter;
	const char *name, *instead;
} elsewhere[] = {
	{COVER, 'j', "jobs",
	 "sleave cover runs one process: start several, each with another --seed; their coverage adds up (--show)"},
	{COVER, 0, "resume",
	 "sleave cover needs no --resume: coverage is stored, and adds up over runs (--show); start a new run with another --seed"},
};

static const char *
find_elsewhere(unsigned command, int letter, const char *name)
{
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(*elsewhere); i++)
		if (elsewhere[i].command == command &&
		    (letter ? elsewhere[i].letter == letter : strcmp(elsewhere[i].name, name) == 0))
			return elsewhere[i].instead;
	return NULL;
}

static int
wrong(unsigned command, int code, int letter, const char *word, struct sl_err *err)
{
	const char *names[ROWS + 1] = {0}, *near, *instead;
	size_t count = 0;
	char name[64];

	if (code == ':' || letter > HELP_CODE) {
		const struct option_row *row = letter > HELP_CODE ? &rows[letter - HELP_CODE - 1] : NULL;

		if (row && row->kind == FLAG)
			return sl_err_set(err, "--%s takes no value", row->name);
		return sl_err_set(err, "%s needs a value", word);
	}
	snprintf(name, sizeof(name), "%.*s", letter ? 0 : (int)strcspn(word + 2, "="), letter ? "" : word + 2);
	instead = find_elsewhere(command, letter, name);
	if (instead)
		return sl_err_set(err, "%s", instead);
	if (letter)
		return sl_err_set(err, "there is no option -%c", letter);
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].commands & command)
			names[count++] = rows[i].name;
	near = sl_nearest(name, names, count);
	if (near)
		return sl_err_set(err, "there is no option --%s; did you mean --%s?", name, near);
	return sl_err_set(err, "there is no option --%s", name);
}

int
sl_options_parse(struct sl_settings *settings, unsigned command, int argc, char **argv, struct sl_err *err)
{
	struct option longs[ROWS + 2] = {{"help", no_argument, NULL, HELP_CODE}};
	char shorts[3 + 2 * ROWS + 1] = "";
	size_t count = 1, used;
	int code;

	memset(settings, 0, sizeof(*settings));
	used = (size_t)snprintf(shorts, sizeof(shorts), "%s",
				command & (SL_FOR_RUN | SL_FOR_RECORD | SL_FOR_COVER | SL_FOR_REGRESS |
					   SL_FOR_IMPACT | SL_FOR_PREDICT | SL_FOR_PATHS)
					? "+:h"
					: ":h");
	for (size_t i = 0; i < ROWS; i++) {
		const struct option_row *row = &rows[i];

		if (!(row->commands & command))
			continue;
		longs[count++] = (struct option){row->name,
						 row->kind == FLAG ? no_argument
						 : row->kind == WORD_OR_LAST || row->kind == TEXT_OR_NONE
							 ? optional_argument
							 : required_argument,
						 NULL, HELP_CODE + 1 + (int)i};
		if (row->letter)
			shorts[used++] = row->letter;
		if (row->letter && row->kind != FLAG)
			shorts[used++] = ':';
		set_fallback(settings, row);
	}
	optind = 0;
	opterr = 0;
	while ((code = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const struct option_row *row = NULL;

		if (code == HELP_CODE || code == 'h')
			return 0;
		if (code == '?' || code == ':')
			return wrong(command, code, optopt, argv[optind - 1], err);
		for (size_t i = 0; i < ROWS; i++)
			if ((rows[i].commands & command) &&
			    (code == HELP_CODE + 1 + (int)i || code == rows[i].letter))
				row = &rows[i];
		if (set(settings, row, optarg, err) < 0)
			return -1;
		settings->given[(row - rows) / 64] |= 1ul << (row - rows) % 64;
	}
	return optind;
}

int
sl_options_one_file(int first, int argc, char **argv, struct sl_err *err)
{
	if (first > 0 && first == argc)
		return sl_err_set(err, "no file is given");
	if (first > 0 && first + 1 < argc)
		return sl_err_set(err, "more than one file is given: '%s'", argv[first + 1]);
	return first;
}

bool
sl_options_given(const struct sl_settings *settings, unsigned command, const char *name)
{
	for (size_t i = 0; i < ROWS; i++)
		if ((rows[i].commands & command) && !strcmp(rows[i].name, name))
			return settings->given[i / 64] & 1ul << i % 64;
	return false;
}

const char *
sl_options_beyond(const struct sl_settings *settings, unsigned command, const char *const *names)
{
	for (size_t i = 0; i < ROWS; i++) {
		const char *const *name = names;

		if (!(rows[i].commands & command) || !(settings->given[i / 64] & 1ul << i % 64))
			continue;
		while (*name && strcmp(*name, rows[i].name) != 0)
			name++;
		if (!*name)
			return rows[i].name;
	}
	return NULL;
}

static bool
is_same(const struct sl_settings *a, const struct sl_settings *b, const struct option_row *row)
{
	const char *x, *y;

	if (row->kind != TEXT && row->kind != TEXT_OR_NONE)
		return *(const uint64_t *)((const char *)a + row->offset) ==
		       *(const uint64_t *)((const char *)b + row->offset);
	x = *(const char *const *)((const char *)a + row->offset);
	y = *(const char *const *)((const char *)b + row->offset);
	return x && y ? strcmp(x, y) == 0 : x == y;
}

int
sl_options_merge(struct sl_settings *settings, const struct sl_settings *before, unsigned command,
		 struct sl_err *err)
{
	for (size_t i = 0; i < ROWS; i++) {
		const struct option_row *row = &rows[i];
		bool given = settings->given[i / 64] & 1ul << i % 64;

		if (!(row->commands & command) || row->kind == TEXT_OR_NONE)
			continue;
		if (given && !(row->commands & FREE) && !is_same(settings, before, row))
			return sl_err_set(
				err,
				"--%s differs from the run that is to be resumed: leave it out, or start a new run without "
				"--resume",
				row->name);
		if (given)
			continue;
		memcpy((char *)settings + row->offset, (const char *)before + row->offset, sizeof(uint64_t));
		if (!(row->commands & FREE))
			settings->given[i / 64] |= before->given[i / 64] & 1ul << i % 64;
	}
	return 0;
}

/* " -t, --time=T", then the sentence, then the default unless the sentence or the kind states it. */
#define LEFT 27 /* columns in front of the sentences */
#define RIGHT 100

/* Prints the sentence and the default, wrapped to the width of their column. */
static void
print_sentence(FILE *out, const struct option_row *row)
{
	char text[512];
	size_t column = LEFT;

	snprintf(text, sizeof(text), "%s", row->sentence);
	if (row->kind != FLAG && row->fallback && strcmp(row->fallback, "0") != 0 && strlen(row->fallback) < 20)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), " [%s]", row->fallback);
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
		size_t width = sl_columns(word);

		if (column > LEFT && column + 1 + width > RIGHT) {
			fprintf(out, "\n%*s", LEFT, "");
			column = LEFT;
		}
		fprintf(out, "%s%s", column > LEFT ? " " : "", word);
		column += width + (column > LEFT);
	}
	fputc('\n', out);
}

void
sl_options_print(FILE *out, unsigned command)
{
	for (size_t i = 0; i < ROWS; i++) {
		const struct option_row *row = &rows[i];
		bool optional = row->kind == TEXT_OR_NONE || row->kind == WORD_OR_LAST;
		char left[128];

		if (!(row->commands & command))
			continue;
		snprintf(left, sizeof(left), "%s%c%s--%s%s%s%s", row->letter ? "-" : " ",
			 row->letter ? row->letter : ' ', row->letter ? ", " : "  ", row->name,
			 row->kind == FLAG ? ""
			 : optional        ? "[="
					   : "=",
			 row->kind == FLAG ? "" : row->words, optional ? "]" : "");
		fprintf(out, "  %-*s", LEFT - 3, left);
		if (strlen(left) > LEFT - 3)
			fprintf(out, "\n%*s", LEFT, "");
		else
			fputc(' ', out);
		print_sentence(out, row);
	}
	fprintf(out, "  %-*s this text\n", LEFT - 3, "-h, --help");
}

int
sl_settings_check_strategy(const char *name, const char *const *more, struct sl_err *err)
{
	const char *names[32] = {0}, *near;
	char all[256] = "";
	size_t count = 0, used = 0;

	if (sl_strategy_find(name))
		return 0;
	for (const struct sl_strategy *const *s = sl_strategies; count < 31 && *s; s++)
		names[count++] = (*s)->name;
	for (; more && count < 31 && *more; more++)
		names[count++] = *more;
	for (size_t i = 0; i < count; i++)
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s", i ? ", " : "", names[i]);
	near = sl_nearest(name, names, count);
	if (near)
		return sl_err_set(err, "there is no strategy '%s'; did you mean '%s'? There are: %s", name, near,
				  all);
	return sl_err_set(err, "there is no strategy '%s'; there are: %s", name, all);
}

/* The schedule is checked before anything is started. */
int
sl_settings_read_schedule(struct sl_settings *settings, struct sl_err *err)
{
	static char text[sizeof(((struct sl_config *)0)->plan)], memory[1 << 20];
	struct sl_pool pool = {memory, memory + sizeof(memory)};
	struct sl_complaint complaint = {0};
	const char *given = settings->schedule, *file = NULL;
	size_t size;

	if (!given)
		return 0;
	if (given[0] == '@') {
		FILE *in = fopen(given + 1, "r");

		file = given + 1;
		if (!in)
			return sl_err_set(err, "cannot open %s: %s", file, strerror(errno));
		size = fread(text, 1, sizeof(text), in);
		fclose(in);
	} else {
		size = strnlen(given, sizeof(text));
		memcpy(text, given, size);
	}
	if (size == sizeof(text))
		return sl_err_set(err, "the schedule is longer than %zu bytes", sizeof(text) - 1);
	text[size] = '\0';
	settings->schedule = text;
	if (sl_plan_parse(text, size, &pool, &complaint))
		return 0;
	return sl_err_set(err, "%s%sline %u, column %u of the schedule: %s", file ? file : "", file ? ": " : "",
			  complaint.place.line, complaint.place.column, complaint.text);
}
