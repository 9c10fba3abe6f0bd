#include "trace/bind/bind_type.h"

#include "base/room.h"
#include "schedule/schedule.h"
#include "trace/bind/binder.h"
#include "trace/name/variable.h"

#include <ctype.h>
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 32 /* types in types, and scopes in scopes */

struct named_type {
	const char *name;
	Dwarf_Die die;
};

struct sl_bound_types {
	struct named_type *items;
	size_t count, capacity;
};

/* ---- types ---- */

static bool
is_aggregate(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static bool
type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, type);
}

/* Without typedefs and qualifiers. */
static bool
peel(Dwarf_Die *type)
{
	for (unsigned i = 0; i < DEPTH_MAX; i++)
		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			if (!type_of(type, type))
				return false;
			break;
		default:
			return true;
		}
	return false;
}

static uint64_t
size_of(Dwarf_Die *type)
{
	Dwarf_Word size;

	return dwarf_aggregate_size(type, &size) == 0 ? size : 0;
}

/* "struct bank::account" -> "account": qualified names are not compared further. */
static const char *
plain_name(const char *name)
{
	static const char *const words[] = {"struct ", "class ", "union "};
	const char *colons;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strncmp(name, words[i], strlen(words[i])))
			name += strlen(words[i]);
	while (!strchr(name, '<') && (colons = strstr(name, "::")))
		name = colons + 2;
	return name;
}

static void
add(struct sl_bound_types *all, const char *name, const Dwarf_Die *die)
{
	all->items = sl_room_for(all->items, all->count, &all->capacity, sizeof(*all->items));
	all->items[all->count++] = (struct named_type){name, *die};
}

static void
collect(struct sl_bound_types *all, Dwarf_Die *scope, unsigned depth)
{
	Dwarf_Die die, type;
	const char *name;

	if (depth > DEPTH_MAX || dwarf_child(scope, &die) != 0)
		return;
	do {
		name = dwarf_diename(&die);
		switch (dwarf_tag(&die)) {
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
			if (name && !dwarf_hasattr(&die, DW_AT_declaration))
				add(all, name, &die);
			collect(all, &die, depth + 1);
			break;
		case DW_TAG_typedef: /* typedef struct { … } queue; */
			type = die;
			if (name && peel(&type) && is_aggregate(&type) && !dwarf_hasattr(&type, DW_AT_declaration))
				add(all, name, &type);
			break;
		case DW_TAG_namespace:
		case DW_TAG_subprogram:
		case DW_TAG_lexical_block:
			collect(all, &die, depth + 1);
			break;
		default:
			break;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
}

struct sl_bound_types *
sl_bound_types_new(struct sl_binder *b)
{
	struct sl_bound_types *all = sl_room_zeroed(1, sizeof(*all));

	for (size_t i = 0; i < b->count; i++) {
		Dwarf_Die *unit = NULL;
		Dwarf_Addr bias;

		while ((unit = dwfl_module_nextcu(b->modules[i].dwfl, unit, &bias)))
			collect(all, unit, 0);
	}
	return all;
}

void
sl_bound_types_free(struct sl_bound_types *types)
{
	if (!types)
		return;
	free(types->items);
	free(types);
}

int
sl_bound_type(const struct sl_bound_types *types, const char *name, uint64_t *size, struct sl_err *err)
{
	const char **names;
	int result;

	for (size_t i = 0; i < types->count; i++) {
		Dwarf_Die die = types->items[i].die;

		if (!strcmp(types->items[i].name, plain_name(name)) && (*size = size_of(&die)))
			return 0;
	}
	names = sl_room_zeroed(types->count + 1, sizeof(*names));
	for (size_t i = 0; i < types->count; i++)
		names[i] = types->items[i].name;
	result = sl_bind_unknown("struct, class or union", name, names, types->count, err);
	free(names);
	return result;
}

/* ---- members ---- */

/* The member of that name, also of a base class or of what has no name. */
static bool
find_member(Dwarf_Die *aggregate, const char *name, size_t length, Dwarf_Die *type, uint64_t *at, unsigned depth)
{
	Dwarf_Die die, inner;

	if (depth > DEPTH_MAX || dwarf_child(aggregate, &die) != 0)
		return false;
	do {
		int tag = dwarf_tag(&die);
		const char *own = dwarf_diename(&die);

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || dwarf_hasattr(&die, DW_AT_external) ||
		    !type_of(&die, &inner) || !peel(&inner))
			continue;
		if (own && tag == DW_TAG_member) {
			if (strlen(own) != length || strncmp(own, name, length) != 0)
				continue;
			*type = inner;
			*at = sl_member_offset(&die);
			return true;
		}
		if (is_aggregate(&inner) && find_member(&inner, name, length, type, at, depth + 1)) {
			*at += sl_member_offset(&die);
			return true;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

/* A path as it is followed. */
struct way {
	Dwarf_Die type;  /* where it has come to */
	uint64_t offset; /* from where it began */
	bool unclear;    /* an index was not constant */
};

/* One step of the path: a member, or an index of an array. False: there is no such member. */
static bool
follow(struct way *way, const char **path)
{
	const char *p = *path;
	size_t length;
	uint64_t at;

	p += *p == '.';
	if (*p == '[') {
		const char *end = strchr(p, ']');
		bool several = false;
		Dwarf_Die element;

		if (!end || dwarf_tag(&way->type) != DW_TAG_array_type || !type_of(&way->type, &element) ||
		    !peel(&element))
			return false;
		while (end[1] == '[' && strchr(end + 1, ']') && dwarf_tag(&element) != DW_TAG_array_type) {
			several = true; /* more than one dimension */
			end = strchr(end + 1, ']');
		}
		if (several || !isdigit((unsigned char)p[1]) || (p + 1 + strspn(p + 1, "0123456789")) != end)
			way->unclear = true;
		else
			way->offset += strtoull(p + 1, NULL, 10) * size_of(&element);
		way->type = element;
		*path = end + 1;
		return true;
	}
	length = strcspn(p, ".[");
	if (!length || !is_aggregate(&way->type) || !find_member(&way->type, p, length, &way->type, &at, 0))
		return false;
	way->offset += at;
	*path = p + length;
	return true;
}

static void
member_names(Dwarf_Die *aggregate, const char ***names, size_t *count, size_t *capacity)
{
	Dwarf_Die die;

	if (dwarf_child(aggregate, &die) != 0)
		return;
	do {
		const char *name = dwarf_tag(&die) == DW_TAG_member ? dwarf_diename(&die) : NULL;

		if (!name)
			continue;
		*names = sl_room_for(*names, *count, capacity, sizeof(**names));
		(*names)[(*count)++] = name;
	} while (dwarf_siblingof(&die, &die) == 0);
}

int
sl_bound_member(const struct sl_bound_types *types, const char *name, const char *path, uint64_t *low,
		uint64_t *high, struct sl_err *err)
{
	const char **names = NULL, *near;
	size_t count = 0, capacity = 0;
	int result;

	for (size_t i = 0; i < types->count; i++) {
		struct way way = {.type = types->items[i].die};
		const char *rest = path;
		bool good = true;

		if (strcmp(types->items[i].name, plain_name(name)) != 0)
			continue;
		member_names(&way.type, &names, &count, &capacity);
		while (good && *rest)
			good = follow(&way, &rest);
		if (!good || way.unclear || !size_of(&way.type))
			continue;
		*low = way.offset;
		*high = way.offset + size_of(&way.type);
		free(names);
		return 0;
	}
	near = sl_nearest(path, names, count);
	result = near ? sl_err_set(err, "`%s` has no member `%s`; did you mean `%s`?", name, path, near)
		      : sl_err_set(err, "`%s` has no member `%s`", name, path);
	free(names);
	return result;
}

/* The name that the type has in the program, or that of a typedef of it. */
static bool
is_named(const struct sl_bound_types *types, Dwarf_Die *type, const char *name)
{
	const char *own = dwarf_diename(type);

	if (own)
		return !strcmp(own, name);
	for (size_t i = 0; i < types->count; i++) {
		Dwarf_Die die = types->items[i].die;

		if (!strcmp(types->items[i].name, name) && dwarf_dieoffset(&die) == dwarf_dieoffset(type))
			return true;
	}
	return false;
}

int
sl_bound_inside(const struct sl_bound_types *types, const char *container, const char *path, const char *name,
		uint64_t *offset, unsigned *depth)
{
	const char *outer = plain_name(container);

	name = plain_name(name);
	for (size_t i = 0; i < types->count; i++) {
		struct way way = {.type = types->items[i].die};
		const char *rest = path;
		uint64_t begin = 0;
		unsigned steps = 0;
		bool inside = !strcmp(outer, name), good = true;

		if (strcmp(types->items[i].name, outer) != 0)
			continue;
		*depth = 0;
		while (good && *rest) {
			good = follow(&way, &rest);
			steps++;
			if (!good || !*rest || !is_aggregate(&way.type) || !is_named(types, &way.type, name))
				continue;
			inside = true;
			begin = way.offset;
			way.unclear = false;
			*depth = steps;
		}
		/* what is copied as a whole is an access to the object itself */
		if (good && steps && is_aggregate(&way.type) && is_named(types, &way.type, name)) {
			*offset = 0;
			*depth = steps;
			return 1;
		}
		if (!good || !inside)
			continue;
		*offset = way.offset - begin;
		return way.unclear ? 2 : 1;
	}
	return 0;
}
