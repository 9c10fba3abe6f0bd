/*
 * The atoms that an event matches, and what the event changes: a moment.
 */
#include "schedule/monitor.h"

#include "schedule/lex.h"

static bool
is_file(const char *name, const char *path)
{
	size_t a = sl_text_length(name), b = path ? sl_text_length(path) : 0;

	return b >= a && sl_text_same(name, path + (b - a)) && (b == a || path[b - a - 1] == '/');
}

static bool
matches(const struct sl_atom *atom, const struct sl_event *event)
{
	if (atom->kind != event->kind || atom->line != event->line)
		return false;
	if (atom->line)
		return is_file(atom->name, event->name);
	return !atom->name || sl_text_same(atom->name, event->name);
}

void
sl_monitor_match(const struct sl_monitor *monitor, const struct sl_event *event, struct sl_match *match)
{
	const struct sl_plan *plan = monitor->plan;

	match->count = 0;
	if (!(plan->kinds & (1u << event->kind)))
		return;
	for (uint32_t i = 0; i < plan->atom_count; i++) {
		if (!matches(plan->atoms[i], event))
			continue;
		if (match->count == sizeof(match->atoms) / sizeof(match->atoms[0])) {
			match->count = UINT32_MAX;
			return;
		}
		match->atoms[match->count++] = i;
	}
}

static bool
thread_fits(const char *glob, const struct sl_event *event, bool named)
{
	char name[16];

	if (event->thread_name && sl_glob(glob, event->thread_name))
		return true;
	if (named)
		return false;
	sl_thread_usual(event->thread, name);
	return sl_glob(glob, name);
}

static bool
fits(const struct sl_monitor *m, const struct sl_event *event, uint32_t number, bool named)
{
	const struct sl_atom *atom = m->plan->atoms[number];

	if (!m->watches[number].picky)
		return true;
	return (!atom->object || sl_text_same(atom->object, event->object)) &&
	       (!atom->thread || thread_fits(atom->thread, event, named));
}

static void
add(const struct sl_monitor *m, struct sl_moment *moment, uint32_t number, bool named)
{
	if (fits(m, moment->event, number, named))
		moment->atoms[moment->count++] = (uint16_t)number;
}

void
sl_monitor_narrow(const struct sl_monitor *monitor, const struct sl_event *event, struct sl_match *match)
{
	uint32_t kept = 0;

	if (match->count == UINT32_MAX)
		return;
	for (uint32_t i = 0; i < match->count; i++)
		if (fits(monitor, event, match->atoms[i], false))
			match->atoms[kept++] = match->atoms[i];
	match->count = kept;
}

static uint64_t
word_after(const struct sl_monitor *m, const struct sl_event *event, uint64_t before)
{
	uint64_t word =
		before & SL_LIVES ? before : SL_LIVES | sl_thread_names(m, event->thread, event->thread_name);

	switch (event->kind) {
	case SL_EVENT_START:
		return SL_LIVES | (before & SL_BLOCKED) | sl_thread_names(m, event->thread, event->thread_name);
	case SL_EVENT_END:
		return 0;
	case SL_EVENT_BLOCK:
		return word | SL_BLOCKED;
	case SL_EVENT_UNBLOCK:
		return word & ~SL_BLOCKED;
	default:
		return word;
	}
}

bool
sl_moment_collect(struct sl_moment *moment, const struct sl_monitor *m, const struct sl_event *event,
		  const struct sl_match *match)
{
	struct sl_match own;
	bool named = false;

	moment->event = event;
	moment->thread = event->thread;
	moment->before = moment->after = 0;
	moment->count = 0;
	if (m->follows && event->thread < SL_MONITOR_THREADS) {
		moment->before = sl_thread_word(m, event->thread);
		moment->after = word_after(m, event, moment->before);
		named = event->kind == SL_EVENT_START && event->thread_name && moment->before & SL_LIVES;
	}
	if (!match) {
		sl_monitor_match(m, event, &own);
		match = &own;
	}
	if (match->count != UINT32_MAX) {
		for (uint32_t i = 0; i < match->count; i++)
			add(m, moment, match->atoms[i], named);
	} else {
		for (uint32_t i = 0; i < m->plan->atom_count; i++)
			if (matches(m->plan->atoms[i], event))
				add(m, moment, i, named);
	}
	return moment->count || (m->blocks && sl_kind_is_thread(event->kind));
}

/* ---- what must have occurred ---- */

uint32_t
sl_atom_needs(const struct sl_atom *atom)
{
	return atom->occurrence && atom->occurrence != SL_EVERY ? atom->occurrence : 1;
}

static bool
has_atom(const struct sl_formula *f, const struct sl_atom *atom)
{
	if (f->kind == SL_FORMULA_ATOM)
		return f->atom == atom;
	return (f->left && has_atom(f->left, atom)) || (f->right && has_atom(f->right, atom));
}

/* Only the atoms without which an ordering is void: its right side, and each a of `a#* -> …`. */
uint32_t
sl_plan_needs(const struct sl_plan *plan, const struct sl_atom *atom)
{
	for (uint32_t i = 0; i < plan->ordering_count; i++) {
		const struct sl_formula *f = plan->orderings[i];

		if (f->plain &&
		    (has_atom(f->right, atom) || (atom->occurrence == SL_EVERY && has_atom(f->left, atom))))
			return sl_atom_needs(atom);
	}
	return 0;
}
