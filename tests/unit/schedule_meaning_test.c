/*
 * The monitor against the meaning of schedules: random schedules and traces, and every beginning of a trace.
 */
#include "meaning.h"
#include "same_plan.h"
#include "schedule/monitor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* ---- the comparison ---- */

static char memory[1 << 20], other_memory[1 << 20];

static struct {
	uint64_t schedules, refused, events, final_true, final_false, broken, held, quiet, open, literal, unsatisfied,
		swift, swift_held, shy, settled, still, stirred;
} seen;

static const char *shown;

static void
differ(const struct world *w, int n, const char *what)
{
	fprintf(stderr, "%s\n%s, after:\n", shown, what);
	for (int i = 0; i < n; i++)
		fprintf(stderr, "  %d: kind %d %s{%s}:%u of thread %u (%s)\n", i + 1, w->events[i].kind,
			w->events[i].name ? w->events[i].name : "", w->events[i].object ? w->events[i].object : "",
			w->events[i].line, w->events[i].thread, w->events[i].thread_name ? w->events[i].thread_name : "");
	fail_msg("%s", what);
}

/* Whatever follows, the verdict is what the monitor says. */
static void
check_final(struct writer *writer, struct world *w, int n, bool value)
{
	for (int sample = 0; sample < 6; sample++) {
		int end = n + (sample ? 1 + (int)below(writer, EVENTS - (uint32_t)n < 4 ? EVENTS - (uint32_t)n : 4) : 0);

		if (end > EVENTS)
			end = EVENTS;
		for (int i = n + 1; i <= end; i++)
			draw_event(writer, w, i);
		forget(w);
		if (all_hold(w, end) != value)
			differ(w, end, value ? "true for good, and then not" : "false for good, and then not");
	}
	forget(w);
}

static bool
is_plain_plan(const struct sl_plan *plan)
{
	for (uint32_t i = 0; i < plan->ordering_count; i++)
		if (!plan->orderings[i]->plain)
			return false;
	return true;
}

/* What some events would be told now: for "any held thread may go". */
static void
ask_all(struct sl_monitor *m, const struct sl_event *probes, int count, enum sl_leave *leaves)
{
	for (int i = 0; i < count; i++)
		leaves[i] = sl_monitor_asks(m, &probes[i], NULL);
}

/* An event that threads may count by themselves: they decide as the monitor does, with the same effect on it. */
static void
check_swift(struct sl_monitor *m, struct world *w, int n, const struct sl_match *match, enum sl_leave leave)
{
	const struct sl_event *e = &w->events[n - 1];
	static char before[1 << 16], after[1 << 16];
	struct sl_swift swift;
	size_t size;
	char *state = (char *)sl_monitor_state(m, &size);
	uint32_t atom = match->atoms[0], next;
	bool may = true;

	if (match->count != 1 || !sl_monitor_swift(m, atom, &swift) || sl_monitor_value(m) == SL_FALSE)
		return;
	if ((m->follows && !(sl_thread_word(m, e->thread) & SL_LIVES)) || (swift.shy && !sl_monitor_calm(m)))
		return;
	next = sl_monitor_count(m, w->plan->atoms[atom]) + 1;
	if (next > swift.last) {
		if (leave != SL_MAY_GO)
			differ(w, n, "held, and has been counted to the end");
		return;
	}
	for (uint32_t i = 0; i < swift.left_count && (next == swift.last || swift.last == SL_EVERY); i++)
		may &= sl_monitor_count(m, w->plan->atoms[swift.left[i].atom]) >=
		       (swift.left[i].need ? swift.left[i].need : next);
	if (may != (leave == SL_MAY_GO))
		differ(w, n, "counted, and should have been held, or the other way round");
	seen.swift_held += !may;
	if (!may)
		return;
	memcpy(before, state, size);
	if (sl_monitor_happens(m, e, match) && !swift.frees && next != swift.last)
		differ(w, n, "counted by itself, and others may go");
	memcpy(after, state, size);
	memcpy(state, before, size);
	sl_monitor_counted(m, atom, next);
	if (memcmp(state, after, size) != 0)
		differ(w, n, "counted is not the same as happened");
	memcpy(state, before, size);
	seen.swift++;
	seen.shy += m->literal_count != 0;
}

/* Others are counted, as far as they may. */
static void
count_some(struct writer *writer, struct sl_monitor *m, const struct world *w)
{
	for (uint32_t atom = 0; atom < w->plan->atom_count; atom++) {
		struct sl_swift swift;
		uint32_t next = sl_monitor_count(m, w->plan->atoms[atom]) + 1;
		bool may = below(writer, 2);

		if (!may || !sl_monitor_swift(m, atom, &swift) || next > swift.last)
			continue;
		for (uint32_t i = 0; i < swift.left_count; i++)
			may &= sl_monitor_count(m, w->plan->atoms[swift.left[i].atom]) >=
			       (swift.left[i].need ? swift.left[i].need : next);
		if (may)
			sl_monitor_counted(m, atom, next);
	}
}

/* It has happened, and nothing has changed: so it may happen again, whatever is counted meanwhile. */
static void
check_still(struct writer *writer, struct sl_monitor *m, struct world *w, int n, const struct sl_match *match,
	    uint64_t changes)
{
	static char before[1 << 16], past[256];
	enum sl_value values[8];
	size_t size, past_size;
	char *state = (char *)sl_monitor_state(m, &size), *events = (char *)sl_monitor_past(m, &past_size);
	bool satisfied, calm = m->calm;

	if (changes != sl_monitor_changes(m)) {
		seen.stirred++;
		return;
	}
	memcpy(before, state, size);
	memcpy(past, events, past_size);
	for (int round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < w->plan->ordering_count; i++)
			values[i] = sl_monitor_ordering(m, i);
		satisfied = sl_monitor_satisfied(m);
		if (sl_monitor_asks(m, &w->events[n - 1], match) != SL_MAY_GO)
			differ(w, n, "still the same, but held");
		sl_monitor_happens(m, &w->events[n - 1], match);
		if (changes != sl_monitor_changes(m) || satisfied != sl_monitor_satisfied(m))
			differ(w, n, "still the same, but something has changed");
		for (uint32_t i = 0; i < w->plan->ordering_count; i++)
			if (sl_monitor_ordering(m, i) != values[i])
				differ(w, n, "still the same, but an ordering depends on it");
		count_some(writer, m, w);
	}
	memcpy(state, before, size);
	memcpy(events, past, past_size);
	m->calm = calm;
	seen.still++;
}

/* Events that need not be reported to the monitor. */
static void
check_settled(struct sl_monitor *m, struct world *w, int n, const struct sl_match *match, enum sl_leave leave)
{
	const struct sl_event *e = &w->events[n - 1];
	uint32_t orderings = w->plan->ordering_count;
	static char before[1 << 16], past[256];
	enum sl_value values[8], value = sl_monitor_value(m);
	bool satisfied = sl_monitor_satisfied(m);
	size_t size, past_size;
	char *state = (char *)sl_monitor_state(m, &size), *events = (char *)sl_monitor_past(m, &past_size);

	if (!match->count || !sl_monitor_settled(m, match))
		return;
	assert_true(past_size <= sizeof(past));
	if (leave != SL_MAY_GO)
		differ(w, n, "settled, but held");
	memcpy(before, state, size);
	memcpy(past, events, past_size);
	for (uint32_t i = 0; i < orderings; i++)
		values[i] = sl_monitor_ordering(m, i);
	sl_monitor_happens(m, e, match);
	for (uint32_t i = 0; i < orderings; i++)
		if (sl_monitor_ordering(m, i) != values[i])
			differ(w, n, "settled, but an ordering depends on it");
	if (value != sl_monitor_value(m) || satisfied != sl_monitor_satisfied(m))
		differ(w, n, "settled, but the schedule depends on it");
	memcpy(state, before, size);
	memcpy(events, past, past_size);
	seen.settled++;
}

static void
check_event(struct writer *writer, struct sl_monitor *m, struct world *w, int n)
{
	const struct sl_event *e = &w->events[n - 1];
	uint32_t orderings = w->plan->ordering_count;
	enum sl_value before[8], value;
	enum sl_leave leave, told[3], told_after[3];
	struct sl_match match;
	size_t size, size_after;
	const void *state = sl_monitor_state(m, &size);
	static char copy[1 << 16];
	bool spoils = false, frees;
	uint32_t held[8], holds_back;

	assert_true(size <= sizeof(copy));
	memcpy(copy, state, size);
	for (uint32_t i = 0; i < orderings; i++)
		before[i] = sl_monitor_ordering(m, i);
	sl_monitor_match(m, e, &match);
	leave = sl_monitor_asks(m, e, &match);
	holds_back = sl_monitor_holds(m, e, held, 8);
	ask_all(m, w->events, n < 3 ? n : 3, told);
	struct sl_match narrow = match;

	sl_monitor_narrow(m, e, &narrow);
	if (e->kind == SL_EVENT_NAMED && sl_monitor_asks(m, e, &narrow) != leave)
		differ(w, n - 1, "narrowed, and answered otherwise");
	if (e->kind == SL_EVENT_NAMED) {
		struct sl_past *past = &m->past, was = *past;
		uint64_t changes = m->changes;
		bool calm = m->calm;

		check_settled(m, w, n, &narrow, leave);
		check_swift(m, w, n, &narrow, leave);
		*past = was;
		m->changes = changes;
		m->calm = calm;
	}
	sl_monitor_state(m, &size_after);
	if (size != size_after || memcmp(copy, state, size) != 0)
		differ(w, n - 1, "asking changes the state");
	uint64_t changes = sl_monitor_changes(m);
	bool goes = leave == SL_MAY_GO && below(writer, 2);

	/* one after the other, or at once */
	if (goes) {
		static char before_it[1 << 16], after_it[1 << 16];
		struct sl_past was = m->past, is;
		bool calm = m->calm, frees_too;
		size_t size_goes;

		memcpy(before_it, state, size);
		assert_int_equal(sl_monitor_goes(m, e, e->kind == SL_EVENT_NAMED ? &narrow : &match, &frees_too), SL_MAY_GO);
		sl_monitor_state(m, &size_goes);
		memcpy(after_it, state, size_goes);
		is = m->past;
		bool calm_too = m->calm, changed = m->changes != changes;

		((struct sl_state *)m->state)->threads = ((struct sl_state *)before_it)->threads;
		memcpy((char *)state, before_it, size);
		m->past = was;
		m->calm = calm;
		m->changes = changes;
		frees = sl_monitor_happens(m, e, &match);
		sl_monitor_state(m, &size_after);
		if (size_after != size_goes || memcmp(after_it, state, size_goes) != 0 || memcmp(&is, &m->past, sizeof(is)) != 0 ||
		    calm_too != m->calm || changed != (m->changes != changes) || frees_too != frees)
			differ(w, n, "happens otherwise if it is asked for at the same time");
	} else {
		frees = sl_monitor_happens(m, e, &match);
	}
	if (e->kind == SL_EVENT_NAMED && leave == SL_MAY_GO && narrow.count)
		check_still(writer, m, w, n, &narrow, changes);
	ask_all(m, w->events, n < 3 ? n : 3, told_after);
	for (int i = 0; i < (n < 3 ? n : 3) && !frees; i++)
		if (told[i] == SL_NOT_YET && told_after[i] != SL_NOT_YET && w->events[i].thread != e->thread)
			differ(w, n, "a thread may go, and is not told");
	for (uint32_t i = 0; i < orderings; i++) {
		bool spoilt = before[i] != SL_FALSE && sl_monitor_ordering(m, i) == SL_FALSE;

		spoils |= spoilt;
		for (uint32_t j = 0; leave == SL_NOT_YET && j < holds_back && j < 8; j++)
			if (held[j] == i && !spoilt)
				differ(w, n, "an ordering that does not hold it back");
		value = sl_monitor_ordering(m, i);
		if (before[i] != SL_OPEN && value != before[i])
			differ(w, n, "an ordering was decided, and then otherwise");
	}
	if (spoils != (leave == SL_NOT_YET))
		differ(w, n, "held, and could have gone, or the other way round");
	if ((holds_back > 0) != (leave != SL_MAY_GO))
		differ(w, n, "held by nothing");
	if (!is_moment(w, n) && !w->plan->blocks && !(w->plan->kinds & 1u << SL_EVENT_START)) {
		sl_monitor_state(m, &size_after);
		if (size != size_after || memcmp(copy, state, size) != 0)
			differ(w, n, "an event that is not named changes the state");
	}
	seen.held += leave == SL_NOT_YET;
	seen.quiet += leave == SL_WHEN_QUIET;
	seen.events++;
}

static void
compare(struct writer *writer, const struct sl_plan *plan, struct sl_pool *pool)
{
	struct sl_pool other = {other_memory, other_memory + sizeof(other_memory)};
	struct sl_monitor *m = sl_monitor_new(plan, pool), *second = sl_monitor_new(plan, &other);
	static struct world w;
	bool plain = is_plain_plan(plan), was_final = false;
	uint64_t broken = 0;
	int length = 4 + (int)below(writer, 9), move = (int)below(writer, 12);

	assert_true(m && second);
	assert_true(plan->formula_count <= FORMULAS && plan->ordering_count <= 8);
	w.plan = plan;
	forget(&w);
	for (int n = 0; n <= length; n++) {
		enum sl_value value;
		bool satisfied;

		if (n) {
			draw_event(writer, &w, n);
			forget(&w);
			check_event(writer, m, &w, n);
		}
		value = sl_monitor_value(m);
		satisfied = all_hold(&w, n);
		if (sl_monitor_satisfied(m) != satisfied)
			differ(&w, n, satisfied ? "satisfied, and the monitor says no" : "not satisfied, and the monitor says it is");
		if (value == SL_FALSE && !broken)
			broken = (uint64_t)n;
		if (value == SL_FALSE && !n)
			differ(&w, n, "false before anything has happened");
		if (sl_monitor_broken(m, NULL) != broken)
			differ(&w, n, "broken by another event");
		if (plain && (value == SL_FALSE) == satisfied)
			differ(&w, n, "a plain schedule that is not satisfied can't become so");
		if (value != SL_OPEN && !was_final) {
			struct world later = w;

			check_final(writer, &later, n, value == SL_TRUE);
			was_final = true;
			seen.final_true += value == SL_TRUE;
			seen.final_false += value == SL_FALSE;
		}
		for (uint32_t i = 0; i < plan->atom_count; i++) {
			uint32_t count = times(&w, plan->atoms[i], n), most = plan->atoms[i]->occurrence;

			most = most ? most : 1;
			if (sl_monitor_count(m, plan->atoms[i]) != (count < most ? count : most))
				differ(&w, n, "counted otherwise");
		}
		seen.open += value == SL_OPEN;
		seen.unsatisfied += !satisfied;
		if (n == move) { /* continues with a copy, from here on */
			size_t size, past_size, size2;
			const void *state = sl_monitor_state(m, &size), *past = sl_monitor_past(m, &past_size);

			memcpy((void *)sl_monitor_state(second, &size2), state, size);
			memcpy((void *)sl_monitor_past(second, &size2), past, past_size);
			second->changes = m->changes;
			second->calm = m->calm;
			m = second;
		}
	}
	seen.broken += broken != 0;
	seen.literal += !plain;
	seen.schedules++;
}

/* What is printed is the same schedule, and is printed so again. */
static void
check_print(const struct sl_plan *plan)
{
	struct sl_pool pool = {other_memory, other_memory + sizeof(other_memory)};
	struct sl_complaint complaint;
	struct sl_plan *back;
	char printed[4096], again[4096];

	assert_true(sl_plan_print(plan, printed, sizeof(printed)) < sizeof(printed));
	back = sl_plan_parse(printed, strlen(printed), &pool, &complaint);
	if (!back || !same_plan(plan, back))
		fail_msg("%s\nis printed as\n%s\n%s", shown, printed, back ? "" : complaint.text);
	sl_plan_print(back, again, sizeof(again));
	assert_string_equal(again, printed);
}

static void
test_semantics(void **unused)
{
	const char *wanted = getenv("SCHEDULES");
	uint64_t schedules = wanted ? strtoull(wanted, NULL, 10) : 100000;

	(void)unused;
	for (uint64_t seed = 1; seen.schedules < schedules; seed++) {
		struct sl_pool pool = {memory, memory + sizeof(memory)};
		struct writer writer = {.rng = sl_rng_derive(4, seed)};
		struct sl_complaint complaint;
		struct sl_plan *plan;

		write_schedule(&writer);
		shown = writer.text;
		plan = sl_plan_parse(writer.text, writer.length, &pool, &complaint);
		if (!plan) {
			seen.refused++;
			/* the generator respects the grammar: only the meaning can be wrong */
			if (strncmp(complaint.text, "expected", 8) == 0 || seen.refused > 2 * schedules)
				fail_msg("%s: %u: %s", writer.text, complaint.place.column, complaint.text);
			continue;
		}
		check_print(plan);
		compare(&writer, plan, &pool);
	}
	printf("%llu schedules (%llu literal; %llu more refused), %llu events, %llu held, %llu when quiet, "
	       "%llu became true, %llu false, %llu open, %llu not satisfied; counted by threads %llu (%llu beside the logic), %llu held, "
	       "%llu settled, %llu changed nothing, %llu something\n",
	       (unsigned long long)seen.schedules, (unsigned long long)seen.literal, (unsigned long long)seen.refused,
	       (unsigned long long)seen.events, (unsigned long long)seen.held, (unsigned long long)seen.quiet,
	       (unsigned long long)seen.final_true, (unsigned long long)seen.final_false,
	       (unsigned long long)seen.open, (unsigned long long)seen.unsatisfied, (unsigned long long)seen.swift,
	       (unsigned long long)seen.shy, (unsigned long long)seen.swift_held, (unsigned long long)seen.settled,
	       (unsigned long long)seen.still, (unsigned long long)seen.stirred);
	/* all cases have occurred */
	assert_true(seen.held > schedules / 10 && seen.quiet > schedules / 100 && seen.final_true > schedules / 10 &&
		    seen.final_false > schedules / 10 && seen.literal > schedules / 4 && seen.swift > schedules / 50 &&
		    seen.swift_held > schedules / 100 && seen.settled > schedules / 100 && seen.shy > schedules / 200 &&
		    seen.still > schedules / 20 && seen.stirred > schedules / 20);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_semantics)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
