/*
 * Follows an execution: events, threads, and the plain orderings, which need only the number of occurrences of each atom.
 */
#include "schedule/monitor.h"

#include "schedule/lex.h"

/* ---- threads ---- */

static bool
owner_blocked(const struct sl_monitor *m, const struct sl_moment *moment, uint32_t owner)
{
	uint64_t word = moment->event && owner == moment->thread ? moment->after : sl_thread_word(m, owner);

	return word & SL_BLOCKED;
}

/* Returns whether all living threads of that name are blocked, and there is one. */
static bool
name_blocked(const struct sl_monitor *m, const struct sl_moment *moment, uint32_t name)
{
	uint32_t living = m->living[name], blocked = m->blocked[name];

	if (moment->event && moment->before & SL_NAME_BIT(name)) {
		living--;
		blocked -= (moment->before & SL_BLOCKED) != 0;
	}
	if (moment->event && moment->after & SL_NAME_BIT(name)) {
		living++;
		blocked += (moment->after & SL_BLOCKED) != 0;
	}
	return living && living == blocked;
}

struct sl_term
sl_term_of(const struct sl_monitor *m, const struct sl_formula *f)
{
	struct sl_term term = {.atom = SL_NO_ATOM, .name = SL_NO_NAME, .bracket = f->kind != SL_FORMULA_ATOM};

	if (f->atom) {
		term.atom = (uint16_t)f->atom->number;
		term.need = m->watches[term.atom].need;
	}
	if (f->kind == SL_FORMULA_BLOCKED_THREAD || sl_maybe_thread(f))
		term.name = m->name_of[f->number];
	return term;
}

static bool
term_blocked(const struct sl_monitor *m, const struct sl_moment *moment, const struct sl_term *term)
{
	uint32_t count;

	if (term->atom != SL_NO_ATOM) {
		count = m->counts[term->atom];
		if (count >= term->need)
			return owner_blocked(m, moment, m->owners[term->atom]);
		if (count + 1 == term->need && sl_moment_has(moment, term->atom))
			return owner_blocked(m, moment, moment->thread);
	}
	return term->name != SL_NO_NAME && name_blocked(m, moment, term->name);
}

bool
sl_moment_blocked(const struct sl_monitor *m, const struct sl_moment *moment, const struct sl_formula *f)
{
	struct sl_term term = sl_term_of(m, f);

	return term_blocked(m, moment, &term);
}

/* ---- plain orderings ---- */

/* The left side when the right side occurs the `nth` time. Open: every a must come before, and more may come. */
static enum sl_value
left_value(const struct sl_monitor *m, const struct sl_moment *moment, const struct sl_rule *rule,
	   const struct sl_formula *f, uint32_t nth)
{
	uint32_t number, count, need;

	switch (f->kind) {
	case SL_FORMULA_ATOM:
		number = f->atom->number;
		count = m->counts[number];
		need = m->watches[number].need;
		if (need == SL_EVERY) {
			if (!rule->each)
				return SL_OPEN;
			need = nth;
		}
		return count >= need || (count + 1 == need && sl_moment_has(moment, number));
	case SL_FORMULA_AND:
		return sl_value_and(left_value(m, moment, rule, f->left, nth),
				    left_value(m, moment, rule, f->right, nth));
	case SL_FORMULA_OR:
		return sl_value_or(left_value(m, moment, rule, f->left, nth),
				   left_value(m, moment, rule, f->right, nth));
	default:
		return sl_moment_blocked(m, moment, f);
	}
}

/* The same, for the whole left side. */
static enum sl_value
left_of(const struct sl_monitor *m, const struct sl_moment *moment, const struct sl_rule *rule, uint32_t nth)
{
	if (!rule->term_count)
		return left_value(m, moment, rule, rule->formula->left, nth);
	for (uint32_t i = 0; i < rule->term_count; i++) {
		const struct sl_term *term = &rule->terms[i];
		uint32_t need = term->need == SL_EVERY ? nth : term->need, count;

		if (term->bracket) {
			if (!term_blocked(m, moment, term))
				return SL_FALSE;
			continue;
		}
		count = m->counts[term->atom];
		if (count < need && (count + 1 != need || !sl_moment_has(moment, term->atom)))
			return SL_FALSE;
	}
	return SL_TRUE;
}

/* Notes the values of the leaves when e of `a#* -> e` occurs. */
static void
freeze(struct sl_monitor *m, const struct sl_moment *moment, const struct sl_rule *rule,
       const struct sl_formula *f)
{
	if (f->kind == SL_FORMULA_AND || f->kind == SL_FORMULA_OR) {
		freeze(m, moment, rule, f->left);
		freeze(m, moment, rule, f->right);
	} else {
		m->nodes[f->number] = left_value(m, moment, rule, f, 1) != SL_FALSE;
	}
}

/* … and their values later. */
static enum sl_value
frozen(const struct sl_monitor *m, const struct sl_moment *moment, const struct sl_formula *f)
{
	switch (f->kind) {
	case SL_FORMULA_AND:
		return sl_value_and(frozen(m, moment, f->left), frozen(m, moment, f->right));
	case SL_FORMULA_OR:
		return sl_value_or(frozen(m, moment, f->left), frozen(m, moment, f->right));
	case SL_FORMULA_ATOM:
		if (f->atom->occurrence == SL_EVERY)
			return m->nodes[f->number] && !sl_moment_has(moment, f->atom->number) ? SL_OPEN : SL_FALSE;
		/* fall through */
	default:
		return m->nodes[f->number] ? SL_TRUE : SL_FALSE;
	}
}

static void
note_late(struct sl_monitor *m, const struct sl_moment *moment, const struct sl_formula *f)
{
	if (f->kind == SL_FORMULA_AND || f->kind == SL_FORMULA_OR) {
		note_late(m, moment, f->left);
		note_late(m, moment, f->right);
	} else if (f->kind == SL_FORMULA_ATOM && f->atom->occurrence == SL_EVERY &&
		   sl_moment_has(moment, f->atom->number)) {
		m->changes += m->nodes[f->number];
		m->nodes[f->number] = 0;
	}
}

/* Returns whether the right side of the ordering occurs now, so that its left side must be true. */
static bool
occurs(const struct sl_monitor *m, uint32_t ordering, uint32_t *nth)
{
	const struct sl_rule *rule = &m->rules[ordering];

	*nth = m->counts[rule->right] + 1;
	return !(m->values[ordering] & SL_DONE) && (m->values[ordering] & SL_VALUE) != SL_FALSE &&
	       (rule->each || *nth == m->watches[rule->right].need);
}

static bool
is_late(const struct sl_monitor *m, const struct sl_moment *moment, uint32_t ordering)
{
	return (m->values[ordering] & SL_DONE) && (m->values[ordering] & SL_VALUE) != SL_FALSE &&
	       frozen(m, moment, m->rules[ordering].formula->left) == SL_FALSE;
}

/* ---- asking, and happening ---- */

/* `p -> unblock@t`: an unblock after p makes it true, so this one need not wait; but the ordering means this one. */
static bool
is_in_vain(const struct sl_monitor *m, const struct sl_moment *moment, const struct sl_formula *f, unsigned after)
{
	return f->kind == SL_FORMULA_BEFORE && f->right->kind == SL_FORMULA_ATOM &&
	       m->watches[f->right->atom->number].any && sl_moment_has(moment, f->right->atom->number) &&
	       !(after & SL_NOW);
}

static enum sl_leave
leave_literal(const struct sl_monitor *m, const struct sl_moment *moment, uint32_t ordering)
{
	unsigned before = m->values[ordering], after;

	if ((before & SL_VALUE) != SL_OPEN)
		return SL_MAY_GO;
	after = sl_logic_value((struct sl_monitor *)m, moment, ordering, false);
	if ((after & SL_VALUE) == SL_FALSE)
		return SL_NOT_YET;
	if (is_in_vain(m, moment, m->rules[ordering].formula, after))
		return SL_WHEN_QUIET;
	return after & SL_DOOMED && !(before & SL_DOOMED) ? SL_WHEN_QUIET : SL_MAY_GO;
}

static enum sl_leave
leave_right(const struct sl_monitor *m, const struct sl_moment *moment, uint32_t ordering)
{
	const struct sl_rule *rule = &m->rules[ordering];
	enum sl_value value;
	uint32_t nth;

	if (!occurs(m, ordering, &nth))
		return SL_MAY_GO;
	value = left_of(m, moment, rule, nth);
	return value == SL_FALSE ? SL_NOT_YET : value == SL_OPEN ? SL_WHEN_QUIET : SL_MAY_GO;
}

/*
 * Returns the only atom that the event matches, if nothing else than its orderings has to be checked; or SL_EVERY. Most
 * events have one: this is checked before a moment is made.
 */
static inline uint32_t
only_atom(const struct sl_monitor *m, const struct sl_match *match)
{
	return m->quick && match && match->count == 1 && !m->watches[match->atoms[0]].picky ? match->atoms[0]
											    : SL_EVERY;
}

static inline enum sl_leave
worse(enum sl_leave a, enum sl_leave b)
{
	return a > b ? a : b;
}

static enum sl_leave
asks(const struct sl_monitor *m, const struct sl_event *event, const struct sl_match *match)
{
	struct sl_moment moment;
	enum sl_leave leave = SL_MAY_GO;

	if (!sl_moment_collect(&moment, m, event, match))
		return SL_MAY_GO;
	for (uint32_t i = 0; i < moment.count; i++) {
		const struct sl_watch *watch = &m->watches[moment.atoms[i]];

		for (uint32_t j = watch->rights; j < watch->rights_end; j++) {
			leave = worse(leave, leave_right(m, &moment, m->lists[j]));
			if (leave == SL_NOT_YET)
				return leave;
		}
		for (uint32_t j = watch->floats; j < watch->floats_end; j++)
			if (is_late(m, &moment, m->lists[j]))
				return SL_NOT_YET;
	}
	for (uint32_t i = 0; i < m->restless && leave != SL_NOT_YET; i++)
		leave = worse(leave, leave_literal(m, &moment, m->literals[i]));
	for (uint32_t i = 0; i < moment.count; i++) {
		const struct sl_watch *watch = &m->watches[moment.atoms[i]];

		for (uint32_t j = watch->logics; j < watch->logics_end && leave != SL_NOT_YET; j++)
			leave = worse(leave, leave_literal(m, &moment, m->lists[j]));
	}
	return leave;
}

enum sl_leave
sl_monitor_asks(const struct sl_monitor *monitor, const struct sl_event *event, const struct sl_match *match)
{
	const struct sl_monitor *m = monitor;
	uint32_t only;

	if (match && !match->count && !(m->blocks && sl_kind_is_thread(event->kind)))
		return SL_MAY_GO;
	only = only_atom(m, match);
	if (only != SL_EVERY && m->watches[only].rights == m->watches[only].floats_end)
		return SL_MAY_GO; /* other events may wait for it, it waits for nothing */
	return asks(m, event, match);
}

static void
breaks(struct sl_monitor *m, uint32_t ordering)
{
	m->values[ordering] = (uint8_t)((m->values[ordering] & ~SL_VALUE) | SL_FALSE);
	m->changes++;
	if (!m->state->broken++) {
		m->past.broken_at = m->past.events;
		m->past.broken_ordering = ordering;
	}
}

/* Returns whether an ordering is decided: then it holds no thread back any more. */
static bool
happens_plain(struct sl_monitor *m, const struct sl_moment *moment, const struct sl_watch *watch)
{
	bool decided = false;

	for (uint32_t j = watch->rights; j < watch->rights_end; j++) {
		uint32_t ordering = m->lists[j], nth;
		const struct sl_rule *rule = &m->rules[ordering];

		if (!occurs(m, ordering, &nth))
			continue;
		if (left_of(m, moment, rule, nth) == SL_FALSE) {
			breaks(m, ordering);
			decided = true;
		} else if (!rule->each) {
			m->values[ordering] |= SL_DONE;
			m->changes++;
			decided = true;
			if (rule->floating)
				freeze(m, moment, rule, rule->formula->left);
		}
	}
	return decided;
}

/* Twice at one moment is the same as once. */
static void
happens_literal(struct sl_monitor *m, const struct sl_moment *moment, uint32_t ordering)
{
	unsigned value;

	if ((m->values[ordering] & SL_VALUE) != SL_OPEN)
		return;
	value = sl_logic_value(m, moment, ordering, true);
	m->changes += m->values[ordering] != value;
	m->values[ordering] = (uint8_t)value;
	if ((value & SL_VALUE) == SL_FALSE)
		breaks(m, ordering);
}

static inline void
count(struct sl_monitor *m, uint32_t number, uint32_t thread)
{
	const struct sl_watch *watch = &m->watches[number];

	if (m->counts[number] >= watch->need - (watch->need == SL_EVERY))
		return;
	if (++m->counts[number] == watch->need && watch->bracket)
		m->owners[number] = thread;
	m->changes += watch->need != SL_EVERY || watch->numbered || m->counts[number] == 1;
}

static bool
happens(struct sl_monitor *m, const struct sl_event *event, const struct sl_match *match)
{
	struct sl_moment moment;
	bool frees = false;
	uint64_t was;

	if (m->follows && event->thread >= SL_MONITOR_THREADS)
		m->state->lost = 1;
	if (!sl_moment_collect(&moment, m, event, match)) {
		if (moment.before == moment.after)
			return false;
		/* notes that this thread exists */
		sl_thread_set(m, moment.thread, moment.before, moment.after);
		m->changes++;
		m->calm = !m->restless;
		return m->blocks;
	}
	/* first the orderings whose left side comes too late */
	for (uint32_t i = 0; i < moment.count; i++) {
		const struct sl_watch *watch = &m->watches[moment.atoms[i]];

		for (uint32_t j = watch->floats; j < watch->floats_end; j++) {
			uint32_t ordering = m->lists[j];

			if (!(m->values[ordering] & SL_DONE))
				continue;
			if (is_late(m, &moment, ordering)) {
				breaks(m, ordering);
				frees = true;
			}
			note_late(m, &moment, m->rules[ordering].formula->left);
		}
	}
	for (uint32_t i = 0; i < moment.count; i++)
		frees |= happens_plain(m, &moment, &m->watches[moment.atoms[i]]);
	frees |= m->blocks && (moment.before ^ moment.after);
	was = m->changes;
	m->calm = !m->restless || !sl_kind_is_thread(event->kind);
	for (uint32_t i = 0; i < m->restless; i++)
		happens_literal(m, &moment, m->literals[i]);
	for (uint32_t i = 0; i < moment.count; i++) {
		const struct sl_watch *watch = &m->watches[moment.atoms[i]];

		for (uint32_t j = watch->logics; j < watch->logics_end; j++)
			happens_literal(m, &moment, m->lists[j]);
		m->calm &= !watch->stirs;
	}
	frees |= m->changes != was;
	for (uint32_t i = 0; i < moment.count; i++) {
		frees |= m->watches[moment.atoms[i]].frees;
		count(m, moment.atoms[i], event->thread);
	}
	if (moment.before != moment.after) {
		sl_thread_set(m, moment.thread, moment.before, moment.after);
		m->changes++;
	}
	return frees;
}

bool
sl_monitor_happens(struct sl_monitor *monitor, const struct sl_event *event, const struct sl_match *match)
{
	struct sl_monitor *m = monitor;
	uint32_t only;

	m->past.events++;
	if (match && !match->count &&
	    (!m->follows || (!sl_kind_is_thread(event->kind) && sl_thread_word(m, event->thread) & SL_LIVES)))
		return false;
	only = only_atom(m, match);
	if (only == SL_EVERY || m->watches[only].rights != m->watches[only].floats_end)
		return happens(m, event, match);
	count(m, only, event->thread);
	return m->watches[only].frees;
}

/*
 * The fast way for one atom and a known thread: no moment is needed, and the left side is evaluated once. Returns false if that
 * is not enough, or if the event may not happen.
 */
static bool
goes_quickly(struct sl_monitor *m, const struct sl_event *event, uint32_t atom, bool *frees)
{
	const struct sl_watch *watch = &m->watches[atom];
	struct sl_moment moment;
	uint64_t was = m->changes;

	if (watch->picky || m->restless || watch->floats != watch->floats_end || sl_kind_is_thread(event->kind))
		return false;
	moment.event = event;
	moment.thread = event->thread;
	moment.before = moment.after = m->follows ? sl_thread_word(m, event->thread) : 0;
	moment.count = 1;
	moment.atoms[0] = (uint16_t)atom;
	if (m->follows && !(moment.before & SL_LIVES))
		return false;
	for (uint32_t j = watch->rights; j < watch->rights_end; j++)
		if (m->rules[m->lists[j]].floating || leave_right(m, &moment, m->lists[j]) != SL_MAY_GO)
			return false;
	for (uint32_t j = watch->logics; j < watch->logics_end; j++)
		if (leave_literal(m, &moment, m->lists[j]) != SL_MAY_GO)
			return false;
	*frees = watch->frees;
	for (uint32_t j = watch->rights; j < watch->rights_end; j++) {
		const struct sl_rule *rule = &m->rules[m->lists[j]];

		if (!rule->each && m->counts[atom] + 1 == watch->need && !(m->values[m->lists[j]] & SL_DONE)) {
			m->values[m->lists[j]] |= (m->values[m->lists[j]] & SL_VALUE) == SL_FALSE ? 0 : SL_DONE;
			*frees = true;
			m->changes++;
		}
	}
	for (uint32_t j = watch->logics; j < watch->logics_end; j++)
		happens_literal(m, &moment, m->lists[j]);
	*frees |= m->changes != was;
	count(m, atom, event->thread);
	m->past.events++;
	return true;
}

enum sl_leave
sl_monitor_goes(struct sl_monitor *monitor, const struct sl_event *event, const struct sl_match *match,
		bool *frees)
{
	enum sl_leave leave;

	*frees = false;
	if (match->count == 1 && goes_quickly(monitor, event, match->atoms[0], frees))
		return SL_MAY_GO;
	leave = sl_monitor_asks(monitor, event, match);
	if (leave == SL_MAY_GO)
		*frees = sl_monitor_happens(monitor, event, match);
	return leave;
}

/* ---- results ---- */

enum sl_value
sl_monitor_ordering(const struct sl_monitor *monitor, uint32_t ordering)
{
	const struct sl_monitor *m = monitor;
	const struct sl_rule *rule = &m->rules[ordering];
	uint8_t value = m->values[ordering];

	if (!rule->plain || (value & SL_VALUE) == SL_FALSE)
		return (enum sl_value)(value & SL_VALUE);
	if (value & SL_DONE)
		return rule->floating ? frozen(m, &sl_no_moment, rule->formula->left) : SL_TRUE;
	return sl_left_certain(m, rule->formula->left) ? SL_TRUE : SL_OPEN;
}

enum sl_value
sl_monitor_value(const struct sl_monitor *monitor)
{
	enum sl_value value = SL_TRUE;

	if (monitor->state->broken)
		return SL_FALSE;
	for (uint32_t i = 0; i < monitor->plan->ordering_count && value == SL_TRUE; i++)
		value = sl_monitor_ordering(monitor, i);
	return value;
}

/* ---- explanations ---- */

static enum sl_leave
leave_ordering(const struct sl_monitor *m, const struct sl_moment *moment, uint32_t ordering)
{
	if (!m->rules[ordering].plain)
		return leave_literal(m, moment, ordering);
	if (is_late(m, moment, ordering) && m->rules[ordering].floating)
		return SL_NOT_YET;
	return sl_moment_has(moment, m->rules[ordering].right) ? leave_right(m, moment, ordering) : SL_MAY_GO;
}

uint32_t
sl_monitor_holds(const struct sl_monitor *monitor, const struct sl_event *event, uint32_t *orderings,
		 uint32_t room)
{
	enum sl_leave worst = sl_monitor_asks(monitor, event, NULL);
	struct sl_moment moment;
	uint32_t count = 0;

	if (worst == SL_MAY_GO)
		return 0;
	sl_moment_collect(&moment, monitor, event, NULL);
	for (uint32_t i = 0; i < monitor->plan->ordering_count; i++)
		if (leave_ordering(monitor, &moment, i) == worst) {
			if (count < room)
				orderings[count] = i;
			count++;
		}
	return count;
}

/* Collects the conditions that are not fulfilled yet. */
static void
left_wants(const struct sl_monitor *m, const struct sl_rule *rule, const struct sl_formula *f, uint32_t nth,
	   void (*wants)(void *data, const struct sl_formula *missing), void *data)
{
	if (left_value(m, &sl_no_moment, rule, f, nth) == SL_TRUE)
		return;
	if (f->kind == SL_FORMULA_AND || f->kind == SL_FORMULA_OR) {
		left_wants(m, rule, f->left, nth, wants, data);
		left_wants(m, rule, f->right, nth, wants, data);
	} else {
		wants(data, f);
	}
}

void
sl_monitor_wants(const struct sl_monitor *monitor, uint32_t ordering,
		 void (*wants)(void *data, const struct sl_formula *missing), void *data)
{
	const struct sl_rule *rule = &monitor->rules[ordering];

	if (!rule->plain)
		sl_logic_wants(monitor, &sl_no_moment, rule->formula, wants, data);
	else if (!(monitor->values[ordering] & SL_DONE))
		left_wants(monitor, rule, rule->formula->left, monitor->counts[rule->right] + 1, wants, data);
}
