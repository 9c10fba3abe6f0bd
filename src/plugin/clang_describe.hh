/*
 * For clang: what an address leads to, and where an instruction was written. An address is followed back to a variable, and from
 * the variable's type in the debug information forth to the member at that distance; where optimisation has left nothing of the
 * variable, the type helps that alias analysis was told (!tbaa), or that the address is computed with.
 */
#ifndef SL_PLUGIN_CLANG_DESCRIBE_HH
#define SL_PLUGIN_CLANG_DESCRIBE_HH

#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

#include "llvm/IR/Module.h"

#include <cstdlib>
#include <map>

#include "table.hh"

namespace describing {

using namespace llvm;
using table::description;

constexpr unsigned DEPTH = 8; /* of pointers behind pointers */

/* What an address leads to: described so far, and the type of what is there. */
struct target {
	description d;
	const DIType *type = nullptr;
};

static inline bool
is_composite(const DIType *type)
{
	if (!type)
		return false;
	switch (type->getTag()) {
	case dwarf::DW_TAG_structure_type:
	case dwarf::DW_TAG_class_type:
	case dwarf::DW_TAG_union_type:
		return true;
	default:
		return false;
	}
}

/* Is it the record that has what a lambda captures? */
static inline bool
is_lambda(const DIType *type)
{
	auto *composite = dyn_cast<DICompositeType>(type);

	return composite && composite->getTag() == dwarf::DW_TAG_class_type && composite->getName().empty();
}

static inline bool
is_array(const DIType *type)
{
	return type && type->getTag() == dwarf::DW_TAG_array_type;
}

static inline uint64_t
bytes_of(const DIType *type)
{
	return type ? type->getSizeInBits() / 8 : 0;
}

/* Without typedefs and qualifiers. */
static inline const DIType *
peel(const DIType *type)
{
	while (auto *derived = dyn_cast_or_null<DIDerivedType>(type)) {
		switch (derived->getTag()) {
		case dwarf::DW_TAG_typedef:
		case dwarf::DW_TAG_const_type:
		case dwarf::DW_TAG_volatile_type:
		case dwarf::DW_TAG_restrict_type:
		case dwarf::DW_TAG_atomic_type:
		case dwarf::DW_TAG_member:
			type = derived->getBaseType();
			continue;
		default:
			return type;
		}
	}
	return type;
}

/* What a pointer or reference of this type points to. */
static inline const DIType *
pointee(const DIType *type)
{
	auto *derived = dyn_cast_or_null<DIDerivedType>(peel(type));

	if (!derived)
		return nullptr;
	switch (derived->getTag()) {
	case dwarf::DW_TAG_pointer_type:
	case dwarf::DW_TAG_reference_type:
	case dwarf::DW_TAG_rvalue_reference_type:
		return derived->getBaseType();
	default:
		return nullptr;
	}
}

static inline bool
is_reference(const DIType *type)
{
	auto *derived = dyn_cast_or_null<DIDerivedType>(peel(type));

	return derived && (derived->getTag() == dwarf::DW_TAG_reference_type ||
			   derived->getTag() == dwarf::DW_TAG_rvalue_reference_type);
}

static inline const DIType *
element_of(const DIType *array)
{
	return cast<DICompositeType>(array)->getBaseType();
}

/* Of an array of several dimensions, how many elements are in one of the first dimension. */
static inline uint64_t
inner_count(const DICompositeType *array)
{
	uint64_t count = 1;
	bool first = true;

	for (const DINode *node : array->getElements())
		if (auto *range = dyn_cast_or_null<DISubrange>(node)) {
			auto *number = range->getCount().dyn_cast<ConstantInt *>();

			if (!first && number)
				count *= number->getZExtValue();
			first = false;
		}
	return count;
}

static inline bool
is_of_system(const DIScope *scope)
{
	return scope &&
	       (scope->getFilename().startswith("/usr/include/") || scope->getFilename().startswith("/usr/lib/") ||
		scope->getFilename().startswith("/usr/bin/../lib/"));
}

struct describer {
	explicit describer(Module &module) : module(module), layout(module.getDataLayout())
	{
		DebugInfoFinder finder;

		finder.processModule(module);
		for (const DIType *type : finder.types()) {
			if (auto *composite = dyn_cast<DICompositeType>(type)) {
				if (composite->isForwardDecl())
					continue;
				if (!composite->getIdentifier().empty())
					types[composite->getIdentifier().str()] = composite;
				if (!composite->getName().empty())
					types[composite->getName().str()] = composite;
			} else if (auto *derived = dyn_cast<DIDerivedType>(type)) {
				auto *nameless = dyn_cast_or_null<DICompositeType>(derived->getBaseType());

				if (derived->getTag() == dwarf::DW_TAG_typedef && nameless &&
				    nameless->getName().empty() &&
				    !isa_and_nonnull<DICompositeType>(derived->getScope())) {
					typedefs[nameless] = derived->getName().str();
					types[derived->getName().str()] = nameless;
				}
			}
		}
		for (const DICompileUnit *one : module.debug_compile_units()) {
			is_cxx = one->getSourceLanguage() == dwarf::DW_LANG_C_plus_plus ||
				 one->getSourceLanguage() == dwarf::DW_LANG_C_plus_plus_03 ||
				 one->getSourceLanguage() == dwarf::DW_LANG_C_plus_plus_11 ||
				 one->getSourceLanguage() == dwarf::DW_LANG_C_plus_plus_14;
			unit.directory = one->getDirectory().str();
			unit.file = one->getFilename().str();
			unit.compiler = one->getProducer().str();
			units++;
		}
	}

	/* ---- where ---- */

	/* As one that is relative to the unit's directory, or absolute. */
	const std::string &path_of(const DIFile *file)
	{
		static const std::string none;

		if (!file)
			return none;

		auto found = paths.emplace(file, "");
		std::string &path = found.first->second;

		if (!found.second)
			return path;
		path = file->getFilename().str();
		if (path[0] != '/' && !file->getDirectory().empty() && file->getDirectory() != unit.directory) {
			path = file->getDirectory().str() + "/" + path;
			/* clang has taken apart the path that it was given, if that is absolute */
			if (unit.file[0] != '/' && !path.compare(0, unit.directory.size() + 1, unit.directory + "/"))
				path.erase(0, unit.directory.size() + 1);
		}
		return path;
	}

	table::position position_of(const DILocation *at)
	{
		table::position p;

		p.file = path_of(at->getFile());
		p.line = at->getLine();
		p.column = at->getColumn();
		return p;
	}

	unsigned function_of(const DISubprogram *program)
	{
		table::function f;

		f.name = program->getName().str();
		if (program->getLinkageName() != program->getName())
			f.linkage = table::common_variant(program->getLinkageName().str());
		f.at.file = path_of(program->getFile());
		f.at.line = program->getLine();
		f.local = program->isLocalToUnit();
		return unit.add_function(f);
	}

	/* One that may be known by its name alone. */
	unsigned function_of(const Function *function)
	{
		table::function f;
		std::string mangled = function->getName().str();

		if (const DISubprogram *program = function->getSubprogram())
			return function_of(program);

		ItaniumPartialDemangler demangled;

		f.name = mangled;
		if (!mangled.compare(0, 2, "_Z") && !demangled.partialDemangle(mangled.c_str())) {
			if (char *base = demangled.getFunctionBaseName(nullptr, nullptr)) {
				f.name = base;
				free(base);
			}
			f.linkage = table::common_variant(mangled);
		}
		return unit.add_function(f);
	}

	unsigned frame_of(const DILocation *at)
	{
		table::frame f;

		if (const DILocation *outer = at->getInlinedAt()) {
			f.outer = (int)frame_of(outer);
			f.call = position_of(outer);
		}
		f.function = function_of(at->getScope()->getSubprogram());
		return unit.add_frame(f);
	}

	/* ---- types ---- */

	/* "ns::Queue". */
	std::string scoped_name(const DIType *type)
	{
		std::string name = bare_name(type);

		if (name.empty())
			return "";
		for (const DIScope *scope = type->getScope(); scope; scope = scope->getScope()) {
			std::string outer;

			if (auto *space = dyn_cast<DINamespace>(scope))
				outer = space->getName().str();
			else if (auto *composite = dyn_cast<DICompositeType>(scope))
				outer = bare_name(composite);
			else
				break;
			if (!outer.empty() && outer[0] != '_')
				name = outer + "::" + name;
		}
		return name;
	}

	/* Without the "struct" of C. */
	std::string bare_name(const DIType *type)
	{
		std::string name = type_name(type);

		return name.substr(name.find(' ') + 1);
	}

	std::string canonical_type(const DIType *type, unsigned depth)
	{
		if (!depth)
			return "?";
		if (!(type = peel(type)))
			return "void";
		switch (type->getTag()) {
		case dwarf::DW_TAG_pointer_type:
		case dwarf::DW_TAG_reference_type:
		case dwarf::DW_TAG_rvalue_reference_type:
			return canonical_type(cast<DIDerivedType>(type)->getBaseType(), depth - 1) + "*";
		case dwarf::DW_TAG_ptr_to_member_type:
			return "member";
		case dwarf::DW_TAG_unspecified_type:
			return "void*"; /* of nullptr */
		case dwarf::DW_TAG_enumeration_type:
			if (const DIType *number = cast<DICompositeType>(type)->getBaseType())
				return canonical_type(number, depth - 1);
			return "u" + std::to_string(type->getSizeInBits());
		case dwarf::DW_TAG_array_type:
			return cast<DICompositeType>(type)->isVector()
				       ? "vector"
				       : canonical_type(cast<DICompositeType>(type)->getBaseType(), depth - 1) + "[]";
		case dwarf::DW_TAG_subroutine_type:
			return canonical_function(cast<DISubroutineType>(type), depth - 1, false);
		case dwarf::DW_TAG_base_type: {
			std::string bits = std::to_string(type->getSizeInBits());

			switch (cast<DIBasicType>(type)->getEncoding()) {
			case dwarf::DW_ATE_float:
				return "f" + bits;
			case dwarf::DW_ATE_complex_float:
				return "complex";
			case dwarf::DW_ATE_signed:
			case dwarf::DW_ATE_signed_char:
				return "i" + bits;
			default:
				return "u" + bits;
			}
		}
		default: {
			std::string name = bare_name(type);

			return name.empty() ? "?" : name;
		}
		}
	}

	/* As struct sl_site_function has it; `method`: the first argument is `this`. */
	std::string canonical_function(const DISubroutineType *type, unsigned depth, bool method)
	{
		DITypeRefArray all = type->getTypeArray();
		std::string text = canonical_type(all.size() ? all[0] : nullptr, depth) + "(";
		bool first = true;

		for (unsigned i = 1; i < all.size(); i++) {
			if (i == 1 && (method || (all[i] && all[i]->isArtificial())))
				continue;
			/* the last one is nothing: any number may follow */
			text += (first ? "" : ",") + (!all[i] && i + 1 == all.size()
							      ? std::string("...")
							      : canonical_type(all[i], depth));
			first = false;
		}
		return text + ")";
	}

	/* ---- what ---- */

	std::string type_name(const DIType *type)
	{
		if (!type)
			return "";

		std::string name = type->getName().str();

		if (auto *composite = dyn_cast<DICompositeType>(type)) {
			if (name.empty()) {
				auto found = typedefs.find(composite);

				return found == typedefs.end() ? "" : found->second;
			}
			name = name.substr(0, name.find('<'));
			if (!is_cxx)
				name = (composite->getTag() == dwarf::DW_TAG_union_type         ? "union "
					: composite->getTag() == dwarf::DW_TAG_enumeration_type ? "enum "
												: "struct ") +
				       name;
		}
		return name;
	}

	/* The name of what a pointer points to: qualifiers do not count, but typedefs do. */
	std::string target_name(const DIType *type)
	{
		while (auto *derived = dyn_cast_or_null<DIDerivedType>(type)) {
			if (derived->getTag() == dwarf::DW_TAG_typedef || !derived->getName().empty())
				break;
			if (derived->getTag() == dwarf::DW_TAG_pointer_type)
				return "";
			type = derived->getBaseType();
		}
		return type_name(type);
	}

	/* The member that has these bytes; bit-fields that share them count as the first. */
	static const DIDerivedType *find_member(const DICompositeType *type, uint64_t offset, uint64_t size)
	{
		const DIDerivedType *found = nullptr;

		for (const DINode *node : type->getElements()) {
			auto *member = dyn_cast_or_null<DIDerivedType>(node);

			if (!member || member->isStaticMember() ||
			    (member->getTag() != dwarf::DW_TAG_member &&
			     member->getTag() != dwarf::DW_TAG_inheritance))
				continue;

			uint64_t at = member->getOffsetInBits(), length = member->getSizeInBits();

			if (member->isBitField() ? at >= offset * 8 && at < (offset + size) * 8
						 : at <= offset * 8 && (offset + size) * 8 <= at + length) {
				/* of a union, what has just that size */
				if (!found || bytes_of(peel(found->getBaseType())) != size)
					found = found && length != size * 8 ? found : member;
				if (type->getTag() != dwarf::DW_TAG_union_type)
					break;
			}
		}
		return found;
	}

	/* Goes on from the target, which is at the distance `offset`, to what has so many bytes there. stride: to an array with elements of that size. */
	bool descend(target &t, uint64_t offset, uint64_t size, uint64_t stride = 0)
	{
		for (unsigned depth = 0; depth < 32; depth++) {
			const DIType *type = peel(t.type);

			if (!type)
				return offset == 0 && !stride;
			if (is_array(type)) {
				auto *array = cast<DICompositeType>(type);
				uint64_t one = bytes_of(peel(element_of(type))) * inner_count(array);

				t.type = type;
				if (stride ? stride == one && offset == 0 : !one || size > one)
					return true;
				if (!one)
					return false;
				t.d.index(std::to_string(offset / one));
				offset %= one;
				t.type = element_of(type);
				continue;
			}
			if (!is_composite(type) || (!stride && offset == 0 && depth && bytes_of(type) == size))
				return offset == 0 && !stride;
			if (!depth && !stride && offset == 0 && bytes_of(type) == size &&
			    cast<DICompositeType>(type)->getElements().size() != 1)
				return true;

			const DIDerivedType *member =
				find_member(cast<DICompositeType>(type), offset, stride ? stride : size);

			if (!member)
				return false;
			t.d.member(type_name(type),
				   member->getTag() == dwarf::DW_TAG_inheritance ? "" : member->getName().str());
			if (is_lambda(type) && !member->getName().empty())
				t.d.capture(member->getName().str());
			t.type = member->getBaseType();
			if (member->isBitField())
				return true;
			offset -= member->getOffsetInBits() / 8;
		}
		return false;
	}

	const DILocalVariable *variable_at(const Value *address)
	{
		auto found = variables.find(address);

		return found == variables.end() ? nullptr : found->second;
	}

	/* The variable whose value that is; or, with `there`, whose value is at that address. */
	const DILocalVariable *variable_with(const Value *value, bool there = false)
	{
		SmallVector<DbgValueInst *, 4> known;

		findDbgValues(known, const_cast<Value *>(value));
		for (const DbgValueInst *one : known)
			if (there ? one->getExpression()->getNumElements() == 1 &&
					    one->getExpression()->startsWithDeref()
				  : one->getExpression()->getNumElements() == 0)
				return one->getVariable();
		return nullptr;
	}

	void name(target &t, const DILocalVariable *variable)
	{
		t.d.text = variable->getName().str();
		t.type = variable->getType();
	}

	/* The one value that is ever stored there. */
	static const Value *only_value(const AllocaInst *slot)
	{
		const Value *value = nullptr;

		for (const User *user : slot->users()) {
			auto *store = dyn_cast<StoreInst>(user);

			if (!store || store->getPointerOperand() != slot)
				continue;
			if (value)
				return nullptr;
			value = store->getValueOperand();
		}
		return value;
	}

	/* "i", "3"; "…" for what would be too long. */
	std::string number_text(const Value *value, unsigned depth)
	{
		if (auto *constant = dyn_cast<ConstantInt>(value))
			return std::to_string(constant->getSExtValue());
		if (!depth)
			return "…";
		if (auto *extended = dyn_cast<CastInst>(value))
			return number_text(extended->getOperand(0), depth - 1);
		if (auto *variable = variable_with(value))
			return variable->getName().str();
		if (auto *load = dyn_cast<LoadInst>(value)) {
			std::string text =
				access(load->getPointerOperand(), load->getType(), nullptr, depth - 1).text;

			return text.empty() ? "…" : text;
		}
		return "…";
	}

	/* Of what a pointer points to. */
	target follow(const Value *pointer, unsigned depth)
	{
		target t;

		t.d.what.kind = TABLE_POINTED;
		t.d.pointer = true;
		pointer = pointer->stripPointerCasts();
		if (auto *global = dyn_cast<GlobalVariable>(pointer))
			return global_target(global);
		if (auto *variable = variable_at(pointer)) {
			name(t, variable);
			t.d.pointer = false;
			t.d.what.variable = t.d.text;
			t.d.what.kind = variable->getArg() ? TABLE_PARAMETER : TABLE_LOCAL;
			if (const DISubprogram *program = variable->getScope()->getSubprogram())
				t.d.what.scope = program->getName().str();
			return t;
		}
		if (isa<AllocaInst>(pointer)) {
			if (auto *variable = variable_with(pointer, true)) {
				variables.emplace(pointer, variable);
				return follow(pointer, depth);
			}
			t.d.pointer = false;
			t.d.what.kind = TABLE_LOCAL;
			return t;
		}
		if (auto *sum = dyn_cast<GEPOperator>(pointer); sum && depth)
			return step(sum, depth - 1);
		if (auto *load = dyn_cast<LoadInst>(pointer); load && depth) {
			auto *slot = dyn_cast<AllocaInst>(load->getPointerOperand());
			const DILocalVariable *variable = slot ? variable_at(slot) : nullptr;

			/* what the program itself calls it: parameters of inlined library functions are no names */
			if (variable &&
			    (is_of_system(variable->getScope()) ||
			     (variable->isArtificial() && variable->getScope()->getSubprogram() != here)))
				if (const Value *value = only_value(slot))
					return follow(value, depth - 1);

			target from = place(load->getPointerOperand(), load->getType(),
					    load->getMetadata(LLVMContext::MD_tbaa), depth - 1);

			t.d.text = from.d.text;
			t.d.pointer = !is_reference(from.type);
			t.type = pointee(from.type);
			if (!from.type) /* of a variable that another file has, there is no debug information */
				t.type = record_behind(load->getType());
			return t;
		}
		if (auto *variable = variable_with(pointer)) {
			name(t, variable);
			t.d.pointer = !is_reference(t.type);
			t.type = pointee(t.type);
			return t;
		}
		/* what an allocation returns has a name once it has a type */
		for (const User *user : pointer->users())
			if (auto *variable = isa<BitCastInst>(user) ? variable_with(user) : nullptr) {
				name(t, variable);
				t.type = pointee(t.type);
				return t;
			}
		if (auto *call = dyn_cast<CallBase>(pointer))
			if (const Function *callee = call->getCalledFunction()) {
				const DISubprogram *program = callee->getSubprogram();

				/* "operator new()" and "operator->()" are no names for what they return */
				t.d.text = (program ? program->getName() : callee->getName()).str() + "()";
				if (!t.d.text.compare(0, 8, "operator") || callee->getName().startswith("_Zn"))
					t.d.text.clear();
				if (program && program->getType() && program->getType()->getTypeArray().size())
					t.type = pointee(program->getType()->getTypeArray()[0]);
			}
		return t;
	}

	target global_target(const GlobalVariable *global)
	{
		SmallVector<DIGlobalVariableExpression *, 1> known;
		target t;

		global->getDebugInfo(known);
		t.d.what.kind = global->hasLocalLinkage() ? TABLE_STATIC : TABLE_GLOBAL;
		if (known.empty()) {
			if (!global->hasPrivateLinkage())
				t.d.text = t.d.what.variable = global->getName().str();
		} else {
			const DIGlobalVariable *variable = known[0]->getVariable();

			t.d.text = t.d.what.variable = variable->getName().str();
			t.type = variable->getType();
			if (auto *scope = dyn_cast_or_null<DILocalScope>(variable->getScope())) {
				t.d.what.kind = TABLE_STATIC_LOCAL;
				t.d.what.scope = scope->getSubprogram()->getName().str();
			}
		}
		if (global->isThreadLocal())
			t.d.what.kind |= TABLE_THREAD_LOCAL;
		return t;
	}

	/* What is behind a computed address; what remains of the distance is left to `rest`. */
	target step(const GEPOperator *sum, unsigned depth, uint64_t *rest = nullptr)
	{
		uint64_t offset = 0;
		target t = base(sum->getPointerOperand(), depth, offset);
		unsigned number = 0;

		for (auto index = gep_type_begin(sum), end = gep_type_end(sum); index != end; ++index, number++) {
			const Value *operand = index.getOperand();
			auto *constant = dyn_cast<ConstantInt>(operand);

			if (StructType *record = index.getStructTypeOrNull()) {
				offset += layout.getStructLayout(record)->getElementOffset(
					(unsigned)constant->getZExtValue());
				continue;
			}

			uint64_t size = layout.getTypeAllocSize(index.getIndexedType()).getKnownMinSize();

			if (constant && constant->isZero())
				continue;
			/* the element of an array behind a pointer */
			if (number == 0 && t.d.pointer && !t.d.element && !t.d.text.empty() && offset == 0 &&
			    (!t.type || bytes_of(peel(t.type)) == size)) {
				t.d.text += "[" + number_text(operand, depth) + "]";
				t.d.element = true;
				continue;
			}
			if (constant) {
				offset += (uint64_t)(constant->getSExtValue() * (int64_t)size);
				continue;
			}
			if (!descend(t, offset, size, size)) {
				t.type = nullptr; /* no more than the variable is known */
				offset = 0;
				break;
			}
			offset = 0;
			t.d.index(number_text(operand, depth));
			if (is_array(peel(t.type)))
				t.type = inner_count(cast<DICompositeType>(peel(t.type))) == 1
						 ? element_of(peel(t.type))
						 : nullptr;
		}
		if (rest)
			*rest = offset;
		else if (offset && !descend_to(t, offset, sum))
			t.type = nullptr;
		return t;
	}

	/* To what an address of that type can point to there. */
	bool descend_to(target &t, uint64_t offset, const GEPOperator *sum)
	{
		Type *type = sum->getResultElementType();

		return descend(t, offset, type->isSized() ? layout.getTypeAllocSize(type).getKnownMinSize() : 1);
	}

	/* As far as it is a chain of computations, their distances add up. */
	target base(const Value *pointer, unsigned depth, uint64_t &offset)
	{
		pointer = pointer->stripPointerCasts();
		if (auto *sum = dyn_cast<GEPOperator>(pointer); sum && depth)
			return step(sum, depth - 1, &offset);
		return follow(pointer, depth);
	}

	/* Without casts; a sum of nothing says a type. */
	static const Value *without_casts(const Value *pointer)
	{
		while (auto *cast = dyn_cast<BitCastOperator>(pointer))
			pointer = cast->getOperand(0);
		return pointer;
	}

	/* The record of that name in LLVM: "struct.x", "class.ns::x.12". NULL: debug information does not have it. */
	const DICompositeType *record_of(const Type *type)
	{
		auto *record = dyn_cast_or_null<StructType>(type);
		StringRef text = record && record->hasName() ? record->getName() : "";

		text = text.substr(text.find('.') + 1);
		text = text.rsplit("::").second.empty() ? text : text.rsplit("::").second;

		auto known = types.find(text.str());

		return known == types.end() ? nullptr : known->second;
	}

	/* … that a pointer of this type points to. */
	const DICompositeType *record_behind(const Type *type)
	{
		auto *pointer = dyn_cast<PointerType>(type);

		return pointer && !pointer->isOpaque() ? record_of(pointer->getNonOpaquePointerElementType()) : nullptr;
	}

	/* From the type that alias analysis knows, or that the address was computed with. */
	bool by_type(target &t, const Value *pointer, uint64_t size, const MDNode *tag)
	{
		const DICompositeType *found = nullptr;
		uint64_t offset = 0;

		if (tag && tag->getNumOperands() >= 3 && isa<MDNode>(tag->getOperand(0)) &&
		    tag->getOperand(0) != tag->getOperand(1)) {
			auto *node = cast<MDNode>(tag->getOperand(0));
			auto *text =
				node->getNumOperands() ? dyn_cast_or_null<MDString>(node->getOperand(0)) : nullptr;
			auto known = text ? types.find(text->getString().str()) : types.end();

			if (known != types.end()) {
				found = known->second;
				offset = mdconst::extract<ConstantInt>(tag->getOperand(2))->getZExtValue();
			}
		}
		if (auto *sum = dyn_cast<GEPOperator>(without_casts(pointer)); !found && sum) {
			APInt distance(layout.getIndexTypeSizeInBits(sum->getType()), 0);

			found = record_of(sum->getSourceElementType());
			if (!found || !sum->accumulateConstantOffset(layout, distance))
				return false;
			offset = distance.getZExtValue() % std::max<uint64_t>(bytes_of(found), 1);
		}
		if (!found)
			return false;

		target guess;

		guess.d = t.d;
		guess.d.what.path.clear();
		guess.d.what.member.clear();
		guess.d.what.container.clear();
		guess.d.what.holder.clear();
		guess.type = found;
		if (!t.d.what.path.empty() || !t.d.pointer) { /* not a name for what has the member */
			guess.d.text.clear();
			guess.d.pointer = true;
		}
		if (!descend(guess, offset, size) || guess.d.what.path.empty())
			return false;
		if (guess.d.what.kind != TABLE_POINTED && t.d.what.variable.empty())
			guess.d.what.kind = TABLE_POINTED;
		t = guess;
		return true;
	}

	target place(const Value *pointer, Type *type, const MDNode *tag, unsigned depth)
	{
		uint64_t size = type->isSized() ? layout.getTypeStoreSize(type).getKnownMinSize() : 0, offset = 0;
		target t = base(pointer, depth, offset), whole = t;

		if (!t.type || !descend(t, offset, size)) {
			t = whole;
			if (!by_type(t, pointer, size, tag)) {
				t.type = nullptr;
				if (offset) /* to what of it is not known */
					t.d.pointer = t.d.element = true;
			}
		} else if (t.d.what.kind == TABLE_POINTED && t.d.what.path.empty()) {
			by_type(t, pointer, size, tag);
		}
		if (t.d.what.kind == TABLE_POINTED && t.d.what.path.empty()) {
			if (is_composite(peel(t.type)))
				t.d.what.container = type_name(peel(t.type));
			else
				t.d.what.type = target_name(t.type);
		}
		t.d.finish();
		return t;
	}

	description access(const Value *pointer, Type *type, const MDNode *tag, unsigned depth)
	{
		return place(pointer, type, tag, depth).d;
	}

	/* What a call is given the address of. */
	description argument(const Value *pointer)
	{
		auto *type = cast<PointerType>(pointer->getType());
		Type *to = type->isOpaque() ? nullptr : type->getNonOpaquePointerElementType();

		if (to && to->isSized() && !to->isIntegerTy(8))
			return access(pointer, to, nullptr, DEPTH);

		target t = follow(pointer, DEPTH);

		t.d.finish();
		return t.d;
	}

	/* Can another thread know it? Which of these are announced is clang's to decide, and seen when all code is final. */
	static bool may_be_shared(const Value *address)
	{
		const Value *object = getUnderlyingObject(address);

		if (address->getType()->getScalarType()->getPointerAddressSpace() != 0)
			return false;
		if (auto *variable = dyn_cast<GlobalVariable>(object))
			return !variable->isConstant();
		return !isa<AllocaInst>(object) || PointerMayBeCaptured(object, true, true);
	}

	/* A struct as a whole. */
	description whole(const Value *pointer, uint64_t size)
	{
		return access(pointer, ArrayType::get(Type::getInt8Ty(module.getContext()), size), nullptr, DEPTH);
	}

	/* Before anything is asked about the function. false: it has no debug information. */
	bool enter(Function &function)
	{
		here = function.getSubprogram();
		variables.clear();
		for (Instruction &one : instructions(function))
			if (auto *declared = dyn_cast<DbgDeclareInst>(&one))
				if (const Value *address = declared->getAddress())
					variables.emplace(address->stripPointerCasts(), declared->getVariable());
		return here;
	}

	Module &module;
	const DataLayout &layout;
	table::unit unit;
	std::map<const DIFile *, std::string> paths;
	std::map<std::string, const DICompositeType *> types;
	std::map<const DICompositeType *, std::string> typedefs;
	std::map<const Value *, const DILocalVariable *> variables; /* of the function, by where they are */
	const DISubprogram *here = nullptr;
	bool is_cxx = false;
	unsigned units = 0;
};

} // namespace describing

#endif
