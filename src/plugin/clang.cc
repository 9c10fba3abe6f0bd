/*
 * For clang: accesses that its own -fsanitize=thread does not announce.
 *
 *  - g(*shared), if the struct goes to the stack: the copy is made by the call.
 *  - Loads and stores of other sizes than 1, 2, 4, 8 and 16 bytes: long double, wide vectors, small structs in one
 *    piece.
 *  - Loads and stores of some elements of a vector, which the compiler makes of loops for processors that can.
 *
 *  - asm statements: what their text says about memory (asm_operands.hh), as in gcc.cc.
 *
 * Each access is announced as a range, just before it. A result that is returned in memory is written by the function
 * itself through a pointer, which clang's pass sees there.
 *
 * The pass runs before clang's, which comes last of all. A file that was compiled with it calls __sleave_init at its
 * start instead of __tsan_init; that is how the engine knows of those that were not.
 */
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include "asm_operands.hh"
#include "clang_bodies.hh"
#include "clang_sites.hh"
#include "library_locks.hh"
#include "table_wanted.hh"
#include "unseen_section.hh"

#include <optional>

using namespace llvm;

namespace {

/* The functions of one module, and what all announcements share. */
class announcer
{
public:
	explicit announcer(Module &module)
	    : layout(module.getDataLayout()), bytes(Type::getInt8PtrTy(module.getContext())),
	      size(layout.getIntPtrType(module.getContext())),
	      read(module.getOrInsertFunction("__tsan_read_range", Type::getVoidTy(module.getContext()), bytes, size)),
	      write(module.getOrInsertFunction("__tsan_write_range", Type::getVoidTy(module.getContext()), bytes, size)),
	      module(module)
	{
	}

	void
	visit(Instruction &instruction)
	{
		if (auto *load = dyn_cast<LoadInst>(&instruction)) {
			if (!load->isAtomic())
				odd(instruction, load->getPointerOperand(), load->getType(), read);
		} else if (auto *store = dyn_cast<StoreInst>(&instruction)) {
			if (!store->isAtomic())
				odd(instruction, store->getPointerOperand(), store->getValueOperand()->getType(), write);
		} else if (auto *call = dyn_cast<CallBase>(&instruction); call && call->isInlineAsm()) {
			statement(*call);
		} else if (auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction)) {
			some(*intrinsic);
		} else if (auto *call = dyn_cast<CallBase>(&instruction)) {
			arguments(*call);
		}
	}

private:
	/* Can another thread know this memory? Decided as in clang's pass. */
	static bool
	may_be_shared(const Value *address)
	{
		const Value *object = getUnderlyingObject(address);

		if (address->getType()->getScalarType()->getPointerAddressSpace() != 0)
			return false; /* relative to a segment */
		if (auto *variable = dyn_cast<GlobalVariable>(object))
			return !variable->isConstant();
		return !isa<AllocaInst>(object) || PointerMayBeCaptured(object, true, true);
	}

	void
	announce(Instruction &before, Value *address, Value *count, FunctionCallee how)
	{
		IRBuilder<> builder(&before);

		builder.CreateCall(how, {builder.CreatePointerBitCastOrAddrSpaceCast(address, bytes), count});
	}

	void
	odd(Instruction &access, Value *address, Type *type, FunctionCallee how)
	{
		TypeSize count = layout.getTypeStoreSize(type);

		if (count.isScalable() || !count || (isPowerOf2_64(count) && count <= 16) || !may_be_shared(address))
			return;
		announce(access, address, ConstantInt::get(size, count), how);
	}

	void
	arguments(CallBase &call)
	{
		for (unsigned i = 0; i < call.arg_size(); i++) {
			Value *address = call.getArgOperand(i);

			if (!call.isByValArgument(i) || !may_be_shared(address))
				continue;
			if (uint64_t count = layout.getTypeAllocSize(call.getParamByValType(i)))
				announce(call, address, ConstantInt::get(size, count), read);
		}
	}

	/* An element that the mask leaves out is an empty range. */
	void
	element(Instruction &access, Value *address, Value *mask, unsigned index, Type *type, FunctionCallee how)
	{
		IRBuilder<> builder(&access);
		Value *count = builder.CreateSelect(builder.CreateExtractElement(mask, index),
						    ConstantInt::get(size, layout.getTypeStoreSize(type)),
						    ConstantInt::get(size, 0));

		announce(access, address, count, how);
	}

	void
	some(IntrinsicInst &call)
	{
		bool stores = call.getIntrinsicID() == Intrinsic::masked_store ||
			      call.getIntrinsicID() == Intrinsic::masked_scatter;
		bool scattered = call.getIntrinsicID() == Intrinsic::masked_gather ||
				 call.getIntrinsicID() == Intrinsic::masked_scatter;

		if (!stores && !scattered && call.getIntrinsicID() != Intrinsic::masked_load)
			return;

		Value *address = call.getArgOperand(stores ? 1 : 0), *mask = call.getArgOperand(stores ? 3 : 2);
		auto *type = dyn_cast<FixedVectorType>(stores ? call.getArgOperand(0)->getType() : call.getType());

		if (!type || !may_be_shared(address))
			return;
		for (unsigned i = 0; i < type->getNumElements(); i++) {
			IRBuilder<> builder(&call);
			Type *one = type->getElementType();
			Value *place =
				scattered
					? builder.CreateExtractElement(address, i)
					: builder.CreateConstGEP1_32(
						  one, builder.CreateBitCast(address, PointerType::get(one, 0)), i);

			element(call, place, mask, i, one, stores ? write : read);
		}
	}

	/* ---- asm statements ---- */

	/* Converts LLVM's form of the text ($0, ${1:k}, $$) to gcc's. */
	static std::string
	as_gcc(const std::string &text)
	{
		std::string to;

		for (size_t i = 0; i < text.size(); i++) {
			char next = i + 1 < text.size() ? text[i + 1] : 0;

			if (text[i] == '%') {
				to += "%%";
			} else if (text[i] == '{' || text[i] == '}' || text[i] == '|') {
				to += {'%', text[i]};
			} else if (text[i] != '$') {
				to += text[i];
			} else if (next == '{') { /* ${1:k} */
				size_t end = text.find('}', i), colon = text.find(':', i);
				std::string number = text.substr(i + 2, (colon < end ? colon : end) - i - 2);

				if (end == std::string::npos)
					break;
				if (!number.empty())
					to += "%" + (colon < end ? text.substr(colon + 1, end - colon - 1) : "") + number;
				i = end;
			} else {
				i++;
				to += next == '(' ? "{" : next == ')' ? "}" : next == '|' ? "|" : next == '$' ? "$" : "%";
				if (isdigit((unsigned char)next))
					to += next;
			}
		}
		return to;
	}

	struct known_operands {
		std::vector<assembly::operand> all;
		std::vector<Value *> values; /* addresses of operands in memory; NULL: an output */
		bool clobbers = false;
	};

	static char
	fixed_register(const std::string &code)
	{
		if (code == "{ax}")
			return 'a';
		if (code == "{cx}")
			return 'c';
		if (code == "{di}")
			return 'D';
		return code == "{si}" ? 'S' : 0;
	}

	known_operands
	operands_of(CallBase &call, const InlineAsm &assembly) const
	{
		known_operands to;
		unsigned argument = 0;

		for (const InlineAsm::ConstraintInfo &info : assembly.ParseConstraints()) {
			assembly::operand o;
			Value *value = nullptr;

			if (info.Type == InlineAsm::isClobber) {
				to.clobbers |= info.Codes.size() == 1 && info.Codes[0] == "{memory}";
				continue;
			}
			o.memory = info.isIndirect;
			o.writes = info.Type == InlineAsm::isOutput;
			o.reads = info.Type == InlineAsm::isInput;
			for (const std::string &code : info.Codes)
				if (!o.fixed)
					o.fixed = fixed_register(code);
			if ((o.reads || o.memory) && argument < call.arg_size()) {
				Type *type = o.memory ? call.getAttributes().getParamElementType(argument)
						      : call.getArgOperand(argument)->getType();

				value = call.getArgOperand(argument++);
				if (o.memory && !type && value->getType()->isPointerTy() &&
				    !value->getType()->isOpaquePointerTy())
					type = value->getType()->getPointerElementType();
				if (type && type->isSized())
					o.size = (unsigned)layout.getTypeStoreSize(type).getKnownMinSize();
			}
			if (o.reads && info.hasMatchingInput() == false && info.Codes.size() == 1 &&
			    isdigit((unsigned char)info.Codes[0][0])) {
				unsigned same = (unsigned)atoi(info.Codes[0].c_str());

				if (same < to.all.size()) {
					to.all[same].same = (int)to.all.size();
					to.all[same].size = o.size;
					o.fixed = to.all[same].fixed;
				}
			}
			to.all.push_back(o);
			to.values.push_back(value);
		}
		sizes_of_results(call, to);
		for (size_t i = 0; i < to.all.size(); i++)
			for (size_t k = i + 1; k < to.all.size(); k++)
				if (to.all[i].memory && to.all[i].writes && to.all[k].memory && !to.all[k].writes &&
				    to.values[i]->stripPointerCasts() == to.values[k]->stripPointerCasts()) {
					to.all[i].reads = true;
					to.all[k].reads = false;
				}
		return to;
	}

	void
	sizes_of_results(CallBase &call, known_operands &to) const
	{
		auto *several = dyn_cast<StructType>(call.getType());
		unsigned result = 0;

		for (assembly::operand &o : to.all)
			if (o.writes && !o.memory && !call.getType()->isVoidTy()) {
				Type *type = several && result < several->getNumElements() ? several->getElementType(result)
											   : call.getType();

				result++;
				if (!o.size && type->isSized())
					o.size = (unsigned)layout.getTypeStoreSize(type).getKnownMinSize();
			}
	}

	/* Returns the value of the operand before the statement. */
	static Value *
	value_of(const known_operands &operands, int number)
	{
		const assembly::operand &o = operands.all[(size_t)number];

		if (o.same >= 0)
			return operands.values[(size_t)o.same];
		return o.reads && !o.memory ? operands.values[(size_t)number] : nullptr;
	}

	static Value *
	in_register(const known_operands &operands, char letter)
	{
		for (size_t i = 0; i < operands.all.size(); i++)
			if (operands.all[i].fixed == letter && value_of(operands, (int)i))
				return value_of(operands, (int)i);
		return nullptr;
	}

	/* NULL: it is neither an integer nor a pointer. */
	Value *
	as_number(IRBuilder<> &builder, Value *value, bool negative = false) const
	{
		if (value && value->getType()->isPointerTy())
			return builder.CreatePtrToInt(value, size);
		if (!value || !value->getType()->isIntegerTy() || value->getType()->getIntegerBitWidth() > 64)
			return nullptr;
		return negative ? builder.CreateSExt(value, size) : builder.CreateZExt(value, size);
	}

	Value *
	address_of(IRBuilder<> &builder, const known_operands &operands, const assembly::access &a) const
	{
		Value *at = as_number(builder, a.through ? value_of(operands, a.operand)
							 : operands.values[(size_t)a.operand]);

		if (at && a.offset)
			at = builder.CreateAdd(at, ConstantInt::get(size, (uint64_t)a.offset));
		if (at && a.bit >= 0) {
			Value *bit = value_of(operands, a.bit);

			if (!bit || !bit->getType()->isIntegerTy() || a.size < 2 || !as_number(builder, bit))
				return nullptr;
			at = builder.CreateAdd(at, builder.CreateAnd(builder.CreateAShr(as_number(builder, bit, true), 3),
								     ConstantInt::get(size, -(uint64_t)a.size)));
		}
		return at;
	}

	void
	statement(CallBase &call)
	{
		const auto *text = cast<InlineAsm>(call.getCalledOperand());
		known_operands operands = operands_of(call, *text);
		assembly::meaning meaning = assembly::reader(operands.all, operands.clobbers)
						    .read(as_gcc(text->getAsmString()), text->getDialect() != InlineAsm::AD_ATT);
		IRBuilder<> builder(&call);
		Type *nothing = Type::getVoidTy(module.getContext());
		SmallVector<Value *, 16> arguments(2);
		Value *wanted = nullptr;
		uint64_t how = 0;
		unsigned count = 0;

		for (assembly::access &a : meaning.accesses) {
			if (!a.through && !may_be_shared(operands.values[(size_t)a.operand]))
				continue;
			Value *address = address_of(builder, operands, a);
			Value *times = a.times >= 0 ? as_number(builder, value_of(operands, a.times)) : nullptr;

			if (!address || !a.size || count == 7 || (a.times >= 0 && !times)) {
				meaning.unseen = true;
				continue;
			}
			if (a.how & assembly::SWAPS) {
				Value *known = as_number(builder, in_register(operands, 'a'));

				if (known && !wanted && a.size <= 8)
					wanted = known;
				else
					a.how &= ~(unsigned)assembly::SWAPS;
			}
			how |= (uint64_t)a.how << 8 * count++;
			arguments.push_back(address);
			arguments.push_back(times ? builder.CreateMul(times, ConstantInt::get(size, a.size))
						  : ConstantInt::get(size, a.size));
		}
		if (count) {
			arguments[0] = ConstantInt::get(size, how);
			arguments[1] = wanted ? wanted : ConstantInt::get(size, 0);
			builder.CreateCall(module.getOrInsertFunction("__sleave_asm",
								      FunctionType::get(nothing, {size, size}, true)),
					   arguments);
		}
		if (meaning.fence)
			builder.CreateCall(module.getOrInsertFunction("__tsan_atomic_thread_fence", nothing,
								      Type::getInt32Ty(module.getContext())),
					   {builder.getInt32((uint32_t)meaning.fence)});
		if (meaning.unseen)
			builder.CreateCall(module.getOrInsertFunction("__sleave_asm_unseen", nothing));
	}

	const DataLayout &layout;
	Type *bytes, *size;
	FunctionCallee read, write;
	Module &module;
};

struct sleave_pass : PassInfoMixin<sleave_pass> {
	PreservedAnalyses
	run(Module &module, ModuleAnalysisManager &)
	{
		announcer to(module);
		std::optional<site_collector> sites;

		if (is_table_wanted())
			sites.emplace(module);

		for (Function &function : module) {
			if (function.getSection() == UNSEEN && !function.isDeclaration())
				mark(function);
			if (!function.hasFnAttribute(Attribute::SanitizeThread) ||
			    function.hasFnAttribute(Attribute::Naked))
				continue;

			if (sites)
				sites->collect(function);

			SmallVector<Instruction *, 64> all; /* collected before any is added */

			for (BasicBlock &block : function)
				for (Instruction &instruction : block)
					all.push_back(&instruction);
			bool calls = false;

			for (Instruction *instruction : all) {
				auto *call = dyn_cast<CallBase>(instruction);

				calls |= call && !isa<IntrinsicInst>(call) && !call->isInlineAsm();
				to.visit(*instruction);
			}
			if (!calls && !all.empty())
				mark(function);
		}
		mark(module);
		call_directly(module);
		if (sites)
			sites->write(); /* after mark(), which looks at the file's own assembly */
		return PreservedAnalyses::none();
	}

	/* The pass runs also without optimisation. */
	static bool
	isRequired()
	{
		return true;
	}

private:
	/* Marks a function that may get no callback, so that it is not reported as code that was not seen. */
	static void
	mark(Function &function)
	{
		if (!function.hasPrefixData())
			function.setPrefixData(ConstantInt::get(Type::getInt64Ty(function.getContext()), MARK_NUMBER));
	}

	/* Calls what clang's pass will call for each access without a jump in between. */
	static void
	call_directly(Module &module)
	{
		LLVMContext &context = module.getContext();

		for (const char *how : {"__tsan_read", "__tsan_write"})
			for (const char *size : {"1", "2", "4", "8", "16"}) {
				FunctionCallee callee =
					module.getOrInsertFunction((Twine(how) + size).str(), Type::getVoidTy(context),
								   Type::getInt8PtrTy(context));

				if (auto *function = dyn_cast<Function>(callee.getCallee()))
					function->addFnAttr(Attribute::NonLazyBind);
			}
	}

	/* Replaces the function that clang's pass would make. */
	static void
	mark(Module &module)
	{
		if (module.getFunction("tsan.module_ctor"))
			return;
		/* assembly outside of functions is not announced */
		const char *init = assembly::reader::has_instructions(module.getModuleInlineAsm()) ? "__sleave_init_asm"
												   : "__sleave_init";

		appendToGlobalCtors(module,
				    createSanitizerCtorAndInitFunctions(module, "tsan.module_ctor", init, {}, {}).first, 0);
	}
};

/* See library_locks.hh. */
struct inline_locks : PassInfoMixin<inline_locks> {
	PreservedAnalyses
	run(Module &module, ModuleAnalysisManager &)
	{
		for (Function &function : module) {
			if (!locks(function))
				continue;
			function.removeFnAttr(Attribute::OptimizeNone);
			function.removeFnAttr(Attribute::NoInline);
			function.addFnAttr(Attribute::AlwaysInline);
		}
		return PreservedAnalyses::none();
	}

	static bool
	isRequired()
	{
		return true;
	}

private:
	/* Is the function in a header of the system, as far as debug information tells? */
	static bool
	locks(const Function &function)
	{
		const DISubprogram *program = function.getSubprogram();

		if (function.isDeclaration() || !function.hasFnAttribute(Attribute::SanitizeThread) || !program ||
		    !program->getFilename().startswith("/") || !program->getFilename().contains("/include/") ||
		    !program->getFilename().contains("/c++/"))
			return false;
		if (locks_by_name(program->getName().str().c_str()))
			return true;

		const auto *scope = dyn_cast_or_null<DICompositeType>(program->getScope());

		return scope && locks_by_class(scope->getName().str().c_str());
	}
};

} // namespace

/*
 * Functions that the program excludes from ThreadSanitizer are instrumented nevertheless, as in gcc.cc. A file
 * without announcements is left alone.
 */
struct sanitize_all_the_same : PassInfoMixin<sanitize_all_the_same> {
	PreservedAnalyses
	run(Module &module, ModuleAnalysisManager &)
	{
		bool any = false;

		for (const Function &function : module)
			any |= function.hasFnAttribute(Attribute::SanitizeThread);
		for (Function &function : module)
			if (any && !function.isDeclaration() && function.getSection() != UNSEEN &&
			    !function.hasFnAttribute(Attribute::DisableSanitizerInstrumentation))
				function.addFnAttr(Attribute::SanitizeThread);
		return PreservedAnalyses::all();
	}

	static bool
	isRequired()
	{
		return true;
	}
};

struct read_code : PassInfoMixin<read_code> {
	PreservedAnalyses
	run(Module &module, ModuleAnalysisManager &)
	{
		read_functions(module);
		return PreservedAnalyses::all();
	}

	static bool
	isRequired()
	{
		return true;
	}
};

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo
llvmGetPassPluginInfo()
{
	return {LLVM_PLUGIN_API_VERSION, "sleave", LLVM_VERSION_STRING, [](PassBuilder &builder) {
			builder.registerPipelineStartEPCallback(
				[](ModulePassManager &passes, OptimizationLevel) {
					passes.addPass(sanitize_all_the_same());
					if (is_table_wanted())
						passes.addPass(read_code());
					passes.addPass(inline_locks());
				});
			builder.registerOptimizerLastEPCallback(
				[](ModulePassManager &passes, OptimizationLevel) { passes.addPass(sleave_pass()); });
		}};
}
