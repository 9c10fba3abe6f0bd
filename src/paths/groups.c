#include "paths/groups.h"

#include "base/room.h"
#include "paths/feasible.h"

#include <string.h>

#define NONE SL_FEASIBLE_NONE

/*
 * Events that can be ordered: of an order there is a state for each event, of a class only for each read, of which it can have so many. And
 * the work for all of them (a fraction of a second) before the search for more is given up.
 */
enum { ORDER_ROOM = 600, CLASS_ROOM = 4000, READ_ROOM = 256, WORK = 200000000 };

void
sl_variant_groups_add(struct sl_variant_groups *groups, const bool *affects, const struct sl_variant *variant,
		      uint32_t number)
{
	uint32_t *order = sl_room_zeroed(variant->count, sizeof(*order)), count = 0;
	struct sl_variant_group *group = NULL;

	for (uint32_t i = 0; i < variant->count; i++)
		if (affects[variant->events[i]])
			order[count++] = variant->events[i];
	for (size_t g = 0; g < groups->count && !group; g++)
		if (groups->items[g].count == count &&
		    !memcmp(groups->items[g].order, order, count * sizeof(*order)))
			group = &groups->items[g];
	if (group) {
		free(order);
	} else {
		groups->items = sl_room_for(groups->items, groups->count, &groups->room, sizeof(*groups->items));
		group = &groups->items[groups->count++];
		*group = (struct sl_variant_group){.order = order, .count = count};
	}
	group->members =
		sl_room_for(group->members, group->member_count, &group->member_room, sizeof(*group->members));
	group->members[group->member_count++] = number;
}

void
sl_variant_groups_release(struct sl_variant_groups *groups)
{
	for (size_t g = 0; g < groups->count; g++) {
		free(groups->items[g].order);
		free(groups->items[g].members);
	}
	free(groups->items);
	*groups = (struct sl_variant_groups){0};
}

static bool
reads(const struct sl_rw_event *e)
{
	return e->kind == SL_RW_READ || e->kind == SL_RW_UPDATE;
}

static bool
writes(const struct sl_rw_event *e)
{
	return e->kind == SL_RW_WRITE || e->kind == SL_RW_UPDATE;
}

/* An order is extended by one event at a time, where a feasible order begins like this; at its end the next one is tried. */
struct step {
	struct sl_feasible_state state; /* with the events before this one */
	uint32_t tried;                 /* threads */
	uint32_t first;                 /* thread whose event is tried first: as recorded */
	uint32_t event;                 /* that was chosen */
};

struct sl_branch_orders {
	struct sl_affecting affecting;
	struct sl_feasible f;
	struct step *steps;
	size_t count, room;
	uint32_t *events, *run;
	bool *placed; /* of the events of the sequence */
	bool begun;
};

struct sl_branch_orders *
sl_branch_orders_new(const struct sl_affecting *affecting)
{
	struct sl_branch_orders *o = sl_room_zeroed(1, sizeof(*o));

	o->affecting = *affecting;
	sl_feasible_init(&o->f, affecting->sequence, affecting->set, affecting->count, affecting->thread,
			 ORDER_ROOM);
	o->events = sl_room_zeroed(affecting->count, sizeof(*o->events));
	o->run = sl_room_zeroed(o->f.count, sizeof(*o->run));
	o->placed = sl_room_zeroed(affecting->sequence->count, sizeof(*o->placed));
	return o;
}

/* The event of the set that the thread would perform next; NONE: there is none. */
static uint32_t
next_of_thread(const struct sl_feasible *f, const struct sl_feasible_state *s, uint32_t thread)
{
	for (uint32_t p = 0; p < f->lengths[thread]; p++) {
		uint32_t i = f->lanes[thread][p];

		if (f->affects[i] && !s->chain[i])
			return i;
	}
	return NONE;
}

static void
push(struct sl_branch_orders *o, const struct sl_feasible_state *state)
{
	struct step *step;
	uint32_t first = NONE;

	o->steps = sl_room_for(o->steps, o->count, &o->room, sizeof(*o->steps));
	step = &o->steps[o->count++];
	*step = (struct step){.state = *state, .event = NONE};
	for (uint32_t t = 0; t < o->f.threads; t++) {
		uint32_t i = next_of_thread(&o->f, state, t);

		if (i < first) {
			first = i;
			step->first = t;
		}
	}
}

/* Returns the state with the next event that the step can try, or false if there is none. It is complete in `solved`. */
static bool
advance(struct sl_branch_orders *o, struct step *step, struct sl_feasible_state *next,
	struct sl_feasible_state *solved)
{
	while (step->tried < o->f.threads) {
		uint32_t n = step->tried++, t = n == 0 ? step->first : n <= step->first ? n - 1 : n;
		uint32_t event = next_of_thread(&o->f, &step->state, t);

		if (event == NONE)
			continue;
		sl_feasible_copy(&o->f, next, &step->state);
		if (sl_feasible_append(&o->f, next, event)) {
			sl_feasible_copy(&o->f, solved, next);
			if (sl_feasible_solve(&o->f, solved)) {
				step->event = event;
				return true;
			}
			sl_feasible_free(solved);
		}
		sl_feasible_free(next);
	}
	return false;
}

static void
describe(struct sl_branch_orders *o, const struct sl_feasible_state *solved, struct sl_branch_order *order)
{
	const struct sl_affecting *a = &o->affecting;
	uint32_t count = 0;

	memset(o->placed, 0, a->sequence->count * sizeof(*o->placed));
	for (size_t i = 0; i < o->count; i++) {
		uint32_t event = o->f.events[o->steps[i].event];

		o->placed[event] = true;
		o->events[count++] = event;
	}
	*order = (struct sl_branch_order){.events = o->events, .until = count, .run = o->run};
	for (uint32_t i = 0; i < a->count; i++)
		if (!o->placed[a->set[i]])
			o->events[count++] = a->set[i];
	order->count = count;
	order->run_count = sl_feasible_run(&o->f, solved, o->run);
}

bool
sl_branch_orders_next(struct sl_branch_orders *o, struct sl_branch_order *order)
{
	struct sl_feasible_state next, solved;

	if (o->f.last == NONE || o->f.too_large)
		return false;
	if (!o->begun) {
		sl_feasible_begin(&o->f, &next);
		push(o, &next);
		o->begun = true;
	}
	while (o->count) {
		struct step *step = &o->steps[o->count - 1];

		if (o->f.work > WORK) {
			o->f.too_large = true;
			return false;
		}

		if (!advance(o, step, &next, &solved)) {
			sl_feasible_free(&step->state);
			o->count--;
			continue;
		}
		if (step->event == o->f.last) {
			describe(o, &solved, order);
			sl_feasible_free(&next);
			sl_feasible_free(&solved);
			return true;
		}
		sl_feasible_free(&solved);
		push(o, &next);
	}
	return false;
}

bool
sl_branch_orders_exact(const struct sl_branch_orders *o)
{
	return o->f.exact;
}

bool
sl_branch_orders_too_large(const struct sl_branch_orders *o)
{
	return o->f.too_large;
}

void
sl_branch_orders_free(struct sl_branch_orders *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->count; i++)
		sl_feasible_free(&o->steps[i].state);
	sl_feasible_release(&o->f);
	free(o->steps);
	free(o->events);
	free(o->run);
	free(o->placed);
	free(o);
}

/* What one read sees is decided at a time: the first of those that are known to belong to the class. */
struct decision {
	struct sl_feasible_state state; /* before it */
	uint32_t read;
	uint32_t tried; /* 0: nothing; 1: the initial value; n + 2: up to the n-th event */
	struct sl_feasible_choice choice;
};

struct sl_branch_classes {
	struct sl_affecting affecting;
	struct sl_feasible f;
	struct decision *decisions;
	size_t count, room;
	struct sl_branch_seen *seen;
	uint32_t *run;
	bool begun;
};

struct sl_branch_classes *
sl_branch_classes_new(const struct sl_affecting *affecting)
{
	struct sl_branch_classes *c = sl_room_zeroed(1, sizeof(*c));

	c->affecting = *affecting;
	sl_feasible_init(&c->f, affecting->sequence, affecting->set, affecting->count, affecting->thread,
			 CLASS_ROOM);
	c->seen = sl_room_zeroed(affecting->count, sizeof(*c->seen));
	c->run = sl_room_zeroed(c->f.count, sizeof(*c->run));
	return c;
}

/*
 * A read of the class that nothing is decided of; NONE: there is none. The reads of the branch's thread belong to the class, and those of
 * another thread before a write of it that one of the class sees.
 */
static uint32_t
undecided(const struct sl_feasible *f, const struct sl_feasible_state *s)
{
	uint32_t *belong = sl_room_zeroed(f->threads, sizeof(*belong)),
		 found = NONE; /* so many events of each thread */

	belong[f->sequence->events[f->events[f->last]].thread] = f->position[f->last] + 1;
	for (uint32_t i = 0; i < f->count; i++) {
		const struct sl_feasible_choice *c = &s->choices[i];

		if (c->chosen && c->write != NONE) {
			uint32_t *to = &belong[f->sequence->events[f->events[c->write]].thread];

			if (*to <= f->position[c->write])
				*to = f->position[c->write] + 1;
		}
	}
	for (uint32_t i = 0; i < f->count && found == NONE; i++) {
		const struct sl_rw_event *e = &f->sequence->events[f->events[i]];

		if (f->affects[i] && reads(e) && !s->choices[i].chosen && f->position[i] < belong[e->thread])
			found = i;
	}
	free(belong);
	return found;
}

/* The next choice of the decision. Returns false if there is none. */
static bool
next_choice(const struct sl_feasible *f, struct decision *d)
{
	const struct sl_rw_event *read = &f->sequence->events[f->events[d->read]];

	if (d->tried == 0) {
		d->tried = 1;
		d->choice = (struct sl_feasible_choice){true, 0, NONE};
		return true;
	}
	while (d->tried - 1 < f->count) {
		uint32_t i = d->tried++ - 1;
		const struct sl_rw_event *write = &f->sequence->events[f->events[i]];
		bool seen = false;

		if (i == d->read || !f->affects[i] || !writes(write) || write->object != read->object)
			continue;
		for (uint32_t j = 0; j < i && write->value && !seen; j++) { /* an equal value was tried */
			const struct sl_rw_event *other = &f->sequence->events[f->events[j]];

			seen = j != d->read && f->affects[j] && writes(other) && other->object == read->object &&
			       other->value == write->value;
		}
		if (seen)
			continue;
		d->choice = (struct sl_feasible_choice){true, write->value, write->value ? NONE : i};
		return true;
	}
	return false;
}

static void
describe_class(struct sl_branch_classes *c, const struct sl_feasible_state *solved, struct sl_branch_class *class)
{
	*class = (struct sl_branch_class){.seen = c->seen, .run = c->run};
	for (uint32_t i = 0; i < c->f.count; i++) {
		const struct sl_feasible_choice *choice = &solved->choices[i];

		if (choice->chosen)
			c->seen[class->count++] =
				(struct sl_branch_seen){c->f.events[i], choice->value,
							choice->write == NONE ? SL_BRANCH_INITIAL
									      : c->f.events[choice->write]};
	}
	class->run_count = sl_feasible_run(&c->f, solved, c->run);
}

static void
decide(struct sl_branch_classes *c, const struct sl_feasible_state *state, uint32_t read)
{
	c->decisions = sl_room_for(c->decisions, c->count, &c->room, sizeof(*c->decisions));
	c->decisions[c->count++] = (struct decision){.state = *state, .read = read};
}

/* The only class if the branch's thread reads nothing: it writes, and that is in the set. */
static bool
empty_class(struct sl_branch_classes *c, struct sl_feasible_state *state, struct sl_branch_class *class)
{
	bool solved = sl_feasible_solve(&c->f, state);

	if (solved)
		describe_class(c, state, class);
	sl_feasible_free(state);
	return solved;
}

bool
sl_branch_classes_next(struct sl_branch_classes *c, struct sl_branch_class *class)
{
	struct sl_feasible_state next, solved;

	if (c->f.last == NONE || c->f.too_large)
		return false;
	if (!c->begun) {
		c->begun = true;
		sl_feasible_begin(&c->f, &next);

		uint32_t read = undecided(&c->f, &next);

		if (read == NONE)
			return empty_class(c, &next, class);
		decide(c, &next, read);
	}
	while (c->count) {
		struct decision *d = &c->decisions[c->count - 1];

		if (c->f.work > WORK) {
			c->f.too_large = true;
			return false;
		}
		if (!next_choice(&c->f, d)) {
			sl_feasible_free(&d->state);
			c->count--;
			continue;
		}
		sl_feasible_copy(&c->f, &next, &d->state);
		if (!sl_feasible_see(&c->f, &next, d->read, d->choice)) {
			sl_feasible_free(&next);
			continue;
		}
		sl_feasible_copy(&c->f, &solved, &next);
		if (!sl_feasible_solve(&c->f, &solved)) {
			sl_feasible_free(&next);
			sl_feasible_free(&solved);
			continue;
		}

		uint32_t read = undecided(&c->f, &next);

		if (read == NONE) {
			describe_class(c, &solved, class);
			sl_feasible_free(&next);
			sl_feasible_free(&solved);
			return true;
		}
		sl_feasible_free(&solved);
		if (c->count == READ_ROOM) {
			sl_feasible_free(&next);
			c->f.too_large = true;
			return false;
		}
		decide(c, &next, read);
	}
	return false;
}

bool
sl_branch_classes_exact(const struct sl_branch_classes *c)
{
	return c->f.exact;
}

bool
sl_branch_classes_too_large(const struct sl_branch_classes *c)
{
	return c->f.too_large;
}

void
sl_branch_classes_free(struct sl_branch_classes *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->count; i++)
		sl_feasible_free(&c->decisions[i].state);
	sl_feasible_release(&c->f);
	free(c->decisions);
	free(c->seen);
	free(c->run);
	free(c);
}

static int
compare_seen(const void *a, const void *b)
{
	uint32_t x = ((const struct sl_branch_seen *)a)->read, y = ((const struct sl_branch_seen *)b)->read;

	return (x > y) - (x < y);
}

uint32_t
sl_branch_class_of_order(const struct sl_affecting *affecting, const uint32_t *events, uint32_t count,
			 struct sl_branch_seen *seen)
{
	const struct sl_rw_event *all = affecting->sequence->events;
	uint32_t *source = sl_room_zeroed(count, sizeof(*source)), used = 0;
	bool *in = sl_room_zeroed(count, sizeof(*in)), changed = true;

	for (uint32_t i = 0; i < count;
	     i++) { /* source: the place of the write in the order; NONE: the initial value */
		source[i] = NONE;
		for (uint32_t j = i; j-- > 0 && source[i] == NONE;)
			if (writes(&all[events[j]]) && all[events[j]].object == all[events[i]].object)
				source[i] = j;
		in[i] = reads(&all[events[i]]) && all[events[i]].thread == affecting->thread;
	}
	while (changed) {
		changed = false;
		for (uint32_t r = 0; r < count; r++) {
			uint32_t write = in[r] ? source[r] : NONE;

			if (write == NONE || all[events[write]].value)
				continue;
			for (uint32_t i = 0; i <= write; i++)
				if (!in[i] && reads(&all[events[i]]) &&
				    all[events[i]].thread == all[events[write]].thread)
					in[i] = changed = true;
		}
	}
	for (uint32_t i = 0; i < count; i++)
		if (in[i])
			seen[used++] =
				(struct sl_branch_seen){events[i],
							source[i] == NONE ? 0 : all[events[source[i]]].value,
							source[i] == NONE ? SL_BRANCH_INITIAL : events[source[i]]};
	qsort(seen, used, sizeof(*seen), compare_seen);
	free(source);
	free(in);
	return used;
}

bool
sl_branch_class_same(const struct sl_branch_seen *a, uint32_t a_count, const struct sl_branch_seen *b,
		     uint32_t b_count)
{
	if (a_count != b_count)
		return false;
	for (uint32_t i = 0; i < a_count; i++)
		if (a[i].read != b[i].read || a[i].value != b[i].value ||
		    (!a[i].value && a[i].write != b[i].write))
			return false;
	return true;
}

struct text {
	char *bytes;
	size_t used, room;
};

static void
add(struct text *text, const char *more)
{
	size_t length = strlen(more);

	while (text->used + length >= text->room) {
		text->room = text->room ? text->room * 2 : 128;
		text->bytes = sl_must(realloc(text->bytes, text->room));
	}
	memcpy(text->bytes + text->used, more, length + 1);
	text->used += length;
}

char *
sl_branch_order_text(const struct sl_rw_sequence *sequence, const uint32_t *events, uint32_t count)
{
	struct text text = {0};

	add(&text, "");
	for (uint32_t i = 0; i < count; i++) {
		add(&text, i ? " -> " : "");
		add(&text, sequence->events[events[i]].label);
	}
	return text.bytes;
}

char *
sl_branch_class_text(const struct sl_rw_sequence *sequence, const struct sl_branch_seen *seen, uint32_t count)
{
	struct text text = {0};

	add(&text, "");
	for (uint32_t i = 0; i < count; i++) {
		add(&text, i ? ", " : "");
		add(&text, sequence->events[seen[i].read].label);
		add(&text, i ? " " : " sees ");
		add(&text, seen[i].write == SL_BRANCH_INITIAL ? "the initial value"
							      : sequence->events[seen[i].write].label);
	}
	return text.bytes;
}
