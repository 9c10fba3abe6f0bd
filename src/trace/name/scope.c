#include "trace/name/scope.h"

#include <dwarf.h>

#define DEPTH_MAX 64 /* deeper nests are malformed debug information, not programs */

static uint32_t
number_attribute(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &value) != 0 || value > UINT32_MAX)
		return 0;
	return (uint32_t)value;
}

/* Returns its index, or SL_NO_SCOPE if it has no code. */
static size_t
add(struct sl_scopes *s, Dwarf_Die *die, Dwarf_Die *unit, Dwarf_Addr bias, size_t parent)
{
	struct sl_scope scope = {.name = dwarf_diename(die),
				 .unit = unit,
				 .parent = parent,
				 .first = s->range_count};
	Dwarf_Attribute attribute;
	Dwarf_Addr base, low, high;
	ptrdiff_t offset = 0;

	while ((offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0) {
		if (low >= high)
			continue;
		s->ranges = sl_room_for(s->ranges, s->range_count, &s->range_capacity, sizeof(*s->ranges));
		s->ranges[s->range_count++] = (struct sl_range){low + bias, high + bias};
		scope.count++;
	}
	if (!scope.name)
		scope.name = "";
	if (!scope.count) {
		if (dwarf_tag(die) == DW_TAG_subprogram && !dwarf_hasattr(die, DW_AT_declaration)) {
			s->gone = sl_room_for(s->gone, s->gone_count, &s->gone_capacity, sizeof(*s->gone));
			s->gone[s->gone_count++] = scope.name;
		}
		return SL_NO_SCOPE;
	}
	scope.linkage = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
	if (dwarf_tag(die) == DW_TAG_inlined_subroutine) {
		scope.call_file = number_attribute(die, DW_AT_call_file);
		scope.call_line = number_attribute(die, DW_AT_call_line);
		scope.call_column = number_attribute(die, DW_AT_call_column);
	}
	s->items = sl_room_for(s->items, s->count, &s->capacity, sizeof(*s->items));
	s->items[s->count] = scope;
	return s->count++;
}

static void
collect(struct sl_scopes *s, Dwarf_Die *around, Dwarf_Die *unit, Dwarf_Addr bias, size_t parent, unsigned depth)
{
	Dwarf_Die die;

	if (depth > DEPTH_MAX || dwarf_child(around, &die) != 0)
		return;
	do {
		size_t inside = parent;

		switch (dwarf_tag(&die)) {
		/* a lambda is described inside a function, but is not part of the function's code */
		case DW_TAG_subprogram:
			inside = add(s, &die, unit, bias, SL_NO_SCOPE);
			break;
		case DW_TAG_inlined_subroutine:
			inside = add(s, &die, unit, bias, parent);
			if (inside == SL_NO_SCOPE)
				inside = parent;
			break;
		case DW_TAG_namespace:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
		case DW_TAG_lexical_block:
			break;
		default:
			continue;
		}
		collect(s, &die, unit, bias, inside, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

void
sl_scopes_add_unit(struct sl_scopes *scopes, Dwarf_Die *unit, Dwarf_Addr bias)
{
	collect(scopes, unit, unit, bias, SL_NO_SCOPE, 0);
}

void
sl_scopes_init(struct sl_scopes *scopes, Dwfl_Module *module)
{
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;

	*scopes = (struct sl_scopes){0};
	while ((unit = dwfl_module_nextcu(module, unit, &bias)))
		sl_scopes_add_unit(scopes, unit, bias);
}

void
sl_scopes_release(struct sl_scopes *scopes)
{
	free(scopes->items);
	free(scopes->ranges);
	free(scopes->gone);
	*scopes = (struct sl_scopes){0};
}

/* Inner scopes come after outer ones. */
size_t
sl_scopes_find(const struct sl_scopes *scopes, uint64_t address)
{
	for (size_t i = scopes->count; i-- > 0;) {
		const struct sl_scope *s = &scopes->items[i];

		for (size_t k = 0; k < s->count; k++)
			if (address >= scopes->ranges[s->first + k].low &&
			    address < scopes->ranges[s->first + k].high)
				return i;
	}
	return SL_NO_SCOPE;
}

size_t
sl_scopes_function(const struct sl_scopes *scopes, size_t scope)
{
	while (scopes->items[scope].parent != SL_NO_SCOPE)
		scope = scopes->items[scope].parent;
	return scope;
}
