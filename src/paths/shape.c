#include "paths/shape.h"

#include "base/room.h"

#include <string.h>

#define INSTANCES 1000 /* in one function: with more, all that it reads counts */
#define DEEP 6         /* calls in calls that are looked into without having been seen */

/* Of a unit: numbers of its sites, by the function that they are in when it runs. */
struct sl_unit_sites {
	const struct sl_site_unit *unit;
	uint32_t *first; /* by function; the last is the end */
	uint32_t *sites;
};

/* ---- functions of the table ---- */

static struct sl_sliced *
code_of(struct sl_shapes *s, const struct sl_sites *sites, const struct sl_site_function *f)
{
	struct sl_sliced *c;

	for (size_t i = 0; i < s->code_count; i++)
		if (s->codes[i]->function == f)
			return s->codes[i];
	c = sl_room_zeroed(1, sizeof(*c));
	s->codes = sl_room_for(s->codes, s->code_count, &s->code_room, sizeof(struct sl_sliced *));
	s->codes[s->code_count++] = c;
	c->function = f;
	c->sites = sites;
	c->write = sl_room_zeroed(f->point_count, sizeof(*c->write));
	c->argument = sl_room_zeroed(f->point_count, sizeof(*c->argument));
	for (uint32_t i = 0; i < f->slice_count; i++) {
		const struct sl_site_slice *one = &f->slices[i];
		size_t point = one->point ? (size_t)(one->point - f->points) : 0;

		switch (one->kind) {
		case TABLE_SLICE_BRANCH:
			c->branches = i + 1;
			break;
		case TABLE_SLICE_WRITE:
			c->write[point] = i + 1;
			break;
		case TABLE_SLICE_ARGUMENT:
			if (!c->argument[point])
				c->argument[point] = i + 1;
			break;
		case TABLE_SLICE_RESULT:
			c->result = i + 1;
			break;
		case TABLE_SLICE_KINDS:
			break;
		}
	}
	return c;
}

static const char *
file_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "";
}

/* "ns::Queue<a::b>::push(int)": the "push" of it. */
static void
short_name(const char *name, char *text, size_t room)
{
	const char *from = name, *to = name;
	int inside = 0;

	if (!strncmp(name, "operator", 8) || strstr(name, "::operator")) {
		from = strstr(name, "operator");
		to = from + strlen(from);
		for (const char *at = from + 8; *at; at++)
			if (*at == '(' && at > from + 8 && !(at[1] == ')' && at == from + 8)) {
				to = at;
				break;
			}
	} else {
		for (; *to; to++) {
			inside += (*to == '<') - (*to == '>');
			if (inside)
				continue;
			if (*to == '(')
				break;
			if (to[0] == ':' && to[1] == ':')
				from = to + 2;
		}
	}
	snprintf(text, room, "%.*s", (int)(to - from), from);
}

bool
sl_sliced_names(const struct sl_site_function *f, const char *name)
{
	char text[256];

	if (!strcmp(f->name, name) || (*f->linkage && !strcmp(f->linkage, name)))
		return true;
	short_name(name, text, sizeof(text));
	return !strcmp(f->name, text);
}

/* The function of that place in the table. */
static const struct sl_site_function *
function_at(const struct sl_sites *sites, const struct sl_place *place)
{
	const struct sl_site_function *best = NULL;
	char text[256];

	short_name(place->function, text, sizeof(text));
	for (size_t i = 0; i < sl_sites_unit_count(sites); i++) {
		const struct sl_site_unit *u = sl_sites_unit(sites, i);

		for (size_t k = 0; k < u->function_count; k++) {
			const struct sl_site_function *f = &u->functions[k];

			if (!(f->flags & TABLE_DEFINED) ||
			    (strcmp(f->name, text) != 0 && !sl_sliced_names(f, place->function)))
				continue;
			if (place->line && (place->line < f->line || place->line > f->last_line))
				continue;
			if (place->line && strcmp(file_name(f->file), file_name(place->file)) != 0)
				continue;
			if (!best)
				best = f;
		}
	}
	return best;
}

static bool
is_same(const struct sl_site_function *a, const struct sl_site_function *b)
{
	return a == b || (a && b && a->line == b->line && a->point_count == b->point_count &&
			  a->slice_count == b->slice_count && !strcmp(a->name, b->name) &&
			  !strcmp(file_name(a->file), file_name(b->file)));
}

/* ---- instances ---- */

static uint32_t
instance_add(struct sl_shapes *s, struct sl_shape *shape, uint32_t outer, const struct sl_site_function *f,
	     const char *name)
{
	struct sl_instance *i;
	size_t room = shape->instance_room, point_room = shape->point_room;

	shape->instances = sl_room_for(shape->instances, shape->instance_count, &room, sizeof(*shape->instances));
	shape->instance_room = (uint32_t)room;
	i = &shape->instances[shape->instance_count];
	*i = (struct sl_instance){.outer = outer, .name = name, .base = shape->size, .point_count = 1};
	if (f && f->flags & TABLE_DEFINED) {
		i->code = code_of(s, shape->sites, f);
		i->point_count = f->point_count;
	}
	shape->size += i->point_count;
	if (shape->size > point_room) {
		point_room = 2 * shape->size;
		shape->points = sl_must(realloc(shape->points, point_room * sizeof(*shape->points)));
		shape->point_room = (uint32_t)point_room;
	}
	for (uint32_t k = i->base; k < shape->size; k++)
		shape->points[k] = (struct sl_shape_point){.instance = shape->instance_count};
	/* what is like what was found without it */
	for (uint32_t k = 0; k < shape->size; k++)
		shape->points[k].looked = false;
	shape->like_count = 0;
	shape->fed_of = false;
	return shape->instance_count++;
}

/* The calls of the instance that may be the one of that place. */
static uint32_t
calls_at(const struct sl_shape *shape, uint32_t instance, const char *file, uint32_t line, uint32_t column,
	 const char *name, uint32_t *calls, uint32_t room)
{
	const struct sl_instance *i = &shape->instances[instance];
	uint32_t count = 0;
	bool exact = false;

	if (!i->code)
		return 0;
	for (uint32_t k = 0; k < i->point_count; k++) {
		const struct sl_site_point *p = &i->code->function->points[k];
		bool here;

		if (!p->call || p->line != line || strcmp(file_name(p->file), file_name(file)) != 0)
			continue;
		if (name && p->callee && !(p->call & (TABLE_CALL_POINTER | TABLE_CALL_VIRTUAL)) &&
		    !sl_sliced_names(p->callee, name))
			continue;
		here = column && p->column == column;
		if (exact && !here)
			continue;
		if (here && !exact) {
			exact = true;
			count = 0;
		}
		if (count < room)
			calls[count++] = i->base + k;
	}
	return count;
}

static uint32_t
inner_instance(struct sl_shapes *s, struct sl_shape *shape, uint32_t outer, const struct sl_site_function *f,
	       const char *name, const char *file, uint32_t line, uint32_t column)
{
	uint32_t number;
	struct sl_instance *i;

	for (number = 0; number < shape->instance_count; number++) {
		i = &shape->instances[number];
		if (i->outer != outer || i->line != line || (i->column && column && i->column != column))
			continue;
		if (i->code ? f && is_same(i->code->function, f)
			    : !(f && f->flags & TABLE_DEFINED) && !strcmp(i->name, name))
			return number;
	}
	number = instance_add(s, shape, outer, f, name);
	i = &shape->instances[number];
	i->file = file;
	i->line = line;
	i->column = column;
	i->call_count = calls_at(shape, outer, file, line, column, f ? f->name : name, i->calls, 4);
	return number;
}

static uint32_t
instance_of(struct sl_shapes *s, struct sl_shape *shape, const struct sl_site_frame *frame)
{
	uint32_t outer;

	if (!frame->outer)
		return 0;
	outer = instance_of(s, shape, frame->outer);
	return inner_instance(s, shape, outer, frame->function, frame->function->name, frame->file, frame->line,
			      frame->column);
}

static const struct sl_site_function *
outermost(const struct sl_site_frame *frame)
{
	while (frame->outer)
		frame = frame->outer;
	return frame->function;
}

/* ---- shapes ---- */

static const struct sl_unit_sites *
unit_sites(struct sl_shapes *s, const struct sl_site_unit *unit)
{
	struct sl_unit_sites *u;
	uint32_t *next;

	for (size_t i = 0; i < s->unit_count; i++)
		if (s->units[i]->unit == unit)
			return s->units[i];
	u = sl_room_zeroed(1, sizeof(*u));
	s->units = sl_room_for(s->units, s->unit_count, &s->unit_room, sizeof(struct sl_unit_sites *));
	s->units[s->unit_count++] = u;
	u->unit = unit;
	u->first = sl_room_zeroed(unit->function_count + 2, sizeof(*u->first));
	u->sites = sl_room_zeroed(unit->site_count, sizeof(*u->sites));
	next = sl_room_zeroed(unit->function_count + 2, sizeof(*next));
	for (size_t i = 0; i < unit->site_count; i++)
		u->first[outermost(unit->sites[i].frame) - unit->functions + 1]++;
	for (size_t i = 0; i < unit->function_count; i++)
		u->first[i + 1] += u->first[i];
	memcpy(next, u->first, (unit->function_count + 1) * sizeof(*next));
	for (size_t i = 0; i < unit->site_count; i++)
		u->sites[next[outermost(unit->sites[i].frame) - unit->functions]++] = (uint32_t)i;
	free(next);
	return u;
}

static struct sl_shape *
shape_of(struct sl_shapes *s, const struct sl_sites *sites, const struct sl_site_function *f, const char *name)
{
	struct sl_shape *shape;
	const struct sl_unit_sites *u;

	for (size_t i = 0; i < s->count; i++)
		if (f ? is_same(s->all[i]->function, f) && s->all[i]->sites == sites
		      : !s->all[i]->function && !strcmp(s->all[i]->name, name))
			return s->all[i];
	shape = sl_room_zeroed(1, sizeof(*shape));
	s->all = sl_room_for(s->all, s->count, &s->room, sizeof(struct sl_shape *));
	s->all[s->count++] = shape;
	shape->function = f;
	shape->sites = sites;
	shape->name = f ? f->name : name;
	if (!f)
		return shape;
	instance_add(s, shape, SL_NO_POINT, f, f->name);
	shape->instances[0].sited = true;
	u = unit_sites(s, f->unit);
	for (uint32_t i = u->first[f - f->unit->functions]; i < u->first[f - f->unit->functions + 1]; i++) {
		const struct sl_site *site = &f->unit->sites[u->sites[i]];
		uint32_t number = instance_of(s, shape, site->frame);
		struct sl_instance *in = &shape->instances[number];

		for (uint32_t k = number; k != SL_NO_POINT; k = shape->instances[k].outer)
			shape->instances[k].sited = true;
		if (!in->code)
			shape->points[in->base].sited = true;
		else if (site->point && site->point->function == in->code->function)
			shape->points[in->base + (site->point - in->code->function->points)].sited = true;
	}
	return shape;
}

void
sl_shapes_release(struct sl_shapes *s)
{
	for (size_t i = 0; i < s->count; i++) {
		free(s->all[i]->instances);
		free(s->all[i]->points);
		free(s->all[i]->likes);
		free(s->all[i]->parts);
		free(s->all[i]->blind);
		free(s->all[i]);
	}
	free(s->all);
	for (size_t i = 0; i < s->code_count; i++) {
		free(s->codes[i]->write);
		free(s->codes[i]->argument);
		free(s->codes[i]);
	}
	free(s->codes);
	for (size_t i = 0; i < s->readings_count; i++)
		free(s->readings[i]);
	free(s->readings);
	for (size_t i = 0; i < s->unit_count; i++) {
		free(s->units[i]->first);
		free(s->units[i]->sites);
		free(s->units[i]);
	}
	free(s->units);
}

#define PLACES 32
#define FEW 64
#define CALL 5 /* bytes of a call instruction */

/* The instance of the place, from the outermost function inwards. false: the table does not have that function. */
static bool
place_instance(struct sl_shapes *s, const struct sl_sites *sites, const struct sl_place *places, size_t count,
	       struct sl_spot_place *to)
{
	const struct sl_site_function *f = function_at(sites, &places[count - 1]);

	to->shape = shape_of(s, sites, f, places[count - 1].function);
	to->instance = 0;
	if (!f)
		return false;
	for (size_t i = count - 1; i-- > 0;)
		to->instance = inner_instance(s, to->shape, to->instance, function_at(sites, &places[i]),
					      places[i].function, places[i + 1].file, places[i + 1].line,
					      places[i + 1].column);
	return true;
}

/* The calls of the code around pc; those that do not fit into `few` are the caller's to free. */
static struct sl_code_call *
calls_around(struct sl_shapes *s, uint64_t pc, uint64_t *start, uint64_t *end, struct sl_code_call *few,
	     size_t *count)
{
	struct sl_code_call *calls = few;

	*count = sl_names_calls(s->names, pc, start, end, few, FEW);
	if (*count > FEW) {
		calls = sl_room_zeroed(*count, sizeof(*calls));
		sl_names_calls(s->names, pc, start, end, calls, *count);
	}
	return calls;
}

/* Notes which of its calls the code has. Those that announce an access have a site. */
static void
note_calls(struct sl_shapes *s, struct sl_shape *shape, const struct sl_sites *sites, uint64_t pc)
{
	struct sl_code_call few[FEW], *calls;
	uint64_t start, end;
	size_t count;

	for (uint32_t i = 0; i < shape->part_count; i++)
		if (pc > shape->parts[i].start && pc <= shape->parts[i].end)
			return;
	calls = calls_around(s, pc, &start, &end, few, &count);
	if (!end)
		return;
	shape->parts = sl_must(realloc(shape->parts, (shape->part_count + 1) * sizeof(*shape->parts)));
	shape->parts[shape->part_count].start = start;
	shape->parts[shape->part_count++].end = end;
	for (size_t i = 0; i < count; i++) {
		struct sl_place places[PLACES];
		struct sl_spot_place at;
		uint32_t points[4], found;
		size_t deep;
		const char *name = NULL;

		if (sl_names_site(s->names, calls[i].pc, false) || sl_names_site(s->names, calls[i].pc, true))
			continue;
		if (calls[i].target) {
			struct sl_place place;

			/* the code behind the target's first byte */
			if (sl_names_place(s->names, calls[i].target + 1, &place) && place.line)
				name = sl_names_function(s->names, calls[i].target);
		}
		deep = sl_names_places(s->names, calls[i].pc, places, PLACES);
		if (!place_instance(s, sites, places, deep, &at) || at.shape != shape)
			continue;
		found = calls_at(shape, at.instance, places[0].file, places[0].line, places[0].column, name,
				 points, 4);
		for (uint32_t k = 0; k < found; k++)
			shape->points[points[k]].called = true;
	}
	if (calls != few)
		free(calls);
}

struct sl_shape *
sl_shape_at(struct sl_shapes *s, uint64_t pc)
{
	struct sl_place places[PLACES];
	size_t count = sl_names_places(s->names, pc, places, PLACES);
	const struct sl_place *last = &places[count - 1];
	const struct sl_sites *sites = sl_names_sites(s->names, pc);

	struct sl_shape *shape = shape_of(s, sites, sites ? function_at(sites, last) : NULL, last->function);

	if (shape->function)
		note_calls(s, shape, sites, pc);
	return shape;
}

/* Of rows from the last to the first: the first that is a branch. */
static const struct sl_site_slice *
branch_among(struct sl_shapes *s, const struct sl_shape *shape, const struct sl_sites *sites, const uint64_t *rows,
	     size_t count, uint32_t *instance)
{
	for (size_t i = count; i-- > 0;) {
		struct sl_place places[PLACES];
		struct sl_spot_place at;
		const struct sl_site_slice *best = NULL;
		const struct sl_sliced *code;

		if (!place_instance(s, sites, places, sl_names_places(s->names, rows[i] + 1, places, PLACES),
				    &at) ||
		    at.shape != shape)
			continue;
		code = shape->instances[at.instance].code;
		for (uint32_t k = 0; code && k < code->branches; k++) {
			const struct sl_site_slice *one = &code->function->slices[k];

			if (one->line == places[0].line && one->column == places[0].column &&
			    !strcmp(file_name(one->file), file_name(places[0].file)))
				best = one;
		}
		*instance = at.instance;
		if (best)
			return best;
	}
	return NULL;
}

#define ROWS 256
#define BEFORE 16 /* bytes that a block may have before it announces itself */

/* Is there a block that begins at the address, or shortly after? calls: of the function, to `target` where a block begins. */
static bool
is_block(const struct sl_code_call *calls, size_t count, uint64_t target, uint64_t address)
{
	for (size_t i = 0; i < count; i++)
		if (calls[i].target == target && calls[i].pc - CALL - address <= BEFORE)
			return true;
	return false;
}

/* Do the instructions have what looks like a conditional jump to another block, or one through a table? */
static bool
has_jump(struct sl_shapes *s, uint64_t low, uint64_t high, const struct sl_code_call *calls, size_t count,
	 uint64_t target)
{
	const unsigned char *code = sl_names_code(s->names, low, high - low);
	uint64_t size = high - low;

	for (uint64_t i = 0; code && i + 2 <= size; i++) {
		int32_t distance;

		if ((code[i] & 0xf0) == 0x70 &&
		    is_block(calls, count, target, low + i + 2 + (uint64_t)(int64_t)(int8_t)code[i + 1]))
			return true;
		if (code[i] == 0xff && (code[i + 1] == 0x24 || (code[i + 1] & 0xf8) == 0xe0))
			return true;
		if (code[i] != 0x0f || (code[i + 1] & 0xf0) != 0x80 || i + 6 > size)
			continue;
		memcpy(&distance, code + i + 2, sizeof(distance));
		if (is_block(calls, count, target, low + i + 6 + (uint64_t)(int64_t)distance))
			return true;
	}
	return false;
}

const struct sl_site_slice *
sl_shape_branch(struct sl_shapes *s, struct sl_shape *shape, uint64_t pc, uint32_t *instance)
{
	const struct sl_sites *sites = sl_names_sites(s->names, pc);
	struct sl_code_call few[FEW], *calls;
	uint64_t start, end, target = 0, rows[ROWS];
	size_t count;
	bool jumps;

	if (!sites)
		return NULL;
	calls = calls_around(s, pc, &start, &end, few, &count);
	for (size_t i = 0; i < count; i++)
		if (calls[i].pc == pc)
			target = calls[i].target;
	for (size_t i = 0; i < count && target; i++)
		if (calls[i].pc > pc && calls[i].target == target) { /* that of the next block */
			end = calls[i].pc - CALL;
			break;
		}
	jumps = target && has_jump(s, pc, end, calls, count, target);
	if (calls != few)
		free(calls);
	if (!jumps)
		return NULL;
	count = sl_names_rows(s->names, pc, end, rows, ROWS);
	return branch_among(s, shape, sites, rows, count < ROWS ? count : ROWS, instance);
}

void
sl_shape_blocks(struct sl_shapes *s, struct sl_shape *shape, uint64_t pc)
{
	struct sl_code_call few[FEW], *calls;
	uint64_t start, end, target = 0;
	size_t count;

	shape->blocks_known = true;
	calls = calls_around(s, pc, &start, &end, few, &count);
	for (size_t i = 0; i < count; i++)
		if (calls[i].pc == pc)
			target = calls[i].target;
	for (uint32_t i = 0; i < shape->instance_count; i++) {
		const struct sl_sliced *code = shape->instances[i].code;

		for (uint32_t k = 0; code && k < code->branches; k++) {
			shape->blind = sl_room_for(shape->blind, shape->blind_count, &shape->blind_room,
						   sizeof(*shape->blind));
			shape->blind[shape->blind_count++] = (struct sl_blind){&code->function->slices[k], i};
		}
	}
	for (size_t i = 0; i < count && target; i++) {
		uint32_t instance;
		const struct sl_site_slice *found =
			calls[i].target == target ? sl_shape_branch(s, shape, calls[i].pc, &instance) : NULL;

		for (size_t k = 0; found && k < shape->blind_count; k++)
			if (shape->blind[k].slice == found && shape->blind[k].instance == instance)
				shape->blind[k--] = shape->blind[--shape->blind_count];
	}
	if (calls != few)
		free(calls);
}

static uint32_t
point_number(const struct sl_shape *shape, uint32_t instance, const struct sl_site *site)
{
	const struct sl_instance *i = &shape->instances[instance];

	if (!i->code)
		return i->base;
	if (!site->point || !is_same(site->point->function, i->code->function))
		return SL_NO_POINT;
	return i->base + (uint32_t)(site->point - site->point->function->points);
}

static bool
is_local(const struct sl_site *site)
{
	return site->object && (site->object->kind == TABLE_LOCAL || site->object->kind == TABLE_PARAMETER);
}

uint32_t
sl_shape_calls(struct sl_shapes *s, const struct sl_shape *shape, uint32_t instance, uint64_t pc, const char *name,
	       uint32_t *calls, uint32_t room)
{
	struct sl_place place;

	sl_names_places(s->names, pc, &place, 1);
	return calls_at(shape, instance, place.file, place.line, place.column, name, calls, room);
}

/* ---- what accesses the same ---- */

/* Is the variable a record, as far as the file shows? */
static bool
is_record(const struct sl_site_unit *unit, const char *variable)
{
	for (size_t i = 0; i < unit->object_count; i++)
		if (*unit->objects[i].holder && !strcmp(unit->objects[i].variable, variable))
			return true;
	return false;
}

static bool
may_be_same(const struct sl_site_unit *unit, const struct sl_site_object *a, const struct sl_site_object *b)
{
	const struct sl_site_object *whole, *other;

	if (!a || !b || a == b || a->kind == TABLE_UNKNOWN || b->kind == TABLE_UNKNOWN)
		return true;
	if (a->kind != TABLE_POINTED && b->kind != TABLE_POINTED && strcmp(a->variable, b->variable) != 0)
		return false;
	if (*a->holder && *b->holder)
		return !strcmp(a->member, b->member) && !strcmp(a->holder, b->holder);
	whole = *a->holder ? b : a;
	other = whole == a ? b : a;
	if (whole->kind != TABLE_POINTED && other->kind == TABLE_POINTED && *other->holder)
		return is_record(unit, whole->variable);
	return true;
}

/* Of a read that is of no point: the points that it may be the read of. */
static void
find_readings(struct sl_shapes *s, struct sl_spot_place *to, const struct sl_site *read)
{
	uint32_t *found;

	if (!read->object || read->object->kind == TABLE_UNKNOWN)
		return;
	found = sl_room_zeroed(to->shape->size, sizeof(*found));
	for (uint32_t i = 0; i < to->shape->size; i++) {
		const struct sl_site_point *p = sl_shape_point(to->shape, i);

		if (p && !p->call && p->flags & TABLE_READS &&
		    may_be_same(p->function->unit, p->object, read->object))
			found[to->reading_count++] = i;
	}
	to->readings = found;
	s->readings = sl_room_for(s->readings, s->readings_count, &s->readings_room, sizeof(uint32_t *));
	s->readings[s->readings_count++] = found;
}

void
sl_shape_place(struct sl_shapes *s, uint64_t pc, struct sl_spot_place *to)
{
	struct sl_place places[PLACES];
	size_t count = sl_names_places(s->names, pc, places, PLACES);
	const struct sl_sites *sites = sl_names_sites(s->names, pc);
	const struct sl_site *read = sl_names_site(s->names, pc, false),
			     *write = sl_names_site(s->names, pc, true);

	*to = (struct sl_spot_place){.read = SL_NO_POINT, .write = SL_NO_POINT};
	if (!sites)
		return;
	if (read || write) {
		const struct sl_site_frame *frame = (read ? read : write)->frame;
		const struct sl_site_function *f = outermost(frame);

		to->shape = shape_of(s, sites, f->flags & TABLE_DEFINED ? f : NULL, f->name);
		if (!to->shape->function)
			return;
		to->instance = instance_of(s, to->shape, frame);
		if (read) {
			to->read = point_number(to->shape, to->instance, read);
			to->local_read = to->read == SL_NO_POINT && is_local(read);
			if (to->read == SL_NO_POINT && !to->local_read)
				find_readings(s, to, read);
		}
		if (write) {
			to->write = point_number(to->shape, to->instance, write);
			to->local_write = to->write == SL_NO_POINT && is_local(write);
			to->pair = read && read->flags & TABLE_PAIR;
			to->pointed = !write->object || write->object->kind == TABLE_POINTED ||
				      write->object->kind == TABLE_UNKNOWN;
			to->moves = to->pointed || strchr(write->text, '[');
		}
		if (to->read != SL_NO_POINT || to->write != SL_NO_POINT || to->local_read || to->local_write ||
		    to->reading_count)
			return;
	} else if (!place_instance(s, sites, places, count, to)) {
		return;
	}
	note_calls(s, to->shape, sites, pc);
	to->call_count = calls_at(to->shape, to->instance, places[0].file, places[0].line, places[0].column, NULL,
				  to->calls, 4);
}

uint32_t
sl_shape_likes(struct sl_shape *shape, uint32_t point, const uint32_t **likes)
{
	struct sl_shape_point *p = &shape->points[point];

	if (!p->looked) {
		const struct sl_site_point *own = sl_shape_point(shape, point);

		p->looked = true;
		p->like = (uint32_t)shape->like_count;
		p->like_count = 0;
		for (uint32_t i = 0; own && !own->call && i < shape->size; i++) {
			const struct sl_site_point *other = sl_shape_point(shape, i);

			if (i == point ||
			    (other ? other->call || !may_be_same(own->function->unit, own->object, other->object)
				   : !shape->points[i].sited))
				continue;
			shape->likes = sl_room_for(shape->likes, shape->like_count, &shape->like_room,
						   sizeof(*shape->likes));
			shape->likes[shape->like_count++] = i;
			p->like_count++;
		}
	}
	*likes = shape->likes + p->like;
	return p->like_count;
}

/* ---- calls that were not seen ---- */

uint32_t
sl_shape_callees(struct sl_shapes *s, struct sl_shape *shape, uint32_t call, uint32_t *instances, uint32_t room)
{
	const struct sl_site_point *p = sl_shape_point(shape, call);
	uint32_t count = 0, number, depth = 0, own = shape->points[call].instance;
	const struct sl_site_function *callee;
	const struct sl_unit_sites *u;

	if (shape->points[call].entered)
		return SL_NOT_RUN;
	for (uint32_t i = 1; i < shape->instance_count; i++)
		for (uint32_t k = 0; k < shape->instances[i].call_count; k++)
			if (shape->instances[i].calls[k] == call && count < room)
				instances[count++] = i;
	if (count || !p || !p->callee || p->call & (TABLE_CALL_POINTER | TABLE_CALL_VIRTUAL))
		return count;
	callee = sl_sites_definition(shape->sites, p->callee);
	if (!callee)
		return 0;
	if (shape->points[call].called) { /* it is seen if it does anything */
		u = unit_sites(s, callee->unit);
		if (u->first[callee - callee->unit->functions] != u->first[callee - callee->unit->functions + 1])
			return SL_NOT_RUN;
	}
	for (uint32_t i = own; i != SL_NO_POINT; i = shape->instances[i].outer) {
		if (shape->instances[i].code && shape->instances[i].code->function == callee)
			return 0; /* it calls itself */
		if (++depth > DEEP)
			return 0;
	}
	number = instance_add(s, shape, own, callee, callee->name);
	shape->instances[number].file = p->file;
	shape->instances[number].line = p->line;
	shape->instances[number].column = p->column;
	shape->instances[number].call_count = 1;
	shape->instances[number].calls[0] = call;
	instances[0] = number;
	return 1;
}

/* ---- what feeds branches ---- */

static void feed_slice(struct sl_shapes *s, struct sl_shape *shape, uint32_t instance,
		       const struct sl_site_slice *slice);

static void
feed_argument(struct sl_shapes *s, struct sl_shape *shape, uint32_t call, uint32_t argument, bool all)
{
	const struct sl_instance *i = &shape->instances[shape->points[call].instance];
	const struct sl_sliced *code = i->code;
	uint32_t base = i->base, number = shape->points[call].instance;

	if (!code || !code->argument[call - base])
		return;
	for (uint32_t k = code->argument[call - base] - 1; k < code->function->slice_count; k++) {
		const struct sl_site_slice *one = &code->function->slices[k];

		if (one->kind != TABLE_SLICE_ARGUMENT || one->point != &code->function->points[call - base])
			break;
		if (all || one->argument == argument)
			feed_slice(s, shape, number, one);
	}
}

static void
feed_parameter(struct sl_shapes *s, struct sl_shape *shape, uint32_t instance, uint32_t parameter)
{
	if (!instance) {
		shape->fed |= 1ul << (parameter < SL_PARAMETERS ? parameter : SL_PARAMETERS);
		return;
	}
	if (!shape->instances[instance].call_count)
		shape->all_feed = true; /* which call it is, is not known */
	for (uint32_t k = 0; k < shape->instances[instance].call_count; k++)
		feed_argument(s, shape, shape->instances[instance].calls[k], parameter, false);
}

static void
feed_point(struct sl_shapes *s, struct sl_shape *shape, uint32_t point)
{
	const struct sl_site_point *p = sl_shape_point(shape, point);
	uint32_t instances[8], count;

	if (shape->points[point].feeds)
		return;
	shape->points[point].feeds = true;
	if (!p)
		return;
	if (!p->call) {
		const uint32_t *likes;

		if (shape->points[point].sited)
			return;
		count = sl_shape_likes(shape, point, &likes);
		for (uint32_t i = 0; i < count; i++) {
			const struct sl_site_slice *slice = sl_shape_write(shape, likes[i]);

			if (shape->points[likes[i]].sited)
				feed_point(s, shape, likes[i]);
			else if (slice)
				feed_slice(s, shape, shape->points[likes[i]].instance, slice);
			count = sl_shape_likes(shape, point, &likes); /* they may have moved */
		}
		return;
	}
	shape->locals_feed = true;
	count = sl_shape_callees(s, shape, point, instances, 8);
	if (count == SL_NOT_RUN)
		return;
	if (!count)
		feed_argument(s, shape, point, 0, true);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t base = shape->instances[instances[i]].base;
		const struct sl_sliced *code = shape->instances[instances[i]].code;

		if (!code) {
			feed_point(s, shape, base);
			feed_argument(s, shape, point, 0, true);
			continue;
		}
		if (code->result)
			feed_slice(s, shape, instances[i], &code->function->slices[code->result - 1]);
		/* what it leaves in a variable of the caller */
		for (uint32_t k = 0; k < code->function->point_count; k++)
			if (code->write[k] && !shape->points[base + k].sited)
				feed_slice(s, shape, instances[i], &code->function->slices[code->write[k] - 1]);
	}
}

static void
feed_slice(struct sl_shapes *s, struct sl_shape *shape, uint32_t instance, const struct sl_site_slice *slice)
{
	if (slice->flags & TABLE_SLICE_CUT)
		shape->all_feed = true;
	for (uint32_t i = 0; i < slice->source_count; i++) {
		const struct sl_site_source *from = &slice->sources[i];

		if (from->point)
			feed_point(s, shape,
				   shape->instances[instance].base +
					   (uint32_t)(from->point - slice->function->points));
		else
			feed_parameter(s, shape, instance, from->parameter);
	}
}

/* Which function is called is decided by what is read on its line. */
static void
feed_pointer(struct sl_shapes *s, struct sl_shape *shape, uint32_t instance, uint32_t call)
{
	const struct sl_sliced *code = shape->instances[instance].code;
	const struct sl_site_point *p = &code->function->points[call];
	bool found = false;

	feed_argument(s, shape, shape->instances[instance].base + call, 0, false);
	for (uint32_t k = 0; k < code->function->point_count; k++) {
		const struct sl_site_point *other = &code->function->points[k];

		if (!other->call && other->flags & TABLE_READS && other->line == p->line) {
			feed_point(s, shape, shape->instances[instance].base + k);
			found = true;
		}
	}
	shape->all_feed |= !found && p->call & TABLE_CALL_POINTER;
}

/* What an inlined function decides, of which nothing may be announced. */
static void
feed_callees(struct sl_shapes *s, struct sl_shape *shape, uint32_t instance)
{
	const struct sl_site_function *f = shape->instances[instance].code->function;

	for (uint32_t k = 0; k < f->point_count; k++) {
		uint32_t instances[8], count;

		if (!f->points[k].call)
			continue;
		if (f->points[k].call & (TABLE_CALL_POINTER | TABLE_CALL_VIRTUAL))
			feed_pointer(s, shape, instance, k);
		if (shape->instance_count > INSTANCES) {
			shape->all_feed = true;
			return;
		}
		count = sl_shape_callees(s, shape, shape->instances[instance].base + k, instances, 8);
		for (uint32_t i = 0; count != SL_NOT_RUN && i < count; i++)
			shape->instances[instances[i]].live = true;
	}
}

void
sl_shape_feed(struct sl_shapes *s, struct sl_shape *shape)
{
	/* they may become more on the way, each of a call in an earlier one */
	for (uint32_t i = 0; i < shape->instance_count; i++) {
		const struct sl_sliced *code = shape->instances[i].code;

		if (!code || !sl_shape_runs(shape, i))
			continue;
		for (uint32_t k = 0; k < code->branches; k++)
			feed_slice(s, shape, i, &code->function->slices[k]);
		feed_callees(s, shape, i);
	}
	shape->fed_of = true;
}
