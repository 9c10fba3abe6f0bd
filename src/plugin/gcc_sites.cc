/*
 * For gcc: the table of sites. What a statement accesses is taken from its trees, just before gcc's own pass announces it.
 *
 * The way back from a place of the running program: the site's number travels with the statement's location, which gcc's
 * pass gives to the call that it inserts, and which stays with that call (and all its copies: unrolled loops, threaded
 * jumps) down to the last instruction. A location of gcc has, beside its line and lexical block, a range for diagnostics to
 * underline. Two locations of a file of our own stand in there for the number's two halves. When all code is final, a pass puts a
 * label behind each call that has such a location, and the assembler computes the rest.
 */
#include "table.hh" /* before gcc's headers, which forbid words that those of C++ need */

#include <algorithm>

/* clang-format off: gcc's headers have to come in this order */
#include "gcc-plugin.h"

#include "tree.h"
#include "gimple.h"
#include "stringpool.h"
#include "attribs.h"
#include "cgraph.h"
#include "context.h"
#include "diagnostic-core.h"
#include "fold-const.h"
#include "gimple-iterator.h"
#include "langhooks.h"
#include "output.h"
#include "rtl.h"
#include "memmodel.h"
#include "emit-rtl.h"
#include "ssa.h"
#include "toplev.h"
#include "tree-cfg.h"
#include "tree-dfa.h"
#include "tree-pass.h"
#include "tree-ssa-alias.h"
#include "version.h"
/* clang-format on */

#include "announced_calls.hh"
#include "gcc_sites.hh"

namespace {

table::unit unit;

/* ---- a site's number in a location ---- */

constexpr unsigned HALF = 1024;
std::vector<location_t> halves;

void
prepare_halves()
{
	if (!halves.empty())
		return;
	linemap_add(line_table, LC_ENTER, 0, "sites", 1);
	for (unsigned i = 0; i < HALF; i++)
		halves.push_back(linemap_line_start(line_table, i + 1, 1));
	linemap_add(line_table, LC_LEAVE, 0, NULL, 0);
}

location_t
with_number(location_t at, unsigned number)
{
	source_range range;

	if (number >= HALF * HALF)
		return at;
	range.m_start = halves[number / HALF];
	range.m_finish = halves[number % HALF];
	return COMBINE_LOCATION_DATA(line_table, get_pure_location(line_table, at), range, LOCATION_BLOCK(at));
}

int
half_of(location_t at)
{
	auto found = std::lower_bound(halves.begin(), halves.end(), at);

	return found != halves.end() && *found == at ? (int)(found - halves.begin()) : -1;
}

/* -1: it has none. */
int
number_of(location_t at)
{
	if (halves.empty() || !IS_ADHOC_LOC(at))
		return -1;

	source_range range = get_range_from_loc(line_table, at);
	int high = half_of(range.m_start), low = half_of(range.m_finish);

	return high < 0 || low < 0 ? -1 : high * (int)HALF + low;
}

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
	if (DECL_ASSEMBLER_NAME_SET_P(decl)) {
		name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(decl));
		name += *name == '*';
		if (f.name != name)
			f.linkage = name;
	}
	f.at = position_of(DECL_SOURCE_LOCATION(decl));
	return unit.add_function(f);
}

/* The function whose outermost block this is, if it was inlined there. */
tree
inlined_function(tree block)
{
	tree origin = inlined_function_outer_scope_p(block) ? BLOCK_ABSTRACT_ORIGIN(block) : NULL_TREE;

	while (origin && TREE_CODE(origin) == BLOCK && BLOCK_ABSTRACT_ORIGIN(origin) &&
	       BLOCK_ABSTRACT_ORIGIN(origin) != origin)
		origin = BLOCK_ABSTRACT_ORIGIN(origin);
	return origin && TREE_CODE(origin) == FUNCTION_DECL ? origin : NULL_TREE;
}

unsigned
frame_of(tree block, tree function)
{
	table::frame f;

	for (; block && TREE_CODE(block) == BLOCK; block = BLOCK_SUPERCONTEXT(block))
		if (tree inlined = inlined_function(block)) {
			f.outer = (int)frame_of(BLOCK_SUPERCONTEXT(block), function);
			f.function = function_of(inlined);
			f.call = position_of(BLOCK_SOURCE_LOCATION(block));
			return unit.add_frame(f);
		}
	f.function = function_of(function);
	return unit.add_frame(f);
}

/* ---- what ---- */

/* "struct mg_context", "account_t" of a struct that has no name but that; "" if it has none at all. */
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
		    text[0] == '<') /* made up: an anonymous one of C++ */
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

constexpr unsigned DEPTH = 8; /* of pointers behind pointers, and of copies */

using table::description;

description describe(tree reference, unsigned depth);

bool
is_named(tree decl)
{
	return decl && DECL_NAME(decl) && (!DECL_ARTIFICIAL(decl) || name_of(decl) == "this") &&
	       !DECL_IGNORED_P(decl);
}

/* "i", "3"; "…" for what would be too long. */
std::string
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
std::string
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

/* What a pointer points to: no member yet. */
description
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

	/* what the program itself calls it, if there is a name; parameters of inlined library functions are none */
	if (variable && is_named(variable) && !foreign) {
		d.text = name_of(variable);
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
			return d;
		}
	}
	if (depth && is_gimple_call(from) && gimple_call_fndecl(from) &&
	    !name_of(gimple_call_fndecl(from)).empty())
		d.text = name_of(gimple_call_fndecl(from)) + "()";
	else if (foreign)
		d.text = name_of(variable);
	return d;
}

/* From the type alone: the members around the bytes. */
bool
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

description
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

/* What a call is given the address of. */
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

/* Can it be announced at all? Which of these are is gcc's to decide, and seen when all code is final. */
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

/* The sites of one statement; all have its number. */
class statement {
      public:
	statement(gimple *what, tree function) : what(what), function(function)
	{
	}

	void add(const description &d, unsigned flags, unsigned size)
	{
		table::site s;

		if (LOCATION_LOCUS(gimple_location(what)) == UNKNOWN_LOCATION)
			return;
		s.flags = flags;
		s.frame = frame_of(gimple_block(what), function);
		s.at = position_of(gimple_location(what));
		s.size = size;
		s.text = d.text;
		s.what = d.what;
		if (number >= 0) {
			if (count++ >
			    1) /* of a call with several structs by value, the first ones stand for all */
				return;
			unit.sites[(size_t)number].flags |= TABLE_PAIR;
			unit.add_site(s);
			return;
		}
		count = 1;
		number = (int)unit.add_site(s);
		gimple_set_location(what, with_number(gimple_location(what), (unsigned)number));
	}

	void access(tree reference, unsigned flags)
	{
		if (is_memory(reference))
			add(describe(reference, DEPTH), flags, size_of(reference));
	}

      private:
	gimple *what;
	tree function;
	int number = -1;
	unsigned count = 0;
};

/* READS and WRITES of a builtin for atomics; 0: it is none. */
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

void
collect_call(statement &s, gcall *call)
{
	tree callee = gimple_call_fndecl(call);
	const char *name = callee && DECL_NAME(callee) ? IDENTIFIER_POINTER(DECL_NAME(callee)) : "";
	unsigned count = gimple_call_num_args(call);
	tree first = count ? gimple_call_arg(call, 0) : NULL_TREE;
	bool pointer = first && POINTER_TYPE_P(TREE_TYPE(first));
	unsigned atomic;

	if (gimple_call_internal_p(call))
		return;
	if (pointer && callee && fndecl_built_in_p(callee, BUILT_IN_NORMAL) && (atomic = atomic_access(name))) {
		tree target = TREE_TYPE(TREE_TYPE(first));
		const char *digits = name + strlen(name);
		unsigned size;

		while (digits > name && ISDIGIT(digits[-1]))
			digits--;
		size = *digits               ? (unsigned)atoi(digits)
		       : VOID_TYPE_P(target) ? 0
					     : (unsigned)int_size_in_bytes(target);
		s.add(describe_argument(first), atomic | TABLE_ATOMIC, size);
		return;
	}
	if (pointer &&
	    (gimple_call_builtin_p(call, BUILT_IN_MEMCPY) || gimple_call_builtin_p(call, BUILT_IN_MEMMOVE)) &&
	    count == 3) {
		unsigned size = tree_fits_uhwi_p(gimple_call_arg(call, 2))
					? (unsigned)tree_to_uhwi(gimple_call_arg(call, 2))
					: 0;

		s.add(describe_argument(gimple_call_arg(call, 1)), TABLE_READS, size);
		s.add(describe_argument(first), TABLE_WRITES, size);
		return;
	}
	if (pointer && gimple_call_builtin_p(call, BUILT_IN_MEMSET)) {
		s.add(describe_argument(first), TABLE_WRITES, 0);
		return;
	}
	if (pointer && is_announced_call(name)) {
		s.add(describe_argument(first), TABLE_CALL, 0);
		if (is_condition_wait(name) && count > 1) /* the lock that it gives back */
			s.add(describe_argument(gimple_call_arg(call, 1)), TABLE_CALL, 0);
		return;
	}
	for (unsigned i = 0; i < count; i++) {
		tree argument = gimple_call_arg(call, i);

		if (TREE_CODE(argument) == WITH_SIZE_EXPR)
			argument = TREE_OPERAND(argument, 0);
		if (!is_gimple_reg_type(TREE_TYPE(argument)))
			s.access(argument, TABLE_READS);
	}
	if (gimple_call_lhs(call) && TREE_CODE(gimple_call_lhs(call)) != SSA_NAME)
		s.access(gimple_call_lhs(call), TABLE_WRITES);
}

void
collect_assembly(statement &s, gasm *assembly)
{
	for (unsigned i = 0; i < gimple_asm_noutputs(assembly); i++)
		s.access(TREE_VALUE(gimple_asm_output_op(assembly, i)), TABLE_READS | TABLE_WRITES | TABLE_ATOMIC);
	for (unsigned i = 0; i < gimple_asm_ninputs(assembly); i++)
		s.access(TREE_VALUE(gimple_asm_input_op(assembly, i)), TABLE_READS | TABLE_ATOMIC);
}

/* ---- when all code is final ---- */

struct call_label {
	int label;
	unsigned site;
};

std::vector<std::vector<call_label>> runs; /* each of code that is in one piece */

class label_pass : public rtl_opt_pass {
      public:
	label_pass(gcc::context *context, const pass_data &data) : rtl_opt_pass(data, context)
	{
	}

	bool gate(function *) override
	{
		return !unit.empty();
	}

	unsigned execute(function *) override
	{
		std::vector<call_label> run;

		for (rtx_insn *insn = get_insns(); insn; insn = NEXT_INSN(insn)) {
			if (NOTE_P(insn) && NOTE_KIND(insn) == NOTE_INSN_SWITCH_TEXT_SECTIONS)
				end(run);
			if (!CALL_P(insn) || SIBLING_CALL_P(insn))
				continue;

			int number = number_of(INSN_LOCATION(insn));

			if (number < 0 || (size_t)number >= unit.sites.size())
				continue;

			/* becomes a label in the assembly, and is none to the passes that still come */
			rtx_note *note = emit_note_after(NOTE_INSN_DELETED, insn);

			NOTE_KIND(note) = NOTE_INSN_DELETED_LABEL;
			CODE_LABEL_NUMBER(note) = CODE_LABEL_NUMBER(gen_label_rtx());
			run.push_back({CODE_LABEL_NUMBER(note), (unsigned)number});
		}
		end(run);
		return 0;
	}

      private:
	static void end(std::vector<call_label> &run)
	{
		if (!run.empty())
			runs.push_back(run);
		run.clear();
	}
};

/* Only what has a call in the final code is kept. */
void
keep_used()
{
	std::vector<bool> used(unit.sites.size());
	std::vector<unsigned> numbers(unit.sites.size());
	std::vector<table::site> kept;

	for (const auto &run : runs)
		for (const call_label &l : run) {
			used[l.site] = true;
			if (unit.sites[l.site].flags & TABLE_PAIR)
				used[l.site + 1] = true;
		}
	for (size_t i = 0; i < used.size(); i++)
		if (used[i]) {
			numbers[i] = (unsigned)kept.size();
			kept.push_back(unit.sites[i]);
		}
	unit.sites.swap(kept);
	for (auto &run : runs)
		for (call_label &l : run)
			l.site = numbers[l.site];
}

void
write_table(void *, void *)
{
	if (!asm_out_file || runs.empty() || seen_error())
		return;
	keep_used();
	unit.file = main_input_filename ? main_input_filename : "";
	unit.directory = get_src_pwd();
	unit.compiler = std::string("gcc ") + version_string;

	std::string body = unit.body();

	fprintf(asm_out_file,
		"\t.pushsection\t" TABLE_SECTION ",\"\",@progbits\n.Lsleave:\n\t.ascii\t\"" TABLE_MAGIC "\"\n"
		"\t.long\t.Lsleave_end-.Lsleave\n\t.byte\t%d,%d,0,0\n\t.long\t0,%zu,%zu\n",
		TABLE_VERSION, TABLE_BY_PC, body.size(), body.size());
	fputs(table::as_text(body).c_str(), asm_out_file);
	for (const auto &run : runs) {
		const call_label *before = NULL;

		fprintf(asm_out_file, "\t.quad\t.L%d\n\t.uleb128\t%zu\n", run[0].label, run.size());
		for (const call_label &l : run) {
			if (before)
				fprintf(asm_out_file, "\t.uleb128\t.L%d-.L%d\n", l.label, before->label);
			else
				fputs("\t.uleb128\t0\n", asm_out_file);
			fprintf(asm_out_file, "\t.sleb128\t%d\n", (int)l.site - (before ? (int)before->site : 0));
			before = &l;
		}
	}
	fputs(".Lsleave_end:\n\t.popsection\n", asm_out_file);
}

} // namespace

void
collect_sites(function *body)
{
	basic_block block;

	prepare_halves();
	FOR_EACH_BB_FN(block, body)
	for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
		gimple *one = gsi_stmt(at);
		statement s(one, body->decl);

		if (is_gimple_debug(one) || gimple_clobber_p(one))
			continue;
		if (gcall *call = dyn_cast<gcall *>(one)) {
			collect_call(s, call);
		} else if (gasm *assembly = dyn_cast<gasm *>(one)) {
			collect_assembly(s, assembly);
		} else if (is_gimple_assign(one)) {
			if (gimple_assign_load_p(one))
				s.access(gimple_assign_rhs1(one), TABLE_READS);
			if (gimple_store_p(one))
				s.access(gimple_assign_lhs(one), TABLE_WRITES);
		}
	}
}

void
add_site_passes(const char *plugin)
{
	const pass_data data = {RTL_PASS, "sleave_sites", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0};
	struct register_pass_info info;

	info.pass = new label_pass(g, data);
	info.reference_pass_name = "shorten";
	info.ref_pass_instance_number = 1;
	info.pos_op = PASS_POS_INSERT_BEFORE;
	register_callback(plugin, PLUGIN_PASS_MANAGER_SETUP, NULL, &info);
	register_callback(plugin, PLUGIN_FINISH_UNIT, write_table, NULL);
}
