/*
 * Lock orders: which locks a thread held when it took another one. If threads take locks in orders that form a
 * cycle (T1: a then b, T2: b then a) they can deadlock, in this or in another schedule. Such a cycle is noted as a
 * warning, and then a few executions are steered into it (after.c, strategy/sampling/steer.c).
 *
 * After Goodlock (Havelund, SPIN 2000): the threads of a cycle differ, no lock is held by two of them (it would
 * exclude the cycle), and creation and joining of threads do not order the acquisitions. Other ways of ordering
 * them (semaphores, flags) are not considered: steering finds out.
 */
#include "base/rng.h"
#include "engine/core/engine.h"
#include "engine/core/plan.h"
#include "engine/under/poison.h"
#include "search/phase.h"

#define EDGES_MAX 4096
#define SLOTS (2 * EDGES_MAX)
#define EVENTS_MAX 4096
#define GUARDS_MAX 8

/* A thread has taken lock `inner` at pc while it held `outer`. */
struct edge {
	uint64_t outer, inner;
	uint64_t guards[GUARDS_MAX]; /* all locks that it held; the innermost if there is no room for all */
	uint64_t pc, step;
	uint32_t thread, guard_count;
	bool outer_read, inner_read;
};

/* The operations of `from` before this step happen before those of `to` after it. */
struct event {
	uint64_t step;
	uint32_t from, to;
};

static struct edge *edges;
static struct event *events;
static uint32_t *slots; /* index of an edge plus one, by thread and locks */
static uint64_t *after; /* for is_ordered() */
static uint32_t edge_count, event_count;
static uint32_t sequence; /* the execution to which edges and events belong */

static bool
is_looked_at(void)
{
	const struct sl_phase_ops *phase = sl_phase_of(E.worker);

	if (E.arena->config.record_only)
		return false;
	return (phase->observes && !E.stateful) ||
	       (phase->traces && E.arena->cases[E.worker->subject].finding.kind == SL_FINDING_LOCK_ORDER);
}

static void
begin(void)
{
	if (likely(sequence == E.sequence))
		return;
	sequence = E.sequence;
	if (!edges) {
		edges = sl_private_alloc(EDGES_MAX * sizeof(*edges));
		events = sl_private_alloc(EVENTS_MAX * sizeof(*events));
		slots = sl_private_alloc(SLOTS * sizeof(*slots));
		after = sl_private_alloc((SL_THREADS_MAX + 1) * sizeof(*after));
	}
	if (edge_count)
		sl_memset(slots, 0, SLOTS * sizeof(*slots));
	edge_count = event_count = 0;
}

/* `from` creates `to`, or has ended and is joined by it. */
void
sl_order_event(uint32_t from, uint32_t to)
{
	if (!is_looked_at())
		return;
	begin();
	if (event_count < EVENTS_MAX)
		events[event_count++] = (struct event){E.steps, from, to};
}

/*
 * Returns whether a, which came first, comes before b in every execution that creates and joins its threads like
 * this one.
 */
static bool
is_ordered(const struct edge *a, const struct edge *b)
{
	for (uint32_t i = 0; i < E.thread_count; i++)
		after[i] = UINT64_MAX;
	after[a->thread] = a->step;
	for (uint32_t i = 0; i < event_count; i++) {
		const struct event *e = &events[i];

		if (after[e->from] <= e->step && e->step < after[e->to])
			after[e->to] = e->step;
	}
	return after[b->thread] <= b->step;
}

static bool
can_meet(const struct edge *a, const struct edge *b)
{
	if (a->thread == b->thread)
		return false;
	for (uint32_t i = 0; i < a->guard_count; i++)
		for (uint32_t j = 0; j < b->guard_count; j++)
			if (a->guards[i] == b->guards[j])
				return false;
	return a->step <= b->step ? !is_ordered(a, b) : !is_ordered(b, a);
}

static void
warn(const struct edge *const *path, uint32_t length)
{
	struct sl_finding f = {.kind = SL_FINDING_LOCK_ORDER, .culprit_count = length, .object = path[0]->inner};

	for (uint32_t i = 0; i < length; i++) {
		f.culprits[i] = (struct sl_culprit){.thread = path[i]->thread,
						    .pc = path[i]->pc,
						    .object = path[i]->inner,
						    .kind = SL_MUTEX_LOCK};
		if (E.listen.tracing && path[i]->thread == E.current->id &&
		    path[i]->pc == E.current->op.pc) /* not recorded yet */
			f.culprits[i].stack = E.current->stack.depth
						      ? E.current->kept.frames[E.current->stack.depth - 1].stack
						      : 0;
		else if (E.listen.tracing)
			sl_recorder_find(&f.culprits[i], path[i]->inner);
		f.signature += sl_place_hash(path[i]->pc);
	}
	f.signature = sl_mix(f.signature + 11);
	if (!sl_phase_of(E.worker)->traces && sl_case_find(E.arena, f.signature, true) >= 0)
		return;
	sl_warn(&f);
	E.worker->inversions.count += !sl_phase_of(E.worker)->traces;
}

/*
 * Looks for the rest of a cycle: path[0 … length) is a chain in which each edge takes the lock that the next one
 * holds.
 */
static void
extend(const struct edge **path, uint32_t length)
{
	const struct edge *last = path[length - 1];

	for (uint32_t i = 0; i < edge_count; i++) {
		const struct edge *e = &edges[i];
		bool fits = e->outer == last->inner && !(e->outer_read && last->inner_read);

		for (uint32_t k = 0; fits && k < length; k++)
			fits = can_meet(path[k], e);
		if (!fits)
			continue;
		path[length] = e;
		if (e->inner == path[0]->outer && !(e->inner_read && path[0]->outer_read))
			warn(path, length + 1);
		else if (length + 1 < SL_CULPRITS_MAX)
			extend(path, length + 1);
	}
}

static void
add_edges(struct sl_thread *t, uint64_t inner, bool read)
{
	for (uint32_t h = 0; h < t->held_count; h++) {
		const struct sl_hold *outer = &t->kept.held[h];
		uint32_t at = (uint32_t)sl_mix(outer->object * 3 + inner + ((uint64_t)t->id << 48)), *slot;
		const struct edge *path[SL_CULPRITS_MAX];
		struct edge *e = NULL;

		for (;; at++) {
			slot = &slots[at % SLOTS];
			e = *slot ? &edges[*slot - 1] : NULL;
			if (!e || (e->outer == outer->object && e->inner == inner && e->thread == t->id))
				break;
		}
		if (e || edge_count == EDGES_MAX)
			continue;
		e = &edges[edge_count++];
		*slot = edge_count;
		*e = (struct edge){.outer = outer->object,
				   .inner = inner,
				   .pc = t->op.pc,
				   .step = E.steps,
				   .thread = t->id,
				   .outer_read = outer->shared,
				   .inner_read = read};
		for (uint32_t g = t->held_count; g-- && e->guard_count < GUARDS_MAX;)
			e->guards[e->guard_count++] = t->kept.held[g].object;
		path[0] = e;
		extend(path, 1);
	}
}

void
sl_lock_taken(struct sl_object *o, bool read)
{
	struct sl_thread *t = E.current;
	struct sl_held_book held = sl_thread_held(t);

	if (unlikely(E.plan.coded))
		sl_plan_acquires();
	if (unlikely(t->held_count) && is_looked_at()) {
		begin();
		/* an attempt, or a wait with a time limit, does not wait for ever */
		if (!sl_kind_is(t->op.kind, SL_KIND_TRIES) && t->op.kind != SL_MUTEX_TIMEDLOCK)
			add_edges(t, o->address, read);
	}
	if (read)
		sl_held_take(&held, o->address, 0, true);
	else /* the models count the levels of a recursive mutex themselves (mutex.c) */
		sl_held_add(&held, o->address, 0, false);
	t->held_count = held.count;
}

void
sl_lock_given(struct sl_object *o, struct sl_thread *t)
{
	struct sl_held_book held = sl_thread_held(t);

	if (unlikely(E.plan.coded))
		sl_plan_gives();
	sl_held_give(&held, o->address);
	t->held_count = held.count;
}

/* A deadlock was found: confirms the warning about it, if there is one. */
void
sl_order_confirm(void)
{
	uint32_t count = __atomic_load_n(&E.arena->case_count, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < count && i < SL_FINDINGS_MAX; i++) {
		struct sl_case *c = &E.arena->cases[i];
		bool all = c->finding.kind == SL_FINDING_LOCK_ORDER;

		for (uint32_t k = 0; all && k < c->finding.culprit_count; k++) {
			bool here = false;

			for (uint32_t t = 0; t < E.thread_count && !here; t++)
				here = E.threads[t].alive && E.threads[t].op.pc == c->finding.culprits[k].pc;
			all = here;
		}
		if (all) {
			SL_SAVE(c->confirmed);
			c->confirmed = 1;
		}
	}
}
