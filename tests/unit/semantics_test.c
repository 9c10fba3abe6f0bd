/*
 * The monitor against the meaning of schedules (docs/schedules.md), worked out directly: random schedules, random traces, and
 * for every beginning of a trace the definitions, one after another, over all moments, without any state. Nothing of
 * src/schedule is used for it but the plan that the parser has made.
 */
#include "base/rng.h"
#include "schedule/schedule.h"

#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define EVENTS 16
#define FORMULAS 160
#define THREADS 4

struct world {
	const struct sl_plan *plan;
	struct sl_event events[EVENTS]; /* numbers from 1: events[n - 1] */
	signed char memo[FORMULAS][EVENTS + 1];
};

/* ---- the meaning ---- */

static const char *
usual(uint32_t thread)
{
	static const char *const names[THREADS] = {"main", "T1", "T2", "T3"};

	return names[thread];
}

static bool
lives(const struct world *w, uint32_t thread, int n)
{
	for (; n; n--)
		if (w->events[n - 1].thread == thread)
			return w->events[n - 1].kind != SL_EVENT_END;
	return thread == 0;
}

/* The name that it was given last: with its START, or with whatever was seen of it first. */
static const char *
name_of(const struct world *w, uint32_t thread, int n)
{
	for (; n; n--) {
		const struct sl_event *e = &w->events[n - 1];

		if (e->thread == thread && (e->kind == SL_EVENT_START || !lives(w, thread, n - 1)))
			return e->thread_name;
	}
	return NULL;
}

static bool
is_blocked(const struct world *w, uint32_t thread, int n)
{
	for (; n; n--) {
		const struct sl_event *e = &w->events[n - 1];

		if (e->thread != thread)
			continue;
		if (e->kind == SL_EVENT_BLOCK)
			return true;
		if (e->kind == SL_EVENT_UNBLOCK || e->kind == SL_EVENT_END)
			return false;
	}
	return false;
}

static bool
all_blocked(const struct world *w, const char *wanted, bool glob, int n)
{
	bool some = false;

	for (uint32_t t = 0; t < THREADS; t++) {
		const char *name = name_of(w, t, n);

		if (!lives(w, t, n))
			continue;
		if (glob ? fnmatch(wanted, usual(t), 0) != 0 && !(name && fnmatch(wanted, name, 0) == 0)
			 : strcmp(wanted, usual(t)) != 0 && !(name && strcmp(wanted, name) == 0))
			continue;
		if (!is_blocked(w, t, n))
			return false;
		some = true;
	}
	return some;
}

static bool
matches(const struct world *w, const struct sl_atom *a, int n)
{
	const struct sl_event *e = &w->events[n - 1];

	if (a->kind != e->kind || (a->kind == SL_EVENT_LINE && a->line != e->line))
		return false;
	if (a->name && strcmp(a->name, e->name) != 0)
		return false;
	if (a->object && !(e->object && strcmp(a->object, e->object) == 0))
		return false;
	if (!a->thread)
		return true;
	if (e->thread_name && fnmatch(a->thread, e->thread_name, 0) == 0)
		return true;
	if (e->kind == SL_EVENT_START && e->thread_name && lives(w, e->thread, n - 1))
		return false; /* it is only being named */
	return fnmatch(a->thread, usual(e->thread), 0) == 0;
}

static uint32_t
times(const struct world *w, const struct sl_atom *a, int n)
{
	uint32_t count = 0;

	for (; n; n--)
		count += matches(w, a, n);
	return count;
}

static bool
occurs(const struct world *w, const struct sl_atom *a, int n)
{
	if (!n || !matches(w, a, n))
		return false;
	if (!a->occurrence && (a->kind == SL_EVENT_BLOCK || a->kind == SL_EVENT_UNBLOCK))
		return true;
	return times(w, a, n) == (a->occurrence ? a->occurrence : 1);
}

static bool
is_moment(const struct world *w, int n)
{
	if (w->plan->blocks && w->events[n - 1].kind >= SL_EVENT_START && w->events[n - 1].kind <= SL_EVENT_UNBLOCK)
		return true;
	for (uint32_t i = 0; i < w->plan->atom_count; i++)
		if (matches(w, w->plan->atoms[i], n))
			return true;
	return false;
}

static bool
bracket(const struct world *w, const struct sl_formula *f, int n)
{
	if (f->kind == SL_FORMULA_BLOCKED_THREAD)
		return all_blocked(w, f->thread, true, n);
	for (int j = 1; j <= n; j++)
		if (occurs(w, f->atom, j))
			return is_blocked(w, w->events[j - 1].thread, n);
	return f->atom->kind == SL_EVENT_NAMED && !f->atom->object && !f->atom->thread && !f->atom->occurrence &&
	       all_blocked(w, f->atom->name, false, n);
}

static bool holds(struct world *w, const struct sl_formula *f, int n);

static bool
holds_now(struct world *w, const struct sl_formula *f, int n)
{
	bool never = true;

	switch (f->kind) {
	case SL_FORMULA_ATOM:
		return occurs(w, f->atom, n);
	case SL_FORMULA_BLOCKED_EVENT:
	case SL_FORMULA_BLOCKED_THREAD:
		return bracket(w, f, n);
	case SL_FORMULA_NOT:
		return !holds(w, f->left, n);
	case SL_FORMULA_AND:
		return holds(w, f->left, n) && holds(w, f->right, n);
	case SL_FORMULA_OR:
		return holds(w, f->left, n) || holds(w, f->right, n);
	case SL_FORMULA_IMPLIES:
		return !holds(w, f->left, n) || holds(w, f->right, n);
	case SL_FORMULA_IFF:
		return holds(w, f->left, n) == holds(w, f->right, n);
	case SL_FORMULA_BEFORE:
		for (int i = 1; i <= n; i++) {
			if (!is_moment(w, i) || !holds(w, f->right, i))
				continue;
			never = false;
			for (int j = 1; j <= i; j++)
				if (is_moment(w, j) && holds(w, f->left, j))
					return true;
		}
		return never;
	}
	abort();
}

static bool
holds(struct world *w, const struct sl_formula *f, int n)
{
	signed char *memo = &w->memo[f->number][n];

	if (*memo < 0)
		*memo = holds_now(w, f, n);
	return *memo;
}

/* The left side of a plain ordering when the right side occurs, at moment m, the k-th time; n is the last event. */
static bool
left_holds(struct world *w, const struct sl_formula *f, bool each, int m, uint32_t k, int n)
{
	switch (f->kind) {
	case SL_FORMULA_AND:
		return left_holds(w, f->left, each, m, k, n) && left_holds(w, f->right, each, m, k, n);
	case SL_FORMULA_OR:
		return left_holds(w, f->left, each, m, k, n) || left_holds(w, f->right, each, m, k, n);
	case SL_FORMULA_ATOM:
		if (f->atom->occurrence == SL_EVERY && each)
			return times(w, f->atom, m) >= k;
		if (f->atom->occurrence == SL_EVERY) {
			for (int j = m + 1; j <= n; j++)
				if (matches(w, f->atom, j))
					return false;
			return true;
		}
		for (int j = 1; j <= m; j++)
			if (occurs(w, f->atom, j))
				return true;
		return false;
	default:
		return bracket(w, f, m);
	}
}

static bool
ordering_holds(struct world *w, const struct sl_formula *f, int n)
{
	int last = n;

	if (f->plain) {
		bool each = f->right->atom->occurrence == SL_EVERY;

		for (int m = 1; m <= n; m++)
			if (each ? matches(w, f->right->atom, m) : occurs(w, f->right->atom, m))
				if (!left_holds(w, f->left, each, m, times(w, f->right->atom, m), n))
					return false;
		return true;
	}
	while (last && !is_moment(w, last))
		last--;
	return holds(w, f, last);
}

static bool
all_hold(struct world *w, int n)
{
	for (uint32_t i = 0; i < w->plan->ordering_count; i++)
		if (!ordering_holds(w, w->plan->orderings[i], n))
			return false;
	return true;
}

static void
forget(struct world *w)
{
	memset(w->memo, -1, sizeof(w->memo));
}

/* ---- random schedules ---- */

struct writer {
	struct sl_rng rng;
	char text[2048];
	unsigned length;
	bool literal, every; /* what may be used */
};

static uint32_t
below(struct writer *w, uint32_t n)
{
	return sl_rng_below(&w->rng, n);
}

static void
put(struct writer *w, const char *text)
{
	w->length += (unsigned)snprintf(w->text + w->length, sizeof(w->text) - w->length, "%s", text);
	if (w->length >= sizeof(w->text))
		w->length = sizeof(w->text) - 1;
}

static const char *
pick(struct writer *w, const char *const *list, uint32_t count)
{
	return list[below(w, count)];
}

#define PICK(w, ...)                                                                                                \
	pick(w, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void
put_atom(struct writer *w, bool may_be_every)
{
	uint32_t what = below(w, 20);

	if (what < 13)
		put(w, PICK(w, "a", "b", "c", "d"));
	else if (what < 14)
		put(w, PICK(w, "lock:m", "unlock:m", "f.c:1", "f.c:2"));
	else if (what < 15)
		put(w, PICK(w, "a{q}", "b{q}", "b{p}"));
	else if (what < 18 || !w->literal) {
		put(w, PICK(w, "start@", "end@"));
		put(w, PICK(w, "T1", "w1", "w*", "*", "main"));
		return;
	} else {
		put(w, PICK(w, "block@", "unblock@"));
		put(w, PICK(w, "T1", "w1", "w*", "main", "T?"));
		put(w, PICK(w, "", "", "", "#1", "#2"));
		return;
	}
	if (below(w, 3) == 0)
		put(w, w->every && may_be_every && below(w, 2) ? "#*" : PICK(w, "#1", "#2", "#3"));
	if (below(w, 4) == 0)
		put(w, PICK(w, "@T1", "@w1", "@w*", "@main", "@*", "@T?"));
}

static void
put_formula(struct writer *w, unsigned depth)
{
	uint32_t what = below(w, 12);

	if (!depth || what < 4) {
		if (below(w, 4)) {
			put_atom(w, true);
		} else {
			put(w, "[");
			if (w->literal && below(w, 2))
				put(w, PICK(w, "@T1", "@w1", "@w*", "@*", "@main"));
			else if (below(w, 3) == 0)
				put(w, PICK(w, "T1", "w1", "a", "main"));
			else
				put(w, PICK(w, "a", "b", "c#2", "a@T1", "b@w*", "start@w*"));
			put(w, "]");
		}
		return;
	}
	if (w->literal && what == 4) {
		put(w, "!(");
		put_formula(w, depth - 1);
		put(w, ")");
		return;
	}
	put(w, "(");
	put_formula(w, depth - 1);
	put(w, w->literal ? PICK(w, " && ", " || ", " => ", " <=> ", " -> ", " -> ") : PICK(w, " && ", " || "));
	put_formula(w, depth - 1);
	put(w, ")");
}

static void
write_schedule(struct writer *w)
{
	uint32_t count = 1 + below(w, 3);

	w->length = 0;
	for (uint32_t i = 0; i < count; i++) {
		w->literal = below(w, 2);
		w->every = !w->literal && below(w, 3) == 0;
		if (i)
			put(w, ", ");
		if (w->literal && below(w, 4) == 0) { /* not always an ordering on top */
			put(w, PICK(w, "!(", "(a -> b) && (", "(c -> a) || (", "("));
			put_formula(w, 2);
			put(w, " -> ");
			put_formula(w, 1);
			put(w, ")");
			continue;
		}
		put_formula(w, below(w, 3));
		put(w, " -> ");
		if (w->literal && below(w, 2))
			put_formula(w, 1);
		else
			put_atom(w, true);
	}
}

/* ---- random traces ---- */

/* As many threads as may be, with the names that they have now: w2 may become w1. */
static void
draw_event(struct writer *w, struct world *world, int n)
{
	static const char *const first_names[THREADS] = {NULL, NULL, "w1", "w2"};
	struct sl_event *e = &world->events[n - 1];
	uint32_t what = below(w, 20);

	*e = (struct sl_event){.thread = below(w, THREADS)};
	e->thread_name = lives(world, e->thread, n - 1) ? name_of(world, e->thread, n - 1) : first_names[e->thread];
	if (what < 11) {
		e->kind = SL_EVENT_NAMED;
		e->name = PICK(w, "a", "b", "c", "d", "a", "b", "x");
		e->object = PICK(w, NULL, NULL, "q", "p");
	} else if (what < 12) {
		e->kind = below(w, 2) ? SL_EVENT_LOCK : SL_EVENT_UNLOCK;
		e->name = "m";
	} else if (what < 13) {
		e->kind = SL_EVENT_LINE;
		e->name = "f.c";
		e->line = 1 + below(w, 2);
	} else if (what < 15) {
		e->kind = SL_EVENT_START;
		if (below(w, 4) == 0)
			e->thread_name = PICK(w, "w1", "w2", "a", "v");
	} else if (what < 16) {
		e->kind = SL_EVENT_END;
	} else {
		e->kind = is_blocked(world, e->thread, n - 1) ? SL_EVENT_UNBLOCK : SL_EVENT_BLOCK;
	}
}

/* ---- the comparison ---- */

static char memory[1 << 20], other_memory[1 << 20];

static struct {
	uint64_t schedules, refused, events, final_true, final_false, broken, held, quiet, open, literal, unsatisfied;
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

/* Whatever comes now, the verdict is what the monitor says. */
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

/* What some events would be told now: for "anybody who is held may go". */
static void
ask_all(struct sl_monitor *m, const struct sl_event *probes, int count, enum sl_leave *leaves)
{
	for (int i = 0; i < count; i++)
		leaves[i] = sl_monitor_asks(m, &probes[i], NULL);
}

static void
check_event(struct sl_monitor *m, struct world *w, int n)
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
	sl_monitor_state(m, &size_after);
	if (size != size_after || memcmp(copy, state, size) != 0)
		differ(w, n - 1, "asking changes the state");
	frees = sl_monitor_happens(m, e, &match);
	ask_all(m, w->events, n < 3 ? n : 3, told_after);
	for (int i = 0; i < (n < 3 ? n : 3) && !frees; i++)
		if (told[i] == SL_NOT_YET && told_after[i] != SL_NOT_YET && w->events[i].thread != e->thread)
			differ(w, n, "somebody may go, and is not told");
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
			check_event(m, &w, n);
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
		if (n == move) { /* on with a copy, from here on */
			size_t size, past_size, size2;
			const void *state = sl_monitor_state(m, &size), *past = sl_monitor_past(m, &past_size);

			memcpy((void *)sl_monitor_state(second, &size2), state, size);
			memcpy((void *)sl_monitor_past(second, &size2), past, past_size);
			m = second;
		}
	}
	seen.broken += broken != 0;
	seen.literal += !plain;
	seen.schedules++;
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
			/* the generator keeps to the grammar: only what is meant can be wrong */
			if (strncmp(complaint.text, "expected", 8) == 0 || seen.refused > 2 * schedules)
				fail_msg("%s: %u: %s", writer.text, complaint.place.column, complaint.text);
			continue;
		}
		compare(&writer, plan, &pool);
	}
	printf("%llu schedules (%llu literal; %llu more refused), %llu events, %llu held, %llu when quiet, "
	       "%llu became true, %llu false, %llu open, %llu not satisfied\n",
	       (unsigned long long)seen.schedules, (unsigned long long)seen.literal, (unsigned long long)seen.refused,
	       (unsigned long long)seen.events, (unsigned long long)seen.held, (unsigned long long)seen.quiet,
	       (unsigned long long)seen.final_true, (unsigned long long)seen.final_false,
	       (unsigned long long)seen.open, (unsigned long long)seen.unsatisfied);
	/* all of it has come up */
	assert_true(seen.held > schedules / 10 && seen.quiet > schedules / 100 && seen.final_true > schedules / 10 &&
		    seen.final_false > schedules / 10 && seen.literal > schedules / 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_semantics)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
