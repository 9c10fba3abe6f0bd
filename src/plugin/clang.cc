/*
 * For clang: accesses that its own -fsanitize=thread does not announce.
 *
 *  - g(*shared), if the struct goes to the stack: the copy is made by the call.
 *  - Loads and stores of other sizes than 1, 2, 4, 8 and 16 bytes: long double, wide vectors, small structs in one
 *    piece.
 *  - Loads and stores of some elements of a vector, which the compiler makes of loops for processors that can.
 *
 * Each is announced as a range, just before it. A result that is returned in memory is written by the function
 * itself through a pointer, which clang's pass sees there.
 *
 * The pass runs before clang's, which comes last of all. A file that was compiled with it calls __sleave_init at its
 * start instead of __tsan_init; that is how the engine knows of those that were not.
 */
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include "locks.hh"
#include "unseen.hh"

using namespace llvm;

namespace {

/* The functions of one module, and what is common to all announcements. */
class announcer
{
public:
	explicit announcer(Module &module)
	    : layout(module.getDataLayout()), bytes(Type::getInt8PtrTy(module.getContext())),
	      size(layout.getIntPtrType(module.getContext())),
	      read(module.getOrInsertFunction("__tsan_read_range", Type::getVoidTy(module.getContext()), bytes, size)),
	      write(module.getOrInsertFunction("__tsan_write_range", Type::getVoidTy(module.getContext()), bytes, size))
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
		} else if (auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction)) {
			some(*intrinsic);
		} else if (auto *call = dyn_cast<CallBase>(&instruction)) {
			arguments(*call);
		}
	}

private:
	/* Can another thread know this memory? As clang's pass decides it. */
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

	/* An element that the mask leaves out is a range of no bytes. */
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

	const DataLayout &layout;
	Type *bytes, *size;
	FunctionCallee read, write;
};

struct sleave_pass : PassInfoMixin<sleave_pass> {
	PreservedAnalyses
	run(Module &module, ModuleAnalysisManager &)
	{
		announcer to(module);

		for (Function &function : module) {
			if (!function.hasFnAttribute(Attribute::SanitizeThread) ||
			    function.hasFnAttribute(Attribute::Naked))
				continue;

			SmallVector<Instruction *, 64> all; /* before any is added */

			for (BasicBlock &block : function)
				for (Instruction &instruction : block)
					all.push_back(&instruction);
			for (Instruction *instruction : all)
				to.visit(*instruction);
		}
		mark(module);
		call_directly(module);
		return PreservedAnalyses::none();
	}

	/* Without optimisation too. */
	static bool
	isRequired()
	{
		return true;
	}

private:
	/* What clang's pass will call for each access, without a jump in between. */
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

	/* Under the name of the function that clang's pass makes if there is none. */
	static void
	mark(Module &module)
	{
		if (module.getFunction("tsan.module_ctor"))
			return;
		appendToGlobalCtors(module,
				    createSanitizerCtorAndInitFunctions(module, "tsan.module_ctor", "__sleave_init", {}, {})
					    .first,
				    0);
	}
};

/* locks.hh */
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
	/* In a header of the system's, as far as debug information tells. */
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

/* What a program keeps from ThreadSanitizer is not kept from us, as in gcc.cc. A file of which nothing is announced is left alone. */
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

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo
llvmGetPassPluginInfo()
{
	return {LLVM_PLUGIN_API_VERSION, "sleave", LLVM_VERSION_STRING, [](PassBuilder &builder) {
			builder.registerPipelineStartEPCallback(
				[](ModulePassManager &passes, OptimizationLevel) {
					passes.addPass(sanitize_all_the_same());
					passes.addPass(inline_locks());
				});
			builder.registerOptimizerLastEPCallback(
				[](ModulePassManager &passes, OptimizationLevel) { passes.addPass(sleave_pass()); });
		}};
}
