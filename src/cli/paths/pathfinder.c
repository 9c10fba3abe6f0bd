#include "cli/paths/pathfinder.h"

#include "base/room.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/*
 * The way of a thread: what it has executed, as numbers, one behind the other. What it repeats is taken once: rounds of a loop that are the
 * same make no other path. So a thread that waits in a loop takes one path, however often it looks.
 */
#define STATES_DEFAULT (4ul << 20)
#define POINTERS 16
#define REACH 4096   /* bytes behind a pointer that are taken to be of what it points to */
#define ROUND_MAX 32 /* numbers of the longest round that is recognised */

struct sl_path_walker {
	uint64_t path;          /* of its origin, as in struct sl_kin */
	uint64_t *way, *hashes; /* hashes[i]: of the first i numbers */
	size_t length, room;
	struct {
		uint64_t value, pc;
	} pointers[POINTERS]; /* that it has read last, one after the other */
	unsigned pointer;
};

/* ---- ways ---- */

static void
walk(struct sl_path_walker *w, uint64_t number)
{
	if (w->length + 1 >= w->room) {
		w->room = w->room ? 2 * w->room : 64;
		w->way = sl_must(realloc(w->way, w->room * sizeof(*w->way)));
		w->hashes = sl_must(realloc(w->hashes, w->room * sizeof(*w->hashes)));
		w->hashes[0] = 1;
	}
	w->way[w->length] = number;
	w->hashes[w->length + 1] = sl_mix(w->hashes[w->length] * 0x9e3779b97f4a7c15u + number);
	w->length++;
	for (size_t round = 1; round <= ROUND_MAX && 2 * round <= w->length; round++) {
		const uint64_t *end = w->way + w->length;

		if (end[-1] == end[-1 - (ssize_t)round] &&
		    memcmp(end - round, end - 2 * round, round * sizeof(*end)) == 0) {
			w->length -= round;
			return;
		}
	}
}

static uint64_t
way_of(const struct sl_path_walker *w)
{
	return w->room ? w->hashes[w->length] : 1;
}

static struct sl_path_walker *
walker(struct sl_pathfinder *p, uint32_t thread)
{
	while (thread >= p->walker_room) {
		uint32_t room = p->walker_room ? 2 * p->walker_room : 16;

		p->walkers = sl_must(realloc(p->walkers, room * sizeof(*p->walkers)));
		memset(p->walkers + p->walker_room, 0, (room - p->walker_room) * sizeof(*p->walkers));
		p->walker_room = room;
	}
	if (thread >= p->walker_count)
		p->walker_count = thread + 1;
	return &p->walkers[thread];
}

/* ---- events ---- */

static void
add(struct sl_pathfinder *p, const struct sl_path_event *event)
{
	p->events = sl_room_for(p->events, p->event_count, &p->event_capacity, sizeof(*p->events));
	p->events[p->event_count++] = *event;
}

/*
 * Which object is accessed may depend on a pointer that was read: then the read matters. The table of sites tells what
 * values depend on, and not addresses alone, so the values are compared.
 */
static void
follow_pointers(struct sl_pathfinder *p, struct sl_path_walker *w, const struct sl_item *op, uint64_t value)
{
	for (unsigned i = 0; i < POINTERS; i++)
		if (w->pointers[i].pc && op->object - w->pointers[i].value < REACH)
			*sl_index_at(&p->pointers, w->pointers[i].pc) = 1;
	if (op->size == 8 && sl_kind_access(op->kind) & SL_OP_READS && (value >= REACH || !value)) {
		w->pointers[w->pointer % POINTERS].value = value;
		w->pointers[w->pointer++ % POINTERS].pc = op->pc;
	}
}

/* The operation before has this value, and this number. */
static void
value(struct sl_pathfinder *p, const struct sl_item *item)
{
	struct sl_item *op = &p->current;
	struct sl_path_walker *w = walker(p, item->thread);
	struct sl_path_event e = {.thread = w->path,
				  .index = item->pc,
				  .object = op->object,
				  .pc = op->pc,
				  .value = item->value,
				  .path = way_of(w),
				  .kind = op->kind,
				  .extent = op->flags & SL_OP_RANGE ? op->value : op->size};
	bool access = sl_kind_is(op->kind, SL_KIND_ACCESS);

	if (sl_kind_is(op->kind, SL_KIND_THREAD) && !sl_kind_is(op->kind, SL_KIND_FAILS))
		e.value = walker(p, (uint32_t)item->value)->path;
	if (sl_kind_is(op->kind, SL_KIND_COUNTS) || op->kind == SL_BARRIER_WAIT) {
		e.has_written = sl_index_find(&p->counts, op->object);
		e.written = sl_index_get(&p->counts, op->object);
	}
	if (access)
		follow_pointers(p, w, op, item->value);
	add(p, &e);
	/* of an access what it reads may differ and lead to the same path; of others the result is a part of the way */
	walk(walker(p, item->thread), op->pc * 256 + op->kind);
	if (!access && sl_kind_is(op->kind, SL_KIND_TRIES))
		walk(walker(p, item->thread), item->value);
}

static void
written(struct sl_pathfinder *p, const struct sl_item *item)
{
	size_t at = p->event_count;
	struct sl_path_event e;

	while (at && at + 4 > p->event_count &&
	       (p->events[at - 1].thread != walker(p, item->thread)->path || p->events[at - 1].index != item->pc))
		at--;
	if (!at || at + 4 <= p->event_count)
		return;
	e = p->events[at - 1];
	e.has_written = true;
	e.written = item->value;
	if (e.extent <= 8) {
		p->events[at - 1] = e;
		return;
	}
	/* a structure that is copied: the write comes when it is done, behind the read that was announced after it */
	memmove(&p->events[at - 1], &p->events[at], (p->event_count - at) * sizeof(e));
	p->events[p->event_count - 1] = e;
}

static void
pending(struct sl_pathfinder *p, const struct sl_item *item)
{
	struct sl_path_walker *w = walker(p, item->thread);
	struct sl_path_event e = {.thread = w->path,
				  .index = item->value,
				  .object = item->object,
				  .pc = item->pc,
				  .path = way_of(w),
				  .kind = item->size,
				  .pending = true};

	if (e.kind == SL_JOIN) {
		if (!item->object)
			return;
		e.value = walker(p, (uint32_t)item->object - 1)->path;
		e.object = 0;
	}
	/* what a wait for a condition gives back, and how many bytes an access has, is not known before it is performed */
	if (e.kind == SL_COND_WAIT || sl_kind_is(e.kind, SL_KIND_ACCESS))
		return;
	add(p, &e);
}

static void __attribute__((format(printf, 2, 3))) lacks(struct sl_pathfinder *p, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	sl_texts_keep(&p->lacks, text);
}

static void
operation(struct sl_pathfinder *p, const struct sl_item *item)
{
	if (!p->table)
		return;
	p->operations = sl_room_for(p->operations, p->operation_count, &p->operation_capacity, sizeof(*p->operations));
	p->operations[p->operation_count++] = (struct sl_path_operation){item->pc, item->thread};
}

static void
lacks_at(struct sl_pathfinder *p, uint64_t pc, const char *what, const char *why)
{
	struct sl_place place = {.file = "?"};

	if (p->names)
		sl_names_use(p->names, pc, &place);
	lacks(p, "%s at %s:%" PRIu32 " %s, which is not searched for", what, place.file, place.line, why);
}

static void
beyond(struct sl_pathfinder *p, const struct sl_item *item)
{
	if (item->size == SL_BEYOND_TIME)
		lacks_at(p, item->pc, "the wait", "may also end by its time limit");
	else
		lacks_at(p, item->pc, "the read-write lock", "prefers writers");
}

static void
item(void *data, const struct sl_item *item)
{
	struct sl_pathfinder *p = data;

	if (p->flow)
		sl_flow_item(p->flow, item);
	if (item->kind != SL_ITEM_PENDING)
		p->last = item->thread;
	switch (item->kind) {
	case SL_ITEM_KIN:
		walker(p, item->thread)->path = item->value;
		p->last = (uint32_t)item->object; /* it is the creator that runs */
		break;
	case SL_ITEM_BEYOND:
		beyond(p, item);
		break;
	case SL_ITEM_COUNT:
		*sl_index_at(&p->counts, item->object) = item->value;
		break;
	case SL_ITEM_CALL:
		walk(walker(p, item->thread), item->object * 2 + 1);
		break;
	case SL_ITEM_BRANCH:
		p->blocks = true;
		walk(walker(p, item->thread), item->pc * 2);
		break;
	case SL_ITEM_VALUE:
		value(p, item);
		break;
	case SL_ITEM_WRITTEN:
		written(p, item);
		break;
	case SL_ITEM_PENDING:
		pending(p, item);
		break;
	default:
		if (item->kind < SL_OP_KIND_COUNT) {
			p->current = *item;
			operation(p, item);
		}
		if (item->kind == SL_CLOCK)
			lacks_at(p, item->pc, "the time that is read", "depends on the schedule");
		break;
	}
}

/* ---- executions ---- */

/* Without a table of sites it is not known what affects a branch, so all does. */
static bool
matters(void *data, uint64_t pc)
{
	const struct sl_pathfinder *p = data;

	return p->method == SL_PATH_REACH || !p->flow || sl_flow_matters(p->flow, pc) ||
	       sl_index_get(&p->pointers, pc);
}

static void
forget(struct sl_pathfinder *p)
{
	sl_path_search_free(p->search);
	sl_behaviour_free(p->behaviour);
	sl_flow_free(p->flow);
	sl_names_free(p->names);
	p->search = NULL;
	p->behaviour = NULL;
	p->flow = NULL;
	p->names = NULL;
}

static void
open_again(void *data, const struct sl_arena *arena)
{
	struct sl_pathfinder *p = data;

	forget(p);
	sl_path_branches_release(&p->branches); /* their slices were those of the names */
	p->arena = arena;
	p->behaviour = sl_behaviour_new(1, matters, p);
	p->options.stop = &p->scout.ending;
	p->search = sl_path_search_new(p->behaviour, &p->options);
	p->over = false;
}

/* The program's files are known when its first execution begins. */
static void
begin(void *data)
{
	struct sl_pathfinder *p = data;
	struct sl_err err;

	if (!p->names) {
		p->names = sl_names_new(p->arena->modules.items, p->arena->modules.count, &err);
		if (p->names && p->method == SL_PATH_BRANCH)
			p->flow = sl_flow_new(p->names);
		if (p->flow)
			sl_flow_want_events(p->flow, p->table);
	}
	if (p->flow)
		sl_flow_begin(p->flow);
	for (uint32_t i = 0; i < p->walker_count; i++) {
		memset(p->walkers[i].pointers, 0, sizeof(p->walkers[i].pointers));
		p->walkers[i].length = p->walkers[i].pointer = 0;
	}
	p->walker_count = 0;
	p->event_count = p->operation_count = 0;
	sl_index_clear(&p->counts);
	p->last = 0;
}

static enum sl_path_end
how_it_ended(const struct sl_scouted *how)
{
	if (how->cut)
		return SL_PATH_CUT;
	if (!how->found)
		return SL_PATH_ENDED;
	switch (how->found - 1) {
	case SL_FINDING_DEADLOCK:
		return SL_PATH_STUCK;
	case SL_FINDING_ASSERT:
	case SL_FINDING_ABORT:
	case SL_FINDING_CRASH:
	case SL_FINDING_EXIT:
		return SL_PATH_FAILED;
	default:
		return SL_PATH_BROKEN;
	}
}

static void
end(void *data, const struct sl_scouted *how)
{
	struct sl_pathfinder *p = data;
	enum sl_path_end ended = how_it_ended(how);
	const struct sl_path_walker *last = walker(p, p->last);
	uint64_t combination;

	if (p->flow)
		sl_flow_end(p->flow);
	if (p->flow && p->table)
		sl_path_branches_note(&p->branches, p->flow, p->operations, p->operation_count);
	p->executions++;
	p->cut += how->cut;
	p->strayed += how->strayed;
	sl_behaviour_begin(p->behaviour);
	for (size_t i = 0; i < p->event_count; i++) {
		struct sl_path_event *e = &p->events[i];

		/* the execution has ended within the write */
		e->pending |= !e->has_written && sl_kind_access(e->kind) & SL_OP_WRITES;
		sl_behaviour_event(p->behaviour, e);
	}
	if (p->executions == 1)
		sl_behaviour_is_coarse(p->behaviour, !p->blocks);
	combination = sl_behaviour_end(p->behaviour, ended, last->path, way_of(last));
	sl_path_search_learned(p->search, combination,
			       !how->strayed                         ? p->asked_steps
			       : how->reached + 1 == p->script_steps ? p->asked_steps - 1
								     : 0,
			       ended == SL_PATH_BROKEN);
}

static enum sl_scout_answer
next(void *data, unsigned ahead, struct sl_script *script)
{
	struct sl_pathfinder *p = data;
	const struct sl_path_step *steps;
	size_t count;

	if (ahead)
		return SL_SCOUT_LATER;
	if (!sl_path_search_next(p->search, &steps, &count)) {
		p->over = true;
		p->stopped = __atomic_load_n(&p->scout.ending, __ATOMIC_RELAXED);
		return SL_SCOUT_OVER;
	}
	script->count = 0;
	for (size_t i = 0; i < count && script->count + 2 < SL_SCRIPT_STEPS; i++) {
		/* one step of a thread does for all its steps in a row, but the last one has to be told apart */
		if (i + 2 < count && !steps[i].wakes && steps[i + 1].thread == steps[i].thread)
			continue;
		script->steps[script->count++] = (struct sl_script_step){.thread = steps[i].thread,
									 .index = steps[i].index,
									 .kind = SL_SCRIPT_RUN};
		if (steps[i].wakes)
			script->steps[script->count++] =
				(struct sl_script_step){.thread = steps[i].wakes, .kind = SL_SCRIPT_WAKE};
	}
	p->asked_steps = count;
	p->script_steps = script->count;
	return SL_SCOUT_SCRIPT;
}

/* ---- the result in words ---- */

static void
tell_loops(struct sl_pathfinder *p, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		char text[512] = "?";
		struct sl_place place;

		if (p->names && sl_names_use(p->names, sl_path_search_rolled(p->search, i), &place))
			snprintf(text, sizeof(text), "%s:%u (%s)", place.file, place.line, place.function);
		sl_texts_keep(&p->loops, text);
	}
}

/* Data that came another way than through memory and calls: what it decides may depend on the schedule. */
static void
tell_flow(struct sl_pathfinder *p)
{
	const struct sl_flow_lacking *lacking;
	size_t count = p->flow ? sl_flow_lacking(p->flow, &lacking) : 0;

	for (size_t i = 0; i < count; i++)
		if (lacking[i].kind == SL_FLOW_OUTSIDE)
			lacks(p,
			      "what %s gets from outside of memory may depend on the schedule, and is not followed",
			      *lacking[i].name ? lacking[i].name : "a call");
		else if (lacking[i].kind == SL_FLOW_DEEP)
			lacks(p, "calls are nested too deeply in %s to follow data through them", lacking[i].name);
}

static void
json_branches(FILE *out, const void *data)
{
	const struct sl_pathfinder *p = data;

	sl_path_branches_json(&p->branches, p->names, out);
}

const struct sl_paths_told *
sl_pathfinder_tell(struct sl_pathfinder *p)
{
	struct sl_path_search_result r;

	sl_path_search_result(p->search, &r);
	tell_loops(p, r.rolled);
	tell_flow(p);
	for (unsigned i = 0; sl_behaviour_lacking(p->behaviour, i); i++)
		lacks(p, "%s", sl_behaviour_lacking(p->behaviour, i));
	if (p->cut)
		lacks(p, "%" PRIu64 " execution%s cut at the limit of operations (--operations)", p->cut,
		      p->cut == 1 ? " was" : "s were");
	if (r.unreached)
		lacks(p, "%" PRIu64 " execution%s not come to where the search had steered it", r.unreached,
		      r.unreached == 1 ? " has" : "s have");
	if (r.limited && !p->stopped)
		lacks(p, "there are more than %" PRIu64 " states (--states)", p->options.states);
	if (!p->over || (r.limited && p->stopped))
		lacks(p, "the search was not over");
	p->told = (struct sl_paths_told){.combinations = r.combinations,
					 .executions = p->executions,
					 .states = r.states,
					 .complete = p->over && r.complete && !p->lacks.count,
					 .lacks = (const char *const *)p->lacks.all,
					 .lack_count = p->lacks.count,
					 .loops = (const char *const *)p->loops.all,
					 .loop_count = p->loops.count,
					 .branches = p->table ? json_branches : NULL,
					 .data = p};
	return &p->told;
}

void
sl_pathfinder_init(struct sl_pathfinder *p, enum sl_path_method method)
{
	*p = (struct sl_pathfinder){.method = method, .options.states = STATES_DEFAULT};
	p->scout = (struct sl_scout){.open = open_again,
				     .begin = begin,
				     .item = item,
				     .end = end,
				     .next = next,
				     .data = p};
}

void
sl_pathfinder_release(struct sl_pathfinder *p)
{
	sl_path_branches_release(&p->branches);
	forget(p);
	for (uint32_t i = 0; i < p->walker_room; i++) {
		free(p->walkers[i].way);
		free(p->walkers[i].hashes);
	}
	free(p->walkers);
	free(p->events);
	free(p->operations);
	sl_index_release(&p->counts);
	sl_index_release(&p->pointers);
	sl_texts_release(&p->lacks);
	sl_texts_release(&p->loops);
	*p = (struct sl_pathfinder){0};
}
