#include "source/sites.h"

#include <stdlib.h>
#include <string.h>

#include "source/sites_within.h"
#include "source/table_coder.h"
#include "source/table_records.h"

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
leb(struct reader *r)
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
	return number;
}

/* Makes the unit of its records: numbers become pointers. */
struct making {
	const struct sl_records *from;
	struct sl_site_unit *unit;
	size_t room; /* for texts that are put together */
};

#define MOST_TEXT 64 /* bytes of texts that are put together, for each number of the body */

static const void *
item(const struct sl_record_list *list, size_t size, size_t number)
{
	return (const char *)list->items + size * number;
}

#define RECORD(m, list, type, number) ((const struct type *)item(&(m)->from->list, sizeof(struct type), (number)))
#define NUMBER(m, list, number) (*(const uint32_t *)item(&(m)->from->list, sizeof(uint32_t), (number)))

static const char *
string(const struct making *m, uint32_t number)
{
	return m->unit->strings + NUMBER(m, strings, number);
}

static void
make_functions(struct making *m)
{
	for (size_t i = 0; i < m->unit->function_count; i++) {
		const struct sl_record_function *r = RECORD(m, functions, sl_record_function, i);

		m->unit->functions[i] = (struct sl_site_function){
			.unit = m->unit,
			.name = string(m, r->name),
			.linkage = string(m, r->linkage),
			.file = string(m, r->file),
			.line = r->line,
			.flags = r->taken ? TABLE_ADDRESS_TAKEN : 0,
			.type = "",
			.class_name = "",
		};
	}
}

static void
make_frames(struct making *m)
{
	for (size_t i = 0; i < m->unit->frame_count; i++) {
		const struct sl_record_frame *r = RECORD(m, frames, sl_record_frame, i);

		m->unit->frames[i] = (struct sl_site_frame){
			.function = &m->unit->functions[r->function],
			.outer = r->outer ? &m->unit->frames[r->outer - 1] : NULL,
			.file = string(m, r->file),
			.line = r->line,
			.column = r->column,
		};
	}
}

static void
make_objects(struct making *m)
{
	for (size_t i = 0; i < m->unit->object_count; i++) {
		const struct sl_record_object *r = RECORD(m, objects, sl_record_object, i);

		m->unit->objects[i] = (struct sl_site_object){
			.kind = (enum table_object_kind)(r->kind % TABLE_THREAD_LOCAL),
			.per_thread = r->kind >= TABLE_THREAD_LOCAL,
			.variable = string(m, r->texts[TABLE_TEXT_VARIABLE]),
			.scope = string(m, r->texts[TABLE_TEXT_SCOPE]),
			.container = string(m, r->texts[TABLE_TEXT_CONTAINER]),
			.path = string(m, r->texts[TABLE_TEXT_PATH]),
			.holder = string(m, r->texts[TABLE_TEXT_HOLDER]),
			.member = string(m, r->texts[TABLE_TEXT_MEMBER]),
			.type = string(m, r->texts[TABLE_TEXT_TYPE]),
		};
	}
}

/* A text: its beginning, and behind it what its object says already. NULL: there is no memory, or it is too much. */
static const char *
text(struct making *m, uint32_t prefix, uint32_t ending, const struct sl_site_object *o)
{
	const char *end = ending == TABLE_ENDS_WITH_PATH       ? o->path
			  : ending == TABLE_ENDS_WITH_VARIABLE ? o->variable
							       : "";
	const char *begin = string(m, prefix);
	size_t length = strlen(begin), more = strlen(end);
	char *whole;

	if (!length || !more)
		return more ? end : begin;
	if (length + more >= m->room)
		return NULL;
	whole = malloc(length + more + 1);
	if (!whole)
		return NULL;
	m->room -= length + more;
	memcpy(whole, begin, length);
	memcpy(whole + length, end, more + 1);
	m->unit->texts[m->unit->text_count++] = whole;
	return whole;
}

static void
make_points(struct making *m, struct sl_site_function *f, struct sl_site_point *to, size_t first)
{
	for (uint32_t i = 0; i < f->point_count; i++) {
		const struct sl_record_point *r = RECORD(m, points, sl_record_point, first + i);

		to[i] = (struct sl_site_point){
			.function = f,
			.file = string(m, r->file),
			.line = r->line,
			.column = r->column,
			.flags = r->flags,
			.call = r->call,
			.object = r->object ? &m->unit->objects[r->object - 1] : NULL,
			.callee = r->callee ? &m->unit->functions[r->callee - 1] : NULL,
			.type = string(m, r->type),
		};
	}
}

static bool
make_region(struct making *m, struct sl_site_function *f, struct sl_site_region *to, size_t number, size_t *line,
	    size_t *point)
{
	const struct sl_record_region *r = RECORD(m, regions, sl_record_region, number);

	*to = (struct sl_site_region){
		.function = f,
		.object = &m->unit->objects[r->object],
		.flags = r->flags,
		.lines = m->unit->lines + *line,
		.points = m->unit->numbers + *point,
		.line_count = r->line_count,
		.point_count = r->point_count,
	};
	*line += r->line_count;
	*point += r->point_count;
	to->text = text(m, r->text, r->ending, to->object);
	return to->text;
}

static void
make_slice(struct making *m, struct sl_site_function *f, struct sl_site_slice *to, size_t number,
	   const size_t *sets)
{
	const struct sl_record_slice *r = RECORD(m, slices, sl_record_slice, number);
	enum table_slice_kind kind = (enum table_slice_kind)(r->kind % TABLE_SLICE_KINDS);
	bool branch = kind == TABLE_SLICE_BRANCH;

	*to = (struct sl_site_slice){
		.function = f,
		.kind = kind,
		.flags = r->kind & ~(uint32_t)(TABLE_SLICE_KINDS - 1),
		.file = branch ? string(m, r->file) : NULL,
		.line = branch ? r->line : 0,
		.column = branch ? r->column : 0,
		.point = branch || kind == TABLE_SLICE_RESULT ? NULL : &f->points[r->point],
		.argument = kind == TABLE_SLICE_ARGUMENT ? r->argument : 0,
		.sources = m->unit->sources + sets[r->set],
		.source_count = (uint32_t)(sets[r->set + 1] - sets[r->set]),
	};
}

/* All sets: where each begins among the sources, and behind them where the last one ends. */
static size_t *
sets_of(const struct making *m)
{
	size_t *sets = malloc((m->from->sets.count + 1) * sizeof(*sets)), at = 0;

	for (size_t i = 0; sets && i <= m->from->sets.count; i++) {
		sets[i] = at;
		if (i < m->from->sets.count)
			at += NUMBER(m, sets, i);
	}
	return sets;
}

static void
make_sources(struct making *m, const struct sl_site_function *f, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		uint32_t code = NUMBER(m, sources, i);

		m->unit->sources[i] = code & 1 ? (struct sl_site_source){NULL, code / 2}
					       : (struct sl_site_source){&f->points[code / 2], 0};
	}
}

static bool
make_code(struct making *m)
{
	struct sl_site_unit *unit = m->unit;
	size_t point = 0, region = 0, slice = 0, set = 0, line = 0, number = 0, *sets = sets_of(m);
	bool fine = sets;

	for (size_t i = 0; i < unit->lines_count; i++) {
		const struct sl_record_lines *r = RECORD(m, lines, sl_record_lines, i);

		unit->lines[i] = (struct sl_site_lines){string(m, r->file), r->first, r->last};
	}
	for (size_t i = 0; i < unit->number_count; i++)
		unit->numbers[i] = NUMBER(m, region_points, i);
	for (size_t i = 0; i < m->from->codes.count && fine; i++) {
		const struct sl_record_code *r = RECORD(m, codes, sl_record_code, i);
		struct sl_site_function *f = &unit->functions[r->function];

		f->flags |= r->flags & ~(uint32_t)TABLE_TWO_HASHES;
		f->last_line = f->line + r->lines;
		f->type = string(m, r->type);
		f->class_name = string(m, r->class_name);
		f->hash = r->hash;
		f->own_hash = r->own_hash;
		f->point_count = r->point_count;
		f->region_count = r->region_count;
		f->slice_count = r->slice_count;
		f->points = unit->points + point;
		f->regions = unit->regions + region;
		f->slices = unit->slices + slice;
		make_points(m, f, unit->points + point, point);
		make_sources(m, f, sets[set], sets[set + r->set_count]);
		for (uint32_t k = 0; k < r->region_count && fine; k++)
			fine = make_region(m, f, &unit->regions[region + k], region + k, &line, &number);
		for (uint32_t k = 0; k < r->slice_count; k++)
			make_slice(m, f, &unit->slices[slice + k], slice + k, sets + set);
		point += r->point_count;
		region += r->region_count;
		slice += r->slice_count;
		set += r->set_count;
	}
	free(sets);
	return fine;
}

static bool
make_sites(struct making *m)
{
	for (size_t i = 0; i < m->unit->site_count; i++) {
		const struct sl_record_site *r = RECORD(m, sites, sl_record_site, i);
		struct sl_site *s = &m->unit->sites[i];

		*s = (struct sl_site){
			.frame = &m->unit->frames[r->frame],
			.object = &m->unit->objects[r->object],
			.file = string(m, r->file),
			.flags = r->flags & ~(uint32_t)TABLE_AS_POINT,
			.line = r->line,
			.column = r->column,
			.size = r->size,
		};
		if (r->flags & TABLE_AS_POINT) {
			s->point = &s->frame->function->points[r->point];
			s->flags |= s->point->flags;
		}
		s->text = text(m, r->text, r->ending, s->object);
		if (!s->text)
			return false;
	}
	return true;
}

/* Memory for so many items, or one: a list that is empty is no NULL. */
static bool
allocate(void *list, size_t count, size_t size, size_t *counted)
{
	void *memory = calloc(count + 1, size);

	*counted = count;
	memcpy(list, &memory, sizeof(memory));
	return memory;
}

#define ALLOCATE(list, from, counter) allocate(&unit->list, r->from.count, sizeof(*unit->list), &unit->counter)

/* Takes the characters of the strings over. */
static bool
make_unit(struct sl_records *r, struct sl_site_unit *unit, uint32_t numbers)
{
	struct making m = {r, unit, (size_t)numbers * MOST_TEXT};
	size_t texts;

	unit->strings = r->characters.items;
	r->characters.items = NULL;
	if (!ALLOCATE(functions, functions, function_count) || !ALLOCATE(frames, frames, frame_count) ||
	    !ALLOCATE(objects, objects, object_count) || !ALLOCATE(sites, sites, site_count) ||
	    !ALLOCATE(points, points, point_count) || !ALLOCATE(regions, regions, region_count) ||
	    !ALLOCATE(lines, lines, lines_count) || !ALLOCATE(numbers, region_points, number_count) ||
	    !ALLOCATE(slices, slices, slice_count) || !ALLOCATE(sources, sources, source_count) ||
	    !allocate(&unit->texts, unit->site_count + unit->region_count, sizeof(*unit->texts), &texts))
		return false;
	unit->file = string(&m, r->file);
	unit->directory = string(&m, r->directory);
	unit->compiler = string(&m, r->compiler);
	unit->macros = string(&m, r->macros);
	make_functions(&m);
	make_frames(&m);
	make_objects(&m);
	return make_code(&m) && make_sites(&m);
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
read_runs(struct reader *r, struct sl_sites *sites, const struct sl_site_unit *unit,
	  const struct sl_records *records)
{
	const uint32_t *lengths = records->runs.items, *site = records->run_sites.items;

	for (size_t i = 0; i < records->runs.count && !r->bad; i++) {
		uint64_t address = fixed(r, 8);
		bool discarded = !address;

		for (uint32_t k = 0; k < lengths[i] && !r->bad; k++, site++) {
			if (k)
				address += leb(r);
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

/* false: the body is damaged, or there is no memory. */
static bool
read_body(struct sl_records *records, struct sl_site_unit *unit, const unsigned char *body, uint32_t size,
	  uint32_t numbers, bool plain)
{
	struct sl_coder coder;
	bool fine;

	if (numbers / TABLE_NUMBERS_PER_BYTE > size)
		return false;
	sl_coder_read(&coder, plain, numbers, body, size);
	sl_records_code(records, &coder);
	fine = !coder.bad && coder.numbers == numbers && make_unit(records, unit, numbers);
	sl_coder_release(&coder);
	return fine;
}

static bool
read_contribution(struct reader *r, struct sl_sites *sites)
{
	const unsigned char *start = r->at, *body = start + TABLE_HEADER;
	bool ours = (size_t)(r->end - r->at) >= TABLE_HEADER && !memcmp(r->at, TABLE_MAGIC, 4), fine;
	uint32_t size, version, join, sum, offset, body_size, numbers;
	struct sl_site_unit *unit = &sites->units[sites->unit_count];
	struct sl_records records = {0};

	if (!ours)
		return false;
	r->at += 4;
	size = (uint32_t)fixed(r, 4);
	version = (uint32_t)fixed(r, 1);
	join = (uint32_t)fixed(r, 1);
	sum = (uint32_t)fixed(r, 2);
	offset = (uint32_t)fixed(r, 4);
	body_size = (uint32_t)fixed(r, 4);
	numbers = (uint32_t)fixed(r, 4);
	if (size < TABLE_HEADER || size > (size_t)(r->end - start))
		return false;

	r->at = start + size;
	if (version != TABLE_VERSION) {
		sites->foreign++;
		return true;
	}
	unit->join = (enum table_join)(join & ~(uint32_t)TABLE_PLAIN);
	if (body_size > size - TABLE_HEADER || (unit->join != TABLE_BY_PC && unit->join != TABLE_BY_LINE) ||
	    sl_coder_sum(body, body_size) != sum)
		return false;
	unit->offset = offset;
	sites->unit_count++; /* what it has is freed, also if it makes no sense */
	fine = read_body(&records, unit, body, body_size, numbers, join & TABLE_PLAIN);
	if (fine && unit->join == TABLE_BY_PC) {
		struct reader runs = {body + body_size, start + size, false};

		read_runs(&runs, sites, unit, &records);
		fine = !runs.bad;
	}
	sl_records_release(&records);
	return fine;
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
