/*
 * The setup of a monitor: which parts of the plan each event concerns, and memory for them; its threads; and its state.
 */
#include "schedule/lex.h"
#include "schedule/monitor.h"

#include <string.h>

const struct sl_moment sl_no_moment;

/* ---- threads ---- */

void
sl_thread_usual(uint32_t thread, char name[16])
{
	struct sl_out out = {name, 16, 0};

	if (thread) {
		sl_put(&out, "T");
		sl_put_number(&out, thread);
	} else {
		sl_put(&out, "main");
	}
	sl_put_end(&out);
}

uint64_t
sl_thread_names(const struct sl_monitor *m, uint32_t thread, const char *name)
{
	uint64_t word = 0;
	char usual[16];

	if (!m->name_count)
		return 0;
	sl_thread_usual(thread, usual);
	for (uint32_t i = 0; i < m->name_count; i++) {
		const char *wanted = m->names[i];

		if (i < m->glob_count ? (name && sl_glob(wanted, name)) || sl_glob(wanted, usual)
				      : (name && sl_text_same(wanted, name)) || sl_text_same(wanted, usual))
			word |= SL_NAME_BIT(i);
	}
	return word;
}

void
sl_thread_set(struct sl_monitor *m, uint32_t thread, uint64_t before, uint64_t after)
{
	struct sl_state *state = m->state;

	for (uint32_t i = 0; i < m->name_count; i++) {
		if (before & SL_NAME_BIT(i)) {
			m->living[i]--;
			m->blocked[i] -= (before & SL_BLOCKED) != 0;
		}
		if (after & SL_NAME_BIT(i)) {
			m->living[i]++;
			m->blocked[i] += (after & SL_BLOCKED) != 0;
		}
	}
	while (state->threads <= thread)
		m->threads[state->threads++] = 0;
	m->threads[thread] = after;
	/* a state does not depend on threads that have ended */
	while (state->threads && !m->threads[state->threads - 1])
		state->threads--;
}

/* ---- memory ---- */

static bool
has_every(const struct sl_formula *f)
{
	if (f->left)
		return has_every(f->left) || has_every(f->right);
	return f->kind == SL_FORMULA_ATOM && f->atom->occurrence == SL_EVERY;
}

static void
watch_left(struct sl_monitor *m, const struct sl_formula *f)
{
	if (f->left) {
		watch_left(m, f->left);
		if (f->right)
			watch_left(m, f->right);
	} else if (f->atom) {
		m->watches[f->atom->number].frees = true;
		m->watches[f->atom->number].bracket |= f->kind == SL_FORMULA_BLOCKED_EVENT;
	}
}

static void
add_name(struct sl_monitor *m, const struct sl_formula *f, const char *name)
{
	uint32_t i = f->kind == SL_FORMULA_BLOCKED_THREAD ? 0 : m->glob_count;

	while (i < m->name_count && !sl_text_same(m->names[i], name))
		i++;
	if (i == m->name_count)
		m->names[m->name_count++] = name;
	m->name_of[f->number] = (uint16_t)i;
}

static void
add_names(struct sl_monitor *m, const struct sl_formula *f, bool globs)
{
	if (globs && f->kind == SL_FORMULA_BLOCKED_THREAD)
		add_name(m, f, f->thread);
	if (!globs && sl_maybe_thread(f))
		add_name(m, f, f->atom->name);
	if (f->left)
		add_names(m, f->left, globs);
	if (f->right)
		add_names(m, f->right, globs);
}

static bool
has_float(const struct sl_formula *f, uint32_t atom)
{
	if (f->left)
		return has_float(f->left, atom) || has_float(f->right, atom);
	return f->kind == SL_FORMULA_ATOM && f->atom->number == atom;
}

static bool
has_atom(const struct sl_formula *f, uint32_t atom)
{
	return (f->atom && f->atom->number == atom) || (f->left && has_atom(f->left, atom)) ||
	       (f->right && has_atom(f->right, atom));
}

/* Returns whether it is false at a moment with none of its atoms. */
static bool
is_momentary(const struct sl_formula *f)
{
	switch (f->kind) {
	case SL_FORMULA_ATOM:
		return true;
	case SL_FORMULA_AND:
		return is_momentary(f->left) || is_momentary(f->right);
	case SL_FORMULA_OR:
		return is_momentary(f->left) && is_momentary(f->right);
	default:
		return false;
	}
}

/* See sl_rule: its value depends on what is remembered, which changes only with its atoms. */
static bool
is_steady(const struct sl_formula *f)
{
	if (f->kind == SL_FORMULA_BEFORE)
		return is_momentary(f->left) && is_momentary(f->right);
	return f->left && is_steady(f->left) && (!f->right || is_steady(f->right));
}

/* Lists for each atom the orderings that it concerns. Returns the number of entries; writes them if there is an array. */
static uint32_t
make_lists(struct sl_monitor *m, uint32_t *lists)
{
	uint32_t count = 0;

	for (uint32_t a = 0; a < m->plan->atom_count; a++) {
		struct sl_watch *watch = &m->watches[a];

		watch->rights = count;
		for (uint32_t i = 0; i < m->plan->ordering_count; i++)
			if (m->rules[i].plain && m->rules[i].right == a) {
				if (lists)
					lists[count] = i;
				count++;
			}
		watch->rights_end = watch->floats = count;
		for (uint32_t i = 0; i < m->plan->ordering_count && watch->need == SL_EVERY; i++)
			if (m->rules[i].floating && has_float(m->rules[i].formula->left, a)) {
				if (lists)
					lists[count] = i;
				count++;
			}
		watch->floats_end = watch->logics = count;
		for (uint32_t i = 0; i < m->plan->ordering_count; i++)
			if (m->rules[i].steady && has_atom(m->rules[i].formula, a)) {
				if (lists)
					lists[count] = i;
				count++;
			}
		watch->logics_end = count;
	}
	return count;
}

static bool
is_alone(const struct sl_plan *plan, const struct sl_atom *atom)
{
	for (uint32_t i = 0; i < plan->atom_count; i++)
		if (plan->atoms[i] != atom && plan->atoms[i]->kind == atom->kind &&
		    (!atom->name || sl_text_same(plan->atoms[i]->name, atom->name)))
			return false;
	return atom->kind == SL_EVENT_NAMED;
}

/* The restless ones first. */
static void
add_literal(struct sl_monitor *m, uint32_t ordering)
{
	bool steady = m->rules[ordering].steady;

	m->literals[m->literal_count++] = ordering;
	if (!steady) {
		m->literals[m->literal_count - 1] = m->literals[m->restless];
		m->literals[m->restless++] = ordering;
	}
	for (uint32_t a = 0; a < m->plan->atom_count; a++)
		if (has_atom(m->rules[ordering].formula, a)) {
			m->watches[a].literal = true;
			m->watches[a].stirs |= !steady;
		}
}

/* `a#* -> e#*`: the numbers of both. */
static void
number(struct sl_monitor *m, const struct sl_formula *f)
{
	if (!has_every(f->left))
		return;
	for (uint32_t a = 0; a < m->plan->atom_count; a++)
		m->watches[a].numbered |= has_atom(f, a);
}

static bool
make_terms(const struct sl_monitor *m, struct sl_rule *rule, const struct sl_formula *f)
{
	if (f->kind == SL_FORMULA_AND)
		return make_terms(m, rule, f->left) && make_terms(m, rule, f->right);
	if (f->kind == SL_FORMULA_OR || rule->term_count == sizeof(rule->terms) / sizeof(rule->terms[0]))
		return false;
	rule->terms[rule->term_count++] = sl_term_of(m, f);
	return true;
}

static void
make_rules(struct sl_monitor *m)
{
	const struct sl_plan *plan = m->plan;

	for (uint32_t i = 0; i < plan->atom_count; i++) {
		const struct sl_atom *atom = plan->atoms[i];
		struct sl_watch *watch = &m->watches[i];

		watch->need = atom->occurrence ? atom->occurrence : 1;
		watch->picky = atom->thread || atom->object;
		watch->alone = is_alone(plan, atom);
		watch->any = !atom->occurrence && (atom->kind == SL_EVENT_BLOCK || atom->kind == SL_EVENT_UNBLOCK);
	}
	for (uint32_t i = 0; i < plan->ordering_count; i++) {
		const struct sl_formula *f = plan->orderings[i];
		struct sl_rule *rule = &m->rules[i];

		rule->formula = f;
		rule->plain = f->plain;
		watch_left(m, f->plain ? f->left : f);
		if (!f->plain) {
			rule->steady = is_steady(f);
			add_literal(m, i);
			continue;
		}
		rule->right = f->right->atom->number;
		rule->each = f->right->atom->occurrence == SL_EVERY;
		rule->floating = !rule->each && has_every(f->left);
		if (rule->each)
			number(m, f);
	}
	for (uint32_t i = 0; i < plan->ordering_count; i++)
		add_names(m, plan->orderings[i], true);
	m->glob_count = m->name_count;
	for (uint32_t i = 0; i < plan->ordering_count; i++)
		add_names(m, plan->orderings[i], false);
	for (uint32_t i = 0; i < plan->ordering_count; i++)
		if (m->rules[i].plain && !m->rules[i].floating &&
		    !make_terms(m, &m->rules[i], plan->orderings[i]->left))
			m->rules[i].term_count = 0;
}

/* The parts of the state, one after another. */
static bool
make_state(struct sl_monitor *m, struct sl_pool *pool)
{
	uint32_t atoms = m->plan->atom_count, formulas = m->plan->formula_count,
		 orderings = m->plan->ordering_count;
	size_t words = 2 * (size_t)atoms + 2 * (size_t)m->name_count, bytes = (size_t)formulas + orderings;
	size_t before = (sizeof(*m->state) + words * sizeof(uint32_t) + bytes + 7) & ~(size_t)7;
	char *block = sl_pool_take(pool, before + (m->follows ? SL_MONITOR_THREADS * sizeof(uint64_t) : 0));

	if (!block)
		return false;
	m->state = (struct sl_state *)block;
	m->counts = (uint32_t *)(m->state + 1);
	m->owners = m->counts + atoms;
	m->living = m->owners + atoms;
	m->blocked = m->living + m->name_count;
	m->nodes = (uint8_t *)(m->blocked + m->name_count);
	m->values = m->nodes + formulas;
	m->threads = (uint64_t *)(block + before);
	return true;
}

struct sl_monitor *
sl_monitor_new(const struct sl_plan *plan, struct sl_pool *pool)
{
	struct sl_monitor *m = sl_pool_take(pool, sizeof(*m));

	if (!m)
		return NULL;
	m->plan = plan;
	m->follows = plan->blocks || plan->kinds & (1u << SL_EVENT_START);
	m->rules = sl_pool_take(pool, plan->ordering_count * sizeof(*m->rules));
	m->watches = sl_pool_take(pool, plan->atom_count * sizeof(*m->watches));
	m->literals = sl_pool_take(pool, plan->ordering_count * sizeof(*m->literals));
	m->names = sl_pool_take(pool, SL_NAMES_IN_BRACKETS * sizeof(*m->names));
	m->name_of = sl_pool_take(pool, plan->formula_count * sizeof(*m->name_of));
	if (!m->rules || !m->watches || !m->literals || !m->names || !m->name_of)
		return NULL;
	make_rules(m);
	m->blocks = plan->blocks;
	m->quick = !m->follows && !m->literal_count;
	m->lists = sl_pool_take(pool, make_lists(m, NULL) * sizeof(*m->lists));
	if (!m->lists)
		return NULL;
	make_lists(m, m->lists);
	if (!make_state(m, pool))
		return NULL;
	sl_monitor_reset(m);
	return m;
}

/* ---- the state ---- */

static void
set_literals(struct sl_monitor *m)
{
	for (uint32_t i = 0; i < m->literal_count; i++)
		m->values[m->literals[i]] = (uint8_t)sl_logic_value(m, &sl_no_moment, m->literals[i], false);
}

void
sl_monitor_reset(struct sl_monitor *monitor)
{
	struct sl_monitor *m = monitor;

	memset(m->state, 0, (size_t)((char *)m->threads - (char *)m->state));
	memset(&m->past, 0, sizeof(m->past));
	m->calm = !m->restless;
	for (uint32_t i = 0; i < m->plan->ordering_count; i++)
		m->values[i] = SL_OPEN;
	if (m->follows)
		sl_thread_set(m, 0, 0, SL_LIVES | sl_thread_names(m, 0, NULL));
	set_literals(m);
}

void
sl_monitor_thread(struct sl_monitor *monitor, uint32_t thread, const char *name, bool blocked)
{
	struct sl_monitor *m = monitor;

	if (!m->follows)
		return;
	if (thread >= SL_MONITOR_THREADS) {
		m->state->lost = 1;
		return;
	}
	sl_thread_set(m, thread, sl_thread_word(m, thread),
		      SL_LIVES | (blocked ? SL_BLOCKED : 0) | sl_thread_names(m, thread, name));
	set_literals(m);
}

const void *
sl_monitor_state(const struct sl_monitor *monitor, size_t *size)
{
	*size = (size_t)((char *)(monitor->threads + monitor->state->threads) - (char *)monitor->state);
	return monitor->state;
}

const void *
sl_monitor_past(const struct sl_monitor *monitor, size_t *size)
{
	*size = sizeof(monitor->past);
	return &monitor->past;
}

bool
sl_monitor_satisfied(const struct sl_monitor *monitor)
{
	if (monitor->state->broken)
		return false;
	for (uint32_t i = 0; i < monitor->literal_count; i++)
		if (!(monitor->values[monitor->literals[i]] & SL_NOW))
			return false;
	return true;
}

uint64_t
sl_monitor_broken(const struct sl_monitor *monitor, uint32_t *ordering)
{
	if (ordering)
		*ordering = monitor->past.broken_ordering;
	return monitor->past.broken_at;
}

uint32_t
sl_monitor_count(const struct sl_monitor *monitor, const struct sl_atom *atom)
{
	return monitor->counts[atom->number];
}

bool
sl_monitor_lost(const struct sl_monitor *monitor)
{
	return monitor->state->lost;
}
