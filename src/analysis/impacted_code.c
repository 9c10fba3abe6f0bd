#include "analysis/impacted_code.h"

#include "base/room.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define NO_POINT UINT32_MAX

struct found {
	struct sl_impacted_code *code;
	size_t capacity, place_capacity;
	const struct sl_binaries *binaries;
	const struct sl_points *points;
	/* the answer for the last place: the rows of a line mostly follow each other */
	struct sl_site_unit compilation; /* its folder */
	const char *last_file;
	char last_name[4096];
	uint32_t last_line;
	uint8_t last_kinds;
	uint32_t last_point;
	bool last_beside;
	/* accesses to fields whose line is not known yet, by address */
	struct sl_impacted_place *fields;
	size_t field_count, field_capacity;
};

static void
add(struct found *f, uint64_t low, uint64_t high, uint8_t kinds)
{
	struct sl_impacted_range *last = f->code->count ? &f->code->ranges[f->code->count - 1] : NULL;

	if (!kinds || low >= high)
		return;
	if (last && last->high == low && last->kinds == kinds) {
		last->high = high;
		return;
	}
	f->code->ranges = sl_room_for(f->code->ranges, f->code->count, &f->capacity, sizeof(*f->code->ranges));
	f->code->ranges[f->code->count++] = (struct sl_impacted_range){low, high, kinds};
}

static void
add_place(struct found *f, const struct sl_impacted_place *place)
{
	struct sl_impacted_code *code = f->code;

	code->places = sl_room_for(code->places, code->place_count, &f->place_capacity, sizeof(*code->places));
	code->places[code->place_count++] = *place;
}

/*
 * Returns the kinds of a line. The file's name is the debug information's own, the same string for the same file.
 */
static uint8_t
kinds_of(struct found *f, const char *file, uint32_t line)
{
	if (!file || !line)
		return 0;
	if (file != f->last_file) {
		char path[4096];

		if (!sl_sites_path(&f->compilation, file, path, sizeof(path)))
			return 0;
		strcpy(f->last_name, sl_binaries_name(f->binaries, path));
		f->last_file = file;
	} else if (line == f->last_line) {
		return f->last_kinds;
	}
	const struct sl_point *point = sl_points_line(f->points, f->last_name, line);
	const struct sl_point *any = point ? point : sl_points_function(f->points, f->last_name, line);

	f->last_line = line;
	f->last_point = any ? (uint32_t)(any - f->points->items) : NO_POINT;
	f->last_beside = !point;
	f->last_kinds = (uint8_t)((point ? SL_IMPACT_LINE : 0) | (any && *any->function ? SL_IMPACT_FUNCTION : 0) |
				  (sl_points_class(f->points, f->last_name, line) ? SL_IMPACT_CLASS : 0));
	return f->last_kinds;
}

/* ---- fields ---- */

/* Returns by object the number of its point, or NO_POINT. */
static uint32_t *
fields_of(const struct found *f, const struct sl_site_unit *unit)
{
	uint32_t *fields = sl_room_zeroed(unit->object_count, sizeof(*fields));

	for (size_t i = 0; i < unit->object_count; i++) {
		const struct sl_point *point = sl_points_field(f->points, &unit->objects[i]);

		fields[i] = point ? (uint32_t)(point - f->points->items) : NO_POINT;
	}
	return fields;
}

typedef void place_action(struct found *f, const struct sl_impacted_place *place);

static bool
add_field(struct found *f, const struct sl_site_unit *unit, const uint32_t *fields, const struct sl_site *site,
	  uint64_t low, uint64_t high, place_action *action)
{
	struct sl_impacted_place place = {.low = low, .high = high, .first = low};
	uint32_t first = fields[site->object - unit->objects];
	uint32_t second = site->flags & TABLE_PAIR ? fields[site[1].object - unit->objects] : NO_POINT;

	place.point = first;
	if (first != NO_POINT)
		action(f, &place);
	place.point = second;
	if (second != NO_POINT && second != first)
		action(f, &place);
	return first != NO_POINT || second != NO_POINT;
}

static void
wait_for_line(struct found *f, const struct sl_impacted_place *place)
{
	f->fields = sl_room_for(f->fields, f->field_count, &f->field_capacity, sizeof(*f->fields));
	f->fields[f->field_count++] = *place;
}

static int
by_low(const void *a, const void *b)
{
	const struct sl_impacted_place *x = a, *y = b;

	return (x->low > y->low) - (x->low < y->low);
}

/* The line of these addresses is known: accesses in it are noticed at its first instruction. */
static void
place_fields(struct found *f, uint64_t low, uint64_t high)
{
	size_t first = 0, last = f->field_count;

	while (first < last) {
		size_t middle = first + (last - first) / 2;

		if (f->fields[middle].low < low)
			first = middle + 1;
		else
			last = middle;
	}
	for (; first < f->field_count && f->fields[first].low < high; first++)
		if (f->fields[first].seen) {
			f->fields[first].seen = false;
			f->fields[first].first = low;
		}
}

/* For gcc, by return addresses. */
static void
fields_by_address(struct found *f, const struct sl_sites *sites)
{
	const struct sl_site_call *calls;
	size_t count = sl_sites_calls(sites, &calls), units = sl_sites_unit_count(sites);
	uint32_t **fields = sl_room_zeroed(units, sizeof(*fields));

	for (size_t i = 0; i < count; i++) {
		size_t number = (size_t)(calls[i].unit - sl_sites_unit(sites, 0));

		if (!fields[number])
			fields[number] = fields_of(f, calls[i].unit);
		if (add_field(f, calls[i].unit, fields[number], calls[i].site, calls[i].address - 1,
			      calls[i].address, wait_for_line))
			add(f, calls[i].address - 1, calls[i].address, SL_IMPACT_FIELD);
	}
	for (size_t i = 0; i < f->field_count; i++)
		f->fields[i].seen = true;
	if (f->field_count)
		qsort(f->fields, f->field_count, sizeof(*f->fields), by_low);
	for (size_t i = 0; i < units; i++)
		free(fields[i]);
	free(fields);
}

/* Without debug information the places of the sites are all that is known. */
static void
lines_by_address(struct found *f, const struct sl_sites *sites)
{
	const struct sl_site_call *calls;
	size_t count = sl_sites_calls(sites, &calls);
	char path[4096];

	for (size_t i = 0; i < count; i++) {
		const struct sl_site *site = calls[i].site;

		if (!sl_sites_path(calls[i].unit, site->file, path, sizeof(path)))
			continue;
		f->last_file = NULL;

		uint8_t kinds = kinds_of(f, path, site->line);

		add(f, calls[i].address - 1, calls[i].address, kinds);
		if (kinds & (SL_IMPACT_LINE | SL_IMPACT_FUNCTION))
			add_place(f, &(struct sl_impacted_place){.low = calls[i].address - 1,
								 .high = calls[i].address,
								 .point = f->last_point,
								 .seen = true,
								 .beside = f->last_beside});
	}
	f->last_file = NULL;
}

/* ---- lines ---- */

static const struct sl_site_unit *
unit_of(const struct sl_sites *sites, Dwarf_Die *die)
{
	Dwarf_Off offset = dwarf_dieoffset(die);

	for (size_t i = 0; sites && i < sl_sites_unit_count(sites); i++) {
		const struct sl_site_unit *unit = sl_sites_unit(sites, i);

		if (unit->join == TABLE_BY_LINE && unit->die && unit->die == offset)
			return unit;
	}
	return NULL;
}

static void
lines_of(struct found *f, const struct sl_sites *sites, Dwarf_Die *die)
{
	const struct sl_site_unit *unit = unit_of(sites, die);
	uint32_t *fields = unit ? fields_of(f, unit) : NULL;
	Dwarf_Lines *lines;
	size_t count;

	if (dwarf_getsrclines(die, &lines, &count) != 0)
		count = 0;
	for (size_t i = 0; i + 1 < count; i++) {
		Dwarf_Line *row = dwarf_onesrcline(lines, i), *next = dwarf_onesrcline(lines, i + 1);
		Dwarf_Addr low, high;
		unsigned discriminator = 0;
		uint8_t kinds;
		bool end;
		int line;

		if (dwarf_lineendsequence(row, &end) != 0 || end || dwarf_lineaddr(row, &low) != 0 ||
		    dwarf_lineaddr(next, &high) != 0 || low >= high || dwarf_lineno(row, &line) != 0)
			continue;
		kinds = kinds_of(f, dwarf_linesrc(row, NULL, NULL), (uint32_t)line);
		if (kinds & (SL_IMPACT_LINE | SL_IMPACT_FUNCTION))
			add_place(f, &(struct sl_impacted_place){low, high, low, f->last_point, false,
								 f->last_beside});
		place_fields(f, low, high);
		if (fields && dwarf_linediscriminator(row, &discriminator) == 0 && discriminator &&
		    discriminator <= unit->site_count &&
		    add_field(f, unit, fields, &unit->sites[discriminator - 1], low, high, add_place))
			kinds |= SL_IMPACT_FIELD;
		add(f, low, high, kinds);
	}
	free(fields);
}

/* ---- functions around inlined ones ---- */

static const char *
called_from(Dwarf_Die *die, uint32_t *line)
{
	Dwarf_Attribute attribute;
	Dwarf_Word file, number;
	Dwarf_Files *files;
	Dwarf_Die unit;
	size_t count;

	if (dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attribute), &file) != 0 ||
	    dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attribute), &number) != 0 ||
	    !dwarf_diecu(die, &unit, NULL, NULL) || dwarf_getsrcfiles(&unit, &files, &count) != 0)
		return NULL;
	*line = (uint32_t)number;
	return dwarf_filesrc(files, file, NULL, NULL);
}

/* around: the kinds of all places that the code of this entry was inlined into. */
static void
inlined(struct found *f, Dwarf_Die *die, uint8_t around)
{
	Dwarf_Die child;

	if (dwarf_child(die, &child) != 0)
		return;
	do {
		int tag = dwarf_tag(&child);
		uint8_t kinds = around;

		if (tag == DW_TAG_inlined_subroutine) {
			Dwarf_Addr base, low, high;
			uint32_t line = 0;
			const char *file = called_from(&child, &line);

			kinds |= (uint8_t)(kinds_of(f, file, line) << SL_IMPACT_AROUND);
			for (ptrdiff_t at = 0; kinds && (at = dwarf_ranges(&child, at, &base, &low, &high)) > 0;)
				add(f, low, high, kinds);
		}
		if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block || tag == DW_TAG_subprogram ||
		    tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
		    tag == DW_TAG_try_block || tag == DW_TAG_catch_block)
			inlined(f, &child, tag == DW_TAG_subprogram ? 0 : kinds);
	} while (dwarf_siblingof(&child, &child) == 0);
}

void
sl_impacted_code_find(struct sl_impacted_code *code, const struct sl_binaries *binaries,
		      const struct sl_binary *binary, const struct sl_points *points)
{
	struct found f = {.code = code, .binaries = binaries, .points = points, .compilation.directory = "/"};
	Dwarf_Off offset = 0, next;
	size_t header;

	*code = (struct sl_impacted_code){0};
	if (!points->count)
		return;
	if (binary->sites)
		fields_by_address(&f, binary->sites);
	if (!binary->dwarf && binary->sites)
		lines_by_address(&f, binary->sites);
	while (binary->dwarf && dwarf_nextcu(binary->dwarf, offset, &next, &header, NULL, NULL, NULL) == 0) {
		Dwarf_Die die;

		if (dwarf_offdie(binary->dwarf, offset + header, &die)) {
			f.compilation.directory = sl_binary_folder(&die);
			f.last_file = NULL;
			lines_of(&f, binary->sites, &die);
			inlined(&f, &die, 0);
		}
		offset = next;
	}
	for (size_t i = 0; i < f.field_count; i++)
		add_place(&f, &f.fields[i]);
	free(f.fields);
}

bool
sl_impacted_code_is_blind(const struct sl_impacted_code *codes, size_t count, const struct sl_points *points)
{
	bool *seen = sl_room_zeroed(points->count, sizeof(*seen)), blind = false;

	for (size_t c = 0; c < count; c++)
		for (size_t i = 0; i < codes[c].place_count; i++) {
			blind = blind || codes[c].places[i].seen;
			if (codes[c].places[i].point != NO_POINT)
				seen[codes[c].places[i].point] = true;
		}
	for (size_t i = 0; i < points->count && !blind; i++) {
		const struct sl_point *p = &points->items[i];

		if (seen[i])
			continue;
		/* a line may have no code of its own if its function has some */
		for (size_t k = 0; !p->field && !seen[i] && k < points->line_count; k++)
			seen[i] = seen[k] && strcmp(points->items[k].function, p->function) == 0 &&
				  strcmp(points->items[k].file, p->file) == 0;
		blind = !seen[i];
	}
	free(seen);
	return blind;
}

void
sl_impacted_code_release(struct sl_impacted_code *code)
{
	free(code->ranges);
	free(code->places);
	*code = (struct sl_impacted_code){0};
}
