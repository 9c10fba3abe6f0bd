/*
 * For gcc: functions as they were written. Each is examined once it is in SSA form: this is the first time that
 * all statements are simple, and before anything is inlined or optimised, at each level of optimisation.
 */
#include "gcc_headers.hh"

#include "announced_calls.hh"
#include "gcc_bodies.hh"
#include "gcc_describe.hh"
#include "gcc_slices.hh"
#include "lock_calls.hh"

namespace {

using table::code;
using table::lock_call;
using table::lock_function;
using table::point;

std::set<unsigned> taken; /* functions whose address is taken, by DECL_UID */

/* 1: a constructor, -1: a destructor. */
int
special_of(tree function)
{
	if (DECL_CXX_CONSTRUCTOR_P(function))
		return 1;
	return DECL_CXX_DESTRUCTOR_P(function) ? -1 : 0;
}

tree
class_of(tree function)
{
	tree scope = DECL_CONTEXT(DECL_ORIGIN(function));

	return scope && RECORD_OR_UNION_TYPE_P(scope) ? scope : NULL_TREE;
}

std::string
type_of(tree function)
{
	return special_of(function) < 0 ? "void()" : canonical_function(TREE_TYPE(function), DEPTH);
}

bool
is_inlined(tree function)
{
	/* functions to which the plugin itself has added the attribute are in system headers, and not examined */
	return lookup_attribute("always_inline", DECL_ATTRIBUTES(function)) || DECL_COMDAT(function) ||
	       position_of(DECL_SOURCE_LOCATION(function)).file != main_input_filename;
}

/* ---- the hash ---- */

class code_hasher {
      public:
	explicit code_hasher(function *body) : body(body)
	{
	}

	uint64_t hash()
	{
		basic_block block;

		attributes(DECL_ATTRIBUTES(body->decl));
		to.add(canonical_function(TREE_TYPE(body->decl), DEPTH));
		to.add((uint64_t)TREE_PUBLIC(body->decl));
		/* records that are given or returned by value are copied */
		for (tree one = DECL_ARGUMENTS(body->decl); one; one = DECL_CHAIN(one))
			if (RECORD_OR_UNION_TYPE_P(TREE_TYPE(one)))
				content(TREE_TYPE(one));
		if (DECL_RESULT(body->decl) && RECORD_OR_UNION_TYPE_P(TREE_TYPE(DECL_RESULT(body->decl))))
			content(TREE_TYPE(DECL_RESULT(body->decl)));
		visit(single_succ(ENTRY_BLOCK_PTR_FOR_FN(body)));
		FOR_EACH_BB_FN(block, body)
		if (is_handler(block))
			visit(block);
		for (basic_block one : order) {
			edge e;
			edge_iterator i;

			if (!is_continued(one))
				to.add(blocks[one->index]);
			for (gimple_stmt_iterator at = gsi_start_bb(one); !gsi_end_p(at); gsi_next(&at))
				statement(gsi_stmt(at));
			FOR_EACH_EDGE(e, i, one->succs)
			if (!(e->flags & EDGE_EH) && !is_continued(e->dest)) {
				to.add(blocks[e->dest->index]);
				to.add((uint64_t)(e->flags &
						  (EDGE_TRUE_VALUE | EDGE_FALSE_VALUE | EDGE_ABNORMAL)));
			}
		}
		caught();
		return to.value();
	}

      private:
	/*
	 * Which calls can throw is known of functions that are defined before, and so is which cleanups are needed: that is code of
	 * the callee's. What the program itself does with an exception is code of the function's.
	 */
	void visit(basic_block from)
	{
		std::vector<basic_block> todo = {from};

		while (!todo.empty()) {
			basic_block block = todo.back();

			todo.pop_back();
			if (block == EXIT_BLOCK_PTR_FOR_FN(body) || blocks.count(block->index))
				continue;
			blocks[block->index] = is_continued(block) ? count : ++count;
			order.push_back(block);
			for (unsigned i = EDGE_COUNT(block->succs); i-- > 0;)
				if (!(EDGE_SUCC(block, i)->flags & EDGE_EH))
					todo.push_back(EDGE_SUCC(block, i)->dest);
		}
	}

	static bool is_handler(basic_block block)
	{
		for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
			if (is_gimple_call(gsi_stmt(at)) &&
			    name_of(gimple_call_fndecl(gsi_stmt(at))) == "__cxa_begin_catch")
				return true;
		return false;
	}

	/* Does it begin only because a call before it may throw? */
	static bool is_continued(basic_block block)
	{
		unsigned ways = 0;
		edge e;
		edge_iterator i;

		if (!single_pred_p(block) || single_pred_edge(block)->flags & EDGE_EH ||
		    single_pred(block)->index < NUM_FIXED_BLOCKS)
			return false;
		FOR_EACH_EDGE(e, i, single_pred(block)->succs) ways += !(e->flags & EDGE_EH);
		return ways == 1;
	}

	/* Adds the types of exceptions that are caught. */
	void caught()
	{
		std::set<std::string> types;
		eh_region region;

		if (!body->eh)
			return;
		FOR_ALL_EH_REGION_FN(region, body)
		for (eh_catch one = region->type == ERT_TRY ? region->u.eh_try.first_catch : NULL; one;
		     one = one->next_catch)
			for (tree type = one->type_list; type; type = TREE_CHAIN(type))
				if (tree value = TREE_VALUE(type))
					types.insert(TYPE_P(value) ? canonical_type(value, DEPTH) : "?");
		for (const std::string &type : types)
			to.add(type);
	}

	/* Adds the attributes that change the generated code. */
	void attributes(tree list)
	{
		static const char *const inlining[] = {"noinline", "noclone",
						       "noipa"}; /* that change nothing if nothing is inlined */
		static const char *const known[] = {
			"always_inline", "flatten",    "optimize",      "target",     "section",
			"constructor",   "destructor", "cold",          "hot",        "aligned",
			"naked",         "weak",       "alias",         "visibility", "noreturn",
			"pure",          "const",      "returns_twice", "no_reorder",
		};
		std::set<std::string> names;

		for (; list; list = TREE_CHAIN(list)) {
			std::string name = IDENTIFIER_POINTER(get_attribute_name(list));

			for (const char *one : inlining)
				if (name == one && optimize)
					names.insert(name);
			for (const char *one : known)
				if (name == one) {
					table::hasher values;

					for (tree value = TREE_VALUE(list); value; value = TREE_CHAIN(value))
						if (TREE_CODE(value) == TREE_LIST && TREE_VALUE(value))
							constant(values, TREE_VALUE(value));
					names.insert(name + std::to_string(values.value()));
				}
		}
		for (const std::string &name : names)
			to.add(name);
	}

	static void constant(table::hasher &into, tree value)
	{
		if (TREE_CODE(value) == STRING_CST)
			into.add(TREE_STRING_POINTER(value), (size_t)TREE_STRING_LENGTH(value));
		else if (TREE_CODE(value) == INTEGER_CST)
			into.add((uint64_t)TREE_INT_CST_LOW(value));
	}

	uint64_t local(const void *what)
	{
		return locals.emplace(what, locals.size()).first->second;
	}

	void number_type(tree type)
	{
		to.add((uint64_t)TREE_CODE(type) == BOOLEAN_TYPE || TREE_CODE(type) == ENUMERAL_TYPE
			       ? (uint64_t)INTEGER_TYPE
			       : (uint64_t)TREE_CODE(type));
		if (INTEGRAL_TYPE_P(type))
			to.add((uint64_t)TYPE_PRECISION(type));
		else
			to.add((uint64_t)int_size_in_bytes(type));
	}

	bool is_this_file(tree string)
	{
		std::string content(TREE_STRING_POINTER(string), (size_t)TREE_STRING_LENGTH(string));

		while (!content.empty() && !content.back())
			content.pop_back();
		return !content.empty() && (content == at.file || content == main_input_filename);
	}

	/* Returns whether it is __FILE__ or __func__. */
	bool is_place(tree value)
	{
		if (TREE_CODE(value) == ADDR_EXPR)
			value = TREE_OPERAND(value, 0);
		if (TREE_CODE(value) == ARRAY_REF)
			value = TREE_OPERAND(value, 0);
		if (TREE_CODE(value) == STRING_CST)
			return is_this_file(value);
		return VAR_P(value) && DECL_NAME(value) &&
		       (id_equal(DECL_NAME(value), "__func__") || id_equal(DECL_NAME(value), "__FUNCTION__") ||
			id_equal(DECL_NAME(value), "__PRETTY_FUNCTION__"));
	}

	/*
	 * Returns whether a call, or a variable that is assigned to, gets __FILE__ or __func__, too. Then a number that is near the line is
	 * __LINE__, which is where the call ends; any other number that equals its line is chance.
	 */
	bool is_told_place(gimple *one)
	{
		if (gimple_code(one) == GIMPLE_CALL) {
			for (unsigned i = 0; i < gimple_call_num_args(one); i++)
				if (is_place(gimple_call_arg(one, i)))
					return true;
		} else if (gimple_assign_single_p(one)) {
			tree variable = get_base_address(gimple_assign_lhs(one));

			if (!variable || !VAR_P(variable))
				return false;
			if (is_place(gimple_assign_rhs1(one)))
				placed.insert(variable);
			return placed.count(variable);
		}
		return false;
	}

	/* Adds a value, which may be __LINE__: moving the code does not change it. */
	void told(tree value, bool told_place)
	{
		if (told_place && at.line && tree_fits_uhwi_p(value) && tree_to_uhwi(value) >= at.line &&
		    tree_to_uhwi(value) <= at.line + table::LINES_OF_CALL)
			to.add("this line");
		else
			reference(value);
	}

	void text(tree string)
	{
		if (is_this_file(string))
			to.add("this file"); /* __FILE__: moving the code does not change it */
		else
			to.add(std::string(TREE_STRING_POINTER(string), (size_t)TREE_STRING_LENGTH(string)));
	}

	/* ---- records: by the names of their members, not by where these are ---- */

	/* Is it a record that the compiler has made, or one of C++ without a name? Its members may be named after local variables. */
	static bool is_made_up_record(tree record)
	{
		tree name = TYPE_NAME(TYPE_MAIN_VARIANT(record));

		name = name && TREE_CODE(name) == TYPE_DECL ? DECL_NAME(name) : name;
		return name && (*IDENTIFIER_POINTER(name) == '<' || strchr(IDENTIFIER_POINTER(name), '.'));
	}

	static std::string record_name(tree record)
	{
		for (tree variant = TYPE_MAIN_VARIANT(record); variant; variant = TYPE_NEXT_VARIANT(variant)) {
			tree name = TYPE_NAME(variant);

			if (name)
				return scoped_name(record) + " " +
				       IDENTIFIER_POINTER(TREE_CODE(name) == TYPE_DECL ? DECL_NAME(name) : name);
		}
		return "";
	}

	/* Adds the bit-fields that are one place in memory with this one: who writes one of them writes all. */
	void neighbours(tree field)
	{
		tree first = NULL_TREE;

		for (tree one = TYPE_FIELDS(DECL_CONTEXT(field)); one && one != field; one = DECL_CHAIN(one))
			if (TREE_CODE(one) == FIELD_DECL)
				first = !DECL_BIT_FIELD_TYPE(one) ? NULL_TREE : first ? first : one;
		/* clang does not name a member for those that the record begins with */
		to.add((uint64_t)!integer_zerop(byte_position(first ? first : field)));
		for (tree one = first ? first : field; one; one = DECL_CHAIN(one)) {
			if (TREE_CODE(one) != FIELD_DECL)
				continue;
			if (!DECL_BIT_FIELD_TYPE(one))
				break;
			to.add(name_of(one));
			to.add((uint64_t)tree_to_uhwi(DECL_SIZE(one)));
		}
	}

	void member(tree field)
	{
		tree record = DECL_CONTEXT(field);

		if (TREE_CODE(record) != RECORD_TYPE || is_made_up_record(record) || DECL_VIRTUAL_P(field) ||
		    (!DECL_NAME(field) && (lang_GNU_CXX() || !RECORD_OR_UNION_TYPE_P(TREE_TYPE(field))))) {
			to.add((uint64_t)int_byte_position(field));
			if (DECL_BIT_FIELD(field)) {
				to.add((uint64_t)int_bit_position(field));
				to.add((uint64_t)tree_to_uhwi(DECL_SIZE(field)));
			}
			return;
		}

		auto known = record_names.emplace(record, 0);

		if (known.second) {
			table::hasher name;

			name.add(record_name(record));
			known.first->second = name.value();
		}
		to.add(known.first->second);
		to.add(name_of(field));
		if (DECL_BIT_FIELD_TYPE(field))
			neighbours(field);
	}

	static bool is_named_record(tree type)
	{
		return type && RECORD_OR_UNION_TYPE_P(type) && !is_made_up_record(type) &&
		       !record_name(type).empty();
	}

	/* How much memory a variable or element has: so many records of that name, whatever is in them. */
	void extent(tree type)
	{
		HOST_WIDE_INT size = int_size_in_bytes(type);

		if (TREE_CODE(type) == ARRAY_TYPE && is_named_record(TREE_TYPE(type)) &&
		    int_size_in_bytes(TREE_TYPE(type)) > 0)
			size /= int_size_in_bytes(TREE_TYPE(type));
		else if (is_named_record(type))
			size = 1;
		else
			type = NULL_TREE;
		to.add((uint64_t)size);
		if (type)
			to.add(record_name(TREE_CODE(type) == ARRAY_TYPE ? TREE_TYPE(type) : type));
	}

	/* What is copied with a record as a whole. */
	void content(tree type)
	{
		to.add((uint64_t)int_size_in_bytes(type));
		if (TREE_CODE(type) == ARRAY_TYPE) {
			content(TREE_TYPE(type));
		} else if (TREE_CODE(type) == RECORD_TYPE) {
			for (tree field = TYPE_FIELDS(type); field; field = DECL_CHAIN(field))
				if (TREE_CODE(field) == FIELD_DECL) {
					to.add("member");
					content(TREE_TYPE(field));
				}
		} else if (TREE_CODE(type) != UNION_TYPE) {
			number_type(type);
		}
	}

	/* Returns how many records of that type so many bytes are; 0: they are none. */
	static HOST_WIDE_INT records_in(tree bytes, tree record)
	{
		HOST_WIDE_INT size = record ? int_size_in_bytes(record) : 0;
		/* the distance between two places is of an unsigned type */
		HOST_WIDE_INT number = cst_and_fits_in_hwi(bytes) ? int_cst_value(bytes) : 0;

		return size > 0 && is_named_record(record) && number % size == 0 ? number / size : 0;
	}

	/* What a pointer points to, if it is a record: of arrays of records the next one is just that, however large it is. */
	static tree record_behind(tree pointer)
	{
		tree type = POINTER_TYPE_P(TREE_TYPE(pointer)) ? TREE_TYPE(TREE_TYPE(pointer)) : NULL_TREE;

		return type && RECORD_OR_UNION_TYPE_P(type) && COMPLETE_TYPE_P(type) ? type : NULL_TREE;
	}

	/* Adds a number of bytes by which a pointer is moved. */
	void distance(tree bytes, tree record)
	{
		HOST_WIDE_INT count = record && TREE_CODE(bytes) == INTEGER_CST ? records_in(bytes, record) : 0;

		if (!count) {
			operand(bytes);
			return;
		}
		to.add(record_name(record));
		to.add((uint64_t)count);
	}

	/* Returns the record whose size a product is computed with, to move a pointer by so many of them. */
	static tree record_of_product(tree product, unsigned depth = 2)
	{
		use_operand_p use;
		gimple *user;

		if (!depth || TREE_CODE(product) != SSA_NAME || !single_imm_use(product, &use, &user) ||
		    !is_gimple_assign(user))
			return NULL_TREE;
		if (gimple_assign_rhs_code(user) == NEGATE_EXPR)
			return record_of_product(gimple_assign_lhs(user), depth - 1);
		return gimple_assign_rhs_code(user) == POINTER_PLUS_EXPR && gimple_assign_rhs2(user) == product
			       ? record_behind(gimple_assign_lhs(user))
			       : NULL_TREE;
	}

	/* Returns the record that the second operand is the size of, because elements are counted; NULL_TREE: it is a number. */
	static tree record_counted(gimple *one)
	{
		enum tree_code what = gimple_assign_rhs_code(one);
		tree record = NULL_TREE;

		if (what == POINTER_PLUS_EXPR)
			return record_behind(gimple_assign_lhs(one));
		if (what == MULT_EXPR)
			record = record_of_product(gimple_assign_lhs(one));
		else if (what == EXACT_DIV_EXPR && TREE_CODE(gimple_assign_rhs1(one)) == SSA_NAME) {
			gimple *from = SSA_NAME_DEF_STMT(gimple_assign_rhs1(one));

			if (is_gimple_assign(from) && gimple_assign_rhs_code(from) == POINTER_DIFF_EXPR)
				record = record_behind(gimple_assign_rhs1(from));
		}
		return record && TREE_CODE(gimple_assign_rhs2(one)) == INTEGER_CST &&
				       records_in(gimple_assign_rhs2(one), record) == 1
			       ? record
			       : NULL_TREE;
	}

	/* ---- operands ---- */

	void variable(tree decl)
	{
		bool global = is_global_var(decl);
		bool inside = DECL_CONTEXT(decl) && TREE_CODE(DECL_CONTEXT(decl)) == FUNCTION_DECL;

		to.add((uint64_t)TREE_THIS_VOLATILE(decl));
		if (global && !inside && !DECL_ARTIFICIAL(decl)) {
			to.add(name_of(decl));
			to.add(std::string(IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(decl))));
		} else if (global && DECL_ARTIFICIAL(decl) && DECL_NAME(decl) && !inside && TREE_PUBLIC(decl)) {
			to.add(std::string(IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(decl)))); /* a vtable */
		} else {
			to.add(local(decl));
			extent(TREE_TYPE(decl));
		}
		if (global && DECL_INITIAL(decl) && DECL_INITIAL(decl) != error_mark_node &&
		    (TREE_READONLY(decl) || inside) && !DECL_VIRTUAL_P(decl) && seen.insert(decl).second)
			operand(DECL_INITIAL(decl));
	}

	void operand(tree t)
	{
		if (!t) {
			to.add((uint64_t)0);
			return;
		}
		if (TREE_CODE(t) == SSA_NAME) {
			tree decl = SSA_NAME_VAR(t);

			if (decl && TREE_CODE(decl) == PARM_DECL)
				parameter(decl);
			else
				to.add(1 + local(decl ? (const void *)decl : t));
			number_type(TREE_TYPE(t));
			return;
		}
		to.add((uint64_t)TREE_CODE(t));
		switch (TREE_CODE(t)) {
		case INTEGER_CST:
			number_type(TREE_TYPE(t));
			for (int i = 0; i < TREE_INT_CST_NUNITS(t); i++)
				to.add((uint64_t)TREE_INT_CST_ELT(t, i));
			return;
		case REAL_CST: {
			char digits[100];

			real_to_hexadecimal(digits, TREE_REAL_CST_PTR(t), sizeof(digits), 0, 1);
			to.add(std::string(digits));
			number_type(TREE_TYPE(t));
			return;
		}
		case STRING_CST:
			text(t);
			return;
		case COMPLEX_CST:
			operand(TREE_REALPART(t));
			operand(TREE_IMAGPART(t));
			return;
		case VECTOR_CST:
			for (unsigned i = 0; i < vector_cst_encoded_nelts(t); i++)
				operand(VECTOR_CST_ENCODED_ELT(t, i));
			return;
		case FUNCTION_DECL:
			if (t == body->decl)
				to.add("itself");
			else
				to.add(std::string(IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(t))));
			return;
		case VAR_DECL:
			variable(t);
			return;
		case PARM_DECL:
			parameter(t);
			return;
		case LABEL_DECL:
			if (basic_block block = label_to_block(body, t))
				to.add(blocks[block->index]);
			return;
		case FIELD_DECL:
			member(t);
			return;
		case COMPONENT_REF:
			operand(TREE_OPERAND(t, 0));
			operand(TREE_OPERAND(t, 1));
			to.add((uint64_t)TREE_THIS_VOLATILE(t));
			return;
		case MEM_REF:
		case TARGET_MEM_REF:
			operand(TREE_OPERAND(t, 0));
			distance(TREE_OPERAND(t, 1),
				 RECORD_OR_UNION_TYPE_P(TREE_TYPE(t)) ? TREE_TYPE(t) : NULL_TREE);
			to.add((uint64_t)TREE_THIS_VOLATILE(t));
			return;
		case ARRAY_REF:
		case ARRAY_RANGE_REF:
			operand(TREE_OPERAND(t, 0));
			operand(TREE_OPERAND(t, 1));
			extent(TREE_TYPE(t));
			return;
		case CONSTRUCTOR: {
			unsigned HOST_WIDE_INT i;
			tree index, value;

			FOR_EACH_CONSTRUCTOR_ELT(CONSTRUCTOR_ELTS(t), i, index, value)
			{
				operand(index);
				operand(value);
			}
			return;
		}
		case TREE_LIST:
			for (tree one = t; one; one = TREE_CHAIN(one)) {
				operand(TREE_PURPOSE(one));
				operand(TREE_VALUE(one));
			}
			return;
		default:
			break;
		}
		if (TYPE_P(t) || DECL_P(t)) {
			if (TREE_CODE(t) == RESULT_DECL)
				to.add("result");
			return;
		}
		if (IS_EXPR_CODE_CLASS(TREE_CODE_CLASS(TREE_CODE(t))) || REFERENCE_CLASS_P(t))
			for (int i = 0; i < TREE_OPERAND_LENGTH(t); i++)
				operand(TREE_OPERAND(t, i));
	}

	void parameter(tree decl)
	{
		uint64_t number = 1;

		for (tree one = DECL_ARGUMENTS(body->decl); one && one != decl; one = DECL_CHAIN(one))
			number++;
		to.add("parameter");
		to.add(number);
	}

	/* A reference to memory: what is there, and whether it is aligned as such things are. */
	void reference(tree t)
	{
		operand(t);
		if (t && !is_gimple_reg(t) && !CONSTANT_CLASS_P(t) && TREE_CODE(t) != ADDR_EXPR && !TYPE_P(t) &&
		    (handled_component_p(t) || TREE_CODE(t) == MEM_REF || DECL_P(t)) &&
		    TREE_CODE(t) != FUNCTION_DECL && TREE_CODE(t) != LABEL_DECL) {
			if (is_gimple_reg_type(TREE_TYPE(t)))
				to.add((uint64_t)int_size_in_bytes(TREE_TYPE(t)));
			else
				content(TREE_TYPE(t));
			to.add((uint64_t)std::min(get_object_alignment(t),
						  TYPE_ALIGN(TYPE_MAIN_VARIANT(TREE_TYPE(t)))));
		}
	}

	static bool depends_on_sign(enum tree_code what)
	{
		switch (what) {
		case PLUS_EXPR:
		case MINUS_EXPR:
		case MULT_EXPR:
		case NEGATE_EXPR:
		case ABS_EXPR:
		case TRUNC_DIV_EXPR:
		case TRUNC_MOD_EXPR:
		case EXACT_DIV_EXPR:
		case RSHIFT_EXPR:
		case LT_EXPR:
		case LE_EXPR:
		case GT_EXPR:
		case GE_EXPR:
		case MIN_EXPR:
		case MAX_EXPR:
		case NOP_EXPR:
		case CONVERT_EXPR:
		case FLOAT_EXPR:
		case FIX_TRUNC_EXPR:
			return true;
		default:
			return false;
		}
	}

	/* The result of a call that may throw has a name of its own, and is then copied to where it goes. */
	static tree result_of(tree lhs)
	{
		use_operand_p use;
		gimple *user;

		return lhs && TREE_CODE(lhs) == SSA_NAME && !has_zero_uses(lhs) &&
				       single_imm_use(lhs, &use, &user) && is_copied_result(user)
			       ? gimple_assign_lhs(user)
			       : lhs;
	}

	static bool is_copied_result(gimple *one)
	{
		tree from = gimple_assign_ssa_name_copy_p(one) ? gimple_assign_rhs1(one) : NULL_TREE;

		return from && TREE_CODE(gimple_assign_lhs(one)) == SSA_NAME && has_single_use(from) &&
		       is_gimple_call(SSA_NAME_DEF_STMT(from));
	}

	void statement(gimple *one)
	{
		if (is_copied_result(one))
			return;
		if (is_gimple_debug(one) || gimple_code(one) == GIMPLE_PREDICT || gimple_code(one) == GIMPLE_NOP ||
		    gimple_code(one) == GIMPLE_LABEL || gimple_clobber_p(one))
			return;
		at = position_of(gimple_location(one));
		to.add((uint64_t)gimple_code(one));
		switch (gimple_code(one)) {
		case GIMPLE_ASSIGN: {
			enum tree_code what = gimple_assign_rhs_code(one);
			tree first = gimple_assign_rhs1(one);

			if (gimple_num_ops(one) == 2 && CONVERT_EXPR_CODE_P(what) &&
			    POINTER_TYPE_P(TREE_TYPE(first)) && POINTER_TYPE_P(TREE_TYPE(gimple_assign_lhs(one))))
				what = SSA_NAME; /* a pointer is a pointer */
			to.add((uint64_t)what);
			if (depends_on_sign(what) && INTEGRAL_TYPE_P(TREE_TYPE(first)))
				to.add((uint64_t)TYPE_UNSIGNED(TREE_TYPE(first)));
			number_type(TREE_TYPE(gimple_assign_lhs(one)));
			bool told_place = is_told_place(one);

			tree record = gimple_num_ops(one) == 3 ? record_counted(one) : NULL_TREE;

			for (unsigned i = 0; i < gimple_num_ops(one); i++)
				if (i == 2 && record)
					distance(gimple_op(one, i), record);
				else
					told(gimple_op(one, i), told_place);
			return;
		}
		case GIMPLE_COND: {
			tree first = gimple_cond_lhs(one);

			to.add((uint64_t)gimple_cond_code(one));
			if (depends_on_sign(gimple_cond_code(one)) && INTEGRAL_TYPE_P(TREE_TYPE(first)))
				to.add((uint64_t)TYPE_UNSIGNED(TREE_TYPE(first)));
			operand(first);
			operand(gimple_cond_rhs(one));
			return;
		}
		case GIMPLE_CALL: {
			bool told_place = is_told_place(one);

			if (gimple_call_internal_p(one))
				to.add((uint64_t)gimple_call_internal_fn(one));
			else
				operand(gimple_call_fn(one));
			reference(result_of(gimple_call_lhs(one)));
			for (unsigned i = 0; i < gimple_call_num_args(one); i++)
				told(gimple_call_arg(one, i), told_place);
			return;
		}
		case GIMPLE_ASM: {
			gasm *assembly = as_a<gasm *>(one);

			to.add(std::string(gimple_asm_string(assembly)));
			for (unsigned i = 0; i < gimple_asm_noutputs(assembly); i++)
				operand(gimple_asm_output_op(assembly, i));
			for (unsigned i = 0; i < gimple_asm_ninputs(assembly); i++)
				operand(gimple_asm_input_op(assembly, i));
			for (unsigned i = 0; i < gimple_asm_nclobbers(assembly); i++)
				operand(gimple_asm_clobber_op(assembly, i));
			return;
		}
		case GIMPLE_SWITCH: {
			gswitch *choice = as_a<gswitch *>(one);

			operand(gimple_switch_index(choice));
			for (unsigned i = 0; i < gimple_switch_num_labels(choice); i++) {
				tree label = gimple_switch_label(choice, i);

				operand(CASE_LOW(label));
				operand(CASE_HIGH(label));
				operand(CASE_LABEL(label));
			}
			return;
		}
		case GIMPLE_RETURN:
			reference(gimple_return_retval(as_a<greturn *>(one)));
			return;
		default:
			for (unsigned i = 0; i < gimple_num_ops(one); i++)
				reference(gimple_op(one, i));
		}
	}

	function *body;
	table::hasher to;
	table::position at;
	std::map<int, uint64_t> blocks;
	std::vector<basic_block> order;
	uint64_t count = 0; /* of blocks */
	std::map<const void *, uint64_t> locals;
	std::map<const void *, uint64_t> record_names;
	std::set<const void *> seen;
	std::set<const void *> placed; /* variables that have __FILE__ or __func__ */
};

/* ---- points ---- */

class reader {
      public:
	explicit reader(function *body) : function_body(body), slices(body, to.values, numbers)
	{
	}

	code read()
	{
		tree decl = function_body->decl;
		basic_block block;
		unsigned count = 0;
		code c;

		own = c.function = function_of(decl);
		c.flags = TABLE_DEFINED | (TREE_PUBLIC(decl) ? 0 : TABLE_LOCAL_NAME) |
			  (taken.count(DECL_UID(decl)) ? TABLE_ADDRESS_TAKEN : 0) |
			  (DECL_VIRTUAL_P(decl) || DECL_VIRTUAL_P(DECL_ORIGIN(decl)) ? TABLE_VIRTUAL : 0) |
			  (is_inlined(decl) ? TABLE_INLINED : 0) |
			  (DECL_ARTIFICIAL(decl) && name_of(decl) != "operator()" ? TABLE_VARIANT : 0);
		c.type = type_of(decl);
		if (tree scope = class_of(decl))
			c.class_name = scoped_name(scope);
		c.own_hash = code_hasher(function_body).hash();

		if (single_succ_p(ENTRY_BLOCK_PTR_FOR_FN(function_body))) /* it begins with this one */
			numbers[single_succ(ENTRY_BLOCK_PTR_FOR_FN(function_body))->index] = count++;
		FOR_EACH_BB_FN(block, function_body)
		if (numbers.emplace(block->index, count).second)
			count++;
		to.blocks.resize(count);
		FOR_EACH_BB_FN(block, function_body) read(block);
		slices.read();
		finish(c, to);
		c.last_line = position_of(function_body->function_end_locus).line;
		return c;
	}

      private:
	void read(basic_block block)
	{
		table::block &b = to.blocks[numbers[block->index]];
		edge e;
		edge_iterator i;

		current = &b;
		if (gimple *last = last_stmt(block))
			choice_of(last, block, b);
		for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
			statement(gsi_stmt(at));
		FOR_EACH_EDGE(e, i, block->succs)
		if (e->dest == EXIT_BLOCK_PTR_FOR_FN(function_body))
			b.returns |= !(e->flags & EDGE_EH);
		else
			b.next.push_back(numbers[e->dest->index]);
	}

	void choice_of(gimple *last, basic_block block, table::block &b)
	{
		gswitch *choice = dyn_cast<gswitch *>(last);
		edge e;
		edge_iterator each;

		if (!choice || !is_way_on(gimple_switch_index(choice)))
			return;
		b.variable = (int)DECL_UID(SSA_NAME_VAR(gimple_switch_index(choice)));
		FOR_EACH_EDGE(e, each, block->succs)
		{
			long wanted = table::block::ELSE;

			for (unsigned i = 0; i < gimple_switch_num_labels(choice); i++) {
				tree label = gimple_switch_label(choice, i);

				if (CASE_LOW(label) && !CASE_HIGH(label) && tree_fits_shwi_p(CASE_LOW(label)) &&
				    label_to_block(function_body, CASE_LABEL(label)) == e->dest)
					wanted = tree_to_shwi(CASE_LOW(label));
			}
			b.wanted.push_back(wanted);
		}
	}

	void add_step(int point, int lock, bool quiet)
	{
		table::step s;

		s.at = at;
		s.quiet = quiet;
		s.point = point;
		s.lock = lock;
		current->steps.push_back(s);
	}

	void access(const table::description &d, unsigned flags)
	{
		point p;

		object_to(p, d);
		if (!at.line || !p.has_object)
			return;
		p.at = at;
		p.flags = flags;
		add_point(p);
		add_step((int)to.points.size() - 1, -1, false);
	}

	void add_point(const point &p)
	{
		slices.note(at_hand, (unsigned)to.points.size(), p);
		to.points.push_back(p);
	}

	/* The table of virtual methods and the pointer to it: the source does not name them. */
	static bool is_of_methods(tree t)
	{
		tree type = TREE_TYPE(t);

		if (TREE_CODE(t) == COMPONENT_REF && DECL_VIRTUAL_P(TREE_OPERAND(t, 1)))
			return true;
		return TREE_CODE(t) == MEM_REF && POINTER_TYPE_P(type) && is_entry(type);
	}

	static bool is_entry(tree type)
	{
		return TYPE_NAME(type) && DECL_P(TYPE_NAME(type)) && name_of(TYPE_NAME(type)) == "__vtbl_ptr_type";
	}

	/* Describes the object whose address an argument is, without the library's classes in it. */
	static table::description object_of(tree argument)
	{
		if (TREE_CODE(argument) == SSA_NAME && gimple_assign_single_p(SSA_NAME_DEF_STMT(argument)) &&
		    gimple_assign_rhs_code(SSA_NAME_DEF_STMT(argument)) == ADDR_EXPR)
			argument = gimple_assign_rhs1(SSA_NAME_DEF_STMT(argument));
		if (TREE_CODE(argument) != ADDR_EXPR)
			return describe_argument(argument);

		tree inner = TREE_OPERAND(argument, 0);

		while (TREE_CODE(inner) == COMPONENT_REF && !DECL_NAME(TREE_OPERAND(inner, 1)))
			inner = TREE_OPERAND(inner, 0);
		return describe(inner, DEPTH);
	}

	void reference(tree t, unsigned flags)
	{
		if (!is_memory(t) || is_of_methods(t))
			return;
		if (VAR_P(get_base_address(t)) && TREE_READONLY(get_base_address(t)))
			return;
		if (flags == TABLE_WRITES && TREE_CODE(t) == COMPONENT_REF && DECL_BIT_FIELD(TREE_OPERAND(t, 1)))
			access(describe(t, DEPTH), TABLE_READS); /* its neighbours are read */
		access(describe(t, DEPTH), flags);
	}

	void statement(gimple *one)
	{
		if (is_gimple_debug(one) || gimple_clobber_p(one) || gimple_code(one) == GIMPLE_LABEL ||
		    gimple_code(one) == GIMPLE_PREDICT || gimple_code(one) == GIMPLE_NOP)
			return;
		at = position_of(gimple_location(one));
		at_hand = one;
		if (gcall *called = dyn_cast<gcall *>(one)) {
			call(called);
		} else if (gasm *assembly = dyn_cast<gasm *>(one)) {
			for (unsigned i = 0; i < gimple_asm_noutputs(assembly); i++)
				reference(TREE_VALUE(gimple_asm_output_op(assembly, i)),
					  TABLE_READS | TABLE_WRITES | TABLE_ATOMIC);
			for (unsigned i = 0; i < gimple_asm_ninputs(assembly); i++)
				reference(TREE_VALUE(gimple_asm_input_op(assembly, i)),
					  TABLE_READS | TABLE_ATOMIC);
		} else if (is_gimple_assign(one)) {
			if (gimple_assign_load_p(one))
				reference(gimple_assign_rhs1(one), TABLE_READS);
			if (gimple_store_p(one))
				reference(gimple_assign_lhs(one), TABLE_WRITES);
		}
		/* a return has the line of the block that it ends */
		add_step(-1, -1,
			 gimple_code(one) == GIMPLE_RETURN || gimple_code(one) == GIMPLE_RESX ||
				 gimple_code(one) == GIMPLE_EH_DISPATCH || gimple_code(one) == GIMPLE_SWITCH);
		if (gimple_assign_single_p(one) && is_way_on(gimple_assign_lhs(one)) &&
		    tree_fits_shwi_p(gimple_assign_rhs1(one))) {
			current->steps.back().variable = (int)DECL_UID(SSA_NAME_VAR(gimple_assign_lhs(one)));
			current->steps.back().value = tree_to_shwi(gimple_assign_rhs1(one));
			current->steps.back().quiet = true;
		}
	}

	void call(gcall *one)
	{
		tree callee = gimple_call_fndecl(one);
		std::string name = name_of(callee), scope, display;
		unsigned count = gimple_call_num_args(one), atomic;
		tree first = count ? gimple_call_arg(one, 0) : NULL_TREE;
		bool pointer = first && POINTER_TYPE_P(TREE_TYPE(first));
		tree lhs = gimple_call_lhs(one);
		point p;

		if (gimple_call_internal_p(one))
			return;
		if (pointer && callee && fndecl_built_in_p(callee, BUILT_IN_NORMAL) &&
		    (atomic = atomic_access(name.c_str()))) {
			access(describe_argument(first), atomic | TABLE_ATOMIC);
			return;
		}
		if (pointer &&
		    (gimple_call_builtin_p(one, BUILT_IN_MEMCPY) ||
		     gimple_call_builtin_p(one, BUILT_IN_MEMMOVE)) &&
		    count == 3) {
			access(describe_argument(gimple_call_arg(one, 1)), TABLE_READS);
			access(describe_argument(first), TABLE_WRITES);
			return;
		}
		if (pointer && gimple_call_builtin_p(one, BUILT_IN_MEMSET)) {
			access(describe_argument(first), TABLE_WRITES);
			return;
		}
		for (unsigned i = 0; i < count; i++) {
			tree argument = gimple_call_arg(one, i);

			if (TREE_CODE(argument) == WITH_SIZE_EXPR)
				argument = TREE_OPERAND(argument, 0);
			if (!is_gimple_reg_type(TREE_TYPE(argument)))
				reference(argument, TABLE_READS);
		}
		if (lhs && TREE_CODE(lhs) != SSA_NAME)
			reference(lhs, TABLE_WRITES);
		if (callee && (fndecl_built_in_p(callee) && table::is_made_up(name)))
			return;
		p.at = at;
		p.flags = TABLE_CALL;
		p.call = TABLE_CALLS;

		int lock = -1;
		bool quiet = false;

		if (callee) {
			tree type = class_of(callee);
			int special = special_of(callee), how;
			const char *text = lang_hooks.dwarf_name(DECL_ORIGIN(callee), 0);

			display = text ? text : "";
			scope = type ? scoped_name(type) : "";
			if (table::is_made_up(IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(callee))))
				return;
			if (type && (how = table::atomic_method(scope, display, special))) {
				if (how > 0 && pointer)
					access(object_of(first), (unsigned)how | TABLE_ATOMIC);
				return;
			}
			p.callee = (int)function_of(callee);
			if ((unsigned)p.callee == own && special)
				return; /* one variant of it calls another */
			lock = lock_of(one, callee, p, scope, display, special);
			if (!p.has_object && pointer && !scope.compare(0, 5, "std::"))
				used_by(p, object_of(first));
			quiet = p.call & TABLE_CALL_IMPLICIT;
		} else {
			tree called = gimple_call_fn(one);

			p.call |= TABLE_CALL_POINTER;
			p.type = canonical_function(gimple_call_fntype(one), DEPTH);
			if (called && TREE_CODE(called) == OBJ_TYPE_REF && virtual_method_call_p(called)) {
				p.call |= TABLE_CALL_VIRTUAL;
				if (tree method = method_of(called)) {
					p.callee = (int)function_of(method);
					p.type = type_of(method);
				}
			}
		}
		if (!p.at.line)
			return;
		add_point(p);
		add_step((int)to.points.size() - 1, lock, quiet);
	}

	static tree method_of(tree called)
	{
		tree type = obj_type_ref_class(called);
		HOST_WIDE_INT token = tree_to_shwi(OBJ_TYPE_REF_TOKEN(called));
		tree entry = TYPE_BINFO(type) ? BINFO_VIRTUALS(TYPE_BINFO(type)) : NULL_TREE;

		while (entry && token-- > 0)
			entry = TREE_CHAIN(entry);
		return entry && TREE_CODE(TREE_VALUE(entry)) == FUNCTION_DECL ? TREE_VALUE(entry) : NULL_TREE;
	}

	/* Returns the number of the lock call; -1: it does nothing to locks. */
	int lock_of(gcall *one, tree callee, point &p, const std::string &scope, const std::string &display,
		    int special)
	{
		unsigned count = gimple_call_num_args(one);
		lock_function f;

		if (!scope.empty())
			f = table::cxx_lock_function(scope, display, special, type_of(callee));
		else if (!DECL_CONTEXT(callee) || TREE_CODE(DECL_CONTEXT(callee)) != NAMESPACE_DECL ||
			 lookup_attribute("nothrow", DECL_ATTRIBUTES(callee)) || TREE_PUBLIC(callee))
			f = table::c_lock_function(name_of(callee).c_str());
		if (!f.is && scope.empty() && DECL_CONTEXT(callee) &&
		    TREE_CODE(DECL_CONTEXT(callee)) == NAMESPACE_DECL &&
		    table::is_lock_of_several(name_of(DECL_CONTEXT(callee)), display)) {
			f.is = true;
			f.count = 16;
			f.flags = TABLE_CALL_TAKES;
		}
		if (special < 0)
			p.call |= TABLE_CALL_IMPLICIT;
		if (is_announced_call(name_of(callee).c_str()) && count &&
		    POINTER_TYPE_P(TREE_TYPE(gimple_call_arg(one, 0)))) {
			p.has_object = true;
			p.what = describe_argument(gimple_call_arg(one, 0)).what;
		}
		if (!f.is)
			return -1;
		p.call |= f.flags;
		if (f.guard && count && TREE_CODE(gimple_call_arg(one, 0)) == ADDR_EXPR &&
		    DECL_P(TREE_OPERAND(gimple_call_arg(one, 0), 0)))
			f.what.guard = std::to_string(DECL_UID(TREE_OPERAND(gimple_call_arg(one, 0), 0)));
		for (unsigned i = f.first; i < count && i < f.first + f.count; i++) {
			tree argument = gimple_call_arg(one, i);

			if (!POINTER_TYPE_P(TREE_TYPE(argument)))
				continue;

			table::description d = object_of(argument);

			f.what.locks.push_back({d.what, d.text});
		}
		if (!p.has_object && !f.what.locks.empty()) {
			p.has_object = true;
			p.what = f.what.locks[0].what;
		}
		if (f.what.tries && gimple_call_lhs(one) && TREE_CODE(gimple_call_lhs(one)) == SSA_NAME)
			find_failure(gimple_call_lhs(one), f.success, f.what, 4);
		to.locks.push_back(f.what);
		return (int)to.locks.size() - 1;
	}

	/* Finds the edge that is taken unless the value is `success`. */
	void find_failure(tree value, long success, lock_call &what, unsigned depth)
	{
		imm_use_iterator i;
		use_operand_p use;

		FOR_EACH_IMM_USE_FAST(use, i, value)
		{
			gimple *one = USE_STMT(use);
			enum tree_code how;
			tree right;

			if (is_gimple_debug(one) || what.fails_in >= 0)
				continue;
			if (gimple_code(one) == GIMPLE_COND && gimple_cond_lhs(one) == value) {
				how = gimple_cond_code(one);
				right = gimple_cond_rhs(one);
			} else if (is_gimple_assign(one) && depth) {
				how = gimple_assign_rhs_code(one);
				right = gimple_num_ops(one) > 2 ? gimple_assign_rhs2(one) : NULL_TREE;
				if (CONVERT_EXPR_CODE_P(how) || gimple_assign_ssa_name_copy_p(one)) {
					find_failure(gimple_assign_lhs(one), success, what, depth - 1);
					continue;
				}
				if (how == BIT_NOT_EXPR && TREE_CODE(TREE_TYPE(value)) == BOOLEAN_TYPE) {
					find_failure(gimple_assign_lhs(one), !success, what, depth - 1);
					continue;
				}
			} else {
				continue;
			}
			if ((how != EQ_EXPR && how != NE_EXPR) || !right || !tree_fits_shwi_p(right))
				continue;

			bool holds = (success == tree_to_shwi(right)) == (how == EQ_EXPR);

			if (gimple_code(one) != GIMPLE_COND) {
				find_failure(gimple_assign_lhs(one), holds, what, depth - 1);
				continue;
			}

			basic_block block = gimple_bb(one);
			edge e;
			edge_iterator each;
			int number = 0;

			FOR_EACH_EDGE(e, each, block->succs)
			{
				if (e->flags & (holds ? EDGE_FALSE_VALUE : EDGE_TRUE_VALUE)) {
					what.fails_in = (int)numbers[block->index];
					what.fails_to = number;
				}
				number += e->dest != EXIT_BLOCK_PTR_FOR_FN(function_body);
			}
		}
	}

	function *function_body;
	table::body to;
	table::block *current = nullptr;
	table::position at;
	gimple *at_hand = nullptr;
	std::map<int, unsigned> numbers;
	slicer slices;
	unsigned own = 0;
};

class code_pass : public gimple_opt_pass {
      public:
	code_pass(gcc::context *context, const pass_data &data) : gimple_opt_pass(data, context)
	{
	}

	bool gate(function *) override
	{
		return flag_sanitize & SANITIZE_THREAD && !seen_error();
	}

	unsigned execute(function *body) override
	{
		table::position at = position_of(DECL_SOURCE_LOCATION(body->decl));

		if (!at.line || DECL_EXTERNAL(body->decl) || table::is_system_file(at.file) ||
		    table::is_made_up(IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(body->decl))) ||
		    table::deletes(IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(body->decl))))
			return 0;
		unit_of_file.add_code(reader(body).read(), at);
		return 0;
	}
};

/* To be called before anything is optimised: later references to a function may be gone. */
void
note_addresses(void *, void *)
{
	cgraph_node *node;

	if (!(flag_sanitize & SANITIZE_THREAD))
		return;
	FOR_EACH_FUNCTION(node)
	{
		ipa_ref *reference = NULL;

		for (unsigned i = 0; node->iterate_referring(i, reference); i++) {
			varpool_node *table = dyn_cast<varpool_node *>(reference->referring);

			if (reference->use == IPA_REF_ADDR && !(table && DECL_VIRTUAL_P(table->decl)))
				if (taken.insert(DECL_UID(node->decl)).second && !node->definition)
					unit_of_file.take_address(function_of(node->decl));
		}
	}
}

} // namespace

void
add_code_pass(const char *plugin)
{
	const pass_data data =
		{GIMPLE_PASS, "sleave_code", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0};
	struct register_pass_info info;

	info.pass = new code_pass(g, data);
	info.reference_pass_name = "ssa";
	info.ref_pass_instance_number = 1;
	info.pos_op = PASS_POS_INSERT_AFTER;
	register_callback(plugin, PLUGIN_PASS_MANAGER_SETUP, NULL, &info);
	register_callback(plugin, PLUGIN_ALL_IPA_PASSES_START, note_addresses, NULL);
}
