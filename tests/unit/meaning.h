/*
 * The meaning of schedules (docs/schedules.md), computed directly: the definitions, one after
 * another, over all moments of a trace, without any state. It uses nothing of src/schedule
 * except the plan that the parser has made. And random schedules and traces to try it on.
 */
#ifndef SL_TESTS_MEANING_H
#define SL_TESTS_MEANING_H

#include "base/rng.h"
#include "schedule/schedule.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS 24
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

static inline bool
lives(const struct world *w, uint32_t thread, int n)
{
	for (; n; n--)
		if (w->events[n - 1].thread == thread)
			return w->events[n - 1].kind != SL_EVENT_END;
	return thread == 0;
}

/* The name that it was given last: with its START, or with the first event that was seen of it. */
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

static inline bool
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

static inline bool
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

static inline bool
matches(const struct world *w, const struct sl_atom *a, int n)
{
	const struct sl_event *e = &w->events[n - 1];

	if (a->kind != e->kind || a->line != e->line)
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

static inline uint32_t
times(const struct world *w, const struct sl_atom *a, int n)
{
	uint32_t count = 0;

	for (; n; n--)
		count += matches(w, a, n);
	return count;
}

static inline bool
occurs(const struct world *w, const struct sl_atom *a, int n)
{
	if (!n || !matches(w, a, n))
		return false;
	if (!a->occurrence && (a->kind == SL_EVENT_BLOCK || a->kind == SL_EVENT_UNBLOCK))
		return true;
	return times(w, a, n) == (a->occurrence ? a->occurrence : 1);
}

static inline bool
is_moment(const struct world *w, int n)
{
	if (w->plan->blocks && w->events[n - 1].kind >= SL_EVENT_START && w->events[n - 1].kind <= SL_EVENT_UNBLOCK)
		return true;
	for (uint32_t i = 0; i < w->plan->atom_count; i++)
		if (matches(w, w->plan->atoms[i], n))
			return true;
	return false;
}

static inline bool
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

static inline bool holds(struct world *w, const struct sl_formula *f, int n);

static inline bool
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

static inline bool
holds(struct world *w, const struct sl_formula *f, int n)
{
	signed char *memo = &w->memo[f->number][n];

	if (*memo < 0)
		*memo = holds_now(w, f, n);
	return *memo;
}

/* The left side of a plain ordering when the right side occurs, at moment m, the k-th time; n is the last event. */
static inline bool
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

static inline bool
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

static inline bool
all_hold(struct world *w, int n)
{
	for (uint32_t i = 0; i < w->plan->ordering_count; i++)
		if (!ordering_holds(w, w->plan->orderings[i], n))
			return false;
	return true;
}

static inline void
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

static inline uint32_t
below(struct writer *w, uint32_t n)
{
	return sl_rng_below(&w->rng, n);
}

static inline void
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

static inline void
put_atom(struct writer *w, bool may_be_every)
{
	uint32_t what = below(w, 20);

	if (what < 13)
		put(w, PICK(w, "a", "b", "c", "d"));
	else if (what < 14)
		put(w, PICK(w, "lock:m", "unlock:m", "f.c:1", "f.c:2", "exit:f.c:1"));
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

static inline void
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

static inline void
write_schedule(struct writer *w)
{
	uint32_t count = 1 + below(w, 3);
	bool arrow = false, before;

	w->length = 0;
	for (uint32_t i = 0; i < count; i++) {
		w->literal = below(w, 2);
		w->every = !w->literal && below(w, 3) == 0;
		before = arrow;
		arrow = !w->literal || below(w, 4); /* not always an ordering at the top */
		if (i)
			put(w, before && arrow ? PICK(w, ", ", " ", "\n") : ", "); /* between two orderings no comma is needed */
		if (!arrow) {
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
static inline void
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
		e->kind = below(w, 3) ? SL_EVENT_LINE : SL_EVENT_EXIT;
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

#endif
