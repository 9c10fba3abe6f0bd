#include "trace/name/variable.h"

#include <dwarf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Deeper nests than this are malformed debug information, not programs. */
#define DEPTH_MAX 64
#define DIMENSIONS_MAX 8

static bool
type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, type);
}

static uint64_t
size_of(Dwarf_Die *type)
{
	Dwarf_Word size;

	return dwarf_aggregate_size(type, &size) == 0 ? size : 0;
}

/* Only variables with one fixed address: not in registers, not thread-local, not in pieces. */
static bool
address_of(Dwarf_Die *die, uint64_t *address)
{
	Dwarf_Attribute attribute, indirect;
	Dwarf_Op *ops;
	size_t count;
	Dwarf_Addr value;

	if (!dwarf_attr(die, DW_AT_location, &attribute) || dwarf_getlocation(&attribute, &ops, &count) != 0)
		return false;
	if (count < 1 || count > 2 || (count == 2 && ops[1].atom != DW_OP_plus_uconst))
		return false;
	if (ops[0].atom == DW_OP_addr)
		value = ops[0].number;
	else if (ops[0].atom != DW_OP_addrx || dwarf_getlocation_attr(&attribute, &ops[0], &indirect) != 0 ||
		 dwarf_formaddr(&indirect, &value) != 0)
		return false;
	*address = value + (count == 2 ? ops[1].number : 0);
	return true;
}

static void
add(struct sl_variables *v, Dwarf_Die *die, Dwarf_Addr bias)
{
	Dwarf_Die type;
	uint64_t address;

	if (!dwarf_diename(die) || !type_of(die, &type) || !address_of(die, &address))
		return;
	if (v->count == v->capacity) {
		size_t capacity = v->capacity ? v->capacity * 2 : 64;
		struct sl_variable *items = realloc(v->items, capacity * sizeof(*items));

		if (!items)
			return;
		v->items = items;
		v->capacity = capacity;
	}
	v->items[v->count++] = (struct sl_variable){address + bias, size_of(&type), *die};
}

/* Collects variables, also static ones of functions and of blocks in them. */
static void
collect(struct sl_variables *v, Dwarf_Die *parent, Dwarf_Addr bias, unsigned depth)
{
	Dwarf_Die die;

	if (depth > DEPTH_MAX || dwarf_child(parent, &die) != 0)
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_variable:
			add(v, &die, bias);
			break;
		case DW_TAG_namespace:
		case DW_TAG_subprogram:
		case DW_TAG_lexical_block:
			collect(v, &die, bias, depth + 1);
			break;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
}

static int
by_address(const void *a, const void *b)
{
	const struct sl_variable *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

void
sl_variables_init(struct sl_variables *variables, Dwfl_Module *module)
{
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;

	*variables = (struct sl_variables){0};
	while ((unit = dwfl_module_nextcu(module, unit, &bias)))
		collect(variables, unit, bias, 0);
	if (variables->count)
		qsort(variables->items, variables->count, sizeof(*variables->items), by_address);
}

void
sl_variables_release(struct sl_variables *variables)
{
	free(variables->items);
	*variables = (struct sl_variables){0};
}

const struct sl_variable *
sl_variables_find(const struct sl_variables *variables, uint64_t address)
{
	size_t low = 0, high = variables->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (variables->items[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	const struct sl_variable *v = &variables->items[low - 1];

	return address - v->address < (v->size ? v->size : 1) ? v : NULL;
}

/* The text so far; it may be cut at its end. */
struct path {
	char *text;
	size_t room, used;
};

static void __attribute__((format(printf, 2, 3))) append(struct path *p, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int n = vsnprintf(p->text + p->used, p->room - p->used, format, args);
	va_end(args);
	if (n > 0)
		p->used = p->used + (size_t)n < p->room ? p->used + (size_t)n : p->room - 1;
}

/* The members of these are internal to the C library; C++ wrappers contain one of them. */
static bool
is_synchronisation(const char *name)
{
	static const char *const names[] = {"pthread_mutex_t",
					    "pthread_cond_t",
					    "pthread_rwlock_t",
					    "pthread_spinlock_t",
					    "pthread_barrier_t",
					    "pthread_once_t",
					    "sem_t",
					    "mtx_t",
					    "cnd_t",
					    "once_flag"};

	for (size_t i = 0; name && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* Removes typedefs and qualifiers; true: stopped at a synchronisation object. */
static bool
peel(Dwarf_Die *type)
{
	for (unsigned i = 0; i < DEPTH_MAX; i++) {
		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
			if (is_synchronisation(dwarf_diename(type)))
				return true;
			break;
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			break;
		default:
			return false;
		}
		if (!type_of(type, type))
			return false;
	}
	return false;
}

uint64_t
sl_member_offset(Dwarf_Die *member)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (dwarf_attr(member, DW_AT_data_member_location, &attribute) && dwarf_formudata(&attribute, &value) == 0)
		return value;
	if (dwarf_attr(member, DW_AT_data_bit_offset, &attribute) && dwarf_formudata(&attribute, &value) == 0)
		return value / 8;
	return 0;
}

static bool
is_aggregate(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* Is it a member that contains the `size` bytes at offset? Sets its type and offset. */
static bool
holds(Dwarf_Die *die, uint64_t offset, uint32_t size, Dwarf_Die *type, uint64_t *at)
{
	int tag = dwarf_tag(die);

	if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !type_of(die, type))
		return false;
	if (dwarf_hasattr(die, DW_AT_external)) /* a static member of a class is not inside the object */
		return false;
	*at = sl_member_offset(die);
	uint64_t bytes = size_of(type);

	return offset >= *at && offset - *at < bytes && size <= bytes - (offset - *at);
}

/* Is there something of exactly this size at exactly this offset? */
static bool
fits(Dwarf_Die type, uint64_t offset, uint32_t size, unsigned depth)
{
	Dwarf_Die die, inner;
	uint64_t at, bytes;

	if (depth > DEPTH_MAX)
		return false;
	if (peel(&type))
		return offset == 0;
	if (dwarf_tag(&type) == DW_TAG_array_type)
		return type_of(&type, &inner) && (bytes = size_of(&inner)) &&
		       fits(inner, offset % bytes, size, depth + 1);
	if (!is_aggregate(&type))
		return offset == 0 && size_of(&type) == size;
	if (dwarf_child(&type, &die) != 0)
		return false;
	do {
		if (holds(&die, offset, size, &inner, &at) && fits(inner, offset - at, size, depth + 1))
			return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

/*
 * The member at offset that holds `size` bytes: in a union, the first that contains something of exactly that
 * size, else the first that is large enough.
 */
static bool
find_member(Dwarf_Die *type, uint64_t offset, uint32_t size, Dwarf_Die *member, Dwarf_Die *member_type,
	    uint64_t *member_at)
{
	Dwarf_Die die, t;
	bool found = false;
	uint64_t at;

	if (dwarf_child(type, &die) != 0)
		return false;
	do {
		if (!holds(&die, offset, size, &t, &at))
			continue;
		bool good = dwarf_tag(type) != DW_TAG_union_type || fits(t, offset - at, size, 0);

		if (found && !good)
			continue;
		*member = die;
		*member_type = t;
		*member_at = at;
		found = true;
		if (good)
			break;
	} while (dwarf_siblingof(&die, &die) == 0);
	return found;
}

static size_t
dimensions(Dwarf_Die *array, uint64_t *counts)
{
	Dwarf_Die die;
	size_t n = 0;

	if (dwarf_child(array, &die) != 0)
		return 0;
	do {
		Dwarf_Attribute attribute;
		Dwarf_Word value;

		if (dwarf_tag(&die) != DW_TAG_subrange_type || n == DIMENSIONS_MAX)
			continue;
		counts[n] = 0;
		if (dwarf_attr(&die, DW_AT_count, &attribute) && dwarf_formudata(&attribute, &value) == 0)
			counts[n] = value;
		else if (dwarf_attr(&die, DW_AT_upper_bound, &attribute) &&
			 dwarf_formudata(&attribute, &value) == 0)
			counts[n] = value + 1;
		n++;
	} while (dwarf_siblingof(&die, &die) == 0);
	return n;
}

/* "[2][3]" for the element with this number; false if the description makes no sense. */
static bool
append_index(struct path *p, Dwarf_Die *array, uint64_t number)
{
	uint64_t counts[DIMENSIONS_MAX], index[DIMENSIONS_MAX];
	size_t n = dimensions(array, counts);

	if (!n)
		return false;
	for (size_t i = n; i-- > 1;) {
		if (!counts[i])
			return false;
		index[i] = number % counts[i];
		number /= counts[i];
	}
	index[0] = number;
	for (size_t i = 0; i < n; i++)
		append(p, "[%llu]", (unsigned long long)index[i]);
	return true;
}

static enum sl_value_kind
value_kind(Dwarf_Die *type)
{
	Dwarf_Attribute attribute;
	Dwarf_Word encoding;
	const char *name = dwarf_diename(type);

	switch (dwarf_tag(type)) {
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return SL_VALUE_POINTER;
	case DW_TAG_enumeration_type:
		return SL_VALUE_SIGNED;
	case DW_TAG_base_type:
		break;
	default:
		return SL_VALUE_UNKNOWN;
	}
	if (!dwarf_attr(type, DW_AT_encoding, &attribute) || dwarf_formudata(&attribute, &encoding) != 0)
		return SL_VALUE_UNKNOWN;
	switch (encoding) {
	case DW_ATE_boolean:
		return SL_VALUE_BOOL;
	case DW_ATE_float:
		return SL_VALUE_FLOAT;
	case DW_ATE_signed_char:
	case DW_ATE_unsigned_char: /* int8_t and uint8_t are numbers, and are spelt with their sign */
		if (name && !strcmp(name, "char"))
			return SL_VALUE_CHAR;
		return encoding == DW_ATE_signed_char ? SL_VALUE_SIGNED : SL_VALUE_UNSIGNED;
	case DW_ATE_signed:
		return SL_VALUE_SIGNED;
	default:
		return SL_VALUE_UNSIGNED;
	}
}

void
sl_variable_format(const struct sl_variable *variable, uint64_t offset, uint32_t size, char *text, size_t room,
		   struct sl_data *data)
{
	struct path p = {text, room, 0};
	Dwarf_Die die = variable->die, type, element, member;
	uint64_t at = 0, bytes;

	append(&p, "%s", dwarf_diename(&die));
	data->value = SL_VALUE_UNKNOWN;
	data->size = 0;
	if (!type_of(&die, &type))
		return;
	for (unsigned depth = 0; depth < DEPTH_MAX; depth++) {
		bool whole = false;

		data->size = (uint32_t)size_of(&type);
		if (peel(&type))
			break;
		switch (dwarf_tag(&type)) {
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
			if (!find_member(&type, offset, size, &member, &element, &at)) {
				whole = true;
				break;
			}
			if (dwarf_tag(&member) == DW_TAG_member && dwarf_diename(&member))
				append(&p, ".%s", dwarf_diename(&member));
			offset -= at;
			type = element;
			break;
		case DW_TAG_array_type:
			/* A copy of many elements is a copy of the array. */
			if (!type_of(&type, &element) || !(bytes = size_of(&element)) ||
			    (size > bytes && offset == 0) || !append_index(&p, &type, offset / bytes)) {
				whole = true;
				break;
			}
			offset %= bytes;
			type = element;
			break;
		default:
			data->value = value_kind(&type);
			whole = true;
		}
		if (whole)
			break;
	}
	if (offset)
		append(&p, "+%llu", (unsigned long long)offset);
}

uint64_t
sl_variable_stride(const struct sl_variable *variable)
{
	uint64_t counts[DIMENSIONS_MAX];
	Dwarf_Die type;

	if (!type_of((Dwarf_Die *)&variable->die, &type) || peel(&type) || dwarf_tag(&type) != DW_TAG_array_type ||
	    !dimensions(&type, counts) || counts[0] < 2)
		return 0;
	return variable->size / counts[0];
}

/* ---- from a path to an offset ---- */

/* Finds a member by name, also in anonymous members and base classes. */
static bool
find_named(Dwarf_Die type, const char *name, size_t length, Dwarf_Die *found, uint64_t *offset, unsigned depth)
{
	Dwarf_Die die, inner;

	peel(&type);
	if (depth > DEPTH_MAX || !is_aggregate(&type) || dwarf_child(&type, &die) != 0)
		return false;
	do {
		int tag = dwarf_tag(&die);
		const char *own = dwarf_diename(&die);

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || dwarf_hasattr(&die, DW_AT_external) ||
		    !type_of(&die, &inner))
			continue;
		if (tag == DW_TAG_member && own ? strlen(own) == length && strncmp(own, name, length) == 0
						: find_named(inner, name, length, &inner, offset, depth + 1)) {
			*found = inner;
			*offset += sl_member_offset(&die);
			return true;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

/* What is left of an array after some of its indices. */
struct slice {
	Dwarf_Die type;
	uint64_t counts[DIMENSIONS_MAX];
	size_t dimension, dimensions;
};

static uint64_t
slice_size(struct slice *s)
{
	uint64_t size = s->dimensions ? 1 : size_of(&s->type);
	Dwarf_Die element;

	if (s->dimensions)
		size = type_of(&s->type, &element) ? size_of(&element) : 0;
	for (size_t i = s->dimension; i < s->dimensions; i++)
		size *= s->counts[i];
	return size;
}

static void
slice_of(struct slice *s, Dwarf_Die type)
{
	*s = (struct slice){.type = type};
	if (!peel(&type) && dwarf_tag(&type) == DW_TAG_array_type) {
		s->type = type;
		s->dimensions = dimensions(&type, s->counts);
	}
}

static int
follow_index(struct slice *s, const char **path, uint64_t *offset, const char *whole, struct sl_err *err)
{
	Dwarf_Die element;
	char *end;
	uint64_t index = strtoull(*path + 1, &end, 0);

	if (end == *path + 1 || *end != ']')
		return sl_err_set(err, "the index in `%s` is not a number", whole);
	*path = end + 1;
	if (s->dimension == s->dimensions)
		return sl_err_set(err, "in `%s` an index follows something that is not an array", whole);
	if (index >= s->counts[s->dimension])
		return sl_err_set(err, "in `%s` the array ends before element %llu: it has %llu", whole,
				  (unsigned long long)index, (unsigned long long)s->counts[s->dimension]);
	s->dimension++;
	*offset += index * slice_size(s);
	if (s->dimension == s->dimensions && type_of(&s->type, &element))
		slice_of(s, element);
	return 0;
}

/* After a pointer, the path starts again. */
static int
follow_pointer(struct slice *s, const char **path, struct sl_variable_target *target, const char *whole,
	       struct sl_err *err)
{
	Dwarf_Die type = s->type, to;

	peel(&type);
	if (s->dimensions || value_kind(&type) != SL_VALUE_POINTER) {
		if (**path == '-')
			return sl_err_set(err, "in `%s` a `->` follows something that is not a pointer", whole);
		return 0;
	}
	if (**path == '.' && dwarf_tag(&type) == DW_TAG_pointer_type)
		return sl_err_set(err, "in `%s` a `.` follows a pointer: write `->`", whole);
	if (**path == '[' || !type_of(&type, &to))
		return sl_err_set(err, "`%s` points to something without a size", whole);
	if (target->hops == SL_HOPS_MAX)
		return sl_err_set(err, "`%s` goes through more than %d pointers", whole, SL_HOPS_MAX);
	target->pointers[target->hops++] = target->offset;
	target->offset = 0;
	slice_of(s, to);
	return 0;
}

static int
follow_member(struct slice *s, const char **path, uint64_t *offset, const char *whole, struct sl_err *err)
{
	const char *name = *path + (**path == '-' ? 2 : 1);
	size_t length = strcspn(name, ".[-");
	Dwarf_Die member;

	*path = name + length;
	if (s->dimensions || !find_named(s->type, name, length, &member, offset, 0))
		return sl_err_set(err, "`%s`: there is no member `%.*s` there", whole, (int)length, name);
	slice_of(s, member);
	return 0;
}

int
sl_variable_follow(const struct sl_variable *variable, const char *path, struct sl_variable_target *target,
		   struct sl_err *err)
{
	Dwarf_Die die = variable->die, type;
	struct slice s;
	char whole[256];

	snprintf(whole, sizeof(whole), "%s%s", dwarf_diename(&die), path);
	*target = (struct sl_variable_target){0};
	if (!type_of(&die, &type))
		return sl_err_set(err, "`%s` has no type", whole);
	slice_of(&s, type);
	while (*path) {
		if (follow_pointer(&s, &path, target, whole, err) < 0)
			return -1;
		if ((*path == '[' ? follow_index : follow_member)(&s, &path, &target->offset, whole, err) < 0)
			return -1;
	}
	target->size = slice_size(&s);
	target->scalar = !s.dimensions;
	if (!s.dimensions && peel(&s.type))
		target->object = dwarf_diename(&s.type);
	target->scalar = !s.dimensions && !target->object && !is_aggregate(&s.type);
	return 0;
}
