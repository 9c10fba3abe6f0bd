/*
 * See plan.h. A plan is parsed when it is first met, and kept: the same section comes again in every execution.
 *
 * What an ordering enforces puts things in order for the race detector as well, exactly as far as the plan says so:
 * an event that waited has learnt what the threads did before the events that it waited for.
 */
#include "engine/plan.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/rng.h"
#include "base/text.h"
#include "engine/enabled.h"
#include "engine/interpose.h"
#include "engine/section.h"
#include "engine/step.h"
#include "engine/poison.h"

#define POOL_SIZE (64ul << 20)
#define NAMED_MAX 256
#define SECTION_MAX 64

/* A plan that has been met. */
struct known {
	struct known *next;
	const char *text, *file; /* where it is written */
	uint32_t line;
	const struct sl_plan *plan;
	struct sl_monitor *monitor;
	uint32_t tally; /* in the arena */
	char *words;    /* one for each atom: its address stands for what happened before it */
	struct known *sibling; /* written in the same text, after it */
};

/* What a thread has announced, or does. */
struct pass {
	struct sl_event event;
	struct sl_match match;
	bool held;
	bool blocked; /* the monitor knows that it is */
};

static struct known *all;
static struct sl_pool pool;
static struct {
	struct known *plan; /* NULL: none counts */
	bool infeasible;
} now;
static struct pass *passes; /* by thread */
static uint64_t gate_word;
static struct {
	const void *object;
	const char *name;
} named[NAMED_MAX];
static uint32_t named_count;

static struct sl_object *
gate(void)
{
	struct sl_object *o = sl_object_get(&gate_word, SL_OBJECT_PLAN);

	o->shared = true;
	return o;
}

static bool
same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

static const char *
keep_text(const char *text, size_t length)
{
	char *copy = pool.at;

	if ((size_t)(pool.end - pool.at) < length + 1)
		sl_trouble(SL_TROUBLE_LIMIT, 0, "memory for schedules");
	pool.at += (length + 16) & ~15ul;
	sl_memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

/* ---- plans ---- */

struct sl_plan *
sl_plan_read(const char *path, struct sl_pool *memory, struct sl_complaint *complaint)
{
	long fd = sl_raw(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC), n = 0;
	char *text = memory->at;
	size_t room = (size_t)(memory->end - memory->at) / 4, length = 0;

	while (fd >= 0 && length < room && (n = sl_raw(SYS_read, fd, text + length, room - length)) > 0)
		length += (size_t)n;
	if (fd >= 0)
		sl_raw(SYS_close, fd);
	if (fd < 0 || n < 0 || length == room) {
		*complaint = (struct sl_complaint){.place = {0, 1, 1}};
		sl_text_copy(complaint->text, sizeof(complaint->text), "the file of a schedule can't be read");
		return NULL;
	}
	memory->at += (length + 16) & ~15ul;
	return sl_plan_parse(text, length, memory, complaint);
}

static uint32_t
tally_of(const struct sl_plan_origin *o, uint64_t signature)
{
	struct sl_arena *a = E.arena;

	for (uint32_t i = 0;; i++) {
		struct sl_tally *t = &a->tallies[i];
		uint64_t none = 0;

		if (i == SL_TALLIES_MAX)
			sl_trouble(SL_TROUBLE_LIMIT, 0, "schedules of one program");
		if (__atomic_load_n(&t->signature, __ATOMIC_ACQUIRE) == signature)
			return i;
		if (!__atomic_compare_exchange_n(&t->signature, &none, signature, false, __ATOMIC_ACQ_REL,
						 __ATOMIC_ACQUIRE)) {
			if (none == signature)
				return i;
			continue;
		}
		sl_text_copy(t->name, sizeof(t->name), o->name ? o->name : "");
		sl_text_copy(t->file, sizeof(t->file), o->file ? o->file : "");
		t->line = o->line;
		t->infeasible = o->infeasible;
		return i;
	}
}

static uint64_t
hash_text(uint64_t hash, const char *text)
{
	for (; text && *text; text++)
		hash = sl_mix(hash + (unsigned char)*text);
	return hash;
}

static uint64_t
signature_of(const struct sl_plan_origin *o, const char *text)
{
	return hash_text(hash_text(sl_mix(o->line + 1), o->file), text);
}

static void
put(char *to, size_t room, size_t *used, const char *text)
{
	sl_text_copy(to + *used, room - *used, text);
	*used += sl_strlen(to + *used);
}

static void
put_number(char *to, size_t room, size_t *used, uint64_t number)
{
	char digits[24];
	int n = 23;

	digits[n] = '\0';
	do
		digits[--n] = (char)('0' + number % 10);
	while (number /= 10);
	put(to, room, used, digits + n);
}

static _Noreturn void
unreadable(const struct sl_complaint *complaint, uint64_t pc)
{
	char text[128];
	size_t used = 0;

	put(text, sizeof(text), &used, "line ");
	put_number(text, sizeof(text), &used, complaint->place.line);
	put(text, sizeof(text), &used, ", column ");
	put_number(text, sizeof(text), &used, complaint->place.column);
	put(text, sizeof(text), &used, ": ");
	put(text, sizeof(text), &used, complaint->text);
	sl_trouble(SL_TROUBLE_PLAN, pc, text);
}

static struct known *
know_one(const struct sl_plan_origin *o, const char *text, const struct sl_plan *plan, uint64_t pc)
{
	struct known *k = (struct known *)keep_text("", sizeof(*k));
	struct sl_plan_origin origin = *o;

	if (plan->name[0])
		origin.name = plan->name;
	*k = (struct known){.text = text, .plan = plan};
	k->monitor = sl_monitor_new(plan, &pool);
	if (!k->monitor)
		sl_trouble(SL_TROUBLE_LIMIT, pc, "memory for schedules");
	k->words = (char *)keep_text("", 8ul * plan->atom_count);
	k->tally = tally_of(&origin, signature_of(o, text) + (plan->name[0] ? hash_text(0, plan->name) : 0));
	return k;
}

/* The first of those in the text. */
static struct known *
know(const struct sl_plan_origin *o, uint64_t pc)
{
	struct sl_complaint complaint = {0};
	const char *text;
	size_t length;
	struct known *k, **end;

	if (!pool.at) {
		pool.at = sl_private_alloc(POOL_SIZE);
		pool.end = pool.at + POOL_SIZE;
	}
	for (k = all; k; k = k->next)
		if (k->line == o->line && same(k->text, o->text) && same(k->file, o->file ? o->file : ""))
			return k;
	text = keep_text(o->text, sl_strlen(o->text));
	length = sl_strlen(text);
	const struct sl_plan *plan = text[0] == '@' ? sl_plan_read(text + 1, &pool, &complaint)
						    : sl_plan_parse(text, length, &pool, &complaint);

	if (!plan)
		unreadable(&complaint, pc);
	end = &k;
	for (; plan; plan = plan->next) {
		*end = know_one(o, text, plan, pc);
		end = &(*end)->sibling;
	}
	k->file = o->file ? keep_text(o->file, sl_strlen(o->file)) : "";
	k->line = o->line;
	k->next = all;
	all = k;
	return k;
}

void
sl_plans_reset(void)
{
	now.plan = NULL;
	E.planned = false;
	named_count = 0;
	if (!passes)
		passes = sl_private_alloc((SL_THREADS_MAX + 1) * sizeof(*passes));
}

/* Of a thread, without anybody's being held for it. */
static void
tell(const struct sl_thread *t, enum sl_event_kind kind)
{
	struct sl_event event = {.kind = kind, .thread = t->id, .thread_name = t->named ? t->name : NULL};
	struct sl_match match;

	sl_monitor_match(now.plan->monitor, &event, &match);
	sl_monitor_happens(now.plan->monitor, &event, &match);
}

static void
begin(struct known *plan, bool infeasible)
{
	now.plan = plan;
	now.infeasible = infeasible;
	sl_monitor_reset(now.plan->monitor);
	E.planned = true;
	for (uint32_t i = 0; i < E.thread_count; i++) { /* those who are there have started */
		passes[i] = (struct pass){0};
		if (E.threads[i].alive)
			tell(&E.threads[i], SL_EVENT_START);
	}
}

void
sl_plan_begin(const struct sl_plan_origin *origin, uint64_t pc)
{
	struct known *first = know(origin, pc), *k = first;
	unsigned count = 0;

	for (; k; k = k->sibling)
		count++;
	k = first;
	for (unsigned chosen = sl_ask(SL_CHOOSE_VALUE, count, NULL); chosen; chosen--)
		k = k->sibling;
	begin(k, origin->infeasible);
}

static struct sl_tally *
tally(void)
{
	return &E.arena->tallies[now.plan->tally];
}

static void
count(uint64_t *counter)
{
	if (E.worker->phase != SL_PHASE_EXPLORE)
		return;
	SL_SAVE(*counter);
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static void
name_plan(char *to, size_t room, size_t *used)
{
	const char *name = tally()->name;

	put(to, room, used, "the schedule ");
	if (!name[0])
		return;
	put(to, room, used, "\"");
	put(to, room, used, name);
	put(to, room, used, "\" ");
}

/* ---- executions that do not follow it ---- */

static void
finding(struct sl_finding *f, uint64_t pc)
{
	*f = (struct sl_finding){.kind = SL_FINDING_SCHEDULE,
				 .status = (int32_t)now.plan->tally,
				 .signature = sl_mix(tally()->signature + SL_FINDING_SCHEDULE),
				 .culprit_count = 1};
	sl_culprit_fill(&f->culprits[0], pc);
}

/* Told only if no other execution follows the plan. */
static void
drop(struct sl_finding *f)
{
	count(&tally()->dropped);
	E.dropped = true;
	if (!now.infeasible)
		sl_warn(f);
}

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
		put(m->to, m->room, &m->used, " and ");
	sl_formula_print(formula, m->to + m->used, m->room - m->used);
	m->used += sl_strlen(m->to + m->used);
}

/* "…; T2 is held at b until a" */
static void
explain_held(const struct sl_thread *t, char *to, size_t room, size_t *used)
{
	struct missing m = {.to = to, .room = room};
	uint32_t orderings[4], n;

	n = sl_monitor_holds(now.plan->monitor, &passes[t->id].event, orderings, 4);
	put(to, room, used, t->id ? "T" : "main");
	if (t->id)
		put_number(to, room, used, t->id);
	put(to, room, used, " is held at ");
	if (t->op.object)
		put(to, room, used, E.arena->event_names[t->op.object - 1]);
	put(to, room, used, " until ");
	m.used = *used;
	for (uint32_t i = 0; i < n && i < 4; i++)
		sl_monitor_wants(now.plan->monitor, orderings[i], note_missing, &m);
	*used = m.used;
}

void
sl_plan_stuck(void)
{
	struct sl_finding f;
	size_t used = 0;
	unsigned held = 0;

	for (uint32_t i = 0; i < E.thread_count; i++) {
		const struct sl_thread *t = &E.threads[i];

		if (!t->alive || !passes[i].held)
			continue;
		if (!held++) {
			finding(&f, t->op.pc);
			name_plan(f.message, sizeof(f.message), &used);
			put(f.message, sizeof(f.message), &used, "can't go on: ");
		} else {
			put(f.message, sizeof(f.message), &used, "; ");
		}
		explain_held(t, f.message, sizeof(f.message), &used);
	}
	if (!held)
		return;
	drop(&f);
	sl_execution_end();
}

void
sl_plan_end(uint64_t pc)
{
	struct sl_monitor *m;
	struct sl_finding f;
	size_t used = 0;
	bool satisfied;
	const struct sl_formula *missing = NULL;

	if (!E.planned)
		return;
	m = now.plan->monitor;
	satisfied = sl_monitor_satisfied(m);
	for (uint32_t i = 0; satisfied && i < now.plan->plan->ordering_count; i++) {
		const struct sl_formula *o = now.plan->plan->orderings[i];

		if (o->plain && !sl_monitor_count(m, o->right->atom))
			missing = o->right;
	}
	finding(&f, pc);
	name_plan(f.message, sizeof(f.message), &used);
	if (satisfied && !missing) {
		count(&tally()->kept);
		if (now.infeasible) {
			put(f.message, sizeof(f.message), &used, "was to be infeasible, but it has happened");
			E.planned = false;
			sl_found_this(&f);
		}
	} else {
		put(f.message, sizeof(f.message), &used, "was not followed: ");
		if (missing) {
			sl_formula_print(missing, f.message + used, sizeof(f.message) - used);
			put(f.message, sizeof(f.message), &used, " never happened");
		} else {
			uint32_t ordering = 0;

			sl_monitor_broken(m, &ordering);
			sl_formula_print(now.plan->plan->orderings[ordering], f.message + used,
					 sizeof(f.message) - used);
		}
		drop(&f);
	}
	now.plan = NULL;
	E.planned = false;
}

/* ---- events ---- */

uint64_t
sl_plan_name_of(const char *name)
{
	struct sl_arena *a = E.arena;

	for (uint32_t i = 0; i < SL_EVENT_NAMES_MAX; i++) {
		if (!a->event_names[i][0])
			sl_text_copy(a->event_names[i], sizeof(a->event_names[i]), name);
		size_t n = 0;

		while (n < sizeof(a->event_names[i]) - 1 && name[n] && a->event_names[i][n] == name[n])
			n++;
		if (a->event_names[i][n] == name[n] || n == sizeof(a->event_names[i]) - 1)
			return i + 1;
	}
	return 0;
}

void
sl_plan_name_object(const void *object, const char *name)
{
	for (uint32_t i = 0; i < named_count; i++)
		if (named[i].object == object) {
			named[i].name = name;
			return;
		}
	if (named_count == NAMED_MAX)
		sl_trouble(SL_TROUBLE_LIMIT, 0, "named objects");
	named[named_count].object = object;
	named[named_count++].name = name;
}

static const char *
name_of(const void *object)
{
	for (uint32_t i = 0; object && i < named_count; i++)
		if (named[i].object == object)
			return named[i].name;
	return NULL;
}

/* The program, and not the plan, makes it wait. */
static bool
is_blocked(const struct sl_thread *t)
{
	if (!t->alive || t->idle || t->agent || t == E.current || t->returns_to || passes[t->id].held)
		return false;
	return !sl_can_go(t) && t->op.kind != SL_SLEEP;
}

void
sl_plan_settle(void)
{
	bool changed = false;

	if (!now.plan->plan->blocks)
		return;
	for (uint32_t i = 0; i < E.thread_count; i++) {
		struct sl_thread *t = &E.threads[i];
		struct pass *p = &passes[i];
		bool blocked = is_blocked(t);

		if (blocked == p->blocked)
			continue;
		p->blocked = blocked;
		tell(t, blocked ? SL_EVENT_BLOCK : SL_EVENT_UNBLOCK);
		changed = true;
	}
	if (changed)
		sl_publish(gate());
}

bool
sl_plan_lets(const struct sl_thread *t)
{
	const struct pass *p = &passes[t->id];

	return !E.planned || !p->held || sl_monitor_asks(now.plan->monitor, &p->event, &p->match) != SL_NOT_YET;
}

static struct sl_object *
word_of(uint32_t atom)
{
	return sl_object_get(now.plan->words + 8ul * atom, SL_OBJECT_PLAN);
}

static void
learn_from(const struct sl_formula *f)
{
	if (!f)
		return;
	if (f->atom)
		sl_acquire(word_of(f->atom->number));
	learn_from(f->left);
	learn_from(f->right);
}

/* What the plan puts before this event, and this event before others. */
static void
put_in_order(const struct sl_match *match)
{
	const struct sl_plan *plan = now.plan->plan;
	bool waits = false;

	for (uint32_t i = 0; i < plan->ordering_count; i++) {
		const struct sl_formula *o = plan->orderings[i];

		if (o->kind != SL_FORMULA_BEFORE)
			continue;
		for (uint32_t k = 0; k < match->count && k < 13; k++)
			if (o->right->kind == SL_FORMULA_ATOM && o->right->atom->number == match->atoms[k]) {
				learn_from(o->left);
				waits = true;
			}
	}
	for (uint32_t i = 0; waits && plan->blocks && i < E.thread_count; i++)
		if (passes[i].blocked)
			sl_learn(&E.threads[i].clock);
	for (uint32_t k = 0; k < match->count && k < 13; k++)
		sl_release_join(word_of(match->atoms[k]));
}

void
sl_plan_pass(enum sl_event_kind kind, const char *name, const void *object, uint64_t pc)
{
	struct sl_thread *t = E.current;
	struct pass *p = &passes[t->id];
	uint64_t number = name ? sl_plan_name_of(name) : 0;

	if (!E.planned || !(now.plan->plan->kinds & 1u << kind)) {
		p->match.count = 0;
	} else {
		p->event = (struct sl_event){.kind = kind,
					     .thread = t->id,
					     .thread_name = t->named ? t->name : NULL,
					     .name = name,
					     .object = name_of(object)};
		sl_monitor_match(now.plan->monitor, &p->event, &p->match);
	}
	if (!p->match.count) {
		if (kind == SL_EVENT_NAMED) {
			sl_announce(SL_EVENT, number, pc);
			sl_no_point();
			sl_note(0);
		} else if (E.planned && now.plan->plan->blocks) {
			tell(t, kind);
		}
		return;
	}
	sl_announce(SL_EVENT, number, pc);
	p->held = true;
	sl_plan_settle();
	sl_await(gate());
	p->held = false;
	sl_note(1);
	put_in_order(&p->match);
	sl_monitor_happens(now.plan->monitor, &p->event, &p->match);
	sl_object_changed(gate());
	sl_changed(true);
}

void
sl_plan_step(void)
{
	if (E.planned && passes[E.current->id].match.count)
		sl_step_plan(now.plan->plan->blocks);
}

/* ---- states ---- */

void
sl_plan_identify(struct sl_identity *identity)
{
	size_t size;
	const void *state;

	if (!E.planned)
		return;
	state = sl_monitor_state(now.plan->monitor, &size);
	sl_identity_add(identity, (uint64_t)now.plan, state, size);
}

void
sl_plan_keep(void)
{
	size_t size;
	const void *state;

	sl_checkpoint_bytes(&now, sizeof(now));
	sl_checkpoint_bytes(named, sizeof(named[0]) * named_count);
	sl_checkpoint_bytes(&named_count, sizeof(named_count));
	if (!E.planned)
		return;
	sl_checkpoint_bytes(passes, E.thread_count * sizeof(passes[0]));
	state = sl_monitor_state(now.plan->monitor, &size);
	sl_checkpoint_bytes((void *)state, size);
}

/* ---- what sleave.h has ---- */

void
sl_plan_named(struct sl_thread *t, uint64_t pc)
{
	if (t == E.current) {
		sl_plan_pass(SL_EVENT_START, NULL, NULL, pc);
	} else if (E.planned) { /* nobody can be held for that */
		tell(t, SL_EVENT_START);
		sl_object_changed(gate());
	}
}

void
sl_controlled_event(const char *name, const void *object, uint64_t pc)
{
	sl_plan_pass(SL_EVENT_NAMED, name, object, pc);
}

void
sl_controlled_name(const void *object, const char *name, uint64_t pc)
{
	(void)pc;
	sl_plan_name_object(object, name);
}

void
sl_controlled_thread_name(const char *name, uint64_t pc)
{
	struct sl_thread *t = E.current;

	sl_text_copy(t->name, sizeof(t->name), name);
	t->named = true;
	sl_plan_named(t, pc);
}

static unsigned
collect(const struct sleave_section *section, const struct sl_section_text *texts, unsigned text_count,
	struct known *plans[SECTION_MAX], uint64_t pc)
{
	unsigned count = 0;

	if (E.planned)
		sl_trouble(SL_TROUBLE_PLAN, pc, "a section with schedules inside another");
	for (unsigned i = 0; i < text_count; i++) {
		struct sl_plan_origin origin = {.name = texts[i].name,
						.text = texts[i].text,
						.file = section->file,
						.line = (uint32_t)section->line,
						.infeasible = section->flags & SLEAVE_SECTION_INFEASIBLE};

		if (!origin.text)
			sl_trouble(SL_TROUBLE_PLAN, pc, "a schedule without a text");
		for (struct known *k = know(&origin, pc); k; k = k->sibling) {
			if (count == SECTION_MAX)
				sl_trouble(SL_TROUBLE_LIMIT, pc, "schedules of one section");
			plans[count++] = k;
		}
	}
	return count;
}

static void
begin_section(struct sleave_section *section, struct known *plan, unsigned number)
{
	section->index = (int)number + 1;
	section->name = E.arena->tallies[plan->tally].name;
	begin(plan, section->flags & SLEAVE_SECTION_INFEASIBLE);
}

void
sl_controlled_section_begin(struct sleave_section *section, const struct sl_section_text *texts,
			    unsigned text_count, unsigned number, uint64_t pc)
{
	struct known *plans[SECTION_MAX];

	collect(section, texts, text_count, plans, pc);
	begin_section(section, plans[number], number);
}

/* One of the schedules: which, is a choice. So there are as many executions as those of each, and not their product. */
bool
sl_controlled_section_next(struct sleave_section *section, va_list list, uint64_t pc)
{
	struct known *plans[SECTION_MAX];
	struct sl_section_text texts[SECTION_MAX];
	unsigned count = 0, chosen;
	const char *name;

	if (section->index) {
		sl_plan_end(pc);
		if (E.in_place)
			sl_exit(0, pc);
		section->name = NULL;
		return false;
	}
	while ((name = va_arg(list, const char *)) && count < SECTION_MAX)
		texts[count++] = (struct sl_section_text){name, va_arg(list, const char *)};
	count = collect(section, texts, count, plans, pc);
	if (!count)
		return false;
	sl_announce(SL_CHOOSE, 0, pc);
	sl_no_point();
	chosen = sl_ask(SL_CHOOSE_VALUE, count, NULL);
	sl_note(chosen);
	begin_section(section, plans[chosen], chosen);
	return true;
}

void
sl_controlled_section_end(struct sleave_section *section, uint64_t pc)
{
	if (!section->index || !section->name)
		return;
	sl_plan_end(pc); /* by break, return or an exception: the body has not come to its end */
	if (E.in_place)
		sl_exit(0, pc);
}

const char *
sl_controlled_schedule_name(void)
{
	return E.planned ? tally()->name : NULL;
}
