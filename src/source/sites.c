#include "source/sites.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "source/sites_within.h"

/* What is left to read. A missing number reads as 0, and sets `bad`. */
struct reader {
	const unsigned char *at, *end;
	bool bad;
};

static uint64_t
fixed(struct reader *r, unsigned bytes)
{
	uint64_t number = 0;

	if ((size_t)(r->end - r->at) < bytes) {
		r->bad = true;
		r->at = r->end;
		return 0;
	}
	for (unsigned i = 0; i < bytes; i++)
		number |= (uint64_t)*r->at++ << 8 * i;
	return number;
}

static uint64_t
leb(struct reader *r, bool is_signed)
{
	uint64_t number = 0;
	unsigned shift = 0, byte;

	do {
		if (r->at == r->end || shift > 63) {
			r->bad = true;
			return 0;
		}
		byte = *r->at++;
		number |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && byte & 0x40 && shift < 64)
		number |= UINT64_MAX << shift;
	return number;
}

/* The columns of a part. */
struct part {
	struct reader of[TABLE_COLUMNS];
	bool bad;
};

static uint32_t
u(struct part *r, enum table_column column)
{
	uint64_t number = leb(&r->of[column], false);

	r->bad |= r->of[column].bad || number > UINT32_MAX;
	return (uint32_t)number;
}

/* Reads a number that is stored as its distance from another one. */
static uint32_t
moved(struct part *r, enum table_column column, uint32_t from)
{
	uint32_t by = (uint32_t)leb(&r->of[column], true);

	r->bad |= r->of[column].bad;
	return from + by;
}

/* Reads the number of a record; there are `count` of them. */
static uint32_t
below(struct part *r, enum table_column column, size_t count)
{
	uint32_t number = u(r, column);

	if (number < count)
		return number;
	r->bad = true;
	return 0;
}

/* Allocates records; each takes at least a byte of this column. `before`: no part is there twice. */
static void *
records(struct part *r, void *before, size_t *count, size_t size, enum table_column column)
{
	size_t wanted = u(r, TABLE_COUNT);
	void *memory;

	if (r->bad || before || wanted > (size_t)(r->of[column].end - r->of[column].at)) {
		r->bad = true;
		return before;
	}
	memory = calloc(wanted + 1, size);
	if (memory)
		*count = wanted;
	r->bad |= !memory;
	return memory;
}

/* The strings of a unit, by number. */
struct strings {
	const char **items;
	size_t count;
};

static const char *
string(struct part *r, enum table_column column, const struct strings *strings)
{
	uint32_t number = below(r, column, strings->count);

	return strings->count ? strings->items[number] : "";
}

static void
read_strings(struct part *r, struct sl_site_unit *unit, struct strings *strings)
{
	strings->items = records(r, strings->items, &strings->count, sizeof(*strings->items), TABLE_STRING_BYTES);

	const struct reader *bytes = &r->of[TABLE_STRING_BYTES];

	if (r->bad || bytes->at == bytes->end || bytes->end[-1] || unit->strings) {
		r->bad = true;
		return;
	}

	size_t size = (size_t)(bytes->end - bytes->at), used = 0;

	unit->strings = malloc(size);
	if (!unit->strings) {
		r->bad = true;
		return;
	}
	memcpy(unit->strings, bytes->at, size);
	for (size_t i = 0; i < strings->count; i++) {
		if (used >= size) {
			r->bad = true;
			return;
		}
		strings->items[i] = unit->strings + used;
		used += strlen(strings->items[i]) + 1;
	}
}

static void
read_functions(struct part *r, struct sl_site_unit *unit, const struct strings *strings)
{
	unit->functions =
		records(r, unit->functions, &unit->function_count, sizeof(*unit->functions), TABLE_FUNCTION_NAME);
	for (size_t i = 0; i < unit->function_count && !r->bad; i++) {
		struct sl_site_function *f = &unit->functions[i];

		f->unit = unit;
		f->type = f->class_name = "";
		f->name = string(r, TABLE_FUNCTION_NAME, strings);
		f->linkage = string(r, TABLE_FUNCTION_LINKAGE, strings);
		f->file = string(r, TABLE_FUNCTION_FILE, strings);
		f->line = u(r, TABLE_FUNCTION_LINE);
		f->flags = f->line & 1 ? TABLE_ADDRESS_TAKEN : 0;
		f->line /= 2;
	}
}

static void
read_frames(struct part *r, struct sl_site_unit *unit, const struct strings *strings)
{
	unit->frames = records(r, unit->frames, &unit->frame_count, sizeof(*unit->frames), TABLE_FRAME_FUNCTION);
	for (size_t i = 0; i < unit->frame_count && !r->bad; i++) {
		struct sl_site_frame *f = &unit->frames[i];
		uint32_t outer;

		f->file = "";
		f->function = &unit->functions[below(r, TABLE_FRAME_FUNCTION, unit->function_count)];
		outer = below(r, TABLE_FRAME_OUTER, i + 1); /* only earlier frames, so that there is no circle */
		if (!outer)
			continue;
		f->outer = &unit->frames[outer - 1];
		f->file = string(r, TABLE_FRAME_FILE, strings);
		f->line = u(r, TABLE_FRAME_PLACE);
		f->column = u(r, TABLE_FRAME_PLACE);
	}
}

static void
read_objects(struct part *r, struct sl_site_unit *unit, const struct strings *strings)
{
	unit->objects = records(r, unit->objects, &unit->object_count, sizeof(*unit->objects), TABLE_OBJECT_KIND);
	for (size_t i = 0; i < unit->object_count && !r->bad; i++) {
		struct sl_site_object *o = &unit->objects[i];
		const char **texts[] = {&o->variable, &o->scope,  &o->container, &o->path,
					&o->holder,   &o->member, &o->type};
		uint32_t kind = u(r, TABLE_OBJECT_KIND);

		o->kind = (enum table_object_kind)(kind % TABLE_THREAD_LOCAL);
		o->per_thread = kind >= TABLE_THREAD_LOCAL;
		r->bad |= kind >= 2 * TABLE_THREAD_LOCAL || o->kind >= TABLE_OBJECT_KINDS;
		for (size_t k = 0; k < sizeof(texts) / sizeof(*texts); k++)
			*texts[k] = string(r, (enum table_column)(TABLE_OBJECT_VARIABLE + k), strings);
	}
}

/* Makes room for one more item in an array that began empty. NULL: there is no memory. */
static void *
grow(void *items, size_t count, size_t size)
{
	/* the array grows at each power of two from 64 on */
	if (count && (count < 64 || count & (count - 1)))
		return items;
	return realloc(items, (count < 64 ? 64 : count * 2) * size);
}

#define GROW(items, count)                                                                                        \
	({                                                                                                        \
		void *grown = grow((items), (count), sizeof(*(items)));                                           \
		if (grown)                                                                                        \
			(items) = grown;                                                                          \
		else                                                                                              \
			r->bad = true;                                                                            \
		grown ? &(items)[(count)++] : NULL;                                                               \
	})

static void
read_point(struct part *r, struct sl_site_unit *unit, const struct strings *strings, struct sl_site_function *f,
	   uint32_t *line)
{
	struct sl_site_point *p = GROW(unit->points, unit->point_count);

	if (!p)
		return;
	*p = (struct sl_site_point){.function = f, .file = f->file, .type = ""};
	p->flags = u(r, TABLE_POINT_FLAGS);
	if (p->flags & TABLE_FILE)
		p->file = string(r, TABLE_POINT_REST, strings);
	p->line = *line = moved(r, TABLE_POINT_LINE, *line);
	p->column = u(r, TABLE_POINT_COLUMN);
	if (p->flags & TABLE_CALL) {
		uint32_t callee;

		p->call = u(r, TABLE_POINT_CALL);
		r->bad |= !p->call;
		callee = below(r, TABLE_POINT_CALLEE, unit->function_count + 1);
		p->callee = callee && !r->bad ? &unit->functions[callee - 1] : NULL;
		if (p->call & TABLE_CALL_POINTER)
			p->type = string(r, TABLE_POINT_REST, strings);
	}
	if (p->flags & TABLE_OF_OBJECT) {
		uint32_t object = below(r, TABLE_POINT_OBJECT, unit->object_count);

		if (!r->bad)
			p->object = &unit->objects[object];
	}
	r->bad |= !(p->flags & TABLE_CALL) && !p->object;
	p->flags &= ~(uint32_t)(TABLE_FILE | TABLE_OF_OBJECT);
}

#define MOST_TEXT 64 /* times as many bytes as the strings have: all texts together */

/* A text: its beginning, and behind it what its object says already. */
static const char *
read_text(struct part *r, enum table_column column, struct sl_site_unit *unit, const struct strings *strings,
	  const struct sl_site_object *o, size_t *room)
{
	uint32_t code = u(r, column), number = code / 3;
	const char *end = code % 3 == 1 ? o->path : code % 3 == 2 ? o->variable : "", *begin;
	size_t length, more = strlen(end);
	char *text, **kept;

	r->bad |= number >= strings->count;
	if (r->bad)
		return "";
	begin = strings->items[number];
	if (!more || !*begin)
		return more ? end : begin;
	length = strlen(begin);
	kept = length + more < *room ? GROW(unit->texts, unit->text_count) : NULL;
	text = kept ? malloc(length + more + 1) : NULL;
	if (kept)
		*kept = text;
	r->bad |= !text;
	if (!text)
		return "";
	*room -= length + more;
	memcpy(text, begin, length);
	memcpy(text + length, end, more + 1);
	return text;
}

static void
read_region(struct part *r, struct sl_site_unit *unit, const struct strings *strings, struct sl_site_function *f,
	    size_t *room)
{
	struct sl_site_region *region = GROW(unit->regions, unit->region_count);
	uint32_t object, line = f->line, point = 0;

	if (!region)
		return;
	*region = (struct sl_site_region){.function = f};
	region->flags = u(r, TABLE_REGION_FIELDS);
	object = below(r, TABLE_REGION_FIELDS, unit->object_count);
	if (r->bad)
		return;
	region->object = &unit->objects[object];
	region->text = read_text(r, TABLE_REGION_FIELDS, unit, strings, region->object, room);
	region->line_count = u(r, TABLE_REGION_FIELDS);
	for (uint32_t i = 0; i < region->line_count && !r->bad; i++) {
		struct sl_site_lines *lines = GROW(unit->lines, unit->lines_count);
		uint32_t length = u(r, TABLE_REGION_FIELDS);

		if (!lines)
			return;
		lines->file = length & 1 ? string(r, TABLE_REGION_FIELDS, strings) : f->file;
		lines->first = moved(r, TABLE_REGION_FIELDS, line);
		lines->last = line = lines->first + length / 2;
		r->bad |= lines->last < lines->first;
	}
	region->point_count = u(r, TABLE_REGION_FIELDS);
	for (uint32_t i = 0; i < region->point_count && !r->bad; i++) {
		uint32_t *number = GROW(unit->numbers, unit->number_count);

		if (!number)
			return;
		*number = point += u(r, TABLE_REGION_POINTS);
		r->bad |= point >= f->point_count || (i && *number == number[-1]);
	}
}

static void
read_function_code(struct part *r, struct sl_site_unit *unit, const struct strings *strings, size_t *room)
{
	uint32_t number = below(r, TABLE_CODE_FUNCTION, unit->function_count), flags = u(r, TABLE_CODE_FUNCTION),
		 count, line;
	struct sl_site_function *f = &unit->functions[number];

	r->bad |= f->flags & TABLE_DEFINED || !(flags & TABLE_DEFINED); /* no function has two bodies */
	if (r->bad)
		return;
	f->flags |= flags & ~(uint32_t)TABLE_TWO_HASHES;
	f->last_line = line = f->line;
	f->last_line += u(r, TABLE_CODE_FUNCTION);
	r->bad |= f->last_line < f->line;
	f->type = string(r, TABLE_CODE_FUNCTION, strings);
	f->class_name = string(r, TABLE_CODE_FUNCTION, strings);
	f->hash = f->own_hash = fixed(&r->of[TABLE_CODE_HASH], TABLE_HASH);
	if (flags & TABLE_TWO_HASHES)
		f->hash = fixed(&r->of[TABLE_CODE_HASH], TABLE_HASH);
	r->bad |= r->of[TABLE_CODE_HASH].bad;
	count = u(r, TABLE_CODE_FUNCTION);
	for (; f->point_count < count && !r->bad; f->point_count++)
		read_point(r, unit, strings, f, &line);
	count = u(r, TABLE_CODE_FUNCTION);
	for (; f->region_count < count && !r->bad; f->region_count++)
		read_region(r, unit, strings, f, room);
}

static void
read_code(struct part *r, struct sl_site_unit *unit, const struct strings *strings, size_t *room)
{
	uint32_t count = u(r, TABLE_COUNT);
	const struct sl_site_point *point;
	const struct sl_site_lines *lines;
	const uint32_t *numbers;
	size_t regions = 0, points = 0;

	if (unit->points || unit->regions) {
		r->bad = true;
		return;
	}
	for (uint32_t i = 0; i < count && !r->bad; i++)
		read_function_code(r, unit, strings, room);
	if (r->bad)
		return;
	/*
	 * the arrays no longer move; their parts are in the order of the functions, which know how many are theirs
	 */
	lines = unit->lines;
	numbers = unit->numbers;
	for (size_t i = 0; unit->regions && i < unit->region_count; i++) {
		struct sl_site_region *region = &unit->regions[i];

		region->lines = lines;
		region->points = numbers;
		if (lines)
			lines += region->line_count;
		if (numbers)
			numbers += region->point_count;
	}
	while (unit->points && points < unit->point_count) {
		point = &unit->points[points];
		unit->functions[point->function - unit->functions].points = point;
		points += point->function->point_count;
	}
	while (unit->regions && regions < unit->region_count) {
		const struct sl_site_region *region = &unit->regions[regions];

		unit->functions[region->function - unit->functions].regions = region;
		regions += region->function->region_count;
	}
}

/* Where the point is that says the same. */
static void
read_as_point(struct part *r, struct sl_site *s, uint32_t *behind)
{
	const struct sl_site_function *f = s->frame->function;
	uint32_t number = moved(r, TABLE_SITE_POINT, *behind);

	r->bad |= number >= f->point_count || !f->points[number].object;
	if (r->bad)
		return;
	*behind = number + 1;
	s->point = &f->points[number];
	s->flags |= s->point->flags;
	s->file = s->point->file;
	s->line = s->point->line;
	s->column = s->point->column;
	s->object = s->point->object;
}

static void
read_sites(struct part *r, struct sl_site_unit *unit, const struct strings *strings, size_t *room)
{
	uint32_t line = 0, *behind = calloc(unit->frame_count + 1, sizeof(*behind));

	unit->sites = records(r, unit->sites, &unit->site_count, sizeof(*unit->sites), TABLE_SITE_FLAGS);
	r->bad |= !behind;
	for (size_t i = 0; i < unit->site_count && !r->bad; i++) {
		struct sl_site *s = &unit->sites[i];

		s->flags = u(r, TABLE_SITE_FLAGS);
		s->frame = &unit->frames[below(r, TABLE_SITE_FRAME, unit->frame_count)];
		if (r->bad)
			break;
		if (s->flags & TABLE_AS_POINT) {
			read_as_point(r, s, &behind[s->frame - unit->frames]);
		} else {
			s->file = s->flags & TABLE_FILE ? string(r, TABLE_SITE_PLACE, strings)
							: s->frame->function->file;
			s->line = line = moved(r, TABLE_SITE_PLACE, line);
			s->column = u(r, TABLE_SITE_PLACE);
			s->object = &unit->objects[below(r, TABLE_SITE_PLACE, unit->object_count)];
		}
		s->size = u(r, TABLE_SITE_SIZE);
		s->text = r->bad ? "" : read_text(r, TABLE_SITE_TEXT, unit, strings, s->object, room);
		s->flags &= ~(uint32_t)(TABLE_AS_POINT | TABLE_FILE | TABLE_OF_OBJECT);
		r->bad |= s->flags & TABLE_PAIR && i + 1 == unit->site_count;
	}
	free(behind);
}

/* The sites of the runs, whose addresses come behind the body. */
struct runs {
	uint32_t *sites, *counts;
	size_t site_count, count;
};

static void
read_run_sites(struct part *r, const struct sl_site_unit *unit, struct runs *runs)
{
	uint32_t count = u(r, TABLE_COUNT);

	r->bad |= runs->counts != NULL;
	for (uint32_t i = 0; i < count && !r->bad; i++) {
		uint32_t *length = GROW(runs->counts, runs->count), number = 0;

		if (!length)
			return;
		*length = u(r, TABLE_RUN_LENGTH);
		r->bad |= !*length;
		for (uint32_t k = 0; k < *length && !r->bad; k++) {
			uint32_t *site = GROW(runs->sites, runs->site_count);

			if (!site)
				return;
			*site = number = moved(r, TABLE_RUN_SITE, number);
			r->bad |= number++ >= unit->site_count;
		}
	}
}

/* The sources of one set: twice the number of a point, or twice that of a parameter and one. */
static void
read_sources(struct part *r, struct sl_site_unit *unit, const struct sl_site_function *f)
{
	uint32_t count = u(r, TABLE_SET_SIZE), code = 0;

	for (uint32_t i = 0; i < count && !r->bad; i++) {
		struct sl_site_source *source = GROW(unit->sources, unit->source_count);
		uint32_t step = u(r, TABLE_SET_SOURCE);

		if (!source)
			return;
		r->bad |= (i && !step) || step > UINT32_MAX - code;
		code += step;
		*source = (struct sl_site_source){NULL, 0};
		if (code & 1)
			source->parameter = code / 2;
		else if (code / 2 < f->point_count)
			source->point = &f->points[code / 2];
		else
			r->bad = true;
	}
}

static void
read_slice(struct part *r, struct sl_site_unit *unit, const struct strings *strings, struct sl_site_function *f,
	   uint32_t *line, uint32_t *point)
{
	struct sl_site_slice *s = GROW(unit->slices, unit->slice_count);
	uint32_t kind = u(r, TABLE_SLICED_KIND);

	if (!s)
		return;
	*s = (struct sl_site_slice){.function = f, .kind = (enum table_slice_kind)(kind % TABLE_SLICE_KINDS)};
	s->flags = kind & ~(uint32_t)(TABLE_SLICE_KINDS - 1) & ~(uint32_t)TABLE_SLICE_FILE;
	if (s->kind == TABLE_SLICE_BRANCH) {
		s->file = kind & TABLE_SLICE_FILE ? string(r, TABLE_SLICED_PLACE, strings) : f->file;
		s->line = *line = moved(r, TABLE_SLICED_PLACE, *line);
		s->column = u(r, TABLE_SLICED_COLUMN);
	} else if (s->kind != TABLE_SLICE_RESULT) {
		*point = moved(r, TABLE_SLICED_POINT, *point);
		if (*point >= f->point_count) {
			r->bad = true;
			return;
		}
		s->point = &f->points[*point];
		r->bad |= s->kind == TABLE_SLICE_ARGUMENT ? !s->point->call : !(s->point->flags & TABLE_WRITES);
	}
	if (s->kind == TABLE_SLICE_ARGUMENT)
		s->argument = u(r, TABLE_SLICED_ARGUMENT);
}

/* The sets of a function, each by where it begins among the sources and where it ends. */
static void
read_function_slices(struct part *r, struct sl_site_unit *unit, const struct strings *strings, size_t **sets,
		     size_t *room, size_t **begins)
{
	struct sl_site_function *f = &unit->functions[below(r, TABLE_SLICED_FUNCTION, unit->function_count)];
	uint32_t set_count = u(r, TABLE_SLICED_FUNCTION), count, line = f->line, point = 0, used = 0;

	r->bad |= !(f->flags & TABLE_DEFINED) || f->slice_count ||
		  set_count > (size_t)(r->of[TABLE_SET_SIZE].end - r->of[TABLE_SET_SIZE].at);
	if (r->bad)
		return;
	if (set_count + 1 > *room) {
		size_t *larger = realloc(*sets, (set_count + 1) * sizeof(*larger));

		r->bad |= !larger;
		if (!larger)
			return;
		*sets = larger;
		*room = set_count + 1;
	}
	for (uint32_t i = 0; i < set_count && !r->bad; i++) {
		(*sets)[i] = unit->source_count;
		read_sources(r, unit, f);
	}
	(*sets)[set_count] = unit->source_count;
	count = u(r, TABLE_SLICED_FUNCTION);
	for (uint32_t i = 0; i < count && !r->bad; i++) {
		uint32_t back, set;
		size_t *begin;

		read_slice(r, unit, strings, f, &line, &point);
		/* 0: the next one that has not been there yet; else how far it is behind the last of those that have */
		back = u(r, TABLE_SLICED_SET);
		r->bad |= back > used || (!back && used == set_count);
		if (r->bad)
			return;
		set = back ? used - back : used++;
		size_t number = unit->slice_count - 1;

		begin = grow(*begins, number, sizeof(**begins));
		r->bad |= !begin;
		if (!begin)
			return;
		*begins = begin;
		(*begins)[number] = (*sets)[set];
		unit->slices[number].source_count = (uint32_t)((*sets)[set + 1] - (*sets)[set]);
		f->slice_count++;
	}
}

static void
read_slices(struct part *r, struct sl_site_unit *unit, const struct strings *strings)
{
	uint32_t count = u(r, TABLE_COUNT);
	size_t *sets = NULL, room = 0, *begins = NULL, at = 0;

	r->bad |= unit->slices != NULL;
	for (uint32_t i = 0; i < count && !r->bad; i++)
		read_function_slices(r, unit, strings, &sets, &room, &begins);
	/* all are where they stay */
	while (unit->slices && begins && at < unit->slice_count && !r->bad) {
		struct sl_site_function *f = &unit->functions[unit->slices[at].function - unit->functions];

		f->slices = &unit->slices[at];
		for (uint32_t i = 0; i < f->slice_count; i++, at++)
			unit->slices[at].sources = unit->sources ? unit->sources + begins[at] : NULL;
	}
	free(sets);
	free(begins);
}

static void
read_unit(struct part *r, struct sl_site_unit *unit, const struct strings *strings)
{
	if (u(r, TABLE_COUNT) != 1)
		r->bad = true;
	unit->file = string(r, TABLE_UNIT_TEXT, strings);
	unit->directory = string(r, TABLE_UNIT_TEXT, strings);
	unit->compiler = string(r, TABLE_UNIT_TEXT, strings);
	unit->macros = string(r, TABLE_UNIT_TEXT, strings);
}

/* Reads where the columns of a part are. */
static struct part
columns_of(struct reader *r)
{
	struct part part = {.bad = false};
	uint64_t count = leb(r, false), sizes[TABLE_COLUMNS] = {0};

	for (uint64_t i = 0; i < count && !r->bad; i++) {
		uint64_t size = leb(r, false);

		r->bad |= size > (uint64_t)(r->end - r->at);
		if (i < TABLE_COLUMNS)
			sizes[i] = size;
	}
	for (unsigned i = 0; i < TABLE_COLUMNS; i++) {
		r->bad |= sizes[i] > (uint64_t)(r->end - r->at);
		if (r->bad)
			sizes[i] = 0;
		part.of[i] = (struct reader){r->at, r->at + sizes[i], false};
		r->at += sizes[i];
	}
	part.bad = r->bad;
	return part;
}

/* Parts refer only to earlier parts. */
static void
read_body(struct reader *body, struct sl_site_unit *unit, struct runs *runs)
{
	struct strings strings = {0};
	size_t room = (size_t)(body->end - body->at) * MOST_TEXT;

	unit->file = unit->directory = unit->compiler = unit->macros = "";
	while (body->at < body->end && !body->bad) {
		uint64_t part = leb(body, false), size = leb(body, false);

		if (body->bad || size > (uint64_t)(body->end - body->at)) {
			body->bad = true;
			break;
		}

		struct reader whole = {body->at, body->at + size, false};
		struct part r = columns_of(&whole);

		body->at += size;
		if (r.bad) {
			body->bad = true;
			break;
		}
		switch (part) {
		case TABLE_STRINGS:
			read_strings(&r, unit, &strings);
			break;
		case TABLE_UNIT:
			read_unit(&r, unit, &strings);
			break;
		case TABLE_FUNCTIONS:
			read_functions(&r, unit, &strings);
			break;
		case TABLE_FRAMES:
			if (unit->functions)
				read_frames(&r, unit, &strings);
			else
				r.bad = true;
			break;
		case TABLE_OBJECTS:
			read_objects(&r, unit, &strings);
			break;
		case TABLE_SITES:
			if (unit->frames && unit->objects)
				read_sites(&r, unit, &strings, &room);
			else
				r.bad = true;
			break;
		case TABLE_CODE:
			if (unit->functions && unit->objects)
				read_code(&r, unit, &strings, &room);
			else
				r.bad = true;
			break;
		case TABLE_RUNS:
			read_run_sites(&r, unit, runs);
			break;
		case TABLE_SLICES:
			if (unit->functions)
				read_slices(&r, unit, &strings);
			else
				r.bad = true;
			break;
		default:
			break;
		}
		body->bad |= r.bad;
	}
	free(strings.items);
}

static bool
add_call(struct sl_sites *sites, uint64_t address, const struct sl_site_unit *unit, uint32_t site)
{
	if (sites->call_count == sites->call_room) {
		size_t room = sites->call_room ? sites->call_room * 2 : 256;
		struct sl_site_call *calls = realloc(sites->calls, room * sizeof(*calls));

		if (!calls)
			return false;
		sites->calls = calls;
		sites->call_room = room;
	}
	sites->calls[sites->call_count++] = (struct sl_site_call){address, unit, &unit->sites[site]};
	return true;
}

static void
read_runs(struct reader *r, struct sl_sites *sites, const struct sl_site_unit *unit, const struct runs *runs)
{
	const uint32_t *site = runs->sites;

	for (size_t i = 0; i < runs->count && !r->bad; i++) {
		uint64_t address = fixed(r, 8);
		bool discarded = !address;

		for (uint32_t k = 0; k < runs->counts[i] && !r->bad; k++, site++) {
			if (k)
				address += leb(r, false);
			if (!r->bad && !discarded)
				r->bad |= !add_call(sites, address, unit, *site);
		}
	}
	r->bad |= r->at != r->end;
}

static void
unit_release(struct sl_site_unit *unit)
{
	free(unit->functions);
	free(unit->frames);
	free(unit->objects);
	free(unit->sites);
	free(unit->points);
	free(unit->regions);
	free(unit->lines);
	free(unit->numbers);
	free(unit->slices);
	free(unit->sources);
	for (size_t i = 0; i < unit->text_count; i++)
		free(unit->texts[i]);
	free(unit->texts);
	free(unit->strings);
}

/* Bodies of real programs unpack to less than this many times their size; a larger number is not believed. */
#define MOST_PACKED 200

/* NULL: the frame is damaged, or there is no memory. */
static void *
unpack(const unsigned char *frame, uint32_t packed, uint32_t size)
{
	void *body = size / MOST_PACKED <= packed ? malloc(size + 1) : NULL;

	if (body && ZSTD_decompress(body, size, frame, packed) != size) {
		free(body);
		return NULL;
	}
	return body;
}

static bool
read_contribution(struct reader *r, struct sl_sites *sites)
{
	const unsigned char *start = r->at;
	bool ours = (size_t)(r->end - r->at) >= TABLE_HEADER && !memcmp(r->at, TABLE_MAGIC, 4);
	uint32_t size, version, join, offset, packed, raw;
	struct sl_site_unit *unit = &sites->units[sites->unit_count];

	if (!ours)
		return false;
	r->at += 4;
	size = (uint32_t)fixed(r, 4);
	version = (uint32_t)fixed(r, 1);
	join = (uint32_t)fixed(r, 1);
	fixed(r, 2);
	offset = (uint32_t)fixed(r, 4);
	packed = (uint32_t)fixed(r, 4);
	raw = (uint32_t)fixed(r, 4);
	if (size < TABLE_HEADER || size > (size_t)(r->end - start))
		return false;

	r->at = start + size;
	if (version != TABLE_VERSION) {
		sites->foreign++;
		return true;
	}
	if (packed > size - TABLE_HEADER || (join != TABLE_BY_PC && join != TABLE_BY_LINE))
		return false;

	const unsigned char *content = start + TABLE_HEADER;
	void *unpacked = raw == packed ? NULL : unpack(content, packed, raw);
	struct runs of_runs = {0};
	struct reader body = {content, content + packed, false}, runs = {content + packed, start + size, false};

	if (raw != packed && !unpacked)
		return false;
	if (unpacked)
		body = (struct reader){unpacked, (unsigned char *)unpacked + raw, false};

	sites->unit_count++;
	unit->join = (enum table_join)join;
	unit->offset = offset;
	read_body(&body, unit, &of_runs);
	free(unpacked);
	if (join == TABLE_BY_PC && !body.bad)
		read_runs(&runs, sites, unit, &of_runs);
	free(of_runs.sites);
	free(of_runs.counts);
	return !body.bad && !runs.bad;
}

/*
 * Code that was compiled into several files is linked once, and all files say the same about it: the first one
 * counts.
 */
static int
by_address(const void *a, const void *b)
{
	const struct sl_site_call *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

struct sl_sites *
sl_sites_parse(const void *bytes, size_t size, struct sl_err *err)
{
	struct reader r = {bytes, (const unsigned char *)bytes + size, false};
	struct sl_sites *sites = calloc(1, sizeof(*sites));

	if (sites) /* units are referred to, so they must not move */
		sites->units = calloc(size / TABLE_HEADER + 1, sizeof(*sites->units));
	if (!sites || !sites->units) {
		sl_err_set(err, "there is no memory for the table of sites");
		sl_sites_free(sites);
		return NULL;
	}
	while (r.at < r.end) {
		size_t at = size - (size_t)(r.end - r.at);

		if (!read_contribution(&r, sites)) {
			sl_err_set(err,
				   "the table of sites in section " TABLE_SECTION
				   " is damaged, in what begins at byte %zu",
				   at);
			sl_sites_free(sites);
			return NULL;
		}
	}
	if (sites->call_count)
		qsort(sites->calls, sites->call_count, sizeof(*sites->calls), by_address);
	if (!sl_sites_index(sites)) {
		sl_err_set(err, "there is no memory for the table of sites");
		sl_sites_free(sites);
		return NULL;
	}
	return sites;
}

void
sl_sites_free(struct sl_sites *sites)
{
	if (!sites)
		return;
	for (size_t i = 0; i < sites->unit_count; i++)
		unit_release(&sites->units[i]);
	free(sites->units);
	free(sites->calls);
	free(sites->defined);
	free(sites);
}

/* Finds the entry of .debug_info for each unit. */
static void
find_entries(struct sl_sites *sites, Dwarf *dwarf)
{
	for (size_t i = 0; i < sites->unit_count; i++) {
		struct sl_site_unit *unit = &sites->units[i];
		Dwarf_Off next;
		size_t header;

		if (unit->join == TABLE_BY_LINE &&
		    dwarf_next_unit(dwarf, unit->offset, &next, &header, NULL, NULL, NULL, NULL, NULL, NULL) == 0)
			unit->die = unit->offset + header;
	}
}

struct sl_sites *
sl_sites_read(Elf *elf, Dwarf *dwarf, struct sl_err *err)
{
	struct sl_sites *sites = NULL;
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	*err->text = '\0';
	if (elf_getshdrstrndx(elf, &names) != 0)
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
		Elf_Data *data;

		if (!name || strcmp(name, TABLE_SECTION) != 0)
			continue;
		if (header.sh_flags & SHF_COMPRESSED && elf_compress(section, 0, 0) < 0) {
			sl_err_set(err, "cannot unpack section " TABLE_SECTION ": %s", elf_errmsg(-1));
			return NULL;
		}
		data = elf_rawdata(section, NULL);
		if (!data || !data->d_buf || !(sites = sl_sites_parse(data->d_buf, data->d_size, err)))
			return NULL;
		if (dwarf)
			find_entries(sites, dwarf);
		return sites;
	}
	return NULL;
}

size_t
sl_sites_unit_count(const struct sl_sites *sites)
{
	return sites->unit_count;
}

const struct sl_site_unit *
sl_sites_unit(const struct sl_sites *sites, size_t number)
{
	return &sites->units[number];
}

size_t
sl_sites_foreign(const struct sl_sites *sites)
{
	return sites->foreign;
}

size_t
sl_sites_calls(const struct sl_sites *sites, const struct sl_site_call **calls)
{
	*calls = sites->calls;
	return sites->call_count;
}

/* Chooses between the two sites of a statement. */
static const struct sl_site *
choose(const struct sl_site *site, bool writes)
{
	return writes && site->flags & TABLE_PAIR ? site + 1 : site;
}

static const struct sl_site *
by_line(const struct sl_sites *sites, Dwarf_Die *unit, uint64_t address, bool writes)
{
	Dwarf_Off entry = dwarf_dieoffset(unit);
	const struct sl_site_unit *found = NULL;
	unsigned discriminator = 0;
	Dwarf_Lines *lines;
	Dwarf_Addr at;
	size_t count, low = 0;
	bool end;

	for (size_t i = 0; i < sites->unit_count && !found; i++)
		if (sites->units[i].die == entry && entry)
			found = &sites->units[i];
	if (!found || dwarf_getsrclines(unit, &lines, &count) != 0)
		return NULL;
	/* the last row at or before the call counts, also among several at one address */
	for (size_t high = count; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (dwarf_lineaddr(dwarf_onesrcline(lines, middle), &at) != 0)
			return NULL;
		if (at <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || dwarf_lineendsequence(dwarf_onesrcline(lines, low - 1), &end) != 0 || end ||
	    dwarf_linediscriminator(dwarf_onesrcline(lines, low - 1), &discriminator) != 0)
		return NULL;
	return discriminator && discriminator <= found->site_count
		       ? choose(&found->sites[discriminator - 1], writes)
		       : NULL;
}

const struct sl_site *
sl_sites_find(const struct sl_sites *sites, Dwarf_Die *unit, uint64_t address, bool writes)
{
	size_t low = 0, high = sites->call_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sites->calls[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < sites->call_count && sites->calls[low].address == address)
		return choose(sites->calls[low].site, writes);
	return unit && address ? by_line(sites, unit, address - 1, writes) : NULL;
}
