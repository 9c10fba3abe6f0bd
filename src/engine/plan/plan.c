/*
 * The active plan under control: events, held threads, and executions that do not follow it. See plan.h.
 */
#include "engine/core/plan.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/rng.h"
#include "base/text.h"
#include "engine/core/enabled.h"
#include "engine/core/step.h"
#include "engine/entry/code.h"
#include "engine/entry/interpose.h"
#include "engine/section/plans.h"
#include "engine/section/section.h"
#include "engine/section/vocabulary.h"
#include "engine/under/poison.h"
#include "search/phase.h"

static struct {
	struct sl_known *plan; /* NULL: no plan is active */
	bool infeasible;
	uint32_t there,
		first_new; /* there: the number of threads when it began; first_new: the number of the next thread */
	bool moments;      /* the times at which threads become blocked and unblocked matter */
	bool left;         /* the execution was counted as one that does not follow the plan */
} now;
static struct sl_pass *passes; /* by thread */
static uint64_t gate_word;

struct sl_object *
sl_plan_gate(void)
{
	struct sl_object *o = sl_object_get(&gate_word, SL_OBJECT_PLAN);

	o->shared = true;
	return o;
}

void
sl_plans_reset(void)
{
	sl_memset(&now, 0, sizeof(now));
	E.plan.active = E.plan.coded = false;
	sl_plan_names_reset();
	sl_sections_reset();
	if (!passes)
		passes = sl_private_alloc((SL_THREADS_MAX + 1) * sizeof(*passes));
}

static struct sl_tally *
tally(void)
{
	return &E.arena->tallies[now.plan->tally];
}

struct sl_tally *
sl_plan_tally(void)
{
	return E.plan.active ? tally() : NULL;
}

/* A plan has its own numbers of threads, of which existing threads get the first. */
uint32_t
sl_plan_number(const struct sl_thread *t)
{
	return t->id < now.first_new ? passes[t->id].number_in_plan : now.there + (t->id - now.first_new);
}

/* Reports an event of a thread that can't be held. */
static void
tell(const struct sl_thread *t, enum sl_event_kind kind)
{
	struct sl_event event = {.kind = kind,
				 .thread = sl_plan_number(t),
				 .thread_name = t->called.given ? t->called.name : NULL};
	struct sl_match match;

	sl_monitor_match(now.plan->monitor, &event, &match);
	sl_monitor_happens(now.plan->monitor, &event, &match);
}

void
sl_plan_follow(struct sl_known *plan, bool infeasible)
{
	now.plan = plan;
	now.infeasible = infeasible;
	now.left = false;
	/*
	 * plain orderings only hold a thread until another one is blocked: the time at which that blocks does not
	 * matter
	 */
	now.moments = plan->plan->blocks && E.arena->config.check_plan;
	for (uint32_t i = 0; plan->plan->blocks && i < plan->plan->ordering_count; i++)
		now.moments |= !plan->plan->orderings[i]->plain;
	sl_monitor_reset(now.plan->monitor);
	E.plan.active = true;
	sl_plan_names_begin();
	now.first_new = E.thread_count;
	now.there = 0;
	for (uint32_t i = 0; i < E.thread_count; i++)
		passes[i] = (struct sl_pass){.number_in_plan = E.threads[i].alive ? now.there++ : UINT32_MAX};
	sl_code_follow(plan->code, plan->plan);
	for (uint32_t i = 0; i < E.thread_count; i++) { /* existing threads count as started */
		if (!E.threads[i].alive)
			continue;
		if (E.threads[i].called.given)
			sl_vocabulary_met(tally()->threads, sl_vocabulary_thread(E.threads[i].called.name));
		tell(&E.threads[i], SL_EVENT_START);
	}
}

static void
count(uint64_t *counter)
{
	if (!sl_phase_of(E.worker)->explores || E.plan.prelude)
		return;
	SL_SAVE(*counter);
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/* ---- executions that do not follow it ---- */

struct missing {
	char *to;
	size_t room, used;
	uint32_t count;
};

static void
note_missing(void *data, const struct sl_formula *formula)
{
	struct missing *m = data;

	if (m->count++)
		sl_text_add(m->to, m->room, &m->used, " and ");
	sl_formula_print(formula, m->to + m->used, m->room - m->used);
	m->used += sl_strlen(m->to + m->used);
}

/* "T2 is held at b until a" */
static void
explain_held(const struct sl_known *known, const struct sl_thread *t, char *to, size_t room, size_t *used)
{
	const struct sl_pass *p = sl_pass_of(t);
	struct missing m = {.to = to, .room = room};
	uint32_t orderings[4], n;

	n = sl_monitor_holds(known->monitor, &p->event, orderings, 4);
	sl_text_add(to, room, used, t->id ? "T" : "main");
	if (t->id)
		sl_text_add_number(to, room, used, t->id);
	sl_text_add(to, room, used, " is held at ");
	if (p->number && p->number <= SL_WORDS_MAX) {
		sl_text_add(to, room, used, E.arena->names.events.words[p->number - 1]);
	} else if (p->match.count) { /* start@t, end@t */
		sl_atom_print(known->plan->atoms[p->match.atoms[0]], to + *used, room - *used);
		*used += sl_strlen(to + *used);
	}
	m.used = *used;
	sl_text_add(to, room, &m.used, " until ");
	for (uint32_t i = 0; i < n && i < 4; i++)
		sl_monitor_wants(known->monitor, orderings[i], note_missing, &m);
	if (m.count) {
		*used = m.used;
	} else if (n) { /* no event can release the thread: after e, the a of `a#* -> e` */
		sl_text_add(to, room, used, " by ");
		sl_formula_print(known->plan->orderings[orderings[0]], to + *used, room - *used);
		*used += sl_strlen(to + *used);
	}
}

/* "the schedule "x" " */
static void
add_name(char *to, size_t room, size_t *used)
{
	const char *name = tally()->name;

	sl_text_add(to, room, used, "the schedule ");
	if (!name[0])
		return;
	sl_text_add(to, room, used, "\"");
	sl_text_add(to, room, used, name);
	sl_text_add(to, room, used, "\" ");
}

static void
finding(struct sl_finding *f, uint64_t pc)
{
	*f = (struct sl_finding){.kind = SL_FINDING_SCHEDULE,
				 .status = (int32_t)now.plan->tally,
				 .signature = sl_mix(tally()->signature + SL_FINDING_SCHEDULE),
				 .culprit_count = 1};
	sl_culprit_fill(&f->culprits[0], pc);
}

static void
count_left(void)
{
	if (!now.left)
		count(&tally()->dropped);
	now.left = true;
}

/* Drops the execution. This is reported only if no execution follows the plan. */
static void
drop(struct sl_finding *f)
{
	if (E.plan.prelude) /* a section before the explored one */
		sl_trouble(SL_TROUBLE_PLAN, f->culprits[0].pc, f->message);
	count_left();
	E.plan.dropped = true;
	if (!now.infeasible && E.arena->config.check_plan)
		sl_found_error(f, SL_RACES_ON);
	else if (!now.infeasible)
		sl_warn(f);
}

bool
sl_plan_is_open(void)
{
	return sl_monitor_value(now.plan->monitor) != SL_FALSE;
}

/* Lets a thread leave the end of its block: the missing events can't happen any more. */
static bool
leave_block(void)
{
	for (uint32_t i = 0; i < E.thread_count; i++)
		if (E.threads[i].alive && passes[i].leaving && !passes[i].must_leave) {
			passes[i].must_leave = true;
			sl_plan_changed();
			sl_publish_all();
			return true;
		}
	return false;
}

/*
 * In the prelude no other execution is tried: a thread whose event must be the last one is held until no other
 * thread is enabled, and released here.
 */
static bool
let_quiet(void)
{
	for (uint32_t i = 0; i < E.thread_count; i++) {
		struct sl_pass *p = &passes[i];

		if (!E.threads[i].alive || !p->held || p->quiet ||
		    sl_monitor_asks(now.plan->monitor, &p->event, &p->match) != SL_WHEN_QUIET)
			continue;
		p->quiet = true;
		sl_plan_changed();
		sl_publish_all();
		return true;
	}
	return false;
}

bool
sl_plan_stuck(void)
{
	struct sl_finding f;
	size_t used = 0;
	unsigned held = 0;

	if (leave_block() || (E.plan.prelude && let_quiet()))
		return true;

	for (uint32_t i = 0; i < E.thread_count; i++) {
		const struct sl_thread *t = &E.threads[i];

		if (!t->alive || !sl_plan_holds(t))
			continue;
		if (!held++) {
			finding(&f, t->op.pc);
			add_name(f.message, sizeof(f.message), &used);
			sl_text_add(f.message, sizeof(f.message), &used, "can't go on: ");
		} else {
			sl_text_add(f.message, sizeof(f.message), &used, "; ");
		}
		explain_held(now.plan, t, f.message, sizeof(f.message), &used);
	}
	if (!held)
		return false;
	sl_vocabulary_look(tally(), now.plan->plan, now.there + (E.thread_count - now.first_new));
	drop(&f);
	sl_execution_end();
}

static void
add_broken(char *to, size_t room, size_t *used)
{
	uint32_t ordering = 0;

	sl_monitor_broken(now.plan->monitor, &ordering);
	sl_formula_print(now.plan->plan->orderings[ordering], to + *used, room - *used);
	*used += sl_strlen(to + *used);
}

/*
 * Returns whether the plan is fulfilled if no further event happens. If only because an event is missing, stores
 * it.
 */
static bool
is_fulfilled(const struct sl_atom **missing)
{
	const struct sl_plan *plan = now.plan->plan;

	*missing = NULL;
	if (!sl_monitor_satisfied(now.plan->monitor))
		return false;
	for (uint32_t i = 0; i < plan->atom_count; i++)
		if (sl_monitor_count(now.plan->monitor, plan->atoms[i]) < now.plan->needs[i])
			*missing = plan->atoms[i];
	return !*missing;
}

static bool
is_shown_by_plan(void)
{
	const struct sl_atom *missing;

	return sl_plan_is_open() && (E.arena->config.wanted.how != SL_WANTED_FULFILLED || is_fulfilled(&missing));
}

void
sl_plan_found(void)
{
	if (!E.plan.active || E.outcome.found.kind == SL_FINDING_SCHEDULE)
		return;
	if (E.arena->config.wanted.signature && !is_shown_by_plan())
		/* the execution has not followed the plan, and only one that does is wanted */
		E.plan.dropped = true;
	else
		count(&tally()->earlier);
}

void
sl_plan_await_end(uint64_t pc)
{
	struct sl_pass *p = &passes[E.current->id];
	const struct sl_atom *missing;

	if (!E.plan.active || is_fulfilled(&missing))
		return;
	p->match.count = 0;
	p->number = SL_NAMELESS_SECTION_END;
	p->lock = 0;
	p->leaving = true;
	sl_pass_wait(p, pc);
	p->leaving = p->must_leave = false;
}

/* Returns whether a thread of this run still exists. */
bool
sl_plan_left_threads(void)
{
	for (uint32_t i = now.first_new; i < E.thread_count; i++)
		if (E.threads[i].alive)
			return true;
	return false;
}

void
sl_plan_leave(void)
{
	sl_plan_changed(); /* releases all held threads */
	now.plan = NULL;
	sl_plan_names_end();
	sl_section_note(NULL, NULL);
	E.plan.active = false;
	sl_code_follow(NULL, NULL);
}

void
sl_plan_end(uint64_t pc)
{
	struct sl_finding f;
	size_t used = 0;
	bool fulfilled;
	const struct sl_atom *missing;

	if (!E.plan.active)
		return;
	sl_plan_settle(true);
	fulfilled = is_fulfilled(&missing);
	sl_vocabulary_look(tally(), now.plan->plan, now.there + (E.thread_count - now.first_new));
	finding(&f, pc);
	add_name(f.message, sizeof(f.message), &used);
	if (fulfilled) {
		count(&tally()->kept);
		if (now.infeasible) {
			sl_text_add(f.message, sizeof(f.message), &used,
				    "was to be infeasible, but it has happened");
			E.plan.active = E.plan.coded = false;
			sl_found_this(&f);
		}
	} else {
		sl_text_add(f.message, sizeof(f.message), &used, "was not followed: ");
		if (missing) {
			sl_atom_print(missing, f.message + used, sizeof(f.message) - used);
			used = sl_strlen(f.message);
			sl_text_add(f.message, sizeof(f.message), &used, " never happened");
			if (E.arena->config.wanted.signature && E.arena->config.wanted.how == SL_WANTED_MISSING) {
				sl_plan_leave();
				return;
			}
		} else {
			add_broken(f.message, sizeof(f.message), &used);
		}
		drop(&f);
	}
	sl_plan_leave();
}

bool
sl_plan_sees_blocks(void)
{
	return now.plan->plan->blocks;
}

bool
sl_plan_sees_arrivals(void)
{
	return now.moments && !E.plan.prelude;
}

/* ---- events ---- */

/* Returns whether the program, not the plan, makes the thread wait. */
static bool
is_blocked(const struct sl_thread *t)
{
	if (!t->alive || t->idle || t->born.agent || t->returns_to || sl_plan_holds(t))
		return false;
	if (E.ready.places[t->id] == SL_NOWHERE)
		return !t->looks.spinning;
	return t->waits.timed && t->op.flags & SL_OP_LATE && t->op.kind != SL_SLEEP && !sl_can_go(t);
}

void
sl_plan_settle(bool running)
{
	bool changed = false;

	if (!now.plan->plan->blocks)
		return;
	for (uint32_t i = 0; i < E.thread_count; i++) {
		struct sl_thread *t = &E.threads[i];
		struct sl_pass *p = &passes[i];
		bool blocked = (t != E.current || !running) && is_blocked(t);

		if (blocked == p->blocked)
			continue;
		p->blocked = blocked;
		tell(t, blocked ? SL_EVENT_BLOCK : SL_EVENT_UNBLOCK);
		changed = true;
	}
	if (changed) {
		sl_plan_changed();
		sl_publish_all();
	}
}

bool
sl_pass_lets(const struct sl_pass *p)
{
	enum sl_leave leave = sl_monitor_asks(now.plan->monitor, &p->event, &p->match);

	return leave == SL_WHEN_QUIET ? !E.plan.prelude || p->quiet : leave == SL_MAY_GO;
}

bool
sl_plan_lets(const struct sl_thread *t)
{
	const struct sl_pass *p = &passes[t->id];
	const struct sl_atom *missing;

	if (!E.plan.active || !p->held)
		return true;
	return p->leaving ? p->must_leave || is_fulfilled(&missing) : sl_pass_lets(p) || sl_pass_fails(p);
}

/* The running thread has waited and continues. Its next wait is a new BLOCK event. */
void
sl_plan_goes_on(void)
{
	struct sl_pass *p = &passes[E.current->id];

	if (!now.plan->plan->blocks || !p->blocked)
		return;
	p->blocked = false;
	tell(E.current, SL_EVENT_UNBLOCK);
	sl_plan_changed();
}

/* --check: reports the first event that violates the plan. Later ones are only counted. */
static void
broken(uint64_t pc)
{
	struct sl_finding f;
	size_t used = 0;

	if (now.infeasible)
		return;
	count_left(); /* reporting the finding may end the execution */
	finding(&f, pc);
	add_name(f.message, sizeof(f.message), &used);
	sl_text_add(f.message, sizeof(f.message), &used, "was not followed: ");
	add_broken(f.message, sizeof(f.message), &used);
	sl_found_error(&f, SL_RACES_ON);
}

void
sl_plan_pass(enum sl_event_kind kind, const char *name, const void *object, uint64_t pc)
{
	struct sl_thread *t = E.current;
	struct sl_pass *p = &passes[t->id];
	uint64_t number = name                   ? sl_plan_name_of(name)
			  : kind == SL_EVENT_END ? SL_NAMELESS_END
			  : t->stack.depth       ? SL_NAMELESS_NAMING
						 : SL_NAMELESS_START;

	if (kind == SL_EVENT_START && !t->stack.depth) { /* a new thread, not a newly named one */
		*p = (struct sl_pass){.number_in_plan = p->number_in_plan};
		sl_code_started();
	}
	if (E.plan.active && name)
		sl_vocabulary_met(tally()->events, number);
	if (!E.plan.active || !(now.plan->plan->kinds & 1u << kind)) {
		p->match.count = 0;
	} else {
		p->event = (struct sl_event){.kind = kind,
					     .thread = sl_plan_number(t),
					     .thread_name = t->called.given ? t->called.name : NULL,
					     .name = name,
					     .object = sl_plan_object_name(object)};
		sl_monitor_match(now.plan->monitor, &p->event, &p->match);
	}
	if (!p->match.count) {
		if (kind == SL_EVENT_NAMED) {
			sl_announce(SL_EVENT, number, pc);
			sl_no_point();
			sl_note(0);
		} else if (E.plan.active && now.plan->plan->blocks) {
			p->number = number;
			p->lock = 0;
			if (now.moments) /* other threads may become blocked before or after it */
				sl_pass_wait(p, pc);
			if (E.plan.active)
				tell(t, kind);
		}
		return;
	}
	p->number = number;
	p->lock = 0;
	if (sl_pass_wait(p, pc))
		sl_pass_happens(p);
}

/* Waits until the event may happen and this thread is chosen. Returns false if the plan has ended meanwhile. */
bool
sl_pass_wait(struct sl_pass *p, uint64_t pc)
{
	sl_announce(SL_EVENT, p->number, pc);
	p->held = !E.arena->config.check_plan;
	p->quiet = false;
	sl_plan_settle(true);
	sl_await(sl_plan_gate());
	p->held = false;
	sl_note(1);
	return E.plan.active && p->match.count;
}

void
sl_pass_happens(struct sl_pass *p)
{
	/* observed events (of code) create no happens-before edges, so that races are found */
	if (p->event.kind <= SL_EVENT_UNBLOCK)
		sl_plan_put_in_order(now.plan, &p->match);
	sl_monitor_happens(now.plan->monitor, &p->event, &p->match);
	sl_plan_changed();
	sl_changed(true);
	if (E.arena->config.check_plan && sl_monitor_value(now.plan->monitor) == SL_FALSE)
		broken(E.current->op.pc);
}

struct sl_pass *
sl_pass_of(const struct sl_thread *t)
{
	return &passes[t->id];
}

uint32_t
sl_plan_count(const struct sl_atom *atom)
{
	return sl_monitor_count(now.plan->monitor, atom);
}

void
sl_plan_step(const struct sl_thread *t)
{
	if (E.plan.active && (passes[t->id].match.count || passes[t->id].leaving || now.moments))
		sl_step_plan(now.plan->plan->blocks);
}

/* ---- states ---- */

void
sl_plan_identify(struct sl_identity *identity)
{
	size_t size;
	const void *state;

	if (!E.plan.active)
		return;
	state = sl_monitor_state(now.plan->monitor, &size);
	sl_identity_add(identity, (uint64_t)now.plan, state, size);
	sl_code_identify(identity);
}

void
sl_plan_keep(void)
{
	size_t size;
	const void *state;

	sl_checkpoint_bytes(&now, sizeof(now));
	sl_checkpoint_bytes(&E.plan.prelude, sizeof(E.plan.prelude));
	sl_checkpoint_bytes(&E.plan.visiting, sizeof(E.plan.visiting));
	sl_plan_names_keep();
	sl_code_keep();
	if (!E.plan.active)
		return;
	sl_checkpoint_bytes(passes, E.thread_count * sizeof(passes[0]));
	state = sl_monitor_state(now.plan->monitor, &size);
	sl_checkpoint_bytes((void *)state, size);
}

/* ---- functions of sleave.h ---- */

void
sl_plan_named(struct sl_thread *t, uint64_t pc)
{
	uint64_t number = sl_vocabulary_thread(t->called.name);

	if (E.plan.active)
		sl_vocabulary_met(tally()->threads, number);
	if (t == E.current) {
		sl_plan_pass(SL_EVENT_START, NULL, NULL, pc);
	} else if (
		E.plan.active) { /* naming another thread is not an event at which a thread is held; but it may enable the named thread's event */
		passes[t->id].event.thread_name = t->called.name;
		tell(t, SL_EVENT_START);
		sl_plan_changed();
	}
}

const char *
sl_controlled_schedule_name(void)
{
	return E.plan.active ? tally()->name : NULL;
}
