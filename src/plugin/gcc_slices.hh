/*
 * For gcc: the values of a function, for slices.hh. Variables that are in memory (their address is taken, or they are records and
 * arrays) are followed as a whole: each depends on all that is ever stored in it, and on the calls that get its address.
 */
#ifndef SL_PLUGIN_GCC_SLICES_HH
#define SL_PLUGIN_GCC_SLICES_HH

#include "gcc_headers.hh"

#include "gcc_describe.hh"

/* A variable of gcc's says where to continue behind a try block. */
static inline bool
is_way_on(tree value)
{
	return value && TREE_CODE(value) == SSA_NAME && SSA_NAME_VAR(value) && DECL_ARTIFICIAL(SSA_NAME_VAR(value)) &&
	       !name_of(SSA_NAME_VAR(value)).compare(0, 11, "finally_tmp");
}

class slicer {
      public:
	slicer(function *body, table::flow &to, const std::map<int, unsigned> &numbers)
	    : body(body), to(to), numbers(numbers)
	{
	}

	/* What a statement was written down as. */
	void note(gimple *one, unsigned number, const table::point &point)
	{
		points_of &p = points[one];

		if (point.call)
			p.call = (int)number;
		else if (point.flags & TABLE_WRITES)
			p.writes.push_back(number);
		if (!point.call && point.flags & TABLE_READS)
			p.reads.push_back(number);
	}

	/* When all have been noted. */
	void read()
	{
		basic_block block;

		to.next.resize(numbers.size());
		FOR_EACH_BB_FN(block, body) {
			edge e;
			edge_iterator i;

			for (gphi_iterator at = gsi_start_phis(block); !gsi_end_p(at); gsi_next(&at))
				find_addresses_in(at.phi());
			for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
				find_stores(gsi_stmt(at));
			FOR_EACH_EDGE(e, i, block->succs)
			if (e->dest != EXIT_BLOCK_PTR_FOR_FN(body) && !(e->flags & (EDGE_EH | EDGE_ABNORMAL)))
				to.next[number_of(block)].push_back(number_of(e->dest));
		}
		if (tree result = DECL_RESULT(body->decl))
			if (tree pointer = DECL_BY_REFERENCE(result) ? ssa_default_def(body, result) : NULL_TREE)
				references.push_back({pointer, result, false});
		follow_references();
		FOR_EACH_BB_FN(block, body)
		for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
			wishes_of(gsi_stmt(at), number_of(block));
		while (!todo.empty()) {
			tree one = todo.back();

			todo.pop_back();
			fill(one);
		}
	}

      private:
	using list = std::vector<unsigned>;

	struct points_of {
		list reads, writes;
		int call = -1;
	};

	unsigned number_of(basic_block block) const
	{
		auto found = numbers.find(block->index);

		return found == numbers.end() ? 0 : found->second;
	}

	/* ---- variables in memory ---- */

	static bool is_local(tree t)
	{
		return t && (VAR_P(t) || TREE_CODE(t) == PARM_DECL || TREE_CODE(t) == RESULT_DECL) && !is_global_var(t) &&
		       !is_gimple_reg(t);
	}

	/* The variable that this is the address of. */
	static tree addressed(tree t)
	{
		tree base = t && TREE_CODE(t) == ADDR_EXPR ? get_base_address(TREE_OPERAND(t, 0)) : NULL_TREE;

		return is_local(base) ? base : NULL_TREE;
	}

	/*
	 * A pointer to a variable; or, `holds`, to memory that may have such a pointer in it. `pointer` is a value, or a variable that holds it.
	 */
	struct reference {
		tree pointer, variable;
		bool holds;

		bool operator<(const reference &o) const
		{
			return std::tie(pointer, variable, holds) < std::tie(o.pointer, o.variable, o.holds);
		}
	};

	void find_addresses_in(gphi *phi)
	{
		for (unsigned i = 0; i < gimple_phi_num_args(phi); i++)
			if (tree variable = addressed(gimple_phi_arg_def(phi, i)))
				found_address(variable, phi);
	}

	void found_address(tree variable, gimple *at)
	{
		addresses[variable].push_back(at);
		uses_address(at, {NULL_TREE, variable, false});
	}

	void find_stores(gimple *one)
	{
		if (is_gimple_debug(one) || gimple_clobber_p(one))
			return;
		if (tree written = gimple_get_lhs(one))
			if (tree base = get_base_address(written); is_local(base))
				stores[base].push_back(one);
		if (gasm *assembly = dyn_cast<gasm *>(one)) {
			for (unsigned i = 0; i < gimple_asm_noutputs(assembly); i++)
				if (tree base = get_base_address(TREE_VALUE(gimple_asm_output_op(assembly, i)));
				    is_local(base))
					stores[base].push_back(one);
		} else if (gcall *call = dyn_cast<gcall *>(one)) {
			for (unsigned i = 0; i < gimple_call_num_args(call); i++)
				if (tree variable = addressed(gimple_call_arg(call, i)))
					found_address(variable, call);
		} else if (is_gimple_assign(one)) {
			if (tree base = get_base_address(gimple_assign_rhs1(one)); gimple_assign_load_p(one) && is_local(base))
				loads[base].push_back(one);
			for (unsigned i = 1; i < gimple_num_ops(one); i++)
				if (tree variable = addressed(gimple_op(one, i)))
					found_address(variable, one);
		}
	}

	/* The statement has the pointer among its operands. */
	void uses_address(gimple *one, const reference &r)
	{
		if (gimple_code(one) == GIMPLE_PHI) {
			references.push_back({gimple_phi_result(one), r.variable, r.holds});
		} else if (is_gimple_call(one)) {
			stores[r.variable].push_back(one);
			if (tree result = gimple_call_lhs(one);
			    result && TREE_CODE(result) == SSA_NAME && !is_point(one)) /* a builtin that gives it back */
				references.push_back({result, r.variable, r.holds});
		} else if (is_gimple_assign(one)) {
			tree lhs = gimple_assign_lhs(one), base = get_base_address(lhs);
			bool through = base && TREE_CODE(base) == MEM_REF && TREE_OPERAND(base, 0) == r.pointer;

			if (TREE_CODE(lhs) == SSA_NAME) {
				if (!POINTER_TYPE_P(TREE_TYPE(lhs)))
					return;
				if (!gimple_assign_load_p(one) || r.holds)
					references.push_back({lhs, r.variable, false});
				if (r.holds)
					references.push_back({lhs, r.variable, true});
			} else if (through && gimple_assign_rhs1(one) != r.pointer) {
				if (!r.holds)
					stores[r.variable].push_back(one);
			} else if (is_local(base)) {
				references.push_back({base, r.variable, true});
			} else {
				escaped.insert(r.variable);
			}
		}
	}

	bool is_point(gimple *call) const
	{
		auto found = points.find(call);

		return found != points.end() && found->second.call >= 0;
	}

	void follow_references()
	{
		std::set<reference> known;

		while (!references.empty()) {
			reference r = references.back();

			references.pop_back();
			if (!known.insert(r).second)
				continue;
			if (TREE_CODE(r.pointer) == SSA_NAME) {
				imm_use_iterator i;
				use_operand_p use;

				FOR_EACH_IMM_USE_FAST(use, i, r.pointer)
				if (!is_gimple_debug(USE_STMT(use)))
					uses_address(USE_STMT(use), r);
				continue;
			}
			for (gimple *one : loads[r.pointer])
				uses_address(one, r);
			for (gimple *one : addresses[r.pointer])
				uses_address(one, r);
		}
	}

	/* ---- values ---- */

	unsigned value_of(tree t)
	{
		auto found = known.emplace(t, 0);

		if (found.second) {
			found.first->second = to.add();
			todo.push_back(t);
		}
		return found.first->second;
	}

	/* What is read there, but for the address. */
	void content(tree reference, list &from)
	{
		tree base = get_base_address(reference);

		if (is_local(base))
			from.push_back(value_of(base));
	}

	void address(tree reference, list &from)
	{
		while (handled_component_p(reference)) {
			if (TREE_CODE(reference) == ARRAY_REF || TREE_CODE(reference) == ARRAY_RANGE_REF)
				operand(TREE_OPERAND(reference, 1), from);
			reference = TREE_OPERAND(reference, 0);
		}
		if (TREE_CODE(reference) == MEM_REF || TREE_CODE(reference) == TARGET_MEM_REF)
			operand(TREE_OPERAND(reference, 0), from);
	}

	void operand(tree t, list &from)
	{
		unsigned HOST_WIDE_INT i;
		tree one;

		if (!t || TYPE_P(t) || CONSTANT_CLASS_P(t))
			return;
		switch (TREE_CODE(t)) {
		case SSA_NAME:
			from.push_back(value_of(t));
			return;
		case ADDR_EXPR:
			content(TREE_OPERAND(t, 0), from);
			address(TREE_OPERAND(t, 0), from);
			return;
		case CONSTRUCTOR:
			FOR_EACH_CONSTRUCTOR_VALUE(CONSTRUCTOR_ELTS(t), i, one)
			operand(one, from);
			return;
		case OBJ_TYPE_REF:
			operand(OBJ_TYPE_REF_EXPR(t), from);
			return;
		default:
			break;
		}
		if (DECL_P(t) || handled_component_p(t) || TREE_CODE(t) == MEM_REF || TREE_CODE(t) == TARGET_MEM_REF) {
			content(t, from);
			address(t, from);
			return;
		}
		if (IS_EXPR_CODE_CLASS(TREE_CODE_CLASS(TREE_CODE(t))))
			for (int k = 0; k < TREE_OPERAND_LENGTH(t); k++)
				operand(TREE_OPERAND(t, k), from);
	}

	/* What a statement reads at its points, and what is in variables of its own. */
	void read_of(gimple *one, tree reference, list &from)
	{
		auto found = points.find(one);

		if (found != points.end())
			for (unsigned point : found->second.reads)
				from.push_back(to.add_point(point));
		operand(reference, from);
	}

	void right_side(gimple *one, list &from)
	{
		auto found = points.find(one);

		if (gimple_assign_load_p(one)) {
			read_of(one, gimple_assign_rhs1(one), from);
			return;
		}
		if (found != points.end()) /* the neighbours of a bit-field that is written */
			for (unsigned point : found->second.reads)
				from.push_back(to.add_point(point));
		for (unsigned i = 1; i < gimple_num_ops(one); i++)
			operand(gimple_op(one, i), from);
	}

	/* What a call returns, or writes. */
	void result_of(gcall *call, list &from)
	{
		auto found = points.find(call);

		if (found != points.end() && found->second.call >= 0) {
			from.push_back(to.add_point((unsigned)found->second.call));
			return;
		}
		if (found != points.end())
			for (unsigned point : found->second.reads)
				from.push_back(to.add_point(point));
		arguments(call, from, 0);
	}

	void arguments(gcall *call, list &from, unsigned first)
	{
		for (unsigned i = first; i < gimple_call_num_args(call); i++)
			operand(gimple_call_arg(call, i), from);
	}

	void of_assembly(gasm *assembly, list &from)
	{
		auto found = points.find(assembly);

		if (found != points.end())
			for (unsigned point : found->second.reads)
				from.push_back(to.add_point(point));
		for (unsigned i = 0; i < gimple_asm_ninputs(assembly); i++)
			operand(TREE_VALUE(gimple_asm_input_op(assembly, i)), from);
	}

	void definition(gimple *one, list &from)
	{
		if (is_gimple_assign(one))
			right_side(one, from);
		else if (gcall *call = dyn_cast<gcall *>(one))
			result_of(call, from);
		else if (gasm *assembly = dyn_cast<gasm *>(one))
			of_assembly(assembly, from);
	}

	int parameter_of(tree decl) const
	{
		int number = 0;

		for (tree one = DECL_ARGUMENTS(body->decl); one; one = DECL_CHAIN(one)) {
			if (one == decl)
				return number;
			/* of constructors and destructors of classes with virtual bases */
			number += name_of(one) != "__in_chrg" && name_of(one) != "__vtt_parm";
		}
		return -1;
	}

	void fill(tree t)
	{
		unsigned number = known[t];
		list from;

		if (CONSTANT_CLASS_P(t))
			return;
		if (TREE_CODE(t) != SSA_NAME) { /* a variable in memory */
			if (TREE_CODE(t) == PARM_DECL)
				to.values[number].parameter = parameter_of(t);
			for (gimple *one : stores[t]) {
				definition(one, from);
				if (gimple_get_lhs(one))
					address(gimple_get_lhs(one), from); /* which of it */
			}
			to.values[number].from = from;
			to.values[number].more = escaped.count(t);
			return;
		}

		gimple *one = SSA_NAME_DEF_STMT(t);
		gphi *phi = dyn_cast<gphi *>(one);

		if (SSA_NAME_IS_DEFAULT_DEF(t)) {
			if (SSA_NAME_VAR(t) && TREE_CODE(SSA_NAME_VAR(t)) == PARM_DECL)
				to.values[number].parameter = parameter_of(SSA_NAME_VAR(t));
			return;
		}
		if (!phi) {
			bool same = gimple_assign_ssa_name_copy_p(one);

			definition(one, from);
			to.values[number].from = from;
			to.values[number].same = same && from.size() == 1;
			return;
		}

		list by;

		for (unsigned i = 0; i < gimple_phi_num_args(phi); i++) {
			tree argument = gimple_phi_arg_def(phi, i);
			list of;

			if (CONSTANT_CLASS_P(argument)) /* two of them are two values */
				of.push_back(value_of(argument));
			else
				operand(argument, of);
			from.push_back(of.empty() ? to.add() : to.add_group(of));
			by.push_back(number_of(gimple_phi_arg_edge(phi, i)->src));
		}
		to.values[number].from = from;
		to.values[number].by = by;
		to.values[number].block = (int)number_of(gimple_bb(phi));
	}

	/* ---- what is wanted ---- */

	void branch(gimple *one, unsigned block, const list &from, bool at_end)
	{
		table::slice s;
		unsigned value = to.add_group(from);

		s.at = position_of(gimple_location(one));
		s.flags = at_end ? TABLE_SLICE_LOOP : 0;
		if (at_end)
			to.decide(block, value);
		if (s.at.line)
			to.want(s, value, block);
	}

	void write(gimple *one, unsigned block, const list &from)
	{
		auto found = points.find(one);
		table::slice s;

		s.kind = TABLE_SLICE_WRITE;
		if (found != points.end())
			for (unsigned point : found->second.writes) {
				s.point = point;
				to.want(s, to.add_group(from), block);
			}
	}

	void wishes_of(gimple *one, unsigned block)
	{
		list from;

		switch (gimple_code(one)) {
		case GIMPLE_COND:
			operand(gimple_cond_lhs(one), from);
			operand(gimple_cond_rhs(one), from);
			branch(one, block, from, true);
			return;
		case GIMPLE_SWITCH:
			operand(gimple_switch_index(as_a<gswitch *>(one)), from);
			if (!is_way_on(gimple_switch_index(as_a<gswitch *>(one))))
				branch(one, block, from, true);
			return;
		case GIMPLE_ASSIGN:
			switch (gimple_assign_rhs_code(one)) {
			case MIN_EXPR:
			case MAX_EXPR:
			case ABS_EXPR:
			case ABSU_EXPR:
			case COND_EXPR: /* branches, as they were written */
				right_side(one, from);
				branch(one, block, from, false);
				from.clear();
				break;
			default:
				break;
			}
			if (gimple_store_p(one)) {
				right_side(one, from);
				address(gimple_assign_lhs(one), from);
				write(one, block, from);
			}
			return;
		case GIMPLE_CALL:
			call_wishes(as_a<gcall *>(one), block);
			return;
		case GIMPLE_ASM:
			of_assembly(as_a<gasm *>(one), from);
			write(one, block, from);
			return;
		case GIMPLE_RETURN: {
			tree value = gimple_return_retval(as_a<greturn *>(one));
			table::slice s;

			if (value && DECL_P(value) && DECL_BY_REFERENCE(value))
				from.push_back(value_of(value));
			else
				operand(value, from);
			s.kind = TABLE_SLICE_RESULT;
			to.want(s, to.add_group(from), block);
			return;
		}
		default:
			return;
		}
	}

	void call_wishes(gcall *call, unsigned block)
	{
		auto found = points.find(call);
		table::slice s;
		list from;

		if (found == points.end())
			return;
		if (found->second.call < 0) { /* of memory, or atomic */
			for (unsigned point : found->second.reads)
				from.push_back(to.add_point(point));
			arguments(call, from, 0);
			write(call, block, from);
			return;
		}
		for (unsigned i = 0; i < gimple_call_num_args(call); i++) {
			tree value = gimple_call_arg(call, i);

			from.clear();
			s.kind = TABLE_SLICE_ARGUMENT;
			s.point = (unsigned)found->second.call;
			s.argument = i;
			if (is_gimple_reg_type(TREE_TYPE(value)) || found->second.reads.empty())
				operand(value, from);
			else
				read_of(call, value, from);
			to.want(s, to.add_group(from), block);
		}
		from.assign(1, to.add_point((unsigned)found->second.call));
		if (gimple_call_lhs(call) && TREE_CODE(gimple_call_lhs(call)) != SSA_NAME)
			address(gimple_call_lhs(call), from);
		write(call, block, from);
	}

	function *body;
	table::flow &to;
	const std::map<int, unsigned> &numbers;
	std::map<gimple *, points_of> points;
	std::map<tree, std::vector<gimple *>> stores; /* into a variable, and calls that get its address */
	std::map<tree, std::vector<gimple *>> loads, addresses; /* of a variable */
	std::vector<reference> references;
	std::set<tree> escaped; /* variables whose address is kept in memory that others know */
	std::map<tree, unsigned> known;
	std::vector<tree> todo;
};

#endif
