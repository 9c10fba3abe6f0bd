#include "predict/accept.h"

#include "predict/pattern.h"

#include <stdlib.h>

#define LIST_MOST 48         /* accesses and locks of what is held back; if there are more it is not accepted */
#define STOPPED_MOST 64      /* threads */
#define PATIENCE 4096        /* items after the last access in which locks may become free */
#define WINDOW_MOST 32768    /* items that one schedule has more than the recorded one up to where they part */
#define STEPS_MOST (1 << 21) /* the same of all schedules together; those that part first are looked at first */
#define RANGE_MOST 4096      /* bytes that one of the items may access */
#define RUNNING_MOST 4096    /* violations at a time */
#define GRANULE 3
#define MANY UINT32_MAX
#define WORLD UINT64_MAX /* an address for all effects that have none: files, signals, time */

struct range {
	uint64_t low, high; /* bytes; high is behind the last */
};

struct ranges {
	struct range *all;
	size_t count, room;
};

struct held_lock {
	uint32_t lock;
	bool shared;
};

struct held_locks {
	struct held_lock *all;
	size_t count, room;
};

/* A thread that does not go on in the recorded order. */
struct stopped {
	uint32_t thread;
	struct held_locks locks;
};

/* What a thread is held before, and has to do at the end. */
struct segment {
	bool held;     /* the thread is */
	bool whole;    /* what it has to do has been seen */
	uint64_t from; /* item */
	struct ranges reads, writes;
	struct held_locks needs; /* locks that it takes */
	/* After the last access that counts: up to where the locks are released that it has taken. */
	bool tail_whole, tail_changed;
	struct ranges tail_reads, tail_writes;
	struct held_locks left; /* locks that it has taken and holds after that access */
};

enum { DISTURBED, OTHER, SIDES };

/* One violation, and its schedule as far as it has been built. */
struct plan {
	size_t suspect, alike; /* alike: 0: the violation itself; else one that is alike, from 1 */
	uint32_t threads[SIDES];
	uint64_t hold[SIDES];   /* item before which it is held; of the other: 0: it is not */
	uint64_t last[SIDES];   /* item of its last access */
	bool may_change[SIDES]; /* … which may read another value */
	uint64_t end;           /* the last of these items */
	uint32_t steps;         /* items that it has followed */
	bool other_done;        /* without being held */
	bool dead, accepted;
	struct segment segments[SIDES];
	struct stopped *stopped;
	size_t stopped_count, stopped_room;
	uint64_t stopped_threads; /* by the last six bits of the number: there may be one */
	struct sl_index taints;   /* by granule: the bytes whose last write was held back, and by whom */
};

/* ---- ranges, and what was written by whom ---- */

static void *
room_for(void *items, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return items;
	*room = *room ? 2 * *room : 4;
	items = sl_must(realloc(items, *room * size));
	return items;
}

static void
add_range(struct plan *p, struct ranges *to, struct range what)
{
	p->dead |= to->count == LIST_MOST;
	to->all = room_for(to->all, to->count, &to->room, sizeof(*to->all));
	to->all[to->count++] = what;
}

static void
add_lock(struct plan *p, struct held_locks *to, struct held_lock lock)
{
	p->dead |= to->count == LIST_MOST;
	to->all = room_for(to->all, to->count, &to->room, sizeof(*to->all));
	to->all[to->count++] = lock;
}

static bool
meets(const struct ranges *among, struct range what)
{
	for (size_t i = 0; i < among->count; i++)
		if (what.low < among->all[i].high && among->all[i].low < what.high)
			return true;
	return false;
}

static bool
meet_each_other(const struct ranges *a, const struct ranges *b)
{
	for (size_t i = 0; i < a->count; i++)
		if (meets(b, a->all[i]))
			return true;
	return false;
}

static unsigned
bytes_in(uint64_t granule, struct range what)
{
	unsigned bytes = 0xff;

	if (what.low > granule << GRANULE)
		bytes &= 0xffu << (what.low & 7);
	if (what.high - (granule << GRANULE) < 8)
		bytes &= 0xffu >> (8 - (what.high & 7));
	return bytes & 0xff;
}

/* Does it have bytes whose last write was held back, other than the thread's own? */
static bool
is_tainted(const struct plan *p, struct range what, uint32_t thread)
{
	if (!p->taints.count)
		return false;
	for (uint64_t g = what.low >> GRANULE; g <= (what.high - 1) >> GRANULE; g++) {
		uint64_t taint = sl_index_get(&p->taints, g);

		if (taint & bytes_in(g, what) && taint >> 8 != thread)
			return true;
	}
	return false;
}

/* Was each byte of it that the ranges have last written by the thread, being held? */
static bool
is_own(const struct plan *p, const struct ranges *writes, struct range what, uint32_t thread)
{
	for (size_t i = 0; i < writes->count; i++) {
		struct range both = {writes->all[i].low > what.low ? writes->all[i].low : what.low,
				     writes->all[i].high < what.high ? writes->all[i].high : what.high};

		for (uint64_t g = both.low >> GRANULE; both.low < both.high && g <= (both.high - 1) >> GRANULE;
		     g++) {
			uint64_t taint = sl_index_get(&p->taints, g);

			if (taint >> 8 != thread || bytes_in(g, both) & ~taint)
				return false;
		}
	}
	return true;
}

static void
taint(struct plan *p, struct range what, uint32_t thread)
{
	for (uint64_t g = what.low >> GRANULE; g <= (what.high - 1) >> GRANULE; g++) {
		uint64_t *at = sl_index_at(&p->taints, g);
		uint64_t who = !(*at & 0xff) || *at >> 8 == thread ? thread : MANY;

		*at = who << 8 | (*at & 0xff) | bytes_in(g, what);
	}
}

static void
clear_taint(struct plan *p, struct range what)
{
	if (!p->taints.count)
		return;
	for (uint64_t g = what.low >> GRANULE; g <= (what.high - 1) >> GRANULE; g++) {
		uint64_t *at = sl_index_find(&p->taints, g);

		if (at)
			*at &= ~(uint64_t)bytes_in(g, what);
	}
}

/* ---- an item ---- */

/* What an item reads and writes, as far as it matters to others. */
struct effect {
	struct range at;
	bool reads, writes, frees;
	bool again; /* what it reads decides what it writes: an atomic update */
	bool takes; /* a lock, for the first time */
	bool tries; /* … in vain */
};

/* It creates or joins another thread. */
static bool
orders_threads(const struct sl_item *i)
{
	return i->kind < SL_ITEM_CALL && sl_kind_is(i->kind, SL_KIND_THREAD) &&
	       sl_kind_is(i->kind, SL_KIND_ORDERS) && !sl_kind_is(i->kind, SL_KIND_WIDE);
}

static struct effect
effect_of(const struct sl_reading *r)
{
	const struct sl_item *i = &r->item;
	uint32_t traits;
	struct effect e = {.at = {i->object, i->object + 1}};

	if (i->kind >= SL_ITEM_CALL)
		return (struct effect){.reads = false};
	traits = sl_op_kinds[i->kind].traits;
	if (r->access) {
		e.at.high = i->object + r->size;
		e.reads = r->access & SL_OP_READS;
		e.writes = r->access & SL_OP_WRITES;
		e.again = traits & SL_KIND_CALL;
		return e;
	}
	if (i->kind == SL_FREE) {
		if (r->live.dying)
			e.at.high = i->object + r->live.all[r->live.dying - 1].size;
		e.at.high += e.at.high == e.at.low;
		e.writes = e.frees = true;
		return e;
	}
	if (i->kind == SL_START || i->kind == SL_END || orders_threads(i) ||
	    (traits & SL_KIND_QUIET && i->kind != SL_CLOCK))
		return e;
	e.takes = r->act == SL_LOCK_TAKES;
	e.tries = traits & SL_KIND_TAKES && i->value && i->value != EOWNERDEAD;
	if (traits & SL_KIND_WOKEN && traits & SL_KIND_TAKES && r->message) /* a condition's */
		e.at = (struct range){r->subject, r->subject + 1};
	else if (traits & SL_KIND_TAKES || (traits & SL_KIND_GIVES)) {
		e.reads = e.takes; /* an initialisation of it */
		return e;
	} else if (!i->object || traits & (SL_KIND_WIDE | SL_KIND_IO | SL_KIND_ALL_IO | SL_KIND_SENDS |
					   SL_KIND_RECEIVES | SL_KIND_ENDS | SL_KIND_THREAD))
		e.at = (struct range){WORLD - 1, WORLD};
	e.reads = e.writes = e.again = true;
	return e;
}

/* Can the item make a difference to a schedule? What only its own thread accesses does not. */
static bool
matters(struct sl_reading *r, const struct effect *e)
{
	if (r->access && r->item.object)
		return sl_reading_shares(r, r->item.object, r->size);
	return e->reads || e->writes || e->takes || e->tries || r->act != SL_LOCK_NOTHING ||
	       orders_threads(&r->item);
}

/* ---- threads that are stopped, and locks ---- */

static struct stopped *
stopped_find(const struct plan *p, uint32_t thread)
{
	if (!(p->stopped_threads >> thread % 64 & 1))
		return NULL;
	for (size_t i = 0; i < p->stopped_count; i++)
		if (p->stopped[i].thread == thread)
			return &p->stopped[i];
	return NULL;
}

/* after: it has performed the item; else it stops before it. */
static void
stop(struct plan *p, const struct sl_reading *r, uint32_t thread, bool after)
{
	const struct sl_read_thread *t = thread < r->thread_count ? &r->threads[thread] : NULL;
	size_t count = t ? t->hold_count : 0;
	struct stopped *s;

	if (p->stopped_count == STOPPED_MOST) {
		p->dead = true;
		return;
	}
	p->stopped = room_for(p->stopped, p->stopped_count, &p->stopped_room, sizeof(*p->stopped));
	s = &p->stopped[p->stopped_count++];
	*s = (struct stopped){.thread = thread};
	p->stopped_threads |= 1ul << thread % 64;
	for (size_t i = 0; i < count; i++)
		if (after || t->holds[i].taken != r->number)
			add_lock(p, &s->locks, (struct held_lock){t->holds[i].lock, t->holds[i].shared});
	if (!after && thread == r->item.thread && r->act == SL_LOCK_GIVES)
		add_lock(p, &s->locks, (struct held_lock){r->lock, false});
	if (t && t->once) /* others wait until it is over */
		taint(p, (struct range){t->once, t->once + 1}, MANY);
}

static bool
is_in_way(struct held_lock held, struct held_lock needed)
{
	return held.lock == needed.lock && !(held.shared && needed.shared);
}

/* Does a stopped thread, other than that one, hold the lock? */
static bool
stopped_holds(const struct plan *p, struct held_lock needed, uint32_t except)
{
	for (size_t i = 0; i < p->stopped_count; i++)
		for (size_t n = 0; n < p->stopped[i].locks.count; n++)
			if (p->stopped[i].thread != except && is_in_way(p->stopped[i].locks.all[n], needed))
				return true;
	return false;
}

static bool
is_free(const struct plan *p, const struct sl_reading *r, struct held_lock needed, uint32_t thread)
{
	if (stopped_holds(p, needed, thread))
		return false;
	for (uint32_t t = 0; t < r->thread_count; t++) {
		if (t == thread || !r->threads[t].hold_count || stopped_find(p, t))
			continue;
		for (size_t i = 0; i < r->threads[t].hold_count; i++)
			if (is_in_way((struct held_lock){r->threads[t].holds[i].lock,
							 r->threads[t].holds[i].shared},
				      needed))
				return false;
	}
	return true;
}

static bool
are_free(const struct plan *p, const struct sl_reading *r, unsigned side)
{
	const struct held_locks *needs = &p->segments[side].needs;

	for (size_t i = 0; i < needs->count; i++)
		if (!is_free(p, r, needs->all[i], p->threads[side]))
			return false;
	return true;
}

/* ---- what is held back ---- */

/* The item of a thread that is held belongs to what it has to do at the end. */
static void
gather(struct plan *p, const struct sl_reading *r, unsigned side, const struct effect *e)
{
	struct segment *s = &p->segments[side];
	const struct sl_read_thread *t = &r->threads[p->threads[side]];
	bool last = r->number == p->last[side], tail = s->whole;
	bool changed = false;

	if (e->tries || (r->item.kind == SL_JOIN && stopped_find(p, (uint32_t)r->item.value)))
		changed = true;
	if (e->reads) {
		changed |= is_tainted(p, e->at, p->threads[side]) ||
			   !is_own(p, &s->writes, e->at, p->threads[side]) ||
			   !is_own(p, &s->tail_writes, e->at, p->threads[side]);
		if (last && (p->may_change[side] || !e->again)) {
			s->tail_changed |= changed;
			changed = false;
			add_range(p, &s->tail_reads, e->at);
		} else {
			add_range(p, tail ? &s->tail_reads : &s->reads, e->at);
		}
	}
	if (changed && tail)
		s->tail_changed = true;
	else if (changed)
		p->dead = true;
	if (e->writes)
		add_range(p, tail ? &s->tail_writes : &s->writes, e->at);
	if (e->takes)
		add_lock(p, &s->needs, (struct held_lock){r->lock, sl_kind_is(r->item.kind, SL_KIND_SHARED)});
	if (last) {
		s->whole = true;
		for (size_t i = 0; i < t->hold_count; i++)
			if (t->holds[i].taken >= s->from)
				add_lock(p, &s->left, (struct held_lock){t->holds[i].lock, t->holds[i].shared});
		s->tail_whole = !s->left.count;
	} else if (tail) {
		s->tail_whole = true;
		for (size_t i = 0; i < t->hold_count; i++)
			s->tail_whole &= t->holds[i].taken < s->from;
	}
}

/* Memory that what is held back has read is written, or freed, before it is done. */
static void
disturb(struct plan *p, const struct effect *e)
{
	for (unsigned side = 0; side < SIDES; side++) {
		struct segment *s = &p->segments[side];

		if (!s->held)
			continue;
		if (meets(&s->reads, e->at) || (e->frees && meets(&s->writes, e->at)))
			p->dead = true;
		if (meets(&s->tail_reads, e->at) || (e->frees && meets(&s->tail_writes, e->at)))
			s->tail_changed = true;
		/* … even if it may read another value, it may not read what is no memory any more */
		if (e->frees && meets(&s->tail_reads, e->at))
			p->dead = true;
	}
}

static void
hold_back(struct plan *p, const struct sl_reading *r, const struct effect *e)
{
	uint32_t thread = r->item.thread;

	for (unsigned side = 0; side < SIDES && !p->dead; side++) {
		const struct segment *s = &p->segments[side];

		if (s->held && p->threads[side] == thread && !(s->whole && (side == DISTURBED || s->tail_whole)))
			gather(p, r, side, e);
	}
	if (e->writes)
		taint(p, e->at, thread);
	if (r->item.kind == SL_CREATE && r->item.value <= UINT32_MAX && !stopped_find(p, (uint32_t)r->item.value))
		stop(p, r, (uint32_t)r->item.value, true);
}

/* Would the thread see here something else than it saw? */
static bool
has_to_stop(const struct plan *p, const struct sl_reading *r, const struct effect *e)
{
	struct held_lock lock = {r->lock, sl_kind_is(r->item.kind, SL_KIND_SHARED)};

	if (r->item.kind == SL_JOIN)
		return stopped_find(p, (uint32_t)r->item.value);
	return e->tries || (e->takes && stopped_holds(p, lock, r->item.thread)) ||
	       (e->reads && is_tainted(p, e->at, r->item.thread));
}

/* ---- a plan ---- */

/* Is all there that has to be done at the end, and can be done now? */
static void
try_to_end(struct plan *p, const struct sl_reading *r)
{
	const struct segment *d = &p->segments[DISTURBED], *o = &p->segments[OTHER];

	if (!d->whole || !(p->hold[OTHER] ? o->whole : p->other_done) || !are_free(p, r, DISTURBED))
		return;
	if (p->hold[OTHER]) {
		bool in_way = false;

		if (!are_free(p, r, OTHER))
			return;
		if (meet_each_other(&o->writes, &d->reads)) {
			p->dead = true;
			return;
		}
		for (size_t i = 0; i < o->left.count; i++)
			for (size_t n = 0; n < d->needs.count; n++)
				in_way |= is_in_way(o->left.all[i], d->needs.all[n]);
		if (in_way && !o->tail_whole && !o->tail_changed)
			return; /* it may still be seen to release them */
		if (in_way && (o->tail_changed || meet_each_other(&o->tail_writes, &d->reads))) {
			p->dead = true;
			return;
		}
	}
	p->accepted = true;
}

static void
follow(struct plan *p, const struct sl_reading *r, const struct effect *e)
{
	uint32_t thread = r->item.thread;
	const struct stopped *s = stopped_find(p, thread);

	for (unsigned side = 0; side < SIDES && !s; side++) {
		if (thread != p->threads[side] || r->number != p->hold[side])
			continue;
		stop(p, r, thread, false);
		p->segments[side].held = true;
		p->segments[side].from = r->number;
		s = stopped_find(p, thread);
	}
	if (p->stopped_count && e->at.high - e->at.low > RANGE_MOST) {
		p->dead = true;
		return;
	}
	if (!s && has_to_stop(p, r, e)) {
		bool exempt = thread == p->threads[OTHER] && !p->hold[OTHER] && r->number == p->last[OTHER] &&
			      !e->takes && (p->may_change[OTHER] || !e->again);

		stop(p, r, thread, exempt);
		s = stopped_find(p, thread);
		if (exempt) {
			p->other_done = true;
			if (e->writes) { /* what it writes may differ, too */
				taint(p, e->at, MANY);
				disturb(p, e);
			}
		} else if (thread == p->threads[DISTURBED] || (thread == p->threads[OTHER] && !p->other_done)) {
			p->dead = true; /* it does not come to its accesses */
		}
		if (exempt) {
			if (!p->dead)
				try_to_end(p, r);
			return;
		}
	}
	if (s && !p->dead) {
		hold_back(p, r, e);
	} else if (!p->dead) {
		if (e->writes) {
			clear_taint(p, e->at);
			disturb(p, e);
		}
		if (thread == p->threads[OTHER] && r->number == p->last[OTHER] && !p->hold[OTHER])
			p->other_done = true;
	}
	if (!p->dead)
		try_to_end(p, r);
	if (!p->accepted && (r->number > p->end + PATIENCE || ++p->steps == WINDOW_MOST))
		p->dead = true;
}

static void
plan_release(struct plan *p)
{
	for (size_t i = 0; i < p->stopped_count; i++)
		free(p->stopped[i].locks.all);
	for (unsigned side = 0; side < SIDES; side++) {
		struct segment *s = &p->segments[side];

		free(s->reads.all);
		free(s->writes.all);
		free(s->tail_reads.all);
		free(s->tail_writes.all);
		free(s->needs.all);
		free(s->left.all);
	}
	free(p->stopped);
	sl_index_release(&p->taints);
	free(p);
}

/* ---- all of them ---- */

struct start {
	uint64_t from; /* item from which on the schedule is another one */
	size_t suspect, alike;
};

static int
by_start(const void *a, const void *b)
{
	const struct start *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->suspect != y->suspect)
		return x->suspect < y->suspect ? -1 : 1;
	return x->alike < y->alike ? -1 : x->alike > y->alike;
}

static const struct sl_suspect_alike *
instance(const struct sl_suspect *s, size_t alike)
{
	return alike ? &s->kept[alike - 1] : &s->first;
}

static bool
holds_other(const struct sl_suspect_alike *i)
{
	return i->numbers[1] < i->numbers[0];
}

static uint64_t
start_of(const struct sl_suspect_alike *i)
{
	return holds_other(i) && i->other_gate < i->gate ? i->other_gate : i->gate;
}

static struct plan *
plan_new(const struct sl_suspect *s, const struct start *start)
{
	const struct sl_pattern_rule *rule = &sl_pattern_rules[s->pattern];
	const struct sl_suspect_alike *i = instance(s, start->alike);
	unsigned count = rule->count;
	struct plan *p = sl_room_zeroed(1, sizeof(*p));

	p->suspect = start->suspect;
	p->alike = start->alike;
	p->threads[DISTURBED] = i->thread;
	p->threads[OTHER] = i->other_thread;
	p->hold[DISTURBED] = i->gate;
	p->hold[OTHER] = holds_other(i) ? i->other_gate : 0;
	p->last[DISTURBED] = i->numbers[count - 1];
	p->last[OTHER] = i->numbers[count - 2];
	p->other_done = !p->hold[OTHER] && p->last[OTHER] < start->from;
	p->may_change[DISTURBED] = rule->steps[count - 1].access == SL_OP_READS;
	p->may_change[OTHER] = rule->steps[count - 2].access == SL_OP_READS;
	p->accepted = true; /* the recorded execution has this order */
	for (unsigned n = 0; n < count; n++) {
		p->accepted &= !n || i->numbers[n] > i->numbers[n - 1];
		p->end = i->numbers[n] > p->end ? i->numbers[n] : p->end;
	}
	return p;
}

static void
accept_one(struct sl_suspect *s, size_t alike)
{
	struct sl_suspect_alike first = s->first;

	s->verdict = SL_PREDICTED_CERTAIN;
	if (!alike)
		return;
	s->first = s->kept[alike - 1];
	s->kept[alike - 1] = first;
}

int
sl_accept(struct sl_suspects *suspects, struct sl_survey *survey, struct sl_err *err)
{
	struct start *starts;
	struct plan **active;
	size_t count = 0, next = 0, running = 0;
	struct sl_reading *r;
	uint64_t steps = 0;
	int failed;

	for (size_t i = 0; i < suspects->count; i++)
		count += 1 + suspects->items[i].kept_count;
	starts = sl_room_zeroed(count + 1, sizeof(*starts));
	active = sl_room_zeroed(RUNNING_MOST, sizeof(struct plan *));
	count = 0;
	for (size_t i = 0; i < suspects->count; i++)
		for (size_t k = 0; k <= suspects->items[i].kept_count; k++)
			if (suspects->items[i].verdict == SL_PREDICTED_POSSIBLE)
				starts[count++] = (struct start){start_of(instance(&suspects->items[i], k)), i, k};
	qsort(starts, count, sizeof(*starts), by_start);
	r = count ? sl_reading_new(survey, err) : NULL;
	failed = count && !r ? -1 : 0;
	while (r && (running || next < count) && steps < STEPS_MOST && sl_reading_next(r)) {
		struct effect e;
		size_t kept = 0;

		for (; next < count && starts[next].from <= r->number; next++)
			if (running < RUNNING_MOST &&
			    suspects->items[starts[next].suspect].verdict == SL_PREDICTED_POSSIBLE)
				active[running++] =
					plan_new(&suspects->items[starts[next].suspect], &starts[next]);
		if (!running)
			continue;
		e = effect_of(r);
		if (!matters(r, &e))
			continue;
		steps += running;
		for (size_t i = 0; i < running; i++) {
			struct sl_suspect *s = &suspects->items[active[i]->suspect];

			if (s->verdict == SL_PREDICTED_POSSIBLE && !active[i]->accepted)
				follow(active[i], r, &e);
			if (s->verdict == SL_PREDICTED_POSSIBLE && active[i]->accepted)
				accept_one(s, active[i]->alike);
			if (active[i]->dead || s->verdict != SL_PREDICTED_POSSIBLE)
				plan_release(active[i]);
			else
				active[kept++] = active[i];
		}
		running = kept;
	}
	if (r)
		failed = r->failed;
	for (size_t i = 0; i < running; i++)
		plan_release(active[i]);
	sl_reading_free(r);
	free(active);
	free(starts);
	return failed;
}
