#include "paths/feasible.h"

#include "base/room.h"

#include <string.h>

#define NONE SL_FEASIBLE_NONE
#define STEPS 200000 /* choices that are tried for all orders of a branch, before orders are taken for feasible */

static const struct sl_rw_event *
event_of(const struct sl_feasible *f, uint32_t i)
{
	return &f->sequence->events[f->events[i]];
}

static bool
locks(const struct sl_rw_event *e)
{
	return e->kind == SL_RW_LOCK || e->kind == SL_RW_SHARE;
}

static bool
writes(const struct sl_rw_event *e)
{
	return e->kind == SL_RW_WRITE || e->kind == SL_RW_UPDATE;
}

static bool
before(const struct sl_feasible *f, const struct sl_feasible_state *s, uint32_t a, uint32_t b)
{
	return s->clocks[(size_t)b * f->threads + event_of(f, a)->thread] > f->position[a];
}

/* The thread comes to the event, and performs it. */
static bool
is_needed(const struct sl_feasible *f, const struct sl_feasible_state *s, uint32_t i)
{
	return f->position[i] < s->needed[event_of(f, i)->thread];
}

/* Returns false if b comes before a already. */
static bool
order(struct sl_feasible *f, struct sl_feasible_state *s, uint32_t a, uint32_t b, bool *changed)
{
	uint32_t threads = f->threads, from = event_of(f, a)->thread;
	const uint32_t *known = s->clocks + (size_t)a * threads;

	if (a == b || before(f, s, b, a))
		return false;
	if (before(f, s, a, b))
		return true;
	f->work += f->count;
	for (uint32_t e = 0; e < f->count; e++) {
		uint32_t *clock = s->clocks + (size_t)e * threads;

		if (e != b && !before(f, s, b, e))
			continue;
		for (uint32_t t = 0; t < threads; t++)
			if (known[t] > clock[t])
				clock[t] = known[t];
		if (clock[from] <= f->position[a])
			clock[from] = f->position[a] + 1;
	}
	*changed = true;
	return true;
}

/* What is kept of the sequence. */
enum keep { KEEP_ALL, KEEP_FILLED_SECTIONS, KEEP_NO_LOCKS, KEEP_COUNT };

struct gather {
	uint32_t *lanes; /* of each event that is kept: the one before it of its thread that is kept, plus one */
	uint32_t *ends;  /* of each thread: the last that is kept, plus one */
	bool *kept;      /* of each event of the sequence */
};

/* The event as the n-th last that is kept of the thread, or NULL. */
static const struct sl_rw_event *
kept_before(const struct gather *g, const struct sl_rw_sequence *sequence, uint32_t thread, unsigned n,
	    uint32_t *number)
{
	uint32_t i = g->ends[thread];

	while (i && n--)
		i = g->lanes[i - 1];
	if (!i)
		return NULL;
	*number = i - 1;
	return &sequence->events[i - 1];
}

/*
 * A section with nothing in it that counts is left out if there is one of the same lock right before it: its thread can go through
 * both when it can go through one. Returns whether the section that ends here is left out, with its LOCK.
 */
static bool
repeats(struct gather *g, const struct sl_rw_sequence *sequence, const struct sl_rw_event *unlock, enum keep keep)
{
	uint32_t number[3] = {0};
	const struct sl_rw_event *lock = kept_before(g, sequence, unlock->thread, 0, &number[0]);
	const struct sl_rw_event *unlock1 = kept_before(g, sequence, unlock->thread, 1, &number[1]);
	const struct sl_rw_event *lock1 = kept_before(g, sequence, unlock->thread, 2, &number[2]);

	if (!lock || !locks(lock) || lock->object != unlock->object)
		return false;
	if (keep == KEEP_ALL &&
	    !(lock1 && unlock1 && unlock1->kind == SL_RW_UNLOCK && unlock1->object == unlock->object &&
	      lock1->kind == lock->kind && lock1->object == unlock->object))
		return false;
	g->kept[number[0]] = false;
	g->ends[unlock->thread] = g->lanes[number[0]];
	return true;
}

/* Whether more than one thread locks an object, and not only to share it; whether a wait for it was ended by a notification. */
static bool *
contended(const struct sl_rw_sequence *sequence, bool *exact, enum keep keep)
{
	uint32_t objects = 0;

	for (uint32_t i = 0; i < sequence->count; i++)
		if (sequence->events[i].object >= objects)
			objects = sequence->events[i].object + 1;

	uint32_t *owner = sl_room_zeroed(objects, sizeof(*owner));
	bool *two = sl_room_zeroed(objects, sizeof(*two)), *alone = sl_room_zeroed(objects, sizeof(*alone));

	for (uint32_t i = 0; i < sequence->count; i++) {
		const struct sl_rw_event *e = &sequence->events[i];

		if (!locks(e))
			continue;
		two[e->object] |= owner[e->object] && owner[e->object] != e->thread + 1;
		alone[e->object] |= e->kind == SL_RW_LOCK;
		owner[e->object] = e->thread + 1;
	}
	for (uint32_t i = 0; i < objects; i++) {
		two[i] &= alone[i];
		if (keep == KEEP_NO_LOCKS && two[i]) {
			two[i] = false;
			*exact = false;
		}
	}
	free(owner);
	free(alone);
	return two;
}

/* The objects of waits that block. */
static bool *
awaited(const struct sl_rw_sequence *sequence)
{
	uint32_t objects = 0;

	for (uint32_t i = 0; i < sequence->count; i++)
		if (sequence->events[i].object >= objects)
			objects = sequence->events[i].object + 1;

	bool *found = sl_room_zeroed(objects, sizeof(*found));

	for (uint32_t i = 0; i < sequence->count; i++)
		if (sl_rw_blocks(sequence, i, NULL))
			found[sequence->events[i].object] = true;
	return found;
}

/* Of each thread that another one joins: its last event, plus one. It stands for the end of the thread. */
static uint32_t *
ends_of_joined(const struct sl_rw_sequence *sequence, uint32_t threads)
{
	uint32_t *ends = sl_room_zeroed(threads, sizeof(*ends));
	bool *joined = sl_room_zeroed(threads, sizeof(*joined));

	for (uint32_t i = 0; i < sequence->count; i++) {
		ends[sequence->events[i].thread] = i + 1;
		if (sequence->events[i].kind == SL_RW_JOIN)
			joined[sequence->events[i].object] = true;
	}
	for (uint32_t t = 0; t < threads; t++)
		if (!joined[t])
			ends[t] = 0;
	free(joined);
	return ends;
}

/* Which events count. Returns how many there are. */
static uint32_t
gather(struct sl_feasible *f, const bool *affects, uint32_t branch, uint32_t last, enum keep keep, bool *kept)
{
	const struct sl_rw_sequence *sequence = f->sequence;
	struct gather g = {sl_room_zeroed(sequence->count, sizeof(uint32_t)),
			   sl_room_zeroed(f->threads, sizeof(uint32_t)), kept};
	bool *matters = contended(sequence, &f->exact, keep), *wakes = awaited(sequence);
	uint32_t *ends = ends_of_joined(sequence, f->threads), count = 0;

	for (uint32_t i = 0; i < sequence->count; i++) {
		const struct sl_rw_event *e = &sequence->events[i];
		bool counts = affects[i] || ends[e->thread] == i + 1;

		kept[i] = false;
		if (e->thread == branch && i > last && e->kind != SL_RW_CREATE)
			continue; /* a thread that is created later has nothing to do before the branch */
		if (locks(e) || e->kind == SL_RW_UNLOCK)
			counts |= matters[e->object];
		else if (e->kind == SL_RW_WAIT)
			counts |= sl_rw_blocks(sequence, i, NULL);
		else if (e->kind == SL_RW_NOTIFY)
			counts |= wakes[e->object];
		else if (e->kind == SL_RW_CREATE || e->kind == SL_RW_JOIN)
			counts = true;
		if (!counts)
			continue;
		if (e->kind == SL_RW_UNLOCK && ends[e->thread] != i + 1 && repeats(&g, sequence, e, keep)) {
			if (keep != KEEP_ALL)
				f->exact = false;
			continue;
		}
		kept[i] = true;
		g.lanes[i] = g.ends[e->thread];
		g.ends[e->thread] = i + 1;
	}
	for (uint32_t i = 0; i < sequence->count; i++)
		count += kept[i];
	free(g.lanes);
	free(g.ends);
	free(ends);
	free(matters);
	free(wakes);
	return count;
}

static void
set_up_lanes(struct sl_feasible *f, const bool *kept, const bool *affects, uint32_t count)
{
	f->events = sl_room_zeroed(count, sizeof(*f->events));
	f->position = sl_room_zeroed(count, sizeof(*f->position));
	f->affects = sl_room_zeroed(count, sizeof(*f->affects));
	for (uint32_t i = 0; i < f->sequence->count; i++)
		if (kept[i]) {
			f->affects[f->count] = affects[i];
			f->position[f->count] = f->lengths[f->sequence->events[i].thread]++;
			f->events[f->count++] = i;
		}
	for (uint32_t t = 0; t < f->threads; t++)
		f->lanes[t] = sl_room_zeroed(f->lengths[t], sizeof(uint32_t));
	for (uint32_t i = 0; i < f->count; i++)
		f->lanes[event_of(f, i)->thread][f->position[i]] = i;
}

static uint32_t
end_of_section(const struct sl_feasible *f, uint32_t lock)
{
	const struct sl_rw_event *e = event_of(f, lock);

	for (uint32_t p = f->position[lock] + 1; p < f->lengths[e->thread]; p++) {
		uint32_t i = f->lanes[e->thread][p];

		if (event_of(f, i)->kind == SL_RW_UNLOCK && event_of(f, i)->object == e->object)
			return i;
	}
	return NONE;
}

static void
find_pairs(struct sl_feasible *f)
{
	uint32_t *ends = sl_room_zeroed(f->count, sizeof(*ends));

	for (uint32_t i = 0; i < f->count; i++)
		ends[i] = locks(event_of(f, i)) ? end_of_section(f, i) : NONE;
	for (uint32_t a = 0; a < f->count; a++)
		for (uint32_t b = a + 1; locks(event_of(f, a)) && b < f->count; b++) {
			const struct sl_rw_event *one = event_of(f, a), *other = event_of(f, b);

			if (!locks(other) || one->object != other->object || one->thread == other->thread ||
			    (one->kind == SL_RW_SHARE && other->kind == SL_RW_SHARE))
				continue;
			f->pairs = sl_room_for(f->pairs, f->pair_count, &f->pair_room, sizeof(*f->pairs));
			f->pairs[f->pair_count++] = (struct sl_feasible_pair){a, ends[a], b, ends[b]};
		}
	free(ends);
}

static void
find_waits(struct sl_feasible *f)
{
	for (uint32_t i = 0; i < f->count; i++) {
		const struct sl_rw_event *e = event_of(f, i);

		if (e->kind != SL_RW_WAIT || f->position[i] + 1 == f->lengths[e->thread])
			continue;
		f->waits = sl_room_for(f->waits, f->wait_count, &f->wait_room, sizeof(*f->waits));
		f->waits[f->wait_count++] = (struct sl_feasible_wait){i, f->lanes[e->thread][f->position[i] + 1]};
	}
}

/* What holds in every order: the order of each thread, creating and joining. */
static void
find_order(struct sl_feasible *f)
{
	struct sl_feasible_state all = {.clocks = sl_room_zeroed((size_t)f->count * f->threads, sizeof(uint32_t))};
	bool changed;

	for (uint32_t i = 0; i < f->count; i++)
		all.clocks[(size_t)i * f->threads + event_of(f, i)->thread] = f->position[i];
	for (uint32_t i = 0; i < f->count; i++) {
		const struct sl_rw_event *e = event_of(f, i);
		uint32_t length = e->kind == SL_RW_CREATE || e->kind == SL_RW_JOIN ? f->lengths[e->object] : 0;

		/* An edge against the recorded order is no edge: the events are of another thread with the number. */
		if (e->kind == SL_RW_CREATE && length && f->lanes[e->object][0] > i)
			order(f, &all, i, f->lanes[e->object][0], &changed);
		else if (e->kind == SL_RW_JOIN && length && f->lanes[e->object][length - 1] < i)
			order(f, &all, f->lanes[e->object][length - 1], i, &changed);
	}
	f->clocks = all.clocks;
}

void
sl_feasible_init(struct sl_feasible *f, const struct sl_rw_sequence *sequence, const uint32_t *set, uint32_t count,
		 uint32_t thread, uint32_t room)
{
	bool *affects = sl_room_zeroed(sequence->count, sizeof(*affects)),
	     *kept = sl_room_zeroed(sequence->count, sizeof(*kept));
	uint32_t last = NONE, events = 0;

	*f = (struct sl_feasible){.sequence = sequence,
				  .threads = sl_rw_threads(sequence),
				  .last = NONE,
				  .steps = STEPS};
	for (uint32_t i = 0; i < count; i++) {
		affects[set[i]] = true;
		if (sequence->events[set[i]].thread == thread && (last == NONE || set[i] > last))
			last = set[i];
	}
	f->lanes = sl_room_zeroed(f->threads, sizeof(*f->lanes));
	f->lengths = sl_room_zeroed(f->threads, sizeof(*f->lengths));
	for (unsigned keep = KEEP_ALL; last != NONE && keep < KEEP_COUNT && (keep == KEEP_ALL || events > room);
	     keep++) {
		f->exact = true;
		events = gather(f, affects, thread, last, keep, kept);
	}
	f->exact |= last == NONE;
	f->too_large = events > room;
	if (last != NONE && !f->too_large) {
		set_up_lanes(f, kept, affects, events);
		for (f->last = 0; f->events[f->last] != last; f->last++)
			continue;
		find_pairs(f);
		find_waits(f);
		find_order(f);
	}
	free(affects);
	free(kept);
}

void
sl_feasible_release(struct sl_feasible *f)
{
	for (uint32_t t = 0; t < f->threads; t++)
		free(f->lanes[t]);
	free(f->lanes);
	free(f->lengths);
	free(f->events);
	free(f->position);
	free(f->affects);
	free(f->pairs);
	free(f->waits);
	free(f->clocks);
}

static void
allocate(const struct sl_feasible *f, struct sl_feasible_state *s)
{
	s->clocks = sl_must(malloc((size_t)f->count * f->threads * sizeof(*s->clocks) + 1));
	s->needed = sl_room_zeroed(f->threads, sizeof(*s->needed));
	s->chain = sl_room_zeroed(f->count, sizeof(*s->chain));
	s->choices = sl_room_zeroed(f->count, sizeof(*s->choices));
}

static void
assign(const struct sl_feasible *f, struct sl_feasible_state *to, const struct sl_feasible_state *from)
{
	memcpy(to->clocks, from->clocks, (size_t)f->count * f->threads * sizeof(*to->clocks));
	memcpy(to->needed, from->needed, f->threads * sizeof(*to->needed));
	memcpy(to->chain, from->chain, f->count * sizeof(*to->chain));
	memcpy(to->choices, from->choices, f->count * sizeof(*to->choices));
	to->tail = from->tail;
	to->length = from->length;
	to->chosen = from->chosen;
}

void
sl_feasible_begin(const struct sl_feasible *f, struct sl_feasible_state *s)
{
	allocate(f, s);
	memcpy(s->clocks, f->clocks, (size_t)f->count * f->threads * sizeof(*s->clocks));
	s->needed[event_of(f, f->last)->thread] = f->position[f->last] + 1;
	s->tail = NONE;
	s->length = s->chosen = 0;
}

void
sl_feasible_copy(struct sl_feasible *f, struct sl_feasible_state *to, const struct sl_feasible_state *from)
{
	f->work += (uint64_t)f->count * (f->threads + 4) / 4; /* copying is fast */
	allocate(f, to);
	assign(f, to, from);
}

void
sl_feasible_free(struct sl_feasible_state *s)
{
	free(s->clocks);
	free(s->needed);
	free(s->chain);
	free(s->choices);
	*s = (struct sl_feasible_state){0};
}

static void
need(const struct sl_feasible *f, struct sl_feasible_state *s, uint32_t i, bool *changed)
{
	uint32_t *needed = &s->needed[event_of(f, i)->thread];

	if (*needed <= f->position[i]) {
		*needed = f->position[i] + 1;
		*changed = true;
	}
}

bool
sl_feasible_append(struct sl_feasible *f, struct sl_feasible_state *s, uint32_t event)
{
	bool changed;

	if (s->tail != NONE && !order(f, s, s->tail, event, &changed))
		return false;
	s->tail = event;
	s->chain[event] = ++s->length;
	need(f, s, event, &changed);
	return true;
}

bool
sl_feasible_see(struct sl_feasible *f, struct sl_feasible_state *s, uint32_t read,
		struct sl_feasible_choice choice)
{
	bool changed;

	s->chosen += !s->choices[read].chosen;
	s->choices[read] = choice;
	need(f, s, read, &changed);
	if (choice.write == NONE)
		return true;
	need(f, s, choice.write, &changed);
	return order(f, s, choice.write, read, &changed);
}

/* A choice that is left: one before two, or three before four. An event that is NONE makes its half impossible. */
struct open {
	enum { OPEN_NOTHING, OPEN_ORDER, OPEN_WAIT, OPEN_READ } kind;
	uint32_t one, two, three, four;
	uint32_t event; /* the place of the wait in the list of them, or the read */
};

/* One of the two orders must be. */
static bool
either(struct sl_feasible *f, struct sl_feasible_state *s, const struct open *choice, bool *changed,
       struct open *open)
{
	bool first = choice->one != NONE && choice->one != choice->two && !before(f, s, choice->two, choice->one);
	bool second = choice->three != NONE && choice->three != choice->four &&
		      !before(f, s, choice->four, choice->three);

	if ((first && before(f, s, choice->one, choice->two)) ||
	    (second && before(f, s, choice->three, choice->four))) {
		/* It holds as soon as both of its events are there. */
		return true;
	}
	if (first && second) {
		if (open->kind == OPEN_NOTHING)
			*open = *choice;
		return true;
	}
	if (first)
		return order(f, s, choice->one, choice->two, changed);
	return second && order(f, s, choice->three, choice->four, changed);
}

/* What is needed comes before the end, with all that comes before it. */
static bool
close_needs(struct sl_feasible *f, struct sl_feasible_state *s, bool *changed)
{
	uint32_t branch = event_of(f, f->last)->thread;
	bool again = true;

	while (again) {
		again = false;
		for (uint32_t t = 0; t < f->threads; t++) {
			if (!s->needed[t])
				continue;

			uint32_t end = f->lanes[t][s->needed[t] - 1];
			const uint32_t *clock = s->clocks + (size_t)end * f->threads;

			if (t != branch && !order(f, s, end, f->last, &again))
				return false;
			for (uint32_t u = 0; u < f->threads; u++)
				if (clock[u] > s->needed[u]) {
					s->needed[u] = clock[u];
					again = true;
				}
		}
		*changed |= again;
	}
	return s->needed[branch] <= f->position[f->last] + 1;
}

/* What the branch depends on and is not in the wanted order comes after it. */
static bool
close_chain(struct sl_feasible *f, struct sl_feasible_state *s, bool *changed)
{
	if (s->tail == NONE)
		return true;
	for (uint32_t i = 0; i < f->count; i++)
		if (f->affects[i] && !s->chain[i] && is_needed(f, s, i) && !order(f, s, s->tail, i, changed))
			return false;
	return true;
}

static bool
close_sections(struct sl_feasible *f, struct sl_feasible_state *s, bool *changed, struct open *open)
{
	for (size_t i = 0; i < f->pair_count; i++) {
		const struct sl_feasible_pair *p = &f->pairs[i];

		if (is_needed(f, s, p->one) && is_needed(f, s, p->other) &&
		    !either(f, s, &(struct open){OPEN_ORDER, p->one_end, p->other, p->other_end, p->one, NONE},
			    changed, open))
			return false;
	}
	return true;
}

static bool
can_wake(const struct sl_feasible *f, const struct sl_feasible_state *s, const struct sl_feasible_wait *w,
	 uint32_t i)
{
	const struct sl_rw_event *wait = event_of(f, w->wait), *e = event_of(f, i);

	return e->kind == SL_RW_NOTIFY && e->object == wait->object && e->thread != wait->thread &&
	       !before(f, s, i, w->wait) && !before(f, s, w->next, i);
}

static bool
wake(struct sl_feasible *f, struct sl_feasible_state *s, const struct sl_feasible_wait *w, uint32_t i,
     bool *changed)
{
	need(f, s, i, changed);
	return order(f, s, w->wait, i, changed) && order(f, s, i, w->next, changed);
}

static bool
close_waits(struct sl_feasible *f, struct sl_feasible_state *s, bool *changed, struct open *open)
{
	for (size_t k = 0; k < f->wait_count; k++) {
		const struct sl_feasible_wait *w = &f->waits[k];
		uint32_t ways = 0, way = NONE;
		bool woken = false;

		if (!is_needed(f, s, w->next))
			continue;
		for (uint32_t i = 0; i < f->count && !woken; i++) {
			if (!can_wake(f, s, w, i))
				continue;
			woken = before(f, s, w->wait, i) && before(f, s, i, w->next);
			way = i;
			ways++;
		}
		if (woken)
			continue;
		if (!ways || (ways == 1 && !wake(f, s, w, way, changed)))
			return false;
		if (ways > 1 && open->kind == OPEN_NOTHING)
			*open = (struct open){.kind = OPEN_WAIT, .event = (uint32_t)k};
	}
	return true;
}

static bool
is_other_write(const struct sl_feasible *f, uint32_t i, uint32_t read)
{
	return i != read && f->affects[i] && writes(event_of(f, i)) &&
	       event_of(f, i)->object == event_of(f, read)->object;
}

static bool
close_reads(struct sl_feasible *f, struct sl_feasible_state *s, bool *changed, struct open *open)
{
	for (uint32_t r = 0; r < f->count; r++) {
		const struct sl_feasible_choice *c = &s->choices[r];

		if (!c->chosen)
			continue;
		if (c->value && c->write == NONE) {
			if (open->kind == OPEN_NOTHING)
				*open = (struct open){.kind = OPEN_READ, .event = r};
			continue;
		}
		for (uint32_t i = 0; i < f->count; i++)
			if (i != c->write && is_other_write(f, i, r) && is_needed(f, s, i) &&
			    !either(f, s,
				    &(struct open){OPEN_ORDER, c->write == NONE ? NONE : i, c->write, r, i, NONE},
				    changed, open))
				return false;
	}
	return true;
}

/* Draws all conclusions. Returns false if there is a contradiction. */
static bool
conclude(struct sl_feasible *f, struct sl_feasible_state *s, struct open *open)
{
	bool changed = true;

	while (changed) {
		changed = false;
		f->work += f->pair_count + (uint64_t)f->count * (f->threads + s->chosen);
		*open = (struct open){.kind = OPEN_NOTHING};
		if (!close_needs(f, s, &changed) || !close_chain(f, s, &changed) ||
		    !close_sections(f, s, &changed, open) || !close_waits(f, s, &changed, open) ||
		    !close_reads(f, s, &changed, open))
			return false;
	}
	return true;
}

/* Makes the n-th choice. Returns 1 if it can be made, 0 if it can't, -1 if there are no more. */
static int
choose(struct sl_feasible *f, struct sl_feasible_state *s, const struct open *open, uint32_t n)
{
	bool changed;

	if (open->kind == OPEN_ORDER) { /* first as it was recorded */
		bool first = (open->one < open->two) == (n == 0);

		if (n > 1)
			return -1;
		return first ? order(f, s, open->one, open->two, &changed)
			     : order(f, s, open->three, open->four, &changed);
	}
	for (uint32_t i = 0; i < f->count; i++) {
		bool possible;

		if (open->kind == OPEN_WAIT) {
			possible = can_wake(f, s, &f->waits[open->event], i);
		} else {
			possible = is_other_write(f, i, open->event) &&
				   event_of(f, i)->value == s->choices[open->event].value &&
				   !before(f, s, open->event, i);
		}
		if (!possible || n--)
			continue;
		if (open->kind == OPEN_WAIT)
			return wake(f, s, &f->waits[open->event], i, &changed);
		return sl_feasible_see(f, s, open->event,
				       (struct sl_feasible_choice){true, event_of(f, i)->value, i});
	}
	return -1;
}

bool
sl_feasible_solve(struct sl_feasible *f, struct sl_feasible_state *s)
{
	struct sl_feasible_state saved;
	struct open open;
	int made = 0;
	bool solved = false;

	if (!conclude(f, s, &open))
		return false;
	if (open.kind == OPEN_NOTHING)
		return true;
	if (!f->steps) {
		f->exact = false;
		return true;
	}
	f->steps--;
	sl_feasible_copy(f, &saved, s);
	for (uint32_t n = 0; !solved && made >= 0; n++) {
		made = choose(f, s, &open, n);
		solved = made > 0 && sl_feasible_solve(f, s);
		if (!solved)
			assign(f, s, &saved);
	}
	sl_feasible_free(&saved);
	return solved;
}

uint32_t
sl_feasible_run(const struct sl_feasible *f, const struct sl_feasible_state *s, uint32_t *run)
{
	uint32_t *done = sl_room_zeroed(f->threads, sizeof(*done)), count = 0;
	bool found = true;

	while (found) {
		uint32_t next = NONE;

		for (uint32_t t = 0; t < f->threads; t++) {
			if (done[t] == s->needed[t])
				continue;

			uint32_t i = f->lanes[t][done[t]];
			const uint32_t *clock = s->clocks + (size_t)i * f->threads;
			bool ready = true;

			for (uint32_t u = 0; u < f->threads && ready; u++)
				ready = clock[u] <= done[u];
			if (ready && i < next)
				next = i;
		}
		found = next != NONE;
		if (found) {
			done[event_of(f, next)->thread]++;
			run[count++] = f->events[next];
		}
	}
	free(done);
	return count;
}
