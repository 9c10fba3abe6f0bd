/*
 * The reader of the table of sites, on anything: a program's file may be a stranger's. Reading ends, and what is read without an error
 * can be gone through: numbers are in range, strings end, nothing leads in a circle, what is asked for is found again.
 *
 * In packed numbers each mutation would change all that follows, so an input is what a section is made of, with plain numbers. A byte: 'F',
 * and the section as it is; or else contributions: how (bit 0: by line, bit 1: packed), the size of the body (two bytes, as all sizes) and
 * the body, the size of the runs and the runs. Packed: records that make sense are packed as the compilers' plugins do it, anything else
 * is taken for packed numbers.
 */
#include "source/sites.h"
#include "source/table_records.h"

#include "fuzz.h"

#include <stdbool.h>
#include <string.h>

#define SECTION_MAX 200000
#define MOST_PACKED 65536

static const uint8_t *at, *end;

static unsigned
byte(void)
{
	return at < end ? *at++ : 0;
}

static size_t
size(void)
{
	size_t low = byte(), wanted = low | byte() << 8;

	return wanted < (size_t)(end - at) ? wanted : (size_t)(end - at);
}

static void
put32(uint8_t *to, size_t number)
{
	for (unsigned i = 0; i < 4; i++)
		to[i] = (uint8_t)(number >> 8 * i);
}

/* Makes plain numbers packed ones, at `to`, if they make sense. Returns how many bytes those have, and sets how many numbers there are. */
static size_t
repack(uint8_t *to, size_t room, size_t raw, size_t *numbers)
{
	struct sl_records records = {0};
	struct sl_coder in, out = {0};
	size_t size = 0;

	sl_coder_read(&in, true, raw, at, raw);
	sl_records_code(&records, &in);
	*numbers = in.numbers;
	if (!in.bad) {
		sl_coder_write(&out, true, 0);
		sl_records_code(&records, &out);
		*numbers = out.numbers;
		sl_coder_release(&out);
		sl_coder_write(&out, false, *numbers);
		sl_records_code(&records, &out);
		sl_coder_finish(&out);
		HOLDS(!out.bad && out.numbers == *numbers);
		if (out.size <= room && *numbers / TABLE_NUMBERS_PER_BYTE <= out.size) {
			memcpy(to, out.bytes, out.size);
			size = out.size;
		}
	}
	sl_coder_release(&out);
	sl_coder_release(&in);
	sl_records_release(&records);
	return size;
}

/* Returns how many bytes it has. */
static size_t
contribution(uint8_t *to)
{
	unsigned how = byte();
	size_t raw = size(), packed, runs, numbers;

	packed = repack(to + TABLE_HEADER, MOST_PACKED, raw, &numbers);
	if (!(how & 2) || !packed) {
		memcpy(to + TABLE_HEADER, at, raw);
		packed = raw;
	}
	at += raw;
	runs = size();
	memcpy(to + TABLE_HEADER + packed, at, runs);
	at += runs;
	memset(to, 0, TABLE_HEADER);
	memcpy(to, TABLE_MAGIC, 4);
	put32(to + 4, TABLE_HEADER + packed + runs);
	to[8] = TABLE_VERSION;
	to[9] = (how & 1 ? TABLE_BY_LINE : TABLE_BY_PC) | (how & 2 ? 0 : TABLE_PLAIN);
	to[10] = (uint8_t)sl_coder_sum(to + TABLE_HEADER, packed);
	to[11] = (uint8_t)(sl_coder_sum(to + TABLE_HEADER, packed) >> 8);
	put32(to + 16, packed);
	put32(to + 20, numbers);
	return TABLE_HEADER + packed + runs;
}

/* ---- what must hold ---- */

static volatile size_t characters; /* so that the strings are read */

static void
check_text(const char *text)
{
	HOLDS(text);
	characters += strlen(text);
}

static void
check_object(const struct sl_site_unit *unit, const struct sl_site_object *o)
{
	HOLDS(o >= unit->objects && o < unit->objects + unit->object_count);
	HOLDS(o->kind < TABLE_OBJECT_KINDS);
	check_text(o->variable);
	check_text(o->scope);
	check_text(o->container);
	check_text(o->path);
	check_text(o->holder);
	check_text(o->member);
	check_text(o->type);
}

static void
check_point(const struct sl_sites *sites, const struct sl_site_unit *unit, const struct sl_site_point *p)
{
	const struct sl_site_function *targets[3];

	check_text(p->file);
	check_text(p->type);
	HOLDS(p->object || p->flags & TABLE_CALL);
	HOLDS(!(p->flags & TABLE_CALL) == !p->call);
	if (p->object)
		check_object(unit, p->object);
	if (p->callee)
		HOLDS(p->callee >= unit->functions && p->callee < unit->functions + unit->function_count);
	for (size_t i = 0, count = sl_sites_targets(sites, p, targets, 3); i < count && i < 3; i++)
		HOLDS(targets[i]->flags & TABLE_DEFINED);
}

static void
check_region(const struct sl_site_unit *unit, const struct sl_site_function *f, const struct sl_site_region *r)
{
	HOLDS(r->function == f);
	check_object(unit, r->object);
	check_text(r->text);
	for (uint32_t i = 0; i < r->line_count; i++) {
		check_text(r->lines[i].file);
		HOLDS(r->lines[i].first <= r->lines[i].last);
	}
	for (uint32_t i = 0; i < r->point_count; i++)
		HOLDS(r->points[i] < f->point_count && (!i || r->points[i] > r->points[i - 1]));
}

static void
check_slice(const struct sl_site_function *f, const struct sl_site_slice *s)
{
	HOLDS(s->function == f && s->kind < TABLE_SLICE_KINDS);
	HOLDS(!s->file == (s->kind != TABLE_SLICE_BRANCH));
	if (s->file)
		check_text(s->file);
	HOLDS(!s->point == (s->kind == TABLE_SLICE_BRANCH || s->kind == TABLE_SLICE_RESULT));
	HOLDS(!s->point || s->point->function == f);
	for (uint32_t i = 0; i < s->source_count; i++) {
		const struct sl_site_source *source = &s->sources[i];

		HOLDS(!source->point || (source->point->function == f && !source->parameter));
		HOLDS(!i || source->point != s->sources[i - 1].point ||
		      source->parameter > s->sources[i - 1].parameter);
	}
}

/* Do both end with the same name? */
static bool
is_name_of(const char *path, const char *file)
{
	const char *a = strrchr(path, '/'), *b = strrchr(file, '/');

	return a && !strcmp(a + 1, b ? b + 1 : file);
}

static void
check_function(const struct sl_sites *sites, const struct sl_site_unit *unit, const struct sl_site_function *f)
{
	const struct sl_site_function *functions[2];
	const struct sl_site_point *points[2];
	const struct sl_site_region *regions[2];
	char path[300];

	HOLDS(f->unit == unit);
	check_text(f->name);
	check_text(f->linkage);
	check_text(f->type);
	check_text(f->class_name);
	for (uint32_t i = 0; i < f->point_count; i++) {
		HOLDS(f->points[i].function == f);
		check_point(sites, unit, &f->points[i]);
	}
	for (uint32_t i = 0; i < f->region_count; i++)
		check_region(unit, f, &f->regions[i]);
	for (uint32_t i = 0; i < f->slice_count; i++)
		check_slice(f, &f->slices[i]);
	if (!(f->flags & TABLE_DEFINED)) {
		HOLDS(!f->point_count && !f->region_count && !f->slice_count);
		return;
	}
	HOLDS(sl_sites_definition(sites, f) == f && f->line <= f->last_line);
	HOLDS(sl_sites_functions_named(sites, f->name, functions, 0) > 0);
	if (!sl_sites_path(unit, f->file, path, sizeof(path)) || !is_name_of(path, f->file))
		return; /* no compiler says "x/.." */
	HOLDS(sl_sites_functions_at(sites, path, f->line, functions, 2) > 0 && functions[0]->line <= f->line);
	if (f->point_count && !strcmp(f->points[0].file, f->file))
		HOLDS(sl_sites_points_at(sites, path, f->points[0].line, points, 2) > 0 &&
		      points[0]->line == f->points[0].line);
	if (f->region_count && f->regions[0].line_count && !strcmp(f->regions[0].lines[0].file, f->file))
		HOLDS(sl_sites_regions_at(sites, path, f->regions[0].lines[0].first, regions, 2) > 0);
}

static void
check_site(const struct sl_site_unit *unit, const struct sl_site *s)
{
	const struct sl_site_point *point = sl_sites_point_of(unit, s);
	size_t depth = 0;

	for (const struct sl_site_frame *f = s->frame; f; f = f->outer) {
		HOLDS(f >= unit->frames && f < unit->frames + unit->frame_count && depth++ < unit->frame_count);
		HOLDS(f->function >= unit->functions && f->function < unit->functions + unit->function_count);
		check_text(f->file);
	}
	check_object(unit, s->object);
	check_text(s->file);
	check_text(s->text);
	HOLDS(!(s->flags & TABLE_PAIR) || s + 1 < unit->sites + unit->site_count);
	HOLDS(!point || (point->function == s->frame->function && point->line == s->line));
}

static void
check(const struct sl_sites *sites)
{
	const struct sl_site_call *calls;
	size_t count = sl_sites_calls(sites, &calls);

	for (size_t i = 0; i < sl_sites_unit_count(sites); i++) {
		const struct sl_site_unit *unit = sl_sites_unit(sites, i);

		check_text(unit->file);
		check_text(unit->directory);
		check_text(unit->compiler);
		for (size_t k = 0; k < unit->function_count; k++)
			check_function(sites, unit, &unit->functions[k]);
		for (size_t k = 0; k < unit->site_count; k++)
			check_site(unit, &unit->sites[k]);
	}
	for (size_t i = 0; i < count; i++) {
		const struct sl_site *found = sl_sites_find(sites, NULL, calls[i].address, false);

		HOLDS(!i || calls[i].address >= calls[i - 1].address);
		HOLDS(found && sl_sites_find(sites, NULL, calls[i].address, true));
		check_site(calls[i].unit, calls[i].site);
	}
	HOLDS(!sl_sites_find(sites, NULL, 0, false) || (count && !calls[0].address));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
	static uint8_t section[SECTION_MAX];
	const uint8_t *bytes = data + 1;
	struct sl_err err = {""};
	struct sl_sites *sites;
	uint8_t *exact;
	size_t used = 0;

	at = data;
	end = data + count;
	if (byte() == 'F') {
		used = (size_t)(end - at);
	} else {
		at = data;
		bytes = section;
		while (at < end && used + (size_t)(end - at) + TABLE_HEADER + MOST_PACKED < SECTION_MAX)
			used += contribution(section + used);
	}
	exact = malloc(used + !used); /* the sanitizer sees a byte too many */
	HOLDS(exact);
	memcpy(exact, bytes, used);
	sites = sl_sites_parse(exact, used, &err);
	free(exact);
	HOLDS(sites || err.text[0]);
	if (sites)
		check(sites);
	sl_sites_free(sites);
	return 0;
}
