/*
 * For gcc: the table of sites. What a statement accesses is taken from its trees, just before gcc's own pass announces it.
 *
 * The way back from a place of the running program: the site's number travels with the statement's location, which gcc's
 * pass gives to the call that it inserts, and which stays with that call (and all its copies: unrolled loops, threaded
 * jumps) down to the last instruction. A location of gcc has, beside its line and lexical block, a range for diagnostics to
 * underline. Two locations of a file of our own stand in there for the number's two halves. When all code is final, a pass puts a
 * label behind each call that has such a location, and the assembler computes the rest.
 */
#include "gcc_headers.hh"

#include "announced_calls.hh"
#include "gcc_describe.hh"
#include "gcc_sites.hh"

namespace {

using table::description;

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

/* -1: the location has no number. */
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

/* Returns the function that was inlined as this block; or NULL_TREE. */
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
			return unit_of_file.add_frame(f);
		}
	f.function = function_of(function);
	return unit_of_file.add_frame(f);
}

/* The sites of one statement, which share its number. */
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
			    1) /* of a call with several structs by value, the first reads stand for all */
				return;
			unit_of_file.sites[(size_t)number].flags |= TABLE_PAIR;
			unit_of_file.add_site(s);
			return;
		}
		count = 1;
		number = (int)unit_of_file.add_site(s);
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
		if (is_condition_wait(name) && count > 1) /* the lock that it releases */
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

std::vector<std::vector<call_label>> runs; /* one for each contiguous piece of code */
std::map<section *, size_t> run_of;         /* what is in one section, in the order in which it is written */

class label_pass : public rtl_opt_pass {
      public:
	label_pass(gcc::context *context, const pass_data &data) : rtl_opt_pass(data, context)
	{
	}

	bool gate(function *) override
	{
		return !unit_of_file.empty();
	}

	unsigned execute(function *) override
	{
		std::vector<call_label> run;
		bool parted = crtl->has_bb_partition;

		for (rtx_insn *insn = get_insns(); insn; insn = NEXT_INSN(insn)) {
			if (NOTE_P(insn) && NOTE_KIND(insn) == NOTE_INSN_SWITCH_TEXT_SECTIONS)
				end(run, parted);
			if (!CALL_P(insn) || SIBLING_CALL_P(insn))
				continue;

			int number = number_of(INSN_LOCATION(insn));

			if (number < 0 || (size_t)number >= unit_of_file.sites.size())
				continue;

			/* the note becomes a label in the assembly, and later passes ignore it */
			rtx_note *note = emit_note_after(NOTE_INSN_DELETED, insn);

			NOTE_KIND(note) = NOTE_INSN_DELETED_LABEL;
			CODE_LABEL_NUMBER(note) = CODE_LABEL_NUMBER(gen_label_rtx());
			run.push_back({CODE_LABEL_NUMBER(note), (unsigned)number});
		}
		end(run, parted);
		return 0;
	}

      private:
	static void end(std::vector<call_label> &run, bool parted)
	{
		section *in = parted ? NULL : function_section(current_function_decl);
		auto known = in ? run_of.find(in) : run_of.end();

		if (run.empty())
			return;
		if (known != run_of.end()) {
			runs[known->second].insert(runs[known->second].end(), run.begin(), run.end());
		} else {
			if (in)
				run_of.emplace(in, runs.size());
			runs.push_back(run);
		}
		run.clear();
	}
};

/* Keeps only sites that have a call in the final code. */
void
keep_used()
{
	std::vector<bool> used(unit_of_file.sites.size());
	std::vector<unsigned> numbers(unit_of_file.sites.size());
	std::vector<table::site> kept;

	for (const auto &run : runs)
		for (const call_label &l : run) {
			used[l.site] = true;
			if (unit_of_file.sites[l.site].flags & TABLE_PAIR)
				used[l.site + 1] = true;
		}
	for (size_t i = 0; i < used.size(); i++)
		if (used[i]) {
			numbers[i] = (unsigned)kept.size();
			kept.push_back(unit_of_file.sites[i]);
		}
	unit_of_file.sites.swap(kept);
	for (auto &run : runs)
		for (call_label &l : run)
			l.site = numbers[l.site];
}

void
write_table(void *, void *)
{
	if (!asm_out_file || unit_of_file.empty() || seen_error())
		return;
	keep_used();
	unit_of_file.file = main_input_filename ? main_input_filename : "";
	unit_of_file.directory = get_src_pwd();
	unit_of_file.compiler = std::string("gcc ") + version_string;

	for (const auto &run : runs) {
		unit_of_file.runs.emplace_back();
		for (const call_label &l : run)
			unit_of_file.runs.back().push_back(l.site);
	}

	table::contribution made = unit_of_file.finish();

	if (made.body.empty())
		return;
	fputs("\t.pushsection\t" TABLE_SECTION ",\"\",@progbits\n.Lsleave:\n", asm_out_file);
	fputs(made.text(TABLE_BY_PC, ".Lsleave_end-.Lsleave", "0").c_str(), asm_out_file);
	for (const auto &run : runs) {
		const call_label *before = NULL;

		fprintf(asm_out_file, "\t.quad\t.L%d\n", run[0].label);
		for (const call_label &l : run) {
			if (before)
				fprintf(asm_out_file, "\t.uleb128\t.L%d-.L%d\n", l.label, before->label);
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
