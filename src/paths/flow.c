#include "paths/flow.h"

#include "base/rng.h"
#include "base/room.h"
#include "paths/deps.h"
#include "paths/shadow.h"
#include "paths/shape.h"

#include <string.h>

#define THREADS 65536 /* items of others make no sense */

/* The code at a return address. */
struct spot {
	uint64_t pc;
	struct sl_spot_place place;
	/* of a call: the function that was called last, and the points that it can be */
	const struct sl_shape *callee;
	uint32_t call_count;
	uint32_t calls[4];
	/* Of the beginning of a basic block: the branch at its end. */
	const struct sl_site_slice *branch;
	uint32_t instance;
	bool block;
	struct sl_shape *entered; /* the pc is in a function: its shape */
	bool placed, matters;
};

struct activation {
	struct sl_shape *shape;
	uint32_t call_count; /* points of the caller that it can be the call of */
	uint32_t calls[4];
	struct sl_dep *points; /* the last value of each; set NONE: it was not executed */
	uint32_t point_room;
	struct sl_dep parameters[SL_PARAMETERS];
	uint32_t parameter_count;
	struct sl_dep rest;    /* what any other parameter may depend on */
	struct sl_dep unknown; /* reads that belong to no point */
	struct sl_dep locals;  /* reads of local variables in memory */
	struct sl_dep left;    /* what it has written into the thread's stack, through pointers */
	bool lost;             /* items that are not its own were among its items */
	uint64_t block;        /* the one that it is in; 0: none is known */
};

/* An access of the execution, for reports. */
struct event {
	uint64_t address, size;
	uint32_t thread;
	unsigned does;
	uint32_t node; /* of what it writes */
};

struct thread {
	struct activation *calls;
	uint32_t depth, room;
	uint64_t stack_low, stack_high;
	struct sl_dep argument, result;
	/*
	 * The last write, if its statement also reads, and has not yet: gcc announces copies of structs so. It happens with that read. depth is 0:
	 * there is none.
	 */
	struct {
		uint32_t depth, point;
		uint64_t address, size, event;
		struct sl_dep value;
	} late;
	uint32_t
		copied_from; /* the point of the last access, plus one, if it is the read of such a statement that announces it first */
};

struct sl_flow {
	struct sl_shapes shapes;
	struct sl_deps deps;
	struct sl_shadow shadow;
	struct sl_event_graph graph;
	bool wanted, events;

	struct spot *spots;
	size_t spot_count, spot_room;
	uint32_t *index; /* by pc: number of the spot, plus one */
	size_t index_room;
	uint64_t mattering;

	struct thread *threads;
	uint32_t thread_count, thread_room;
	uint64_t number; /* of the event */
	uint32_t deep;
	uint64_t round;
	struct sl_dep gathered; /* see gather() */

	struct sl_flow_branch *branches;
	size_t branch_count, branch_room;
	struct occurrences {
		uint64_t key;
		uint32_t count, begin;
	} * occurrences; /* of branches, by thread and slice */
	size_t occurrence_count, occurrence_room;
	uint32_t execution;
	struct event *accesses; /* by number, from 0; operations that are none do nothing */
	size_t access_count, access_room;
	struct {
		struct sl_flow_use *all;
		size_t count, room;
		uint64_t *writes; /* numbers of all writes, by address; made when they are asked for */
		size_t write_count;
		uint64_t widest; /* of them */
	} use;                   /* what was asked for last */
	struct sl_flow_lacking *lacking;
	size_t lacking_count, lacking_room;
	struct library {
		const struct sl_site_function *function;
		bool seen;
	} * libraries; /* calls of functions without a body, whose results feed a branch */
	size_t library_count, library_room;
};

static const struct sl_dep NOTHING = {SL_DEP_EMPTY, 0};

/* ---- values ---- */

static struct sl_dep
both(struct sl_flow *f, struct sl_dep a, struct sl_dep b)
{
	a.set = sl_deps_unite(&f->deps, a.set, b.set);
	if (f->events)
		a.node = sl_events_both(&f->graph, a.node, b.node);
	return a;
}

/* It affects what a thread does. */
static void
matter(struct sl_flow *f, struct sl_dep d)
{
	sl_deps_tell(&f->deps, d.set);
}

static void
told(void *data, uint32_t member)
{
	struct sl_flow *f = data;

	f->mattering += !f->spots[member].matters;
	f->spots[member].matters = true;
}

static void
lack(struct sl_flow *f, enum sl_flow_lack kind, const char *name)
{
	for (size_t i = 0; i < f->lacking_count; i++)
		if (f->lacking[i].kind == kind && !strcmp(f->lacking[i].name, name)) {
			f->lacking[i].count++;
			return;
		}
	f->lacking = sl_room_for(f->lacking, f->lacking_count, &f->lacking_room, sizeof(*f->lacking));
	f->lacking[f->lacking_count++] = (struct sl_flow_lacking){kind, name, 1};
}

/* ---- places ---- */

static size_t
slot_of(const struct sl_flow *f, uint64_t pc)
{
	size_t at = (pc * 0x9e3779b97f4a7c15u) >> 32 & (f->index_room - 1);

	while (f->index[at] && f->spots[f->index[at] - 1].pc != pc)
		at = (at + 1) & (f->index_room - 1);
	return at;
}

static uint32_t
spot_new(struct sl_flow *f, uint64_t pc)
{
	if (2 * (f->spot_count + 1) > f->index_room) {
		f->index_room = f->index_room ? 2 * f->index_room : 256;
		free(f->index);
		f->index = sl_room_zeroed(f->index_room, sizeof(*f->index));
		for (size_t i = 0; i < f->spot_count; i++)
			f->index[slot_of(f, f->spots[i].pc)] = (uint32_t)i + 1;
	}
	f->spots = sl_room_for(f->spots, f->spot_count, &f->spot_room, sizeof(*f->spots));
	f->spots[f->spot_count] = (struct spot){.pc = pc};
	f->index[slot_of(f, pc)] = (uint32_t)++f->spot_count;
	return (uint32_t)f->spot_count - 1;
}

static inline struct spot *
spot_at(struct sl_flow *f, uint64_t pc)
{
	uint32_t number = f->index[slot_of(f, pc)];

	number = number ? number - 1 : spot_new(f, pc);
	return &f->spots[number];
}

static inline struct spot *
placed_at(struct sl_flow *f, uint64_t pc)
{
	struct spot *s = spot_at(f, pc);

	if (!s->placed) {
		sl_shape_place(&f->shapes, pc, &s->place);
		s->placed = true;
	}
	return s;
}

/* ---- what slices depend on in an activation ---- */

static struct sl_dep of_slice(struct sl_flow *f, struct activation *a, uint32_t instance,
			      const struct sl_site_slice *slice);

static void
make_room(struct activation *a)
{
	uint32_t room = a->shape->size;

	if (room <= a->point_room)
		return;
	room += room / 2;
	a->points = sl_must(realloc(a->points, room * sizeof(*a->points)));
	memset(a->points + a->point_room, 0, (room - a->point_room) * sizeof(*a->points));
	a->point_room = room;
}

static inline struct sl_dep
point_of(const struct activation *a, uint32_t point)
{
	return point < a->point_room ? a->points[point] : (struct sl_dep){0};
}

/* All that the activation has read, was given, or got from calls. */
static struct sl_dep
everything(struct sl_flow *f, const struct activation *a)
{
	struct sl_dep d = both(f, both(f, a->unknown, a->locals), a->rest);

	for (uint32_t i = 0; i < a->parameter_count; i++)
		d = both(f, d, a->parameters[i]);
	for (uint32_t i = 0; a->shape && i < a->shape->size; i++)
		if (i < a->point_room && a->points[i].set)
			d = both(f, d, a->points[i]);
	return both(f, d, NOTHING);
}

static struct sl_dep
of_argument(struct sl_flow *f, struct activation *a, uint32_t call, uint32_t argument, bool all)
{
	uint32_t number = a->shape->points[call].instance;
	const struct sl_instance *i = &a->shape->instances[number];
	const struct sl_sliced *code = i->code;
	uint32_t own = call - i->base;
	struct sl_dep d = NOTHING;

	if (!code || !code->argument[own])
		return d;
	for (uint32_t k = code->argument[own] - 1; k < code->function->slice_count; k++) {
		const struct sl_site_slice *one = &code->function->slices[k];

		if (one->kind != TABLE_SLICE_ARGUMENT || one->point != &code->function->points[own])
			break;
		if (all || one->argument == argument)
			d = both(f, d, of_slice(f, a, number, one));
	}
	return d;
}

static struct sl_dep
of_parameter(struct sl_flow *f, struct activation *a, uint32_t instance, uint32_t parameter)
{
	struct sl_dep d = NOTHING;

	if (!instance)
		return both(f, a->rest, parameter < a->parameter_count ? a->parameters[parameter] : NOTHING);
	if (!a->shape->instances[instance].call_count)
		return everything(f, a);
	for (uint32_t k = 0; k < a->shape->instances[instance].call_count; k++)
		d = both(f, d, of_argument(f, a, a->shape->instances[instance].calls[k], parameter, false));
	return d;
}

/*
 * The compiler has left no operation of the access, or it was not executed. A value that is used nevertheless was known from another access to the
 * same object in this activation; or it came with what belongs to no point, which counts in any case.
 */
static struct sl_dep
of_missing_access(struct sl_flow *f, struct activation *a, uint32_t point)
{
	const uint32_t *likes;
	uint32_t count = sl_shape_likes(a->shape, point, &likes);
	struct sl_dep d = NOTHING;

	if (a->shape->points[point].round == f->round)
		return d;
	a->shape->points[point].round = f->round;
	for (uint32_t i = 0; i < count; i++) {
		const struct sl_site_slice *slice = sl_shape_write(a->shape, likes[i]);

		if (a->shape->points[likes[i]].sited)
			d = both(f, d, point_of(a, likes[i]));
		else if (slice)
			d = both(f, d, of_slice(f, a, a->shape->points[likes[i]].instance, slice));
		count = sl_shape_likes(a->shape, point, &likes); /* they may have moved */
	}
	return both(f, d, a->unknown);
}

static void
library(struct sl_flow *f, const struct sl_site_function *function, bool seen)
{
	size_t i = 0;

	while (i < f->library_count && f->libraries[i].function != function)
		i++;
	if (i == f->library_count) {
		f->libraries =
			sl_room_for(f->libraries, f->library_count, &f->library_room, sizeof(*f->libraries));
		f->libraries[f->library_count++] = (struct library){.function = function};
	}
	f->libraries[i].seen |= seen;
}

/* A call that nothing was seen of: it was inlined, it announces nothing, or it was not executed. */
static struct sl_dep
of_missing_call(struct sl_flow *f, struct activation *a, uint32_t point)
{
	uint32_t instances[8], count = sl_shape_callees(&f->shapes, a->shape, point, instances, 8);
	const struct sl_site_point *p = sl_shape_point(a->shape, point);
	struct sl_dep d = NOTHING;

	make_room(a);
	if (count == SL_NOT_RUN || a->shape->points[point].round == f->round)
		return d;
	a->shape->points[point].round = f->round;
	if (!count) {
		if (p && p->callee && !sl_sites_definition(a->shape->sites, p->callee))
			library(f, p->callee, false);
		return both(f, a->unknown, of_argument(f, a, point, 0, true));
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct sl_sliced *code = a->shape->instances[instances[i]].code;
		uint32_t base = a->shape->instances[instances[i]].base;

		if (!code) {
			d = both(f, d, point_of(a, base));
			d = both(f, d, of_argument(f, a, point, 0, true));
			continue;
		}
		if (code->result)
			d = both(f, d, of_slice(f, a, instances[i], &code->function->slices[code->result - 1]));
		for (uint32_t k = 0; k < code->function->point_count; k++)
			if (code->write[k] && !a->shape->points[base + k].sited)
				d = both(f, d,
					 of_slice(f, a, instances[i],
						  &code->function->slices[code->write[k] - 1]));
	}
	return d;
}

static struct sl_dep
of_slice(struct sl_flow *f, struct activation *a, uint32_t instance, const struct sl_site_slice *slice)
{
	struct sl_dep d = NOTHING;

	if (slice->flags & TABLE_SLICE_CUT || a->lost)
		return everything(f, a);
	/* what has no value of its own is looked into once for each question */
	f->round += !f->deep++;
	for (uint32_t i = 0; i < slice->source_count; i++) {
		const struct sl_site_source *from = &slice->sources[i];
		struct sl_dep one;
		uint32_t point;

		if (!from->point) {
			d = both(f, d, of_parameter(f, a, instance, from->parameter));
			continue;
		}
		point = a->shape->instances[instance].base + (uint32_t)(from->point - slice->function->points);
		one = point_of(a, point);
		if (!one.set)
			one = from->point->call ? of_missing_call(f, a, point) : of_missing_access(f, a, point);
		d = both(f, d, one);
		if (from->point->call) /* it may have been given the address of a local variable */
			d = both(f, d, a->locals);
	}
	f->deep--;
	return d;
}

/* ---- activations ---- */

static struct thread *
thread_get(struct sl_flow *f, uint32_t number)
{
	if (number >= f->thread_count) {
		if (number >= f->thread_room) {
			uint32_t room = f->thread_room ? f->thread_room : 8;

			while (number >= room)
				room *= 2;
			f->threads = sl_must(realloc(f->threads, room * sizeof(*f->threads)));
			memset(f->threads + f->thread_room, 0, (room - f->thread_room) * sizeof(*f->threads));
			f->thread_room = room;
		}
		for (; f->thread_count <= number; f->thread_count++) {
			struct thread *t = &f->threads[f->thread_count];

			t->depth = 0;
			t->late.depth = t->copied_from = 0;
			t->stack_low = t->stack_high = 0;
			t->argument = t->result = NOTHING;
		}
	}
	return &f->threads[number];
}

static struct activation *
top_of(struct thread *t)
{
	return t->depth ? &t->calls[t->depth - 1] : NULL;
}

static struct activation *
enter(struct sl_flow *f, struct thread *t, struct sl_shape *shape)
{
	struct activation *a;

	if (t->depth == t->room) {
		uint32_t room = t->room ? 2 * t->room : 8;

		t->calls = sl_must(realloc(t->calls, room * sizeof(*t->calls)));
		memset(t->calls + t->room, 0, (room - t->room) * sizeof(*t->calls));
		t->room = room;
	}
	a = &t->calls[t->depth++];
	*a = (struct activation){.shape = shape,
				 .points = a->points,
				 .point_room = a->point_room,
				 .rest = NOTHING,
				 .unknown = NOTHING,
				 .locals = NOTHING,
				 .left = NOTHING};
	if (shape->function) {
		if (!shape->fed_of)
			sl_shape_feed(&f->shapes, shape);
		make_room(a);
		if (shape->size) /* else there are none */
			memset(a->points, 0, shape->size * sizeof(*a->points));
	}
	return a;
}

static void
found_value(struct sl_flow *f, struct activation *a, uint32_t point, struct sl_dep d, bool more)
{
	make_room(a);
	a->points[point] = more ? both(f, a->points[point], d) : d;
	if (a->shape->points[point].feeds || a->shape->all_feed)
		matter(f, d);
}

static void
called(struct sl_flow *f, struct thread *t, const struct sl_item *item)
{
	struct spot *s = spot_at(f, item->object);
	struct sl_shape *shape;
	struct activation *caller = top_of(t), *a;
	struct sl_dep parameters[SL_PARAMETERS] = {0}, rest = NOTHING;
	uint32_t count = 0, call_count = 0, calls[4] = {0};

	if (!s->entered) {
		shape = sl_shape_at(&f->shapes, item->object);
		s->entered = shape;
	}
	shape = s->entered;
	if (!caller) {
		count = t == f->threads ? 0 : 1;
		parameters[0] = t->argument;
	} else {
		s = placed_at(f, item->pc);
		if (s->place.shape != caller->shape || !caller->shape->function) {
			rest = everything(f, caller);
		} else {
			if (s->callee != shape) {
				s->callee = shape;
				s->call_count = sl_shape_calls(&f->shapes, s->place.shape, s->place.instance,
							       s->pc, shape->name, s->calls, 4);
			}
			call_count = s->call_count;
			memcpy(calls, s->calls, sizeof(calls));
			if (!call_count)
				rest = everything(f, caller);
			for (uint32_t k = 0; k < call_count; k++) {
				caller->shape->points[calls[k]].entered = true;
				const struct sl_instance *i =
					&caller->shape->instances[caller->shape->points[calls[k]].instance];
				uint32_t own = calls[k] - i->base;
				const struct sl_site_function *function = i->code->function;

				for (uint32_t n = i->code->argument[own] ? i->code->argument[own] - 1 : UINT32_MAX;
				     n < function->slice_count &&
				     function->slices[n].kind == TABLE_SLICE_ARGUMENT &&
				     function->slices[n].point == &function->points[own];
				     n++) {
					uint32_t argument = function->slices[n].argument;
					struct sl_dep d =
						of_slice(f, caller, s->place.instance, &function->slices[n]);

					if (argument >= SL_PARAMETERS) {
						rest = both(f, rest, d);
						continue;
					}
					while (count <= argument)
						parameters[count++] = NOTHING;
					parameters[argument] = both(f, parameters[argument], d);
				}
			}
		}
	}
	a = enter(f, t, shape);
	a->call_count = call_count;
	memcpy(a->calls, calls, call_count * sizeof(*calls));
	a->parameter_count = count;
	memcpy(a->parameters, parameters, count * sizeof(*parameters));
	a->rest = rest;
	if (!shape->function) {
		lack(f, SL_FLOW_NO_TABLE, shape->name);
		matter(f, everything(f, a));
		return;
	}
	if (shape->all_feed) {
		lack(f, SL_FLOW_OPEN, shape->name);
		matter(f, everything(f, a));
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		if (shape->fed >> i & 1)
			matter(f, parameters[i]);
	if (shape->fed)
		matter(f, rest);
}

static struct occurrences *
occurrences_of(struct sl_flow *f, uint64_t key)
{
	size_t mask, at;

	if (2 * (f->occurrence_count + 1) > f->occurrence_room) {
		struct occurrences *old = f->occurrences;
		size_t room = f->occurrence_room;

		f->occurrence_room = room ? 2 * room : 64;
		f->occurrences = sl_room_zeroed(f->occurrence_room, sizeof(*old));
		f->occurrence_count = 0;
		for (size_t i = 0; i < room; i++)
			if (old[i].key && old[i].begin == f->execution)
				*occurrences_of(f, old[i].key) = old[i];
		free(old);
	}
	mask = f->occurrence_room - 1;
	for (at = sl_mix(key) & mask; f->occurrences[at].key && f->occurrences[at].key != key;)
		at = (at + 1) & mask;
	if (!f->occurrences[at].key)
		f->occurrence_count++;
	if (!f->occurrences[at].key || f->occurrences[at].begin != f->execution)
		f->occurrences[at] = (struct occurrences){.key = key, .begin = f->execution};
	return &f->occurrences[at];
}

static void
branch_add(struct sl_flow *f, uint32_t thread, const struct activation *a, const struct sl_site_slice *slice,
	   uint64_t outcome, struct sl_dep d)
{
	f->branches = sl_room_for(f->branches, f->branch_count, &f->branch_room, sizeof(*f->branches));
	f->branches[f->branch_count++] = (struct sl_flow_branch){
		.thread = thread,
		.slice = slice,
		.function = slice->function,
		.block = outcome ? a->block : 0,
		.outcome = outcome,
		.event = f->number,
		.value = d.node,
		.occurrence = ++occurrences_of(f, (uint64_t)slice * 64 + 1 + thread)->count,
	};
}

/* A basic block begins, and the one before has ended with its branch. */
static void
block_begins(struct sl_flow *f, struct thread *t, const struct sl_item *item)
{
	struct activation *a = top_of(t);
	struct spot *s;

	if (!a || !a->shape->function)
		return;
	if (a->block) {
		s = spot_at(f, a->block);
		if (s->branch) {
			struct sl_dep d = of_slice(f, a, s->instance, s->branch);

			matter(f, d);
			if (f->events)
				branch_add(f, item->thread, a, s->branch, item->pc, d);
		}
	}
	s = spot_at(f, item->pc);
	if (!s->block) {
		s->block = true;
		if (!a->shape->blocks_known)
			sl_shape_blocks(&f->shapes, a->shape, item->pc);
		s->branch = sl_shape_branch(&f->shapes, a->shape, item->pc, &s->instance);
		make_room(a);
	}
	a->block = item->pc;
}

/* Is the branch at the end of a block, so that it is known when it was executed? */
static bool
is_seen(const struct activation *a, uint32_t instance, const struct sl_site_slice *slice)
{
	for (size_t i = 0; i < a->shape->blind_count; i++)
		if (a->shape->blind[i].slice == slice && a->shape->blind[i].instance == instance)
			return false;
	return a->block;
}

static void
write_value(struct sl_flow *f, uint64_t address, uint64_t size, uint64_t event, struct sl_dep v)
{
	if (f->events) {
		f->accesses[event - 1].node = v.node;
		v.node = sl_event_add(&f->graph, SL_NODE_WRITE, event, v.node, 0);
	}
	sl_shadow_write(&f->shadow, address, size, v);
}

/* The last write of the thread has happened. */
static void
write_late(struct sl_flow *f, struct thread *t)
{
	if (t->late.depth)
		write_value(f, t->late.address, t->late.size, t->late.event, t->late.value);
	t->late.depth = 0;
}

static void
returned(struct sl_flow *f, struct thread *t, uint32_t thread)
{
	struct activation *a = top_of(t), *caller;
	struct sl_dep result = NOTHING;

	if (!a)
		return;
	if (t->late.depth)
		write_late(f, t);
	if (!a->shape->function) {
		result = everything(f, a);
	} else {
		const struct sl_sliced *code = a->shape->instances[0].code;

		for (uint32_t i = 0; i < a->shape->instance_count; i++) {
			const struct sl_sliced *one = a->shape->instances[i].code;

			if (!one || !sl_shape_runs(a->shape, i))
				continue;
			for (uint32_t k = 0; k < one->branches; k++) {
				const struct sl_site_slice *slice = &one->function->slices[k];
				struct sl_dep d = of_slice(f, a, i, slice);

				matter(f, d);
				if (f->events && !is_seen(a, i, slice))
					branch_add(f, thread, a, slice, 0, d);
			}
		}
		if (code->result)
			result = of_slice(f, a, 0, &code->function->slices[code->result - 1]);
	}
	result = both(f, result, a->left);
	t->depth--;
	caller = top_of(t);
	if (!caller) {
		t->result = result;
		return;
	}
	caller->left = both(f, caller->left, a->left);
	if (!a->call_count) {
		caller->unknown = both(f, caller->unknown, result);
		matter(f, result); /* who called it may have branches, as qsort() has */
		return;
	}
	for (uint32_t k = 0; k < a->call_count; k++)
		found_value(f, caller, a->calls[k], result, false);
}

/* ---- operations ---- */

static void
gather(void *data, struct sl_dep d)
{
	struct sl_flow *f = data;

	f->gathered = both(f, f->gathered, d);
}

/* Reads from the place, of what depends on that. */
static struct sl_dep
read_event(struct sl_flow *f, const struct spot *s, struct sl_dep saw)
{
	struct sl_dep d;

	d.set = sl_deps_unite(&f->deps, sl_deps_single(&f->deps, (uint32_t)(s - f->spots)), saw.set);
	d.node = f->events ? sl_event_add(&f->graph, SL_NODE_READ, f->number, saw.node, 0) : 0;
	return d;
}

/* For reports, if they are wanted. */
static void
event_note(struct sl_flow *f, const struct sl_item *item, unsigned does, uint64_t size)
{
	if (!f->events)
		return;
	while (f->access_count < f->number) {
		f->accesses = sl_room_for(f->accesses, f->access_count, &f->access_room, sizeof(*f->accesses));
		f->accesses[f->access_count++] = (struct event){0};
	}
	f->accesses[f->number - 1] =
		(struct event){.address = item->object, .size = size, .thread = item->thread, .does = does};
}

static void
read_item(struct sl_flow *f, struct thread *t, struct activation *a, const struct spot *s,
	  const struct sl_item *item, uint64_t size, bool own)
{
	const struct sl_spot_place *p = &s->place;
	struct sl_dep d;

	f->gathered = NOTHING;
	sl_shadow_read(&f->shadow, item->object, size, gather, f);
	d = read_event(f, s, f->gathered);
	if (own && p->read != SL_NO_POINT) {
		const struct sl_instance *i = &a->shape->instances[p->instance];

		found_value(f, a, p->read, d, !i->code);
		if (p->pair && t->late.depth) {
			const struct sl_site_slice *slice = sl_shape_write(a->shape, p->write);

			if (slice)
				t->late.value = of_slice(f, a, p->instance, slice);
			write_late(f, t);
		} else if (p->pair) {
			t->copied_from = p->read + 1;
		}
		if (!i->code) { /* which branches there are is not known */
			lack(f, SL_FLOW_NO_TABLE, i->name);
			matter(f, d);
		}
	} else if (own && p->local_read) {
		a->locals = both(f, a->locals, d);
		if (a->shape->locals_feed)
			matter(f, d);
	} else if (own && p->reading_count) {
		for (uint32_t k = 0; k < p->reading_count; k++)
			found_value(f, a, p->readings[k], d, true);
	} else if (own && p->call_count) {
		for (uint32_t k = 0; k < p->call_count; k++)
			found_value(f, a, p->calls[k], both(f, d, of_argument(f, a, p->calls[k], 0, true)), true);
	} else {
		a->unknown = both(f, a->unknown, d);
		matter(f, d);
	}
}

static void
write_item(struct sl_flow *f, struct thread *t, struct activation *a, const struct spot *s,
	   const struct sl_item *item, uint64_t size, bool own)
{
	const struct sl_spot_place *p = &s->place;
	bool also_reads = sl_kind_access(item->kind) & SL_OP_READS;
	struct sl_dep v = NOTHING;

	if (own && p->write != SL_NO_POINT) {
		const struct sl_instance *i = &a->shape->instances[p->instance];
		const struct sl_site_slice *slice = sl_shape_write(a->shape, p->write);

		if (!i->code)
			v = everything(f, a);
		else if (slice)
			v = of_slice(f, a, p->instance, slice);
		if (i->code && !also_reads)
			found_value(f, a, p->write, v, false);
	} else if (own && p->call_count) {
		for (uint32_t k = 0; k < p->call_count; k++) {
			v = both(f, v, of_argument(f, a, p->calls[k], 0, true));
			v = both(f, v, point_of(a, p->calls[k]));
		}
	} else {
		v = everything(f, a);
	}
	v = both(f, v, NOTHING);
	/* a slice does not tell where a write goes to from what it writes */
	if (p->moves && item->object - t->stack_low >= t->stack_high - t->stack_low)
		matter(f, v);
	if (p->pointed && item->object - t->stack_low < t->stack_high - t->stack_low)
		a->left = both(f, a->left, v);
	if (own && p->pair && !also_reads && t->copied_from != p->read + 1) {
		t->late = (typeof(t->late)){t->depth, p->write, item->object, size, f->number, v};
		return;
	}
	write_value(f, item->object, size, f->number, v);
}

static void
access(struct sl_flow *f, struct thread *t, const struct sl_item *item)
{
	unsigned does = sl_kind_access(item->kind);
	uint64_t size = sl_kind_is_plain(item->kind) && item->flags & SL_OP_RANGE ? item->value : item->size;
	struct activation *a = top_of(t);
	const struct spot *s = placed_at(f, item->pc);
	const struct sl_shape *of;
	bool own;

	if (!a) /* code that runs before the first function that is seen */
		a = enter(f, t, sl_shape_at(&f->shapes, item->pc));
	if (t->late.depth && (does != SL_OP_READS || t->late.depth != t->depth || t->late.point != s->place.write))
		write_late(f, t);
	size += !size;
	event_note(f, item, does, size);
	of = s->place.shape;
	own = a->shape->function && of == a->shape;
	if (of && of->function && !own && !a->lost) {
		a->lost = true;
		lack(f, SL_FLOW_DEEP, of->name);
	}
	if (does & SL_OP_READS)
		read_item(f, t, a, s, item, size, own && !a->lost);
	if (does & SL_OP_WRITES)
		write_item(f, t, a, s, item, size, own && !a->lost);
	if (does != SL_OP_READS)
		t->copied_from = 0;
}

/* Does what the call returns depend on the schedule, or on what is outside of memory? */
static bool
tells(const struct sl_item *item, const struct sl_site_point *point)
{
	const char *name = point && point->callee ? point->callee->name : "";

	if (sl_kind_is(item->kind, SL_KIND_TRIES) || (point && point->call & TABLE_CALL_TRIES))
		return true;
	if (strstr(name, "try") || strstr(name, "time") || strstr(name, "clock"))
		return true;
	if (sl_kind_is(item->kind, SL_KIND_TAKES | SL_KIND_GIVES | SL_KIND_LENDS | SL_KIND_WAKES | SL_KIND_RENEWS))
		return false;
	if (item->kind == SL_CHOOSE || item->kind == SL_CLOCK)
		return true;
	if (sl_op_kinds[item->kind].flags & SL_OP_SILENT || item->kind == SL_KEY_USE || item->kind == SL_ONCE)
		return false;
	/* a wait that ends with what it waits for says nothing new; nor does what only adds to a semaphore */
	return !(sl_kind_is(item->kind, SL_KIND_COUNTS)) && !sl_kind_is(item->kind, SL_KIND_QUIET);
}

/* The points of the activation that the operation at that place may be the call of. Returns how many. */
static uint32_t
calls_of(struct sl_flow *f, struct activation *a, struct spot *s, uint32_t *calls)
{
	const struct sl_spot_place *p = &s->place;
	uint32_t count = 0;

	if (!a->shape->function || p->shape != a->shape)
		return 0;
	for (unsigned i = 0; i < 2 && !p->call_count; i++) {
		uint32_t one = i ? p->write : p->read;
		const struct sl_site_point *point = one != SL_NO_POINT ? sl_shape_point(a->shape, one) : NULL;

		if (point && point->call && (!count || calls[0] != one))
			calls[count++] = one;
	}
	if (!count && !p->call_count && !s->call_count)
		s->call_count = sl_shape_calls(&f->shapes, a->shape, p->instance, s->pc, NULL, s->calls, 4);
	if (!count) {
		const uint32_t *from = p->call_count ? p->calls : s->calls;

		count = p->call_count ? p->call_count : s->call_count;
		memcpy(calls, from, 4 * sizeof(*calls));
	}
	for (uint32_t k = 0; k < count; k++) {
		const struct sl_site_point *point = sl_shape_point(a->shape, calls[k]);

		if (point && point->callee && !(point->callee->flags & TABLE_DEFINED))
			library(f, point->callee, true);
	}
	return count;
}

/* A value that the calls with the same key have in common: what any of them was given, all get. */
static struct sl_dep
of_key(struct sl_flow *f, uint64_t key, struct sl_dep given)
{
	f->gathered = NOTHING;
	sl_shadow_read(&f->shadow, key, 1, gather, f);
	given = both(f, given, f->gathered);
	sl_shadow_write(&f->shadow, key, 1, given);
	return given;
}

/* What the call of that point returns. */
static struct sl_dep
of_operation(struct sl_flow *f, const struct sl_item *item, const struct sl_site_point *point, struct sl_dep given)
{
	switch (item->kind) {
	case SL_KEY_USE:
		return of_key(f, item->object, given);
	case SL_ALLOC:
		return NOTHING;
	case SL_JOIN:
		return item->value < f->thread_count ? both(f, given, f->threads[item->value].result) : given;
	default:
		break;
	}
	if (!tells(item, point))
		return given;
	if (sl_kind_is(item->kind, SL_KIND_IO))
		lack(f, SL_FLOW_OUTSIDE, point && point->callee ? point->callee->name : "");
	return read_event(f, placed_at(f, item->pc), given);
}

static void
operation(struct sl_flow *f, struct thread *t, const struct sl_item *item)
{
	struct activation *a = top_of(t);
	uint32_t calls[4], count;
	struct sl_dep given = NOTHING;

	if (!a || !item->pc || !sl_kind_is(item->kind, SL_KIND_CALL) || item->kind == SL_FREE)
		return;
	count = calls_of(f, a, placed_at(f, item->pc), calls);
	if (!count)
		given = everything(f, a);
	for (uint32_t k = 0; k < count; k++)
		given = both(f, given, of_argument(f, a, calls[k], 0, true));
	if (item->kind == SL_CREATE) {
		if (item->value < THREADS)
			thread_get(f, (uint32_t)item->value)->argument = given;
		return;
	}
	if (sl_kind_is(item->kind, SL_KIND_SYNC | SL_KIND_FUTEX | SL_KIND_IO))
		matter(f, given); /* which object it is */
	for (uint32_t k = 0; k < count; k++)
		found_value(f, a, calls[k], of_operation(f, item, sl_shape_point(a->shape, calls[k]), given),
			    false);
}

/* ---- executions ---- */

struct sl_flow *
sl_flow_new(struct sl_names *names)
{
	struct sl_flow *f = sl_room_zeroed(1, sizeof(*f));

	f->shapes.names = names;
	sl_deps_init(&f->deps, told, f);
	f->index_room = 256;
	f->index = sl_room_zeroed(f->index_room, sizeof(*f->index));
	sl_shadow_begin(&f->shadow);
	return f;
}

void
sl_flow_free(struct sl_flow *f)
{
	if (!f)
		return;
	for (uint32_t i = 0; i < f->thread_room; i++) {
		for (uint32_t k = 0; k < f->threads[i].room; k++)
			free(f->threads[i].calls[k].points);
		free(f->threads[i].calls);
	}
	free(f->threads);
	sl_shapes_release(&f->shapes);
	sl_deps_release(&f->deps);
	sl_shadow_release(&f->shadow);
	sl_event_graph_release(&f->graph);
	free(f->spots);
	free(f->index);
	free(f->branches);
	free(f->occurrences);
	free(f->accesses);
	free(f->use.writes);
	free(f->use.all);
	free(f->lacking);
	free(f->libraries);
	free(f);
}

void
sl_flow_want_events(struct sl_flow *f, bool wanted)
{
	f->wanted = wanted;
}

void
sl_flow_begin(struct sl_flow *f)
{
	f->events = f->wanted;
	sl_event_graph_clear(&f->graph);
	if (f->events)
		sl_event_add(&f->graph, SL_NODE_BOTH, 0, 0, 0), f->graph.count = 1;
	sl_shadow_begin(&f->shadow);
	f->thread_count = 0;
	f->number = 0;
	f->deep = 0;
	f->branch_count = 0;
	f->access_count = f->use.write_count = 0;
	f->execution++;
}

void
sl_flow_item(struct sl_flow *f, const struct sl_item *item)
{
	struct thread *t;

	if (item->thread >= THREADS)
		return;
	t = thread_get(f, item->thread);
	if (item->kind < SL_OP_KIND_COUNT) {
		f->number++;
		if (sl_kind_access(item->kind)) {
			access(f, t, item);
		} else if (item->kind == SL_START) {
			t->stack_low = item->object;
			t->stack_high = item->value;
		} else {
			operation(f, t, item);
		}
		return;
	}
	if (item->kind == SL_ITEM_CALL)
		called(f, t, item);
	else if (item->kind == SL_ITEM_RETURN)
		returned(f, t, item->thread);
	else if (item->kind == SL_ITEM_BRANCH)
		block_begins(f, t, item);
}

void
sl_flow_end(struct sl_flow *f)
{
	/* threads that did not return */
	for (uint32_t i = 0; i < f->thread_count; i++)
		while (f->threads[i].depth)
			returned(f, &f->threads[i], i);
	for (size_t i = 0; i < f->library_count; i++)
		if (!f->libraries[i].seen) {
			lack(f, SL_FLOW_LIBRARY, f->libraries[i].function->name);
			f->libraries[i].seen = true;
		}
	if (f->deps.full) {
		lack(f, SL_FLOW_MANY, "");
		f->deps.full = false;
	}
}

/* ---- answers ---- */

bool
sl_flow_matters(const struct sl_flow *f, uint64_t pc)
{
	uint32_t number = f->index[slot_of(f, pc)];

	return number && f->spots[number - 1].matters;
}

uint64_t
sl_flow_mattering(const struct sl_flow *f)
{
	return f->mattering;
}

size_t
sl_flow_branches(const struct sl_flow *f, const struct sl_flow_branch **branches)
{
	*branches = f->branches;
	return f->branch_count;
}

/* ---- uses and definitions ---- */

struct search {
	struct sl_flow *f;
	const struct sl_flow_branch *branch;
	bool possible;
	uint64_t read;
	size_t first;   /* of the uses of that read */
	uint32_t *todo; /* values that the branch depends on */
	size_t count, room;
};

static const struct event *sorted; /* for by_address() */

static int
by_address(const void *a, const void *b)
{
	const struct event *x = &sorted[*(const uint64_t *)a - 1], *y = &sorted[*(const uint64_t *)b - 1];

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void
sort_writes(struct sl_flow *f)
{
	f->use.writes = sl_must(realloc(f->use.writes, (f->access_count + 1) * sizeof(*f->use.writes)));
	f->use.widest = 0;
	for (uint64_t i = 1; i <= f->access_count; i++) {
		const struct event *e = &f->accesses[i - 1];

		if (!(e->does & SL_OP_WRITES))
			continue;
		f->use.writes[f->use.write_count++] = i;
		if (e->size > f->use.widest)
			f->use.widest = e->size;
	}
	sorted = f->accesses;
	if (f->use.write_count)
		qsort(f->use.writes, f->use.write_count, sizeof(*f->use.writes), by_address);
}

static void
note_use(struct search *s, uint64_t write, bool saw)
{
	struct sl_flow *f = s->f;

	for (size_t i = s->first; i < f->use.count; i++)
		if (f->use.all[i].write == write)
			return;
	f->use.all = sl_room_for(f->use.all, f->use.count, &f->use.room, sizeof(*f->use.all));
	f->use.all[f->use.count++] = (struct sl_flow_use){s->read, write, saw};
}

static void
note_seen(void *data, uint64_t write)
{
	note_use(data, write, true);
}

/* The writes that the read could see in another order. */
static void
note_possible(struct search *s)
{
	struct sl_flow *f = s->f;
	const struct event *read = &f->accesses[s->read - 1];
	uint64_t own = 0, low = read->address > f->use.widest ? read->address - f->use.widest : 0;
	size_t from = 0;

	if (f->access_count && !f->use.write_count)
		sort_writes(f);
	for (size_t to = f->use.write_count; from < to;) {
		size_t middle = from + (to - from) / 2;

		if (f->accesses[f->use.writes[middle] - 1].address < low)
			from = middle + 1;
		else
			to = middle;
	}
	for (; from < f->use.write_count; from++) {
		uint64_t number = f->use.writes[from];
		const struct event *e = &f->accesses[number - 1];

		if (e->address >= read->address + read->size)
			break;
		if (e->address + e->size <= read->address)
			continue;
		if (e->thread == read->thread) {
			if (number < s->read && number > own)
				own = number;
			continue;
		}
		if (e->thread == s->branch->thread && number > s->branch->event)
			continue;
		note_use(s, number, false);
	}
	if (own)
		note_use(s, own, false);
}

static void
found_read(void *data, uint32_t node)
{
	struct search *s = data;
	struct sl_flow *f = s->f;

	s->read = f->graph.all[node].number;
	s->first = f->use.count;
	sl_events_seen(&f->graph, node, note_seen, s);
	if (f->use.count == s->first)
		note_use(s, 0, true);
	if (!s->possible || s->read > f->access_count || !(f->accesses[s->read - 1].does & SL_OP_READS))
		return;
	note_possible(s);
	for (size_t i = s->first; i < f->use.count; i++) {
		if (f->use.all[i].saw)
			continue;
		s->todo = sl_room_for(s->todo, s->count, &s->room, sizeof(*s->todo));
		s->todo[s->count++] = f->accesses[f->use.all[i].write - 1].node;
	}
}

static int
by_event(const void *a, const void *b)
{
	const struct sl_flow_use *x = a, *y = b;

	if (x->read != y->read)
		return x->read < y->read ? -1 : 1;
	return x->write < y->write ? -1 : x->write > y->write;
}

size_t
sl_flow_uses(struct sl_flow *f, const struct sl_flow_branch *branch, bool possible,
	     const struct sl_flow_use **uses)
{
	struct search s = {.f = f, .branch = branch, .possible = possible};

	f->use.count = 0;
	sl_events_start(&f->graph);
	sl_events_each(&f->graph, branch->value, found_read, &s);
	while (s.count)
		sl_events_each(&f->graph, s.todo[--s.count], found_read, &s);
	free(s.todo);
	if (f->use.count)
		qsort(f->use.all, f->use.count, sizeof(*f->use.all), by_event);
	*uses = f->use.all;
	return f->use.count;
}

/* ---- what could not be followed ---- */

size_t
sl_flow_lacking(const struct sl_flow *f, const struct sl_flow_lacking **lacking)
{
	*lacking = f->lacking;
	return f->lacking_count;
}
