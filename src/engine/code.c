#include "engine/code.h"
#include <link.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/rng.h"
#include "base/text.h"
#include "engine/bind.h"
#include "engine/plan.h"
#include "engine/poison.h"

#define TRAIL_MAX 16 /* regions that a thread can be in */
#define MATCH_MAX 13
#define TEXT_MAX 128
#define CALLS UINT32_MAX    /* beside the kinds of operations: a call of another function of the program's */
#define FUNCTION UINT32_MAX /* in place of a region: a function whose end is an event */

struct span {
	uint64_t low, high;
	uint32_t atom, region;
};

struct spans {
	struct span *at;
	uint32_t count;
	uint64_t low, high; /* of all of them */
};

struct sl_code {
	struct spans functions, regions, arounds, data;
	struct sl_binding *pointed;
	uint32_t pointed_count;
	char (*texts)[TEXT_MAX]; /* by atom */
};

/* Where a thread is, in the frames of its stack; the innermost is the last. */
struct trail {
	uint32_t count;
	struct {
		uint32_t depth, region;
		uint64_t pc;        /* of its arrival: if it is there again, it has come again */
		uint32_t how, last; /* what it did when it arrived, and then: one call may do several things */
	} at[TRAIL_MAX];
};

static struct {
	const struct sl_code *code;
	const struct sl_plan *plan;
} now;
static struct trail *trails; /* by thread */

/* ---- where everything is ---- */

/* The same names are elsewhere in a process that has other things loaded. */
static uint64_t
signature_of(const char *text)
{
	uint64_t hash = 1;

	for (; *text; text++)
		hash = sl_mix(hash + (unsigned char)*text);
	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next)
		hash = sl_mix(hash + map->l_addr);
	return hash ? hash : 1;
}

static const struct sl_bound *
ask(const char *text, struct sl_bound *into, uint64_t pc)
{
	char error[256];

	if (!sl_bind(text, into->items, &into->count, error, sizeof(error)))
		sl_trouble(SL_TROUBLE_PLAN, pc, error);
	return into;
}

/* Asked for once, though each execution may be a process of its own. */
static const struct sl_bound *
bound(const char *text, uint64_t pc)
{
	uint64_t signature = signature_of(text), none = 0;

	for (uint32_t i = 0; i < SL_BOUND_MAX; i++, none = 0) {
		struct sl_bound *b = &E.arena->bound[i];

		if (__atomic_load_n(&b->ready, __ATOMIC_ACQUIRE) == signature)
			return b;
		if (!__atomic_compare_exchange_n(&b->signature, &none, signature, false, __ATOMIC_ACQ_REL,
						 __ATOMIC_ACQUIRE))
			continue; /* another text, or another worker that is about to know */
		ask(text, b, pc);
		__atomic_store_n(&b->ready, signature, __ATOMIC_RELEASE);
		return b;
	}
	return ask(text, sl_private_alloc(sizeof(struct sl_bound)), pc);
}

static void *
take(struct sl_pool *pool, size_t size)
{
	char *at = pool->at;

	size = (size + 15) & ~15ul;
	if ((size_t)(pool->end - at) < size)
		sl_trouble(SL_TROUBLE_LIMIT, 0, "memory for schedules");
	pool->at = at + size;
	return sl_memset(at, 0, size);
}

static void
add(struct spans *spans, const struct sl_binding *b)
{
	spans->at[spans->count++] = (struct span){b->low, b->high, b->atom, b->region};
	if (!spans->high || b->low < spans->low)
		spans->low = b->low;
	if (b->high > spans->high)
		spans->high = b->high;
}

static bool
is_line(const struct sl_plan *plan, const struct span *span)
{
	return plan->atoms[span->atom]->kind == SL_EVENT_LINE;
}

static void
renumber(struct spans *spans, uint32_t from, uint32_t to)
{
	for (uint32_t i = 0; i < spans->count; i++)
		if (spans->at[i].region == from)
			spans->at[i].region = to;
}

/* What several atoms name is one region: to come there is one event. It has the same pieces each time, in the same order. */
static void
unite(struct sl_code *code, const struct sl_plan *plan)
{
	struct spans *r = &code->regions;

	for (uint32_t i = 1; i < r->count; i++) {
		if (r->at[i].region == r->at[i - 1].region)
			continue;
		for (uint32_t k = 0; k < i; k++)
			if (r->at[k].low == r->at[i].low && r->at[k].high == r->at[i].high &&
			    is_line(plan, &r->at[k]) == is_line(plan, &r->at[i])) {
				renumber(&code->arounds, r->at[i].region, r->at[k].region);
				renumber(r, r->at[i].region, r->at[k].region);
				break;
			}
	}
}

struct sl_code *
sl_code_new(const struct sl_plan *plan, uint32_t number, struct sl_pool *pool, uint64_t pc)
{
	const struct sl_bound *b;
	struct sl_code *code;

	if (!(plan->kinds & SL_CODE_KINDS))
		return NULL;
	b = bound(plan->text, pc);
	code = take(pool, sizeof(*code));
	code->texts = take(pool, plan->atom_count * sizeof(code->texts[0]));
	for (uint32_t i = 0; i < plan->atom_count; i++) {
		struct sl_atom atom = *plan->atoms[i];

		atom.occurrence = 0;
		atom.thread = NULL;
		sl_atom_print(&atom, code->texts[i], TEXT_MAX);
	}
	struct spans *all[] = {
		[SL_BOUND_FUNCTION] = &code->functions,
		[SL_BOUND_REGION] = &code->regions,
		[SL_BOUND_AROUND] = &code->arounds,
		[SL_BOUND_DATA] = &code->data,
	};

	for (int k = 0; k < 4; k++)
		all[k]->at = take(pool, b->count * sizeof(struct span));
	code->pointed = take(pool, b->count * sizeof(code->pointed[0]));
	for (uint32_t i = 0; i < b->count; i++) {
		const struct sl_binding *one = &b->items[i];

		if (one->plan != number)
			continue;
		if (one->kind == SL_BOUND_POINTED)
			code->pointed[code->pointed_count++] = *one; /* an arena may go */
		else
			add(all[one->kind], one);
	}
	unite(code, plan);
	return code;
}

void
sl_code_follow(const struct sl_code *code, const struct sl_plan *plan)
{
	now.code = code;
	now.plan = plan;
	E.coded = code != NULL;
	E.slow = E.every || E.hashing || E.tracing || E.reeling || E.covering_all || E.stateful || E.coded;
	if (E.coded && !trails)
		trails = sl_private_alloc((SL_THREADS_MAX + 1) * sizeof(*trails));
	for (uint32_t i = 0; E.coded && i < E.thread_count; i++)
		trails[i].count = 0;
}

void
sl_code_started(void)
{
	if (E.coded)
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

/* ---- atoms ---- */

static bool
may_be(const struct spans *spans, uint64_t low, uint64_t high)
{
	return low < spans->high && spans->low < high;
}

static bool
is_named(const char *glob, const struct sl_thread *t)
{
	char usual[24] = "main";
	size_t used = 0;

	if (t->named && sl_glob(glob, t->name))
		return true;
	if (t->id) {
		sl_text_add(usual, sizeof(usual), &used, "T");
		sl_text_add_number(usual, sizeof(usual), &used, t->id);
	}
	return sl_glob(glob, usual);
}

/* Adds the atom to those that the event matches, unless it can't matter: another thread's, or it has occurred already. */
static void
match(struct sl_match *m, uint32_t number)
{
	const struct sl_atom *atom = now.plan->atoms[number];

	if (atom->thread && !is_named(atom->thread, E.current))
		return;
	if (atom->occurrence != SL_EVERY && sl_plan_count(atom) >= sl_atom_needs(atom))
		return;
	for (uint32_t i = 0; i < m->count; i++)
		if (m->atoms[i] == number)
			return;
	if (m->count == MATCH_MAX)
		sl_trouble(SL_TROUBLE_LIMIT, 0, "names in a schedule for one place in the program");
	m->atoms[m->count++] = number;
}

static void
match_spans(struct sl_match *m, const struct spans *spans, uint64_t low, uint64_t high, unsigned kinds)
{
	if (!may_be(spans, low, high))
		return;
	for (uint32_t i = 0; i < spans->count; i++)
		if (low < spans->at[i].high && spans->at[i].low < high &&
		    kinds & 1u << now.plan->atoms[spans->at[i].atom]->kind)
			match(m, spans->at[i].atom);
}

/* What the pointers of the program point to now. */
static void
match_pointed(struct sl_match *m, uint64_t low, uint64_t high, unsigned kinds)
{
	for (uint32_t i = 0; i < now.code->pointed_count; i++) {
		const struct sl_binding *b = &now.code->pointed[i];
		uint64_t at = b->low;

		for (uint32_t k = 0; k < b->hops && at; k++) {
			at = sl_probe(at);
			at += at ? b->steps[k] : 0;
		}
		if (at && low < at + b->high && at < high && kinds & 1u << now.plan->atoms[b->atom]->kind)
			match(m, b->atom);
	}
}

static void
match_data(struct sl_match *m, uint64_t low, uint64_t high, unsigned kinds)
{
	match_spans(m, &now.code->data, low, high, kinds);
	match_pointed(m, low, high, kinds);
}

static bool
come(struct sl_match *m, uint64_t pc)
{
	if (!m->count)
		return false;
	sl_plan_comes(m, pc);
	return true;
}

/* ---- regions ---- */

static bool
is_in(const struct spans *spans, uint32_t region, uint64_t at)
{
	if (!may_be(spans, at, at + 1))
		return false;
	for (uint32_t i = 0; i < spans->count; i++)
		if (spans->at[i].region == region && at >= spans->at[i].low && at < spans->at[i].high)
			return true;
	return false;
}

static void
forget(struct trail *trail, uint32_t at)
{
	for (trail->count--; at < trail->count; at++)
		trail->at[at] = trail->at[at + 1];
}

static bool
come_to(uint32_t region, bool leaves, uint64_t pc)
{
	struct sl_match m = {0};

	for (uint32_t i = 0; i < now.code->regions.count; i++) {
		const struct span *span = &now.code->regions.at[i];

		if (span->region == region && leaves == (now.plan->atoms[span->atom]->kind == SL_EVENT_EXIT))
			match(&m, span->atom);
	}
	return come(&m, pc);
}

static bool
leave(struct trail *trail, uint32_t at, uint64_t pc)
{
	uint32_t region = trail->at[at].region;
	uint64_t entered = trail->at[at].pc;
	struct sl_match m = {0};

	forget(trail, at);
	if (region != FUNCTION)
		return come_to(region, true, pc);
	match_spans(&m, &now.code->functions, entered - 1, entered, 1u << SL_EVENT_EXIT);
	return come(&m, pc ? pc : entered);
}

static void
remember(struct trail *trail, uint32_t region, uint64_t pc, uint32_t how)
{
	if (trail->count == TRAIL_MAX)
		sl_trouble(SL_TROUBLE_LIMIT, pc, "functions and lines in a schedule that are inside one another");
	trail->at[trail->count].depth = E.current->depth;
	trail->at[trail->count].region = region;
	trail->at[trail->count].how = trail->at[trail->count].last = how;
	trail->at[trail->count++].pc = pc;
}

static bool
arrive(struct trail *trail, uint32_t region, uint64_t pc, uint32_t how)
{
	remember(trail, region, pc, how);
	return come_to(region, false, pc);
}

static bool
is_there(const struct trail *trail, uint32_t region)
{
	for (uint32_t i = trail->count; i-- && trail->at[i].depth == E.current->depth;)
		if (trail->at[i].region == region)
			return true;
	return false;
}

/* Frames that are gone. */
static void
drop(struct trail *trail, uint32_t depth)
{
	while (trail->count && trail->at[trail->count - 1].depth > depth)
		trail->count--;
}

/* The same call again, rather than more of what it does: that would be something else, or come from a function of ours. */
static bool
is_again(struct trail *trail, uint32_t at, uint64_t pc, uint32_t how, bool direct)
{
	uint32_t last = trail->at[at].last;

	trail->at[at].last = how;
	return trail->at[at].pc == pc && trail->at[at].how == how && (direct || last != how);
}

/* The running thread makes a call from there, in order to do this. Was it an event, or several? */
static bool
is_at(uint64_t pc, uint32_t how, bool direct)
{
	struct trail *trail = &trails[E.current->id];
	uint64_t at = pc - 1; /* of a return address */
	bool came = false;

	drop(trail, E.current->depth);
	if (!may_be(&now.code->arounds, at, at + 1))
		return false;
	for (uint32_t i = trail->count; i-- && trail->at[i].depth == E.current->depth;) {
		uint32_t region = trail->at[i].region;

		if (is_in(&now.code->regions, region, at) ? is_again(trail, i, pc, how, direct)
							  : is_in(&now.code->arounds, region, at))
			came |= leave(trail, i, pc);
		if (!E.coded)
			return came;
	}
	for (uint32_t i = 0; i < now.code->regions.count; i++) {
		const struct span *span = &now.code->regions.at[i];

		if (at >= span->low && at < span->high && !is_there(trail, span->region))
			came |= arrive(trail, span->region, pc, how);
		if (!E.coded)
			return came;
	}
	return came;
}

/* ---- the hooks ---- */

void
sl_code_calls(uint64_t pc)
{
	is_at(pc, CALLS, true);
}

void
sl_code_entered(uint64_t pc)
{
	struct sl_match m = {0};

	if (!E.coded)
		return;
	match_spans(&m, &now.code->functions, pc - 1, pc, 1u << SL_EVENT_EXIT);
	if (m.count) {
		drop(&trails[E.current->id], E.current->depth - 1);
		remember(&trails[E.current->id], FUNCTION, pc, CALLS);
	}
	m.count = 0;
	match_spans(&m, &now.code->functions, pc - 1, pc, 1u << SL_EVENT_ENTER);
	come(&m, pc);
	if (E.coded)
		is_at(pc, CALLS, true);
}

/* What is left is known from its beginning: its end need not be told of from inside (pc 0). */
void
sl_code_left(uint64_t pc)
{
	struct trail *trail = &trails[E.current->id];

	if (pc)
		is_at(pc, CALLS, true);
	drop(trail, E.current->depth);
	while (E.coded && trail->count && trail->at[trail->count - 1].depth == E.current->depth)
		leave(trail, trail->count - 1, pc);
}

unsigned
sl_code_access(uint64_t address, size_t size, unsigned flags, uint64_t pc, bool direct)
{
	unsigned came = is_at(pc, flags & SL_OP_WRITES ? SL_WRITE : SL_READ, direct) ? SL_CAME_BEFORE : 0;
	struct sl_match m = {0};

	if (!E.coded)
		return came;
	match_data(&m, address, address + size, flags & SL_OP_WRITES ? 1u << SL_EVENT_WRITE : 1u << SL_EVENT_READ);
	return come(&m, pc) ? SL_CAME_WITH : came;
}

/* What an operation is in the words of schedules; 0: nothing. */
static unsigned
kinds_of(enum sl_op_kind kind)
{
	switch (kind) {
	case SL_MUTEX_LOCK:
	case SL_MUTEX_TIMEDLOCK:
	case SL_MUTEX_TRYLOCK:
	case SL_SPIN_LOCK:
	case SL_RW_RDLOCK:
	case SL_RW_WRLOCK:
		return 1u << SL_EVENT_LOCK;
	case SL_MUTEX_UNLOCK:
	case SL_RW_UNLOCK:
	case SL_SPIN_UNLOCK:
		return 1u << SL_EVENT_UNLOCK;
	case SL_COND_WAIT:
	case SL_SEM_WAIT:
	case SL_BARRIER_WAIT:
		return 1u << SL_EVENT_WAIT;
	case SL_COND_SIGNAL:
	case SL_COND_BROADCAST:
	case SL_SEM_POST:
		return 1u << SL_EVENT_SIGNAL;
	case SL_ATOMIC_LOAD:
		return 1u << SL_EVENT_READ;
	case SL_ATOMIC_STORE:
		return 1u << SL_EVENT_WRITE;
	case SL_ATOMIC_UPDATE:
		return 1u << SL_EVENT_READ | 1u << SL_EVENT_WRITE;
	default:
		return 0;
	}
}

/* Calls of the program's, before which it may be made to wait. */
static bool
is_call(enum sl_op_kind kind)
{
	static const uint8_t calls[] = {SL_FENCE,      SL_ALLOC,   SL_FREE,     SL_CREATE,    SL_JOIN,
					SL_TRYJOIN,    SL_DETACH,  SL_CANCEL,   SL_KILL,      SL_SEM_TRYWAIT,
					SL_SEM_VALUE,  SL_ONCE,    SL_INIT,     SL_DESTROY,   SL_IO_OPEN,
					SL_IO_CLOSE,   SL_IO_READ, SL_IO_WRITE, SL_IO_ACCEPT, SL_IO_CONNECT,
					SL_IO_CONTROL, SL_IO_WAIT, SL_SLEEP,    SL_YIELD,     SL_CLOCK,
					SL_CHOOSE};

	for (size_t i = 0; i < sizeof(calls); i++)
		if (calls[i] == kind)
			return true;
	return kinds_of(kind) != 0;
}

void
sl_code_announces(enum sl_op_kind kind, uint64_t object, uint64_t pc)
{
	struct sl_thread *t = E.current;
	struct sl_match m = {0};
	unsigned kinds = kinds_of(kind);
	const struct sl_object *o;

	if (kind == SL_EVENT || t->agent)
		return;
	sl_plan_detach();
	if (is_call(kind))
		is_at(pc, kind, kind < SL_IO_OPEN || kind > SL_IO_WAIT);
	if (!E.coded || !kinds)
		return;
	match_data(&m, object, object + 1, kinds);
	if (!m.count)
		return;
	if (!(kinds & 1u << SL_EVENT_LOCK)) {
		sl_plan_comes(&m, pc);
		sl_plan_merge();
		return;
	}
	o = sl_object_find(object);
	if (o && o->owner == t) /* it has it, and gets no more than a count, or an error */
		return;
	if (kind == SL_MUTEX_TRYLOCK)
		sl_plan_tries(&m, object, pc);
	else
		sl_plan_attach(&m, object);
}

/* ---- states ---- */

void
sl_code_identify(struct sl_identity *identity)
{
	for (uint32_t i = 0; E.coded && i < E.thread_count; i++)
		if (E.threads[i].alive)
			sl_identity_add(identity, i, trails[i].at, trails[i].count * sizeof(trails[i].at[0]));
}

void
sl_code_keep(void)
{
	sl_checkpoint_bytes(&now, sizeof(now));
	if (E.coded)
		sl_checkpoint_bytes(trails, E.thread_count * sizeof(trails[0]));
}
