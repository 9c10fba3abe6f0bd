/*
 * For clang: functions as they were written. They are examined before the first pass: then the instructions are
 * the same at each level of optimisation, and each local variable is a place on the stack.
 */
#include "clang_bodies.hh"

#include "llvm/IR/CFG.h"
#include "llvm/IR/Module.h"

#include "announced_calls.hh"
#include "clang_slices.hh"
#include "lock_calls.hh"

using namespace describing;
using table::code;
using table::lock_call;
using table::lock_function;
using table::point;

namespace {

std::map<const Module *, std::unique_ptr<describer>> known;

/* Is its address used for anything but calls and tables of virtual methods? */
bool
is_taken(const Value *function, unsigned depth = 8)
{
	for (const Use &use : function->uses()) {
		const User *user = use.getUser();

		if (auto *call = dyn_cast<CallBase>(user)) {
			if (!call->isCallee(&use))
				return true;
		} else if (auto *variable = dyn_cast<GlobalVariable>(user)) {
			StringRef name = variable->getName();

			if (!name.startswith("_ZTV") && !name.startswith("_ZTC") && !name.startswith("llvm."))
				return true;
		} else if (isa<Constant>(user) && !isa<GlobalValue>(user)) {
			if (!depth || is_taken(user, depth - 1))
				return true;
		} else if (isa<Instruction>(user)) {
			return true;
		}
	}
	return false;
}

const DICompositeType *
class_of(const DISubprogram *program)
{
	return program ? dyn_cast_or_null<DICompositeType>(program->getScope()) : nullptr;
}

/* 1: a constructor, -1: a destructor. */
int
special_of(const Function *function)
{
	std::string mangled = function->getName().str();
	ItaniumPartialDemangler demangled;

	if (mangled.compare(0, 2, "_Z") || demangled.partialDemangle(mangled.c_str()) || !demangled.isCtorOrDtor())
		return 0;

	char *base = demangled.getFunctionBaseName(nullptr, nullptr);
	bool destructor = base && *base == '~';

	free(base);
	return destructor ? -1 : 1;
}

/* ---- the hash ---- */

class code_hasher {
      public:
	code_hasher(Function &body, describer &about) : body(body), about(about)
	{
	}

	uint64_t hash()
	{
		attributes();
		visit(&body.getEntryBlock());
		for (const BasicBlock &block : body)
			if (is_handler(block))
				visit(&block);
		for (const BasicBlock *block : order) {
			if (!is_continued(block))
				to.add(blocks[block]);
			for (const Instruction &one : *block)
				instruction(one);
		}
		caught();
		return to.value();
	}

      private:
	/*
	 * Which calls can throw is said where functions are declared, and so is which cleanups are needed. What the program itself
	 * does with an exception is code of the function's.
	 */
	void visit(const BasicBlock *from)
	{
		std::vector<const BasicBlock *> todo = {from};

		while (!todo.empty()) {
			const BasicBlock *block = todo.back();
			auto *invoke = dyn_cast<InvokeInst>(block->getTerminator());

			todo.pop_back();
			if (blocks.count(block))
				continue;
			blocks[block] = is_continued(block) ? count : ++count;
			order.push_back(block);
			for (unsigned i = block->getTerminator()->getNumSuccessors(); i-- > 0;)
				if (!invoke || block->getTerminator()->getSuccessor(i) == invoke->getNormalDest())
					todo.push_back(block->getTerminator()->getSuccessor(i));
		}
	}

	static bool is_handler(const BasicBlock &block)
	{
		for (const Instruction &one : block)
			if (auto *call = dyn_cast<CallBase>(&one))
				if (call->getCalledFunction() &&
				    call->getCalledFunction()->getName() == "__cxa_begin_catch")
					return true;
		return false;
	}

	/* Does it begin only because a call before it may throw? */
	static bool is_continued(const BasicBlock *block)
	{
		const BasicBlock *before = block->getSinglePredecessor();

		return before && (before->getSingleSuccessor() || isa<InvokeInst>(before->getTerminator())) &&
		       !block->isLandingPad();
	}

	/* Adds the types of exceptions that are caught. */
	void caught()
	{
		std::set<std::string> types;

		for (const BasicBlock &block : body)
			if (const LandingPadInst *pad = block.getLandingPadInst())
				for (unsigned i = 0; i < pad->getNumClauses(); i++)
					if (pad->isCatch(i) && pad->getClause(i)->stripPointerCasts()->hasName())
						types.insert(
							pad->getClause(i)->stripPointerCasts()->getName().str());
		for (const std::string &type : types)
			to.add(type);
	}

	void attributes()
	{
		for (Attribute::AttrKind kind :
		     {Attribute::AlwaysInline, Attribute::Cold, Attribute::Hot, Attribute::Naked,
		      Attribute::NoReturn, Attribute::ReadNone, Attribute::ReadOnly, Attribute::ReturnsTwice})
			to.add((uint64_t)body.hasFnAttribute(kind));
		/* without optimisation each function has this attribute: then it says nothing */
		to.add((uint64_t)(!body.hasFnAttribute(Attribute::OptimizeNone) &&
				  body.hasFnAttribute(Attribute::NoInline)));
		for (const char *name : {"target-cpu", "target-features"})
			to.add(body.getFnAttribute(name).getValueAsString().str());
		to.add(body.getSection().str());
		to.add((uint64_t)body.getVisibility());
		to.add((uint64_t)(body.getAlign() ? body.getAlign()->value() : 0));
		to.add((uint64_t)body.hasLocalLinkage());
		type(body.getReturnType());
		for (const Argument &one : body.args()) {
			type(one.getType());
			to.add((uint64_t)(one.hasByValAttr() | one.hasStructRetAttr() << 1 |
					  one.hasZExtAttr() << 2 | one.hasSExtAttr() << 3));
			/* records that are given or returned by value are copied */
			if (one.hasByValAttr())
				type(one.getParamByValType());
			else if (one.hasStructRetAttr() && !returns_in_place())
				type(one.getParamStructRetType());
		}
	}

	/* C++: does the caller have the place that the result is made in, so that it is not copied? */
	bool returns_in_place() const
	{
		const DISubprogram *program = body.getSubprogram();
		const DIType *result = program && program->getType() && program->getType()->getTypeArray().size()
					       ? peel(program->getType()->getTypeArray()[0])
					       : nullptr;

		return result && result->getFlags() & DINode::FlagTypePassByReference;
	}

	void type(Type *t)
	{
		to.add((uint64_t)t->getTypeID());
		if (auto *number = dyn_cast<IntegerType>(t)) {
			to.add((uint64_t)number->getBitWidth());
		} else if (auto *vector = dyn_cast<FixedVectorType>(t)) {
			to.add((uint64_t)vector->getNumElements());
			type(vector->getElementType());
		} else if (auto *array = dyn_cast<ArrayType>(t)) {
			to.add(array->getNumElements());
			type(array->getElementType());
		} else if (auto *record = dyn_cast<StructType>(t); record && !record->isOpaque()) {
			to.add((uint64_t)record->getNumElements());
			for (Type *element : record->elements())
				type(element);
		}
	}

	bool is_this_file(StringRef content)
	{
		StringRef bare = content.rtrim('\0');

		return !bare.empty() && (bare == file || bare == about.unit.file);
	}

	/* Returns whether it is __FILE__ or __func__. */
	bool is_place(const Value *what)
	{
		auto *variable = dyn_cast<GlobalVariable>(what->stripPointerCasts());

		if (!variable || !variable->hasDefinitiveInitializer())
			return false;
		for (const char *name : {"__func__.", "__FUNCTION__.", "__PRETTY_FUNCTION__."})
			if (variable->getName().startswith(name))
				return true;
		auto *data = dyn_cast<ConstantDataSequential>(variable->getInitializer());

		return data && data->isString() && is_this_file(data->getRawDataValues());
	}

	/*
	 * Returns whether a call, or a variable that is stored to, gets __FILE__ or __func__, too. Then a number that is near the line is
	 * __LINE__, which is where the call ends; any other number that equals its line is chance.
	 */
	bool is_told_place(const Instruction &one)
	{
		if (auto *call = dyn_cast<CallBase>(&one)) {
			for (const Use &use : call->args())
				if (is_place(use.get()))
					return true;
		} else if (auto *store = dyn_cast<StoreInst>(&one)) {
			const Value *variable = store->getPointerOperand()->stripInBoundsOffsets();

			if (is_place(store->getValueOperand()))
				placed.insert(variable);
			return placed.count(variable);
		}
		return false;
	}

	/* "f.counter.12" is "f.counter" in a file with fewer of them. */
	static std::string without_number(StringRef name)
	{
		StringRef bare = name.rtrim("0123456789");

		return (bare.size() < name.size() && bare.endswith(".") ? bare.drop_back() : name).str();
	}

	void global(const GlobalVariable *variable)
	{
		SmallVector<DIGlobalVariableExpression *, 1> described;
		bool inside = variable->hasPrivateLinkage();
		StringRef name = variable->getName();

		variable->getDebugInfo(described);
		if (!described.empty())
			inside |= isa_and_nonnull<DILocalScope>(described[0]->getVariable()->getScope());
		else if (variable->hasLocalLinkage() && variable->hasGlobalUnnamedAddr())
			inside = true;
		if (!inside)
			to.add(without_number(name));
		else if (!variable->isConstant())
			to.add(local(variable));
		if (variable->hasDefinitiveInitializer() && (inside || variable->isConstant()) &&
		    !name.startswith("_ZT")) {
			/* equal constants are one, however the compiler has merged them */
			if (variable->isConstant() || seen.insert(variable).second)
				value(variable->getInitializer());
		}
		to.add((uint64_t)variable->isThreadLocal());
	}

	uint64_t local(const Value *what)
	{
		return locals.emplace(what, locals.size()).first->second;
	}

	void constant(const Constant *one)
	{
		to.add((uint64_t)one->getValueID());
		if (auto *number = dyn_cast<ConstantInt>(one)) {
			type(number->getType());
			for (unsigned i = 0; i < number->getValue().getNumWords(); i++)
				to.add(number->getValue().getRawData()[i]);
		} else if (auto *real = dyn_cast<ConstantFP>(one)) {
			APInt bits = real->getValueAPF().bitcastToAPInt();

			type(real->getType());
			for (unsigned i = 0; i < bits.getNumWords(); i++)
				to.add(bits.getRawData()[i]);
		} else if (auto *data = dyn_cast<ConstantDataSequential>(one)) {
			/* __FILE__: moving the code does not change it */
			if (is_this_file(data->getRawDataValues())) {
				to.add("this file");
			} else {
				type(data->getType());
				to.add(data->getRawDataValues().data(), data->getRawDataValues().size());
			}
		} else if (auto *function = dyn_cast<Function>(one)) {
			to.add(function == &body ? "itself" : without_number(function->getName()));
		} else if (auto *variable = dyn_cast<GlobalVariable>(one)) {
			global(variable);
		} else if (auto *alias = dyn_cast<GlobalAlias>(one)) {
			to.add(alias->getName().str());
		} else if (auto *sum = dyn_cast<GEPOperator>(one)) {
			address(sum);
		} else if (auto *expression = dyn_cast<ConstantExpr>(one)) {
			to.add((uint64_t)expression->getOpcode());
			type(expression->getType());
			for (const Use &use : expression->operands())
				value(use.get());
		} else if (auto *record = dyn_cast<ConstantStruct>(one)) {
			/* what is 0 says nothing: a new member is */
			const DICompositeType *described = described_record(nullptr, record->getType());

			for (unsigned i = 0; i < record->getNumOperands(); i++)
				if (!record->getOperand(i)->isNullValue() &&
				    !isa<UndefValue>(record->getOperand(i))) {
					member(described, record->getType(), i);
					value(record->getOperand(i));
				}
		} else if (isa<ConstantAggregate>(one)) {
			to.add((uint64_t)one->getNumOperands());
			for (const Use &use : one->operands())
				value(use.get());
		} else if (auto *block = dyn_cast<BlockAddress>(one)) {
			to.add(blocks[block->getBasicBlock()]);
		} else if (one->getType()->isAggregateType()) {
			extent(one->getType());
		} else {
			type(one->getType());
		}
	}

	/* ---- records: by the names of their members, not by where these are ---- */

	/* "struct.x" is "struct.x.12" in a file with more of them; "": it has no name. */
	static std::string record_name(const Type *type)
	{
		auto *record = dyn_cast_or_null<StructType>(type);

		if (!record || !record->hasName() || record->getName().contains(".anon"))
			return "";
		return without_number(record->getName());
	}

	/* Returns the type if it may be that of the record, and names its members; else NULL. */
	const DICompositeType *fitting(const DIType *type, StructType *record)
	{
		if (!is_composite(type) || type->getTag() == dwarf::DW_TAG_union_type || is_lambda(type) ||
		    (about.is_cxx && type->getName().empty()) ||
		    bytes_of(type) != about.layout.getTypeAllocSize(record).getKnownMinSize())
			return nullptr;
		return cast<DICompositeType>(type);
	}

	/* What debug information says of a record, by its name, or by a pointer that leads to it; NULL: nothing. */
	const DICompositeType *described_record(const Value *pointer, StructType *record)
	{
		const DICompositeType *named =
			record_name(record).empty() ? nullptr : fitting(about.record_of(record), record);

		return named || !pointer ? named : fitting(peel(about.follow(pointer, DEPTH).type), record);
	}

	/* Adds the bit-fields that are one place in memory with this one: who writes one of them writes all. */
	void neighbours(const DICompositeType *record, const DIDerivedType *member)
	{
		std::vector<const DIDerivedType *> run;
		bool found = false;

		for (const DINode *node : record->getElements()) {
			auto *one = dyn_cast_or_null<DIDerivedType>(node);

			if (!one || one->isStaticMember() || one->getTag() != dwarf::DW_TAG_member)
				continue;
			if (!one->isBitField()) {
				if (found)
					break;
				run.clear();
				continue;
			}
			run.push_back(one);
			found |= one == member;
		}
		for (const DIDerivedType *one : run) {
			to.add(one->getName().str());
			to.add(one->getSizeInBits());
		}
	}

	/* Returns the type of the member; NULL: it is not known. */
	const DIType *member(const DICompositeType *described, StructType *record, unsigned number)
	{
		uint64_t offset = about.layout.getStructLayout(record)->getElementOffset(number),
			 size = about.layout.getTypeStoreSize(record->getElementType(number)).getKnownMinSize();
		const DIDerivedType *found = described ? about.find_member(described, offset, size) : nullptr;

		if (!found || found->getTag() != dwarf::DW_TAG_member ||
		    (!found->isBitField() && found->getOffsetInBits() != offset * 8) || found->isArtificial()) {
			to.add(offset);
			return nullptr;
		}
		to.add(record_name(record));
		to.add(about.scoped_name(described));
		to.add(found->getName().str());
		if (found->isBitField())
			neighbours(described, found);
		return peel(found->getBaseType());
	}

	/* How much memory a variable or element has: so many records of that name, whatever is in them. */
	void extent(Type *type)
	{
		uint64_t count = 1;

		if (auto *array = dyn_cast<ArrayType>(type)) {
			count = array->getNumElements();
			type = array->getElementType();
		}
		to.add(count);
		to.add(record_name(type));
		if (record_name(type).empty())
			to.add(type->isSized() ? about.layout.getTypeAllocSize(type).getKnownMinSize() : 0);
	}

	/* What is copied with a record as a whole. */
	void content(const Value *pointer)
	{
		for (unsigned depth = 0; depth < DEPTH; depth++) {
			Type *what = nullptr;

			if (auto *place = dyn_cast<AllocaInst>(pointer))
				what = place->getAllocatedType();
			else if (auto *variable = dyn_cast<GlobalVariable>(pointer))
				what = variable->getValueType();
			else if (auto *sum = dyn_cast<GEPOperator>(pointer))
				what = sum->getResultElementType();
			else if (auto *known = cast<PointerType>(pointer->getType()); !known->isOpaque())
				what = known->getNonOpaquePointerElementType();
			if (auto *record = dyn_cast_or_null<StructType>(what)) {
				type(record);
				return;
			}
			if (auto *cast = dyn_cast<BitCastOperator>(pointer))
				pointer = cast->getOperand(0);
			else
				return;
		}
	}

	/* An address: from where, and which members and elements of what. */
	void address(const GEPOperator *sum)
	{
		const DIType *described = nullptr;
		unsigned depth = 0;

		to.add("sum");
		value(sum->getPointerOperand());
		for (auto index = gep_type_begin(sum), end = gep_type_end(sum); index != end; ++index, depth++) {
			if (StructType *record = index.getStructTypeOrNull()) {
				const DICompositeType *of = fitting(described, record);

				described =
					member(of ? of
						  : described_record(depth == 1 ? sum->getPointerOperand()
										: nullptr,
								     record),
					       record,
					       (unsigned)cast<ConstantInt>(index.getOperand())->getZExtValue());
			} else {
				auto *number = dyn_cast<ConstantInt>(index.getOperand());

				value(index.getOperand());
				if (!number || !number->isZero())
					extent(index.getIndexedType());
				described = is_array(described) ? peel(element_of(described)) : nullptr;
			}
		}
		to.add((uint64_t)sum->isInBounds());
	}

	/* Is it a distance between two places, by the size of the record that they are of? */
	bool counts_records(const Instruction &one)
	{
		auto *number = one.getNumOperands() == 2 ? dyn_cast<ConstantInt>(one.getOperand(1)) : nullptr;
		auto *difference = number ? dyn_cast<BinaryOperator>(one.getOperand(0)) : nullptr;
		auto *end = difference ? dyn_cast<PtrToIntInst>(difference->getOperand(0)) : nullptr;
		auto *pointer = end ? cast<PointerType>(end->getPointerOperand()->getType()) : nullptr;
		auto *record = pointer && !pointer->isOpaque()
				       ? dyn_cast<StructType>(pointer->getNonOpaquePointerElementType())
				       : nullptr;

		if (one.getOpcode() != Instruction::SDiv || !one.isExact() || !record || !record->isSized() ||
		    record_name(record).empty() ||
		    number->getZExtValue() != about.layout.getTypeAllocSize(record).getKnownMinSize())
			return false;
		to.add(record_name(record));
		return true;
	}

	/* Adds whether something is less aligned than such things are. */
	void alignment(Align at_hand, Type *type)
	{
		to.add(type->isSized() ? std::min(at_hand, about.layout.getABITypeAlign(type)).value()
				       : at_hand.value());
	}

	void value(const Value *one)
	{
		/* a pointer is a pointer */
		for (auto *cast = dyn_cast<Operator>(one);
		     cast &&
		     (cast->getOpcode() == Instruction::BitCast ||
		      cast->getOpcode() == Instruction::AddrSpaceCast) &&
		     one->getType()->isPointerTy() && cast->getOperand(0)->getType()->isPointerTy();
		     cast = dyn_cast<Operator>(one))
			one = cast->getOperand(0);
		if (auto *number = dyn_cast<Constant>(one)) {
			constant(number);
		} else if (auto *argument = dyn_cast<Argument>(one)) {
			to.add("parameter");
			to.add((uint64_t)argument->getArgNo());
		} else if (auto *block = dyn_cast<BasicBlock>(one)) {
			to.add("block");
			to.add(blocks[block]);
		} else if (auto *assembly = dyn_cast<InlineAsm>(one)) {
			to.add(assembly->getAsmString());
			to.add(assembly->getConstraintString());
		} else {
			auto *place = dyn_cast<AllocaInst>(one);
			bool first = place && !locals.count(place);

			to.add(local(one));
			if (first) {
				Type *of = place->getAllocatedType();

				extent(of);
				to.add(place->getAlign() > about.layout.getABITypeAlign(of)
					       ? place->getAlign().value()
					       : 0);
				if (place->isArrayAllocation())
					value(place->getArraySize());
			}
		}
	}

	void instruction(const Instruction &one)
	{
		const DILocation *at = one.getDebugLoc();
		auto *intrinsic = dyn_cast<IntrinsicInst>(&one);

		if (isa<DbgInfoIntrinsic>(one) || isa<AllocaInst>(one) ||
		    (intrinsic && intrinsic->isLifetimeStartOrEnd()))
			return;
		if (isa<BitCastInst>(one) && one.getType()->isPointerTy())
			return; /* a pointer is a pointer */
		if (one.isTerminator() && one.getNumSuccessors() == 1 && is_continued(one.getSuccessor(0)))
			return;
		file = at ? about.path_of(at->getFile()) : "";
		to.add((uint64_t)(isa<InvokeInst>(one) ? (unsigned)Instruction::Call : one.getOpcode()));
		type(one.getType());
		to.add(local(&one));
		to.add((uint64_t)one.getRawSubclassOptionalData());
		if (auto *sum = dyn_cast<GEPOperator>(&one)) {
			address(sum);
			return;
		}
		if (auto *compare = dyn_cast<CmpInst>(&one))
			to.add((uint64_t)compare->getPredicate());
		if (auto *load = dyn_cast<LoadInst>(&one)) {
			to.add((uint64_t)load->isVolatile());
			alignment(load->getAlign(), load->getType());
			to.add((uint64_t)load->getOrdering());
		} else if (auto *store = dyn_cast<StoreInst>(&one)) {
			to.add((uint64_t)store->isVolatile());
			alignment(store->getAlign(), store->getValueOperand()->getType());
			to.add((uint64_t)store->getOrdering());
		} else if (auto *update = dyn_cast<AtomicRMWInst>(&one)) {
			to.add((uint64_t)update->getOperation());
			to.add((uint64_t)update->getOrdering());
		} else if (auto *swap = dyn_cast<AtomicCmpXchgInst>(&one)) {
			to.add((uint64_t)swap->getSuccessOrdering());
			to.add((uint64_t)swap->getFailureOrdering());
			to.add((uint64_t)swap->isWeak());
		} else if (auto *fence = dyn_cast<FenceInst>(&one)) {
			to.add((uint64_t)fence->getOrdering());
		} else if (auto *extract = dyn_cast<ExtractValueInst>(&one)) {
			for (unsigned index : extract->indices())
				to.add((uint64_t)index);
		} else if (auto *insert = dyn_cast<InsertValueInst>(&one)) {
			for (unsigned index : insert->indices())
				to.add((uint64_t)index);
		} else if (auto *pad = dyn_cast<LandingPadInst>(&one)) {
			to.add((uint64_t)pad->isCleanup());
		} else if (auto *phi = dyn_cast<PHINode>(&one)) {
			for (const BasicBlock *from : phi->blocks())
				to.add(blocks[from]);
		} else if (auto *copy = dyn_cast<MemTransferInst>(&one)) {
			content(copy->getRawDest());
			content(copy->getRawSource());
		} else if (auto *set = dyn_cast<MemSetInst>(&one)) {
			content(set->getRawDest());
		}

		if (auto *call = dyn_cast<CallBase>(&one))
			for (unsigned i = 0; i < call->arg_size(); i++)
				if (call->isByValArgument(i))
					type(call->getParamByValType(i));

		bool counts = counts_records(one);

		uint64_t line = at ? at->getLine() : 0,
			 last = is_told_place(one) && line ? line + table::LINES_OF_CALL : 0;

		for (const Use &use : one.operands()) {
			if (isa<MetadataAsValue>(use.get()) ||
			    (isa<InvokeInst>(one) && isa<BasicBlock>(use.get())) ||
			    (counts && use.getOperandNo() == 1))
				continue;

			auto *number = dyn_cast<ConstantInt>(use.get());

			/* __LINE__: moving the code does not change it */
			if (last && number && number->getBitWidth() <= 64 && number->getZExtValue() >= line &&
			    number->getZExtValue() <= last)
				to.add("this line");
			else
				value(use.get());
		}
	}

	Function &body;
	describer &about;
	table::hasher to;
	std::string file;
	std::map<const BasicBlock *, uint64_t> blocks;
	std::vector<const BasicBlock *> order;
	uint64_t count = 0; /* of blocks */
	std::map<const Value *, uint64_t> locals;
	std::set<const Value *> seen;
	std::set<const Value *> placed; /* variables that have __FILE__ or __func__ */
};

/* ---- points ---- */

class reader {
      public:
	reader(Function &body, describer &about)
	    : body(body), about(about), slices(body, about, to.values, numbers)
	{
	}

	void read()
	{
		const DISubprogram *program = body.getSubprogram();
		const DISubprogram *declared = program->getDeclaration();
		unsigned count = 0;
		table::position begin;
		code c;

		begin.file = about.path_of(program->getFile());
		begin.line = program->getLine();
		own = c.function = about.function_of(program);
		c.flags =
			TABLE_DEFINED | (body.hasLocalLinkage() ? TABLE_LOCAL_NAME : 0) |
			(is_taken(&body) ? TABLE_ADDRESS_TAKEN : 0) |
			(program->getVirtuality() || (declared && declared->getVirtuality()) ? TABLE_VIRTUAL : 0) |
			(program->isArtificial() || (declared && declared->isArtificial()) ? TABLE_VARIANT : 0) |
			(body.hasFnAttribute(Attribute::AlwaysInline) || body.hasLinkOnceLinkage() ||
					 begin.file != about.unit.file
				 ? TABLE_INLINED
				 : 0);
		c.type = type_of(program, special_of(&body));
		if (const DICompositeType *type = class_of(program))
			c.class_name = about.scoped_name(type);
		about.enter(body);
		c.own_hash = code_hasher(body, about).hash();
		for (const BasicBlock &block : body)
			numbers[&block] = count++;
		to.blocks.resize(count);
		for (BasicBlock &block : body) {
			current = &to.blocks[numbers[&block]];
			for (Instruction &one : block)
				instruction(one);
			current->returns = isa<ReturnInst>(block.getTerminator());
			for (const BasicBlock *next : successors(&block))
				current->next.push_back(numbers[next]);
			if (auto *choice = dyn_cast<SwitchInst>(block.getTerminator()))
				choice_of(*choice);
		}
		slices.read([&](const Value *address) { return is_way_on(address); });
		finish(c, to);
		for (const BasicBlock &block : body)
			for (const Instruction &one : block) {
				const DILocation *place = one.getDebugLoc();

				if (place && !isa<DbgInfoIntrinsic>(one) &&
				    about.path_of(place->getFile()) == begin.file)
					c.last_line = std::max(c.last_line, place->getLine());
			}
		about.unit.add_code(c, begin);
	}

      private:
	std::string type_of(const DISubprogram *program, int special)
	{
		if (special < 0)
			return "void()";
		return program && program->getType() ? about.canonical_function(program->getType(), DEPTH, false)
						     : "";
	}

	/* A variable of clang's says where to continue behind a block with cleanups. */
	bool is_way_on(const Value *address) const
	{
		return isa<AllocaInst>(address) && !about.variables.count(address) &&
		       cast<AllocaInst>(address)->getAllocatedType()->isIntegerTy(32);
	}

	void choice_of(const SwitchInst &choice)
	{
		auto *load = dyn_cast<LoadInst>(choice.getCondition());

		if (!load || !is_way_on(load->getPointerOperand()))
			return;
		current->variable = way_on(load->getPointerOperand());
		for (unsigned i = 0; i < choice.getNumSuccessors(); i++) {
			const ConstantInt *value = nullptr;

			for (auto one : choice.cases())
				if (one.getSuccessorIndex() == i)
					value = one.getCaseValue();
			current->wanted.push_back(value ? value->getSExtValue() : (long)table::block::ELSE);
		}
	}

	int way_on(const Value *address)
	{
		return (int)ways.emplace(address, ways.size()).first->second;
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

	void access(const description &d, unsigned flags)
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
		slices.note(*at_hand, (unsigned)to.points.size(), p);
		to.points.push_back(p);
	}

	void memory(const Instruction &one, const Value *pointer, Type *type, unsigned flags)
	{
		if (describer::may_be_shared(pointer))
			access(about.access(pointer, type, one.getMetadata(LLVMContext::MD_tbaa), DEPTH), flags);
	}

	/* Returns whether this loads the table of virtual methods of an object, */
	static bool is_table(const LoadInst *load)
	{
		auto *cast = dyn_cast<BitCastInst>(load->getPointerOperand());
		auto *slots = dyn_cast<PointerType>(load->getType());
		auto *object = cast ? dyn_cast<PointerType>(cast->getSrcTy()) : nullptr;

		if (!slots || !object || slots->isOpaque() || object->isOpaque())
			return false;

		auto *slot = dyn_cast<PointerType>(slots->getNonOpaquePointerElementType());

		return isa<StructType>(object->getNonOpaquePointerElementType()) && slot && !slot->isOpaque() &&
		       isa<FunctionType>(slot->getNonOpaquePointerElementType());
	}

	/* … or an entry of the table. */
	static bool is_slot(const LoadInst *load)
	{
		const Value *from = load->getPointerOperand();

		if (auto *sum = dyn_cast<GEPOperator>(from))
			from = sum->getPointerOperand();
		return isa<LoadInst>(from) && is_table(cast<LoadInst>(from));
	}

	void instruction(Instruction &one)
	{
		const DILocation *location = one.getDebugLoc();

		if (isa<DbgInfoIntrinsic>(one) || isa<AllocaInst>(one))
			return;
		at = location ? about.position_of(location) : table::position();
		at_hand = &one;
		if (auto *load = dyn_cast<LoadInst>(&one); load && !is_table(load) && !is_slot(load))
			memory(one, load->getPointerOperand(), load->getType(),
			       TABLE_READS | (load->isAtomic() ? TABLE_ATOMIC : 0));
		else if (auto *store = dyn_cast<StoreInst>(&one);
			 store &&
			 !store->getValueOperand()->stripInBoundsConstantOffsets()->getName().startswith("_ZTV"))
			memory(one, store->getPointerOperand(), store->getValueOperand()->getType(),
			       TABLE_WRITES | (store->isAtomic() ? TABLE_ATOMIC : 0));
		else if (auto *update = dyn_cast<AtomicRMWInst>(&one))
			memory(one, update->getPointerOperand(), update->getValOperand()->getType(),
			       TABLE_READS | TABLE_WRITES | TABLE_ATOMIC);
		else if (auto *swap = dyn_cast<AtomicCmpXchgInst>(&one))
			memory(one, swap->getPointerOperand(), swap->getNewValOperand()->getType(),
			       TABLE_READS | TABLE_WRITES | TABLE_ATOMIC);
		else if (auto *called = dyn_cast<CallBase>(&one))
			call(*called);

		auto *jump = dyn_cast<BranchInst>(&one);

		/* at the end of a block, or generated without a source */
		add_step(-1, -1,
			 isa<ReturnInst>(one) || (jump && jump->isUnconditional()) || isa<UnreachableInst>(one) ||
				 isa<LandingPadInst>(one) || isa<ResumeInst>(one) || isa<ExtractValueInst>(one) ||
				 isa<InsertValueInst>(one) || isa<SwitchInst>(one) || isa<BitCastInst>(one) ||
				 at_end(one));
		if (auto *store = dyn_cast<StoreInst>(&one))
			if (auto *value = dyn_cast<ConstantInt>(store->getValueOperand());
			    value && is_way_on(store->getPointerOperand())) {
				current->steps.back().variable = way_on(store->getPointerOperand());
				current->steps.back().value = value->getSExtValue();
			}
	}

	/*
	 * Instructions that load the returned value, or keep the compiler's own variables, have the line of the
	 * closing brace.
	 */
	bool at_end(const Instruction &one)
	{
		const Value *address = nullptr;

		if (auto *load = dyn_cast<LoadInst>(&one))
			address = load->getPointerOperand();
		else if (auto *store = dyn_cast<StoreInst>(&one))
			address = store->getPointerOperand();
		if (auto *called = dyn_cast<CallBase>(&one))
			return isa<IntrinsicInst>(one) ||
			       (called->getCalledFunction() && special_of(called->getCalledFunction()) < 0);
		if (auto *store = dyn_cast<StoreInst>(&one);
		    store && isa<ExtractValueInst>(store->getValueOperand()))
			return true; /* an exception */
		return address && isa<AllocaInst>(address) && !about.variable_at(address) && isa<LoadInst>(one);
	}

	void call(CallBase &one)
	{
		auto *callee = dyn_cast<Function>(one.getCalledOperand()->stripPointerCasts());
		point p;

		if (auto *copy = dyn_cast<AnyMemTransferInst>(&one)) {
			auto *length = dyn_cast<ConstantInt>(copy->getLength());
			uint64_t size = length ? length->getZExtValue() : 0;

			if (describer::may_be_shared(copy->getRawSource()))
				access(about.whole(copy->getRawSource(), size), TABLE_READS);
			if (describer::may_be_shared(copy->getRawDest()))
				access(about.whole(copy->getRawDest(), size), TABLE_WRITES);
			return;
		}
		if (auto *fill = dyn_cast<AnyMemSetInst>(&one)) {
			if (describer::may_be_shared(fill->getRawDest()))
				access(about.argument(fill->getRawDest()), TABLE_WRITES);
			return;
		}
		if (isa<IntrinsicInst>(one))
			return;
		if (one.isInlineAsm()) {
			for (unsigned i = 0; i < one.arg_size(); i++)
				if (one.getArgOperand(i)->getType()->isPointerTy() &&
				    describer::may_be_shared(one.getArgOperand(i)))
					access(about.argument(one.getArgOperand(i)),
					       TABLE_READS | TABLE_WRITES | TABLE_ATOMIC);
			return;
		}
		for (unsigned i = 0; i < one.arg_size(); i++)
			if (one.isByValArgument(i) && describer::may_be_shared(one.getArgOperand(i)))
				access(about.whole(one.getArgOperand(i),
						   about.layout.getTypeAllocSize(one.getParamByValType(i))
							   .getKnownMinSize()),
				       TABLE_READS);

		int lock = -1;

		p.at = at;
		p.flags = TABLE_CALL;
		p.call = TABLE_CALLS;
		if (callee) {
			const DISubprogram *program = callee->getSubprogram();
			const DICompositeType *type = class_of(program);
			std::string scope = type ? about.scoped_name(type) : "";
			std::string display = program ? program->getName().str() : callee->getName().str();
			int special = special_of(callee), how;

			if (table::is_made_up(callee->getName().str()))
				return;
			if (type && (how = table::atomic_method(scope, display, special))) {
				if (how > 0 && one.arg_size())
					access(about.argument(one.getArgOperand(0)), (unsigned)how | TABLE_ATOMIC);
				return;
			}
			p.callee = (int)about.function_of(callee);
			if ((unsigned)p.callee == own && special)
				return; /* one variant of it calls another */
			lock = lock_of(one, callee, p, scope, display, special);
			if (!p.has_object && one.arg_size() && one.getArgOperand(0)->getType()->isPointerTy() &&
			    !scope.compare(0, 5, "std::"))
				used_by(p, about.argument(one.getArgOperand(0)));
		} else if (!by_table(one, p)) {
			p.call |= TABLE_CALL_POINTER;
			p.type = type_called(one);
		}
		if (!p.at.line)
			return;
		add_point(p);
		add_step((int)to.points.size() - 1, lock, p.call & TABLE_CALL_IMPLICIT);
	}

	/* "": not known. */
	std::string type_called(const CallBase &one)
	{
		const Value *pointer = one.getCalledOperand();

		if (isa<BitCastInst>(pointer))
			return ""; /* the program says that it is another one */

		target t = about.follow(pointer, DEPTH);
		auto *type = dyn_cast_or_null<DISubroutineType>(peel(t.type));

		return type ? about.canonical_function(type, DEPTH, false) : "";
	}

	/* Is the method taken from the table of the object on which it is called? */
	bool by_table(const CallBase &one, point &p)
	{
		auto *method = dyn_cast<LoadInst>(one.getCalledOperand());
		uint64_t number = 0;

		if (!about.is_cxx || !method || !one.arg_size())
			return false;

		const Value *slot = method->getPointerOperand();

		if (auto *sum = dyn_cast<GEPOperator>(slot)) {
			auto *index =
				sum->getNumIndices() == 1 ? dyn_cast<ConstantInt>(sum->getOperand(1)) : nullptr;

			if (!index || !sum->getSourceElementType()->isPointerTy())
				return false;
			number = index->getZExtValue();
			slot = sum->getPointerOperand();
		}

		auto *table = dyn_cast<LoadInst>(slot);
		auto *cast = table ? dyn_cast<BitCastInst>(table->getPointerOperand()) : nullptr;
		auto *object = cast ? dyn_cast<PointerType>(cast->getSrcTy()) : nullptr;
		auto *record = object && !object->isOpaque()
				       ? dyn_cast<StructType>(object->getNonOpaquePointerElementType())
				       : nullptr;

		if (!record || !record->hasName())
			return false;
		p.call |= TABLE_CALL_POINTER | TABLE_CALL_VIRTUAL;

		target t = about.follow(cast->getOperand(0), DEPTH);
		StringRef name = record->getName().substr(record->getName().find('.') + 1);
		auto *type = dyn_cast_or_null<DICompositeType>(peel(t.type));
		StringRef last = name.rsplit("::").second.empty() ? name : name.rsplit("::").second;

		if (!type || type->getName().split('<').first != last.rtrim("0123456789").rtrim('.')) {
			auto found = about.types.find(last.str());

			if (found != about.types.end())
				type = found->second;
		}
		if (const DISubprogram *program = type ? method_of(type, number, 8) : nullptr) {
			p.callee = (int)about.function_of(program);
			p.type = type_of(program, program->getName().startswith("~") ? -1 : 0);
		}
		return true;
	}

	/* Returns the method with this number in the table of virtual methods. */
	static const DISubprogram *method_of(const DICompositeType *type, uint64_t number, unsigned depth)
	{
		const DICompositeType *first = nullptr;

		for (const DINode *node : type->getElements()) {
			auto *program = dyn_cast_or_null<DISubprogram>(node);
			auto *base = dyn_cast_or_null<DIDerivedType>(node);

			if (program && program->getVirtuality() && program->getVirtualIndex() == number)
				return program;
			if (program && program->getVirtuality() && program->getName().startswith("~") &&
			    program->getVirtualIndex() + 1 == number)
				return program; /* the deleting destructor, too */
			if (base && base->getTag() == dwarf::DW_TAG_inheritance && !base->getOffsetInBits() &&
			    !first)
				first = dyn_cast_or_null<DICompositeType>(peel(base->getBaseType()));
		}
		return first && depth ? method_of(first, number, depth - 1) : nullptr;
	}

	/* Returns the number of the lock call; -1: it does nothing to locks. */
	int lock_of(CallBase &one, const Function *callee, point &p, const std::string &scope,
		    const std::string &display, int special)
	{
		const DISubprogram *program = callee->getSubprogram();
		auto *space = program ? dyn_cast_or_null<DINamespace>(program->getScope()) : nullptr;
		unsigned count = one.arg_size();
		lock_function f;

		if (!scope.empty())
			f = table::cxx_lock_function(scope, display, special, type_of(program, special));
		else if (callee->getName() == display || !space)
			f = table::c_lock_function(callee->getName().str().c_str());
		if (!f.is && space && table::is_lock_of_several(space->getName().str(), display)) {
			f.is = true;
			f.count = 16;
			f.flags = TABLE_CALL_TAKES;
		}
		if (special < 0)
			p.call |= TABLE_CALL_IMPLICIT;
		if (is_announced_call(callee->getName().str().c_str()) && count &&
		    one.getArgOperand(0)->getType()->isPointerTy()) {
			p.has_object = true;
			p.what = about.argument(one.getArgOperand(0)).what;
		}
		if (!f.is)
			return -1;
		p.call |= f.flags;
		if (f.guard && count && isa<AllocaInst>(one.getArgOperand(0)->stripPointerCasts()))
			f.what.guard =
				std::to_string((uintptr_t)(const void *)one.getArgOperand(0)->stripPointerCasts());
		for (unsigned i = f.first; i < count && i < f.first + f.count; i++) {
			if (!one.getArgOperand(i)->getType()->isPointerTy())
				continue;

			description d = about.argument(one.getArgOperand(i));

			f.what.locks.push_back({d.what, d.text});
		}
		if (!p.has_object && !f.what.locks.empty()) {
			p.has_object = true;
			p.what = f.what.locks[0].what;
		}
		if (f.what.tries)
			find_failure(one, f.success, f.what, 6);
		to.locks.push_back(f.what);
		return (int)to.locks.size() - 1;
	}

	/* Finds the edge that is taken unless the value is `success`. */
	void find_failure(const Value &value, long success, lock_call &what, unsigned depth)
	{
		for (const User *user : value.users()) {
			if (what.fails_in >= 0 || !depth)
				return;
			if (auto *jump = dyn_cast<BranchInst>(user)) {
				what.fails_in = (int)numbers[jump->getParent()];
				what.fails_to = success ? 1 : 0;
			} else if (auto *compare = dyn_cast<ICmpInst>(user)) {
				auto *number = dyn_cast<ConstantInt>(compare->getOperand(1));

				if (number && compare->isEquality())
					find_failure(*compare,
						     (number->getSExtValue() == success) ==
							     (compare->getPredicate() == CmpInst::ICMP_EQ),
						     what, depth - 1);
			} else if (auto *extended = dyn_cast<CastInst>(user)) {
				find_failure(*extended, success, what, depth - 1);
			} else if (auto *negated = dyn_cast<BinaryOperator>(user)) {
				if (negated->getOpcode() == Instruction::Xor)
					find_failure(*negated, !success, what, depth - 1);
			} else if (auto *store = dyn_cast<StoreInst>(user)) {
				/* a variable gets the value: it is read again in the same block */
				const Value *place = store->getPointerOperand();

				if (!isa<AllocaInst>(place) || store->getValueOperand() != &value)
					continue;
				for (const Instruction *next = store->getNextNode(); next;
				     next = next->getNextNode()) {
					auto *again = dyn_cast<StoreInst>(next);
					auto *load = dyn_cast<LoadInst>(next);

					if (again && again->getPointerOperand() == place)
						break;
					if (load && load->getPointerOperand() == place)
						find_failure(*load, success, what, depth - 1);
				}
			}
		}
	}

	Function &body;
	describer &about;
	table::body to;
	table::block *current = nullptr;
	table::position at;
	const Instruction *at_hand = nullptr;
	unsigned own = 0;
	std::map<const BasicBlock *, unsigned> numbers;
	slicer slices;
	std::map<const Value *, size_t> ways;
};

} // namespace

describer &
describer_of(Module &module)
{
	std::unique_ptr<describer> &one = known[&module];

	if (!one)
		one = std::make_unique<describer>(module);
	return *one;
}

void
forget_describer(Module &module)
{
	known.erase(&module);
}

void
read_functions(Module &module)
{
	describer *about = nullptr;

	for (Function &function : module) {
		const DISubprogram *program = function.getSubprogram();

		/* another file may have the body */
		if (function.isDeclaration() && !function.isIntrinsic() && is_taken(&function)) {
			describer &all = describer_of(module);

			if (all.units == 1)
				all.unit.take_address(all.function_of(&function));
		}
		if (function.isDeclaration() || !program || !function.hasFnAttribute(Attribute::SanitizeThread) ||
		    function.hasAvailableExternallyLinkage() || function.hasFnAttribute(Attribute::Naked) ||
		    !program->getLine() || table::is_system_file(program->getFilename().str()) ||
		    table::is_made_up(function.getName().str()) || table::deletes(function.getName().str()))
			continue;
		if (!about)
			about = &describer_of(module);
		if (about->units != 1)
			return;
		reader(function, *about).read();
	}
}
