/*
 * Errors of a plan that has no syntax error: impossible orderings, and orderings that always hold. Only certain errors are
 * reported; other contradictions are found when the schedule is run.
 */
#include "schedule/lex.h"
#include "schedule/parse.h"

/* The text of a formula in a complaint, cut if it is long. */
struct shown {
	char text[64];
};

static const char *
show(struct shown *shown, const struct sl_formula *f)
{
	size_t room = sizeof(shown->text), length = sl_formula_print(f, shown->text, room - 3), at = room - 4;

	if (length < room - 3)
		return shown->text;
	while (at && (shown->text[at] & 0xc0) == 0x80)
		at--;
	for (size_t i = 0; i < 4; i++)
		shown->text[at + i] = "…"[i];
	return shown->text;
}

static const char *
show_atom(struct shown *shown, const struct sl_atom *atom)
{
	return show(shown, &(struct sl_formula){.kind = SL_FORMULA_ATOM, .atom = (struct sl_atom *)atom});
}

/* ---- atoms ---- */

static uint32_t
need(const struct sl_atom *atom)
{
	return !atom->occurrence || atom->occurrence == SL_EVERY ? 1 : atom->occurrence;
}

/* Returns whether one is the end of the other, from a / on. */
static bool
same_file(const char *a, const char *b)
{
	size_t m = sl_text_length(a), n = sl_text_length(b);

	if (m > n)
		return same_file(b, a);
	return sl_text_same(a, b + (n - m)) && (m == n || b[n - m - 1] == '/');
}

static bool
same_kind(const struct sl_atom *a, const struct sl_atom *b)
{
	return a->kind == b->kind && a->line == b->line && sl_text_same(a->name, b->name);
}

static bool
same_name(const struct sl_atom *a, const struct sl_atom *b)
{
	if (a->kind != b->kind || a->line != b->line)
		return false;
	return a->line ? same_file(a->name, b->name) : sl_text_same(a->name, b->name);
}

/* Returns whether every event that matches `atom` also matches `other`, ignoring occurrences. */
static bool
covers(const struct sl_atom *other, const struct sl_atom *atom)
{
	return same_kind(other, atom) && (!other->object || sl_text_same(other->object, atom->object)) &&
	       (!other->thread || sl_text_same(other->thread, atom->thread) ||
		(atom->thread && sl_text_same(other->thread, "*")));
}

/*
 * A thread leaves a line after it has reached it, once for each time. Functions and locks differ: a thread may be
 * in a function, or hold a lock, when the schedule begins.
 */
static bool
is_reached_before(const struct sl_atom *line, const struct sl_atom *left)
{
	return line->kind == SL_EVENT_LINE && left->kind == SL_EVENT_EXIT && line->line == left->line &&
	       sl_text_length(line->name) <= sl_text_length(left->name) && same_file(line->name, left->name) &&
	       need(line) <= need(left) &&
	       (!line->thread || sl_text_same(line->thread, left->thread) ||
		(left->thread && sl_text_same(line->thread, "*")));
}

static bool
is_each_time(const struct sl_atom *atom)
{
	return !atom->occurrence && (atom->kind == SL_EVENT_BLOCK || atom->kind == SL_EVENT_UNBLOCK);
}

/* Returns whether one event can match both. A thread has several names, an event has one, and its object has one. */
static bool
can_be_one(const struct sl_atom *a, const struct sl_atom *b)
{
	if (a == b)
		return true;
	if (!same_name(a, b) || (a->object && b->object && !sl_text_same(a->object, b->object)))
		return false;
	return !covers(a, b) || !covers(b, a) || is_each_time(a) || is_each_time(b) || need(a) == need(b);
}

/* ---- one moment ---- */

/* The value of a formula when `event` occurs, or, if that is NULL, when none of its events does. Open: it depends on other things. */
static enum sl_value
at_moment(const struct sl_formula *f, const struct sl_atom *event)
{
	enum sl_value l, r;

	switch (f->kind) {
	case SL_FORMULA_ATOM:
		if (!event || !can_be_one(f->atom, event))
			return SL_FALSE;
		return f->atom == event ? SL_TRUE : SL_OPEN;
	case SL_FORMULA_NOT:
		return sl_value_not(at_moment(f->left, event));
	case SL_FORMULA_AND:
		return sl_value_and(at_moment(f->left, event), at_moment(f->right, event));
	case SL_FORMULA_OR:
		return sl_value_or(at_moment(f->left, event), at_moment(f->right, event));
	case SL_FORMULA_IMPLIES:
		return sl_value_or(sl_value_not(at_moment(f->left, event)), at_moment(f->right, event));
	case SL_FORMULA_IFF:
		l = at_moment(f->left, event);
		r = at_moment(f->right, event);
		return l == SL_OPEN || r == SL_OPEN ? SL_OPEN : l == r ? SL_TRUE : SL_FALSE;
	default:
		return SL_OPEN;
	}
}

/* Returns whether there is an atom in `part` with which `whole` may be true. */
static bool
possible_with(const struct sl_formula *whole, const struct sl_formula *part)
{
	if (part->kind == SL_FORMULA_ATOM)
		return at_moment(whole, part->atom) != SL_FALSE;
	if (part->kind == SL_FORMULA_BEFORE) /* it has moments of its own */
		return false;
	return (part->left && possible_with(whole, part->left)) ||
	       (part->right && possible_with(whole, part->right));
}

static bool
possible(const struct sl_formula *f)
{
	return at_moment(f, NULL) != SL_FALSE || possible_with(f, f);
}

/* a && b, where both mean the same moment. */
static bool
check_moments(const struct sl_formula *f, struct sl_complaint *complaint)
{
	struct shown left, right;

	if (f->left && !check_moments(f->left, complaint))
		return false;
	if (f->right && !check_moments(f->right, complaint))
		return false;
	if (f->kind != SL_FORMULA_AND || possible(f))
		return true;
	return sl_complain(
		complaint, f->from, "`", show(&left, f->left), "` and `", show(&right, f->right),
		"` are different events, and only one event happens at a moment: with `!`, `=>`, `<=>`, `[@t]`, `block@` or a "
		"`->` inside, an event means \"now\"",
		NULL);
}

/* ---- orderings that always hold ---- */

/* Returns whether the left side of a plain ordering is always true when its right side occurs. */
static bool
always_before(const struct sl_formula *f, const struct sl_atom *right)
{
	switch (f->kind) {
	case SL_FORMULA_AND:
		return always_before(f->left, right) && always_before(f->right, right);
	case SL_FORMULA_OR:
		return always_before(f->left, right) || always_before(f->right, right);
	case SL_FORMULA_ATOM:
		if ((f->atom->occurrence == SL_EVERY) != (right->occurrence == SL_EVERY) &&
		    f->atom->occurrence == SL_EVERY)
			return false; /* a#* -> a: none after the first */
		return (covers(f->atom, right) && need(f->atom) <= need(right)) ||
		       is_reached_before(f->atom, right);
	default:
		return false;
	}
}

static bool
has_arrow(const char *name)
{
	for (; name && *name; name++)
		if (name[0] == '-' && name[1] == '>')
			return true;
	return false;
}

/* Only events: an arrow was forgotten. */
static bool
has_no_arrow(const struct sl_formula *f)
{
	if (f->kind == SL_FORMULA_AND || f->kind == SL_FORMULA_OR)
		return has_no_arrow(f->left) && has_no_arrow(f->right);
	return !f->left;
}

static bool
check_sense(const struct sl_formula *f, struct sl_complaint *complaint)
{
	struct shown shown, left;

	if (has_no_arrow(f))
		return sl_complain(complaint, f->to, "expected `->` after `", show(&shown, f),
				   "`: an ordering is `a -> b`",
				   f->atom && has_arrow(f->atom->name)
					   ? ", with blanks: without blanks, `->` is part of a name"
					   : "",
				   NULL);
	if (f->kind != SL_FORMULA_BEFORE || f->right->kind != SL_FORMULA_ATOM)
		return true;
	if (f->plain ? !always_before(f->left, f->right->atom) : at_moment(f->left, f->right->atom) != SL_TRUE)
		return true;
	return sl_complain(complaint, f->from, "this ordering always holds: whenever `", show(&shown, f->right),
			   "` occurs, `", show(&left, f->left), f->plain ? "` has occurred" : "` is true", NULL);
}

static bool
same(const struct sl_formula *a, const struct sl_formula *b)
{
	if (!a || !b)
		return a == b;
	return a->kind == b->kind && a->atom == b->atom && sl_text_same(a->thread, b->thread) &&
	       same(a->left, b->left) && same(a->right, b->right);
}

static bool
check_twice(const struct sl_plan *plan, uint32_t which, struct sl_complaint *complaint)
{
	struct shown shown;

	for (uint32_t i = 0; i < which; i++)
		if (same(plan->orderings[i], plan->orderings[which]))
			return sl_complain(complaint, plan->orderings[which]->from, "`",
					   show(&shown, plan->orderings[which]), "` is in the schedule already",
					   NULL);
	return true;
}

/* ---- cycles ---- */

/* Atoms by number: an atom can occur if all that must come before it can. */
struct known {
	const struct sl_plan *plan;
	bool *can;
	uint32_t *alike;  /* the next atom of the same name; the last: itself … */
	uint32_t *first;  /* … and the first one */
	uint32_t *orders; /* of an atom: the first ordering with it, as it is meant, on its right; from 1 */
	uint32_t *more;   /* of an ordering: the next one with that on its right; from 1 */
};

static bool
means_the_same(const struct sl_atom *a, const struct sl_atom *b)
{
	return covers(a, b) && covers(b, a) && need(a) == need(b);
}

/* Implicit orderings: a#1 before a#2, an `a` when there is an a@t. */
static bool
goes_before(const struct sl_atom *first, const struct sl_atom *atom)
{
	return covers(first, atom) && need(first) <= need(atom) && !means_the_same(first, atom);
}

/* Returns why an atom on the left cannot occur; NULL: it can. */
static const struct sl_atom *
lacking(const struct known *known, const struct sl_formula *f, const struct sl_atom *right)
{
	uint32_t i;

	/* a@t -> a: the first a is a@t, at the same moment */
	if (f->kind == SL_FORMULA_ATOM && covers(right, f->atom) && need(f->atom) <= need(right))
		return NULL;
	if (!known->can[f->atom->number])
		return f->atom;
	if (f->atom->occurrence != SL_EVERY || right->occurrence == SL_EVERY)
		return NULL;
	/* a#* -> e: all of them */
	for (i = known->first[f->atom->number];; i = known->alike[i]) {
		const struct sl_atom *other = known->plan->atoms[i];

		if (covers(f->atom, other) && !can_be_one(other, right) && !known->can[i])
			return other;
		if (known->alike[i] == i)
			return NULL;
	}
}

static bool
left_can(const struct known *known, const struct sl_formula *f, const struct sl_atom *right)
{
	if (f->kind == SL_FORMULA_AND)
		return left_can(known, f->left, right) && left_can(known, f->right, right);
	if (f->kind == SL_FORMULA_OR)
		return left_can(known, f->left, right) || left_can(known, f->right, right);
	return !lacking(known, f, right);
}

static const struct sl_atom *
culprit(const struct known *known, const struct sl_formula *f, const struct sl_atom *right)
{
	if (f->left)
		return culprit(known, left_can(known, f->left, right) ? f->right : f->left, right);
	return lacking(known, f, right);
}

/* `main`, `T1`, …: other names may belong to several threads. */
static bool
is_one_thread(const char *name)
{
	if (sl_text_same(name, "main"))
		return true;
	if (*name++ != 'T' || !*name)
		return false;
	while (*name >= '0' && *name <= '9')
		name++;
	return !*name;
}

/* A thread's start comes before all its events, and its end after them. */
static bool
lives_before(const struct sl_atom *before, const struct sl_atom *atom)
{
	if (!before->thread || before->kind == atom->kind || !sl_text_same(before->thread, atom->thread))
		return false;
	for (const char *c = atom->thread; *c; c++)
		if (*c == '*' || *c == '?' || *c == '[')
			return false;
	if (before->kind == SL_EVENT_START)
		return before->occurrence <= 1;
	return atom->kind == SL_EVENT_END && is_one_thread(atom->thread);
}

static const struct sl_formula *
keeps_alone(const struct known *known, uint32_t atom, const struct sl_atom **before)
{
	const struct sl_plan *plan = known->plan;

	*before = NULL;
	for (uint32_t i = known->orders[atom]; i; i = known->more[i - 1])
		if (!left_can(known, plan->orderings[i - 1]->left, plan->orderings[i - 1]->right->atom)) {
			*before =
				culprit(known, plan->orderings[i - 1]->left, plan->orderings[i - 1]->right->atom);
			return plan->orderings[i - 1];
		}
	for (uint32_t i = known->first[atom];; i = known->alike[i]) {
		if (!known->can[i] && goes_before(plan->atoms[i], plan->atoms[atom])) {
			*before = plan->atoms[i];
			return NULL;
		}
		if (known->alike[i] == i)
			break;
	}
	for (uint32_t i = 0; i < plan->atom_count && plan->atoms[atom]->line && !*before; i++)
		if (!known->can[i] && is_reached_before(plan->atoms[i], plan->atoms[atom]))
			*before = plan->atoms[i];
	for (uint32_t i = 0; i < plan->atom_count && plan->atoms[atom]->thread && !*before; i++)
		if (!known->can[i] && lives_before(plan->atoms[i], plan->atoms[atom]))
			*before = plan->atoms[i];
	return NULL;
}

/*
 * Returns the atom that keeps this one from occurring, because it must come before, and the ordering that says so, if there is one.
 * An ordering of a is also one of a#1.
 */
static const struct sl_formula *
keeps(const struct known *known, uint32_t atom, const struct sl_atom **before)
{
	const struct sl_formula *f = NULL;

	for (uint32_t i = known->first[atom];; i = known->alike[i]) {
		if (means_the_same(known->plan->atoms[i], known->plan->atoms[atom]))
			f = keeps_alone(known, i, before);
		if (*before || known->alike[i] == i)
			return f;
	}
}

/* Goes back to the atom that keeps it from occurring. */
static const struct sl_formula *
step(const struct known *known, const struct sl_atom **atom)
{
	const struct sl_atom *before = NULL;
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): on a cycle each has one before it */
	const struct sl_formula *f = keeps(known, (*atom)->number, &before);

	*atom = before;
	return f;
}

static bool
complain_of_cycle(const struct known *known, const struct sl_atom *atom, struct sl_complaint *complaint)
{
	struct sl_out out = {complaint->text, sizeof(complaint->text), 0};
	const struct sl_formula *last = NULL, *f;
	const struct sl_atom *start;
	struct shown shown;

	/* after so many steps it is in the cycle */
	for (uint32_t i = 0; i <= known->plan->atom_count; i++)
		step(known, &atom);
	start = atom;
	sl_put(&out, "these orderings form a cycle: `");
	sl_put(&out, show_atom(&shown, atom));
	do {
		f = step(known, &atom);
		if (f && (!last || f->from.offset > last->from.offset))
			last = f;
		sl_put(&out, "` after `");
		sl_put(&out, show_atom(&shown, atom));
	} while (atom != start);
	sl_put(&out, "`");
	sl_put_end(&out);
	complaint->place = last ? last->from : atom->place;
	return false;
}

static void
link_atoms(struct known *known)
{
	const struct sl_plan *plan = known->plan;

	for (uint32_t i = 0; i < plan->atom_count; i++) {
		const struct sl_atom *atom = plan->atoms[i];
		uint32_t other = 0;

		while (!same_kind(plan->atoms[other], atom))
			other++;
		known->first[i] = known->alike[i] = i;
		if (other < i) {
			known->first[i] = known->first[other];
			for (other = known->first[other]; known->alike[other] != other;)
				other = known->alike[other];
			known->alike[other] = i;
		}
	}
	for (uint32_t j = plan->ordering_count; j; j--) {
		const struct sl_formula *f = plan->orderings[j - 1];

		if (!f->plain)
			continue;
		known->more[j - 1] = known->orders[f->right->atom->number];
		known->orders[f->right->atom->number] = j;
	}
}

static bool
check_cycles(const struct sl_plan *plan, struct sl_pool pool, struct sl_complaint *complaint)
{
	struct known known = {.plan = plan};
	const struct sl_atom *before;
	bool more = true;

	known.can = sl_pool_take(&pool, plan->atom_count);
	known.alike = sl_pool_take(&pool, plan->atom_count * sizeof(uint32_t));
	known.first = sl_pool_take(&pool, plan->atom_count * sizeof(uint32_t));
	known.orders = sl_pool_take(&pool, plan->atom_count * sizeof(uint32_t));
	known.more = sl_pool_take(&pool, plan->ordering_count * sizeof(uint32_t));
	if (!known.can || !known.alike || !known.first || !known.orders || !known.more)
		return sl_complain(complaint, plan->orderings[0]->from,
				   "there is not enough memory for the schedule", NULL);
	link_atoms(&known);
	/* from atoms that wait for nothing to atoms that wait for these, and so on */
	while (more) {
		more = false;
		for (uint32_t i = 0; i < plan->atom_count; i++)
			if (!known.can[i]) {
				before = NULL;
				keeps(&known, i, &before);
				if (!before)
					more = known.can[i] = true;
			}
	}
	for (uint32_t i = 0; i < plan->atom_count; i++)
		if (!known.can[i])
			return complain_of_cycle(&known, plan->atoms[i], complaint);
	return true;
}

/* ---- brackets, and every occurrence ---- */

static bool
check_leaves(const struct sl_formula *f, bool plain, struct sl_complaint *complaint)
{
	struct shown shown;

	if (f->left)
		return check_leaves(f->left, plain, complaint) &&
		       (!f->right || check_leaves(f->right, plain, complaint));
	if (!f->atom)
		return true;
	if (f->kind == SL_FORMULA_BLOCKED_EVENT) {
		if (f->atom->occurrence == SL_EVERY)
			return sl_complain(complaint, f->from, "`", show(&shown, f),
					   "`: a thread blocks after one event; expected `#` and a number", NULL);
		if (f->atom->kind == SL_EVENT_END)
			return sl_complain(complaint, f->from, "`", show(&shown, f),
					   "` cannot be: a thread that has ended is not blocked", NULL);
		if (f->atom->kind == SL_EVENT_BLOCK || f->atom->kind == SL_EVENT_UNBLOCK)
			return sl_complain(complaint, f->from, "`", show(&shown, f),
					   "`: a blocked thread is written `[@", f->atom->thread, "]`", NULL);
		return true;
	}
	if (f->atom->occurrence == SL_EVERY && !plain)
		return sl_complain(
			complaint, f->from, "`", show(&shown, f),
			"`: `#*` is for orderings like `a#* -> b#*`; not with `!`, `=>`, `<=>`, `[@t]`, `block@`, "
			"`unblock@` or `->` inside",
			NULL);
	return true;
}

/* Names in brackets that are or may be names of threads: the monitor has a bit for each. */
static bool
count_names(const struct sl_formula *f, const char **names, uint32_t *count, struct sl_complaint *complaint)
{
	const char *name = f->kind == SL_FORMULA_BLOCKED_THREAD ? f->thread
			   : sl_maybe_thread(f)                 ? f->atom->name
								: NULL;
	uint32_t i = 0;

	if (f->left && !count_names(f->left, names, count, complaint))
		return false;
	if (f->right && !count_names(f->right, names, count, complaint))
		return false;
	while (name && i < *count && !sl_text_same(names[i], name))
		i++;
	if (!name || i < *count)
		return true;
	/* [x] and [@x] are different: half of the room */
	if (*count == SL_NAMES_IN_BRACKETS / 2)
		return sl_complain(complaint, f->from, "a schedule has at most 30 different names in brackets",
				   NULL);
	names[(*count)++] = name;
	return true;
}

/* [e@T1] -> x@T1: a blocked thread does nothing. */
static bool
check_blocked(const struct sl_formula *left, const struct sl_atom *right, struct sl_complaint *complaint)
{
	struct shown shown, by;

	if (left->kind == SL_FORMULA_AND)
		return check_blocked(left->left, right, complaint) && check_blocked(left->right, right, complaint);
	if (left->kind != SL_FORMULA_BLOCKED_EVENT || !left->atom->thread || right->kind == SL_EVENT_BLOCK ||
	    right->kind == SL_EVENT_UNBLOCK || right->kind == SL_EVENT_START ||
	    !sl_text_same(left->atom->thread, right->thread) || !is_one_thread(right->thread))
		return true;
	return sl_complain(complaint, left->from, "`", show(&shown, left), "` cannot be when `",
			   show_atom(&by, right), "` occurs: a blocked thread does nothing", NULL);
}

bool
sl_check(const struct sl_plan *plan, struct sl_pool pool, struct sl_complaint *complaint)
{
	const char *names[SL_NAMES_IN_BRACKETS / 2];
	uint32_t count = 0;

	for (uint32_t i = 0; i < plan->ordering_count; i++) {
		const struct sl_formula *f = plan->orderings[i];

		if (!check_leaves(f, f->plain, complaint) || !count_names(f, names, &count, complaint) ||
		    !check_sense(f, complaint) || (!f->plain && !check_moments(f, complaint)) ||
		    !check_twice(plan, i, complaint) ||
		    (f->plain && !check_blocked(f->left, f->right->atom, complaint)))
			return false;
	}
	return check_cycles(plan, pool, complaint);
}
