#include "engine/entry/code.h"
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/plan.h"
#include "engine/section/code_walk.h"
#include "engine/section/locate.h"
#include "engine/under/poison.h"

static struct {
	const struct sl_code *code;
	const struct sl_plan *plan;
} now;
static struct sl_trail *trails; /* by thread */

/* ---- addresses of code ---- */

static const struct sl_bound *
ask(const char *text, struct sl_bound *into, uint64_t pc)
{
	char error[256];

	if (!sl_bind(text, into->items, &into->count, error, sizeof(error)))
		sl_trouble(SL_TROUBLE_PLAN, pc, error);
	return into;
}

/* Binds the names of a text once, although each execution may be a process of its own. */
static const struct sl_bound *
bound(const char *text, uint64_t pc)
{
	uint64_t signature = sl_code_signature(text), none = 0;

	for (uint32_t i = 0; i < SL_BOUND_MAX; i++, none = 0) {
		struct sl_bound *b = &E.arena->bound[i];

		if (__atomic_load_n(&b->ready, __ATOMIC_ACQUIRE) == signature)
			return b;
		if (!__atomic_compare_exchange_n(&b->signature, &none, signature, false, __ATOMIC_ACQ_REL,
						 __ATOMIC_ACQUIRE))
			continue; /* another text, or one that another worker is binding */
		ask(text, b, pc);
		__atomic_store_n(&b->ready, signature, __ATOMIC_RELEASE);
		return b;
	}
	return ask(text, sl_private_alloc(sizeof(struct sl_bound)), pc);
}

static struct sl_pool *from; /* memory for the current call */

static void *
take(size_t size)
{
	char *at = from->at;

	size = (size + 15) & ~15ul;
	if ((size_t)(from->end - at) < size)
		sl_trouble(SL_TROUBLE_LIMIT, 0, "memory for schedules");
	from->at = at + size;
	return sl_memset(at, 0, size);
}

struct sl_code *
sl_code_new(const struct sl_plan *plan, uint32_t number, struct sl_pool *pool, uint64_t pc)
{
	const struct sl_bound *b;

	if (!(plan->kinds & SL_CODE_KINDS))
		return NULL;
	b = bound(plan->text, pc);
	from = pool;
	return sl_code_make(plan, number, b->items, b->count, take);
}

void
sl_code_follow(const struct sl_code *code, const struct sl_plan *plan)
{
	now.code = code;
	now.plan = plan;
	E.plan.coded = code != NULL;
	E.slow = sl_accesses_are_slow();
	if (E.plan.coded && !trails)
		trails = sl_private_alloc((SL_THREADS_MAX + 1) * sizeof(*trails));
	for (uint32_t i = 0; E.plan.coded && i < E.thread_count; i++)
		trails[i].count = 0;
}

void
sl_code_started(void)
{
	if (E.plan.coded)
		trails[E.current->id].count = 0;
}

const struct sl_atom *
sl_code_atom(uint32_t atom)
{
	return now.plan->atoms[atom];
}

const char *
sl_code_text(uint32_t atom)
{
	return now.code->texts[atom];
}

/* ---- the running thread ---- */

static bool
is_named(const char *glob, const struct sl_thread *t)
{
	char usual[24] = "main";
	size_t used = 0;

	if (t->called.given && sl_glob(glob, t->called.name))
		return true;
	if (t->id) {
		sl_text_add(usual, sizeof(usual), &used, "T");
		sl_text_add_number(usual, sizeof(usual), &used, sl_plan_number(t));
	}
	return sl_glob(glob, usual);
}

/* Returns whether the occurrence is the running thread's, and has not happened yet. */
static bool
wants(const struct sl_walk *walk, uint32_t number)
{
	const struct sl_atom *atom = &walk->code->atoms[number];

	if (atom->thread && !is_named(atom->thread, E.current))
		return false;
	return atom->occurrence == SL_EVERY || sl_plan_count(atom) < sl_atom_needs(atom);
}

static void
comes(const struct sl_walk *walk, const struct sl_match *match, uint64_t pc)
{
	(void)walk;
	sl_plan_comes(match, pc);
}

static bool
goes_on(const struct sl_walk *walk)
{
	(void)walk;
	return E.plan.coded;
}

static void
limit(const char *what, uint64_t pc)
{
	sl_trouble(SL_TROUBLE_LIMIT, pc, what);
}

static const struct sl_walk_use controlled = {wants, comes, goes_on, limit, sl_probe};

static struct sl_walk
walk(void)
{
	return (struct sl_walk){now.code, &controlled, &trails[E.current->id], E.current->stack.depth};
}

/* ---- the hooks ---- */

void
sl_code_calls(uint64_t pc)
{
	struct sl_walk w = walk();

	sl_walk_at(&w, pc, SL_CALLS, true);
}

void
sl_code_entered(uint64_t pc)
{
	struct sl_walk w;

	if (!E.plan.coded)
		return;
	w = walk();
	sl_walk_entered(&w, pc);
}

void
sl_code_left(uint64_t pc)
{
	struct sl_walk w = walk();

	sl_walk_left(&w, pc);
}

unsigned
sl_code_access(uint64_t address, size_t size, unsigned flags, uint64_t pc, bool direct)
{
	struct sl_walk w = walk();
	unsigned came = sl_walk_at(&w, pc, flags & SL_OP_WRITES ? SL_WRITE : SL_READ, direct) ? SL_CAME_BEFORE : 0;
	struct sl_match m = {0};

	if (!E.plan.coded)
		return came;
	sl_walk_data(&w, &m, address, address + size,
		     flags & SL_OP_WRITES ? 1u << SL_EVENT_WRITE : 1u << SL_EVENT_READ);
	if (!m.count)
		return came;
	sl_plan_comes(&m, pc);
	return SL_CAME_WITH;
}

void
sl_code_announces(enum sl_op_kind kind, uint64_t object, uint64_t pc)
{
	struct sl_thread *t = E.current;
	struct sl_match m = {0};
	unsigned kinds = sl_walk_kinds(kind);
	const struct sl_object *o;
	struct sl_walk w;

	if (kind == SL_EVENT || t->born.agent)
		return;
	sl_plan_detach();
	w = walk();
	if (sl_op_is_call(kind) && !t->waits.arrived)
		sl_walk_at(&w, pc, kind, !sl_kind_is((uint8_t)kind, SL_KIND_IO));
	if (!E.plan.coded || !kinds)
		return;
	sl_walk_data(&w, &m, object, object + 1, kinds);
	if (!m.count)
		return;
	if (!(kinds & 1u << SL_EVENT_LOCK)) {
		sl_plan_comes(&m, pc);
		sl_plan_merge();
		return;
	}
	o = sl_object_find(object);
	if (o && o->owner == t) /* the thread holds it, so this only changes a count, or fails */
		return;
	if (kind == SL_MUTEX_TRYLOCK || t->waits.tries)
		sl_plan_tries(&m, object, pc);
	else
		sl_plan_attach(&m, object);
}

/* ---- states ---- */

void
sl_code_identify(struct sl_identity *identity)
{
	for (uint32_t i = 0; E.plan.coded && i < E.thread_count; i++)
		if (E.threads[i].alive)
			sl_identity_add(identity, i, trails[i].at, trails[i].count * sizeof(trails[i].at[0]));
}

void
sl_code_keep(void)
{
	sl_checkpoint_bytes(&now, sizeof(now));
	if (E.plan.coded)
		sl_checkpoint_bytes(trails, E.thread_count * sizeof(trails[0]));
}
