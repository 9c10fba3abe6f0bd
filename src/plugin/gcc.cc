/*
 * For gcc: accesses that its own -fsanitize=thread does not announce. That pass looks at assignments only, and a
 * call can read and write memory itself:
 *
 *     g(*shared);        a struct by value, in registers or on the stack
 *     *shared = f();     a struct that is returned
 *
 * This pass goes just before gcc's. Of an argument it announces the read, before the call. A result goes to a
 * variable of its own first, and the assignment behind the call is announced by gcc's pass, like every other: so the
 * announcement comes before the write, and other threads can be let in between. Results that are built in place
 * (C++: new pair(f())) stay there, because the program may count on the address; their write is announced behind
 * the call.
 *
 * Not here: classes that are not trivially copyable. What is passed then is the address of a copy that a constructor
 * made, and what is returned is written through a pointer: code that gcc's pass sees.
 *
 * Of an asm statement it announces what the text says about memory (asm_operands.hh), before the statement: the engine's entry is told
 * of all its accesses at once, because they are performed at once. gcc's pass looks at no asm statement at all, so that also the
 * store of a result that is in a register ("=r"(*p)) is announced here.
 *
 * A file that was compiled with this pass calls __sleave_init at its start instead of __tsan_init; that is how the
 * engine knows of those that were not. What is called for each access is called without a jump in between.
 */
#include "asm_operands.hh" /* before gcc's headers, which forbid words that those of C++ need */
#include "table_wanted.hh"

#include "gcc-plugin.h"
#include "plugin-version.h"

#include "tree.h"
#include "gimple.h"
#include "stringpool.h"
#include "attribs.h"
#include "asan.h"
#include "cgraph.h"
#include "context.h"
#include "diagnostic-core.h"
#include "fold-const.h"
#include "gimple-iterator.h"
#include "gimplify.h"
#include "gimplify-me.h"
#include "ssa.h"
#include "tree-cfg.h"
#include "tree-eh.h"
#include "tree-pass.h"
#include "tree-ssa-alias.h"
#include "tree-ssa-loop-ivopts.h"
#include "stmt.h"
#include "varasm.h"

#include "gcc_bodies.hh"
#include "gcc_sites.hh"
#include "library_locks.hh"
#include "unseen_section.hh"

int plugin_is_GPL_compatible;

namespace {

/* Can another thread know this memory? Decided as in gcc's pass. */
bool
may_be_shared(tree reference)
{
	tree base = get_base_address(reference);

	if (!base || may_be_nonaddressable_p(reference))
		return false;
	if (!DECL_P(base))
		return TREE_CODE(base) == MEM_REF || TREE_CODE(base) == TARGET_MEM_REF;
	if (TREE_READONLY(base) || (VAR_P(base) && DECL_HARD_REGISTER(base)))
		return false;
	if (is_global_var(base))
		return true;

	struct pt_solution escaped;

	memset(&escaped, 0, sizeof(escaped));
	escaped.escaped = 1;
	escaped.ipa_escaped = flag_ipa_pta != 0;
	return may_be_aliased(base) && pt_solution_includes(&escaped, base);
}

/* Is there something to announce? */
bool
concerns(tree reference, gcall *call)
{
	tree type = TREE_TYPE(reference);

	if (TREE_ADDRESSABLE(type) || is_empty_type(type) || integer_zerop(TYPE_SIZE_UNIT(type)) ||
	    !may_be_shared(reference))
		return false;
	if (TREE_CODE(TYPE_SIZE_UNIT(type)) == INTEGER_CST)
		return true;
	/* Only nested functions can have these, and gcc 12 itself fails on most of them. */
	inform(gimple_location(call), "Sleave does not see this access to a struct of variable size");
	return false;
}

void
announce(gimple_seq *to, tree reference, bool write, location_t place)
{
	gimple_seq before = NULL;
	tree address = force_gimple_operand(build_fold_addr_expr(unshare_expr(reference)), &before, true, NULL_TREE);
	gimple *call = gimple_build_call(
		builtin_decl_implicit(write ? BUILT_IN_TSAN_WRITE_RANGE : BUILT_IN_TSAN_READ_RANGE), 2, address,
		fold_convert(size_type_node, TYPE_SIZE_UNIT(TREE_TYPE(reference))));

	gimple_set_location(call, place);
	gimple_seq_add_seq(to, before);
	gimple_seq_add_stmt(to, call);
}

void
announce_arguments(gimple_stmt_iterator *at, gcall *call)
{
	for (unsigned i = 0; i < gimple_call_num_args(call); i++) {
		tree argument = gimple_call_arg(call, i);
		gimple_seq sequence = NULL;

		if (TREE_CODE(argument) == WITH_SIZE_EXPR)
			argument = TREE_OPERAND(argument, 0);
		if (is_gimple_reg_type(TREE_TYPE(argument)) || !concerns(argument, call))
			continue;
		announce(&sequence, argument, false, gimple_location(call));
		gsi_insert_seq_before(at, sequence, GSI_SAME_STMT);
	}
}

/* Inserts behind the call; if the call may throw, on the edge where it does not. */
void
insert_behind(gimple_stmt_iterator *at, gcall *call, gimple_seq sequence)
{
	if (!stmt_ends_bb_p(call)) {
		gsi_insert_seq_after(at, sequence, GSI_CONTINUE_LINKING);
		return;
	}

	edge returns = find_fallthru_edge(gimple_bb(call)->succs);

	if (returns)
		gsi_insert_seq_on_edge(returns, sequence);
}

void
announce_result(gimple_stmt_iterator *at, gcall *call)
{
	tree result = gimple_call_lhs(call);

	if (!result || TREE_CODE(result) == SSA_NAME || !concerns(result, call))
		return;

	tree type = TREE_TYPE(result);
	gimple_seq sequence = NULL;

	/* a copy that may trap would need handlers */
	if (gimple_call_return_slot_opt_p(call) ||
	    (cfun->can_throw_non_call_exceptions && tree_could_trap_p(result))) {
		announce(&sequence, result, true, gimple_location(call));
		insert_behind(at, call, sequence);
		return;
	}

	tree copy = is_gimple_reg_type(type) ? make_ssa_name(TYPE_MAIN_VARIANT(type))
					     : create_tmp_var(TYPE_MAIN_VARIANT(type), "result");
	gimple *assignment = gimple_build_assign(unshare_expr(result), copy);

	gimple_set_location(assignment, gimple_location(call));
	gimple_seq_add_stmt(&sequence, assignment);
	if (!is_gimple_reg_type(type)) /* so that the stack may be reused */
		gimple_seq_add_stmt(&sequence, gimple_build_assign(copy, build_clobber(TREE_TYPE(copy))));
	gimple_call_set_lhs(call, copy);
	if (aggregate_value_p(type, gimple_call_fntype(call))) /* no other code knows the copy, so the result may be built in it */
		gimple_call_set_return_slot_opt(call, true);
	update_stmt(call);
	insert_behind(at, call, sequence);
}

/* ---- asm statements ---- */

tree
engine_function(const char *name, tree type)
{
	tree function = build_fn_decl(name, type);

	TREE_NOTHROW(function) = 1;
	return function;
}

bool
is_memory(tree operand)
{
	return !is_gimple_reg(operand) && !is_gimple_min_invariant(operand) && TREE_CODE(operand) != SSA_NAME &&
	       TREE_CODE(operand) != LABEL_DECL && TREE_CODE(operand) != FUNCTION_DECL;
}

unsigned
size_of(tree operand)
{
	tree size = TYPE_SIZE_UNIT(TREE_TYPE(operand));

	return size && tree_fits_uhwi_p(size) && tree_to_uhwi(size) < 1u << 30 ? (unsigned)tree_to_uhwi(size) : 0;
}

/* The operands of an asm statement, by number. */
struct asm_operands {
	std::vector<tree> trees;
	std::vector<assembly::operand> known;
	std::vector<tree> stored; /* results in registers, which are stored to memory afterwards */

	explicit asm_operands(gasm *statement)
	{
		unsigned outputs = gimple_asm_noutputs(statement), inputs = gimple_asm_ninputs(statement);
		std::vector<const char *> constraints;

		for (unsigned i = 0; i < outputs; i++) {
			tree link = gimple_asm_output_op(statement, i);
			const char *constraint = text_of(link);
			bool memory = true, reg = true, both = false;
			assembly::operand o;

			constraints.push_back(constraint);
			parse_output_constraint(&constraint, (int)i, (int)inputs, (int)outputs, &memory, &reg, &both);
			o.writes = true;
			o.reads = both;
			add(TREE_VALUE(link), o, constraints.back());
			if (known.back().memory && !memory) {
				known.back().memory = false;
				stored.push_back(TREE_VALUE(link));
			}
		}
		for (unsigned i = 0; i < inputs; i++) {
			tree link = gimple_asm_input_op(statement, i);
			const char *constraint = text_of(link);
			assembly::operand o;

			o.reads = true;
			if (ISDIGIT(constraint[0])) {
				unsigned same = (unsigned)atoi(constraint);

				if (same < outputs) {
					known[same].same = (int)(outputs + i);
					constraint = constraints[same];
				}
			}
			add(TREE_VALUE(link), o, constraint);
		}
		/*
		 * An operand that is read and written is an output, and an input that the text does not mention.
		 */
		for (unsigned i = 0; i < outputs; i++)
			for (unsigned k = outputs; k < trees.size(); k++)
				if (known[i].memory && known[k].memory && operand_equal_p(trees[i], trees[k], 0)) {
					known[i].reads = true;
					known[k].reads = false;
				}
	}

	/* Returns the value of the operand before the statement. */
	tree
	value(int number) const
	{
		const assembly::operand &o = known[(size_t)number];

		if (o.same >= 0)
			return trees[(size_t)o.same];
		return o.reads && !o.memory ? trees[(size_t)number] : NULL_TREE;
	}

	/* Returns the operand that has to be in this register; NULL_TREE: there is none. */
	tree
	in_register(char letter) const
	{
		for (size_t i = 0; i < known.size(); i++)
			if (known[i].fixed == letter && value((int)i))
				return value((int)i);
		return NULL_TREE;
	}

private:
	static const char *
	text_of(tree link)
	{
		return TREE_STRING_POINTER(TREE_VALUE(TREE_PURPOSE(link)));
	}

	void
	add(tree operand, assembly::operand o, const char *constraint)
	{
		o.memory = is_memory(operand);
		o.size = size_of(operand);
		for (; *constraint && !o.fixed; constraint++)
			if (strchr("acDS", *constraint))
				o.fixed = *constraint;
		trees.push_back(operand);
		known.push_back(o);
	}
};

/* For an integer or a pointer; NULL_TREE: it is neither. */
tree
as_number(tree value)
{
	if (!value || (!INTEGRAL_TYPE_P(TREE_TYPE(value)) && !POINTER_TYPE_P(TREE_TYPE(value))))
		return NULL_TREE;
	return fold_convert(long_unsigned_type_node, unshare_expr(value));
}

/* Returns the position of the bit that another operand numbers, in words of this size. */
tree
offset_of_bit(tree number, unsigned size)
{
	tree bit = fold_convert(long_integer_type_node, unshare_expr(number));
	tree bytes = fold_build2(RSHIFT_EXPR, long_integer_type_node, bit, build_int_cst(integer_type_node, 3));

	return fold_convert(long_unsigned_type_node, fold_build2(BIT_AND_EXPR, long_integer_type_node, bytes,
								 build_int_cst(long_integer_type_node, -(long)size)));
}

/* NULL_TREE: the address is unknown. shared: another thread may know it. */
tree
address_of(const assembly::access &a, const asm_operands &operands, bool *shared)
{
	tree at;

	*shared = true;
	if (a.through) {
		at = as_number(operands.value(a.operand));
	} else {
		*shared = may_be_shared(operands.trees[(size_t)a.operand]);
		at = fold_convert(long_unsigned_type_node,
				  build_fold_addr_expr(unshare_expr(operands.trees[(size_t)a.operand])));
	}
	if (at && a.offset)
		at = fold_build2(PLUS_EXPR, long_unsigned_type_node, at, build_int_cst(long_unsigned_type_node, a.offset));
	if (at && a.bit >= 0) {
		tree bit = operands.value(a.bit);

		if (!bit || !INTEGRAL_TYPE_P(TREE_TYPE(bit)) || a.size < 2)
			return NULL_TREE;
		at = fold_build2(PLUS_EXPR, long_unsigned_type_node, at, offset_of_bit(bit, a.size));
	}
	return at;
}

tree
simple(tree value, gimple_seq *sequence)
{
	gimple_seq before = NULL;

	value = force_gimple_operand(value, &before, true, NULL_TREE);
	gimple_seq_add_seq(sequence, before);
	return value;
}

void
call_engine(gimple_seq *sequence, location_t place, gcall *call)
{
	gimple_set_location(call, place);
	gimple_seq_add_stmt(sequence, call);
}

void
announce_assembly(gimple_stmt_iterator *at, gasm *statement)
{
	asm_operands operands(statement);
	bool clobbers = gimple_asm_clobbers_memory_p(statement);
	assembly::meaning meaning =
		assembly::reader(operands.known, clobbers).read(gimple_asm_string(statement), ASSEMBLER_DIALECT != ASM_ATT);
	gimple_seq sequence = NULL;
	unsigned HOST_WIDE_INT how = 0;
	unsigned count = 0;
	tree wanted = NULL_TREE;
	auto_vec<tree> arguments;

	arguments.safe_push(NULL_TREE);
	arguments.safe_push(NULL_TREE);
	for (tree result : operands.stored) {
		assembly::access a;

		a.operand = (int)operands.trees.size();
		a.size = size_of(result);
		a.how = assembly::WRITES;
		operands.trees.push_back(result);
		operands.known.emplace_back();
		meaning.accesses.push_back(a);
	}
	for (assembly::access &a : meaning.accesses) {
		bool shared = true;
		tree address = address_of(a, operands, &shared);

		if (!shared)
			continue;
		if (!address || !a.size || count == 7 || (a.times >= 0 && !as_number(operands.value(a.times)))) {
			meaning.unseen = true;
			continue;
		}
		if (a.how & assembly::SWAPS) {
			tree known = as_number(operands.in_register('a'));

			if (known && !wanted && a.size <= 8)
				wanted = known;
			else
				a.how &= ~(unsigned)assembly::SWAPS;
		}
		tree size = build_int_cst(long_unsigned_type_node, a.size);

		if (a.times >= 0)
			size = fold_build2(MULT_EXPR, long_unsigned_type_node, size, as_number(operands.value(a.times)));
		how |= (unsigned HOST_WIDE_INT)a.how << 8 * count++;
		arguments.safe_push(simple(address, &sequence));
		arguments.safe_push(simple(size, &sequence));
	}
	if (count) {
		tree type = build_varargs_function_type_list(void_type_node, long_unsigned_type_node, long_unsigned_type_node,
							     NULL_TREE);

		arguments[0] = build_int_cst(long_unsigned_type_node, how);
		arguments[1] = wanted ? simple(wanted, &sequence) : build_int_cst(long_unsigned_type_node, 0);
		call_engine(&sequence, gimple_location(statement),
			    gimple_build_call_vec(engine_function("__sleave_asm", type), arguments));
	}
	if (meaning.fence)
		call_engine(&sequence, gimple_location(statement),
			    gimple_build_call(builtin_decl_implicit(BUILT_IN_TSAN_ATOMIC_THREAD_FENCE), 1,
					      build_int_cst(integer_type_node, meaning.fence)));
	if (meaning.unseen)
		call_engine(&sequence, gimple_location(statement),
			    gimple_build_call(engine_function("__sleave_asm_unseen",
							      build_function_type_list(void_type_node, NULL_TREE)),
					      0));
	if (sequence)
		gsi_insert_seq_before(at, sequence, GSI_SAME_STMT);
}

bool
is_last_in(basic_block block, internal_fn what)
{
	gimple *last = last_stmt(block);

	return last && gimple_call_internal_p(last, what);
}

/* Returns the call at the start of a block that says which block it is (--branches); NULL: there is none. */
gimple *
says_which(basic_block block)
{
	for (gimple_stmt_iterator at = gsi_start_nondebug_after_labels_bb(block); !gsi_end_p(at); gsi_next(&at)) {
		gcall *call = dyn_cast<gcall *>(gsi_stmt(at));

		if (call)
			return gimple_call_builtin_p(call, BUILT_IN_SANITIZER_COV_TRACE_PC) ? call : NULL;
	}
	return NULL;
}

void
remove(gimple *statement)
{
	gimple_stmt_iterator at = gsi_for_stmt(statement);

	unlink_stmt_vdef(statement);
	gsi_remove(&at, true);
	release_defs(statement);
}

/*
 * For --branches. At -O0, leaving a function ends a block. The machine's return, which follows, is no branch of
 * the program, and would be attributed to a function that has been left.
 */
void
leave_out_return(basic_block block)
{
	edge from;
	edge_iterator i;
	gimple *call = says_which(block);

	if (!call)
		return;
	FOR_EACH_EDGE(from, i, block->preds)
		if (!is_last_in(from->src, IFN_TSAN_FUNC_EXIT))
			return;
	remove(call);
}

/* Is it made by gcc, to call __sleave_init? Then it is no function of the program. */
bool
is_for_init(tree function)
{
	return DECL_STATIC_CONSTRUCTOR(function) && DECL_ARTIFICIAL(function) && DECL_NAME(function) &&
	       startswith(IDENTIFIER_POINTER(DECL_NAME(function)), "_sub_I_00099_");
}

/* Keeps gcc's pass, which comes next, from looking at the function. */
void
leave_alone(function *body)
{
	basic_block block;

	FOR_EACH_BB_FN(block, body) {
		gimple *call = says_which(block);

		if (call)
			remove(call);
		for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at);) {
			call = gsi_stmt(at);
			gsi_next(&at);
			if (gimple_call_internal_p(call, IFN_TSAN_FUNC_EXIT)) {
				remove(call);
			} else if (gimple_call_builtin_p(call, BUILT_IN_TSAN_INIT)) {
				/*
				 * there is no jump instead of the call: the return address says which file it is
				 */
				gasm *nothing = gimple_build_asm_vec("", NULL, NULL, NULL, NULL);
				gimple_stmt_iterator here = gsi_for_stmt(call);

				gimple_asm_set_volatile(nothing, true);
				gsi_insert_after(&here, nothing, GSI_SAME_STMT);
			}
		}
	}
	DECL_ATTRIBUTES(body->decl) = tree_cons(get_identifier("no_sanitize"),
						build_int_cst(unsigned_type_node, SANITIZE_THREAD),
						DECL_ATTRIBUTES(body->decl));
}

/* Is it in the section of functions that Sleave must not announce? */
bool
is_kept_from_us(tree decl)
{
	return DECL_SECTION_NAME(decl) && !strcmp(DECL_SECTION_NAME(decl), UNSEEN);
}

/* Marks a function that may get no callback, so that it is not reported as code that was not seen. */
void
mark_function(function *body)
{
	gasm *assembly = gimple_build_asm_vec(MARK, NULL, NULL, NULL, NULL);
	gimple_stmt_iterator at = gsi_after_labels(single_succ(ENTRY_BLOCK_PTR_FOR_FN(body)));

	gimple_asm_set_volatile(assembly, true);
	gsi_insert_before(&at, assembly, GSI_SAME_STMT);
}

class sleave_pass : public gimple_opt_pass
{
public:
	sleave_pass(gcc::context *context, const pass_data &data, bool unoptimised)
	    : gimple_opt_pass(data, context), unoptimised(unoptimised)
	{
	}

	opt_pass *
	clone() override
	{
		return new sleave_pass(m_ctxt, *this, unoptimised);
	}

	bool
	gate(function *) override
	{
		return flag_sanitize & SANITIZE_THREAD && (!unoptimised || !optimize);
	}

	unsigned
	execute(function *body) override
	{
		basic_block block;
		bool calls = false;

		if (!sanitize_flags_p(SANITIZE_THREAD)) {
			if (is_kept_from_us(body->decl))
				mark_function(body);
			return 0;
		}
		if (is_for_init(body->decl) || lookup_attribute("naked", DECL_ATTRIBUTES(body->decl))) {
			leave_alone(body);
			return 0;
		}
		initialize_sanitizer_builtins();
		if (is_table_wanted())
			collect_sites(body);
		FOR_EACH_BB_FN(block, body) {
			leave_out_return(block);
			for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
				gcall *call = dyn_cast<gcall *>(gsi_stmt(at));

				if (gasm *assembly = dyn_cast<gasm *>(gsi_stmt(at)))
					announce_assembly(&at, assembly);
				if (!call || gimple_call_internal_p(call))
					continue;
				calls = true;
				announce_arguments(&at, call);
				announce_result(&at, call);
			}
		}
		gsi_commit_edge_inserts();
		if (!calls)
			mark_function(body);
		return 0;
	}

private:
	bool unoptimised;
};

/* gcc has two passes, one of them for -O0 alone; this pass goes before each. */
void
add_pass(const char *plugin, const char *before, bool unoptimised)
{
	const pass_data data = {
		GIMPLE_PASS, unoptimised ? "sleave0" : "sleave", OPTGROUP_NONE, TV_NONE, PROP_ssa | PROP_cfg, 0, 0, 0,
		TODO_update_ssa,
	};
	struct register_pass_info info;

	info.pass = new sleave_pass(g, data, unoptimised);
	info.reference_pass_name = before;
	info.ref_pass_instance_number = 0; /* before each of them */
	info.pos_op = PASS_POS_INSERT_BEFORE;
	register_callback(plugin, PLUGIN_PASS_MANAGER_SETUP, NULL, &info);
}

void
mark_file(void *, void *)
{
	if (!(flag_sanitize & SANITIZE_THREAD))
		return;
	initialize_sanitizer_builtins();
	set_user_assembler_name(builtin_decl_implicit(BUILT_IN_TSAN_INIT), "__sleave_init");
	for (built_in_function often :
	     {BUILT_IN_TSAN_READ1, BUILT_IN_TSAN_READ2, BUILT_IN_TSAN_READ4, BUILT_IN_TSAN_READ8, BUILT_IN_TSAN_READ16,
	      BUILT_IN_TSAN_WRITE1, BUILT_IN_TSAN_WRITE2, BUILT_IN_TSAN_WRITE4, BUILT_IN_TSAN_WRITE8,
	      BUILT_IN_TSAN_WRITE16}) {
		tree function = builtin_decl_implicit(often);

		DECL_ATTRIBUTES(function) =
			tree_cons(get_identifier("noplt"), NULL_TREE, DECL_ATTRIBUTES(function));
	}
}

/* See library_locks.hh. */
bool
locks(tree function)
{
	if (!DECL_NAME(function) || !DECL_IN_SYSTEM_HEADER(function) ||
	    lookup_attribute("noinline", DECL_ATTRIBUTES(function)))
		return false;
	if (locks_by_name(IDENTIFIER_POINTER(DECL_NAME(function))))
		return true;

	tree scope = DECL_CONTEXT(function);

	if (!scope || !RECORD_OR_UNION_TYPE_P(scope) || !TYPE_NAME(scope))
		return false;

	tree name = TREE_CODE(TYPE_NAME(scope)) == TYPE_DECL ? DECL_NAME(TYPE_NAME(scope)) : TYPE_NAME(scope);

	return name && locks_by_class(IDENTIFIER_POINTER(name));
}

/* Assembly outside of functions is not announced: the file says so when it is loaded. */
void
mark_assembly(void *, void *)
{
	if (!(flag_sanitize & SANITIZE_THREAD))
		return;
	for (asm_node *node = symtab->first_asm_symbol(); node; node = node->next)
		if (assembly::reader::has_instructions(
			    std::string(TREE_STRING_POINTER(node->asm_str), (size_t)TREE_STRING_LENGTH(node->asm_str)))) {
			set_user_assembler_name(builtin_decl_implicit(BUILT_IN_TSAN_INIT), "__sleave_init_asm");
			return;
		}
}

void
inline_locks(void *, void *)
{
	cgraph_node *node;

	if (!(flag_sanitize & SANITIZE_THREAD))
		return;
	FOR_EACH_DEFINED_FUNCTION(node) {
		tree function = node->decl;

		if (!locks(function) || lookup_attribute("always_inline", DECL_ATTRIBUTES(function)))
			continue;
		DECL_DECLARED_INLINE_P(function) = 1;
		DECL_DISREGARD_INLINE_LIMITS(function) = 1;
		DECL_ATTRIBUTES(function) =
			tree_cons(get_identifier("always_inline"), NULL_TREE, DECL_ATTRIBUTES(function));
	}
}

} // namespace

/*
 * Functions that the program excludes from ThreadSanitizer are instrumented nevertheless: the reason is that the
 * race is meant, or that ThreadSanitizer does not understand the lock.
 */
void
sanitize_all_the_same(void *function, void *)
{
	tree decl = static_cast<tree>(function);

	if (decl && TREE_CODE(decl) == FUNCTION_DECL && !is_kept_from_us(decl))
		DECL_ATTRIBUTES(decl) = remove_attribute("no_sanitize", DECL_ATTRIBUTES(decl));
}

/*
 * With a compiler that differs from the one this was built for, the plugin does nothing, and the file gets no
 * mark.
 */
int
plugin_init(struct plugin_name_args *info, struct plugin_gcc_version *version)
{
	if (!plugin_default_version_check(version, &gcc_version))
		return 0;
	add_pass(info->base_name, "tsan", false);
	add_pass(info->base_name, "tsan0", true);
	if (is_table_wanted()) {
		add_code_pass(info->base_name);
		add_site_passes(info->base_name);
	}
	register_callback(info->base_name, PLUGIN_START_UNIT, mark_file, NULL);
	register_callback(info->base_name, PLUGIN_PRE_GENERICIZE, sanitize_all_the_same, NULL);
	register_callback(info->base_name, PLUGIN_ALL_IPA_PASSES_START, inline_locks, NULL);
	register_callback(info->base_name, PLUGIN_ALL_IPA_PASSES_START, mark_assembly, NULL);
	return 0;
}
