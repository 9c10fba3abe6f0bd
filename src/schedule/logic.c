/*
 * The literal reading: past-time temporal logic, one moment after another (dissertation, 3.2.3).
 *
 *	l -> r   is   always in the past not r, or once in the past (r and once in the past l)
 *
 * where both "in the past" include the present. Besides the present value of a formula, its outlook is kept: whether it can
 * be true at a later moment, and whether it can be false. If in doubt, it can: so "for good" is certain.
 */
#include "schedule/monitor.h"

struct outlook {
	bool now, may_hold, may_fail; /* at this moment; at some moment after it */
	bool doomed;
};

static struct outlook look(const struct sl_monitor *m, const struct sl_moment *moment, const struct sl_formula *f,
			   struct sl_monitor *writes);

static struct outlook
look_atom(const struct sl_monitor *m, const struct sl_moment *moment, const struct sl_formula *f)
{
	uint32_t number = f->atom->number;
	const struct sl_watch *watch = &m->watches[number];
	bool here = sl_moment_has(moment, number);
	uint32_t count = m->counts[number] + here;

	if (watch->any)
		return (struct outlook){here, true, true, false};
	return (struct outlook){here && count == watch->need, count < watch->need, true, false};
}

static struct outlook
look_before(const struct sl_monitor *m, const struct sl_moment *moment, const struct sl_formula *f,
	    struct sl_monitor *writes)
{
	struct outlook l = look(m, moment, f->left, writes), r = look(m, moment, f->right, writes);
	uint8_t known = m->nodes[f->number];

	if (moment->event) {
		known |= l.now ? SL_LEFT : 0;
		known |= r.now ? SL_RIGHT : 0;
		known |= r.now && (known & SL_LEFT) ? SL_BOTH : 0;
		if (writes && writes->nodes[f->number] != known) {
			writes->nodes[f->number] = known;
			writes->changes++;
		}
	}
	if (known & SL_BOTH)
		return (struct outlook){true, true, false, false};
	if (known & SL_RIGHT)
		return (struct outlook){false, r.may_hold && ((known & SL_LEFT) || l.may_hold), true, false};
	return (struct outlook){true, true, r.may_hold && !(known & SL_LEFT),
				r.may_hold && !(known & SL_LEFT) && !l.may_hold};
}

static struct outlook
look(const struct sl_monitor *m, const struct sl_moment *moment, const struct sl_formula *f,
     struct sl_monitor *writes)
{
	struct outlook l, r;

	switch (f->kind) {
	case SL_FORMULA_ATOM:
		return look_atom(m, moment, f);
	case SL_FORMULA_BLOCKED_EVENT:
	case SL_FORMULA_BLOCKED_THREAD:
		return (struct outlook){sl_moment_blocked(m, moment, f), true, true, false};
	case SL_FORMULA_BEFORE:
		return look_before(m, moment, f, writes);
	case SL_FORMULA_NOT:
		l = look(m, moment, f->left, writes);
		return (struct outlook){!l.now, l.may_fail, l.may_hold, false};
	default:
		break;
	}
	l = look(m, moment, f->left, writes);
	r = look(m, moment, f->right, writes);
	switch (f->kind) {
	case SL_FORMULA_AND:
		return (struct outlook){l.now && r.now, l.may_hold && r.may_hold, l.may_fail || r.may_fail,
					l.doomed || r.doomed};
	case SL_FORMULA_OR:
		return (struct outlook){l.now || r.now, l.may_hold || r.may_hold, l.may_fail && r.may_fail, false};
	case SL_FORMULA_IMPLIES:
		return (struct outlook){!l.now || r.now, l.may_fail || r.may_hold, l.may_hold && r.may_fail,
					false};
	default: /* IFF */
		return (struct outlook){l.now == r.now, (l.may_hold && r.may_hold) || (l.may_fail && r.may_fail),
					(l.may_hold && r.may_fail) || (l.may_fail && r.may_hold), false};
	}
}

unsigned
sl_logic_value(struct sl_monitor *m, const struct sl_moment *moment, uint32_t ordering, bool happens)
{
	struct outlook o = look(m, moment, m->rules[ordering].formula, happens ? m : NULL);
	unsigned value = SL_OPEN;

	if (o.now && !o.may_fail)
		value = SL_TRUE;
	else if (!o.now && !o.may_hold)
		value = SL_FALSE;
	return value | (o.now ? SL_NOW : 0) | (o.doomed ? SL_DOOMED : 0);
}

enum sl_value
sl_monitor_formula(const struct sl_monitor *m, const struct sl_formula *f)
{
	struct outlook o = look(m, &sl_no_moment, f, NULL);

	return o.now && !o.may_fail ? SL_TRUE : !o.now && !o.may_hold ? SL_FALSE : SL_OPEN;
}

/* Collects the leaves that have not been true yet. */
static void
leaves(const struct sl_monitor *m, const struct sl_moment *moment, const struct sl_formula *f,
       void (*wants)(void *data, const struct sl_formula *missing), void *data)
{
	switch (f->kind) {
	case SL_FORMULA_ATOM:
		if (look_atom(m, moment, f).may_hold)
			wants(data, f);
		break;
	case SL_FORMULA_BLOCKED_EVENT:
	case SL_FORMULA_BLOCKED_THREAD:
		if (!sl_moment_blocked(m, moment, f))
			wants(data, f);
		break;
	case SL_FORMULA_NOT: /* it waits for something to become false */
		wants(data, f);
		break;
	default:
		leaves(m, moment, f->left, wants, data);
		leaves(m, moment, f->right, wants, data);
		break;
	}
}

void
sl_logic_wants(const struct sl_monitor *m, const struct sl_moment *moment, const struct sl_formula *f,
	       void (*wants)(void *data, const struct sl_formula *missing), void *data)
{
	if (f->kind == SL_FORMULA_AND) {
		sl_logic_wants(m, moment, f->left, wants, data);
		sl_logic_wants(m, moment, f->right, wants, data);
	} else if (f->kind == SL_FORMULA_BEFORE) {
		if (!(m->nodes[f->number] & SL_LEFT))
			leaves(m, moment, f->left, wants, data);
	} else {
		leaves(m, moment, f, wants, data);
	}
}
