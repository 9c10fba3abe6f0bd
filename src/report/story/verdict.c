#include "report/quote.h"
#include "report/words.h"

#include <inttypes.h>
#include <string.h>

const char *
sl_verdict_name(enum sl_verdict verdict)
{
	switch (verdict) {
	case SL_VERDICT_CLEAN:
		return "clean";
	case SL_VERDICT_FINDING:
		return "finding";
	case SL_VERDICT_UNDECIDED:
		break;
	}
	return "undecided";
}

/* "1 thread", "1,890 operations": returns text. */
static const char *
counted(uint64_t count, const char *noun, char *text, size_t room)
{
	char number[32];

	snprintf(text, room, "%s %s%s", sl_count_format(count, number), noun, count == 1 ? "" : "s");
	return text;
}

/* With the precision that a person wants: "0.04 s", "9.8 s", "125 s". */
static const char *
duration(double seconds, char *text, size_t room)
{
	snprintf(text, room, seconds < 1 ? "%.2f s" : seconds < 10 ? "%.1f s" : "%.0f s", seconds);
	return text;
}

/* Returns whether everything that the user asked for was run, and that was not every interleaving. */
static bool
covers_bound(const struct sl_summary *s)
{
	return !s->search.complete && s->search.bounded && s->search.over && s->search.bound >= 0;
}

static const char *
within(const struct sl_summary *s, char *text, size_t room)
{
	if (s->search.bound == 0)
		snprintf(text, room, "without preemptions");
	else
		snprintf(text, room, "with at most %d preemption%s", s->search.bound,
			 s->search.bound == 1 ? "" : "s");
	return text;
}

/* Was every one of the iterations run that were asked for? */
static bool
covers_selection(const struct sl_summary *s)
{
	return s->search.selected && s->search.over && !s->counts.cut && s->search.iterations;
}

static const char *
first_iterations(const struct sl_summary *s, char *text, size_t room)
{
	char number[32];

	if (s->search.iterations == 1)
		return "the first iteration";
	snprintf(text, room, "the first %s iterations", sl_count_format(s->search.iterations, number));
	return text;
}

/* What an exhaustive search has not done. */
static void
print_rest(FILE *out, const struct sl_style *style, const struct sl_summary *s)
{
	char number[32];

	if (s->not_seen_count)
		return; /* it is named elsewhere */
	if (s->search.over && !s->counts.cut)
		fprintf(out,
			"%sleft out%s: the search came to its end, but signals, cancellation, timers, child processes or "
			"the size of an execution kept it from trying everything\n",
			sl_ink(style, SL_INK_YELLOW), sl_ink(style, SL_INK_NONE));
	else if (!s->search.over && s->search.exhaustive && s->search.estimate > s->interleavings)
		fprintf(out, "%scovered%s: about %.2g%% of an estimated %s interleavings\n",
			sl_ink(style, SL_INK_YELLOW), sl_ink(style, SL_INK_NONE),
			100.0 * (double)s->interleavings / (double)s->search.estimate,
			sl_count_format(s->search.estimate, number));
}

static void
print_clean(FILE *out, const struct sl_style *style, const struct sl_summary *s)
{
	char number[48], time[32], within_bound[48];
	/* the kind of "clean" stands beside the word */
	const char *kind = s->sync_only ? ", synchronisation only (accesses to memory were not seen)" : "";

	fputs(sl_ink(style, SL_INK_GREEN), out);
	if (s->paths && s->paths->complete && s->paths->combinations == 1)
		fprintf(out, "clean%s: the only combination", kind);
	else if (s->paths && s->paths->complete)
		fprintf(out, "clean%s: all %s", kind,
			counted(s->paths->combinations, "combination", number, sizeof(number)));
	else if (s->paths)
		fprintf(out, "clean so far%s: %s", kind,
			counted(s->paths->combinations, "combination", number, sizeof(number)));
	else if (s->search.complete && s->states.counted)
		fprintf(out, "clean%s: all %s", kind, counted(s->states.fresh, "state", number, sizeof(number)));
	else if (s->states.counted)
		fprintf(out, "clean so far%s: %s", kind,
			counted(s->states.fresh, "state", number, sizeof(number)));
	else if (s->search.complete && s->interleavings == 1 && s->search.classes)
		fprintf(out, "clean%s: all interleavings (they are equivalent)", kind);
	else if (s->search.complete && s->interleavings == 1)
		fprintf(out, "clean%s: the only interleaving there is", kind);
	else if (s->search.complete && s->search.classes)
		fprintf(out, "clean%s: all interleavings (%s that differ)", kind,
			sl_count_format(s->interleavings, number));
	else if (s->search.complete)
		fprintf(out, "clean%s: all %s interleavings%s", kind, sl_count_format(s->interleavings, number),
			s->sync_only ? " of its synchronisation" : "");
	else if (covers_bound(s))
		fprintf(out, "clean%s: every interleaving %s", kind,
			within(s, within_bound, sizeof(within_bound)));
	else if (covers_selection(s))
		fprintf(out, "clean%s: %s", kind, first_iterations(s, number, sizeof(number)));
	else
		fprintf(out, "clean so far%s: %s%s", kind, s->search.exhaustive ? "" : "sampled ",
			counted(s->interleavings, "schedule", number, sizeof(number)));
	fprintf(out, "%s%s in %s", s->paths ? " of paths" : "", sl_ink(style, SL_INK_NONE),
		duration(s->seconds, time, sizeof(time)));
	if (s->paths)
		fprintf(out, ", %s", counted(s->paths->executions, "execution", number, sizeof(number)));
	else if (!s->search.complete && (covers_bound(s) || covers_selection(s)))
		fprintf(out, ", %s", counted(s->interleavings, "schedule", number, sizeof(number)));
	else if (!s->search.complete && s->search.bound >= 0)
		fprintf(out, " (every schedule %s)", within(s, within_bound, sizeof(within_bound)));
	fputs(s->interrupted ? ", interrupted\n" : "\n", out);
	if (!s->paths && !s->search.complete && !s->states.counted && !covers_bound(s) && !covers_selection(s))
		print_rest(out, style, s);
}

/* A search that has not reached what the change impacts says nothing about the program, and need not. */
static void
print_not_impacted(FILE *out, const struct sl_style *style, const struct sl_summary *s)
{
	char number[48], time[32];

	fprintf(out, "%snot impacted%s: ", sl_ink(style, SL_INK_GREEN), sl_ink(style, SL_INK_NONE));
	if (s->change->lines + s->change->fields)
		fprintf(out, "no %s reaches an impacted point; after %s in %s\n",
			s->search.complete ? "interleaving" : "execution",
			counted(s->executions, "execution", number, sizeof(number)),
			duration(s->seconds, time, sizeof(time)));
	else
		fputs(s->change->identical ? "nothing differs between the two versions\n"
					   : "the change leaves the code of this program as it was\n",
		      out);
}

static void
print_findings(FILE *out, const struct sl_style *style, const struct sl_summary *s)
{
	char number[48], time[32];

	if (s->finding_count == 1) {
		fprintf(out, "%sfinding%s: %s", sl_ink(style, SL_INK_RED), sl_ink(style, SL_INK_NONE),
			s->findings[0].message);
	} else {
		fprintf(out, "%s%zu findings%s", sl_ink(style, SL_INK_RED), s->finding_count,
			sl_ink(style, SL_INK_NONE));
	}
	fputs("\n  ", out);
	if (s->finding_count == 1 && s->findings[0].execution && s->executions > 1)
		fprintf(out, "found by execution %s; ", sl_count_format(s->findings[0].execution, number));
	fprintf(out, "after %s in %s", counted(s->executions, "execution", number, sizeof(number)),
		duration(s->seconds, time, sizeof(time)));
	if (covers_bound(s))
		fprintf(out, ", which is every interleaving %s\n", within(s, number, sizeof(number)));
	else
		fputs(s->interrupted       ? ", interrupted\n"
		      : s->search.complete ? ", which is every interleaving\n"
					   : "\n",
		      out);
	for (size_t i = 0; s->finding_count > 1 && i < s->finding_count; i++) {
		fprintf(out, "  %zu. %s\n", i + 1, s->findings[i].message);
		if (s->findings[i].replay[0]) {
			fprintf(out, "     %ssleave replay ", sl_ink(style, SL_INK_DIM));
			sl_path_put(out, s->findings[i].replay);
			fprintf(out, "%s\n", sl_ink(style, SL_INK_NONE));
		}
	}
}

static void
print_states(FILE *out, const struct sl_style *style, const struct sl_state_counts *s)
{
	char fresh[32], ends[48], visited[32], transitions[48], opaque[48];

	fprintf(out, "states: %s new (%s), %s visited, %s; at most %.1f MiB kept to go back to\n",
		sl_count_format(s->fresh, fresh), counted(s->ends, "end", ends, sizeof(ends)),
		sl_count_format(s->visited, visited),
		counted(s->fresh + s->visited, "transition", transitions, sizeof(transitions)),
		(double)s->bytes / (1 << 20));
	if (s->opaque)
		fprintf(out,
			"%sopaque%s: %s of a program that had used files, signals, processes or other things whose state is "
			"not in its memory: each counts as new\n",
			sl_ink(style, SL_INK_YELLOW), sl_ink(style, SL_INK_NONE),
			counted(s->opaque, "state", opaque, sizeof(opaque)));
}

static void
print_schedules(FILE *out, const struct sl_summary *s)
{
	char kept[32], dropped[48];

	for (size_t i = 0; i < s->schedule_count; i++) {
		const struct sl_followed *f = &s->schedules[i];

		if (!f->kept && !f->dropped) /* the finding came before the program reached this schedule */
			continue;
		fputs(f->name[0] ? "schedule \"" : "schedule", out);
		sl_text_put(out, f->name, strlen(f->name));
		fputs(f->name[0] ? "\"" : "", out);
		if (f->file[0]) {
			fputs(" of ", out);
			sl_text_put(out, f->file, strlen(f->file));
			fprintf(out, ":%u", f->line);
		}
		fprintf(out, ": %s of %s %s it",
			f->kept || !f->infeasible ? sl_count_format(f->kept, kept) : "none",
			counted(f->kept + f->dropped, "execution", dropped, sizeof(dropped)),
			f->kept == 1 || f->kept + f->dropped == 1 ? "follows" : "follow");
		fputs(f->infeasible && !f->kept ? ", as it should be" : "", out);
		if (f->unknown[0]) {
			fputs(f->infeasible ? " (" : "; ", out); /* the schedule may be impossible, or wrong */
			sl_text_put(out, f->unknown,
				    f->infeasible ? strcspn(f->unknown, ";") : strlen(f->unknown));
			fputs(f->infeasible ? ")" : "", out);
		}
		fputc('\n', out);
	}
}

/* What the executions were for; zeroes are left out. */
static void
print_spent(FILE *out, const struct sl_summary *s)
{
	const bool distinct = s->search.complete && !s->states.counted && s->spent.search >= s->interleavings;
	const uint64_t abandoned = distinct || s->counts.abandoned > s->spent.search ? 0 : s->counts.abandoned;
	const struct {
		uint64_t count;
		const char *purpose;
	} parts[] = {
		{distinct ? s->interleavings : s->spent.search - abandoned, "to search"},
		{abandoned, "that were ended early, because they led to nothing new"},
		{distinct ? s->spent.search - s->interleavings : 0, "that were the same again"},
		{s->spent.lockstep, "in lockstep"},
		{s->spent.warm_up, "to warm up"},
		{s->spent.compare, "to compare"},
		{s->spent.confirm, "to confirm"},
		{s->spent.shorten, "to shorten"},
		{s->spent.trace, "to trace"},
		{s->spent.enablers, "to see what stuck threads wait for"},
		{s->spent.endless, "to see whether a long execution ends"},
		{s->spent.leaks, "to look for leaks"},
		{s->spent.given_up, "given up when the time was over"},
		{s->spent.recorded, "recorded, to predict from"},
		{s->spent.other_world, "before starting over"},
	};
	const char *before = "executions: ";
	char number[32];

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (!parts[i].count)
			continue;
		fprintf(out, "%s%s %s", before, sl_count_format(parts[i].count, number), parts[i].purpose);
		before = ", ";
	}
	if (before[0] == ',')
		fputc('\n', out);
}

#define NOT_SEEN_TOLD 5

/* Code that ran without being seen: a line for each of the most frequent places. */
static void
print_not_seen(FILE *out, const struct sl_style *style, const struct sl_summary *s)
{
	char count[32];
	uint64_t rest = 0;

	for (size_t i = 0; i < s->not_seen_count; i++) {
		const struct sl_not_seen *n = &s->not_seen[i];

		if (i >= NOT_SEEN_TOLD) {
			rest += n->count;
			continue;
		}
		fprintf(out, "%snot seen%s: ", sl_ink(style, SL_INK_YELLOW), sl_ink(style, SL_INK_NONE));
		sl_count_format(n->count, count);
		switch (n->what) {
		case SL_NOT_SEEN_ASSEMBLY:
			fprintf(out, "assembly%s%s, executed %s time%s\n", n->place[0] ? " at " : "", n->place,
				count, n->count == 1 ? "" : "s");
			break;
		case SL_NOT_SEEN_OUTSIDE:
			fprintf(out, "assembly outside of functions%s%s\n", n->place[0] ? " in a file of " : "",
				n->place);
			break;
		case SL_NOT_SEEN_LIBRARY:
			fprintf(out,
				"code in %s, not built with sleave cc, which made %s call%s that threads synchronise by\n",
				n->place[0] ? n->place : "a library", count, n->count == 1 ? "" : "s");
			break;
		case SL_NOT_SEEN_OBJECT:
			fprintf(out,
				"code at %s, not built with sleave cc, which made %s call%s that threads synchronise by\n",
				n->place[0] ? n->place : "an unknown place", count, n->count == 1 ? "" : "s");
			break;
		case SL_NOT_SEEN_TOUCHES:
			fprintf(out, "code at %s, not instrumented, which touches memory, in %s execution%s%s\n",
				n->place[0] ? n->place : "an unknown place", count, n->count == 1 ? "" : "s",
				n->count >= 64 ? " or more" : "");
			break;
		case SL_NOT_SEEN_THREAD:
			fprintf(out,
				"code of threads that began at %s, not built with sleave cc, run by %s thread%s\n",
				n->place[0] ? n->place : "an unknown place", count, n->count == 1 ? "" : "s");
			break;
		}
	}
	size_t more = s->not_seen_count > NOT_SEEN_TOLD ? s->not_seen_count - NOT_SEEN_TOLD : 0;

	if (s->not_seen_more)
		fprintf(out, "%snot seen%s: code at more places than are kept\n", sl_ink(style, SL_INK_YELLOW),
			sl_ink(style, SL_INK_NONE));
	else if (more)
		fprintf(out, "%snot seen%s: code at %zu more place%s, executed %s time%s\n",
			sl_ink(style, SL_INK_YELLOW), sl_ink(style, SL_INK_NONE), more, more == 1 ? "" : "s",
			sl_count_format(rest, count), rest == 1 ? "" : "s");
}

/* What the verdict is about, and what it is not about. */
static void
print_control(FILE *out, const struct sl_style *style, const struct sl_summary *s)
{
	char threads[48], operations[48], accesses[32], executions[48], count[32];

	fprintf(out, "under control: %s, %s, %s %s in %s",
		counted(s->counts.threads, "thread", threads, sizeof(threads)),
		counted(s->counts.operations, "operation", operations, sizeof(operations)),
		sl_count_format(s->counts.accesses, accesses), s->counts.accesses == 1 ? "access" : "accesses",
		counted(s->executions, "execution", executions, sizeof(executions)));
	fputs(s->hint ? " (-v says what for)\n" : "\n", out);
	if (s->verbose)
		print_spent(out, s);
	if (s->states.counted)
		print_states(out, style, &s->states);
	print_schedules(out, s);
	if (s->sync_only)
		fprintf(out,
			"%snot seen%s: accesses to memory, atomic ones too (--sync-only); no data race is found, and what "
			"happens between two calls is not interleaved\n",
			sl_ink(style, SL_INK_YELLOW), sl_ink(style, SL_INK_NONE));
	if (s->relaxed)
		fprintf(out,
			"%snot seen%s: data races that are there only because an atomic is relaxed: a search through states does not "
			"look for them (dpor and the others do)\n",
			sl_ink(style, SL_INK_YELLOW), sl_ink(style, SL_INK_NONE));
	if (s->set_aside)
		fprintf(out,
			"%sset aside%s: the program's own schedules: the one that was given takes their place\n",
			sl_ink(style, SL_INK_YELLOW), sl_ink(style, SL_INK_NONE));
	if (s->unaided)
		fprintf(out,
			"%snot seen%s: structs that are passed or returned by value (with clang long double and wide "
			"vectors too), in what was compiled without Sleave's plugin: see sleave-cc(1)\n",
			sl_ink(style, SL_INK_YELLOW), sl_ink(style, SL_INK_NONE));
	print_not_seen(out, style, s);
	if (s->counts.compared)
		fprintf(out, "compared: %s twice, operation by operation: %" PRIu64 " differed\n",
			counted(s->counts.compared, "execution", executions, sizeof(executions)),
			s->counts.different);
	if (s->counts.cut)
		fprintf(out, "%scut short%s: %s reached the limit of operations, %s not seen\n",
			sl_ink(style, SL_INK_YELLOW), sl_ink(style, SL_INK_NONE),
			counted(s->counts.cut, "execution", executions, sizeof(executions)),
			s->counts.cut == 1 ? "so its end was" : "so their ends were");
	if (s->counts.given_up)
		fprintf(out, "%sgiven up%s: %s went on when the time was over (--time), %s not seen%s%s\n",
			sl_ink(style, SL_INK_YELLOW), sl_ink(style, SL_INK_NONE),
			counted(s->counts.given_up, "execution", executions, sizeof(executions)),
			s->counts.given_up == 1 ? "so its end was" : "so their ends were",
			s->stuck_at && s->stuck_at[0] ? "; nothing was seen any more after " : "",
			s->stuck_at ? s->stuck_at : "");
	for (size_t i = 0; i < s->escape_count; i++)
		fprintf(out, "%snot modelled%s: %s, let through %s time%s%s%s\n", sl_ink(style, SL_INK_YELLOW),
			sl_ink(style, SL_INK_NONE), s->escapes[i].name,
			sl_count_format(s->escapes[i].count, count), s->escapes[i].count == 1 ? "" : "s",
			s->escapes[i].place[0] ? ", first at " : "", s->escapes[i].place);
}

/* What was done about the change. */
static void
print_change(FILE *out, const struct sl_style *style, const struct sl_summary *s)
{
	const struct sl_change_told *c = s->change;
	char lines[48], fields[48], reached[32], without[32], iterations[48];

	for (size_t i = 0; c->since && i < s->finding_count; i++) {
		if (c->since[i] == SL_SINCE_UNKNOWN && !c->why[i][0])
			continue;
		fprintf(out,
			"%s%s%s: ", sl_ink(style, c->since[i] == SL_SINCE_CHANGE ? SL_INK_RED : SL_INK_YELLOW),
			c->since[i] == SL_SINCE_CHANGE   ? "new in this version"
			: c->since[i] == SL_SINCE_BEFORE ? "the old version has it, too"
							 : "not known in the old version",
			sl_ink(style, SL_INK_NONE));
		if (s->finding_count > 1)
			fprintf(out, "finding %zu: ", i + 1);
		sl_text_put(out, c->why[i], strlen(c->why[i]));
		fputc('\n', out);
	}
	for (size_t i = 0; i < c->earlier_count; i++) {
		const struct sl_earlier_told *e = &c->earlier[i];

		fprintf(out, "%sreplayed%s: ", sl_ink(style, e->fails ? SL_INK_RED : SL_INK_DIM),
			sl_ink(style, SL_INK_NONE));
		sl_path_put(out, e->path);
		fputs(e->fails ? " fails in this version, too" : " does not fail in this version", out);
		if (e->lost[0]) {
			fputs("; its schedule fits no more: there is no counterpart of \"", out);
			sl_text_put(out, e->lost, strlen(e->lost));
			fputc('"', out);
		}
		fputc('\n', out);
	}
	if (c->unpredicted)
		fprintf(out, "%snot predicted%s: %s\n", sl_ink(style, SL_INK_DIM), sl_ink(style, SL_INK_NONE), c->unpredicted);
	else if (c->predicted)
		fprintf(out, "predicted: %s of atomicity that the change made possible, of which %s %s tried\n",
			counted(c->predicted, "violation", lines, sizeof(lines)), sl_count_format(c->tried, reached),
			c->tried == 1 ? "was" : "were");
	fputs("impacted: ", out);
	if (c->all_new)
		fputs("all of the program, which the old version does not have; ", out);
	fprintf(out, "%s and %s", counted(c->lines, "line", lines, sizeof(lines)),
		counted(c->fields, "field", fields, sizeof(fields)));
	if (c->lines + c->fields && !c->unreached)
		fprintf(out, ", of which %s %s reached", sl_count_format(c->reached, reached),
			c->reached == 1 ? "was" : "were");
	if (c->lines + c->fields > c->with_code && !c->unreached)
		fprintf(out, " and %s %s no code", sl_count_format(c->lines + c->fields - c->with_code, without),
			c->lines + c->fields - c->with_code == 1 ? "has" : "have");
	if (s->search.iterations && !s->search.complete)
		fprintf(out, "; %s explored completely", first_iterations(s, iterations, sizeof(iterations)));
	fputc('\n', out);
	for (size_t i = 0; i < c->missed_count; i++) {
		fputs("  not reached: ", out);
		sl_text_put(out, c->missed[i], strlen(c->missed[i]));
		fputc('\n', out);
	}
	if (c->lacks)
		fprintf(out, "%snot analysed%s: %s\n", sl_ink(style, SL_INK_YELLOW), sl_ink(style, SL_INK_NONE),
			c->lacks);
	if (c->others && (c->unreached || !(c->lines + c->fields))) {
		fprintf(out, "%snot analysed%s: ", sl_ink(style, SL_INK_YELLOW), sl_ink(style, SL_INK_NONE));
		sl_text_put(out, c->others, strlen(c->others));
		fputc('\n', out);
	}
}

/* What a search for paths has left out; and what it has shown, if the verdict has not said it. */
static void
print_paths(FILE *out, const struct sl_style *style, const struct sl_summary *s)
{
	const struct sl_paths_told *p = s->paths;
	char number[48], executions[48];

	if (s->verdict != SL_VERDICT_CLEAN) {
		counted(p->combinations, "combination", number, sizeof(number));
		fprintf(out, "paths: %s%s, by %s of the search\n",
			p->complete && p->combinations != 1 ? "all " : "",
			p->complete && p->combinations == 1 ? "the only combination" : number,
			counted(p->executions, "execution", executions, sizeof(executions)));
	}
	for (size_t i = 0; i < p->loop_count; i++) {
		fprintf(out, "%sloop%s: ", sl_ink(style, SL_INK_YELLOW), sl_ink(style, SL_INK_NONE));
		sl_text_put(out, p->loops[i], strlen(p->loops[i]));
		fputs(" observes the same round after round, and was not followed any further\n", out);
	}
	for (size_t i = 0; i < p->lack_count; i++) {
		fprintf(out, "%sleft out%s: ", sl_ink(style, SL_INK_YELLOW), sl_ink(style, SL_INK_NONE));
		sl_text_put(out, p->lacks[i], strlen(p->lacks[i]));
		fputc('\n', out);
	}
}

void
sl_verdict_print(FILE *out, const struct sl_style *style, const struct sl_summary *summary)
{
	const char *reason;

	for (size_t i = 0; i < summary->warning_count; i++)
		fprintf(out, "%swarning%s: %s\n", sl_ink(style, SL_INK_YELLOW), sl_ink(style, SL_INK_NONE),
			summary->warnings[i].message);
	switch (summary->verdict) {
	case SL_VERDICT_CLEAN:
		if (summary->change && summary->change->unreached)
			print_not_impacted(out, style, summary);
		else
			print_clean(out, style, summary);
		break;
	case SL_VERDICT_FINDING:
		print_findings(out, style, summary);
		break;
	case SL_VERDICT_UNDECIDED:
		fprintf(out, "%sundecided%s: ", sl_ink(style, SL_INK_YELLOW), sl_ink(style, SL_INK_NONE));
		reason = summary->reason ? summary->reason : "Sleave could not do its job";
		sl_text_put(out, reason, strlen(reason));
		fputs(summary->interrupted ? " (interrupted)\n" : "\n", out);
		break;
	}
	if (summary->paths)
		print_paths(out, style, summary);
	if (summary->change)
		print_change(out, style, summary);
	if (summary->executions || !summary->change)
		print_control(out, style, summary);
}
