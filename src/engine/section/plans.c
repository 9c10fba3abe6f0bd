#include "engine/section/plans.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/rng.h"
#include "base/text.h"
#include "engine/core/debugger.h"
#include "engine/entry/code.h"
#include "engine/entry/interpose.h"
#include "engine/listen/lane.h"
#include "engine/model/process/settings.h"
#include "engine/section/criterion_tests.h"
#include "engine/section/prelude.h"
#include "engine/section/section.h"
#include "engine/under/poison.h"

#define POOL_SIZE (64ul << 20)
#define SECTION_MAX 64

static struct sl_known *all;
static struct sl_pool pool;

static void *
take(size_t size)
{
	char *at = pool.at;

	if (!at) {
		at = sl_private_alloc(POOL_SIZE);
		pool.end = at + POOL_SIZE;
	}
	size = (size + 15) & ~15ul;
	if ((size_t)(pool.end - at) < size)
		sl_trouble(SL_TROUBLE_LIMIT, 0, "memory for schedules");
	pool.at = at + size;
	return sl_memset(at, 0, size);
}

static const char *
keep_text(const char *text)
{
	size_t size = text ? sl_strlen(text) : 0;

	return size ? sl_memcpy(take(size + 1), text, size) : "";
}

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
	return hash_text(hash_text(hash_text(sl_mix(o->line + 1), o->file), text), o->name);
}

static _Noreturn void
unreadable(const struct sl_complaint *complaint, uint64_t pc)
{
	char text[128];
	size_t used = 0;

	sl_text_add(text, sizeof(text), &used, "line ");
	sl_text_add_number(text, sizeof(text), &used, complaint->place.line);
	sl_text_add(text, sizeof(text), &used, ", column ");
	sl_text_add_number(text, sizeof(text), &used, complaint->place.column);
	sl_text_add(text, sizeof(text), &used, ": ");
	sl_text_add(text, sizeof(text), &used, complaint->text);
	sl_trouble(SL_TROUBLE_PLAN, pc, text);
}

static struct sl_known *
know_one(const struct sl_plan_origin *o, const char *text, const struct sl_plan *plan, uint64_t pc)
{
	struct sl_known *k = take(sizeof(*k));

	*k = (struct sl_known){.text = text, .plan = plan};
	k->name = plan->name[0] ? plan->name : keep_text(o->name);
	k->monitor = sl_monitor_new(plan, &pool);
	if (!k->monitor)
		sl_trouble(SL_TROUBLE_LIMIT, pc, "memory for schedules");
	k->words = take(8ul * plan->atom_count);
	k->needs = take(sizeof(k->needs[0]) * plan->atom_count);
	for (uint32_t i = 0; i < plan->atom_count; i++)
		k->needs[i] = sl_plan_needs(plan, plan->atoms[i]);
	k->signature = signature_of(o, text) + (plan->name[0] ? hash_text(0, plan->name) : 0);
	return k;
}

/* Each search has an arena of its own. */
static void
count_all(struct sl_known *k, const struct sl_plan_origin *o)
{
	for (; k; k = k->sibling) {
		struct sl_plan_origin origin = *o;

		origin.name = k->name;
		if (E.arena->tallies[k->tally].signature != k->signature)
			k->tally = tally_of(&origin, k->signature);
	}
}

/* Returns the first plan of the text. */
static struct sl_known *
know(const struct sl_plan_origin *o, uint64_t pc)
{
	struct sl_complaint complaint = {0};
	const char *text;
	struct sl_known *k, **end;

	for (k = all; k; k = k->next)
		if (k->line == o->line && sl_text_same(k->text, o->text) &&
		    sl_text_same(k->file, o->file ? o->file : "") &&
		    sl_text_same(k->called, o->name ? o->name : "")) {
			count_all(k, o);
			return k;
		}
	take(1); /* ensures that there is a pool, even for an empty text */
	text = keep_text(o->text);
	const struct sl_plan *plan = text[0] == '@' ? sl_plan_read(text + 1, &pool, &complaint)
						    : sl_plan_parse(text, sl_strlen(text), &pool, &complaint);

	if (!plan)
		unreadable(&complaint, pc);
	end = &k;
	for (uint32_t number = 0; plan; plan = plan->next, number++) {
		*end = know_one(o, text, plan, pc);
		(*end)->code = sl_code_new(plan, number, &pool, pc);
		end = &(*end)->sibling;
	}
	k->file = keep_text(o->file);
	k->called = keep_text(o->name);
	k->line = o->line;
	k->next = all;
	all = k;
	count_all(k, o);
	return k;
}

void
sl_plan_begin_whole(void)
{
	struct sl_plan_origin origin = {.text = E.arena->config.plan};
	struct sl_known *first = know(&origin, 0), *k = first;
	unsigned count = 0;

	for (; k; k = k->sibling)
		count++;
	k = first;
	for (unsigned chosen = sl_ask(SL_CHOOSE_VALUE, count, NULL); k && chosen; chosen--)
		k = k->sibling;
	sl_plan_follow(k, false);
}

/* ---- sections ---- */

static uint64_t skips, ended;                /* executions that skipped the explored section, and all executions */
static uint32_t visits;                      /* sections that the execution has reached */
static unsigned uncaught;                    /* uncaught exceptions when the section began */
static const struct sleave_section *visited; /* E.plan.visiting: the explored section */
static uint64_t jumped; /* the place of a long jump inside of a block, which may have left the block */

void
sl_sections_reset(void)
{
	visits = 0;
	sl_framework_reset();
	sl_test_reset();
}

uintptr_t
sl_visited_frame(void)
{
	return (uintptr_t)visited;
}

void
sl_section_jump(uint64_t pc)
{
	if (E.plan.active && E.current->id == 0)
		jumped = pc;
}

/* The command's schedule is for the whole program, and replaces the sections' own. */
static bool
is_set_aside(void)
{
	return E.arena->config.plan[0] && !E.arena->config.section;
}

/* Runs the body once, without a schedule. */
static bool
pass_by(struct sleave_section *section)
{
	E.arena->program.set_aside = 1;
	return !section->index++;
}

/* Another section begins, although the last one has not ended: a long jump has left it. */
static void
left_by_jump(uint64_t pc)
{
	uint64_t from = jumped;

	jumped = 0;
	if (E.body.in_place || E.plan.visiting)
		sl_found_jump(from);
	if (E.plan.prelude && sl_plan_left_threads())
		sl_trouble(SL_TROUBLE_PLAN, pc,
			   "a test before it failed, and has left threads behind that would be part of it");
	if (E.plan.prelude) /* it would fail on real threads, too, so its schedule does not matter */
		sl_plan_leave();
	else
		sl_plan_end(pc);
}

/* Refuses equal names, as on real threads (rt_text.c). */
static void
refuse_twins(struct sl_known *const *plans, unsigned count, uint64_t pc)
{
	char text[128];
	size_t used = 0;

	for (unsigned i = 0; i < count; i++)
		for (unsigned j = 0; j < i; j++)
			if (sl_text_same(plans[i]->name, plans[j]->name)) {
				sl_text_add(text, sizeof(text), &used, "schedule \"");
				sl_text_add(text, sizeof(text), &used, plans[i]->name);
				sl_text_add(text, sizeof(text), &used,
					    "\" appears twice: each schedule of a section needs a name of its own");
				sl_trouble(SL_TROUBLE_PLAN, pc, text);
			}
}

static unsigned
collect(const struct sleave_section *section, const struct sl_section_text *texts, unsigned text_count,
	struct sl_known *plans[SECTION_MAX], uint64_t pc)
{
	unsigned count = 0;

	if (E.plan.active && jumped)
		left_by_jump(pc);
	if (E.plan.active)
		sl_trouble(SL_TROUBLE_PLAN, pc, "a section with schedules inside another");
	jumped = 0;
	for (unsigned i = 0; i < text_count; i++) {
		struct sl_plan_origin origin = {.name = texts[i].name,
						.text = texts[i].text,
						.file = section->file,
						.line = (uint32_t)section->line,
						.infeasible = section->flags & SLEAVE_SECTION_INFEASIBLE};

		if (!origin.text)
			sl_trouble(SL_TROUBLE_PLAN, pc, "a schedule without a text");
		for (struct sl_known *k = know(&origin, pc); k; k = k->sibling) {
			if (count == SECTION_MAX)
				sl_trouble(SL_TROUBLE_LIMIT, pc, "schedules of one section");
			plans[count++] = k;
		}
	}
	if (!count)
		sl_trouble(SL_TROUBLE_PLAN, pc, "the schedule of a section is missing");
	if (count > 1 && section->flags & SLEAVE_SECTION_INFEASIBLE)
		sl_trouble(SL_TROUBLE_PLAN, pc, "several schedules: SLEAVE_INFEASIBLE takes only one");
	refuse_twins(plans, count, pc);
	return count;
}

/* The orderings of a plan, as one text. */
static bool
write_orderings(const struct sl_plan *plan, char *to, size_t room)
{
	size_t used = 0;

	to[0] = '\0';
	for (uint32_t i = 0; i < plan->ordering_count; i++) {
		if (i)
			sl_text_add(to, room, &used, ", ");
		used += sl_formula_print(plan->orderings[i], to + used, room - used);
		if (used + 3 > room)
			return false;
	}
	return true;
}

/* Combines a section's plan and additional orderings of the command to one plan, with the name of the former. */
static struct sl_known *
with_more(struct sl_known *k, uint64_t pc)
{
	static char text[2 * sizeof(E.arena->config.plan)];
	struct sl_complaint complaint = {0};
	struct sl_plan_origin origin = {.name = k->name};
	const struct sl_plan *plan;
	size_t used;

	if (!k->more) {
		if (!write_orderings(k->plan, text, sizeof(text) / 2))
			sl_trouble(SL_TROUBLE_LIMIT, pc, "the text of a schedule");
		used = sl_strlen(text);
		sl_text_add(text, sizeof(text), &used, ", ");
		sl_text_add(text, sizeof(text), &used, E.arena->config.plan);
		plan = sl_plan_parse(keep_text(text), used, &pool, &complaint);
		if (!plan)
			unreadable(&complaint, pc);
		k->more = know_one(&origin, plan->text, plan, pc);
		k->more->code = sl_code_new(plan, 0, &pool, pc);
		k->more->signature = k->signature;
	}
	k->more->tally = k->tally;
	return k->more;
}

void
sl_section_note(const struct sleave_section *section, const struct sl_known *plan)
{
	struct sl_setting *s = sl_recorder_setting();

	if (!s)
		return;
	s->signature = 0;
	if (!plan || !write_orderings(plan->plan, s->text, sizeof(s->text)))
		return;
	s->signature = plan->signature;
	s->line = (uint32_t)section->line;
	s->infeasible = section->flags & SLEAVE_SECTION_INFEASIBLE;
	sl_text_copy(s->file, sizeof(s->file), section->file);
	sl_text_copy(s->function, sizeof(s->function), section->function);
	sl_text_copy(s->name, sizeof(s->name), plan->name);
}

static bool
is_wanted(const struct sl_known *plan)
{
	return E.arena->config.section && plan->signature == E.arena->config.section && !E.plan.prelude;
}

static void
begin_section(struct sleave_section *section, struct sl_known *plan, unsigned number, uint64_t pc)
{
	if (is_wanted(plan) && E.arena->config.plan[0])
		plan = with_more(plan, pc);
	section->index = (int)number + 1;
	section->name = plan->name;
	uncaught = sl_exceptions();
	sl_section_note(section, plan);
	sl_plan_follow(plan, section->flags & SLEAVE_SECTION_INFEASIBLE);
}

void
sl_controlled_section_begin(struct sleave_section *section, const struct sl_section_text *texts,
			    unsigned text_count, unsigned number, uint64_t pc)
{
	struct sl_known *plans[SECTION_MAX];

	collect(section, texts, text_count, plans, pc);
	begin_section(section, plans[number], number, pc);
}

/* The explored body has ended. */
static void
explored(uint64_t pc)
{
	ended++;
	if (E.body.in_place)
		sl_exit(0, pc);
	if (E.plan.visiting)
		sl_exit_now(0, pc); /* the program continues in another execution, or in none */
}

void
sl_section_skip(uint64_t pc)
{
	if (E.plan.active && !is_set_aside())
		sl_plan_leave();
	skips++;
	if (!E.body.in_place && !E.plan.visiting)
		return;
	explored(pc);
}

bool
sl_section_was_skipped(bool forget)
{
	bool answer = skips && skips == ended && !E.arena->case_count && !E.worker->trouble.kind;

	if (forget)
		skips = ended = 0;
	return answer;
}

/* In the prelude schedules are run one after the other, as on real threads, up to the explored one. */
static unsigned
next_of_prelude(const struct sleave_section *section, unsigned count, uint64_t pc)
{
	const struct sl_config *c = &E.arena->config;
	unsigned number = (unsigned)section->index;

	if (sl_test_count(visits) == c->visit.number && number == c->visit.schedule && number < count) {
		if ((uint32_t)section->line != c->visit.line)
			sl_trouble(SL_TROUBLE_PLAN, pc, "the program came to another section than before");
		visited = section;
		sl_prelude_end();
		return number;
	}
	return section->flags & SLEAVE_SECTION_INFEASIBLE ? count : number;
}

/*
 * Begins one of the schedules, which is a choice: the executions of the schedules are then added, not multiplied.
 */
bool
sl_controlled_section_next(struct sleave_section *section, va_list list, uint64_t pc)
{
	struct sl_known *plans[SECTION_MAX];
	struct sl_section_text texts[SECTION_MAX];
	unsigned count = 0, chosen, skip;
	const char *name;

	if (is_set_aside())
		return pass_by(section);
	if (section->index) {
		sl_plan_await_end(pc);
		sl_plan_end(pc);
		explored(pc);
		section->name = NULL;
		if (!E.plan.prelude)
			return false;
	} else {
		visits++;
	}
	while ((name = va_arg(list, const char *))) {
		if (count == SECTION_MAX)
			sl_trouble(SL_TROUBLE_LIMIT, pc, "schedules of one section");
		texts[count] = (struct sl_section_text){name, va_arg(list, const char *)};
		if (!texts[count++].text) /* a missing text ends the list */
			break;
	}
	count = collect(section, texts, count, plans, pc);
	/*
	 * an infeasible schedule ends its executions: further choices are executions that skip the section and
	 * continue
	 */
	skip = section->flags & SLEAVE_SECTION_INFEASIBLE && !E.body.in_place;
	sl_announce(SL_CHOOSE, 0, pc);
	sl_no_point();
	if (E.plan.prelude) {
		chosen = next_of_prelude(section, count, pc);
	} else {
		for (chosen = 0; chosen < count && !is_wanted(plans[chosen]); chosen++)
			;
		if (chosen == count)
			chosen = sl_ask(SL_CHOOSE_VALUE, count + skip, NULL);
	}
	sl_note(chosen);
	if (chosen == count)
		return false;
	begin_section(section, plans[chosen], chosen, pc);
	return true;
}

void
sl_controlled_section_end(struct sleave_section *section, uint64_t pc)
{
	if (!section->index || !section->name)
		return;
	/* like a long jump: some test frameworks leave a failed test by an exception */
	if ((E.body.in_place || E.plan.visiting) && sl_exceptions() > uncaught)
		sl_found_exception(pc);
	sl_plan_end(pc); /* the body was left by break, return or an exception */
	explored(pc);
}

/* ---- events and names ---- */

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

	sl_meet(&process_settings.thread[t->id], SL_OP_WRITES, pc);
	sl_text_copy(t->called.name, sizeof(t->called.name), name);
	t->called.given = true;
	sl_debugger_knows(t);
	if (unlikely(E.listen.reeling))
		sl_reel_name(t);
	sl_plan_named(t, pc);
}
