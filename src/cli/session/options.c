#include "cli/session/options.h"
#include "schedule/schedule.h"

#include "search/arena.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* FLAG takes nothing; NUMBER digits; SIZE "512M", "2G", bytes; TIME "30s", "2m", "500ms"; WORD one of `words`, in the
 * order of its enum; WORD_OR_LAST is the last of them when the value is missing; TEXT_OR_NONE is empty then. */
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
#define FREE 0x100 /* may be different in a run that goes on */

const char sl_options_default_strategy[] = "portfolio";

/* clang-format off */
static const struct option_row rows[] = {
	{RUN, TEXT, 's', "strategy", "NAME", sl_options_default_strategy, 0, 0, AT(strategy),
	 "how the interleavings are searched; see below"},
	{TEST, WORD, 0, "mode", "auto|free|check|explore", "auto", 0, 0, AT(mode),
	 "free: on real threads, held to the schedules; check: never held; explore: all that they allow; auto: explore if "
	 "built with `sleave cc`, else free"},
	{TEST, FLAG, 0, "check", NULL, "0", 0, 0, AT(check),
	 "as --mode=check: never interfere, and say whether the schedules were followed"},
	{TEST, TEXT, 0, "filter", "GLOB", NULL, 0, 0, AT(filter),
	 "only tests whose \"program\", \"program function\" or \"program function schedule\" matches"},
	{TEST, TEXT, 's', "strategy", "NAME", sl_options_default_strategy, 0, 0, AT(strategy),
	 "explore: how the interleavings are searched, as for `sleave run`"},
	{RECORD, TEXT, 'o', "output", "FILE", NULL, 0, 0, AT(file),
	 "write the trace to FILE (PROGRAM.trace, here, if it is not given)"},
	{RECORD, FLAG, 0, "controlled", NULL, "0", 0, 0, AT(controlled),
	 "one execution under control, by the strategy and the seed"},
	{RECORD, TEXT, 's', "strategy", "NAME", NULL, 0, 0, AT(strategy),
	 "with --controlled: how the threads are interleaved, as for `sleave run` [random]"},
	{RUN | COVER | TEST | RECORD, NUMBER, 0, "seed", "N", "0", 0, UINT64_MAX, AT(seed),
	 "where the randomness comes from: the same seed, the same search"},
	{RUN, NUMBER, 0, "preemptions", "K", "18446744073709551615", 0, 1000000, AT(preemptions),
	 "dpor, icb: only interleavings with at most K preemptions"},
	{RUN, FLAG, 0, "stateful", NULL, "0", 0, 0, AT(stateful),
	 "dfs, bfs: recognise states, and go on from none of them twice"},
	{RUN, SIZE, 0, "state-memory", "SIZE", "1G", 1, UINT64_MAX, AT(state_memory),
	 "--stateful: memory for states to go back to; with less, executions begin farther back"},
	{RUN | RECORD, NUMBER, 0, "depth", "D", "3", 1, 1000, AT(depth),
	 "pct: find bugs that need D ordered events"},
	{RUN | FREE, NUMBER, 'n', "schedules", "N", "0", 1, UINT64_MAX, AT(schedules),
	 "stop after N executions"},
	{RUN | FREE, TIME, 't', "time", "T", "0", 1, UINT64_MAX, AT(time),
	 "stop after T: 30s, 2m, 500ms (10s if neither --time nor --schedules is given)"},
	{REPLAY, TIME, 't', "time", "T", "0", 1, UINT64_MAX, AT(time),
	 "give up after T (--as-schedule takes at most 2m if it is not given)"},
	{TEST, NUMBER, 'n', "schedules", "N", "0", 1, UINT64_MAX, AT(schedules),
	 "explore: stop after N executions of each schedule"},
	{TEST, TIME, 't', "time", "T", "0", 1, UINT64_MAX, AT(time),
	 "explore: stop after T with each schedule (10s if neither is given)"},
	{TEST, NUMBER, 'j', "jobs", "N", "1", 1, 4096, AT(jobs),
	 "run N programs at a time"},
	{RUN, NUMBER, 'j', "jobs", "N", "1", 1, SL_WORKERS_MAX, AT(jobs),
	 "search with N processes"},
	{RUN | FREE, TEXT_OR_NONE, 0, "resume", "FILE", NULL, 0, 0, AT(resume),
	 "go on with a run that was killed, interrupted or at its limit, with its options and program"},
	{RUN | RECORD, TEXT, 0, "schedule", "TEXT", NULL, 0, 0, AT(schedule),
	 "only executions that follow this schedule, or the one in @FILE (sleave-schedule(1)), from the start of the program to its "
	 "end; the program's own schedules are set aside"},
	{RUN, FLAG, 0, "check", NULL, "0", 0, 0, AT(check),
	 "schedules are not enforced: an execution that does not follow them is a finding"},
	{RUN | COVER, WORD, 0, "races", "off|warn|on", "on", 0, 0, AT(races),
	 "data races: nothing, a warning, or a finding"},
	{RUN | COVER, WORD, 0, "volatile", "plain|atomic", "plain", 0, 0, AT(volatiles),
	 "volatile accesses: as others, or atomic (as programs from before C11 mean them)"},
	{RUN | COVER, TEXT, 0, "suppressions", "FILE", NULL, 0, 0, AT(suppressions),
	 "findings not to be reported, in the format of ThreadSanitizer"},
	{RUN | COVER, WORD, 0, "misuse", "off|warn|on", "on", 0, 0, AT(misuse),
	 "misuse of mutexes and their like: nothing, a warning, or a finding"},
	{RUN | COVER | RECORD, FLAG, 0, "sync-only", NULL, "0", 0, 0, AT(sync_only),
	 "control a program that was not built with `sleave cc`: accesses to memory are not seen"},
	{RUN | COVER, WORD, 0, "memory", "off|warn|on", "on", 0, 0, AT(memory),
	 "use after free, double free, out of bounds: nothing, a warning, or a finding"},
	{RUN | COVER | RECORD, FLAG, 0, "spurious", NULL, "0", 0, 0, AT(spurious),
	 "let condition variables wake spuriously and weak compare-and-swaps fail"},
	{RUN, FLAG, 0, "realistic-time", NULL, "0", 0, 0, AT(realistic_time),
	 "tell last what needs a runnable thread to be delayed for 0.1 s or more"},
	{RUN, FLAG, 'k', "keep-going", NULL, "0", 0, 0, AT(keep_going),
	 "collect all distinct findings instead of stopping at the first"},
	{RUN | COVER, WORD_OR_LAST, 0, "check-determinism", "off|sample|all", "sample", 0, 0, AT(compare),
	 "run some or all executions twice and compare them operation by operation; alone: all"},
	{RUN | COVER, NUMBER, 0, "operations", "N", "20000000", 1, UINT64_MAX, AT(operations),
	 "cut an execution after N operations"},
	{REPLAY | RECORD, NUMBER, 0, "operations", "N", "4000000000", 1, UINT64_MAX, AT(operations),
	 "cut the execution after N operations"},
	{REPLAY, FLAG, 0, "trace", NULL, "0", 0, 0, AT(trace),
	 "print every operation, one a line"},
	{REPLAY, FLAG, 0, "as-schedule", NULL, "0", 0, 0, AT(as_schedule),
	 "print it as a schedule: the fewest orderings that lead to it in 100 of 100 executions"},
	{REPLAY, FLAG, 0, "gdb", NULL, "0", 0, 0, AT(gdb),
	 "open the failure in gdb, with every thread visible"},
	{REPLAY, NUMBER, 0, "until", "N", "0", 1, UINT64_MAX, AT(until),
	 "with --gdb: stop before operation N (as --trace numbers them), and again at the failure"},
	{RUN | REPLAY | FREE, FLAG, 0, "trust", NULL, "0", 0, 0, AT(trust),
	 "believe a replay file or the file of a run that belongs to another user, names the program of another user, or changes "
	 "how the program is loaded"},
	{REPLAY, WORD, 0, "environment", "recorded|current", "recorded", 0, 0, AT(environment),
	 "the variables that the program asked for: as they were, or as they are now"},
	{REPLAY, FLAG, 0, "force", NULL, "0", 0, 0, AT(force),
	 "try even though the program has changed"},
	{RUN | COVER, WORD, 0, "world", "memory|fork|exec|auto", "auto", 0, 0, AT(world),
	 "how executions begin from the same state: restore memory, fork, or a new process"},
	{REPLAY | RECORD, WORD, 0, "world", "memory|fork|exec|auto", "auto", 0, 0, AT(world),
	 "how the execution begins, as for `sleave run`"},
	{RUN | COVER | REPLAY | RECORD, WORD, 0, "carrier", "fiber|thread", "fiber", 0, 0, AT(carrier),
	 "what carries the program's threads: fibers of one kernel thread, or kernel threads"},
	{RUN | COVER | REPLAY | RECORD | FREE, TIME, 0, "watchdog", "T", "30s", 1, UINT64_MAX, AT(watchdog),
	 "give up on a program that does nothing visible for T"},
	{TEST, TIME, 0, "watchdog", "T", "60s", 1, UINT64_MAX, AT(watchdog),
	 "end a program that neither prints nor reports nor searches anything for T"},
	{TEST, FLAG, 0, "show-output", NULL, "0", 0, 0, AT(show_output),
	 "show what the programs print, also where all tests passed"},
	{TEST, FLAG, 0, "tap", NULL, "0", 0, 0, AT(tap),
	 "the Test Anything Protocol on standard output"},
	{TEST, TEXT, 0, "junit", "FILE", NULL, 0, 0, AT(junit),
	 "write JUnit XML to FILE, too"},
	{TEST, FLAG, 'v', "verbose", NULL, "0", 0, 0, AT(verbose),
	 "name the programs that are no tests"},
	{RUN, FLAG, 'v', "verbose", NULL, "0", 0, 0, AT(verbose),
	 "say what the executions were for"},
	{RUN | COVER | FREE, TEXT, 0, "trace", "FILE", NULL, 0, 0, AT(tape),
	 "record every execution of the search into FILE, for `sleave trace`"},
	{RUN | COVER, FLAG, 0, "show-output", NULL, "0", 0, 0, AT(show_output),
	 "show what the program prints, in every execution"},
	{RUN | COVER | REPORT | TEST, TEXT, 'o', "output", "DIR", ".", 0, 0, AT(output),
	 "write replay files to DIR"},
	{TRACE, FLAG, 0, "json", NULL, "0", 0, 0, AT(json),
	 "one JSON object a line: what was recorded, each item, how it ended"},
	{TRACE, TEXT, 0, "perfetto", "OUT", NULL, 0, 0, AT(perfetto),
	 "write to OUT what ui.perfetto.dev opens: a track for each thread"},
	{TRACE, FLAG, 0, "summary", NULL, "0", 0, 0, AT(summary),
	 "only how many items of which kinds, and what they take"},
	{TRACE, FLAG, 0, "locks", NULL, "0", 0, 0, AT(locks),
	 "with each item the locks that its thread holds"},
	{TRACE, TEXT, 0, "thread", "T", NULL, 0, 0, AT(thread),
	 "only items of this thread: its number, its name, or its path (0.2)"},
	{TRACE, TEXT, 0, "object", "GLOB", NULL, 0, 0, AT(object),
	 "only items on objects whose name matches"},
	{TRACE, TEXT, 0, "kind", "KINDS", NULL, 0, 0, AT(kind),
	 "only items of these kinds: MUTEX_LOCK,READ or ATOMIC_*"},
	{TRACE, NUMBER, 0, "part", "N", "0", 1, UINT32_MAX, AT(part),
	 "only the N-th of the executions in the file"},
	{RUN | COVER | REPLAY | TEST | FREE, FLAG, 0, "json", NULL, "0", 0, 0, AT(json),
	 "one JSON object on standard output; everything for people goes to standard error"},
	{RUN | COVER | REPLAY | TEST | RECORD | FREE, FLAG, 'q', "quiet", NULL, "0", 0, 0, AT(quiet),
	 "no progress lines and no notes"},
	{RUN | COVER | REPLAY | TEST | FREE, WORD, 0, "color", "auto|always|never", "auto", 0, 0, AT(colour),
	 "colours; auto: on a terminal, unless NO_COLOR is set"},
	{COVER, TEXT, 0, "criterion", "NAME", "sync-pair", 0, 0, AT(criterion),
	 "what is to be covered; see below"},
	{COVER, TEXT, 's', "strategy", "NAME", NULL, 0, 0, AT(strategy),
	 "how the interleavings are searched; see below (tsa for sync-pair, else portfolio)"},
	{COVER, FLAG, 0, "no-estimate-rule", NULL, "0", 0, 0, AT(no_estimate_rule),
	 "tsa: without its third rule, which goes by what is estimated; implies --no-focus"},
	{COVER, FLAG, 0, "no-focus", NULL, "0", 0, 0, AT(no_focus),
	 "tsa: the published algorithm alone, without executions that are about one pair when nothing new comes"},
	{COVER, TEXT, 0, "probability", "P", NULL, 0, 0, AT(probability),
	 "rnd-y, rnd-s10, rnd-s100: how likely a thread yields or sleeps before an operation (0.1)"},
	{COVER, NUMBER, 'n', "schedules", "N", "0", 1, UINT64_MAX, AT(schedules),
	 "stop after N executions"},
	{COVER, TIME, 't', "time", "T", "0", 1, UINT64_MAX, AT(time),
	 "stop after T: 30s, 2m, 500ms (60s if neither --time nor --schedules is given)"},
	{COVER, TEXT, 0, "window", "N|T", "500", 0, 0, AT(window),
	 "stop when nothing has grown over the last N executions, or over a time: 120s; 0: do not look"},
	{COVER, TEXT, 0, "coefficient", "R", NULL, 0, 0, AT(coefficient),
	 "of the regression over the window: it is saturated at most at this (0.1)"},
	{COVER, TEXT, 0, "fail-under", "PERCENT", NULL, 0, 0, AT(fail_under),
	 "exit status 1 if less than this part of what could be covered was"},
	{COVER, TEXT, 0, "plot", "FILE", NULL, 0, 0, AT(plot),
	 "draw what was covered over executions and time to FILE (PROGRAM-coverage.svg, beside replay files)"},
	{COVER, FLAG, 0, "all", NULL, "0", 0, 0, AT(all),
	 "list also what was covered, and all that was ruled out"},
	{COVER, FLAG, 0, "show", NULL, "0", 0, 0, AT(show),
	 "run nothing; show what all runs have covered, or those of the program"},
	{COVER, TEXT, 0, "diff", "RUN|DATE", NULL, 0, 0, AT(diff),
	 "run nothing; show what has changed since that run, or since the last run up to a date (2026-11-16, \"2026-11-16 12:30\")"},
	{COVER, FLAG, 0, "no-store", NULL, "0", 0, 0, AT(no_store),
	 "keep nothing of this run in .sleave/"},
	{TEST, TEXT, 0, "trace", "DIR", NULL, 0, 0, AT(tape),
	 "record every execution that is explored: a file in DIR for each schedule"},
	{REPORT, TEXT, 0, "trace", "FILE", NULL, 0, 0, AT(tape), "write the trace of an exploration"},
	{REPORT, TEXT, 0, "arena", "PATH", NULL, 0, 0, AT(arena),
	 "the arena of a search inside a test"},
	{REPORT, FLAG, 0, "early", NULL, "0", 0, 0, AT(early),
	 "only write the replay files of what is still looked into"},
	{REPORT, NUMBER, 0, "pid", "PID", "0", 1, INT32_MAX, AT(pid),
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

/* "2m" in nanoseconds. Fractions are welcome: "1.5s". */
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

/* Options of other commands that somebody may look for here, and what to do in their place. */
static const struct {
	unsigned command;
	char letter;
	const char *name, *instead;
} elsewhere[] = {
	{COVER, 'j', "jobs",
	 "one process only: start several, each with a --seed of its own; what they cover adds up (--show)"},
	{COVER, 0, "resume",
	 "nothing to resume: what was covered is kept, and adds up (--show); go on with another --seed"},
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
				command & (SL_FOR_RUN | SL_FOR_RECORD | SL_FOR_COVER) ? "+:h" : ":h");
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
sl_options_merge(struct sl_settings *settings, const struct sl_settings *before, struct sl_err *err)
{
	for (size_t i = 0; i < ROWS; i++) {
		const struct option_row *row = &rows[i];
		bool given = settings->given[i / 64] & 1ul << i % 64;

		if (!(row->commands & RUN) || row->kind == TEXT_OR_NONE)
			continue;
		if (given && !(row->commands & FREE) && !is_same(settings, before, row))
			return sl_err_set(
				err,
				"--%s is not what it was when this run began: leave it out, or begin anew without "
				"--resume",
				row->name);
		if (!given)
			memcpy((char *)settings + row->offset, (const char *)before + row->offset,
			       sizeof(uint64_t));
	}
	return 0;
}

/* "  -t, --time=T", then the sentence, then the default unless the sentence or the kind says it. */
void
sl_options_print(FILE *out, unsigned command)
{
	for (size_t i = 0; i < ROWS; i++) {
		const struct option_row *row = &rows[i];
		char left[64];

		if (!(row->commands & command))
			continue;
		snprintf(left, sizeof(left), "%s%c%s--%s%s%s%s", row->letter ? "-" : " ",
			 row->letter ? row->letter : ' ', row->letter ? ", " : "  ", row->name,
			 row->kind == FLAG           ? ""
			 : row->kind == TEXT_OR_NONE ? "[="
						     : "=",
			 row->kind == FLAG ? "" : row->words, row->kind == TEXT_OR_NONE ? "]" : "");
		fprintf(out, "  %-24s", left);
		if (strlen(left) > 24)
			fprintf(out, "\n  %24s", "");
		fprintf(out, " %s", row->sentence);
		if (row->kind != FLAG && row->fallback && strcmp(row->fallback, "0") != 0 &&
		    strlen(row->fallback) < 20)
			fprintf(out, " [%s]", row->fallback);
		fputc('\n', out);
	}
	fprintf(out, "  %-24s this text\n", "-h, --help");
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
