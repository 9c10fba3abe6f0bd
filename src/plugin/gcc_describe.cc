/*
 * For gcc: what a tree accesses, and where it is written.
 */
#include "gcc_headers.hh"

#include "gcc_describe.hh"

table::unit unit_of_file;

/* ---- where ---- */

table::position
position_of(location_t at)
{
	expanded_location e = expand_location(at);
	table::position p;

	p.file = e.file ? e.file : "";
	p.line = (unsigned)e.line;
	p.column = (unsigned)e.column;
	return p;
}

std::string
name_of(tree decl)
{
	return decl && DECL_P(decl) && DECL_NAME(decl) ? IDENTIFIER_POINTER(DECL_NAME(decl)) : "";
}

unsigned
function_of(tree decl)
{
	table::function f;
	const char *name;

	decl = DECL_ORIGIN(decl);
	name = lang_hooks.dwarf_name(decl, 0);
	f.name = name ? name : "";
	name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(decl));
	name += *name == '*';
	if (f.name != name)
		f.linkage = table::common_variant(name);
	f.local = !TREE_PUBLIC(decl);
	f.at = position_of(DECL_SOURCE_LOCATION(decl));
	return unit_of_file.add_function(f);
}

/* ---- types ---- */

std::string
scoped_name(tree type)
{
	std::string name = type_name(type);

	name = name.substr(name.find(' ') + 1);
	if (name.empty())
		return "";
	for (tree scope = TYPE_CONTEXT(type); scope;) {
		std::string outer;

		if (TREE_CODE(scope) == NAMESPACE_DECL) {
			outer = name_of(scope);
			if (outer.empty() || outer[0] == '_' || outer == "::")
				outer.clear();
			scope = DECL_CONTEXT(scope);
		} else if (RECORD_OR_UNION_TYPE_P(scope)) {
			outer = type_name(scope);
			scope = TYPE_CONTEXT(scope);
		} else {
			break;
		}
		if (!outer.empty())
			name = outer + "::" + name;
	}
	return name;
}

std::string
canonical_type(tree type, unsigned depth)
{
	if (!type || !depth)
		return "?";
	switch (TREE_CODE(type)) {
	case VOID_TYPE:
		return "void";
	case BOOLEAN_TYPE:
	case INTEGER_TYPE:
	case ENUMERAL_TYPE:
		return (TYPE_UNSIGNED(type) ? "u" : "i") + std::to_string(8 * int_size_in_bytes(type));
	case REAL_TYPE:
		return "f" + std::to_string(8 * int_size_in_bytes(type));
	case COMPLEX_TYPE:
		return "complex";
	case VECTOR_TYPE:
		return "vector";
	case NULLPTR_TYPE:
		return "void*";
	case POINTER_TYPE:
	case REFERENCE_TYPE:
		return canonical_type(TREE_TYPE(type), depth - 1) + "*";
	case ARRAY_TYPE:
		return canonical_type(TREE_TYPE(type), depth - 1) + "[]";
	case RECORD_TYPE:
	case UNION_TYPE:
	case QUAL_UNION_TYPE: {
		std::string name = type_name(type);

		name = name.substr(name.find(' ') + 1);
		return name.empty() ? "?" : name;
	}
	case FUNCTION_TYPE:
	case METHOD_TYPE:
		return canonical_function(type, depth - 1);
	default:
		return "?";
	}
}

std::string
canonical_function(tree type, unsigned depth)
{
	std::string text = canonical_type(TREE_TYPE(type), depth) + "(";
	tree one = TYPE_ARG_TYPES(type);
	bool first = true;

	if (one && TREE_CODE(type) == METHOD_TYPE)
		one = TREE_CHAIN(one);
	for (; one && !VOID_TYPE_P(TREE_VALUE(one)); one = TREE_CHAIN(one), first = false)
		text += (first ? "" : ",") + canonical_type(TREE_VALUE(one), depth);
	if (!one)
		text += first ? "..." : ",...";
	return text + ")";
}

/* ---- what ---- */

/* "struct mg_context", "account_t" for a struct that has no other name; "" if it has none. */
std::string
type_name(tree type)
{
	for (tree variant = TYPE_MAIN_VARIANT(type); variant; variant = TYPE_NEXT_VARIANT(variant)) {
		tree name = TYPE_NAME(variant);

		if (!name)
			continue;

		bool tag = TREE_CODE(name) == IDENTIFIER_NODE;
		std::string text = IDENTIFIER_POINTER(tag ? name : DECL_NAME(name));

		if (text.empty() || text[0] == '.' || text.find("._") != std::string::npos ||
		    text[0] == '<') /* a made-up name: an anonymous struct of C++ */
			return "";
		text = text.substr(0, text.find('<'));
		if (!tag)
			return text;
		return (TREE_CODE(type) == UNION_TYPE      ? "union "
			: TREE_CODE(type) == ENUMERAL_TYPE ? "enum "
							   : "struct ") +
		       text;
	}
	return "";
}

using table::description;

static bool
is_named(tree decl)
{
	return decl && DECL_NAME(decl) && (!DECL_ARTIFICIAL(decl) || name_of(decl) == "this") &&
	       !DECL_IGNORED_P(decl);
}

/* "i", "3"; "…" for an expression that would be too long. */
static std::string
number_text(tree value, unsigned depth)
{
	if (value && tree_fits_shwi_p(value))
		return std::to_string(tree_to_shwi(value));
	if (!value || !depth)
		return "…";
	if (TREE_CODE(value) == SSA_NAME) {
		if (is_named(SSA_NAME_VAR(value)))
			return name_of(SSA_NAME_VAR(value));

		gimple *from = SSA_NAME_DEF_STMT(value);

		if (!is_gimple_assign(from))
			return "…";
		if (gimple_assign_load_p(from))
			return describe(gimple_assign_rhs1(from), depth - 1).text;
		if (CONVERT_EXPR_CODE_P(gimple_assign_rhs_code(from)) || gimple_assign_ssa_name_copy_p(from))
			return number_text(gimple_assign_rhs1(from), depth - 1);
		return "…";
	}
	return DECL_P(value) && is_named(value) ? name_of(value) : "…";
}

/* The number of an element from its distance in bytes. */
static std::string
index_text(tree distance, tree element, unsigned depth)
{
	tree unit_size = element ? TYPE_SIZE_UNIT(element) : NULL_TREE;
	HOST_WIDE_INT size = unit_size && tree_fits_shwi_p(unit_size) ? tree_to_shwi(unit_size) : 1;

	if (size <= 0)
		return "…";
	if (tree_fits_shwi_p(distance))
		return tree_to_shwi(distance) % size ? "…" : std::to_string(tree_to_shwi(distance) / size);
	if (TREE_CODE(distance) != SSA_NAME)
		return "…";

	gimple *from = SSA_NAME_DEF_STMT(distance);

	if (is_gimple_assign(from) && gimple_assign_rhs_code(from) == MULT_EXPR &&
	    tree_fits_shwi_p(gimple_assign_rhs2(from)) && tree_to_shwi(gimple_assign_rhs2(from)) == size)
		return number_text(gimple_assign_rhs1(from), depth);
	return size == 1 ? number_text(distance, depth) : "…";
}

/* Is it the record that has what a lambda captures? */
static bool
is_lambda(tree type)
{
	tree name = TYPE_NAME(TYPE_MAIN_VARIANT(type));

	name = name && TREE_CODE(name) == TYPE_DECL ? DECL_NAME(name) : name;
	return name && TREE_CODE(name) == IDENTIFIER_NODE &&
	       (!strncmp(IDENTIFIER_POINTER(name), "._anon", 6) || !strncmp(IDENTIFIER_POINTER(name), "<lambda", 7));
}

/* Describes what a pointer points to, without a member yet. */
static description
describe_target(tree value, unsigned depth)
{
	description d;

	d.pointer = true;
	d.what.kind = TABLE_POINTED;
	if (TREE_CODE(value) == ADDR_EXPR)
		return describe(TREE_OPERAND(value, 0), depth);
	if (TREE_CODE(value) != SSA_NAME) {
		if (DECL_P(value) && is_named(value))
			d.text = name_of(value);
		return d;
	}

	gimple *from = SSA_NAME_DEF_STMT(value);
	tree variable = SSA_NAME_VAR(value);
	bool foreign = variable && is_named(variable) && DECL_IN_SYSTEM_HEADER(variable);

	/* what the program calls it, if it has a name; parameters of inlined library functions do not count */
	if (variable && is_named(variable) && !foreign) {
		d.text = name_of(variable);
		d.pointer = TREE_CODE(TREE_TYPE(value)) != REFERENCE_TYPE;
		return d;
	}
	if (depth && is_gimple_assign(from)) {
		tree first = gimple_assign_rhs1(from);

		if (gimple_assign_rhs_code(from) == ADDR_EXPR)
			return describe(TREE_OPERAND(first, 0), depth - 1);
		if (CONVERT_EXPR_CODE_P(gimple_assign_rhs_code(from)) || gimple_assign_ssa_name_copy_p(from)) {
			if (POINTER_TYPE_P(TREE_TYPE(first)))
				return describe_target(first, depth - 1);
		} else if (gimple_assign_rhs_code(from) == POINTER_PLUS_EXPR) {
			description base = describe_target(first, depth - 1);

			if (base.pointer && !base.element && !base.text.empty()) {
				base.text += "[" +
					     index_text(gimple_assign_rhs2(from), TREE_TYPE(TREE_TYPE(value)),
							depth - 1) +
					     "]";
				base.element = true;
				return base;
			}
		} else if (gimple_assign_load_p(from)) {
			d.text = describe(first, depth - 1).text;
			d.pointer = TREE_CODE(TREE_TYPE(value)) != REFERENCE_TYPE;
			return d;
		}
	}
	/* "operator new()" and "operator->()" are no names for what they return */
	if (depth && is_gimple_call(from) && gimple_call_fndecl(from) &&
	    !name_of(gimple_call_fndecl(from)).empty() && name_of(gimple_call_fndecl(from)).compare(0, 8, "operator"))
		d.text = name_of(gimple_call_fndecl(from)) + "()";
	else if (foreign)
		d.text = name_of(variable);
	return d;
}

/* By the type alone: finds the members around the bytes. */
static bool
descend(description &d, tree type, HOST_WIDE_INT offset, HOST_WIDE_INT size)
{
	for (unsigned depth = 0; depth < 32; depth++) {
		HOST_WIDE_INT bytes = int_size_in_bytes(type);

		if (TREE_CODE(type) == ARRAY_TYPE) {
			HOST_WIDE_INT one = int_size_in_bytes(TREE_TYPE(type));

			if (one <= 0 || size > one)
				return offset == 0;
			d.index(std::to_string(offset / one));
			offset %= one;
			type = TREE_TYPE(type);
			continue;
		}
		if (!RECORD_OR_UNION_TYPE_P(type) || (offset == 0 && bytes == size && depth))
			return offset == 0;

		tree found = NULL_TREE;

		for (tree field = TYPE_FIELDS(type); field && !found; field = DECL_CHAIN(field)) {
			if (TREE_CODE(field) != FIELD_DECL || !DECL_SIZE_UNIT(field) ||
			    !tree_fits_shwi_p(DECL_SIZE_UNIT(field)) ||
			    !tree_fits_shwi_p(DECL_FIELD_OFFSET(field)))
				continue;

			HOST_WIDE_INT at = int_byte_position(field), length = tree_to_shwi(DECL_SIZE_UNIT(field));

			if (offset >= at && offset + size <= at + length)
				found = field;
		}
		if (!found)
			return false;
		d.member(type_name(type), name_of(found));
		offset -= int_byte_position(found);
		type = TREE_TYPE(found);
	}
	return false;
}

static description
describe_base(tree base, unsigned depth, bool more)
{
	description d;

	if (TREE_CODE(base) == MEM_REF || TREE_CODE(base) == TARGET_MEM_REF) {
		tree pointer = TREE_OPERAND(base, 0);
		HOST_WIDE_INT offset = TREE_CODE(base) == MEM_REF && tree_fits_shwi_p(TREE_OPERAND(base, 1))
					       ? tree_to_shwi(TREE_OPERAND(base, 1))
					       : 0;
		HOST_WIDE_INT size = int_size_in_bytes(TREE_TYPE(base));
		tree target = POINTER_TYPE_P(TREE_TYPE(pointer)) ? TREE_TYPE(TREE_TYPE(pointer)) : NULL_TREE;

		if (TREE_CODE(pointer) == ADDR_EXPR)
			target = TREE_TYPE(TREE_OPERAND(pointer, 0));
		d = describe_target(pointer, depth ? depth - 1 : 0);
		if (target && RECORD_OR_UNION_TYPE_P(target) && size > 0 && d.what.path.empty() &&
		    (offset || (!more && int_size_in_bytes(target) != size) ||
		     (more && TYPE_MAIN_VARIANT(target) != TYPE_MAIN_VARIANT(TREE_TYPE(base))))) {
			description copy = d;

			if (descend(copy, target, offset, size))
				d = copy;
		} else if (offset && d.pointer && !d.element && !d.text.empty() && size > 0) {
			d.text += "[" + (offset % size ? "…" : std::to_string(offset / size)) + "]";
			d.element = true;
		}
		if (!more && d.what.path.empty() && d.what.kind == TABLE_POINTED)
			(RECORD_OR_UNION_TYPE_P(TREE_TYPE(base)) ? d.what.container : d.what.type) =
				type_name(TREE_TYPE(base));
		return d;
	}
	if (!VAR_P(base) && TREE_CODE(base) != PARM_DECL && TREE_CODE(base) != RESULT_DECL)
		return d;
	d.text = is_named(base) ? name_of(base) : "";
	d.what.variable = d.text;

	tree context = DECL_CONTEXT(DECL_ORIGIN(base));
	bool in_function = context && TREE_CODE(context) == FUNCTION_DECL;

	if (TREE_CODE(base) == PARM_DECL)
		d.what.kind = TABLE_PARAMETER;
	else if (!is_global_var(base))
		d.what.kind = TABLE_LOCAL;
	else
		d.what.kind = in_function                                ? TABLE_STATIC_LOCAL
			      : TREE_PUBLIC(base) || DECL_EXTERNAL(base) ? TABLE_GLOBAL
									 : TABLE_STATIC;
	if (VAR_P(base) && DECL_THREAD_LOCAL_P(base))
		d.what.kind |= TABLE_THREAD_LOCAL;
	if (in_function) {
		const char *name = lang_hooks.dwarf_name(DECL_ORIGIN(context), 0);

		d.what.scope = name ? name : "";
	}
	return d;
}

description
describe(tree reference, unsigned depth)
{
	auto_vec<tree> steps;
	tree base = reference;

	while (handled_component_p(base)) {
		steps.safe_push(base);
		base = TREE_OPERAND(base, 0);
	}

	description d = describe_base(base, depth, !steps.is_empty());

	for (unsigned i = steps.length(); i-- > 0;) {
		tree step = steps[i];

		switch (TREE_CODE(step)) {
		case COMPONENT_REF:
			d.member(type_name(TREE_TYPE(TREE_OPERAND(step, 0))), name_of(TREE_OPERAND(step, 1)));
			if (is_lambda(TREE_TYPE(TREE_OPERAND(step, 0))) &&
			    !name_of(TREE_OPERAND(step, 1)).compare(0, 2, "__"))
				d.capture(name_of(TREE_OPERAND(step, 1)).substr(2));
			break;
		case ARRAY_REF:
		case ARRAY_RANGE_REF:
			d.index(number_text(TREE_OPERAND(step, 1), depth ? depth - 1 : 0));
			break;
		default:
			break;
		}
	}
	d.finish();
	return d;
}

/* Describes the object whose address an argument is. */
description
describe_argument(tree value)
{
	description d = describe_target(value, DEPTH);

	d.finish();
	return d;
}

unsigned
size_of(tree reference)
{
	HOST_WIDE_INT size = int_size_in_bytes(TREE_TYPE(reference));

	return size > 0 && size < 1 << 30 ? (unsigned)size : 0;
}

/* Can it be announced at all? gcc decides later which references are; the final code shows it. */
bool
is_memory(tree reference)
{
	tree base = get_base_address(reference);

	if (!base || is_gimple_reg(reference))
		return false;
	if (!DECL_P(base))
		return TREE_CODE(base) == MEM_REF || TREE_CODE(base) == TARGET_MEM_REF;
	return (VAR_P(base) || TREE_CODE(base) == PARM_DECL || TREE_CODE(base) == RESULT_DECL) &&
	       (is_global_var(base) || may_be_aliased(base));
}

/* READS and WRITES of a builtin for atomics; 0: it is no such builtin. */
unsigned
atomic_access(const char *name)
{
	if (!strncmp(name, "__sync_", 7))
		return !strncmp(name + 7, "synchronize", 11)    ? 0
		       : !strncmp(name + 7, "lock_release", 12) ? TABLE_WRITES
								: TABLE_READS | TABLE_WRITES;
	if (strncmp(name, "__atomic_", 9) != 0 || !strncmp(name + 9, "thread_fence", 12) ||
	    !strncmp(name + 9, "signal_fence", 12) || !strncmp(name + 9, "is_lock_free", 12) ||
	    !strncmp(name + 9, "always_lock_free", 16) || !strncmp(name + 9, "feraise", 7))
		return 0;
	return !strncmp(name + 9, "load", 4)                                      ? TABLE_READS
	       : !strncmp(name + 9, "store", 5) || !strncmp(name + 9, "clear", 5) ? TABLE_WRITES
										  : TABLE_READS | TABLE_WRITES;
}

