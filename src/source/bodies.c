/*
 * Answers questions about the code as it was written: which functions, points and regions the table of sites has.
 */
#include <stdlib.h>
#include <string.h>

#include "source/sites_within.h"

static const char *
linkage_of(const struct sl_site_function *f)
{
	return *f->linkage ? f->linkage : f->name;
}

static int
by_linkage(const void *a, const void *b)
{
	const struct sl_site_function *x = *(const struct sl_site_function *const *)a;
	const struct sl_site_function *y = *(const struct sl_site_function *const *)b;
	int order = strcmp(linkage_of(x), linkage_of(y));

	if (order)
		return order;
	if (x->unit != y->unit)
		return x->unit < y->unit ? -1 : 1;
	return x < y ? -1 : x > y;
}

bool
sl_sites_index(struct sl_sites *sites)
{
	size_t count = 0;

	for (size_t i = 0; i < sites->unit_count; i++)
		for (size_t k = 0; k < sites->units[i].function_count; k++)
			count += sites->units[i].functions[k].flags & TABLE_DEFINED;
	sites->defined = calloc(count + 1, sizeof(*sites->defined));
	if (!sites->defined)
		return false;
	for (size_t i = 0; i < sites->unit_count; i++)
		for (size_t k = 0; k < sites->units[i].function_count; k++)
			if (sites->units[i].functions[k].flags & TABLE_DEFINED)
				sites->defined[sites->defined_count++] = &sites->units[i].functions[k];
	qsort(sites->defined, sites->defined_count, sizeof(*sites->defined), by_linkage);
	/* what one file takes the address of may have its body in another one */
	for (size_t i = 0; i < sites->unit_count; i++)
		for (size_t k = 0; k < sites->units[i].function_count; k++) {
			const struct sl_site_function *f = &sites->units[i].functions[k], *body;

			body = f->flags & TABLE_ADDRESS_TAKEN ? sl_sites_definition(sites, f) : NULL;
			if (body)
				body->unit->functions[body - body->unit->functions].flags |= TABLE_ADDRESS_TAKEN;
		}
	return true;
}

const struct sl_site_function *
sl_sites_definition(const struct sl_sites *sites, const struct sl_site_function *function)
{
	size_t low = 0, high = sites->defined_count;

	if (function->flags & TABLE_DEFINED)
		return function;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(linkage_of(sites->defined[middle]), linkage_of(function)) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < sites->defined_count && !strcmp(linkage_of(sites->defined[low]), linkage_of(function)); low++)
		if (!(sites->defined[low]->flags & TABLE_LOCAL_NAME))
			return sites->defined[low];
	return NULL;
}

/* Compares with the function's name, with or without its class: "ns::queue::push". */
static bool
is_named(const struct sl_site_function *f, const char *name)
{
	size_t length = strlen(f->class_name);

	if (!strcmp(f->name, name) || (*f->linkage && !strcmp(f->linkage, name)))
		return true;
	return length && !strncmp(f->class_name, name, length) && !strncmp(name + length, "::", 2) &&
	       !strcmp(name + length + 2, f->name);
}

static int
by_place(const void *a, const void *b)
{
	const struct sl_site_function *x = *(const struct sl_site_function *const *)a;
	const struct sl_site_function *y = *(const struct sl_site_function *const *)b;

	return x < y ? -1 : x > y;
}

size_t
sl_sites_functions_named(const struct sl_sites *sites, const char *name, const struct sl_site_function **functions,
			 size_t room)
{
	size_t count = 0;

	for (size_t i = 0; i < sites->unit_count; i++)
		for (size_t k = 0; k < sites->units[i].function_count; k++) {
			const struct sl_site_function *f = &sites->units[i].functions[k];

			if (f->flags & TABLE_DEFINED && is_named(f, name) && count++ < room)
				functions[count - 1] = f;
		}
	return count;
}

bool
sl_site_type_fits(const char *called, const char *type)
{
	const char *called_end = strrchr(called, '('), *type_end = strrchr(type, '(');

	if (!*called || !*type || !strcmp(called, type))
		return true;
	/* "()" in C says nothing about the arguments */
	return called_end && type_end && (!strcmp(called_end, "(...)") || !strcmp(type_end, "(...)"));
}

size_t
sl_sites_targets(const struct sl_sites *sites, const struct sl_site_point *call,
		 const struct sl_site_function **functions, size_t room)
{
	const char *type = call->callee && call->callee->flags & TABLE_DEFINED ? call->callee->type : call->type;
	size_t count = 0;

	if (!(call->flags & TABLE_CALL))
		return 0;
	if (!(call->call & (TABLE_CALL_POINTER | TABLE_CALL_VIRTUAL))) {
		const struct sl_site_function *one =
			call->callee ? sl_sites_definition(sites, call->callee) : NULL;

		if (one && room)
			*functions = one;
		return one != NULL;
	}
	for (size_t i = 0; i < sites->defined_count; i++) {
		const struct sl_site_function *f = sites->defined[i];
		bool may = call->call & TABLE_CALL_VIRTUAL
				   ? f->flags & TABLE_VIRTUAL &&
					     (!call->callee || !strcmp(call->callee->name, f->name) ||
					      (*call->callee->name == '~' && *f->name == '~'))
				   : f->flags & TABLE_ADDRESS_TAKEN;

		if (may && sl_site_type_fits(type, f->type) && count++ < room)
			functions[count - 1] = f;
	}
	if (count <= room)
		qsort(functions, count, sizeof(*functions), by_place);
	return count;
}

bool
sl_sites_path(const struct sl_site_unit *unit, const char *file, char *path, size_t size)
{
	const char *parts[] = {*file == '/' ? "" : unit->directory, file};
	size_t used = 0;

	for (size_t i = 0; i < 2; i++)
		for (const char *at = parts[i]; *at;) {
			size_t length = strcspn(at, "/");

			if (length == 2 && !strncmp(at, "..", 2)) {
				while (used && path[used - 1] != '/')
					used--;
				used -= used > 0;
			} else if (length && !(length == 1 && *at == '.')) {
				if (used + length + 2 > size)
					return false;
				path[used++] = '/';
				memcpy(path + used, at, length);
				used += length;
			}
			at += length + (at[length] == '/');
		}
	if (used >= size)
		return false;
	path[used] = '\0';
	return true;
}

/* The last name of a path decides most comparisons. */
static bool
is_file(const struct sl_site_unit *unit, const char *file, const char *path)
{
	const char *last = strrchr(file, '/'), *wanted = strrchr(path, '/');
	char whole[4096];

	last = last ? last + 1 : file;
	wanted = wanted ? wanted + 1 : path;
	return !strcmp(last, wanted) && sl_sites_path(unit, file, whole, sizeof(whole)) && !strcmp(whole, path);
}

size_t
sl_sites_functions_at(const struct sl_sites *sites, const char *file, uint32_t line,
		      const struct sl_site_function **functions, size_t room)
{
	size_t count = 0;

	for (size_t i = 0; i < sites->unit_count; i++)
		for (size_t k = 0; k < sites->units[i].function_count; k++) {
			const struct sl_site_function *f = &sites->units[i].functions[k];

			if (f->flags & TABLE_DEFINED && f->line <= line && line <= f->last_line &&
			    is_file(f->unit, f->file, file) && count++ < room)
				functions[count - 1] = f;
		}
	return count;
}

size_t
sl_sites_points_at(const struct sl_sites *sites, const char *file, uint32_t line,
		   const struct sl_site_point **points, size_t room)
{
	size_t count = 0;

	for (size_t i = 0; i < sites->unit_count; i++)
		for (size_t k = 0; k < sites->units[i].point_count; k++) {
			const struct sl_site_point *p = &sites->units[i].points[k];

			if (p->line == line && is_file(p->function->unit, p->file, file) && count++ < room)
				points[count - 1] = p;
		}
	return count;
}

size_t
sl_sites_regions_at(const struct sl_sites *sites, const char *file, uint32_t line,
		    const struct sl_site_region **regions, size_t room)
{
	size_t count = 0;

	for (size_t i = 0; i < sites->unit_count; i++)
		for (size_t k = 0; k < sites->units[i].region_count; k++) {
			const struct sl_site_region *r = &sites->units[i].regions[k];
			bool inside = false;

			for (uint32_t n = 0; n < r->line_count && !inside; n++)
				inside = r->lines[n].first <= line && line <= r->lines[n].last &&
					 is_file(r->function->unit, r->lines[n].file, file);
			if (inside && count++ < room)
				regions[count - 1] = r;
		}
	return count;
}

const struct sl_site_point *
sl_sites_point_of(const struct sl_site_unit *unit, const struct sl_site *site)
{
	const uint32_t what = TABLE_READS | TABLE_WRITES | TABLE_CALL;
	const struct sl_site_function *f = site->frame->function;
	const struct sl_site_point *found = NULL;
	unsigned best = 0;

	if (site->point)
		return f->unit == unit ? site->point : NULL;
	if (f->unit != unit)
		return NULL;
	for (uint32_t i = 0; i < f->point_count; i++) {
		const struct sl_site_point *p = &f->points[i];
		unsigned fits = (p->object == site->object ? 4 : 0) + (p->column == site->column ? 2 : 0) +
				((p->flags & what) == (site->flags & what));

		/* the site of a bit field that is written may be both */
		if (p->line == site->line && p->flags & site->flags & what && fits > best && fits >= 2) {
			best = fits;
			found = p;
		}
	}
	return found;
}
