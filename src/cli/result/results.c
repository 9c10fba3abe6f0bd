#include "cli/result/results.h"

#include "base/room.h"
#include "base/shown.h"
#include "cli/session/heavy.h"
#include "trace/replay/replay_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

void
sl_results_init(struct sl_results *results, struct sl_arena *arena)
{
	*results = (struct sl_results){.arena = arena, .world = arena->config.world};
	results->findings = calloc(SL_FINDINGS_MAX, sizeof(results->findings[0]));
	results->warnings = calloc(SL_FINDINGS_MAX, sizeof(results->warnings[0]));
	if (!results->findings || !results->warnings)
		abort();
}

void
sl_results_release(struct sl_results *results)
{
	if (!results->only_early)
		sl_results_drop_early(results, NULL);
	sl_names_free(results->names);
	for (unsigned i = 0; i < results->old_count; i++)
		sl_names_free(results->old[i]);
	free(results->findings);
	free(results->warnings);
}

struct sl_style
sl_style_for(FILE *out, uint64_t colour)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	struct sl_style style = {0};
	struct winsize size;
	bool terminal = isatty(fileno(out));

	style.colour =
		colour == SL_COLOUR_ALWAYS || (colour == SL_COLOUR_AUTO && terminal && !(no_color && *no_color) &&
					       !(term && !strcmp(term, "dumb")));
	if (terminal && ioctl(fileno(out), TIOCGWINSZ, &size) == 0)
		style.width = size.ws_col;
	return style;
}

void
sl_text_cut(char *to, size_t room, const char *text)
{
	size_t size = strlen(text);

	if (size >= room)
		size = room - 1;
	memcpy(to, text, size);
	to[size] = '\0';
}

int
sl_verdict_status(enum sl_verdict verdict)
{
	switch (verdict) {
	case SL_VERDICT_CLEAN:
		return SL_EXIT_CLEAN;
	case SL_VERDICT_FINDING:
		return SL_EXIT_FINDING;
	case SL_VERDICT_UNDECIDED:
		break;
	}
	return SL_EXIT_UNDECIDED;
}

/* ---- stories ---- */

/* Returns NULL only if libdw fails: then there are no stories, but the verdict is the same. */
static struct sl_names *
names_get(struct sl_results *results)
{
	struct sl_err err;

	/* a library may have been loaded later; the older names stay valid for stories that use them */
	if (results->names && results->named < results->arena->modules.count &&
	    results->old_count < sizeof(results->old) / sizeof(*results->old)) {
		results->old[results->old_count++] = results->names;
		results->names = NULL;
	}
	if (!results->names) {
		results->named = results->arena->modules.count;
		results->names = sl_names_new(results->arena->modules.items, results->named, &err);
	}
	if (!results->names)
		fprintf(stderr, "sleave: cannot name addresses: %s\n", err.text);
	return results->names;
}

struct sl_names *
sl_results_names(struct sl_results *results)
{
	return names_get(results);
}

bool
sl_results_is_world_wrong(const struct sl_results *results, uint64_t world)
{
	const struct sl_arena *a = results->arena;

	if (world != SL_WORLD_AUTO || results->world == SL_WORLD_EXEC || results->finding_count)
		return false;
	for (uint32_t i = 0; i < a->config.workers; i++)
		if (a->workers[i].compare.diverged)
			return true;
	for (uint32_t i = 0; i < a->case_count && i < SL_FINDINGS_MAX; i++)
		if (__atomic_load_n(&a->cases[i].ready, __ATOMIC_ACQUIRE) && !a->cases[i].confirmed &&
		    !a->cases[i].warning)
			return true;
	return false;
}

/* The trace of a case; *copy is to be freed. The records are a ring: one that has wrapped is copied into order. */
static struct sl_trace
trace_of(const struct sl_arena *a, const struct sl_case *c, struct sl_record **copy)
{
	struct sl_trace trace = {
		.records = c->records,
		.count = c->record_count,
		.frames = c->frames,
		.frame_count = c->frame_count,
		.threads = c->threads,
		.thread_count = c->thread_count,
		.modules = a->modules.items,
		.module_count = a->modules.count,
		.mapped = c->mapped,
		.mapped_count = c->mapped_count,
		.events = a->names.events.words,
		.event_count = SL_WORDS_MAX,
		.from = c->setting.signature ? c->setting.from : 0,
	};
	size_t first = c->record_count % SL_RECORDS_MAX;

	*copy = NULL;
	if (!c->ready) /* the trace is incomplete, or belongs to another schedule */
		trace.count = trace.frame_count = trace.thread_count = trace.mapped_count = trace.from = 0;
	if (!c->ready || c->record_count <= SL_RECORDS_MAX)
		return trace;
	*copy = sl_must(malloc(sizeof(c->records)));
	memcpy(*copy, c->records + first, (SL_RECORDS_MAX - first) * sizeof(c->records[0]));
	memcpy(*copy + (SL_RECORDS_MAX - first), c->records, first * sizeof(c->records[0]));
	trace.records = *copy;
	trace.count = SL_RECORDS_MAX;
	trace.dropped = c->record_count - SL_RECORDS_MAX;
	trace.from = trace.from > trace.dropped ? trace.from - trace.dropped : 0;
	return trace;
}

/* Reports the finding, or counts it as suppressed. */
static void
tell(struct sl_results *results, struct sl_case *c)
{
	struct sl_record *copy;
	struct sl_trace trace = trace_of(results->arena, c, &copy);
	struct sl_finding finding = c->finding;
	struct sl_story story = {.finding = &finding,
				 .trace = &trace,
				 .names = names_get(results),
				 .preemptions = c->preemptions,
				 .warning = c->warning,
				 .enablers = c->ready ? &c->enablers : NULL,
				 .said = c->ready ? &c->said : NULL};
	struct sl_outline *outline = c->warning ? &results->warnings[results->warning_count]
						: &results->findings[results->finding_count];
	char path[PATH_MAX];
	struct sl_err err = {""};

	if (c->ready && c->renewed && !c->confirmed && !c->warning) {
		if (!results->left_behind[0])
			sl_results_headline(results, &finding, results->left_behind, sizeof(results->left_behind));
		free(copy);
		return;
	}
	if (!trace.count) /* there is no trace for its stacks */
		for (int i = 0; i < SL_CULPRITS_MAX; i++)
			finding.culprits[i].stack = 0;
	if (results->first_only && !c->warning)
		sl_results_drop_early(results, c);
	if (story.names && ((results->suppressions && sl_suppressions_match(results->suppressions, &story)) ||
			    sl_suppressed_anyway(&story))) {
		results->suppressed_count++;
		free(copy);
		return;
	}
	if (!story.names) {
		*outline = (struct sl_outline){.kind = sl_finding_kind_name(finding.kind),
					       .preemptions = c->preemptions};
		sl_text_cut(outline->message, sizeof(outline->message), finding.message);
	} else {
		sl_outline_init(outline, &story);
	}
	outline->execution = c->runs ? c->runs + results->earlier + results->before : 0;
	if (c->warning)
		results->warning_count++;
	else
		results->finding_count++;
	if (c->warning && !c->shown) { /* there was no time for it, or it became a finding that is reported */
		free(copy);
		return;
	}
	if (!results->output && results->replay) {
		story.replay = results->replay;
		sl_text_cut(outline->replay, sizeof(outline->replay), results->replay);
	}
	if (results->output && sl_results_write(results, c, outline->message, path, sizeof(path), &err) == 0) {
		story.replay = path;
		sl_text_cut(outline->replay, sizeof(outline->replay), path);
	}
	if (results->out && story.names) {
		if (results->trace)
			sl_trace_print(results->out, &results->style, &trace, story.names);
		sl_story_print(results->out, &results->style, &story);
		if (!c->ready)
			fputs("note: there was no time to shorten the schedule and to trace the operations: sleave replay "
			      "shows them\n",
			      results->out);
		else if (c->long_schedule && !c->warning)
			fputs("note: there was no time to shorten the schedule further\n", results->out);
		if (c->ready && !c->confirmed && !c->warning)
			fprintf(results->out,
				"note: with the same schedule the finding %s: the program depends on something "
				"that Sleave does not control\n",
				c->other.signature ? "was another one" : "did not happen again");
		fputc('\n', results->out);
		fflush(results->out);
	}
	if (err.text[0])
		fprintf(stderr, "sleave: no replay file was written: %s\n", err.text);
	free(copy);
}

size_t
sl_results_orderings(struct sl_results *results, struct sl_case *c, struct sl_ordering *orderings, size_t max,
		     char *unordered, size_t room)
{
	struct sl_record *copy;
	struct sl_trace trace = trace_of(results->arena, c, &copy);
	size_t count = names_get(results) ? sl_orderings_of(&trace, results->names, orderings, max) : 0;

	unordered[0] = '\0';
	if (names_get(results))
		sl_unordered_of(&trace, results->names, unordered, room);
	free(copy);
	return count;
}

void
sl_results_steps(struct sl_results *results, const struct sl_case *c, struct sl_steps *steps)
{
	struct sl_record *copy;
	struct sl_trace trace = trace_of(results->arena, c, &copy);

	*steps = (struct sl_steps){0};
	if (names_get(results))
		sl_steps_of(&trace, results->names, steps);
	free(copy);
}

void
sl_results_headline(struct sl_results *results, const struct sl_finding *finding, char *text, size_t room)
{
	struct sl_trace none = {.modules = results->arena->modules.items,
				.module_count = results->arena->modules.count};
	struct sl_finding bare = *finding;
	struct sl_story story = {.finding = &bare, .trace = &none, .names = names_get(results)};

	for (int i = 0; i < SL_CULPRITS_MAX; i++)
		bare.culprits[i].stack = 0;
	if (story.names)
		sl_headline_format(&story, text, room);
	else
		snprintf(text, room, "%s", finding->message);
}

static uint32_t
case_count(const struct sl_arena *a)
{
	uint32_t count = __atomic_load_n(&a->case_count, __ATOMIC_ACQUIRE);

	return count < SL_FINDINGS_MAX ? count : SL_FINDINGS_MAX;
}

static bool
is_ready(const struct sl_case *c)
{
	return __atomic_load_n(&c->ready, __ATOMIC_ACQUIRE) && !c->warning;
}

/* Returns whether the case is reported after all others, when the search is over (--realistic-time). */
static bool
is_far(const struct sl_results *results, const struct sl_case *c)
{
	return !c->warning && sl_finding_is_far(results->arena, &c->finding);
}

/* Returns whether another case of the same finding was reported: two workers may find it at the same time. */
static bool
was_told(const struct sl_results *results, const struct sl_case *c)
{
	for (uint32_t i = 0; i < case_count(results->arena); i++) {
		const struct sl_case *other = &results->arena->cases[i];

		if (results->told[i] && other != c && other->warning == c->warning &&
		    other->finding.signature == c->finding.signature)
			return true;
	}
	return false;
}

bool
sl_results_wait(const struct sl_results *results)
{
	if (results->first_only && results->finding_count)
		return false;
	for (uint32_t i = 0; i < case_count(results->arena); i++)
		if (!results->told[i] && is_ready(&results->arena->cases[i]) &&
		    !is_far(results, &results->arena->cases[i]))
			return true;
	return false;
}

/* far: report the findings that need a long delay of a thread; else the others. */
static void
tell_cases(struct sl_results *results, bool all, bool far)
{
	struct sl_arena *a = results->arena;

	if (results->first_only && results->finding_count && !far)
		return;
	for (uint32_t i = 0; i < case_count(a); i++) {
		struct sl_case *c = &a->cases[i];

		if (results->told[i] || !(is_ready(c) || (all && c->finding.signature)) ||
		    is_far(results, c) != far)
			continue;
		results->told[i] = true;
		/* an execution that left its schedule is reported only if no execution followed it */
		if (c->finding.kind == SL_FINDING_SCHEDULE && c->warning) {
			if (sl_tally_is_followed(&a->tallies[c->finding.status]))
				continue;
			c->warning = 0;
			c->confirmed = c->shown;
		}
		if (c->late && c->warning && a->config.races != SL_RACES_WARN) {
			if (sl_case_is_held(a, c))
				continue;
			c->warning = 0; /* the search has ended before it could be traced */
		}
		if (was_told(results, c))
			continue;
		/* a warning that has become a finding is reported as the finding */
		if (!c->warning || (sl_case_find(results->arena, c->finding.signature, false) < 0 &&
				    !(c->finding.kind == SL_FINDING_LOCK_ORDER && c->confirmed)))
			tell(results, c);
		if (results->first_only && results->finding_count && !far) {
			__atomic_store_n(&results->arena->stop, 1, __ATOMIC_RELAXED);
			break;
		}
	}
}

void
sl_results_tell(struct sl_results *results, bool all)
{
	tell_cases(results, all, false);
	if (all)
		tell_cases(results, all, true);
}

/* ---- the verdict ---- */

static const char *
place(struct sl_results *results, uint64_t pc, char *text, size_t room)
{
	struct sl_place where;

	text[0] = '\0';
	if (pc && names_get(results) && sl_names_place(results->names, pc, &where))
		sl_place_format(&where, text, room);
	sl_shown_in_place(text, room);
	return text;
}

/* Describes why the worker could not continue. */
static void
trouble_format(struct sl_results *results, const struct sl_worker *w, char *text, size_t room)
{
	char at[256];
	const char *detail = w->trouble.detail, *before;

	place(results, w->trouble.pc, at, sizeof(at));
	before = at[0] ? " at " : "";
	switch ((enum sl_trouble)w->trouble.kind) {
	case SL_TROUBLE_NONE:
		text[0] = '\0';
		break;
	case SL_TROUBLE_UNSUPPORTED:
		snprintf(text, room, "not modelled: %s%s%s", detail, at[0] ? ", called at " : "", at);
		break;
	case SL_TROUBLE_THREADS_BEFORE:
		snprintf(text, room,
			 "threads were already running when the exploration began: start them in main, or in the "
			 "function that is given to sleave_explore()");
		break;
	case SL_TROUBLE_DIVERGED:
		snprintf(text, room,
			 "the same schedule gave another execution%s%s: the program depends on something that "
			 "Sleave does not control",
			 before, at);
		break;
	case SL_TROUBLE_TOO_LONG:
		snprintf(text, room,
			 "an execution was cut at the limit of %" PRIu64 " operations (see --operations)%s%s",
			 results->arena->config.limit.operations, before, at);
		break;
	case SL_TROUBLE_LIMIT:
		snprintf(text, room, "the program is too large for Sleave: %s%s%s", detail, before, at);
		break;
	case SL_TROUBLE_DIED:
	case SL_TROUBLE_KILLED:
		snprintf(text, room, "the program ended in a way that Sleave did not see: %s%s%s", detail,
			 at[0] ? ", after the operation at " : "", at);
		break;
	case SL_TROUBLE_HANG:
		snprintf(
			text, room,
			"the program has performed no operation for %s (see --watchdog)%s%s: it, or a process that it has "
			"started, waits or computes in code that is not under control",
			detail, at[0] ? "; it was last seen at " : "", at);
		break;
	case SL_TROUBLE_CANARY:
		snprintf(
			text, room,
			"Sleave is not in control: it did not find its own example of a %s, which it runs before the "
			"program",
			detail);
		break;
	case SL_TROUBLE_OUTSIDE:
		snprintf(text, room,
			 "the program waits for something from outside, and no other thread can go on: %s%s%s",
			 detail, before, at);
		break;
	case SL_TROUBLE_PLAN:
		snprintf(text, room, "a schedule cannot be followed: %s%s%s", detail, before, at);
		break;
	case SL_TROUBLE_SIGNAL:
		snprintf(text, room, "the program got %s, which is not part of any schedule", detail);
		break;
	case SL_TROUBLE_SYSTEM:
		snprintf(text, room, "the operating system refused: %s%s%s", detail, before, at);
		break;
	}
}

static void
collect_escapes(struct sl_results *results, struct sl_summary *summary)
{
	for (unsigned i = 0; i < SL_ESCAPES_MAX && results->arena->escapes[i].name[0]; i++) {
		const struct sl_escape *e = &results->arena->escapes[i];
		struct sl_escaped *to = &results->escapes[summary->escape_count++];

		to->name = e->name;
		to->count = e->count;
		place(results, e->pc, to->place, sizeof(to->place));
	}
	summary->escapes = results->escapes;
}

_Static_assert(SL_UNSEEN_OUTSIDE == (int)SL_NOT_SEEN_OUTSIDE && SL_UNSEEN_TOUCHES == (int)SL_NOT_SEEN_TOUCHES,
	       "the same numbers");

static int
compare_not_seen(const void *a, const void *b)
{
	const struct sl_not_seen *one = a, *other = b;

	if (one->count != other->count)
		return one->count < other->count ? 1 : -1;
	return strcmp(one->place, other->place);
}

/*
 * Finds the entry by its place in the source, which may be several addresses: an inline function has one for each
 * call.
 */
static struct sl_not_seen *
not_seen_find(struct sl_results *results, struct sl_summary *summary, uint32_t what, const char *at)
{
	for (size_t i = 0; i < summary->not_seen_count; i++)
		if (results->not_seen[i].what == what && strcmp(results->not_seen[i].place, at) == 0)
			return &results->not_seen[i];
	struct sl_not_seen *to = &results->not_seen[summary->not_seen_count++];

	*to = (struct sl_not_seen){.what = what};
	snprintf(to->place, sizeof(to->place), "%s", at);
	return to;
}

/* Returns whether the place is in the list already, so that it is listed once. */
static bool
is_told(const struct sl_results *results, const struct sl_summary *summary, const char *place)
{
	for (size_t i = 0; i < summary->not_seen_count; i++)
		if ((results->not_seen[i].what == SL_NOT_SEEN_OBJECT ||
		     results->not_seen[i].what == SL_NOT_SEEN_THREAD) &&
		    strcmp(results->not_seen[i].place, place) == 0)
			return true;
	return false;
}

static void
collect_not_seen(struct sl_results *results, struct sl_summary *summary)
{
	for (unsigned i = 0; i < SL_UNSEEN_MAX && results->arena->unseen[i].pc; i++) {
		const struct sl_unseen *u = &results->arena->unseen[i];
		struct sl_place where;
		char at[160] = "";

		if (names_get(results) && sl_names_place(results->names, u->pc, &where)) {
			if (u->kind == SL_UNSEEN_OUTSIDE || u->kind == SL_UNSEEN_LIBRARY)
				snprintf(at, sizeof(at), "%s", where.module);
			else
				sl_place_format(&where, at, sizeof(at));
		}
		not_seen_find(results, summary, u->kind, at)->count += u->count;
	}
	for (size_t i = 0; i < summary->not_seen_count; i++)
		if (results->not_seen[i].what == SL_NOT_SEEN_TOUCHES &&
		    is_told(results, summary, results->not_seen[i].place))
			results->not_seen[i--] = results->not_seen[--summary->not_seen_count];
	qsort(results->not_seen, summary->not_seen_count, sizeof(results->not_seen[0]), compare_not_seen);
	summary->not_seen = results->not_seen;
	summary->not_seen_more = results->arena->unseen_more;
}

static void
collect_schedules(struct sl_results *results, struct sl_summary *summary)
{
	for (unsigned i = 0; i < SL_TALLIES_MAX && results->arena->tallies[i].signature; i++) {
		const struct sl_tally *t = &results->arena->tallies[i];

		results->schedules[summary->schedule_count++] = (struct sl_followed){.name = t->name,
										     .file = t->file,
										     .line = t->line,
										     .infeasible = t->infeasible,
										     .kept = t->kept,
										     .dropped = t->dropped,
										     .unknown = t->unknown};
	}
	summary->schedules = results->schedules;
}

/* Adds up the workers. Returns whether the search is complete. */
static bool
collect_workers(const struct sl_arena *a, struct sl_summary *summary, const struct sl_worker **troubled,
		bool *diverged)
{
	bool complete = true, first = true;
	uint64_t distinct = 0;

	summary->search.bound = -1;
	for (uint32_t i = 0; i < a->config.workers; i++) {
		const struct sl_worker *w = &a->workers[i];

		const uint64_t *phases = w->counters.phases;

		summary->executions += sl_counters_runs(&w->counters);
		summary->interleavings += w->counters.executions;
		summary->spent.search += phases[SL_PHASE_EXPLORE];
		summary->spent.lockstep += phases[SL_PHASE_LOCKSTEP];
		summary->spent.warm_up += phases[SL_PHASE_WARM_UP];
		summary->spent.compare += phases[SL_PHASE_COMPARE];
		summary->spent.confirm += phases[SL_PHASE_CONFIRM];
		summary->spent.shorten += phases[SL_PHASE_MINIMISE] + phases[SL_PHASE_SHORTEN];
		summary->spent.trace += phases[SL_PHASE_TRACE];
		summary->spent.enablers += phases[SL_PHASE_ENABLERS];
		summary->spent.endless += phases[SL_PHASE_ENDLESS];
		summary->spent.leaks += phases[SL_PHASE_LEAKS];
		summary->spent.given_up += w->counters.late;
		distinct += w->progress.estimate; /* exact when complete */
		summary->counts.operations += w->counters.operations;
		summary->counts.accesses += w->counters.accesses;
		summary->counts.cut += w->counters.cut;
		summary->counts.given_up += w->counters.given_up;
		summary->counts.abandoned += w->counters.abandoned;
		summary->counts.compared += w->counters.compared;
		summary->counts.different += w->counters.different;
		if (w->counters.threads > summary->counts.threads)
			summary->counts.threads = w->counters.threads;
		if (first || w->progress.bound < summary->search.bound)
			summary->search.bound = w->counters.executions ? w->progress.bound : -1;
		first = false;
		/* this worker has not interleaved accesses that another worker found to be shared later */
		summary->search.classes |= w->progress.classes;
		complete = complete && w->progress.complete && !w->marks.full && w->marks.used == a->marks.count;
		*diverged |= w->compare.diverged;
		if (w->progress.stateful)
			summary->states = (struct sl_state_counts){.counted = true,
								   .fresh = w->progress.states,
								   .visited = w->progress.visited,
								   .ends = w->progress.ends,
								   .opaque = w->progress.opaque,
								   .loops = w->progress.loops,
								   .bytes = w->checkpoints.bytes,
								   .evicted = w->checkpoints.evicted,
								   .restored = w->checkpoints.restored};
		if (w->trouble.kind && !*troubled)
			*troubled = w;
	}
	complete = complete && summary->interleavings; /* a worker may have run no interleaving */
	/* "all 20 interleavings" counts each once */
	if (complete && !*diverged && !summary->states.counted)
		summary->interleavings = distinct;
	return complete;
}

static void
divergence_format(struct sl_results *results, char *text, size_t room)
{
	const struct sl_arena *a = results->arena;
	const struct sl_difference *d = NULL;
	char escaped[256], at[160];
	int used = snprintf(text, room,
			    "the program is not deterministic: with the same schedule it does not do the same, so "
			    "finding nothing means little");

	for (uint32_t i = 0; i < a->config.workers && !d; i++)
		if (a->workers[i].compare.diverged && a->workers[i].divergence.at)
			d = &a->workers[i].divergence;
	if (!d || !names_get(results))
		return;
	place(results, a->escapes[0].pc, at, sizeof(at));
	snprintf(escaped, sizeof(escaped), "%s%s%s", a->escapes[0].name, at[0] ? " at " : "", at);
	used += snprintf(text + used, room - (size_t)used, "; ");
	sl_difference_format(d, results->names, a->escapes[0].name[0] ? escaped : NULL, text + used,
			     room - (size_t)used);
}

void
sl_results_judge(struct sl_results *results, struct sl_summary *summary, const char *reason, bool interrupted)
{
	static const char *const worlds[] = {"memory", "fork", "exec"};
	struct sl_arena *a = results->arena;
	const struct sl_worker *troubled = NULL;
	bool diverged = false;
	char *text = results->reason;
	size_t room = sizeof(results->reason);

	*summary = (struct sl_summary){
		.interrupted = interrupted,
		.program = results->program,
		.strategy = a->config.strategy,
		.world = worlds[results->world % 3],
		.carrier = a->config.carrier == SL_CARRIER_THREAD ? "thread" : "fiber",
		.sync_only = a->config.sync_only,
		.unaided = a->program.unaided,
		.set_aside = a->program.set_aside,
		.relaxed = a->program.relaxed,
		.seed = a->config.seed,
		.seconds = (double)(a->origin.spent + sl_nanoseconds() - a->started) / 1e9,
		.findings = results->findings,
		.finding_count = results->finding_count,
		.warnings = results->warnings,
		.warning_count = results->warning_count,
		.suppressed = results->suppressed_count,
		.counts.given_up = results->given_up,
		.stuck_at = place(results, results->stuck_pc, results->stuck_at, sizeof(results->stuck_at)),
	};
	const struct sl_strategy *strategy = sl_strategy_find(a->config.strategy);

	summary->search.exhaustive = strategy && strategy->traits.exhaustive;
	summary->search.iterations = a->workers[0].progress.iterations;
	summary->search.bounded = a->config.limit.preemptions > 0;
	if (a->config.workers == 1 && summary->search.exhaustive) {
		summary->search.over = a->workers[0].progress.over;
		summary->search.selected = a->workers[0].progress.selected;
		summary->search.estimate = a->workers[0].progress.estimate;
	}
	summary->search.complete = collect_workers(a, summary, &troubled, &diverged) && !diverged && !troubled &&
				   !summary->counts.cut && !summary->counts.given_up;
	/* So do "all with at most one preemption" and "the first two iterations". */
	if (summary->search.over && summary->search.estimate &&
	    (summary->search.bounded || summary->search.selected) && !summary->states.counted && !diverged &&
	    !troubled && !summary->counts.cut && !summary->counts.given_up)
		summary->interleavings = summary->search.estimate;
	collect_not_seen(results, summary);
	summary->search.complete = summary->search.complete && !summary->not_seen_count;
	if (!summary->search.complete && (diverged || summary->counts.cut || summary->not_seen_count))
		summary->search.bound = -1;
	summary->spent.other_world = results->earlier;
	summary->spent.recorded = results->before;
	summary->executions += results->before + results->earlier + results->given_up;
	summary->spent.given_up += results->given_up;
	collect_escapes(results, summary);
	collect_schedules(results, summary);

	text[0] = '\0';
	results->troubled = troubled;
	if (reason)
		snprintf(text, room, "%s", reason);
	else if (troubled)
		trouble_format(results, troubled, text, room);
	else if (!a->program.has_control)
		snprintf(text, room, "Sleave did not get control of the program: libsleave never started in it");
	else if (interrupted)
		snprintf(text, room, "nothing was found so far, but the search was stopped");
	else if (results->left_behind[0])
		snprintf(
			text, room,
			"what was found in a process that had run other executions did not happen in a new process, so it is not a finding: "
			"executions leave something behind that is not restored (try --world=fork). It was: %s",
			results->left_behind);
	else if (!summary->interleavings && summary->counts.given_up)
		snprintf(text, room, "no execution of the search ended within the time limit (--time)%s%s%s",
			 results->stuck_at[0] ? "; the program was last seen at " : "", results->stuck_at,
			 results->stuck_at[0] ? ", where it waits or computes in code that is not under control"
					      : "");
	else if (!summary->executions && a->program.instrumented)
		snprintf(text, room, "there was no time for a single execution");
	else if (!a->config.sync_only &&
		 (!a->program.instrumented || (!summary->counts.accesses && !summary->counts.operations)))
		snprintf(text, room, "the program was not instrumented: compile it with `sleave cc`");
	else if (summary->counts.threads <= 1)
		snprintf(text, room, "the program never started a second thread: there is nothing to interleave");
	else if (diverged)
		divergence_format(results, text, room);
	else if (!summary->interleavings)
		snprintf(text, room, "there was no time for a single execution of the search");
	else if (summary->counts.cut && summary->counts.cut + summary->counts.abandoned >= summary->interleavings)
		snprintf(text, room,
			 "every execution was cut at the limit of %" PRIu64 " operations (see --operations)",
			 a->config.limit.operations);
	else if (summary->counts.cut)
		snprintf(text, room,
			 "%" PRIu64 " of %" PRIu64
			 " executions were cut before their end: nothing was found, but how they would end is not "
			 "known (see --operations)",
			 summary->counts.cut, summary->interleavings);
	else if (summary->states.loops)
		snprintf(
			text, room,
			"a livelock: an execution came back to one of its own states, and every thread that could run had "
			"run since then (without --stateful the loop is shown)");
	if (text[0] && !reason && !troubled && !interrupted &&
	    (!summary->interleavings || summary->counts.cut + summary->counts.abandoned >= summary->interleavings))
		sl_heavy_format(&a->workers[0], names_get(results), text + strlen(text), room - strlen(text));
	summary->verdict = results->finding_count ? SL_VERDICT_FINDING
			   : text[0]              ? SL_VERDICT_UNDECIDED
						  : SL_VERDICT_CLEAN;
	summary->reason = summary->verdict == SL_VERDICT_UNDECIDED ? text : NULL;
	summary->search.complete = summary->search.complete && summary->verdict != SL_VERDICT_UNDECIDED;
}
