/*
 * Events that need not be passed to the monitor: those without effect, and those that threads can count by themselves.
 */
#include "schedule/monitor.h"

bool
sl_left_certain(const struct sl_monitor *m, const struct sl_formula *f)
{
	switch (f->kind) {
	case SL_FORMULA_ATOM:
		return f->atom->occurrence != SL_EVERY &&
		       m->counts[f->atom->number] >= m->watches[f->atom->number].need;
	case SL_FORMULA_AND:
		return sl_left_certain(m, f->left) && sl_left_certain(m, f->right);
	case SL_FORMULA_OR:
		return sl_left_certain(m, f->left) || sl_left_certain(m, f->right);
	default:
		return false;
	}
}

/* The ordering is about earlier occurrences only; or about each, but the event may happen at any time, and no event waits for it. */
static bool
is_settled(const struct sl_monitor *m, uint32_t atom)
{
	const struct sl_watch *watch = &m->watches[atom];

	if (watch->need != SL_EVERY)
		return m->counts[atom] >= watch->need;
	if (watch->frees || !m->counts[atom])
		return false;
	for (uint32_t i = watch->rights; i < watch->rights_end; i++)
		if (!sl_left_certain(m, m->rules[m->lists[i]].formula->left))
			return false;
	return true;
}

bool
sl_monitor_settled(const struct sl_monitor *monitor, const struct sl_match *match)
{
	if (match->count == UINT32_MAX || (match->count && monitor->restless))
		return false;
	for (uint32_t i = 0; i < match->count; i++)
		if (!is_settled(monitor, match->atoms[i]))
			return false;
	return true;
}

/* The whole left side: && of events. The event itself has occurred when it happens. */
static bool
collect(const struct sl_monitor *m, uint32_t atom, const struct sl_formula *f, struct sl_swift *swift)
{
	if (f->kind == SL_FORMULA_AND)
		return collect(m, atom, f->left, swift) && collect(m, atom, f->right, swift);
	if (f->kind == SL_FORMULA_ATOM && f->atom->number == atom)
		return true;
	if (f->kind != SL_FORMULA_ATOM || swift->left_count == SL_SWIFT_LEFT)
		return false;
	uint32_t need = m->watches[f->atom->number].need;

	swift->left[swift->left_count].atom = f->atom->number;
	swift->left[swift->left_count++].need = need == SL_EVERY ? 0 : need;
	return true;
}

bool
sl_monitor_swift(const struct sl_monitor *monitor, uint32_t atom, struct sl_swift *swift)
{
	const struct sl_monitor *m = monitor;
	const struct sl_watch *watch = &m->watches[atom];

	*swift = (struct sl_swift){.last = watch->need, .frees = watch->frees};
	swift->shy = m->restless;
	/* a literal ordering needs the moment, and [a] needs the thread */
	if (watch->literal || !watch->alone || watch->bracket || watch->floats != watch->floats_end)
		return false;
	for (uint32_t i = watch->rights; i < watch->rights_end; i++) {
		const struct sl_rule *rule = &m->rules[m->lists[i]];

		if (rule->floating || !collect(m, atom, rule->formula->left, swift))
			return false;
	}
	return true;
}

void
sl_monitor_counted(struct sl_monitor *monitor, uint32_t atom, uint32_t count)
{
	struct sl_monitor *m = monitor;
	const struct sl_watch *watch = &m->watches[atom];

	m->counts[atom] = count;
	for (uint32_t i = watch->rights; count >= watch->need && i < watch->rights_end; i++)
		m->values[m->lists[i]] |= SL_DONE;
}

uint64_t
sl_monitor_changes(const struct sl_monitor *monitor)
{
	return monitor->changes;
}

bool
sl_monitor_calm(const struct sl_monitor *monitor)
{
	return monitor->calm;
}
